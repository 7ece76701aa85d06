//! Owns: attacks on everything outside a partition, in instructions of ARMv7-A. Must never know: a
//! board, but by its places.

mod states;

pub(crate) use super::paged::{FLOAT, FRAMES_ON_STACK};
use super::paged::{NOWHERE, UPPER, attacks, code, constant, jumps};
use super::{Attacks, behind, ignored, kernel, look, looks, own, writes};
use crate::user_mode::attack::ExpectedFault::{Fault, FaultAt, FaultIn};
use crate::user_mode::attack::{Attack, AttackBoard};
use core::arch::{asm, naked_asm};
use states::{
    call_in_other_order, call_in_t32, spin_in_other_order, spin_in_t32, t32_undefined,
    taktos_attack_in_t32,
};
use taktos_abi::Error;
use taktos_abi::call::Number;
use taktos_machine::Cause::{Arithmetic, DataAccess, InstructionAccess, UndefinedInstruction};

/// An attack that is an instruction without operands, or one that names r4 alone, which leads to
/// the own memory; and that is none in user mode.
macro_rules! forbidden {
    ($name:literal, $instruction:literal) => {
        (
            $name,
            || {
                // SAFETY: faults.
                unsafe { asm!($instruction, inout("r4") own() + 1024 => _, out("r5") _) };
            },
            Fault(UndefinedInstruction),
        )
    };
}

/// One that reaches over a border of the own memory, r4 being `place`; and faults.
macro_rules! reaches {
    ($name:literal, $instruction:literal, $place:expr) => {
        (
            $name,
            || {
                // SAFETY: faults.
                unsafe {
                    asm!($instruction, inout("r4") $place => _, out("r5") _, out("r8") _, out("r9") _, out("r10") _);
                }
            },
            Fault(DataAccess),
        )
    };
}

/// Function that reads the processor's map while the caller runs, if threads with privilege have a
/// map of their own.
pub const MAP: Option<fn() -> usize> = Some(map);

