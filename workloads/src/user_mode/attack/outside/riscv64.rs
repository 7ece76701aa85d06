//! Owns: attacks on everything outside a partition, in instructions of RISC-V. Must never know: a
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

/// An attack that is an instruction without operands, or one that names t0 alone, and that is none
/// in U-mode.
macro_rules! forbidden {
    ($name:literal, $instruction:literal) => {
        (
            $name,
            || {
                // SAFETY: faults.
                unsafe { asm!($instruction, out("t0") _) };
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
        looks!("read the page where traps lead", crossing()),
        jumps!("jump to where traps lead", crossing()),
        jumps!("jump to the way to user mode", way_out()),
        looks!("read what no map can have", NO_ADDRESS),
        writes!("write the interrupt controller", S::SYSTEM),
        writes!("write the timer", TIMER),
        forbidden!("execute nothing", "unimp"),
        forbidden!("call a debugger", "ebreak"),
        forbidden!(
            "call the emulator",
            ".option push
             .option norvc
             .balign 16
             slli x0, x0, 0x1f
             ebreak
             srai x0, x0, 7
             .option pop"
        ),
        forbidden!("return as handlers do", "sret"),
        forbidden!("return as the machine does", "mret"),
        forbidden!("wait for interrupts", "wfi"),
        forbidden!("mask interrupts", "csrci sstatus, 2"),
        forbidden!("unmask interrupts", "csrsi sstatus, 2"),
        forbidden!("take the handlers' stack", "csrrw t0, sscratch, t0"),
        forbidden!("take another map", "csrw satp, t0"),
        forbidden!("read which map there is", "csrr t0, satp"),
        forbidden!("move the vectors", "csrw stvec, t0"),
        forbidden!("say where to return", "csrw sepc, t0"),
        forbidden!("read what trapped last", "csrr t0, stval"),
        forbidden!("enable interrupts", "csrw sie, t0"),
        forbidden!("send an interrupt", "csrsi sip, 2"),
        forbidden!("set the alarm", "csrw 0x14d, t0"),
        forbidden!("let counters through", "csrw scounteren, t0"),
        forbidden!("read the machine's state", "csrr t0, mstatus"),
        forbidden!("lift the machine's protection", "csrw pmpcfg0, t0"),
        forbidden!("read the time", "rdtime t0"),
        forbidden!("count cycles", "rdcycle t0"),
        forbidden!("count instructions", "rdinstret t0"),
        forbidden!("forget translations", "sfence.vma"),
        // hlv.b t0, (t0): as data, for the board's processor has no such instruction.
        forbidden!("use a hypervisor's load", ".word 0x6002c2f3"),
        // fmv.d.x ft0, zero
        forbidden!("use the floating-point unit", ".insn 0xf2000053"),
        forbidden!("read the rounding", "csrr t0, fcsr"),
        ("reserve what lies between", unaligned, Fault(Arithmetic)),
        ignored("take the kernel's registers", || spin_with(kernel::<S>())),
    ];
}

/// Its address on all boards.
const TIMER: usize = 0x0200_4000;
const NO_ADDRESS: usize = 1 << 50;

unsafe extern "C" {
    /// The last instructions on the way to user mode.
    fn taktos_to_user();
}

/// The page of code that is the kernel's alone.
fn crossing() -> usize {
    way_out() & !0xFFF
}

fn way_out() -> usize {
    taktos_to_user as *const () as usize
}

fn write(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("sd zero, 0({})", in(reg) place) };
}

fn jump(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("jr {}", in(reg) place, options(noreturn)) }
}

fn unaligned() {
    // SAFETY: faults.
    unsafe { asm!("lr.d {0}, ({0})", inout(reg) own() + 1026 => _) };
}

/// Stores below `place` by the stack pointer.
fn push_on(place: usize) {
    // SAFETY: faults.
    unsafe {
        asm!("mv sp, {}", "addi sp, sp, -16", "sd a0, 0(sp)", in(reg) place, options(noreturn))
    }
}

/// Goes round with the stack pointer at `place`, while interrupts come.
fn spin_on(place: usize) {
    // SAFETY: never returns.
    unsafe { asm!("mv sp, {}", "2:", "j 2b", in(reg) place, options(noreturn)) }
}

/// Goes round with what the kernel reaches its own by, and calls it so.
fn spin_with(place: usize) {
    // SAFETY: never returns.
    unsafe {
        asm!(
            "mv gp, {place}",
            "mv tp, {place}",
            "mv sp, {place}",
            "2:",
            "li a7, {now}",
            "ecall",
            "j 2b",
            place = in(reg) place,
            now = const Number::Now as usize,
            options(noreturn),
        )
    }
}

/// Goes down until the stack has no more room.
pub fn overflow() {
    // SAFETY: faults.
    unsafe {
        asm!(
            "2:",
            "addi sp, sp, -16",
            "sd a0, 0(sp)",
            "j 2b",
            options(noreturn)
        )
    }
}

/// Keeps what a function keeps on the stack, and what is no function's.
macro_rules! enter {
    () => {
        concat!(
            keep!(),
            "
         addi sp, sp, -16
         sd gp, 0(sp)
         sd tp, 8(sp)"
        )
    };
}

/// Gives it back, and returns.
macro_rules! leave {
    () => {
        concat!(
            "ld gp, 0(sp)
         ld tp, 8(sp)
         addi sp, sp, 16
         ",
            give_back!()
        )
    };
}

/// The tables and the address space.
fn map() -> usize {
    let map;
    // SAFETY: reads a register, with privilege.
    unsafe { asm!("csrr {}, satp", out(reg) map, options(nomem, nostack, preserves_flags)) };
    map
}

/// Sends with the secret in all registers that have nothing else to carry.
#[unsafe(naked)]
pub extern "C" fn send_with_secret(thread: usize, secret: usize) {
    naked_asm!(
        enter!(),
        ".irp n, 1,3,4,5,6,7,8,9,14,15,16,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "mv x\\n, a1",
        ".endr",
        "li a1, 0",
        "li a3, 0",
        "li a2, -1",
        "li a7, {send}",
        "ecall",
        leave!(),
        send = const Number::Send as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn receive_and_look(secret: usize, timeout: usize) -> usize {
    naked_asm!(
        enter!(),
        "mv s0, a0",
        "li s1, 0",
        "li tp, 0",
        "mv a2, a1",
        "li a7, {receive}",
        "ecall",
        "slli a0, a0, 1",
        ".irp n, 1,3,4,5,6,7,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "beq x\\n, s0, 9f",
        ".endr",
        "j 8f",
        "9:",
        "ori a0, a0, 1",
        "8:",
        leave!(),
        receive = const Number::Receive as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn keep_registers(seed: usize, rounds: usize, _float: bool) -> usize {
    naked_asm!(
        enter!(),
        "mv a3, a0",
        ".irp n, 1,3,4,5,6,7,8,9,12,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "addi x\\n, a3, \\n",
        ".endr",
        "2:",
        ".irp n, 1,3,4,5,6,7,8,9,12,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "addi a0, x\\n, -\\n",
        "bne a0, a3, 9f",
        ".endr",
        "addi a1, a1, -1",
        "bnez a1, 2b",
        "li a0, 1",
        "j 8f",
        "9:",
        "li a0, 0",
        "8:",
        leave!(),
    )
}
