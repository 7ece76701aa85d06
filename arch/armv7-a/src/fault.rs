//! Owns: what happens at a fault exception.

use crate::interrupt::INTERRUPT_STACKS_SIZE;
use crate::memory;
use crate::switch::SYSTEM_MODE;
use aarch32_cpu::register::{Dfar, Dfsr, Ifar, Ifsr};
use core::arch::naked_asm;
use taktos_machine::{Cause, Fault, Upcalls};

pub(crate) const UNDEFINED: u32 = 0;
pub(crate) const PREFETCH: u32 = 1;
pub(crate) const DATA: u32 = 2;

pub(crate) const UNDEFINED_MODE: u32 = 0x1B;
pub(crate) const ABORT_MODE: u32 = 0x17;

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
}

/// Collects the registers r0 to r15 and CPSR on the stack of the present mode. lr names the
/// instruction.
macro_rules! collect {
    () => {
        "srsdb sp!, #{mode}
         // Room for the sp and lr of the mode that faulted.
         sub sp, sp, #8
         push {{r0-r12}}
         mov r0, sp
         mov r1, #{kind}
         // A visit to that mode; only its number and the mask of interrupts are changed.
         ldr r2, [r0, #64]
         mrs r3, cpsr
         and r2, r2, #0x1F
         bic r4, r3, #0x1F
         orr r2, r2, r4
         msr cpsr_c, r2
         mov r5, sp
         mov r6, lr
         msr cpsr_c, r3
         str r5, [r0, #52]
         str r6, [r0, #56]
         bic sp, sp, #7
         b {report}"
    };
}

/// The rest of the handler of undefined instructions, where it was no use of the floating-point
/// unit.
#[unsafe(naked)]
pub(crate) extern "C" fn undefined() {
    naked_asm!(
        collect!(),
        mode = const UNDEFINED_MODE,
        kind = const UNDEFINED,
        report = sym taktos_fault,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn _asm_prefetch_abort_handler() {
    naked_asm!(
        "sub lr, lr, #4",
        collect!(),
        mode = const ABORT_MODE,
        kind = const PREFETCH,
        report = sym taktos_fault,
    )
}

#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn _asm_data_abort_handler() {
    naked_asm!(
        "sub lr, lr, #8",
        collect!(),
        mode = const ABORT_MODE,
        kind = const DATA,
        report = sym taktos_fault,
    )
}

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "r0  r1  r2  r3  r4  r5  r6  r7  r8  r9  r10 r11 r12 sp  lr  pc  cpsr";
const CPSR: usize = 16;

/// Reports the fault with the given registers to the kernel.
pub fn report_fault<U: Upcalls>(values: &[usize; 17], kind: u32) -> ! {
    let (cause, address) = classify(kind);
    let in_thread = values[CPSR] & 0x1F == SYSTEM_MODE as usize || is_threads_guard(cause, address);
    U::fault(&Fault {
        cause,
        address,
        values,
        names: NAMES,
        status: status(kind).as_ref(),
        in_interrupt: !in_thread,
    })
}

/// Returns the register that holds the reason why an access was forbidden.
fn status(kind: u32) -> Option<(&'static str, usize)> {
    match kind {
        UNDEFINED => None,
        PREFETCH => Some(("ifsr", Ifsr::read().raw_value() as usize)),
        _ => Some(("dfsr", Dfsr::read().raw_value() as usize)),
    }
}

/// An interrupt's entry can be what finds a thread's stack used up.
fn is_threads_guard(cause: Cause, address: Option<usize>) -> bool {
    cause == Cause::StackOverflow
        && address.is_some_and(|address| address < INTERRUPT_STACKS_SIZE.wrapping_neg())
}

fn classify(kind: u32) -> (Cause, Option<usize>) {
    match kind {
        UNDEFINED => (Cause::UndefinedInstruction, None),
        PREFETCH => {
            let (status, address) = (Ifsr::read().raw_value(), Ifar::read().0 as usize);
            (cause_of(status, Cause::InstructionAccess), Some(address))
        }
        _ => {
            let (status, address) = (Dfsr::read().raw_value(), Dfar::read().0 as usize);
            if memory::is_guard(address) {
                (Cause::StackOverflow, Some(address))
            } else {
                (cause_of(status, Cause::DataAccess), Some(address))
            }
        }
    }
}

/// Value of a fault status register (ARMv7-A manual, B3.13.3) for a fault outside of the map: an
/// address that is no multiple of a size.
pub(crate) const ALIGNMENT: u32 = 0b0_0001;
/// And errors of a bus: at the access itself, at a walk through the tables (two levels), and late.
pub(crate) const EXTERNAL: [u32; 4] = [0b0_1000, 0b0_1100, 0b0_1110, LATE];
/// The last of these.
pub(crate) const LATE: u32 = 0b1_0110;

/// By a fault status register.
fn cause_of(status: u32, access: Cause) -> Cause {
    let status = status & 0xF | status >> 6 & 0x10;
    match status {
        ALIGNMENT => Cause::Arithmetic,
        external if EXTERNAL.contains(&external) => Cause::Bus,
        _ => access,
    }
}
