//! Owns: the values that the checks expect of this board. Its time is the processor's own timer,
//! with ticks of up to 50 ns.

/// Number of interrupts of the board.
pub const INTERRUPTS: usize = 240;
/// The longest time of a switch at the end of a slice, at one instruction a nanosecond, with the
/// time until a thread reads the clock. The timer's interrupt finds what is due, and sets what is
/// next.
pub const SWITCH: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(2_000);
/// The longest time by which a slice may end late: the timer is not set to less than 32 ticks.
pub const LATE: taktos_kernel::Duration = taktos_kernel::Duration::from_nanos(1_600);
/// Whether `SysTick` measures slices alone, and its value is what is left of one.
pub const SLICES_ARE_COUNTED: bool = false;
