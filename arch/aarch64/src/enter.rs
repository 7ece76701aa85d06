//! Owns: the way down to EL1, for boards with images that begin above it: at EL2 after a boot
//! loader, at EL3 in an emulator. Must never know: the code that begins at EL1.
//!
//! At EL3 it takes the place of a firmware that has nothing to protect: an interrupt controller
//! with two states of security must have been set up by a real one. Registers: Arm ARM (DDI 0487),
//! chapter D24.

/// Defines the image's entry, `taktos_enter`, which continues at EL1 with `entry`. Processors that
/// come here and are not number 0 wait: with the feature `smp` until they are started, otherwise
/// for ever. Used once, in a board crate that has a linker script with `ENTRY(taktos_enter)` and
/// the section `.taktos.enter` at its beginning.
#[macro_export]
macro_rules! enter {
    () => {
        core::arch::global_asm!(
            ".section .taktos.enter, \"ax\"",
            ".global taktos_enter",
            "taktos_enter:",
            "msr daifset, #15",
            "mrs x4, currentel",
            "cmp x4, #3 << 2",
            "b.ne 2f",
            // EL3: below it all is non-secure, of 64 bits, and may call a hypervisor; nothing is
            // trapped.
            "mov x4, #0x531",
            "msr scr_el3, x4",
            "msr cptr_el3, xzr",
            // The controller's registers at EL3 and below, where it has any.
            "mrs x4, id_aa64pfr0_el1",
            "tst x4, #0xf << 24",
            "b.eq 1f",
            "mov x4, #9",
            "msr s3_6_c12_c12_5, x4",
            "isb",
            // On to EL2, masked, on its own stack pointer; where there is none, to EL1.
            "1: mrs x5, id_aa64pfr0_el1",
            "mov x4, #0x3c9",
            "tst x5, #0xf00",
            "mov x5, #0x3c5",
            "csel x4, x5, x4, eq",
            "msr spsr_el3, x4",
            "adr x4, 2f",
            "msr elr_el3, x4",
            "eret",
            "2: mrs x4, currentel",
            "cmp x4, #2 << 2",
            "b.ne 4f",
            // EL2: EL1 is of 64 bits; it has the timers and the floating-point unit, and the
            // processor's real names.
            "mov x4, #1 << 31",
            "msr hcr_el2, x4",
            "mov x4, #3",
            "msr cnthctl_el2, x4",
            "msr cntvoff_el2, xzr",
            "mov x4, #0x33ff",
            "msr cptr_el2, x4",
            "msr hstr_el2, xzr",
            "mrs x4, midr_el1",
            "msr vpidr_el2, x4",
            "mrs x4, mpidr_el1",
            "msr vmpidr_el2, x4",
            "mrs x4, id_aa64pfr0_el1",
            "tst x4, #0xf << 24",
            "b.eq 3f",
            "mov x4, #9",
            "msr s3_4_c12_c9_5, x4",
            "isb",
            // EL1 begins without a map and without caches.
            "3: movz x4, #0x30d0, lsl #16",
            "movk x4, #0x0800",
            "msr sctlr_el1, x4",
            "mov x4, #0x3c5",
            "msr spsr_el2, x4",
            "adr x4, 4f",
            "msr elr_el2, x4",
            "eret",
            "4: mrs x4, mpidr_el1",
            "tst x4, #0xff",
            "b.eq entry",
            $crate::not_the_first!(),
        );
    };
}
