//! Owns: what an exception's syndrome says.

use crate::memory;
use crate::processors::report_alone;
use aarch64_cpu::registers::{FAR_EL1, Readable};
use taktos_machine::{Cause, Fault, Upcalls};

/// The classes of exceptions (Arm ARM, `ESR_EL1.EC`).
pub(crate) const FLOAT_TRAP: usize = 0x07;
pub(crate) const UNKNOWN: usize = 0x00;
const FETCH: usize = 0x21;
pub(crate) const ODD_ADDRESS: usize = 0x22;
const DATA: usize = 0x25;
pub(crate) const ODD_STACK: usize = 0x26;
const LATE_BUS: usize = 0x2F;

/// Reasons for which an access failed (`ESR_EL1.DFSC` and `IFSC`).
const ALIGNMENT: usize = 0x21;
const EXTERNAL: usize = 0x10;

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "x0  x1  x2  x3  x4  x5  x6  x7  x8  x9  x10 x11 x12 x13 x14 x15 x16 x17 x18 \
x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 x30 sp  pc  spsr";
const PC: usize = 32;
const SPSR: usize = 33;

/// Reports the fault with the given registers to the kernel.
///
/// Of several processors the first one to fault reports; another one that does so meanwhile halts
/// for good.
pub fn report_fault<U: Upcalls>(values: &[usize; 34], syndrome: usize) -> ! {
    report_alone();
    let (cause, address) = classify(syndrome, values[PC]);
    U::fault(&Fault {
        cause,
        address,
        values,
        names: NAMES,
        status: Some(&("esr ", syndrome)),
        // The stack pointer that was selected.
        in_interrupt: values[SPSR] & 1 != 0,
    })
}

fn classify(syndrome: usize, pc: usize) -> (Cause, Option<usize>) {
    let address = FAR_EL1.get() as usize;
    match syndrome >> 26 {
        UNKNOWN | FLOAT_TRAP => (Cause::UndefinedInstruction, None),
        FETCH => (cause_of(syndrome, Cause::InstructionAccess), Some(address)),
        ODD_ADDRESS => (Cause::InstructionAccess, Some(pc)),
        DATA if memory::is_guard(address) => (Cause::StackOverflow, Some(address)),
        DATA => (cause_of(syndrome, Cause::DataAccess), Some(address)),
        ODD_STACK => (Cause::Arithmetic, None),
        LATE_BUS => (Cause::Bus, None),
        _ => (Cause::Other, None),
    }
}

/// Returns the cause of a fault: `access`, unless the syndrome reports a reason outside of the map.
pub(crate) fn cause_of(syndrome: usize, access: Cause) -> Cause {
    match syndrome & 0x3F {
        ALIGNMENT => Cause::Arithmetic,
        EXTERNAL => Cause::Bus,
        _ => access,
    }
}
