//! Owns: faults of threads of partitions: the thread ends in the handler, and another one resumes.
//! Must never know: what a partition does about it.

use super::entry::HANDLES;
#[cfg(armv8m)]
use super::regions::{FORBIDDEN_STORE, STATUS, make_way};
use super::resume::resume;
use super::state::{FLOAT_FRAME, Frame, PARTITION, SAVED, WITHOUT_FLOAT};
use crate::fault::collect;
use crate::guard::BELOW_LIMIT;
#[cfg(armv8m)]
use crate::guard::is_at_limit;
use core::arch::naked_asm;
use core::ptr;
use cortex_m::peripheral::SCB;
use taktos_arch_common::{TAKTOS_PROCESSOR, report_user_fault};
use taktos_machine::{Cause, Context, FAULT_REGISTERS};

/// The configurable fault status (Armv7-M manual, B3.2.15).
const CONFIGURABLE: u32 = 0xE000_ED28;
/// The faults' priority: above `SVCall`, since a call with a frame that could not be stored must be
/// noticed as a fault before it is carried out.
const PRIORITY: u8 = 0x40;

/// Gives the faults of memory, buses and usage their own handlers.
pub fn enable() {
    const PRIORITIES: usize = 0xE000_ED18;
    /// On Armv8-M the last is of secure states.
    const OWN_HANDLERS: u32 = if cfg!(armv8m) { 0b1111 } else { 0b111 } << 16;
    let priorities = u32::from_le_bytes([PRIORITY; 4]);
    // SAFETY: the exceptions are this port's own.
    unsafe {
        ptr::with_exposed_provenance_mut::<u32>(PRIORITIES).write_volatile(priorities);
        (*SCB::PTR).shcsr.modify(|bits| bits | OWN_HANDLERS);
    }
}

/// The offset in a partition of the fault that is not reported yet: a word that is 0 if there is
/// none, then the registers.
const UNTOLD: usize = HANDLES + 2 * size_of::<usize>();
const PLACE: usize = UNTOLD + size_of::<usize>();
/// From there on r4; and r12, with the four registers after it.
const R4: usize = 4 * size_of::<usize>();
const R12: usize = 12 * size_of::<usize>();

/// The handler of all faults, where threads of partitions come from. The registers go to the
/// partition's space for its supervisor, unless another fault waits there. First come r4 to r11,
/// which are not saved yet, then those of the frame, in the order of their numbers.
#[unsafe(naked)]
pub extern "C" fn taktos_isolated_fault<S>() {
    naked_asm!(
        // From a handler, or a thread with privilege?
        "tst lr, #8",
        "beq {of_privileged}",
        "mrs r0, control",
        "lsls r0, r0, #31",
        "bpl {of_privileged}",
        "ldr r3, =TAKTOS_PROCESSOR",
        "ldr r0, [r3]",
        "ldr r12, [r0, #{saved} + {partition}]",
        "ldr r2, ={status}",
        "ldr r0, [r12, #{untold}]",
        "ldr r1, [r2]",
        "mrs r2, psp",
        "cbnz r0, 2f",
        "add r0, r12, #{place} + {r4}",
        "stmia r0!, {{r4-r11}}",
        "ldr r4, ={unusual}",
        "tst r1, r4",
        "bne 3f",
        ".if {armv8m}",
        // Of the other security state?
        "eor r4, lr, lr, lsr #6",
        "lsls r4, r4, #31",
        "bmi 3f",
        ".endif",
        "ldmia r2!, {{r4-r8}}",
        "ldmia r2!, {{r10-r12}}",
        // Where the stack pointer was before the frame: floating-point state is located after that,
        // and a gap.
        "tst lr, #{without_float}",
        "it eq",
        "addeq r2, #{float_frame}",
        "tst r12, #{has_gap}",
        "it ne",
        "addne r2, #4",
        "mov r9, r2",
        "stmia r0, {{r8-r12}}",
        "sub r0, #{from_r12}",
        "stmdb r0, {{r4-r7}}",
        "mov r0, r11",
        "1:",
        "bl {end}",
        "mov r2, r0",
        "b {resume}",
        // It is not reported.
        "2:",
        "movs r0, #0",
        "b 1b",
        // There is no frame, or not where it seems to be.
        "3:",
        "sub r0, #{r12}",
        "mov r3, lr",
        "bl {end_unusual}",
        "mov r2, r0",
        "b {resume}",
        ".ltorg",
        of_privileged = sym of_privileged,
        saved = const SAVED,
        partition = const PARTITION,
        status = const CONFIGURABLE,
        untold = const UNTOLD,
        place = const PLACE,
        r4 = const R4,
        r12 = const R12,
        from_r12 = const R12 - R4,
        unusual = const FRAME | BELOW_LIMIT,
        armv8m = const cfg!(armv8m) as usize,
        without_float = const WITHOUT_FLOAT,
        float_frame = const FLOAT_FRAME,
        has_gap = const HAS_GAP,
        end = sym end_thread,
        end_unusual = sym end_unusual,
        resume = sym resume,
    )
}

