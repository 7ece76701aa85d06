//! Owns: the processor's counter, timers, mask, waits and calls. Must never know: their misuse.

use core::arch::asm;

/// Reads a system register by its name.
macro_rules! read {
    ($name:literal) => {{
        let value: u64;
        // SAFETY: reads a register; at worst the exception's handler continues after it.
        unsafe { core::arch::asm!(concat!("mrs {}, ", $name), out(reg) value, options(nomem, nostack)) };
        value
    }};
}

/// Writes a system register by its name, and waits until that has an effect.
macro_rules! write {
    ($name:literal, $value:expr) => {{
        let value: u64 = $value;
        // SAFETY: the program expects what it changes here; accesses to memory are not moved
        // across.
        unsafe { core::arch::asm!(concat!("msr ", $name, ", {}"), "isb", in(reg) value, options(nostack)) };
    }};
}

pub(crate) use {read, write};

/// The machine's counter.
pub fn counter() -> u64 {
    // SAFETY: waits until what comes before is done.
    unsafe { asm!("isb", options(nomem, nostack)) };
    read!("cntvct_el0")
}

pub fn ticks_of_millis(millis: u64) -> u64 {
    millis * (read!("cntfrq_el0") / 1_000)
}

/// Enabled, and neither masked nor anything else.
const ENABLED: u64 = 1;

/// Sets the virtual timer to `at`.
pub fn set_virtual_timer(at: u64) {
    write!("cntv_cval_el0", at);
    write!("cntv_ctl_el0", ENABLED);
}

/// Sets the physical timer to `at`.
pub fn set_physical_timer(at: u64) {
    write!("cntp_cval_el0", at);
    write!("cntp_ctl_el0", ENABLED);
}

pub fn stop_timers() {
    write!("cntv_ctl_el0", 0);
    write!("cntp_ctl_el0", 0);
}

/// Unmasks interrupts.
pub fn unmask() {
    // SAFETY: the vectors are there.
    unsafe { asm!("msr daifclr, #3", options(nostack)) };
}

/// Masks interrupts.
pub fn mask() {
    // SAFETY: no code waits for an interrupt.
    unsafe { asm!("msr daifset, #3", options(nostack)) };
}

pub fn wait_for_interrupt() {
    // SAFETY: waits.
    unsafe { asm!("dsb sy", "wfi", options(nostack)) };
}

pub fn wait_for_event() {
    // SAFETY: waits.
    unsafe { asm!("wfe", options(nostack)) };
}

/// Overwrites all vector registers.
pub fn scribble(word: u64) {
    // SAFETY: the compiler of this image uses none of them.
    unsafe {
        asm!(
            ".arch_extension fp",
            ".arch_extension simd",
            ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
            "dup v\\n\\().2d, {word}",
            ".endr",
            word = in(reg) word,
            options(nomem, nostack)
        )
    };
}

/// Receiver of calls.
#[derive(Clone, Copy)]
pub enum Conduit {
    Hypervisor,
    Firmware,
}

/// Makes a call by the SMC Calling Convention, with `arguments` in x0 to x7. Returns x0.
pub fn call(conduit: Conduit, arguments: [u64; 8]) -> u64 {
    let [mut x0, x1, x2, x3, x4, x5, x6, x7] = arguments;
    // SAFETY: whatever is done elsewhere, this program's memory stays as it is, unless the call
    // restarts the program; x8 to x17 may change by the convention's first version.
    unsafe {
        match conduit {
            Conduit::Hypervisor => asm!(
                "hvc #0",
                inout("x0") x0, inout("x1") x1 => _, inout("x2") x2 => _, inout("x3") x3 => _,
                inout("x4") x4 => _, inout("x5") x5 => _, inout("x6") x6 => _, inout("x7") x7 => _,
                clobber_abi("C"), options(nostack)
            ),
            Conduit::Firmware => asm!(
                "smc #0",
                inout("x0") x0, inout("x1") x1 => _, inout("x2") x2 => _, inout("x3") x3 => _,
                inout("x4") x4 => _, inout("x5") x5 => _, inout("x6") x6 => _, inout("x7") x7 => _,
                clobber_abi("C"), options(nostack)
            ),
        }
    }
    x0
}
