//! Owns: what EL2 lets guests do: the registers that are the same for all of them.
//! Must never know: how a trapped access is answered.

use crate::fault::fail;
use aarch64_cpu::asm::barrier::{SY, isb};
use aarch64_cpu::registers::{
    CNTHCTL_EL2, CNTVOFF_EL2, CPTR_EL2, HCR_EL2, MDCR_EL2, MIDR_EL1, Readable, VTCR_EL2, Writeable,
};
use core::arch::asm;

/// Traps that every guest has (Arm ARM, HCR_EL2). Its second stage is on; interrupts and errors
/// come to EL2. SMC, ID registers, implementation-defined registers, ACTLR_EL1 and cache
/// maintenance by set and way are exits; so are the registers of later extensions, which no guest
/// is shown (limited ordering regions, error records: without effect in Armv8.0). Invalidations
/// become cleaning ones; maintenance and barriers reach all processors that its VCPUs may move to.
/// Walks of its tables may not read devices; EL1 is AArch64.
const GUEST: u64 = 1 // VM
    | 1 << 1 // SWIO
    | 1 << 2 // PTW
    | 1 << 3 // FMO
    | 1 << 4 // IMO
    | 1 << 5 // AMO
    | 1 << 9 // FB
    | 1 << 10 // BSU: inner shareable
    | 1 << 18 // TID3
    | 1 << 19 // TSC
    | 1 << 20 // TIDCP
    | 1 << 21 // TACR
    | 1 << 22 // TSW
    | 1 << 31 // RW
    | 1 << 35 // TLOR
    | 1 << 36; // TERR
/// WFI and WFE are exits, too.
const WAITS: u64 = 1 << 13 | 1 << 14;

/// HCR_EL2 for a guest.
#[inline(always)]
pub(crate) const fn traps(wait_trapped: bool) -> u64 {
    match wait_trapped {
        true => GUEST | WAITS,
        false => GUEST,
    }
}

/// MIDR_EL1 of the processors with all registers known to the hypervisor, without their revisions:
/// Arm's Cortex-A53 and Cortex-A57.
const KNOWN: [u64; 2] = [0x410F_D030, 0x410F_D070];
/// MIDR_EL1: the designer, the architecture and the part.
const MODEL: u64 = 0xFF0F_FFF0;

/// Looks whether the processor is one of [`KNOWN`]: another one may have registers that no trap
/// keeps guests from. If it is not, the machine ends.
fn check() {
    if !KNOWN.contains(&(MIDR_EL1.get() & MODEL)) {
        fail("the processor is neither a Cortex-A53 nor a Cortex-A57");
    }
}

/// Sets this processor's controls. Called once on each.
pub(crate) fn set() {
    check();
    HCR_EL2.set(traps(true));
    // Trace and activity monitors are trapped, floating point is not (its other bits are one).
    CPTR_EL2.set(0x33FF & !(1 << 10) | 1 << 20 | 1 << 30);
    // Debug registers and performance monitors are trapped, but for debug exceptions, which are
    // EL1's. Of what the register held nothing is kept but the number of monitors: at a reset
    // the others may be anything.
    let traps = MDCR_EL2::TDRA::SET
        + MDCR_EL2::TDOSA::SET
        + MDCR_EL2::TDA::SET
        + MDCR_EL2::TPM::SET
        + MDCR_EL2::TPMCR::SET
        + MDCR_EL2::HPMN.val(MDCR_EL2.read(MDCR_EL2::HPMN));
    // Profiling and trace filters, of later extensions, too: TPMS, TTRF.
    MDCR_EL2.set(traps.value | 1 << 14 | 1 << 19);
    // The counter may be read, the physical timer is trapped.
    CNTHCTL_EL2.set(1);
    CNTVOFF_EL2.set(0);
    // 4 GiB in pages of 4 KiB from level 1 on; walks are cached and shared; 40 bits of physical
    // address.
    VTCR_EL2.write(
        VTCR_EL2::T0SZ.val(32)
            + VTCR_EL2::SL0.val(1)
            + VTCR_EL2::IRGN0.val(1)
            + VTCR_EL2::ORGN0.val(1)
            + VTCR_EL2::SH0.val(3)
            + VTCR_EL2::TG0.val(0)
            + VTCR_EL2::PS.val(2),
    );
    // SAFETY: what guests read of the processor's model, and no trap of AArch32's system registers.
    unsafe {
        asm!(
            "msr vpidr_el2, {model}",
            "msr hstr_el2, xzr",
            model = in(reg) MIDR_EL1.get(),
            options(nostack, preserves_flags),
        );
    }
    isb(SY);
}
