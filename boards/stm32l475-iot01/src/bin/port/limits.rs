//! Owns: the values that the checks expect of a board with the processor's timer as its only one.

/// Number of interrupts of the board.
pub const INTERRUPTS: usize = 82;
/// The longest time of a switch at the end of a slice, at one instruction a nanosecond, with the
/// time until a thread reads the clock. The timer's interrupt finds what is due, the kernel selects
/// the thread for the next slice, and the timer is set to the slice's end.
pub const SWITCH: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(800);
/// The longest time by which a slice may end late: the timer is not set to less than 32 ticks.
pub const LATE: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(400);
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
pub const SLICES_ARE_COUNTED: bool = false;