#[cfg(not(armv8m))]
use collect as of_privileged;

/// Privileged code may have stored where the loaded partition only reads: then it does so again.
/// The stack is used only after that comparison: it may be the cause of the fault.
#[cfg(armv8m)]
#[unsafe(naked)]
extern "C" fn of_privileged() {
    naked_asm!(
        "ldr r0, ={status}",
        "ldr r1, [r0]",
        "cmp r1, #{forbidden_store}",
        "bne {collect}",
        "push {{r4, lr}}",
        "bl {make_way}",
        "pop {{r4, lr}}",
        "cmp r0, #0",
        "beq {collect}",
        "bx lr",
        ".ltorg",
        status = const STATUS,
        forbidden_store = const FORBIDDEN_STORE,
        make_way = sym make_way,
        collect = sym collect,
    )
}

/// Bits of the configurable fault status: a frame could not be stored or loaded.
const FRAME: u32 = 0b11_1000 << 8 | 0b11_1000;
/// Of a frame's status: four bytes after it are unused, since the processor aligns it to eight.
const HAS_GAP: usize = 1 << 9;

/// Whether the frame was stored where the stack pointer says.
#[cfg(not(armv8m))]
fn is_stored(status: u32, _stack_pointer: usize, _exception_return: usize) -> bool {
    status & FRAME == 0
}

/// Returns whether the frame was stored where the stack pointer says: not in the other security
/// state, and not below the limit, where the processor has set the stack pointer to the limit
/// instead.
#[cfg(armv8m)]
fn is_stored(status: u32, stack_pointer: usize, exception_return: usize) -> bool {
    let is_below = status & BELOW_LIMIT != 0 && is_at_limit(stack_pointer);
    status & FRAME == 0 && !is_below && !has_left_state(exception_return)
}

/// Whether the thread has gone over to the other security state, where nothing is that could be
/// executed: its stack was that one's (the bits S and ES of the kind of return, Armv8-M manual,
/// B3.18). There is one state on Armv7-M.
fn has_left_state(exception_return: usize) -> bool {
    const OF_STACK: usize = 1 << 6;
    const OF_HANDLER: usize = 1;
    cfg!(armv8m) && (exception_return & OF_STACK == 0) != (exception_return & OF_HANDLER == 0)
}

/// Reports the fault of the running thread to the kernel, with the registers where the partition
/// keeps them; returns the thread that resumes.
extern "C" fn end_thread(program_counter: usize, status: u32) -> *const Context {
    let addresses = clear_status(status);
    let (cause, address) = told(status, addresses, program_counter);
    tell(cause, address)
}

/// Reports a fault as [`end_thread`] does, if the processor has stored no frame, or has stored it
/// elsewhere, or below the limit of the stack. All registers but r4 to r11 are still to be put
/// where the partition keeps them.
#[cold]
extern "C" fn end_unusual(
    registers: &mut [usize; FAULT_REGISTERS],
    status: u32,
    stack_pointer: usize,
    exception_return: usize,
) -> *const Context {
    let [memory, bus] = clear_status(status);
    let frame = is_stored(status, stack_pointer, exception_return).then(|| {
        // SAFETY: the processor has stored it there, with the thread's own rights, without a fault.
        unsafe { &*ptr::with_exposed_provenance::<Frame>(stack_pointer) }
    });
    let is = |bits: u32| status & bits != 0;
    let touched = is(MEMORY_ADDRESS_VALID).then_some(memory);
    let (cause, address) = match frame {
        _ if has_left_state(exception_return) => (Cause::InstructionAccess, None),
        _ if is(BELOW_LIMIT) => (Cause::StackOverflow, None),
        None => (Cause::StackOverflow, touched.or(Some(stack_pointer))),
        Some(frame) => told(status, [memory, bus], frame.pc),
    };
    complete(registers, frame, stack_pointer, exception_return);
    tell(cause, address)
}

