//! Owns: the machine of a board with ARMv7-A. Must never know: the board.

#[doc(hidden)]
pub use {aarch32_rt as rt, taktos_arch_armv7_a as arch};

/// The machine of a board.
pub type MachineOf<P> = arch::ArmV7A<P>;
