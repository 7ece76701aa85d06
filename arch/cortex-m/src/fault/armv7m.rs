//! Owns: the registers of a fault of Armv7-M and Armv8-M, and its cause by the status registers.
//! Must never know: how a fault is reported.

use super::taktos_fault;
use crate::guard;
use core::arch::naked_asm;
use core::ops::Range;
use core::ptr;
use cortex_m::peripheral::SCB;
use taktos_machine::{Cause, Fault, Upcalls};

/// Defines a fault exception: collects the frame and the registers that it does not hold.
macro_rules! fault_exception {
    ($($name:ident),*) => {
        $(
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            extern "C" fn $name() {
                naked_asm!("b {collect}", collect = sym collect)
            }
        )*
    };
}

fault_exception!(HardFault, MemoryManagement, BusFault, UsageFault);

/// Lays out the status register, as `$status` puts it into r1, the stack pointer, the processor's
/// frame and r4 to r11 on the main stack. The protection unit goes off first, so that the frame can
/// be read even if it is on a guard.
macro_rules! collect {
    ($name:ident, [$($first:literal)?], [$($status:literal),*], $($operands:tt)*) => {
        #[unsafe(naked)]
        #[doc(hidden)]
        pub extern "C" fn $name() {
            naked_asm!(
                $($first,)?
                "ldr r3, ={protection}",
                "movs r1, #0",
                "str r1, [r3]",
                "dsb",
                "isb",
                // A stack that came to its limit is gone on with below.
                #[cfg(armv8m)]
                "msr msplim, r1",
                "mov r12, lr",
                "tst lr, #4",
                "ite eq",
                "mrseq r0, msp",
                "mrsne r0, psp",
                "push {{r4-r11}}",
                "ldmia r0!, {{r1-r8}}",
                "push {{r1-r8}}",
                $($status,)*
                "push {{r0, r1}}",
                "mov r0, sp",
                "mov r1, r12",
                "b {report}",
                ".ltorg",
                protection = const 0xE000_ED94_u32,
                report = sym taktos_fault,
                $($operands)*
            )
        }
    };
}

collect!(collect, [], ["ldr r1, ={status}", "ldr r1, [r1]"], status = const 0xE000_ED28_u32,);

// Where the registers of an interrupted thread came below its limit: no exception was raised, so
// this is none that keeps others out.
#[cfg(any(armv8m, canary))]
collect!(overflow_at_switch, ["cpsid i"], ["mov r1, #{status}"], status = const guard::OVERRUN,);

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "sp  cfsrr0  r1  r2  r3  r12 lr  pc  xpsrr4  r5  r6  r7  r8  r9  r10 r11 ";
#[cfg(armv8m)]
const STACK_POINTER: usize = 0;
const STATUS: usize = 1;
/// The registers that the processor itself stores, in a frame of `FRAME_SIZE` bytes.
const FRAME: Range<usize> = 2..10;
#[cfg(armv8m)]
const FRAME_SIZE: usize = (FRAME.end - FRAME.start) << 2;
/// It could not, at the protection unit or at the bus.
const NOT_STORED: usize = 1 << 4 | 1 << 12;

/// Floating-point state that was not stacked at once could not be stacked later.
const LATE_STACKING: u32 = 1 << 5;
/// The register that holds the owner of such state, and the bit that says that it is a thread's.
const FLOAT_CONTEXT: usize = 0xE000_EF34;
const OF_THREAD: usize = 1 << 3;

/// Registers of a report.
pub type Registers = [usize; 18];

/// Reports a fault to the kernel; `values` are its registers, in the order of their names.
pub fn report_fault<U: Upcalls>(values: &Registers, exception_return: usize) -> ! {
    // SAFETY: reads of address registers.
    let (memory_address, bus_address, float) = unsafe {
        let scb = &*SCB::PTR;
        let float = ptr::with_exposed_provenance::<usize>(FLOAT_CONTEXT).read_volatile();
        (scb.mmfar.read() as usize, scb.bfar.read() as usize, float)
    };
    let (cause, address) = classify(values[STATUS] as u32, memory_address, bus_address);
    // Handlers put registers of the thread on the thread's stack: the switch at the end of an
    // interrupt does, and so does the processor, late, with floating-point state.
    let late = values[STATUS] as u32 & LATE_STACKING != 0 && float & OF_THREAD != 0;
    let of_thread = exception_return & 8 != 0 || late || address.is_some_and(guard::is_of_thread);
    U::fault(&Fault {
        cause,
        address,
        values,
        names: NAMES,
        status: None,
        in_interrupt: !of_thread,
    })
}

/// The frame, if the processor has not stored it: it met a forbidden address, or would have come
/// below the limit of the stack, to which it has set the stack pointer instead (Armv8-M manual,
/// B3.18).
pub(crate) fn lost(values: &[usize]) -> Range<usize> {
    let status = values.get(STATUS).copied().unwrap_or(0);
    #[cfg(armv8m)]
    if status as u32 & guard::BELOW_LIMIT != 0
        && values
            .get(STACK_POINTER)
            .is_some_and(|pointer| guard::is_at_limit(pointer.wrapping_sub(FRAME_SIZE)))
    {
        return FRAME;
    }
    match status & NOT_STORED {
        0 => 0..0,
        _ => FRAME,
    }
}

/// The cause by the configurable fault status register (Armv7-M manual, B3.2.15; Armv8-M, D1.2),
/// and the address.
fn classify(status: u32, memory_address: usize, bus_address: usize) -> (Cause, Option<usize>) {
    const INSTRUCTION_ACCESS: u32 = 1 << 0;
    const DATA_ACCESS: u32 = 1 << 1;
    /// Exception frames did not fit: they could not be read, or written, at once or later.
    const STACKING: u32 = guard::BELOW_LIMIT | LATE_STACKING | 0b11 << 3;
    const MEMORY_ADDRESS_VALID: u32 = 1 << 7;
    const BUS: u32 = 0xFF << 8;
    const BUS_ADDRESS_VALID: u32 = 1 << 15;
    const UNDEFINED: u32 = 0b1111 << 16;
    const ARITHMETIC: u32 = 0b11 << 24;
    let is = |bits: u32| status & bits != 0;
    let address = is(MEMORY_ADDRESS_VALID).then_some(memory_address);
    if is(STACKING) {
        (Cause::StackOverflow, address)
    } else if is(DATA_ACCESS) {
        // Null forbids data too, and so may regions of the program's own.
        let cause = match address {
            Some(address) if !guard::is_guard(address) => Cause::DataAccess,
            _ => Cause::StackOverflow,
        };
        (cause, address)
    } else if is(INSTRUCTION_ACCESS) {
        (Cause::InstructionAccess, None)
    } else if is(BUS) {
        (Cause::Bus, is(BUS_ADDRESS_VALID).then_some(bus_address))
    } else if is(ARITHMETIC) {
        (Cause::Arithmetic, None)
    } else if is(UNDEFINED) {
        (Cause::UndefinedInstruction, None)
    } else {
        (Cause::Other, None)
    }
}
