//! Owns: code with a cost that distinguishes a count of cycles from one of instructions.
//! Must never know: how cycles are counted.

/// Defines that code, `loads`: `$load` is the processor's load to `{at}` from where that says.
#[doc(hidden)]
#[macro_export]
macro_rules! define_loads {
    ($load:literal) => {
        /// 256 loads, each from where the one before it says.
        pub fn loads() {
            let cell = ::core::cell::Cell::new(0);
            cell.set(cell.as_ptr().addr());
            // SAFETY: the word holds its own address, so each load reads it.
            unsafe {
                ::core::arch::asm!(
                    ".rept 256",
                    $load,
                    ".endr",
                    at = inout(reg) cell.as_ptr() => _,
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}
