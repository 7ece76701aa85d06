//! Owns: the invariant that no reservation of `lr` outlives an interrupt. Must never know: the
//! thread that made it.
//!
//! A processor may keep it over a trap and over `sret` (RISC-V privileged ISA, "Trap-return
//! instructions"), and a store of its own need not end it. So a thread that was interrupted between
//! its `lr` and its `sc` could succeed over what a handler, or a thread in between, has stored to
//! that word; an `sc` before the thread resumes ends the reservation.

/// Ends it. The word at the stack pointer is stored again, from the register named, if anything is
/// stored.
macro_rules! end_reservation {
    ($register:literal) => {
        concat!(
            ".option push\n.option arch, +a\nsc.w zero, ",
            $register,
            ", (sp)\n.option pop"
        )
    };
}

pub(crate) use end_reservation;
