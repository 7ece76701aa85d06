//! Owns: what virtual processors and their domains are called.
//! Must never know: what they run.

/// A virtual processor (Xen: a scheduling unit): the index of its record in
/// every policy's table of units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Vcpu(u16);

/// A domain: a guest, with one or more virtual processors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Domain(u16);

impl Vcpu {
    /// The virtual processor `index`.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// The number, 0 to 65 535.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl Domain {
    /// The domain `index`.
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// The number, 0 to 65 535.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
