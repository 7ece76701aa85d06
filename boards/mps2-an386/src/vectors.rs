//! Owns: the vectors of the kernel and of the clock.

use crate::Board;
use crate::clock;
use taktos_kernel::Upcall;

taktos_arch_cortex_m::exceptions!(Upcall<Board>);

/// The interrupt of the clock: see [`clock::INTERRUPT_NUMBER`].
#[unsafe(no_mangle)]
extern "C" fn taktos_interrupt_10() {
    const { assert!(clock::INTERRUPT_NUMBER == 10) };
    // SAFETY: only the table of vectors calls this, for that interrupt.
    unsafe { clock::interrupt() };
}
