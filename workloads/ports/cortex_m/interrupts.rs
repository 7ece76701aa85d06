//! Owns: whether interrupts come, in their order, and how they work with threads.

use super::calls::wait_with_registers;
use super::float::wait_with_float;
use super::{URGENT, add, check};
use crate::Board;
use crate::board::interrupt;
use core::arch::asm;
use core::cell::Cell;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{Error, Semaphore, System, Timeout};
use taktos_machine::Machine;

/// The processor's interrupt control and state register.
const INTERRUPT_CONTROL: usize = 0xE000_ED04;
pub(super) const PEND_SWITCH: u32 = 1 << 28;
const UNPEND_SWITCH: u32 = 1 << 27;

/// Action of the spare interrupt.
struct Act(Cell<fn()>);

// SAFETY: one word, written by one thread before the interrupt.
unsafe impl Sync for Act {}

static ACT: Act = Act(Cell::new(|| ()));
static HANDLED: AtomicU32 = AtomicU32::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn taktos_spare_interrupt() {
    check("handlers of one level nest", add(&DEPTH, 1) == 0);
    (ACT.0.get())();
    add(&HANDLED, 1);
    DEPTH.store(0, Relaxed);
}

/// Makes the next interrupts at the kernel's level do `act`.
pub fn will(act: fn()) {
    ACT.0.set(act);
    interrupt::enable();
}

/// Runs `act` in an interrupt at the kernel's level.
pub fn in_handler(act: fn()) {
    let before = HANDLED.load(Relaxed);
    will(act);
    interrupt::pend();
    barrier();
    check(
        "an interrupt comes at once",
        HANDLED.load(Relaxed) != before,
    );
}

/// Waits until what was pended is seen.
pub fn barrier() {
    // SAFETY: no access is moved across.
    unsafe { asm!("dsb", "isb", options(nostack, preserves_flags)) };
}

pub(super) fn control() -> u32 {
    // SAFETY: reads a register without side effects.
    unsafe { read_volatile(with_exposed_provenance(INTERRUPT_CONTROL)) }
}

pub(super) fn set_control(bits: u32) {
    // SAFETY: makes exceptions of the port pending, or not.
    unsafe { write_volatile(with_exposed_provenance_mut(INTERRUPT_CONTROL), bits) };
}

/// Whether a switch was pending at the end of the interrupt; it no longer is.
pub fn take_back_switch() -> bool {
    let pending = control() & PEND_SWITCH != 0;
    set_control(UNPEND_SWITCH);
    pending
}

/// The level up to which interrupts are masked; 0: none. On Armv6-M 1 says that all are.
pub fn base_priority() -> u32 {
    let level;
    // SAFETY: reads a register.
    unsafe {
        asm!(
            #[cfg(target_has_atomic = "32")]
            "mrs {}, basepri",
            #[cfg(not(target_has_atomic = "32"))]
            "mrs {}, primask",
            out(reg) level,
            options(nomem, nostack, preserves_flags),
        );
    }
    level
}

pub static WOKEN: Semaphore<Board> = Semaphore::new(0);
static SERVED: AtomicU32 = AtomicU32::new(0);

pub fn serve() {
    loop {
        check("serving", wait_with_registers(0x1234_5000, 1) == 0);
    }
}

pub fn serve_with_float() {
    loop {
        check("serving with float", wait_with_float(0x2345_6000, 1) == 0);
    }
}

/// Waits to be woken by a handler.
pub extern "C" fn wait() {
    check("take", WOKEN.take(Timeout::FOREVER).is_ok());
    add(&SERVED, 1);
}

/// How often a thread was woken.
pub fn served() -> u32 {
    SERVED.load(Relaxed)
}

/// A handler wakes a thread and is pending again at once: its second run comes after the switch,
/// when the woken thread has not run yet. That thread switches directly to the interrupted one.
pub fn wake_threads() {
    for serve in [serve as fn(), serve_with_float] {
        SERVED.store(0, Relaxed);
        check("serve", URGENT.start(serve).is_ok());
        in_handler(|| {
            ACT.0.set(wake);
            interrupt::pend();
            wake();
        });
        check("two served", SERVED.load(Relaxed) == 2);
        in_handler(wake);
        check("three served", SERVED.load(Relaxed) == 3);
        check("end", URGENT.delete().is_ok());
    }
    Board::write("interrupts wake threads\n");
}

fn wake() {
    let before = SERVED.load(Relaxed);
    check(
        "a handler cannot wait",
        WOKEN.take(Timeout::FOREVER) == Err(Error::Context),
    );
    check("give", WOKEN.give().is_ok());
    check(
        "a thread runs only after the handler",
        SERVED.load(Relaxed) == before,
    );
}

/// A section of the kernel keeps out its own interrupts.
pub fn wait_for_the_end_of_a_section() {
    will(|| ());
    let handled = HANDLED.load(Relaxed);
    <Board as System>::Machine::mask();
    interrupt::pend();
    barrier();
    check("the interrupt waits", HANDLED.load(Relaxed) == handled);
    <Board as System>::Machine::unmask(());
    barrier();
    check(
        "for the end of the section",
        HANDLED.load(Relaxed) == handled + 1,
    );
    Board::write("interrupts wait for the end of a section\n");
}
