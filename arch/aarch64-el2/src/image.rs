//! Owns: the limits of the image's parts. Must never know: what may be done with them.

use core::ops::Range;

unsafe extern "C" {
    // By the start-up code's linker script.
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
}

/// The addresses of code.
pub(crate) fn code() -> Range<usize> {
    (&raw const text_begin).addr()..(&raw const text_end).addr()
}

/// The addresses of constants.
pub(crate) fn constants() -> Range<usize> {
    (&raw const rodata_begin).addr()..(&raw const rodata_end).addr()
}
