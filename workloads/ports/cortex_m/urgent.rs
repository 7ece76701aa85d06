//! Owns: how interrupts above the kernel's level come beside the others.

use super::check;
use super::interrupts::{PEND_SWITCH, barrier, control, set_control, will};
use crate::Board;
use crate::board::{interrupt, urgent_interrupt};
use crate::storm;
use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::System;
use taktos_machine::Machine;

static EXPECTED: AtomicU32 = AtomicU32::new(0);

const PEND_SLICE_END: u32 = 1 << 26;

/// The more urgent interrupt comes first, and in the middle of another; equals come one after the
/// other.
pub fn come_in_order() {
    let urgent = storm::count();
    EXPECTED.store(urgent + 1, Relaxed);
    will(|| {
        let before = storm::count();
        check(
            "the urgent one comes first",
            before == EXPECTED.load(Relaxed),
        );
        urgent_interrupt::pend();
        barrier();
        check("it nests in a handler", storm::count() == before + 1);
    });
    // SAFETY: ended below.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
    interrupt::pend();
    urgent_interrupt::pend();
    set_control(PEND_SLICE_END | PEND_SWITCH);
    barrier();
    check(
        "nothing comes while all is masked",
        storm::count() == urgent,
    );
    // SAFETY: ends the above.
    unsafe { asm!("cpsie i", "isb", options(nostack, preserves_flags)) };
    check("both came", storm::count() == urgent + 2);
    check(
        "and the others",
        control() & (PEND_SLICE_END | PEND_SWITCH) == 0,
    );
    Board::write("interrupts come in their order\n");
}

/// A section of the kernel does not keep them out.
pub fn are_never_masked() {
    let urgent = storm::count();
    <Board as System>::Machine::mask();
    urgent_interrupt::pend();
    barrier();
    check("the urgent one comes", storm::count() == urgent + 1);
    <Board as System>::Machine::unmask(());
    Board::write("urgent interrupts are not masked\n");
}
