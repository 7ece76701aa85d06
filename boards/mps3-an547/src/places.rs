//! Owns: where devices of this board are that the attacks are about, by their secure addresses (SSE-300, 101773; AN547, DAI 0547).
//! Must never know: the attacks.

/// The subsystem's timer 0.
pub(crate) const TIMER: usize = 0x5800_0000;
/// The second serial port, of which nothing is a partition's.
pub(crate) const UART: usize = 0x5930_4000;
/// The subsystem's timer 1, which nothing uses, and a partition has.
pub(crate) const DEVICE: usize = 0x5800_1000;
