//! Owns: what happens at a fault exception.

use core::arch::naked_asm;
use cortex_m::peripheral::SCB;
use taktos_machine::{Cause, Fault, Upcalls};

/// Stacking failed, or a data access did: the bits MSTKERR and DACCVIOL.
const OVERFLOW_BITS: u32 = 0x12;

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

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions).
    fn taktos_fault();
}

/// Lays out the status register, the stack pointer, the processor's frame and r4 to r11 on the main stack. The
/// protection unit goes off first, so that the frame can be read even if it lies on a guard.
#[unsafe(naked)]
extern "C" fn collect() {
    naked_asm!(
        "ldr r3, ={protection}",
        "movs r1, #0",
        "str r1, [r3]",
        "dsb",
        "isb",
        "mov r12, lr",
        "tst lr, #4",
        "ite eq",
        "mrseq r0, msp",
        "mrsne r0, psp",
        "push {{r4-r11}}",
        "ldmia r0!, {{r1-r8}}",
        "push {{r1-r8}}",
        "ldr r1, ={status}",
        "ldr r1, [r1]",
        "push {{r0, r1}}",
        "mov r0, sp",
        "mov r1, r12",
        "b {report}",
        ".ltorg",
        protection = const 0xE000_ED94_u32,
        status = const 0xE000_ED28_u32,
        report = sym taktos_fault,
    )
}

/// As many characters each as [`NAME_LENGTH`](taktos_machine::NAME_LENGTH) says.
const NAMES: &str = "sp  cfsrr0  r1  r2  r3  r12 lr  pc  xpsrr4  r5  r6  r7  r8  r9  r10 r11 ";
const STATUS: usize = 1;

/// Tells the kernel of the fault whose registers are given, in the order of their names.
pub fn report_fault<U: Upcalls>(values: &[usize; 18], exception_return: usize) -> ! {
    // SAFETY: reads of address registers.
    let (memory_address, bus_address) = unsafe {
        let scb = &*SCB::PTR;
        (scb.mmfar.read(), scb.bfar.read())
    };
    let from_thread = exception_return & 8 != 0;
    let (cause, address) =
        classify(values[STATUS] as u32, memory_address, bus_address, from_thread);
    U::fault(&Fault { cause, address, values, names: NAMES, in_interrupt: !from_thread })
}

/// The cause by the configurable fault status register (ARMv7-M manual, B3.2.15).
fn classify(
    status: u32,
    memory_address: u32,
    bus_address: u32,
    from_thread: bool,
) -> (Cause, Option<usize>) {
    const ADDRESS_VALID: u32 = 1 << 7;
    const BUS_ADDRESS_VALID: u32 = 1 << 15;
    let address = (status & ADDRESS_VALID != 0).then_some(memory_address as usize);
    match status {
        // The only region that forbids data is the guard.
        bits if bits & OVERFLOW_BITS != 0 && from_thread => (Cause::StackOverflow, address),
        bits if bits & OVERFLOW_BITS != 0 => (Cause::DataAccess, address),
        bits if bits & 1 != 0 => (Cause::InstructionAccess, None),
        bits if bits & 0xFF00 != 0 => (
            Cause::Bus,
            (bits & BUS_ADDRESS_VALID != 0).then_some(bus_address as usize),
        ),
        bits if bits & 0x0300_0000 != 0 => (Cause::Arithmetic, None),
        bits if bits & 0x000F_0000 != 0 => (Cause::UndefinedInstruction, None),
        _ => (Cause::Other, None),
    }
}
