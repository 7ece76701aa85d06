//! Owns: what a trap's cause says.

use crate::memory;
use taktos_machine::{Cause, Fault, Upcalls};

/// The causes of exceptions (RISC-V privileged architecture, `scause`).
const FETCH_MISALIGNED: usize = 0;
const FETCH_ACCESS: usize = 1;
const ILLEGAL: usize = 2;
const LOAD_MISALIGNED: usize = 4;
const LOAD_ACCESS: usize = 5;
const STORE_MISALIGNED: usize = 6;
const STORE_ACCESS: usize = 7;
const FETCH_PAGE: usize = 12;
pub(crate) const LOAD_PAGE: usize = 13;
pub(crate) const STORE_PAGE: usize = 15;

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "ra  sp  gp  tp  t0  t1  t2  s0  s1  a0  a1  a2  a3  a4  a5  a6  a7  \
s2  s3  s4  s5  s6  s7  s8  s9  s10 s11 t3  t4  t5  t6  pc  sst ";

/// Reports the fault with the given registers, cause (`scause`) and value (`stval`) to the kernel.
pub fn report_fault<U: Upcalls>(
    values: &[usize; 33],
    cause: usize,
    value: usize,
    in_interrupt: bool,
) -> ! {
    let (told, address) = classify(cause, value);
    U::fault(&Fault {
        cause: told,
        address,
        values,
        names: NAMES,
        status: Some(&("scause", cause)),
        in_interrupt,
    })
}

pub(crate) fn classify(cause: usize, value: usize) -> (Cause, Option<usize>) {
    match cause {
        ILLEGAL => (Cause::UndefinedInstruction, None),
        FETCH_MISALIGNED | FETCH_PAGE => (Cause::InstructionAccess, Some(value)),
        LOAD_PAGE | STORE_PAGE if memory::is_guard(value) => (Cause::StackOverflow, Some(value)),
        LOAD_PAGE | STORE_PAGE => (Cause::DataAccess, Some(value)),
        LOAD_MISALIGNED | STORE_MISALIGNED => (Cause::Arithmetic, Some(value)),
        FETCH_ACCESS | LOAD_ACCESS | STORE_ACCESS => (Cause::Bus, Some(value)),
        _ => (Cause::Other, None),
    }
}
