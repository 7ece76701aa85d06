//! Owns: the table of interrupts of an STM32L4 or STM32F4.

use crate::Board;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(SystemTimer, Upcall<Board>);

/// How many interrupts the chips have: 0 to 81 (RM0351, table 58; RM0090, table 62).
pub const INTERRUPTS: u32 = 82;

#[cfg(not(feature = "pac"))]
taktos_arch_cortex_m::vectors!(INTERRUPTS);

/// The interrupt of the basic timer 7, which the board leaves to the program. By `memory.x` its handler is `taktos_urgent_interrupt`,
/// unless the program has another one.
#[cfg(not(feature = "pac"))]
pub(crate) const URGENT: u16 = 55;
/// That of a cryptographic unit that these chips lack (RM0351, table 58; RM0090, table 62), for programs that pend it themselves:
/// `taktos_spare_interrupt` in the same way.
#[cfg(not(feature = "pac"))]
pub(crate) const SPARE: u16 = 79;
