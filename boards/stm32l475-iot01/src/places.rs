//! Owns: where devices of an STM32L4 or STM32F4 are that the attacks are about (RM0351, 2.2; RM0090, 2.3).
//! Must never know: the attacks.

/// The general-purpose timer 2.
pub(crate) const TIMER: usize = 0x4000_0000;
/// The second serial port, of which nothing is a partition's.
pub(crate) const UART: usize = 0x4000_4400;
/// The basic timers 6 and 7 and what lies behind them, which nothing uses, and a partition has.
pub(crate) const DEVICE: usize = 0x4000_1000;
