//! Owns: labels for the laboratory. Must never know: the readers of the labels, and their purpose.

/// A place in the code that the laboratory is to notice: a symbol, and no instruction. The
/// laboratory knows `taktos.mark.NAME.begin`, `taktos.mark.NAME.end` and `taktos.point.NAME`.
///
/// The compiler may lay code out twice; so each copy gets a number of its own, from a counter of
/// the assembler's, and the laboratory takes all numbers for one. The symbol is the object file's
/// own: a program that is not compiled as one unit has the same numbers in several. Elsewhere than
/// in an image it is nothing.
#[macro_export]
macro_rules! label {
    ($symbol:expr) => {
        // SAFETY: defines a symbol and no instruction.
        #[cfg(target_os = "none")]
        unsafe {
            ::core::arch::asm!(
                ".ifndef .Ltaktos_labels",
                ".set .Ltaktos_labels, 0",
                ".endif",
                ".set .Ltaktos_labels, .Ltaktos_labels + 1",
                ".altmacro",
                ".macro taktos_label number",
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
