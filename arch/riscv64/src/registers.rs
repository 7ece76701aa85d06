//! Owns: sequences of loads and stores of registers that several paths have.
//! Must never know: the path.
//!
//! `$access` is `ld` or `sd`; `$at` is the offset from the stack pointer at which the first of the
//! registers is, which lie in the order that the names of the macros say, without a gap.

/// Accesses registers, by their numbers.
macro_rules! registers {
    ($access:literal, $at:literal, $numbers:literal) => {
        concat!(
            ".set .Ltaktos_at, ",
            $at,
            "\n.irp n, ",
            $numbers,
            "\n",
            $access,
            " x\\n, .Ltaktos_at(sp)
             .set .Ltaktos_at, .Ltaktos_at + 8
             .endr\n"
        )
    };
}

/// Accesses those that a call does not keep, but ra.
macro_rules! t0_to_a7 {
    ($access:literal, $at:literal) => {
        $crate::registers::registers!($access, $at, "5,6,7,28,29,30,31,10,11,12,13,14,15,16,17")
    };
}

/// Accesses those that a call keeps, but s0 and s1, which are in the frame of a caller.
macro_rules! s2_to_s11 {
    ($access:literal, $at:literal) => {
        $crate::registers::registers!($access, $at, "18,19,20,21,22,23,24,25,26,27")
    };
}

pub(crate) use {registers, s2_to_s11, t0_to_a7};
