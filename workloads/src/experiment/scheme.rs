//! Owns: which instances of which policy have which processors. Must never know: what runs there.

use super::PROCESSORS;
use super::command::{Refused, Word};
use taktos_kernel::{Cpu, CpuSet, InstanceConfig, PolicyKind};

/// How processors are given to instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One instance, with processor 0 alone.
    One,
    /// One instance with all processors.
    Global,
    /// Two processors to each instance.
    Clustered,
    /// One processor to each instance.
    Partitioned,
}

/// A policy, a layout and a number of processors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheme {
    /// How each instance chooses.
    pub policy: PolicyKind,
    /// Division of the processors among the instances.
    pub layout: Layout,
    /// How many processors are used, 1 to 4.
    pub processors: usize,
}

const POLICIES: [(&str, PolicyKind); 6] = [
    ("edf", PolicyKind::Edf),
    ("simple", PolicyKind::Simple),
    ("priority", PolicyKind::Priority),
    ("priority-affinity", PolicyKind::PriorityAffinity),
    ("strong-affinity", PolicyKind::StrongAffinity),
    ("cbs", PolicyKind::Cbs),
];

const LAYOUTS: [(&str, Layout); 4] = [
    ("one", Layout::One),
    ("global", Layout::Global),
    ("clustered", Layout::Clustered),
    ("partitioned", Layout::Partitioned),
];

/// The names of the instances, in the order of their processors.
pub const NAMES: [[u8; 4]; PROCESSORS] = [*b"I0  ", *b"I1  ", *b"I2  ", *b"I3  "];

impl Scheme {
    /// EDF, one instance with all processors.
    pub const DEFAULT: Self = Self {
        policy: PolicyKind::Edf,
        layout: Layout::Global,
        processors: PROCESSORS,
    };

    /// One instance by fixed priorities for each processor.
    pub const SEPARATE: Self = Self {
        policy: PolicyKind::Priority,
        layout: Layout::Partitioned,
        processors: PROCESSORS,
    };

    /// Takes `word` in, if it says something of this; says whether it did.
    ///
    /// # Errors
    /// The word, refused, where its value is none.
    pub fn accept<'a>(&mut self, word: Word<'a>) -> Result<bool, Refused<'a>> {
        match word.key {
            "policy" => {
                let why = "policies: edf simple priority priority-affinity strong-affinity cbs";
                self.policy = word.choice(&POLICIES, why)?;
            }
            "layout" => {
                let why = "layouts: one global clustered partitioned";
                self.layout = word.choice(&LAYOUTS, why)?;
            }
            "processors" => self.processors = word.number(1, PROCESSORS)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How many processors an instance has at most.
    const fn width(self) -> usize {
        match self.layout {
            Layout::One | Layout::Partitioned => 1,
            Layout::Global => PROCESSORS,
            Layout::Clustered => 2,
        }
    }

    /// How many processors are used at all.
    pub const fn used(self) -> usize {
        match self.layout {
            Layout::One => 1,
            _ => self.processors,
        }
    }

    /// How many instances there are.
    pub const fn instances(self) -> usize {
        self.used().div_ceil(self.width())
    }

    /// The instance that has `processor`.
    pub const fn instance_of(self, processor: usize) -> usize {
        processor / self.width()
    }

    /// The processors of the instance `number`.
    pub fn processors_of(self, number: usize) -> CpuSet {
        (0..self.used())
            .filter(|processor| self.instance_of(*processor) == number)
            .filter_map(Cpu::new)
            .fold(CpuSet::EMPTY, CpuSet::with)
    }

    /// Returns the instances, as the kernel is started with; their number is [`Scheme::instances`].
    pub fn configuration(self) -> [InstanceConfig; PROCESSORS] {
        core::array::from_fn(|number| InstanceConfig {
            name: NAMES[number],
            policy: self.policy,
            cpus: self.processors_of(number),
        })
    }

    /// The policy's name.
    pub fn policy_name(self) -> &'static str {
        name_of(&POLICIES, self.policy)
    }

    /// The layout's name.
    pub fn layout_name(self) -> &'static str {
        name_of(&LAYOUTS, self.layout)
    }
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], sought: T) -> &'static str {
    let found = names.iter().find(|(_, value)| *value == sought);
    found.map_or("?", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::command::words;
    use std::vec::Vec;

    fn scheme(line: &str) -> Scheme {
        let mut scheme = Scheme::DEFAULT;
        for word in words(line) {
            assert_eq!(scheme.accept(word), Ok(true), "{line}");
        }
        scheme
    }

    fn sets(line: &str) -> Vec<u64> {
        let scheme = scheme(line);
        let all = scheme.configuration();
        all[..scheme.instances()]
            .iter()
            .map(|instance| instance.cpus.bits())
            .collect()
    }

    #[test]
    fn each_layout_gives_each_processor_once() {
        assert_eq!(sets("layout=global"), [0b1111]);
        assert_eq!(sets("layout=global processors=3"), [0b111]);
        assert_eq!(sets("layout=clustered"), [0b11, 0b1100]);
        assert_eq!(sets("layout=clustered processors=3"), [0b11, 0b100]);
        assert_eq!(sets("layout=partitioned"), [1, 2, 4, 8]);
        assert_eq!(sets("layout=partitioned processors=2"), [1, 2]);
        assert_eq!(sets("layout=one"), [1]);
    }

    #[test]
    fn names_come_back_as_they_were_read() {
        for (policy, _) in POLICIES {
            for (layout, _) in LAYOUTS {
                let scheme = scheme(&std::format!("policy={policy}+layout={layout}"));
                assert_eq!(
                    (scheme.policy_name(), scheme.layout_name()),
                    (policy, layout)
                );
            }
        }
    }

    #[test]
    fn what_there_is_not_is_refused() {
        for line in ["policy=best", "layout=", "processors=5", "processors=0"] {
            let word = words(line).next().expect("there is a word");
            let mut scheme = Scheme::DEFAULT;
            assert!(scheme.accept(word).is_err(), "{line}");
        }
        let word = words("other=1").next().expect("there is a word");
        let mut scheme = Scheme::DEFAULT;
        assert_eq!(scheme.accept(word), Ok(false));
    }
}
