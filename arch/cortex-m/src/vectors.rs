//! Owns: how the table of interrupts finds handlers: by symbols with their numbers, of the board or
//! of the program. Must never know: which interrupts a board has.

/// Defines the board's table of `$count` interrupts, as the start-up code places it after the
/// exceptions. The handler of the interrupt 7 is whatever defines `taktos_interrupt_7`: the board,
/// or the program by [`vector!`](crate::vector). The linker's script gives undefined handlers the
/// default handler. Used once, in a board crate.
#[macro_export]
macro_rules! vectors {
    ($count:expr) => {
        ::core::arch::global_asm!(
            ".pushsection .vector_table.interrupts, \"a\", %progbits",
            ".globl __INTERRUPTS",
            ".type __INTERRUPTS, %object",
            "__INTERRUPTS:",
            ".altmacro",
            ".macro taktos_vector number",
            ".word taktos_interrupt_\\number",
            ".endm",
            ".set taktos_vector_number, 0",
            ".rept {count}",
            "taktos_vector %taktos_vector_number",
            ".set taktos_vector_number, taktos_vector_number + 1",
            ".endr",
            ".noaltmacro",
            ".purgem taktos_vector",
            ".size __INTERRUPTS, 4 * {count}",
            ".popsection",
            count = const $count,
        );
    };
}

/// Makes `$handler`, a function of the C convention without arguments, that of the interrupt
/// `$number`, which may be any constant.
#[macro_export]
macro_rules! vector {
    ($number:expr, $handler:path) => {
        ::core::arch::global_asm!(
            ".pushsection .text.taktos_interrupt_{number}, \"ax\", %progbits",
            ".globl taktos_interrupt_{number}",
            ".type taktos_interrupt_{number}, %function",
            ".thumb_func",
            "taktos_interrupt_{number}:",
            $crate::to_handler!(),
            ".size taktos_interrupt_{number}, . - taktos_interrupt_{number}",
            ".popsection",
            number = const $number,
            handler = sym $handler,
        );
    };
}

/// Lines that lead on to the operand `handler`.
#[cfg(not(armv6m))]
#[doc(hidden)]
#[macro_export]
macro_rules! to_handler {
    () => {
        "b {handler}"
    };
}

/// Lines that lead on to the operand `handler`, which a branch does not reach: r0 is what the
/// processor has saved.
#[cfg(armv6m)]
#[doc(hidden)]
#[macro_export]
macro_rules! to_handler {
    () => {
        "ldr r0, 2f\n bx r0\n .p2align 2\n 2: .word {handler}"
    };
}
