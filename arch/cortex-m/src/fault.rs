//! Owns: what happens at a fault exception.

use core::arch::naked_asm;
use cortex_m::peripheral::{MPU, SCB};
use taktos_machine::{Cause, Fault, Register, Upcalls};

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

#[unsafe(naked)]
extern "C" fn collect() {
    naked_asm!(
        "tst lr, #4",
        "ite eq",
        "mrseq r0, msp",
        "mrsne r0, psp",
        "push {{r4-r11}}",
        "mov r1, sp",
        "mov r2, lr",
        "b {report}",
        report = sym taktos_fault,
    )
}

const OVERFLOW_BITS: u32 = 0x12; // MSTKERR, DACCVIOL

/// Tells the kernel of the fault whose frame is given; `kept` are r4 to r11.
pub fn report_fault<U: Upcalls>(
    frame: &[usize; 8],
    kept: &[usize; 8],
    exception_return: usize,
) -> ! {
    // SAFETY: reads of status registers; the protection unit is switched off so that the frame can be read
    // even if it lies on the guard. The program ends here.
    let (status, memory_address, bus_address) = unsafe {
        (*MPU::PTR).ctrl.write(0);
        let scb = &*SCB::PTR;
        (scb.cfsr.read(), scb.mmfar.read(), scb.bfar.read())
    };
    let from_thread = exception_return & 8 != 0;
    let (cause, address) = classify(status, memory_address, bus_address, from_thread);
    let names = ["r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11"];
    let frame_names = ["r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr"];
    let mut registers = [Register { name: "sp", value: core::ptr::from_ref(frame).addr() }; 18];
    for (slot, (name, value)) in registers
        .iter_mut()
        .zip(frame_names.into_iter().zip(*frame).chain(names.into_iter().zip(*kept)))
    {
        *slot = Register { name, value };
    }
    registers[17] = Register { name: "cfsr", value: status as usize };
    U::fault(&Fault { cause, address, registers: &registers, in_interrupt: !from_thread })
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
        bits if bits & 0xFF00 != 0 => {
            (Cause::Bus, (bits & BUS_ADDRESS_VALID != 0).then_some(bus_address as usize))
        }
        bits if bits & 0x0300_0000 != 0 => (Cause::Arithmetic, None),
        bits if bits & 0x000F_0000 != 0 => (Cause::UndefinedInstruction, None),
        _ => (Cause::Other, None),
    }
}
