//! Owns: what a processor is called, and sets of them.
//! Must never know: what runs on a processor.

/// A processor: 0 to 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(transparent)]
pub struct Cpu(u8);

impl Cpu {
    /// How many processors there can be.
    pub const COUNT: usize = 64;

    /// The processor `index`, 0 to 63; none for other numbers.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// The processor that was stored as `index`: the check that it is below 64 costs one
    /// instruction.
    #[inline(always)]
    pub(crate) const fn masked(index: u8) -> Self {
        Self(index & (Self::COUNT as u8 - 1))
    }

    /// The number: 0 to 63.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & (Self::COUNT as u8 - 1)) as usize
    }
}

/// A set of processors.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct CpuSet(u64);

impl CpuSet {
    /// No processor.
    pub const EMPTY: Self = Self(0);
    /// All 64 of them.
    pub const ALL: Self = Self(u64::MAX);

    /// Returns the set of the processors that have a set bit: bit i is processor i.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Bit i is set when processor i is in the set.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The set of `cpu` alone.
    #[inline(always)]
    pub const fn of(cpu: Cpu) -> Self {
        Self(1 << cpu.0)
    }

    /// The processors 0 to `count` − 1; all of them for 64 and more.
    pub const fn first(count: usize) -> Self {
        if count >= Cpu::COUNT {
            Self::ALL
        } else {
            Self((1 << count) - 1)
        }
    }

    /// Whether `cpu` is in the set.
    #[inline(always)]
    pub const fn contains(self, cpu: Cpu) -> bool {
        self.0 & Self::of(cpu).0 != 0
    }

    /// Whether every processor of `other` is in this set.
    #[inline(always)]
    pub const fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether there is none in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    #[inline(always)]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The set with `cpu`.
    #[inline(always)]
    #[must_use]
    pub const fn with(self, cpu: Cpu) -> Self {
        self.or(Self::of(cpu))
    }

    /// The set without `cpu`.
    #[inline(always)]
    #[must_use]
    pub const fn without(self, cpu: Cpu) -> Self {
        self.minus(Self::of(cpu))
    }

    /// Those in either set.
    #[inline(always)]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Those in both sets.
    #[inline(always)]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The one with the lowest number.
    #[inline(always)]
    pub const fn lowest(self) -> Option<Cpu> {
        if self.0 == 0 {
            None
        } else {
            Some(Cpu(self.0.trailing_zeros() as u8))
        }
    }

    /// The one with the highest number.
    #[inline(always)]
    pub const fn highest(self) -> Option<Cpu> {
        if self.0 == 0 {
            None
        } else {
            Some(Cpu(63 - self.0.leading_zeros() as u8))
        }
    }
}

/// The processors of a set, lowest number first.
#[derive(Clone, Debug)]
pub struct Cpus(CpuSet);

impl Iterator for Cpus {
    type Item = Cpu;

    #[inline(always)]
    fn next(&mut self) -> Option<Cpu> {
        let cpu = self.0.lowest()?;
        self.0 = self.0.without(cpu);
        Some(cpu)
    }
}

impl IntoIterator for CpuSet {
    type Item = Cpu;
    type IntoIter = Cpus;

    #[inline(always)]
    fn into_iter(self) -> Cpus {
        Cpus(self)
    }
}

impl FromIterator<Cpu> for CpuSet {
    fn from_iter<T: IntoIterator<Item = Cpu>>(cpus: T) -> Self {
        cpus.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl core::fmt::Debug for CpuSet {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_set()
            .entries(self.into_iter().map(Cpu::index))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_put_in() {
        let cpus = [0, 3, 63].map(|index| Cpu::new(index).unwrap());
        let set: CpuSet = cpus.into_iter().collect();
        assert!(set.into_iter().eq(cpus));
        assert_eq!(set.count(), 3);
        assert_eq!(set.without(cpus[0]).lowest(), Some(cpus[1]));
        assert_eq!(set.highest(), Some(cpus[2]));
        assert!(CpuSet::ALL.covers(set) && !set.covers(CpuSet::ALL));
    }

    #[test]
    fn the_first_few() {
        assert_eq!(CpuSet::first(0), CpuSet::EMPTY);
        assert_eq!(CpuSet::first(2).bits(), 3);
        assert_eq!(CpuSet::first(64), CpuSet::ALL);
    }

    #[test]
    fn there_is_no_processor_64() {
        assert_eq!(Cpu::new(64), None);
    }
}
