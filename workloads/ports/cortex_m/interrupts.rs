//! Owns: whether interrupts come, in their order, and how they work with threads.

use super::float::wait_with_float;
use super::registers::wait_with_registers;
use super::{URGENT, check};
use crate::Board;
use crate::board::{interrupt, urgent_interrupt};
use crate::storm;
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
const PEND_SWITCH: u32 = 1 << 28;
const UNPEND_SWITCH: u32 = 1 << 27;
const PEND_SLICE_END: u32 = 1 << 26;

/// Action of the spare interrupt.
struct Act(Cell<fn()>);

// SAFETY: one word, written by one thread before the interrupt.
unsafe impl Sync for Act {}

static ACT: Act = Act(Cell::new(|| ()));
static HANDLED: AtomicU32 = AtomicU32::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);

#[unsafe(no_mangle)]
extern "C" fn taktos_spare_interrupt() {
    check(
        "handlers of one level nest",
        DEPTH.fetch_add(1, Relaxed) == 0,
    );
    (ACT.0.get())();
    HANDLED.fetch_add(1, Relaxed);
    DEPTH.fetch_sub(1, Relaxed);
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

fn control() -> u32 {
    // SAFETY: reads a register without side effects.
    unsafe { read_volatile(with_exposed_provenance(INTERRUPT_CONTROL)) }
}

fn set_control(bits: u32) {
    // SAFETY: makes exceptions of the port pending, or not.
    unsafe { write_volatile(with_exposed_provenance_mut(INTERRUPT_CONTROL), bits) };
}

/// Whether a switch was pending at the end of the interrupt; it no longer is.
pub fn take_back_switch() -> bool {
    let pending = control() & PEND_SWITCH != 0;
    set_control(UNPEND_SWITCH);
    pending
}

/// The level up to which interrupts are masked; 0: none.
pub fn base_priority() -> u32 {
    let level;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, basepri", out(reg) level, options(nomem, nostack, preserves_flags)) };
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
    SERVED.fetch_add(1, Relaxed);
}

/// How often a thread was woken.
pub fn served() -> u32 {
    SERVED.load(Relaxed)
}

static EXPECTED: AtomicU32 = AtomicU32::new(0);

/// The more urgent interrupt comes first, and in the middle of another; equals come one after the
/// other.
pub fn come_in_order() {
    interrupt::enable();
    let urgent = storm::count();
    EXPECTED.store(urgent + 1, Relaxed);
    ACT.0.set(|| {
        let before = storm::count();
        check(
            "the urgent one comes first",
            before == EXPECTED.load(Relaxed),
        );
        urgent_interrupt::pend();
        barrier();
        check("it nests in a handler", storm::count() == before + 1);
    });
    // SAFETY: ended below.
    unsafe { asm!("cpsid i", options(nostack, preserves_flags)) };
    interrupt::pend();
    urgent_interrupt::pend();
    set_control(PEND_SLICE_END | PEND_SWITCH);
    barrier();
    check(
        "nothing comes while all is masked",
        storm::count() == urgent,
    );
    // SAFETY: ends the above.
    unsafe { asm!("cpsie i", "isb", options(nostack, preserves_flags)) };
    check("both came", storm::count() == urgent + 2);
    check(
        "and the others",
        control() & (PEND_SLICE_END | PEND_SWITCH) == 0,
    );
    Board::write("interrupts come in their order\n");
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

/// A section of the kernel keeps out its own interrupts, and no others.
pub fn urgent_ones_are_never_masked() {
    ACT.0.set(|| ());
    let (handled, urgent) = (HANDLED.load(Relaxed), storm::count());
    <Board as System>::Machine::mask();
    interrupt::pend();
    urgent_interrupt::pend();
    barrier();
    check("the urgent one comes", storm::count() == urgent + 1);
    check("the other one waits", HANDLED.load(Relaxed) == handled);
    <Board as System>::Machine::unmask(());
    barrier();
    check(
        "for the end of the section",
        HANDLED.load(Relaxed) == handled + 1,
    );
    Board::write("urgent interrupts are not masked\n");
}
