//! Owns: attacks on places outside a partition, in instructions of a Cortex-M.
//! Must never know: a board, but by its places; Armv8-M, which has boards with attacks of their
//! own.

use super::{Attacks, Float, behind, kernel, look, looks, own, writes};
use crate::user_mode::attack::ExpectedFault::{Fault, FaultAt, FaultWith};
use crate::user_mode::attack::{Attack, AttackBoard};
use core::arch::{asm, naked_asm};
use core::ptr;
use taktos_abi::call::Number;
use taktos_machine::Cause::{
    Arithmetic, Bus, DataAccess, InstructionAccess, StackOverflow, UndefinedInstruction,
};
use taktos_machine::FAULT_REGISTERS;

/// An attack that executes a place, and faults there.
macro_rules! jumps {
    ($name:literal, $place:expr) => {
        (
            $name,
            || jump($place | 1),
            FaultAt(InstructionAccess, || $place),
        )
    };
}

/// One on a register that is the processor's alone.
macro_rules! shut {
    ($name:literal, $access:ident, $place:expr) => {
        ($name, || $access($place), FaultAt(Bus, || $place))
    };
}

/// One that has the processor store on a stack that is none of the thread's.
macro_rules! overflows {
    ($name:literal, $act:ident($stack:expr)) => {
        ($name, || $act($stack), Fault(StackOverflow))
    };
}

/// Whether a thread that waits has on its stack the state with which it resumes, so that it faults
/// if that is spoilt.
pub const FRAMES_ON_STACK: bool = true;
/// Function that reads the processor's map while the caller runs, if threads with privilege have a
/// map of their own.
pub const MAP: Option<fn() -> usize> = None;
/// How threads with floating-point values fault.
pub const FLOAT: Option<Float> = Some(Float {
    fault: numbered_with_values,
    are_right: are_numbers,
    finds: finds_value,
});

impl<S: AttackBoard> Attacks<S> {
    /// All of them.
    pub const ALL: &'static [Attack] = &[
        looks!("read the kernel's memory", kernel::<S>()),
        writes!("write the kernel's memory", kernel::<S>()),
        looks!("read behind the own memory", behind(), anywhere),
        writes!("write behind the own memory", behind(), anywhere),
        writes!("write before the own memory", own() - 4, anywhere),
        writes!("write code", code()),
        looks!("read null", 0),
        looks!("read the timer", S::SYSTEM),
        writes!("write the timer", S::SYSTEM),
        writes!("write a device that others have", S::CONSOLE),
        shut!("switch the protection off", write, PROTECTION),
        shut!("move the vectors", write, VECTORS),
        shut!("read the system's registers", look, VECTORS),
        shut!("mask an interrupt", write, MASKED),
        shut!("pend an interrupt", write, PENDED),
        shut!("trigger an interrupt", write, TRIGGER),
        (
            "execute the own memory",
            || jump(own() | 1),
            Fault(InstructionAccess),
        ),
        (
            "execute the kernel's memory",
            || jump(kernel::<S>() | 1),
            FaultAt(InstructionAccess, kernel::<S>),
        ),
        jumps!("execute a device", S::SYSTEM),
        ("jump to null", || jump(1), FaultAt(InstructionAccess, || 0)),
        (
            "return as handlers do",
            || jump(0xFFFF_FFFD),
            Fault(InstructionAccess),
        ),
        (
            "jump to an even address",
            || jump(code()),
            Fault(UndefinedInstruction),
        ),
        ("execute nothing", undefined, Fault(UndefinedInstruction)),
        ("call a debugger", breakpoint, Fault(UndefinedInstruction)),
        (
            "use the floating-point unit",
            float,
            Fault(UndefinedInstruction),
        ),
        ("load two words from between", unaligned, Fault(Arithmetic)),
        (
            "take privilege and all masks",
            || {
                take_privilege();
                look(kernel::<S>());
            },
            FaultAt(DataAccess, kernel::<S>),
        ),
        overflows!("call on the kernel's stack", call_on(kernel::<S>() + 512)),
        overflows!("call on a stack in code", call_on(code() & !7)),
        overflows!("call on a stack at null", call_on(32)),
        overflows!("call on a stack at the end of all", call_on(0xFFFF_FFF8)),
        overflows!("call on a stack before the own", call_on(own())),
        overflows!("call on a stack across the own end", call_on(behind() + 8)),
        overflows!("call on a stack in a device", call_on(S::SYSTEM + 0x80)),
        overflows!(
            "be interrupted on the kernel's stack",
            spin_on(kernel::<S>() + 512)
        ),
        overflows!("be interrupted before the own memory", spin_on(own())),
        ("overflow the stack", overflow, Fault(StackOverflow)),
        (
            "fault with a number in each register",
            || numbered(0),
            FaultWith(DataAccess, are_numbers),
        ),
        (
            "the same with a gap behind the frame",
            || numbered(4),
            FaultWith(DataAccess, are_numbers),
        ),
    ];
}

