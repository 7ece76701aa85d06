//! Owns: whether handlers of several priorities below the kernel's mask nest and wake threads,
//! without losing a register. Must never know: how the processor finds them.

use super::calls::nest_with_registers;
use super::float::nest_with_float;
use super::handlers::{LEVELS, use_own};
use super::interrupts::{WOKEN, barrier, in_handler, serve, serve_with_float, served};
use super::{LEFT, Timer, URGENT, add, check, time};
use crate::Board;
use crate::storm;
use core::arch::asm;
use core::ptr::{read_volatile, with_exposed_provenance_mut, write_volatile};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_cortex_m::{
    KERNEL_LEVEL, Level, bring_to_kernel_level, enable_interrupt, pend_interrupt,
};
use taktos_kernel::{Priority, System, Timeout};

/// Interrupts that no device of the board has: the first of them, which nest, and the one behind.
pub const FIRST: u16 = 20;
pub const BEHIND: u16 = FIRST + LEVELS.len() as u16;

pub extern "C" fn broken() {
    check("a handler keeps its registers", false);
}

static DEPTH: AtomicU32 = AtomicU32::new(0);
static DEEPEST: AtomicU32 = AtomicU32::new(0);

/// Wakes a thread, before and after an interrupt of the next priority.
pub extern "C" fn act() {
    let exception: u16;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, ipsr", out(reg) exception, options(nomem, nostack, preserves_flags)) };
    let depth = add(&DEPTH, 1) + 1;
    DEEPEST.store(depth.max(DEEPEST.load(Relaxed)), Relaxed);
    let before = served();
    check("give", WOKEN.give().is_ok());
    let next = exception - 16 + 1;
    if next < BEHIND {
        pend_interrupt(next);
        barrier();
    }
    check("give", WOKEN.give().is_ok());
    check("a thread runs behind the last handler", served() == before);
    DEPTH.store(depth - 1, Relaxed);
}

/// Lets the least urgent of the handlers come; the others nest in it.
pub extern "C" fn nest() {
    pend_interrupt(FIRST);
    barrier();
}

fn be_interrupted() {
    let registers = nest_with_registers(0x4567_8000, 50);
    check("registers below handlers", registers == 0);
    let floats = nest_with_float(0x5678_9000, 50);
    check("floats below handlers", floats == 0);
}

/// Handlers of all priorities below the mask, one in the other.
pub fn handlers_nest() {
    use_own();
    for (number, level) in (FIRST..).zip(LEVELS) {
        enable_interrupt(number, level);
    }
    for serve in [serve as fn(), serve_with_float] {
        check("serve", URGENT.start(serve).is_ok());
        let before = served();
        check("start", LEFT.start(be_interrupted).is_ok());
        check("join", LEFT.join(Timeout::FOREVER).is_ok());
        let wakes = 2 * LEVELS.len() as u32;
        check("all were served", served() == before + 100 * wakes);
        check("end", URGENT.delete().is_ok());
    }
    check("all nested", DEEPEST.load(Relaxed) == LEVELS.len() as u32);
    Board::write("handlers nest\n");
}

static TAKEN_BACK: AtomicU32 = AtomicU32::new(0);
/// In even rounds the thread is suspended, which always requests a switch. In odd ones it becomes
/// less urgent than the thread that is just being left: that is the heir again, and no switch is
/// requested.
static ROUND: AtomicU32 = AtomicU32::new(0);

/// Gives the woken thread its priority, of the levels 0 to 31; the main thread has 5.
fn make(level: u8) {
    let priority = Priority::new(level).unwrap_or(Priority::LEAST_URGENT);
    check("priority", URGENT.set_priority(priority).is_ok());
}

/// Takes the woken thread back before it has run, or right after it.
pub extern "C" fn take_back() {
    if let Some(timer) = storm::TIMER {
        (timer.stop)();
    }
    match ROUND.load(Relaxed) % 2 {
        0 => check("suspend", URGENT.suspend().is_ok()),
        _ => make(20),
    }
    TAKEN_BACK.store(served(), Relaxed);
}

/// A handler names another heir while a switch is under way, at each instruction of it.
pub fn heirs_may_change_on_the_way(timer: &Timer) {
    check("serve", URGENT.start(serve).is_ok());
    enable_interrupt(timer.number, Level::Kernel);
    let (mut before_it_ran, mut behind) = (0, 0);
    for delay in 1..=150 {
        let before = served();
        ROUND.store(delay, Relaxed);
        (timer.once)(10);
        time::spin(delay);
        in_handler(|| check("give", WOKEN.give().is_ok()));
        time::spin(300);
        check(
            "it did not run behind",
            TAKEN_BACK.load(Relaxed) == served(),
        );
        if served() == before {
            before_it_ran += 1;
        } else {
            behind += 1;
        }
        match delay % 2 {
            0 => check("resume", URGENT.resume().is_ok()),
            _ => make(1),
        }
        check("it was woken once", served() == before + 1);
    }
    check("the heir was taken back", before_it_ran > 20 && behind > 20);
    check("end", URGENT.delete().is_ok());
    Board::write("heirs may change on the way\n");
}

/// Priorities as a driver sets them before the kernel starts, and what becomes of them; of the last
/// it was said that it is above, where one can be.
const SET: [(u8, u8); 5] = [
    (0, KERNEL_LEVEL),
    (0x70, KERNEL_LEVEL),
    (0x80, 0x80),
    (0xC0, 0xC0),
    (
        0x40,
        if LEVELS.len() == 4 {
            0x40
        } else {
            KERNEL_LEVEL
        },
    ),
];

/// The word of the controller with the priority of the interrupt `number`, and how far that is
/// shifted there.
fn priority(number: u16) -> (*mut u32, u16) {
    const PRIORITIES: usize = 0xE000_E400;
    let word = with_exposed_provenance_mut(PRIORITIES + usize::from(number) / 4 * 4);
    (word, number % 4 * 8)
}

fn set_priority(number: u16, priority_of: u8) {
    let (word, shift) = priority(number);
    // SAFETY: a register of interrupts that nothing uses any more.
    unsafe {
        let others = read_volatile(word) & !(0xFF << shift);
        write_volatile(word, others | u32::from(priority_of) << shift);
    }
}

/// Those that are above the kernel's level come to it, but for those that were let through there.
pub fn drivers_priorities_come_to_the_level() {
    let numbers = FIRST..FIRST + SET.len() as u16;
    for (number, (set, _)) in numbers.clone().zip(SET) {
        set_priority(number, set);
    }
    bring_to_kernel_level();
    for (number, (_, expected)) in numbers.zip(SET) {
        let (word, shift) = priority(number);
        // SAFETY: as above.
        let found = unsafe { read_volatile(word) } >> shift;
        check(
            "a driver's priority is at the level",
            found as u8 == expected,
        );
    }
    Board::write("drivers' priorities come to the kernel's level\n");
}
