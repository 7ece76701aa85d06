//! Owns: the words of a stress test: `seed=`, `operations=`, `calm=`, `policy=`, `layout=`. Must
//! never know: where the words come from.

use super::Plan;
use taktos_kernel::{CpuSet, InstanceConfig, PolicyKind};

/// A stress test as words request it.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// The seed (1), the number of operations (100,000), and [`Plan::calm`] (1).
    pub plan: Plan,
    policy: PolicyKind,
    layout: Layout,
}

#[derive(Clone, Copy, Debug)]
enum Layout {
    /// One instance that has all processors.
    Global,
    /// The lower and the upper half of them.
    Clustered,
    /// One instance each.
    Partitioned,
}

/// The words that are not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused;

impl Wanted {
    /// Defaults that no word has changed: global, by deadline.
    pub const NEW: Self = Self {
        plan: Plan {
            seed: 1,
            operations: 100_000,
            calm: 1,
        },
        policy: PolicyKind::Edf,
        layout: Layout::Global,
    };

    /// Takes one word: `seed=N`, `operations=N`, `calm=N`; `policy=simple`, `priority`, `edf`,
    /// `priority-affinity`, `strong-affinity` or `cbs`; `layout=global`, `clustered` or
    /// `partitioned`.
    ///
    /// # Errors
    /// [`Refused`]: another word, or another value.
    pub fn take(&mut self, word: &str) -> Result<(), Refused> {
        let (key, value) = word.split_once('=').ok_or(Refused)?;
        match key {
            "seed" => self.plan.seed = value.parse().map_err(|_| Refused)?,
            "operations" => self.plan.operations = value.parse().map_err(|_| Refused)?,
            "calm" => self.plan.calm = value.parse().map_err(|_| Refused)?,
            "policy" => self.policy = policy(value)?,
            "layout" => self.layout = layout(value)?,
            _ => return Err(Refused),
        }
        Ok(())
    }

    /// Returns the instances on the first `processors`, at most four. Those after the number that
    /// is given first are of no meaning.
    pub fn instances(&self, processors: usize) -> (usize, [InstanceConfig; 4]) {
        let all = CpuSet::first(processors);
        let lower = CpuSet::first(processors / 2);
        let only = |number| CpuSet::first(number + 1).minus(CpuSet::first(number));
        let (count, sets) = match self.layout {
            Layout::Global => (1, [all; 4]),
            Layout::Clustered => (2, [lower, all.minus(lower), all, all]),
            Layout::Partitioned => (processors.min(4), [only(0), only(1), only(2), only(3)]),
        };
        let names = [*b"ONE ", *b"TWO ", *b"THRE", *b"FOUR"];
        let instances = core::array::from_fn(|index| InstanceConfig {
            name: names[index],
            policy: self.policy,
            cpus: sets[index],
        });
        (count, instances)
    }
}

/// The policy of a name, as in [`Wanted::take`].
///
/// # Errors
/// [`Refused`]: another name.
pub fn policy(name: &str) -> Result<PolicyKind, Refused> {
    Ok(match name {
        "simple" => PolicyKind::Simple,
        "priority" => PolicyKind::Priority,
        "edf" => PolicyKind::Edf,
        "priority-affinity" => PolicyKind::PriorityAffinity,
        "strong-affinity" => PolicyKind::StrongAffinity,
        "cbs" => PolicyKind::Cbs,
        _ => return Err(Refused),
    })
}

fn layout(name: &str) -> Result<Layout, Refused> {
    Ok(match name {
        "global" => Layout::Global,
        "clustered" => Layout::Clustered,
        "partitioned" => Layout::Partitioned,
        _ => return Err(Refused),
    })
}
