//! The critical sections of the crate [`critical_section`], which other crates use, with the
//! feature `critical-section` of this crate.
//!
//! Owns: the one section of the program. Must never know: the code that enters it.

#![expect(unsafe_code, reason = "the interface of another crate")]

use crate::System;
use crate::board::Board;
use taktos_machine::NestedSection;

static SECTION: NestedSection<<Board as System>::Machine> = NestedSection::new();

struct Section;

critical_section::set_impl!(Section);

// SAFETY: a section keeps out all code that may enter one: on one processor, all code that
// interrupts up to the kernel's level run.
unsafe impl critical_section::Impl for Section {
    unsafe fn acquire() -> critical_section::RawRestoreState {
        // It keeps no handler above the kernel's level out, so none may rely on it.
        crate::fault::refuse_from_above::<Board>();
        SECTION.acquire();
        Default::default()
    }

    unsafe fn release(_: critical_section::RawRestoreState) {
        // SAFETY: the crate `critical-section` releases what it acquired, innermost first.
        unsafe { SECTION.release(|| {}) };
    }
}
