//! Owns: the table of interrupts.

use crate::Board;
use crate::clock;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(Upcall<Board>);

/// How many interrupts can have handlers: 0 to 31 (AN386, table 3-4). Where each byte counts the table ends behind the last one that the
/// board itself uses.
pub const INTERRUPTS: u32 = match cfg!(feature = "brief-reports") {
    true => SPARE as u32 + 1,
    false => 32,
};

taktos_arch_cortex_m::vectors!(INTERRUPTS);

/// The interrupt of the clock: see [`clock::INTERRUPT_NUMBER`].
#[unsafe(no_mangle)]
extern "C" fn taktos_interrupt_10() {
    const { assert!(clock::INTERRUPT_NUMBER == 10) };
    // SAFETY: the table of vectors alone leads here, and by that interrupt.
    unsafe { clock::interrupt() };
}

/// The interrupt of the first simple timer (CMSDK TRM, section 4.2, at 0x4000_0000), which the board leaves to the program. By
/// `memory.x` its handler is `taktos_urgent_interrupt`, unless the program has another one.
pub(crate) const URGENT: u16 = 8;
/// An interrupt of the board that no device uses, for programs that pend it themselves: `taktos_spare_interrupt` in the same way.
pub(crate) const SPARE: u16 = 13;