impl<S: AttackBoard> Attacks<S> {
    /// All of them.
    pub const ALL: &'static [Attack] = attacks! {
        writes!("write the interrupt controller", S::SYSTEM),
        looks!("read the handlers' stack", HANDLERS - 8),
        writes!("write the handlers' stack", HANDLERS - 8),
        looks!("read the end of all", usize::MAX - 3),
        jumps!("execute the handlers' stack", HANDLERS - 8),
        forbidden!("execute nothing", "udf #0"),
        (
            "execute nothing in T32",
            || t32_undefined(),
            FaultIn(UndefinedInstruction, || {
                (&raw const taktos_attack_in_t32).addr()
            }),
        ),
        forbidden!("call a debugger", "bkpt #0"),
        forbidden!("call a hypervisor", ".inst 0xE1400070"),
        forbidden!("call the monitor", ".inst 0xE1600070"),
        forbidden!("return as handlers do", "movs pc, lr"),
        forbidden!("return by a frame", "rfeia r4"),
        forbidden!("return by a list of registers", "ldm r4, {{r5, pc}}^"),
        forbidden!(
            "store a return on supervisor mode's stack",
            "srsdb sp!, #19"
        ),
        forbidden!("store another mode's registers", "stm r4, {{sp, lr}}^"),
        forbidden!("load another mode's registers", "ldm r4, {{sp, lr}}^"),
        // mrs r4, sp_irq
        forbidden!("read another mode's stack pointer", ".inst 0xE1014300"),
        forbidden!("read a saved state", "mrs r4, spsr"),
        forbidden!("write a saved state", "msr spsr_fsxc, r4"),
        forbidden!("read what processor it is", "mrc p15, 0, r4, c0, c0, 0"),
        forbidden!("switch the protection off", "mcr p15, 0, r4, c1, c0, 0"),
        forbidden!("control the processor", "mcr p15, 0, r4, c1, c0, 1"),
        forbidden!("let the unit through", "mcr p15, 0, r4, c1, c0, 2"),
        forbidden!("take another map", "mcr p15, 0, r4, c2, c0, 0"),
        forbidden!("take another upper map", "mcr p15, 0, r4, c2, c0, 1"),
        forbidden!("divide the maps", "mcr p15, 0, r4, c2, c0, 2"),
        forbidden!("take a map of wide entries", "mcrr p15, 0, r4, r5, c2"),
        forbidden!("open all domains", "mcr p15, 0, r4, c3, c0, 0"),
        forbidden!("read the last fault", "mrc p15, 0, r4, c5, c0, 0"),
        forbidden!("read its address", "mrc p15, 0, r4, c6, c0, 0"),
        forbidden!("take another address space", "mcr p15, 0, r4, c13, c0, 1"),
        forbidden!("move all addresses", "mcr p15, 0, r4, c13, c0, 0"),
        forbidden!(
            "write the word that is read only",
            "mcr p15, 0, r4, c13, c0, 3"
        ),
        forbidden!("read the privileged word", "mrc p15, 0, r4, c13, c0, 4"),
        forbidden!("move the vectors", "mcr p15, 0, r4, c12, c0, 0"),
        forbidden!("read what is pending", "mrc p15, 0, r4, c12, c1, 0"),
        forbidden!("forget translations", "mcr p15, 0, r4, c8, c7, 0"),
        forbidden!("forget a translation", "mcr p15, 0, r4, c8, c7, 1"),
        forbidden!("forget instructions", "mcr p15, 0, r4, c7, c5, 0"),
        forbidden!("forget branches", "mcr p15, 0, r4, c7, c5, 6"),
        forbidden!("drop a line of a cache", "mcr p15, 0, r4, c7, c6, 1"),
        forbidden!("drop a set of a cache", "mcr p15, 0, r4, c7, c6, 2"),
        forbidden!("clean a line of a cache", "mcr p15, 0, r4, c7, c14, 1"),
        forbidden!("translate an address", "mcr p15, 0, r4, c7, c8, 0"),
        forbidden!("count cycles", "mrc p15, 0, r4, c9, c13, 0"),
        forbidden!("let user mode count", "mcr p15, 0, r4, c9, c14, 0"),
        forbidden!("write the word of ThumbEE", "mcr p14, 6, r4, c1, c0, 0"),
        forbidden!("open the word of ThumbEE", "mcr p14, 6, r4, c0, c0, 0"),
        forbidden!("control a debugger", "mcr p14, 0, r4, c0, c2, 2"),
        forbidden!("have a coprocessor work", ".inst 0xEE000000"),
        forbidden!("have a coprocessor load", ".inst 0xED940500"),
        // vmov s0, r4; vmrs r4, fpscr; vmsr fpexc, r4; vmov.i32 q0, #0; vldr d0, [r4]
        forbidden!("use the floating-point unit", ".inst 0xEE004A10"),
        forbidden!("read its state", ".inst 0xEEF14A10"),
        forbidden!("switch it on", ".inst 0xEEE84A10"),
        forbidden!("use its vectors", ".inst 0xF2800050"),
        forbidden!("have it load", ".inst 0xED940B00"),
        (
            "take privilege and all masks",
            || {
                take_privilege();
                look(kernel::<S>());
            },
            FaultAt(DataAccess, kernel::<S>),
        ),
        ignored("mask all interrupts and go round", mask_and_spin),
        ("load two words from between", unaligned, Fault(Arithmetic)),
        (
            "load a list from between",
            unaligned_list,
            Fault(Arithmetic),
        ),
        (
            "load exclusively from between",
            unaligned_exclusive,
            Fault(Arithmetic),
        ),
        reaches!("load a word across the end", "ldr r5, [r4]", behind() - 2),
        reaches!("store a word across the end", "str r4, [r4]", behind() - 2),
        reaches!(
            "store a word across the beginning",
            "str r4, [r4]",
            own() - 2
        ),
        reaches!(
            "load two words across the end",
            "ldrd r8, r9, [r4]",
            behind() - 4
        ),
        reaches!(
            "store two words across the end",
            "strd r8, r9, [r4]",
            behind() - 4
        ),
        reaches!(
            "load a list across the end",
            "ldm r4, {{r5, r8-r10}}",
            behind() - 8
        ),
        reaches!(
            "store a list across the end",
            "stm r4, {{r5, r8-r10}}",
            behind() - 8
        ),
        reaches!(
            "store a list across the beginning",
            "stmdb r4!, {{r5, r8-r10}}",
            own() + 8
        ),
        reaches!(
            "push across the beginning",
            "mov r5, sp
             mov sp, r4
             push {{r8-r10}}",
            own() + 8
        ),
        (
            "load from the kernel's memory without privilege",
            || {
                // SAFETY: faults.
                unsafe { asm!("ldrt {0}, [{0}]", inout(reg) kernel::<S>() => _) };
            },
            FaultAt(DataAccess, kernel::<S>),
        ),
        (
            "load exclusively from the kernel's memory",
            || {
                // SAFETY: faults.
                unsafe { asm!("ldrex {0}, [{0}]", inout(reg) kernel::<S>() => _) };
            },
            FaultAt(DataAccess, kernel::<S>),
        ),
        (
            "swap with the kernel's memory",
            || {
                // SAFETY: faults: swp r5, r5, [r4].
                unsafe { asm!(".inst 0xE1045095", inout("r4") kernel::<S>() => _, out("r5") _) };
            },
            FaultAt(DataAccess, kernel::<S>),
        ),
        ignored("keep an exclusive access over a call", keep_exclusive),
        ignored("find words of the kernel behind a call", look_behind_calls),
        ignored("ask the debugger to end all", end_all),
        ignored("call in the other order of bytes", call_in_other_order),
        ignored("be interrupted in the other order of bytes", spin_in_other_order),
        ignored("call in T32, under a condition", call_in_t32),
        ignored("be interrupted under a condition", spin_in_t32),
        ignored("call on the kernel's stack", || call_on(kernel::<S>() + 512)),
        ignored("call on the handlers' stack", || call_on(HANDLERS)),
        ignored("call on no stack", || call_on(1)),
        ignored("call on a stack at the end of all", || call_on(usize::MAX)),
        ignored("be interrupted on the handlers' stack", || spin_on(HANDLERS)),
        ignored("be interrupted between words", || spin_on(2)),
        ignored("wait for interrupts", wait),
    };
}

