//! Owns: the change of VCPUs in a processor: which registers move, in which order.
//! Must never know: why it changes.
//!
//! Saved and loaded are all registers that a guest can reach and that the processor does not keep
//! for each (Arm ARM, D1; the registers that guests are trapped at are not among them: debug,
//! performance monitors, ACTLR_EL1). The general ones move at each exit and return (`vectors`).
//!
//! Order: the first stage's registers, a barrier, then the second stage, so that no walk mixes
//! them; the virtual timer is stopped first and started last. The return to the guest is the last
//! barrier.

use crate::vcpu::Vcpu;
use core::arch::naked_asm;
use core::mem::offset_of;

/// The system registers, in pairs, as they lie in `Vcpu::system`; `crate::vcpu` knows the places of
/// SCTLR_EL1 and ICC_SRE_EL1.
macro_rules! system_pairs {
    ($each:ident) => {
        concat!(
            $each!("0", "sp_el0", "sp_el1"),
            $each!("16", "elr_el1", "spsr_el1"),
            $each!("32", "sctlr_el1", "tcr_el1"),
            $each!("48", "ttbr0_el1", "ttbr1_el1"),
            $each!("64", "mair_el1", "amair_el1"),
            $each!("80", "contextidr_el1", "par_el1"),
            $each!("96", "vbar_el1", "cpacr_el1"),
            $each!("112", "esr_el1", "far_el1"),
            $each!("128", "afsr0_el1", "afsr1_el1"),
            $each!("144", "csselr_el1", "cntkctl_el1"),
            $each!("160", "tpidr_el0", "tpidrro_el0"),
            $each!("176", "tpidr_el1", "icc_sre_el1"),
        )
    };
}

macro_rules! save_pair {
    ($place:literal, $first:literal, $second:literal) => {
        concat!(
            "mrs x1, ",
            $first,
            "\n mrs x2, ",
            $second,
            "\n stp x1, x2, [x0, #{system} + ",
            $place,
            "]\n"
        )
    };
}

macro_rules! load_pair {
    ($place:literal, $first:literal, $second:literal) => {
        concat!(
            "ldp x1, x2, [x0, #{system} + ",
            $place,
            "]\n msr ",
            $first,
            ", x1\n msr ",
            $second,
            ", x2\n"
        )
    };
}

/// The floating-point registers, in pairs.
macro_rules! float_pairs {
    ($move:literal) => {
        concat!(
            $move,
            " q0, q1, [x0, #{float}]\n",
            $move,
            " q2, q3, [x0, #{float} + 32]\n",
            $move,
            " q4, q5, [x0, #{float} + 64]\n",
            $move,
            " q6, q7, [x0, #{float} + 96]\n",
            $move,
            " q8, q9, [x0, #{float} + 128]\n",
            $move,
            " q10, q11, [x0, #{float} + 160]\n",
            $move,
            " q12, q13, [x0, #{float} + 192]\n",
            $move,
            " q14, q15, [x0, #{float} + 224]\n",
            $move,
            " q16, q17, [x0, #{float} + 256]\n",
            $move,
            " q18, q19, [x0, #{float} + 288]\n",
            $move,
            " q20, q21, [x0, #{float} + 320]\n",
            $move,
            " q22, q23, [x0, #{float} + 352]\n",
            $move,
            " q24, q25, [x0, #{float} + 384]\n",
            $move,
            " q26, q27, [x0, #{float} + 416]\n",
            $move,
            " q28, q29, [x0, #{float} + 448]\n",
            $move,
            " q30, q31, [x0, #{float} + 480]\n",
        )
    };
}

/// Saves the VCPU that ran here. Stops its timer and its virtual interrupts: neither may wake this
/// processor.
#[unsafe(naked)]
pub(crate) extern "C" fn save(vcpu: &Vcpu) {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "mrs x1, cntv_ctl_el0",
        "mrs x2, cntv_cval_el0",
        "msr cntv_ctl_el0, xzr",
        "stp x1, x2, [x0, #{timer}]",
        system_pairs!(save_pair),
        float_pairs!("stp"),
        "mrs x1, fpcr",
        "mrs x2, fpsr",
        "stp x1, x2, [x0, #{float_control}]",
        "add x0, x0, #{lists}",
        "mrs x1, ich_lr0_el2",
        "mrs x2, ich_lr1_el2",
        "stp x1, x2, [x0]",
        "mrs x1, ich_lr2_el2",
        "mrs x2, ich_lr3_el2",
        "stp x1, x2, [x0, #16]",
        "mrs x1, ich_hcr_el2",
        "mrs x2, ich_vmcr_el2",
        "msr ich_hcr_el2, xzr",
        "stp x1, x2, [x0, #32]",
        "mrs x1, ich_ap0r0_el2",
        "mrs x2, ich_ap1r0_el2",
        "stp x1, x2, [x0, #48]",
        "ret",
        timer = const offset_of!(Vcpu, timer),
        system = const offset_of!(Vcpu, system),
        float = const offset_of!(Vcpu, float),
        float_control = const offset_of!(Vcpu, float_control),
        lists = const offset_of!(Vcpu, lists),
    )
}

/// Loads a VCPU, with its second stage (VTTBR_EL2) and its traps (HCR_EL2).
#[unsafe(naked)]
pub(crate) extern "C" fn load(vcpu: &Vcpu, stage: u64, traps: u64) {
    naked_asm!(
        ".arch_extension fp",
        ".arch_extension simd",
        "mov x3, x1",
        "mov x4, x2",
        system_pairs!(load_pair),
        "ldr x1, [x0, #{affinity}]",
        "msr vmpidr_el2, x1",
        "isb",
        "msr vttbr_el2, x3",
        "msr hcr_el2, x4",
        "isb",
        float_pairs!("ldp"),
        "ldp x1, x2, [x0, #{float_control}]",
        "msr fpcr, x1",
        "msr fpsr, x2",
        "add x3, x0, #{lists}",
        "ldp x1, x2, [x3, #48]",
        "msr ich_ap0r0_el2, x1",
        "msr ich_ap1r0_el2, x2",
        "ldp x1, x2, [x3]",
        "msr ich_lr0_el2, x1",
        "msr ich_lr1_el2, x2",
        "ldp x1, x2, [x3, #16]",
        "msr ich_lr2_el2, x1",
        "msr ich_lr3_el2, x2",
        "ldp x1, x2, [x3, #32]",
        "msr ich_vmcr_el2, x2",
        "msr ich_hcr_el2, x1",
        "ldp x1, x2, [x0, #{timer}]",
        "msr cntv_cval_el0, x2",
        "msr cntv_ctl_el0, x1",
        "ret",
        timer = const offset_of!(Vcpu, timer),
        system = const offset_of!(Vcpu, system),
        affinity = const offset_of!(Vcpu, affinity),
        float = const offset_of!(Vcpu, float),
        float_control = const offset_of!(Vcpu, float_control),
        lists = const offset_of!(Vcpu, lists),
    )
}

// The paths take what follows the list registers for granted.
const _: () = assert!(offset_of!(Vcpu, interface) == offset_of!(Vcpu, lists) + 32);
const _: () = assert!(offset_of!(Vcpu, active) == offset_of!(Vcpu, lists) + 48);
// Pairs of 16 bytes reach so far.
const _: () =
    assert!(offset_of!(Vcpu, float).is_multiple_of(16) && offset_of!(Vcpu, float) + 480 <= 1008);
