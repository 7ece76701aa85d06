//! Owns: where a unit may run, and where it had better run.
//! Must never know: what else runs there.

use crate::CpuSet;
use crate::vcpu::allowed;

/// The two affinities of a unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Affinity {
    /// Where it may run.
    pub(crate) hard: CpuSet,
    /// Where it had better run.
    pub(crate) soft: CpuSet,
}

impl Affinity {
    /// Anywhere, without preference.
    pub(crate) const ANYWHERE: Self = Self {
        hard: CpuSet::ALL,
        soft: CpuSet::ALL,
    };

    /// Where it may run in the pool `cpus`.
    pub(crate) const fn allowed(self, cpus: CpuSet) -> CpuSet {
        allowed(self.hard, cpus)
    }

    /// Where it had better run in the pool `cpus`; none when it has no preference
    /// there, or one that says no more than where it may run.
    pub(crate) fn preferred(self, cpus: CpuSet) -> Option<CpuSet> {
        let allowed = self.allowed(cpus);
        let soft = self.soft.and(allowed);
        (!soft.is_empty() && soft != allowed).then_some(soft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preferred(hard: u64, soft: u64, cpus: u64) -> Option<u64> {
        let [hard, soft, cpus] = [hard, soft, cpus].map(CpuSet::from_bits);
        let affinity = Affinity { hard, soft };
        affinity.preferred(cpus).map(CpuSet::bits)
    }

    #[test]
    fn a_preference_is_one_only_if_it_parts_what_is_allowed() {
        assert_eq!(preferred(0b1111, 0b0110, 0b1111), Some(0b0110));
        assert_eq!(preferred(0b1111, 0b0110, 0b0011), Some(0b0010));
        assert_eq!(preferred(0b0110, 0b1111, 0b1111), None, "all it may have");
        assert_eq!(preferred(0b0110, 0b1001, 0b1111), None, "none of it");
        // If nothing that it may have is left, it may have all.
        assert_eq!(preferred(0b1000, 0b0001, 0b0011), Some(0b0001));
    }
}
