//! Owns: the meaning of fault registers, by the architectures' manuals. Must never know: the place
//! where a value was read.

/// The bits of the Cortex-M's configurable fault status (Armv7-M manual, B3.2.15; Armv8-M manual,
/// D1.2).
const CFSR: [(u32, &str); 20] = [
    (
        0,
        "IACCVIOL: an instruction was fetched where it may not be",
    ),
    (1, "DACCVIOL: a load or store where it may not be"),
    (
        3,
        "MUNSTKERR: registers could not be restored from the stack",
    ),
    (4, "MSTKERR: registers could not be stored on the stack"),
    (5, "MLSPERR: floating-point state could not be stored later"),
    (7, "MMARVALID: the address is known"),
    (8, "IBUSERR: bus error at a fetch"),
    (9, "PRECISERR: bus error of this load or store"),
    (10, "IMPRECISERR: bus error of an earlier store"),
    (11, "UNSTKERR: bus error while registers were restored"),
    (12, "STKERR: bus error while registers were stored"),
    (
        13,
        "LSPERR: bus error while floating-point state was stored later",
    ),
    (15, "BFARVALID: the bus's address is known"),
    (16, "UNDEFINSTR: undefined instruction"),
    (
        17,
        "INVSTATE: a jump to an address without the bit of T32, or a forbidden state",
    ),
    (18, "INVPC: a return that cannot be"),
    (19, "NOCP: a coprocessor or floating-point unit that is off"),
    (20, "STKOF: the stack pointer came below its limit"),
    (24, "UNALIGNED: unaligned access"),
    (25, "DIVBYZERO: division by zero"),
];

/// The causes of RISC-V (privileged architecture, `scause`).
const CAUSES: [&str; 16] = [
    "misaligned fetch",
    "fetch from where none may be",
    "illegal instruction",
    "breakpoint",
    "misaligned load",
    "load from where none may be",
    "misaligned store or atomic operation",
    "store to where none may be",
    "call from user mode",
    "call from supervisor mode",
    "reserved",
    "call from machine mode",
    "page fault at a fetch",
    "page fault at a load",
    "reserved",
    "page fault at a store or atomic operation",
];

/// Returns the meaning of a register's value, if it is a fault register.
pub(super) fn meaning(name: &str, value: u64) -> Option<String> {
    match name {
        "cfsr" => Some(configurable(value)),
        "esr" => Some(syndrome(value)),
        "ifsr" => Some(short(value, "fetch")),
        "dfsr" => Some(short(value, direction(value, 11))),
        "scause" | "mcause" => {
            let cause = usize::try_from(value).ok();
            let cause = cause.and_then(|cause| CAUSES.get(cause).copied());
            Some(cause.unwrap_or("of the platform").to_owned())
        }
        _ => None,
    }
}

fn configurable(value: u64) -> String {
    let set = CFSR.iter().filter(|(bit, _)| value >> bit & 1 == 1);
    let words: Vec<&str> = set.map(|(_, words)| *words).collect();
    match words.is_empty() {
        true => "no bit is set".to_owned(),
        false => words.join("; "),
    }
}

const fn direction(value: u64, bit: u32) -> &'static str {
    match value >> bit & 1 {
        0 => "load",
        _ => "store",
    }
}

/// The classes of exceptions of AArch64 (Arm ARM, `ESR_EL1.EC`).
fn syndrome(value: u64) -> String {
    let access = |what: &str| format!("{what}: {}", status(value));
    match value >> 26 & 0x3F {
        0x00 => "unknown reason, as of an undefined instruction".into(),
        0x01 => "a trapped WFI or WFE".into(),
        0x07 => "floating point that is trapped".into(),
        0x0D => "branch target".into(),
        0x0E => "illegal execution state".into(),
        0x15 => "supervisor call".into(),
        0x18 => "a trapped system register".into(),
        0x20 | 0x21 => access("fetch"),
        0x22 => "misaligned program counter".into(),
        0x24 | 0x25 => access(direction(value, 6)),
        0x26 => "misaligned stack pointer".into(),
        0x2C => "floating-point exception".into(),
        0x2F => "asynchronous error of the bus".into(),
        0x3C => "breakpoint instruction".into(),
        class => format!("exception class {class:#04x}"),
    }
}

/// The obstacle that an access met (`ESR_EL1.DFSC` and `IFSC`).
fn status(value: u64) -> String {
    let level = value & 0b11;
    match value & 0x3F {
        0x00..=0x03 => format!("address size, level {level}"),
        0x04..=0x07 => format!("nothing is mapped there, level {level}"),
        0x08..=0x0B => format!("access flag, level {level}"),
        0x0C..=0x0F => format!("forbidden there, level {level}"),
        0x10 => "bus error".into(),
        0x14..=0x17 => format!("bus error while the tables were read, level {level}"),
        0x21 => "misaligned".into(),
        status => format!("fault status {status:#04x}"),
    }
}

/// The obstacle in the short descriptors of the Cortex-A8 (Armv7-A manual, B3.13.3).
fn short(value: u64, what: &str) -> String {
    let met = match value >> 6 & 0x10 | value & 0xF {
        0x01 => "misaligned",
        0x05 | 0x07 => "nothing is mapped there",
        0x09 | 0x0B => "the domain is forbidden",
        0x0D | 0x0F => "forbidden there",
        0x08 => "bus error",
        0x0C | 0x0E => "bus error while the tables were read",
        0x16 => "asynchronous bus error",
        _ => "of another kind",
    };
    format!("{what}: {met}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_that_tell_a_fault_say_what_they_mean() {
        for (name, value, words) in [
            (
                "cfsr",
                0x92,
                "DACCVIOL: a load or store where it may not be; MSTKERR: registers could not be stored on the stack; MMARVALID: the address is known",
            ),
            ("cfsr", 0, "no bit is set"),
            (
                "cfsr",
                1 << 20,
                "STKOF: the stack pointer came below its limit",
            ),
            (
                "esr",
                0x9600_0047,
                "store: nothing is mapped there, level 3",
            ),
            ("esr", 0x9600_000F, "load: forbidden there, level 3"),
            ("esr", 0x8600_000F, "fetch: forbidden there, level 3"),
            (
                "esr",
                0x0200_0000,
                "unknown reason, as of an undefined instruction",
            ),
            ("esr", 0xF200_0000, "breakpoint instruction"),
            ("dfsr", 0x80F, "store: forbidden there"),
            ("dfsr", 0x007, "load: nothing is mapped there"),
            ("ifsr", 0x00D, "fetch: forbidden there"),
            ("scause", 15, "page fault at a store or atomic operation"),
            ("mcause", 2, "illegal instruction"),
            ("scause", 24, "of the platform"),
        ] {
            assert_eq!(
                meaning(name, value).as_deref(),
                Some(words),
                "{name} {value:#x}"
            );
        }
        assert_eq!(meaning("r0", 0), None);
    }
}