const PROTECTION: usize = 0xE000_ED94;
const VECTORS: usize = 0xE000_ED08;
const MASKED: usize = 0xE000_E180;
const PENDED: usize = 0xE000_E200;
const TRIGGER: usize = 0xE000_EF00;

/// Returns the address of code.
fn code() -> usize {
    undefined as fn() as usize & !3
}

fn write(place: usize) {
    // SAFETY: faults.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(place).write_volatile(0) };
}

/// Reads null with a number in each register, where it can be. The stack pointer, which is `gap`
/// below a multiple of eight, is in r12, too, and the instruction's address in r2. Does not come
/// back.
#[unsafe(naked)]
extern "C" fn numbered(gap: usize) {
    naked_asm!(
        "mov r1, sp",
        "bic r1, r1, #7",
        "subs r1, r0",
        "mov sp, r1",
        "mov r12, sp",
        "movs r0, #0",
        "adr r2, 2f",
        ".irp n, 1,3,4,5,6,7,8,9,10,11,14",
        "movw r\\n, #{number} + \\n",
        ".endr",
        ".balign 4",
        "2:",
        "ldr r0, [r0]",
        "b 2b",
        number = const NUMBER,
    )
}

const NUMBER: usize = 0x1230;
/// Bits of the unit's status that a thread may set as it likes: of rounding, of small numbers and
/// of those that are none.
const STATUS: u32 = 0xF << 22;

/// Numbers the registers, with `value` in each floating-point register and bits of the unit's
/// status set.
#[unsafe(naked)]
extern "C" fn numbered_with_values(value: usize, gap: usize) {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov s\\n, r0",
        ".endr",
        "mov r2, #{status}",
        "vmsr fpscr, r2",
        "mov r0, r1",
        "b {numbered}",
        status = const STATUS,
        numbered = sym numbered,
    )
}

#[unsafe(naked)]
extern "C" fn finds_value(value: usize) -> bool {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "movs r1, #0",
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31",
        "vmov r2, s\\n",
        "cmp r2, r0",
        "it eq",
        "moveq r1, #1",
        ".endr",
        "vmrs r2, fpscr",
        "tst r2, #{status}",
        "it ne",
        "movne r1, #1",
        "mov r0, r1",
        "bx lr",
        status = const STATUS,
    )
}

/// Whether these are the registers of [`numbered`].
fn are_numbers(registers: &[usize; FAULT_REGISTERS]) -> bool {
    const THUMB: usize = 1 << 24;
    let [null, _, place, .., stack_before, stack, _, pc, status] = *registers;
    let others = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14];
    others
        .iter()
        .all(|number| registers[*number] == NUMBER + number)
        && null == 0
        && stack == stack_before
        && pc == place
        && status & THUMB != 0
}

fn jump(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
}

fn undefined() {
    // SAFETY: faults.
    unsafe { asm!("udf #0") };
}

fn breakpoint() {
    // SAFETY: faults.
    unsafe { asm!("bkpt #0xAB") };
}

