//! Owns: sequences of loads and stores of registers that several paths have.
//! Must never know: the path.
//!
//! `$access` is `ldp` or `stp`; `$at` is the place of the register 0: the address, a comma and the
//! beginning of a sum of an offset, as in "sp, #" or "sp, #32 + ".

/// Accesses pairs of registers, each by two numbers and an offset.
macro_rules! pairs {
    ($access:literal, $of:literal, $at:literal: $($n:literal $m:literal $offset:literal),*) => {
        concat!($($access, " ", $of, $n, ", ", $of, $m, ", [", $at, $offset, "]\n"),*)
    };
}

/// Accesses x2 to x17.
macro_rules! x2_to_x17 {
    ($access:literal, $at:literal) => {
        $crate::registers::pairs!($access, "x", $at:
            2 3 16, 4 5 32, 6 7 48, 8 9 64, 10 11 80, 12 13 96, 14 15 112, 16 17 128)
    };
}

/// Accesses x18 to x29, in the order of their numbers.
macro_rules! x18_to_x29 {
    ($access:literal, $at:literal) => {
        $crate::registers::pairs!($access, "x", $at:
            18 19 144, 20 21 160, 22 23 176, 24 25 192, 26 27 208, 28 29 224)
    };
}

/// Accesses x18 to x28 but x19, which is in the frame of a caller, as x29 is.
macro_rules! x18_to_x28 {
    ($access:literal, $at:literal) => {
        $crate::registers::pairs!($access, "x", $at:
            18 20 144, 21 22 160, 23 24 176, 25 26 192, 27 28 208)
    };
}

/// Accesses q0 to q31.
macro_rules! q0_to_q31 {
    ($access:literal, $at:literal) => {
        $crate::registers::pairs!($access, "q", $at:
            0 1 0, 2 3 32, 4 5 64, 6 7 96, 8 9 128, 10 11 160, 12 13 192, 14 15 224,
            16 17 256, 18 19 288, 20 21 320, 22 23 352, 24 25 384, 26 27 416, 28 29 448, 30 31 480)
    };
}

pub(crate) use {pairs, q0_to_q31, x2_to_x17, x18_to_x28, x18_to_x29};
