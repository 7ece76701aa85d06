//! Owns: the machine of a board with a Cortex-M, and its interrupts that programs may pend.
//! Must never know: the board.

#[cfg(feature = "workloads")]
mod faults;
mod interrupts;
#[cfg(feature = "workloads")]
mod suite;

use taktos_arch_cortex_m::CortexM;

#[cfg(feature = "workloads")]
pub use faults::Faults;
#[cfg(all(feature = "workloads", target_has_atomic = "32"))]
pub use faults::FromAbove;
#[doc(hidden)]
pub use {cortex_m_rt as rt, taktos_arch_cortex_m as arch};

/// The machine of a board, by its clock.
pub type MachineOf<C> = CortexM<C>;
