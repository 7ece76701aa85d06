//! Owns: labels for the laboratory. Must never know: who looks at them, and what for.

/// A place in the code that the laboratory is to notice: a global symbol, and no instruction. The laboratory knows
/// `taktos.mark.NAME.begin`, `taktos.mark.NAME.end` and `taktos.point.NAME`.
///
/// The compiler may lay code out twice; so each copy gets a number of its own, from a counter of the assembler's, and the
/// laboratory takes all numbers for one. Used in images that are compiled as one unit. Elsewhere it is nothing.
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
