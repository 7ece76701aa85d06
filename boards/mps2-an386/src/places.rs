//! Owns: where devices of this board are that the attacks are about. Must never know: the attacks.

/// The clock's timer.
pub(crate) const TIMER: usize = 0x4000_2000;
/// A device of which nothing is a partition's.
pub(crate) const UART: usize = 0x4000_4000;
/// A timer that nothing uses, which a partition has.
pub(crate) const DEVICE: usize = 0x4000_1000;