/// Reports the fault of the running thread to the kernel.
fn tell(cause: Cause, address: Option<usize>) -> *const Context {
    let processor = &TAKTOS_PROCESSOR.0;
    let current = processor.current.get();
    // SAFETY: called in the handler of the fault of the thread that runs.
    let next = unsafe { report_user_fault((cause, address), None) };
    if let Some(switch) = processor.at_switch.get() {
        // SAFETY: no interrupt that may call the kernel comes in this handler; both are threads of
        // the kernel.
        unsafe { switch(current, next, ptr::null()) };
    }
    next
}

/// Clears the status of the fault, and what it left pending: a call without a stored frame is no
/// call. Returns the addresses of memory and of the bus that the fault is about.
fn clear_status(status: u32) -> [usize; 2] {
    const CALL_PENDED: u32 = 1 << 15;
    // SAFETY: the exceptions are this port's own; bits of the status are cleared by writing them.
    unsafe {
        let scb = &*SCB::PTR;
        scb.cfsr.write(status);
        scb.hfsr.write(scb.hfsr.read());
        scb.shcsr.modify(|bits| bits & !CALL_PENDED);
        #[cfg(armv8m)]
        {
            let of_states = ptr::with_exposed_provenance_mut::<u32>(STATES);
            of_states.write_volatile(of_states.read_volatile());
        }
        [scb.mmfar.read() as usize, scb.bfar.read() as usize]
    }
}

/// The status of secure faults (Armv8-M manual, D1.2, SFSR), which reads as zero where there are
/// none.
#[cfg(armv8m)]
const STATES: usize = 0xE000_EDE4;

const MEMORY_ADDRESS_VALID: u32 = 1 << 7;

/// The cause and the address, by the configurable fault status (Armv7-M manual, B3.2.15; Armv8-M,
/// D1.2), where there is a frame. An access of a partition's thread to memory that is not its own
/// is no guard's matter, as the guard may be of a thread with privilege; and a status that says
/// nothing is that of a breakpoint, which is for debuggers.
fn told(status: u32, [memory, bus]: [usize; 2], program_counter: usize) -> (Cause, Option<usize>) {
    const INSTRUCTION_ACCESS: u32 = 1 << 0;
    const DATA_ACCESS: u32 = 1 << 1;
    const BUS: u32 = 0xFF << 8;
    const BUS_ADDRESS_VALID: u32 = 1 << 15;
    const ARITHMETIC: u32 = 0b11 << 24;
    let is = |bits: u32| status & bits != 0;
    if is(DATA_ACCESS) {
        let touched = is(MEMORY_ADDRESS_VALID).then_some(memory);
        return (Cause::DataAccess, touched);
    }
    match () {
        () if is(INSTRUCTION_ACCESS) => (Cause::InstructionAccess, Some(program_counter)),
        () if is(BUS) => (Cause::Bus, is(BUS_ADDRESS_VALID).then_some(bus)),
        () if is(ARITHMETIC) => (Cause::Arithmetic, None),
        () => (Cause::UndefinedInstruction, None),
    }
}

/// The registers in the order of their numbers: r0 to r12, the stack pointer, the link register,
/// the program counter, the status. r4 to r11 are there, the others come from the frame.
fn complete(
    all: &mut [usize; FAULT_REGISTERS],
    frame: Option<&Frame>,
    stack_pointer: usize,
    exception_return: usize,
) {
    let Some(frame) = frame else {
        all[..4].fill(0);
        all[12..].copy_from_slice(&[0, stack_pointer, 0, 0, 0]);
        return;
    };
    let size = match exception_return & WITHOUT_FLOAT {
        0 => size_of::<Frame>() + FLOAT_FRAME,
        _ => size_of::<Frame>(),
    };
    let gap = if frame.status & HAS_GAP == 0 { 0 } else { 4 };
    let before = stack_pointer + size + gap;
    all[..4].copy_from_slice(&frame.r0_to_r3);
    all[12..].copy_from_slice(&[frame.r12, before, frame.lr, frame.pc, frame.status]);
}