/// The end of the handlers' stack.
const HANDLERS: usize = 0xFFFF_0000;

fn write(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("str {0}, [{0}]", in(reg) place) };
}

fn jump(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("bx {}", in(reg) place, options(noreturn)) }
}

/// Faults where something is not as it must be, which is seen.
fn demand(holds: bool) {
    if !holds {
        // SAFETY: faults.
        unsafe { asm!("udf #1") };
    }
}

fn unaligned() {
    // SAFETY: faults.
    unsafe { asm!("ldrd r8, r9, [{}]", in(reg) own() + 1026, out("r8") _, out("r9") _) };
}

fn unaligned_list() {
    // SAFETY: faults.
    unsafe { asm!("ldm {}, {{r8, r9}}", in(reg) own() + 1025, out("r8") _, out("r9") _) };
}

fn unaligned_exclusive() {
    // SAFETY: faults.
    unsafe { asm!("ldrex {0}, [{0}]", inout(reg) own() + 1026 => _) };
}

/// Does all that would change what the thread may do. The processor ignores it, so the kernel's
/// memory stays closed.
fn take_privilege() {
    // SAFETY: changes nothing.
    unsafe {
        asm!(
            "cpsid aif",
            "cps #31",
            "cpsid aif, #19",
            "msr cpsr_fsxc, {system}",
            "msr cpsr_c, {supervisor}",
            system = in(reg) 0x1DF,
            supervisor = in(reg) 0xD3,
        );
    }
}

