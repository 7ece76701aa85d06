//! Owns: the times that the port's test allows on this board, of which the processor's own timer is
//! the only one, with ticks of up to 50 ns. Must never know: the checks.

use taktos_kernel::Duration;

/// The longest time of a switch at the end of a slice, at one instruction a nanosecond, with the
/// time until a thread reads the clock. The timer's interrupt finds what is due, the kernel selects
/// the thread for the next slice, and the timer is set to the slice's end.
pub const SWITCH: Duration = Duration::from_nanos(2_000);
/// The longest time by which a slice may end late: the timer is not set to less than 32 ticks.
pub const LATE: Duration = Duration::from_nanos(1_600);
