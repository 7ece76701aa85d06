//! Owns: the table of interrupts.

use crate::Board;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(SystemTimer, Upcall<Board>);

/// How many interrupts can have handlers: 0 to 95, the subsystem's 32 and those of the board's devices.
pub const INTERRUPTS: u32 = 96;

#[cfg(not(feature = "pac"))]
taktos_arch_cortex_m::vectors!(INTERRUPTS);

/// The interrupt of the subsystem's timer 0 (SSE-300, 101773), which the board leaves to the program. By `memory.x` its handler is
/// `taktos_urgent_interrupt`, unless the program has another one.
#[cfg(not(feature = "pac"))]
pub(crate) const URGENT: u16 = 3;
/// One that the subsystem reserves, for programs that pend it themselves: `taktos_spare_interrupt` in the same way.
#[cfg(not(feature = "pac"))]
pub(crate) const SPARE: u16 = 17;