/// The processor ignores that, so interrupts come.
fn mask_and_spin() {
    // SAFETY: never returns.
    unsafe {
        asm!("cpsid aif", "msr cpsr_xc, {}", "2:", "b 2b", in(reg) 0x1D0, options(noreturn));
    }
}

/// Begins an exclusive access, has the partner run, and ends the access: that is not to be done, as
/// others may have written.
fn keep_exclusive() {
    let (failed, status): (usize, usize);
    // SAFETY: reads and writes the own memory, of which nothing is used there; two calls, over
    // which r10 stays. The handle of the partner is the third place of the table.
    unsafe {
        asm!(
            "ldrex r4, [r10]",
            "mov r0, #3",
            "mov r1, #0",
            "mov r12, #{start}",
            "svc #1",
            "mov r7, r0",
            "mov r12, #{yield_now}",
            "svc #1",
            "strex r0, r10, [r10]",
            in("r10") own() + 1024,
            out("r0") failed,
            out("r7") status,
            start = const Number::ThreadStart as usize,
            yield_now = const Number::YieldNow as usize,
            out("r1") _, out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _, out("r12") _,
        );
    }
    demand(status == 0 && failed == 1);
}

/// Makes a call without handle, with a time-out. Returns the bits that are set after it in the
/// registers that it destroys: in the lower half of those that carry no answer, in the upper half
/// of those that carry one where messages come.
#[unsafe(naked)]
extern "C" fn look_behind(number: usize, nanoseconds: u64) -> u64 {
    naked_asm!(
        "push {{r4-r12, lr}}",
        "mov r12, r0",
        "mvn r0, #0",
        "mov r1, #0",
        "mov r5, #0",
        "svc #1",
        "orr r0, r4, r5",
        "orr r0, r0, r8",
        "orr r0, r0, r9",
        "orr r0, r0, r12",
        "orr r1, r2, r3",
        "pop {{r4-r12, pc}}",
    )
}

fn look_behind_calls() {
    for number in [Number::YieldNow as usize, usize::MAX] {
        demand(look_behind(number, 30_000) == 0);
    }
    // Others have run meanwhile.
    demand(look_behind(Number::Sleep as usize, 30_000) as u32 == 0);
}

/// The instruction by which privileged code has the emulator end: here it is a call, of a number
/// that is none.
fn end_all() {
    let status: usize;
    // SAFETY: a call, which is refused.
    unsafe {
        asm!(
            "svc #0x123456",
            inout("r0") 0x18_usize => status,
            inout("r1") 0x2_0026_usize => _,
            inout("r12") usize::MAX => _,
            out("r2") _, out("r3") _, out("r4") _, out("r5") _, out("r8") _, out("r9") _,
        );
    }
    demand(status == Error::Parameter as usize);
}

/// Result of the call for sleep after it.
const SLEPT: usize = Error::Timeout as usize;
/// Stores below `place` by the stack pointer.
fn push_on(place: usize) {
    // SAFETY: faults.
    unsafe { asm!("mov sp, {}", "push {{r0-r3}}", in(reg) place, options(noreturn)) }
}

/// Sleeps with the stack pointer at `place`: no code uses it.
fn call_on(place: usize) {
    let (status, then): (usize, usize);
    // SAFETY: a call; the stack pointer is the thread's own again after it.
    unsafe {
        asm!(
            "mov r10, sp",
            "mov sp, r7",
            "svc #1",
            "mov r1, sp",
            "mov sp, r10",
            out("r0") status,
            out("r1") then,
            inout("r2") 30_000 => _,
            inout("r3") 0 => _,
            in("r7") place,
            inout("r12") Number::Sleep as usize => _,
            out("r10") _,
            out("r4") _, out("r5") _, out("r8") _, out("r9") _,
        );
    }
    demand(status == SLEPT && then == place);
}

