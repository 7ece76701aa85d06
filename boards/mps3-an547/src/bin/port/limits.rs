//! Owns: what the checks are to expect of this board, whose time is the processor's own timer, with ticks of 31 ns.

/// How many interrupts the board has.
pub const INTERRUPTS: usize = 96;
/// What a switch at the end of a slice takes at most, at one instruction a nanosecond, with the time until
/// a thread looks at the clock: the timer's interrupt finds out what is due, and sets what is next.
pub const SWITCH: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(1_500);
/// How much later than it is due a slice may end: the timer is not set to less than 32 ticks.
pub const LATE: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(1_000);
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
pub const SLICES_ARE_COUNTED: bool = false;
