//! Owns: accesses to memory of all kinds, at any address, by one instruction each. After an
//! exception, the program continues after the instruction. Must never know: the contents of the
//! memory.

use core::arch::asm;

/// Executes instructions on the address in `$address`; x9 to x11 may be anything.
macro_rules! on {
    ($address:expr, $($instruction:literal),+) => {{
        let address: u64 = $address;
        // SAFETY: the program expects its accesses to fail; places that it needs itself are not
        // among those that attacks write to.
        unsafe {
            asm!(
                ".arch_extension fp",
                ".arch_extension simd",
                ".arch_extension lse",
                $($instruction),+,
                a = inout(reg) address => _,
                out("x9") _, out("x10") _, out("x11") _,
                options(nostack)
            )
        };
    }};
}

/// Stores a word.
pub fn write_word(address: u64, value: u32) {
    write(address, 4, value.into());
}

/// Loads a word. Returns zero if an exception came.
pub fn load_word(address: u64) -> u32 {
    let mut value = 0;
    // SAFETY: as for `on`.
    unsafe {
        asm!("ldr {v:w}, [{a}]", a = in(reg) address, v = inout(reg) value, options(nostack))
    };
    value
}

/// Loads `size` bytes: 1, 2, 4 or 8. The value is of no interest.
pub fn read(address: u64, size: u64) {
    match size {
        1 => on!(address, "ldrb w9, [{a}]"),
        2 => on!(address, "ldrh w9, [{a}]"),
        4 => on!(address, "ldr w9, [{a}]"),
        _ => on!(address, "ldr x9, [{a}]"),
    }
}

/// Stores `size` bytes: 1, 2, 4 or 8.
pub fn write(address: u64, size: u64, value: u64) {
    macro_rules! store {
        ($instruction:literal) => {
            // SAFETY: as for `on`.
            unsafe {
                asm!($instruction, a = in(reg) address, v = in(reg) value, options(nostack))
            }
        };
    }
    match size {
        1 => store!("strb {v:w}, [{a}]"),
        2 => store!("strh {v:w}, [{a}]"),
        4 => store!("str {v:w}, [{a}]"),
        _ => store!("str {v}, [{a}]"),
    }
}

/// Number of kinds of accesses for which the processor reports no more than that they failed.
pub const KINDS: u64 = 22;

/// Makes an access of kind `kind`: pairs, write-back, exclusive, ordered, atomic and vector
/// accesses, and maintenance.
pub fn oddly(address: u64, kind: u64) {
    match kind {
        0 => on!(address, "ldp x9, x10, [{a}]"),
        1 => on!(address, "stp xzr, xzr, [{a}]"),
        2 => on!(address, "ldr x9, [{a}], #8"),
        3 => on!(address, "str xzr, [{a}, #8]!"),
        4 => on!(address, "ldxr x9, [{a}]"),
        5 => on!(address, "ldxr x9, [{a}]", "stxr w10, xzr, [{a}]"),
        6 => on!(address, "ldar w9, [{a}]"),
        7 => on!(address, "stlr wzr, [{a}]"),
        8 => on!(address, "ldr q0, [{a}]"),
        9 => on!(address, "stp q0, q1, [{a}]"),
        10 => on!(address, "ld1 {{v0.16b, v1.16b}}, [{a}]"),
        11 => on!(address, "st1 {{v0.b}}[3], [{a}]"),
        12 => on!(address, "dc zva, {a}"),
        13 => on!(address, "dc civac, {a}"),
        14 => on!(address, "dc ivac, {a}"),
        15 => on!(address, "ic ivau, {a}"),
        16 => on!(address, "prfm pldl1keep, [{a}]"),
        17 => on!(address, "ldadd x9, x10, [{a}]"),
        18 => on!(address, "ldpsw x9, x10, [{a}]"),
        19 => on!(address, "ldtr x9, [{a}]"),
        20 => on!(address, "ldrsb x9, [{a}], #1"),
        _ => on!(address, "ldaxp x9, x10, [{a}]", "stlxp w11, x9, x10, [{a}]"),
    }
}

/// Jumps to `address`. Control comes back by a return, or by an exception.
pub fn jump(address: u64) {
    // SAFETY: acts as a call of a function: nothing is executed there, since the exception's
    // handler returns to here, or only a return is executed.
    unsafe { asm!("blr {}", in(reg) address, clobber_abi("C")) };
}

/// Makes the processor translate `address`.
pub fn translate(address: u64) {
    on!(address, "at s1e1r, {a}", "at s1e1w, {a}", "at s1e0r, {a}");
}
