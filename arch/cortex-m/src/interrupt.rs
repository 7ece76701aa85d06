//! Owns: the priorities of exceptions.

use crate::mask::{KERNEL_LEVEL, is_above, let_above};
pub(crate) use crate::mask::{mask, mask_over, may_call, restore, unmask};
use core::arch::asm;
use cortex_m::peripheral::{NVIC, Peripherals};

/// The priority of the kernel's own exceptions: they come when the last handler has returned.
pub(crate) const LOWEST: u8 = 0xFF;

/// The least urgent priority that the kernel's mask lets through, on processors of three bits too.
const ABOVE_THE_MASK: u8 = KERNEL_LEVEL - 0x20;

/// How urgent an interrupt is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The kernel's level: its handler may call the kernel; it waits while the kernel masks.
    Kernel,
    /// Less urgent than the kernel's level: the same, but that its handler is interrupted by more
    /// urgent ones, and so is no proof of a section (`taktos_kernel::Interrupt`). 0x81 (the
    /// most urgent) to 0xFF; processors use only the upper bits.
    Below(u8),
    /// Above the kernel: never delayed by it, must not call it. 0 (the most urgent) to 0x7F;
    /// processors use only the upper bits. Not on Armv6-M, which masks all interrupts.
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

/// The most interrupts that a controller has (Armv7-M manual, B3.4; Armv6-M manual, B3.4).
pub(crate) const MOST: usize = if cfg!(armv6m) { 32 } else { 496 };

/// Lets the interrupt `number` reach its handler, at `level`.
///
/// # Panics
/// On Armv6-M if the level is above the kernel's.
pub fn enable_interrupt(number: u16, level: Level) {
    let priority = match level {
        Level::Kernel => KERNEL_LEVEL,
        Level::Below(priority) => priority | KERNEL_LEVEL,
        Level::Above(priority) => {
            let_above(number);
            priority & (KERNEL_LEVEL - 1)
        }
    };
    set_priority(number, priority);
    // SAFETY: a single-word write to the NVIC; the level keeps the kernel's masking sound.
    unsafe { NVIC::unmask(Number(number)) };
}

fn set_priority(number: u16, priority: u8) {
    // Armv6-M writes the priorities of four interrupts at once.
    #[cfg(armv6m)]
    let before = mask_over();
    // SAFETY: a single-byte write to the NVIC; or one of a word, masked, of which three bytes stay.
    unsafe {
        Peripherals::steal()
            .NVIC
            .set_priority(Number(number), priority);
    }
    #[cfg(armv6m)]
    restore(before);
}

/// Keeps the interrupt `number` from its handler.
pub fn disable_interrupt(number: u16) {
    NVIC::mask(Number(number));
}

/// Makes the interrupt `number` pending, as its device would.
#[inline(always)]
pub fn pend_interrupt(number: u16) {
    NVIC::pend(Number(number));
}

/// The exception number of the interrupt 0.
pub(crate) const FIRST_INTERRUPT: u32 = 16;

/// Returns the number of the running handler's exception; 0 in a thread. The number is constant
/// within a function, so one read is enough.
#[inline(always)]
pub(crate) fn exception() -> u32 {
    let exception;
    // SAFETY: reads a status register.
    unsafe {
        asm!("mrs {exception}, ipsr", exception = out(reg) exception, options(pure, nomem, nostack, preserves_flags));
    }
    exception
}

/// Returns the number of the interrupt with the running handler, as the vectors count after the
/// exceptions; none in a thread and in the handler of an exception.
pub(crate) fn number() -> Option<usize> {
    exception()
        .checked_sub(FIRST_INTERRUPT)
        .map(|number| number as usize)
}

/// Puts every interrupt above the kernel's level at that level, except those that were let through
/// at [`Level::Above`]. After a reset all are above it, and drivers of chips' vendors choose
/// priorities without knowledge of the level; a handler there must not call the kernel. The
/// kernel's start does this; a program with a driver that sets a priority later does it once more.
/// Bound: two accesses an interrupt, at most 496. Allowed in threads.
pub fn bring_to_kernel_level() {
    for number in 0..interrupts() {
        if !is_above(number) && NVIC::get_priority(Number(number)) < KERNEL_LEVEL {
            set_priority(number, KERNEL_LEVEL);
        }
    }
}

/// As many interrupts as there may be by the controller's type register (Armv7-M manual, B3.4.3):
/// in steps of 32. Armv6-M has one step, and no such register.
fn interrupts() -> u16 {
    const CONTROLLER_TYPE: usize = 0xE000_E004;
    if cfg!(armv6m) {
        return MOST as u16;
    }
    // SAFETY: a register that is only read.
    let steps =
        unsafe { core::ptr::with_exposed_provenance::<u32>(CONTROLLER_TYPE).read_volatile() };
    (((steps & 0xF) + 1) * 32).min(MOST as u32) as u16
}

/// Puts the kernel's exceptions after all interrupts, except `SysTick`, which gets the priority
/// `of_timer`.
pub(crate) fn set_system_priorities(of_timer: u8) {
    const PRIORITIES: usize = 0xE000_ED18;
    /// Of `SVCall`, which comes while the mask is set, to return to an interrupted thread.
    const OF_CALLS: [u8; 4] = [0, 0, 0, ABOVE_THE_MASK];
    // Of `PendSV` and `SysTick`, which follow.
    let of_switches = [0, 0, LOWEST, of_timer];
    let priorities = core::ptr::with_exposed_provenance_mut::<[u32; 3]>(PRIORITIES);
    // SAFETY: called once, before the first thread runs; the exceptions are this port's own, and no
    // others have these words.
    unsafe {
        (&raw mut (*priorities)[1]).write_volatile(u32::from_le_bytes(OF_CALLS));
        (&raw mut (*priorities)[2]).write_volatile(u32::from_le_bytes(of_switches));
    }
}

/// Gives `SysTick` its priority before the kernel starts, where time is measured by it: what masks
/// up to the kernel's level is to mask it.
pub(crate) fn set_timer_priority(priority: u8) {
    const OF_SWITCHES: usize = 0xE000_ED20;
    let word = u32::from_le_bytes([0, 0, LOWEST, priority]);
    // SAFETY: the word of the priorities of the port's own exceptions (Armv7-M manual, B3.2.12;
    // Armv6-M has no access to its bytes).
    unsafe {
        core::ptr::with_exposed_provenance_mut::<u32>(OF_SWITCHES).write_volatile(word);
    }
}
