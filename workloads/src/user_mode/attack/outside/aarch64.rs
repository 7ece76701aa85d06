//! Owns: attacks on everything outside a partition, in instructions of AArch64. Must never know: a
//! board, but by its places.

pub(crate) use super::paged::{FLOAT, FRAMES_ON_STACK};
use super::paged::{NOWHERE, UPPER, attacks, code, constant, jumps};
use super::{Attacks, behind, ignored, kernel, look, looks, own, writes};
use crate::user_mode::attack::ExpectedFault::{Fault, FaultAt};
use crate::user_mode::attack::{Attack, AttackBoard};
use crate::{give_back, keep};
use core::arch::{asm, naked_asm};
use taktos_abi::call::Number;
use taktos_machine::Cause::{Arithmetic, DataAccess, InstructionAccess, UndefinedInstruction};

/// An attack that is an instruction without operands, or one that names x9 alone, and that is none
/// at EL0.
macro_rules! forbidden {
    ($name:literal, $instruction:literal) => {
        (
            $name,
            || {
                // SAFETY: faults.
                unsafe { asm!($instruction, out("x9") _) };
            },
            Fault(UndefinedInstruction),
        )
    };
}

/// Function that reads the processor's map while the caller runs, if threads with privilege have a
/// map of their own.
pub const MAP: Option<fn() -> usize> = Some(map);

impl<S: AttackBoard> Attacks<S> {
    /// All of them.
    pub const ALL: &'static [Attack] = attacks![
        writes!("write the interrupt controller", S::SYSTEM),
        jumps!("jump to an odd address", code() + 2),
        forbidden!("execute nothing", "udf #0"),
        forbidden!("call a debugger", "brk #0"),
        forbidden!("call a hypervisor", "hvc #0"),
        forbidden!("call the monitor", "smc #0"),
        forbidden!("return as handlers do", "eret"),
        forbidden!("mask interrupts", "msr daifset, #15"),
        forbidden!("unmask interrupts", "msr daifclr, #15"),
        forbidden!("take the handlers' stack", "msr spsel, #1"),
        forbidden!("switch the protection off", "msr sctlr_el1, x9"),
        forbidden!("take another map", "msr ttbr0_el1, x9"),
        forbidden!("move the vectors", "msr vbar_el1, x9"),
        forbidden!("read who runs", "mrs x9, tpidr_el1"),
        forbidden!("write the word that is read only", "msr tpidrro_el0, x9"),
        forbidden!("say where to return", "msr elr_el1, x9"),
        forbidden!("let the unit through", "msr cpacr_el1, x9"),
        forbidden!("send an interrupt", "msr icc_sgi1r_el1, x9"),
        forbidden!("end an interrupt", "msr icc_eoir1_el1, x9"),
        forbidden!("read the time", "mrs x9, cntvct_el0"),
        forbidden!("set the alarm", "msr cntp_cval_el0, x9"),
        forbidden!("count cycles", "mrs x9, pmccntr_el0"),
        forbidden!("talk to a debugger", "mrs x9, mdccsr_el0"),
        forbidden!("forget translations", "tlbi vmalle1"),
        forbidden!("forget instructions", "ic iallu"),
        forbidden!("clean a cache", "dc civac, x9"),
        // fmov s0, wzr
        forbidden!("use the floating-point unit", ".inst 0x1E2703E0"),
        ("load two words from between", unaligned, Fault(Arithmetic)),
        ignored("wait for interrupts", wait),
    ];
}

fn write(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("str xzr, [{}]", in(reg) place) };
}

fn jump(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("br {}", in(reg) place, options(noreturn)) }
}

fn unaligned() {
    // SAFETY: faults.
    unsafe { asm!("ldxr {0}, [{0}]", inout(reg) own() + 1026 => _) };
}

/// Stores below `place` by the stack pointer.
fn push_on(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("mov sp, {}", "stp x0, x1, [sp, #-16]!", in(reg) place, options(noreturn)) }
}

/// Goes round with the stack pointer at `place`, while interrupts come.
fn spin_on(place: usize) {
    // SAFETY: never returns.
    unsafe { asm!("mov sp, {}", "2:", "b 2b", in(reg) place, options(noreturn)) }
}

fn wait() {
    // SAFETY: a hint, to which the processor need not listen.
    unsafe { asm!("wfi", "wfe", options(nomem, nostack, preserves_flags)) };
}

/// Goes down until the stack has no more room.
pub fn overflow() {
    // SAFETY: faults.
    unsafe { asm!("2:", "stp x0, x1, [sp, #-16]!", "b 2b", options(noreturn)) }
}

/// The tables and the address space.
fn map() -> usize {
    let map;
    // SAFETY: reads a register, with privilege.
    unsafe { asm!("mrs {}, ttbr0_el1", out(reg) map, options(nomem, nostack, preserves_flags)) };
    map
}

/// Sends with the secret in all registers that have nothing else to carry.
#[unsafe(naked)]
pub extern "C" fn send_with_secret(thread: usize, secret: usize) {
    naked_asm!(
        keep!(),
        ".irp n, 4,5,6,7,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
        "mov x\\n, x1",
        ".endr",
        "msr tpidr_el0, x1",
        "mov x1, xzr",
        "mov x3, xzr",
        "mvn x2, xzr",
        "mov x8, #{send}",
        "svc #0",
        give_back!(),
        send = const Number::Send as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn receive_and_look(secret: usize, timeout: usize) -> usize {
    naked_asm!(
        keep!(),
        "mov x19, x0",
        "mov x29, xzr",
        "mov x2, x1",
        "mov x8, #{receive}",
        "svc #0",
        "lsl x0, x0, #1",
        ".irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,20,21,22,23,24,25,26,27,28,29,30",
        "cmp x\\n, x19",
        "b.eq 9f",
        ".endr",
        "mrs x9, tpidr_el0",
        "cmp x9, x19",
        "b.eq 9f",
        "b 8f",
        "9:",
        "orr x0, x0, #1",
        "8:",
        give_back!(),
        receive = const Number::Receive as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn keep_registers(seed: usize, rounds: usize, _float: bool) -> usize {
    naked_asm!(
        keep!(),
        "mov x3, x0",
        ".irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
        "add x\\n, x3, #\\n",
        ".endr",
        "msr tpidr_el0, x3",
        "2:",
        ".irp n, 4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30",
        "sub x0, x\\n, #\\n",
        "cmp x0, x3",
        "b.ne 9f",
        ".endr",
        "mrs x0, tpidr_el0",
        "cmp x0, x3",
        "b.ne 9f",
        "subs x1, x1, #1",
        "b.ne 2b",
        "mov x0, #1",
        "b 8f",
        "9:",
        "mov x0, xzr",
        "8:",
        give_back!(),
    )
}