fn float() {
    // SAFETY: faults.
    unsafe { asm!(".fpu fpv4-sp-d16", "vmov s0, {}", in(reg) 0, options(nomem, nostack)) };
}

fn unaligned() {
    // SAFETY: faults.
    unsafe {
        asm!("ldrd {0}, {1}, [{2}]", out(reg) _, out(reg) _, in(reg) own() + 1026);
    }
}

/// Writes all registers that would change what the thread may do. The processor ignores it, so the
/// kernel's memory stays closed.
fn take_privilege() {
    // SAFETY: changes nothing.
    unsafe {
        asm!(
            "msr control, {zero}", "isb",
            "msr basepri, {ones}", "msr primask, {ones}", "msr faultmask, {ones}",
            "msr msp, {ones}", "cpsid i", "cpsid f",
            zero = in(reg) 0, ones = in(reg) 0xFF,
        );
    }
}

/// Gives a permit, but with the stack pointer at `place`.
fn call_on(place: usize) {
    // SAFETY: faults.
    unsafe {
        asm!(
            "mov sp, {place}",
            "movs r0, #0",
            "svc #1",
            "b .",
            place = in(reg) place,
            in("r12") Number::SemaphoreGive as usize,
            options(noreturn),
        );
    }
}

/// Goes round with the stack pointer at `place`, until an interrupt comes.
fn spin_on(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("mov sp, {}", "2:", "b 2b", in(reg) place, options(noreturn)) }
}

/// Goes down until the stack has no more room.
pub fn overflow() {
    // SAFETY: faults.
    unsafe { asm!("2:", "push {{r0-r7}}", "b 2b", options(noreturn)) }
}

/// Sends with the secret in all registers that have nothing else to carry.
#[unsafe(naked)]
pub extern "C" fn send_with_secret(thread: usize, secret: usize) {
    naked_asm!(
        "push {{r4-r11, lr}}",
        ".irp n, 4,6,7,8,9,10,11,14",
        "mov r\\n, r1",
        ".endr",
        "movs r1, #0",
        "movs r5, #0",
        "mvn r2, r1",
        "mvn r3, r1",
        "mov r12, #{send}",
        "svc #1",
        "pop {{r4-r11, pc}}",
        send = const Number::Send as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn receive_and_look(secret: usize, timeout: usize) -> usize {
    naked_asm!(
        "push {{r4-r11, lr}}",
        "mov r6, r0",
        "movs r7, #0",
        "mvn r0, r7",
        "mov r2, r1",
        "asrs r3, r1, #31",
        "mov lr, r7",
        "mov r12, #{receive}",
        "svc #1",
        ".irp n, 0,1,2,3,4,5,8,9,10,11,12,14",
        "cmp r\\n, r6",
        "it eq",
        "moveq r7, #1",
        ".endr",
        "orr r0, r7, r0, lsl #1",
        "pop {{r4-r11, pc}}",
        receive = const Number::Receive as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn keep_registers(seed: usize, rounds: usize, float: bool) -> usize {
    naked_asm!(
        ".fpu fpv4-sp-d16",
        "push {{r4-r11, lr}}",
        "mov r3, r0",
        "cbz r2, 1f",
        ".irp n, 0,15,16,31",
        "vmov s\\n, r3",
        ".endr",
        "1:",
        ".irp n, 4,5,6,7,8,9,10,11,12,14",
        "add r\\n, r3, #\\n",
        ".endr",
        "2:",
        ".irp n, 4,5,6,7,8,9,10,11,12,14",
        "sub r0, r\\n, #\\n",
        "cmp r0, r3",
        "bne 9f",
        ".endr",
        "cbz r2, 3f",
        ".irp n, 0,15,16,31",
        "vmov r0, s\\n",
        "cmp r0, r3",
        "bne 9f",
        ".endr",
        "3:",
        "subs r1, #1",
        "bne 2b",
        "movs r0, #1",
        "pop {{r4-r11, pc}}",
        "9:",
        "movs r0, #0",
        "pop {{r4-r11, pc}}",
    )
}
