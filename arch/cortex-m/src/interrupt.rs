//! Owns: the priorities of exceptions.

use cortex_m::peripheral::scb::SystemHandler;
use cortex_m::peripheral::{NVIC, Peripherals};

/// The priority of all interrupts that may call the kernel, and of the kernel's own exceptions.
pub const KERNEL_LEVEL: u8 = 0x80;

/// The least urgent priority that the kernel's mask lets through, on processors of three bits too.
const ABOVE_THE_MASK: u8 = KERNEL_LEVEL - 0x20;

/// How urgent an interrupt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The kernel's level: its handler may call the kernel; it waits while the kernel masks.
    Kernel,
    /// Above the kernel: never delayed by it, must not call it. 0 (the most urgent) to 0x7F;
    /// processors use only the upper bits.
    Above(u8),
}

/// An interrupt number of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number(pub u16);

// SAFETY: the number is passed on as it is; the NVIC ignores numbers that it does not have.
unsafe impl cortex_m::interrupt::InterruptNumber for Number {
    fn number(self) -> u16 {
        self.0
    }
}

/// Lets the interrupt `number` reach its handler, at `level`.
pub fn enable_interrupt(number: u16, level: Level) {
    let priority = match level {
        Level::Kernel => KERNEL_LEVEL,
        Level::Above(priority) => priority & (KERNEL_LEVEL - 1),
    };
    // SAFETY: single-word writes to the NVIC; the level keeps the kernel's masking sound.
    unsafe {
        Peripherals::steal()
            .NVIC
            .set_priority(Number(number), priority);
        NVIC::unmask(Number(number));
    }
}

/// Makes the interrupt `number` pending, as its device would.
#[inline(always)]
pub fn pend_interrupt(number: u16) {
    NVIC::pend(Number(number));
}

/// Puts the kernel's exceptions at the kernel's level.
pub(crate) fn set_system_priorities() {
    // SAFETY: called once, before the first thread runs; the exceptions are this port's own.
    unsafe {
        let mut scb = Peripherals::steal().SCB;
        for handler in [SystemHandler::PendSV, SystemHandler::SysTick] {
            scb.set_priority(handler, KERNEL_LEVEL);
        }
        // Called while the mask is set, to return to an interrupted thread.
        scb.set_priority(SystemHandler::SVCall, ABOVE_THE_MASK);
    }
}
