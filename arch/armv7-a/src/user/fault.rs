//! Owns: faults of threads of partitions: the thread ends in the handler, and another one resumes.
//! Faults of other code go to the handlers that any program has.
//! Must never know: what a partition does about it.

use super::entry::leave;
use super::interrupt::PRIVILEGED;
use super::state::{OFFSET, STORED};
use crate::TAKTOS_PROCESSOR;
use crate::fault::{
    ABORT_MODE, ALIGNMENT, DATA, EXTERNAL, LATE, PREFETCH, UNDEFINED, UNDEFINED_MODE,
};
use crate::switch::SYSTEM_MODE;
use aarch32_cpu::register::{Dfar, Dfsr, Ifar, Ifsr};
use core::arch::naked_asm;
use core::mem::offset_of;
use taktos_arch_common::report_user_fault;
use taktos_machine::{Cause, Context, FAULT_REGISTERS, Processor};

/// The bit of a status that says that the instructions are those of T32.
const THUMB: u32 = 1 << 5;

/// Defines the way of a kind of exception, in its mode: `$back` has lr name the instruction, by the
/// flag "equal" in A32.
macro_rules! fault {
    ($name:ident, $kind:expr, $mode:expr, $back:literal, $of_privileged:literal) => {
        /// An exception that an instruction has caused.
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            naked_asm!(
                "push {{r0}}",
                "mrs r0, spsr",
                "tst r0, #{privileged}",
                "bne 9f",
                "tst r0, #{thumb}",
                "pop {{r0}}",
                $back,
                // 17 words, and one that keeps the stack aligned.
                "sub sp, sp, #4",
                "srsdb sp!, #{mode}",
                "sub sp, sp, #60",
                "stm sp, {{r0-r14}}^",
                "mov r0, sp",
                "mov r1, #{kind}",
                "bl {end}",
                "add sp, sp, #72",
                "movw r1, #:lower16:{processor}",
                "movt r1, #:upper16:{processor}",
                "ldr r1, [r1, #{current}]",
                "cps #{system_mode}",
                "add sp, r1, #{state} + {stored}",
                "b {leave}",
                "9:",
                "pop {{r0}}",
                concat!("b ", $of_privileged),
                privileged = const PRIVILEGED,
                thumb = const THUMB,
                mode = const $mode,
                kind = const $kind,
                end = sym end_thread,
                processor = sym TAKTOS_PROCESSOR,
                current = const offset_of!(Processor, current),
                system_mode = const SYSTEM_MODE,
                state = const OFFSET,
                stored = const STORED,
                leave = sym leave,
            )
        }
    };
}

fault!(
    undefined,
    UNDEFINED,
    UNDEFINED_MODE,
    "subeq lr, lr, #4
     subne lr, lr, #2",
    "_asm_undefined_handler"
);
fault!(
    prefetch,
    PREFETCH,
    ABORT_MODE,
    "sub lr, lr, #4",
    "_asm_prefetch_abort_handler"
);
fault!(
    data,
    DATA,
    ABORT_MODE,
    "sub lr, lr, #8",
    "_asm_data_abort_handler"
);

/// Reports the fault of the running thread to the kernel; returns the thread that resumes.
extern "C" fn end_thread(registers: &[usize; FAULT_REGISTERS], kind: u32) -> *const Context {
    // SAFETY: called in the handler of the fault of the thread that runs.
    unsafe { report_user_fault(told(kind), Some(registers)) }
}

/// The cause and the address. An access of a partition's thread to memory that is not its own is no
/// guard's matter, as the guard may be of a thread with privilege.
fn told(kind: u32) -> (Cause, Option<usize>) {
    match kind {
        UNDEFINED => (Cause::UndefinedInstruction, None),
        PREFETCH => fetch(status_of(Ifsr::read().raw_value()), Ifar::read().0 as usize),
        _ => access(status_of(Dfsr::read().raw_value()), Dfar::read().0 as usize),
    }
}

/// Returns the fault that a fault status register reports.
fn status_of(register: u32) -> u32 {
    register & 0xF | register >> 6 & 0x10
}

/// Of an instruction that is not fetched: also for debuggers, or from an address that no
/// instruction has.
fn fetch(status: u32, address: usize) -> (Cause, Option<usize>) {
    const BREAKPOINT: u32 = 0b0_0010;
    match status {
        BREAKPOINT => (Cause::UndefinedInstruction, None),
        external if EXTERNAL.contains(&external) => (Cause::Bus, Some(address)),
        _ => (Cause::InstructionAccess, Some(address)),
    }
}

/// Classifies a fault of a data access. The address of an error that comes late is not known.
fn access(status: u32, address: usize) -> (Cause, Option<usize>) {
    match status {
        ALIGNMENT => (Cause::Arithmetic, Some(address)),
        LATE => (Cause::Bus, None),
        external if EXTERNAL.contains(&external) => (Cause::Bus, Some(address)),
        _ => (Cause::DataAccess, Some(address)),
    }
}
