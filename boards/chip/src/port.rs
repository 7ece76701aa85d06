//! Owns: the times that the port's test allows on this board, of which the processor's own timer is
//! the only one. Must never know: the checks.

use crate::machine::HERTZ;
use taktos_kernel::Duration;

/// The longest time of a switch at the end of a slice, at one instruction a nanosecond, with the
/// time until a thread reads the clock. The timer's interrupt finds what is due, the kernel selects
/// the thread for the next slice, and the timer is set to the slice's end.
pub const SWITCH: Duration = Duration::from_nanos(SHORTEST + CODE);
/// The longest time by which a slice may end late: the timer is not set to less.
pub const LATE: Duration = Duration::from_nanos(SHORTEST);
/// Instructions of a switch; Armv6-M, which does not exchange words, multiplies 64 bits in many
/// steps.
const CODE: u64 = if cfg!(target_has_atomic = "32") {
    400
} else {
    1_600
};
/// 32 ticks.
const SHORTEST: u64 = 32 * 1_000_000_000 / HERTZ as u64;
