//! Owns: what the checks are to expect of a board whose only timer is the processor's own.

/// How many interrupts the board has.
pub const INTERRUPTS: usize = 82;
/// The most that a switch at the end of a slice takes, at one instruction a nanosecond, with the
/// time until a thread looks at the clock: the timer's interrupt finds out what is due, the kernel
/// says whose slice begins, and the timer is set to its end.
pub const SWITCH: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(800);
/// How much later than it is due a slice may end: the timer is not set to less than 32 ticks.
pub const LATE: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(400);
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
pub const SLICES_ARE_COUNTED: bool = false;
