//! Owns: whether interrupts come, one after the other, and leave everything as it was.

use super::{LEFT, URGENT, check};
use core::arch::asm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{Error, Semaphore, System, Timeout};
use virt_riscv64::{Board, interrupt};

static WOKEN: Semaphore<Board> = Semaphore::new(0);
static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);
static SERVED: AtomicU32 = AtomicU32::new(0);

/// The handler of the spare interrupt.
#[unsafe(no_mangle)]
extern "C" fn taktos_spare_interrupt() {
    check("handlers nest", DEPTH.fetch_add(1, Relaxed) == 0);
    let before = INTERRUPTS.fetch_add(1, Relaxed);
    check(
        "blocking in a handler",
        WOKEN.take(Timeout::FOREVER) == Err(Error::Context),
    );
    if before == 0 {
        // Pending at once, and served after this one.
        interrupt::pend();
        check("nested", INTERRUPTS.load(Relaxed) == 1);
    }
    check("give", WOKEN.give().is_ok());
    check(
        "woken before the end of the interrupt",
        SERVED.load(Relaxed) <= before,
    );
    DEPTH.fetch_sub(1, Relaxed);
}

fn serve() {
    loop {
        check("take", WOKEN.take(Timeout::FOREVER).is_ok());
        SERVED.fetch_add(1, Relaxed);
    }
}

pub fn wake_threads() {
    interrupt::enable();
    check("serve", URGENT.start(serve).is_ok());
    interrupt::pend();
    wait_for(&SERVED, 2);
    check("two interrupts", INTERRUPTS.load(Relaxed) == 2);
    interrupt::pend();
    wait_for(&SERVED, 3);
    check("end", URGENT.delete().is_ok());
    Board::write("interrupts wake threads\n");
}

fn wait_for(word: &AtomicU32, value: u32) {
    for _ in 0..1000 {
        check("a thread runs", handlers_stack() != 0);
        if word.load(Relaxed) == value {
            return;
        }
    }
    check("an interrupt came", false);
}

/// More than as many frames of 256 bytes as a stack has room for.
const ROUNDS: u32 = 100;
static BEGIN: Semaphore<Board> = Semaphore::new(0);

/// Gives way, again and again, with an interrupt pending that wakes it.
fn storm() {
    check("begin", BEGIN.take(Timeout::FOREVER).is_ok());
    for _ in 0..ROUNDS {
        // SAFETY: as the kernel's own mask, which the call that follows sets too, and ends.
        unsafe { asm!("csrci sstatus, 2", options(nostack, preserves_flags)) };
        interrupt::pend();
        check("the storm goes on", WOKEN.take(Timeout::FOREVER).is_ok());
    }
}

/// Is resumed in the storm, first from a call and then from interrupts, and never gets on.
fn bear() {
    check("begin the storm", BEGIN.give().is_ok());
}

/// A storm of interrupts does not fill the stack of a thread that it does not let run.
pub fn frames_do_not_pile_up() {
    let before = INTERRUPTS.load(Relaxed);
    check("storm", URGENT.start(storm).is_ok());
    check("bear", LEFT.start(bear).is_ok());
    check("calm", LEFT.join(Timeout::FOREVER).is_ok());
    check("rounds", INTERRUPTS.load(Relaxed) == before + ROUNDS);
    Board::write("frames do not pile up\n");
}

/// `sscratch`: zero in handlers.
fn handlers_stack() -> usize {
    let stack;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, sscratch", out(reg) stack, options(nomem, nostack, preserves_flags)) };
    stack
}
