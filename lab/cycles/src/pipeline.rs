//! The time that a sequence takes on a core that issues up to two instructions a cycle.
//!
//! For hand analysis and for tests. The `lab/clock` plugin has its own implementation in C, which
//! applies the same rules to the instructions that an image executes.

use crate::timing::{Flags, Operand, Timing};

/// A pipeline in the middle of a sequence.
#[derive(Debug, Clone)]
pub struct Pipeline {
    now: u64,
    first: Option<Timing>,
    ready: [u64; Operand::COUNT],
}

impl Default for Pipeline {
    fn default() -> Self {
        Self {
            now: 0,
            first: None,
            ready: [0; Operand::COUNT],
        }
    }
}

impl Pipeline {
    /// Issues an instruction; its first cycle, counted from 1.
    pub fn issue(&mut self, timing: &Timing) -> u64 {
        let mut start = self.now;
        for source in &timing.sources {
            let ready = self.ready[usize::from(source.register)];
            start = start.max(ready.saturating_sub(u64::from(source.when)));
        }
        let joins = start == self.now && self.first.as_ref().is_some_and(|f| may_pair(f, timing));
        if start == self.now && !joins {
            start += 1;
        }
        for result in &timing.results {
            self.ready[usize::from(result.register)] = start + u64::from(result.when);
        }
        self.now = start + u64::from(timing.cost) - 1;
        let closed = joins || timing.flags.contains(Flags::ALONE);
        self.first = (!closed).then(|| timing.clone());
        start
    }

    /// Cycles so far: the last one in which something was issued.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.now
    }
}

fn may_pair(first: &Timing, second: &Timing) -> bool {
    let both = |flag| first.flags.contains(flag) && second.flags.contains(flag);
    let same_result = first
        .results
        .iter()
        .any(|a| second.results.iter().any(|b| a.register == b.register));
    !second.flags.contains(Flags::ALONE)
        && !second.flags.contains(Flags::FIRST_ONLY)
        && !both(Flags::LOAD_STORE_PIPE)
        && !both(Flags::BRANCH_PIPE)
        && !same_result
}