/// Goes round with the stack pointer at `place`, while interrupts come.
fn spin_on(place: usize) {
    // SAFETY: never returns.
    unsafe { asm!("mov sp, {}", "2:", "b 2b", in(reg) place, options(noreturn)) }
}

fn wait() {
    // SAFETY: hints, to which the processor need not listen.
    unsafe { asm!("wfi", "wfe", options(nomem, nostack, preserves_flags)) };
}

/// Goes down until the stack has no more room.
pub fn overflow() {
    // SAFETY: faults.
    unsafe { asm!("2:", "push {{r0-r7}}", "b 2b", options(noreturn)) }
}

/// The tables, and the address space.
fn map() -> usize {
    let (tables, space): (usize, usize);
    // SAFETY: reads registers, with privilege.
    unsafe {
        asm!(
            "mrc p15, 0, {}, c2, c0, 0",
            "mrc p15, 0, {}, c13, c0, 1",
            out(reg) tables,
            out(reg) space,
            options(nomem, nostack, preserves_flags),
        );
    }
    tables | space
}

/// Sends with the secret in all registers that have nothing else to carry.
#[unsafe(naked)]
pub extern "C" fn send_with_secret(thread: usize, secret: usize) {
    naked_asm!(
        "push {{r4-r12, lr}}",
        ".irp n, 4,6,7,8,9,10,11,14",
        "mov r\\n, r1",
        ".endr",
        "mcr p15, 0, r1, c13, c0, 2",
        "mov r1, #0",
        "mov r5, #0",
        "mvn r2, r1",
        "mvn r3, r1",
        "mov r12, #{send}",
        "svc #1",
        "pop {{r4-r12, pc}}",
        send = const Number::Send as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn receive_and_look(secret: usize, timeout: usize) -> usize {
    naked_asm!(
        "push {{r4-r12, lr}}",
        "mov r6, r0",
        "mov r7, #0",
        "mvn r0, r7",
        "mov r2, r1",
        "asr r3, r1, #31",
        "mov lr, r7",
        "mov r12, #{receive}",
        "svc #1",
        ".irp n, 0,1,2,3,4,5,8,9,10,11,12,14",
        "cmp r\\n, r6",
        "moveq r7, #1",
        ".endr",
        "mrc p15, 0, r1, c13, c0, 2",
        "cmp r1, r6",
        "moveq r7, #1",
        "mrc p15, 0, r1, c13, c0, 3",
        "cmp r1, r6",
        "moveq r7, #1",
        "orr r0, r7, r0, lsl #1",
        "pop {{r4-r12, pc}}",
        receive = const Number::Receive as usize,
    )
}

#[unsafe(naked)]
pub extern "C" fn keep_registers(seed: usize, rounds: usize, _float: bool) -> usize {
    naked_asm!(
        "push {{r4-r12, lr}}",
        "mov r3, r0",
        ".irp n, 4,5,6,7,8,9,10,11,12,14",
        "add r\\n, r3, #\\n",
        ".endr",
        "mcr p15, 0, r3, c13, c0, 2",
        // Flags that nothing here changes: of saturation, and of the parts of words.
        "msr APSR_nzcvqg, r3",
        "2:",
        ".irp n, 4,5,6,7,8,9,10,11,12,14",
        "sub r0, r\\n, #\\n",
        "cmp r0, r3",
        "bne 9f",
        ".endr",
        "mrc p15, 0, r0, c13, c0, 2",
        "cmp r0, r3",
        "bne 9f",
        "mrs r0, apsr",
        "eor r0, r0, r3",
        "tst r0, #0xF0000",
        "tsteq r0, #0x8000000",
        "bne 9f",
        "subs r1, r1, #1",
        "bne 2b",
        "mov r0, #1",
        "pop {{r4-r12, pc}}",
        "9:",
        "mov r0, #0",
        "pop {{r4-r12, pc}}",
    )
}
