//! Owns: labels at the ends of measured intervals. Must never know: who measures.
//!
//! A mark is a symbol of the image and no instruction: the laboratory watches its address. It stands
//! in a function that is not inlined.

/// The beginning of the interval `$name`.
macro_rules! begin {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.mark.", $name, ".begin"))
    };
}

/// The end of the interval `$name`.
macro_rules! end {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.mark.", $name, ".end"))
    };
}

/// A point that the laboratory is to notice.
macro_rules! point {
    ($name:literal) => {
        $crate::mark::label!(concat!("taktos.point.", $name))
    };
}

/// A global label. The compiler may lay code out twice; so each copy gets a number of its own, from a counter of
/// the assembler's, and the laboratory takes all numbers for one mark.
macro_rules! label {
    ($symbol:expr) => {
        // SAFETY: defines a symbol and no instruction.
        #[cfg(target_os = "none")]
        unsafe {
            core::arch::asm!(
                ".ifndef .Ltaktos_labels",
                ".set .Ltaktos_labels, 0",
                ".endif",
                ".set .Ltaktos_labels, .Ltaktos_labels + 1",
                ".altmacro",
                ".macro taktos_label number",
                concat!(".globl \"", $symbol, ".\\number\""),
                concat!("\"", $symbol, ".\\number\":"),
                ".endm",
                "taktos_label %.Ltaktos_labels",
                ".purgem taktos_label",
                ".noaltmacro",
                options(nostack, preserves_flags)
            );
        }
    };
}

pub(crate) use {begin, end, label, point};
