//! Owns: the priorities of exceptions.

use core::arch::asm;
use core::hint::cold_path;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cortex_m::peripheral::{NVIC, Peripherals};

/// The most urgent priority of interrupts that may call the kernel: what the kernel masks begins
/// here.
pub const KERNEL_LEVEL: u8 = 0x80;

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

/// The most interrupts that a controller has (Armv7-M manual, B3.4).
const MOST: usize = 496;

/// The interrupts that were let through above the kernel's level, a bit each:
/// [`bring_to_kernel_level`] leaves them there.
static ABOVE: [AtomicU32; MOST.div_ceil(32)] = [const { AtomicU32::new(0) }; MOST.div_ceil(32)];

/// Lets the interrupt `number` reach its handler, at `level`.
pub fn enable_interrupt(number: u16, level: Level) {
    let priority = match level {
        Level::Kernel => KERNEL_LEVEL,
        Level::Below(priority) => priority | KERNEL_LEVEL,
        Level::Above(priority) => {
            if let Some(word) = ABOVE.get(usize::from(number) / 32) {
                word.fetch_or(1 << (number % 32), Relaxed);
            }
            priority & (KERNEL_LEVEL - 1)
        }
    };
    set_priority(number, priority);
    // SAFETY: a single-word write to the NVIC; the level keeps the kernel's masking sound.
    unsafe { NVIC::unmask(Number(number)) };
}

fn set_priority(number: u16, priority: u8) {
    // SAFETY: a single-byte write to the NVIC.
    unsafe {
        Peripherals::steal()
            .NVIC
            .set_priority(Number(number), priority);
    }
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
const FIRST_INTERRUPT: u32 = 16;

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

/// Whether the running handler's priority is one at which the kernel masks it. Of the processor's
/// own exceptions the timer's, the last, may call: faults, and what cannot be masked, may not.
#[inline(always)]
pub(crate) fn may_call() -> bool {
    let number = exception().wrapping_sub(FIRST_INTERRUPT) as usize;
    // SAFETY: reads a register of the interrupt controller.
    let priorities = unsafe { &(*NVIC::PTR).ipr };
    let Some(priority) = priorities.get(number) else {
        cold_path();
        return number == usize::MAX;
    };
    priority.read() >= KERNEL_LEVEL
}

/// Puts every interrupt above the kernel's level at that level, except those that were let through
/// at [`Level::Above`]. After a reset all are above it, and drivers of chips' vendors choose
/// priorities without knowledge of the level; a handler there must not call the kernel. The
/// kernel's start does this; a program with a driver that sets a priority later does it once more.
/// Bound: two accesses an interrupt, at most 496. Allowed in threads.
pub fn bring_to_kernel_level() {
    for number in 0..interrupts() {
        let above = ABOVE[usize::from(number) / 32].load(Relaxed) >> (number % 32);
        if above & 1 == 0 && NVIC::get_priority(Number(number)) < KERNEL_LEVEL {
            set_priority(number, KERNEL_LEVEL);
        }
    }
}

/// As many interrupts as there may be by the controller's type register (Armv7-M manual, B3.4.3):
/// in steps of 32.
fn interrupts() -> u16 {
    const CONTROLLER_TYPE: usize = 0xE000_E004;
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
    const OF_TIMER: usize = 0xE000_ED23;
    // SAFETY: a byte of the system handlers' priorities, that of the port's own exception (Armv7-M
    // manual, B3.2.12).
    unsafe {
        core::ptr::with_exposed_provenance_mut::<u8>(OF_TIMER).write_volatile(priority);
    }
}

/// Masks interrupts from the kernel's level down. A handler above the level that comes here calls
/// the kernel. With debug assertions that is reported at once, whatever table of vectors led to the
/// handler. Without them nothing is checked.
#[inline(always)]
pub(crate) fn mask() {
    if cfg!(debug_assertions) && number().is_some() && !may_call() {
        forbidden_call();
    }
    // SAFETY: raises the execution priority to the kernel's level; memory accesses are not moved
    // across.
    unsafe {
        asm!("msr basepri, {level}", level = in(reg) u32::from(KERNEL_LEVEL), options(nostack, preserves_flags));
    }
}

#[cold]
#[inline(never)]
fn forbidden_call() -> ! {
    // SAFETY: the board's report of such a call, which ends the program.
    unsafe { crate::reexports::taktos_forbidden_call() }
}

/// Masks interrupts from the kernel's level down, wherever it is called: gives what was masked
/// before, for [`restore`].
#[inline(always)]
pub(crate) fn mask_over() -> usize {
    let before;
    // SAFETY: as for `mask`; the register `BASEPRI_MAX` takes a priority only where that masks more
    // than before.
    unsafe {
        asm!(
            "mrs {before}, basepri",
            "msr basepri_max, {level}",
            before = out(reg) before,
            level = in(reg) u32::from(KERNEL_LEVEL),
            options(nostack, preserves_flags),
        );
    }
    before
}

/// Makes the mask what it was before the matching [`mask_over`].
#[inline(always)]
pub(crate) fn restore(before: usize) {
    // SAFETY: puts back what `mask_over` found; memory accesses are not moved across.
    unsafe {
        asm!("msr basepri, {before}", before = in(reg) before, options(nostack, preserves_flags));
    }
}

/// Ends the mask.
#[inline(always)]
pub(crate) fn unmask() {
    // SAFETY: threads and the handlers that may call the kernel run with BASEPRI 0 outside the
    // kernel's sections.
    unsafe {
        asm!("msr basepri, {none}", none = in(reg) 0, options(nostack, preserves_flags));
    }
}

/// Defines `$vector`, to be put into the table of interrupts for one above the kernel's level: it
/// calls `$handler`.
///
/// A handler up there must not call the kernel: it may have come in the midst of a section. A call
/// that wakes or waits is turned away, and what is left of a call, the mask, is put back here. A
/// call that would be done in place cannot be turned away at no cost to all others; but each ends
/// the mask, by which it is noticed here and reported as a fault.
#[macro_export]
macro_rules! above {
    ($(#[$attribute:meta])* $vector:ident, $handler:path) => {
        $(#[$attribute])*
        #[unsafe(naked)]
        unsafe extern "C" fn $vector() {
            ::core::arch::naked_asm!(
                "push {{r4, lr}}",
                "mrs r4, basepri",
                // Up here this masks nothing, and it is not zero.
                "movs r0, #0xFF",
                "msr basepri, r0",
                "bl {handler}",
                "mrs r0, basepri",
                "cbz r0, 1f",
                "msr basepri, r4",
                "pop {{r4, pc}}",
                "1:",
                "b {forbidden}",
                handler = sym $handler,
                forbidden = sym $crate::reexports::taktos_forbidden_call,
            )
        }
    };
}
