//! The probe's sequence, and what it prints: one line a figure. Both are the same on each
//! architecture.

use core::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::interrupts;
use super::processor::{
    self, SPAN, count_turns, now, start_processor, stop_this_processor, wait_for_interrupt,
};
use semihosting::{print, println};

const PROCESSORS: usize = 4;
/// Ticks until all processors have begun.
const NOTICE: u64 = SPAN / 10;

const NOT_DONE: u64 = u64::MAX;
static RESULTS: [AtomicU64; PROCESSORS] = [const { AtomicU64::new(NOT_DONE) }; PROCESSORS];
/// Task of the other processors when they start, and when they shall begin.
static TASK: AtomicU64 = AtomicU64::new(0);
static BEGIN: AtomicU64 = AtomicU64::new(0);

const COUNT: u64 = 0;
const SLEEP: u64 = 1;
const WAIT_FOR_CALL: u64 = 2;

/// Ticks by which this processor, halted, wakes too late from its own timer.
fn sleep(processor: usize) -> u64 {
    interrupts::enable(processor);
    let due = BEGIN.load(SeqCst) + 1_000 * (processor as u64 + 1);
    interrupts::set_timer(due);
    wait_for_interrupt();
    let late = now() - due;
    interrupts::end_timer();
    late
}

/// When this processor, halted, was woken by another's interrupt.
fn wait_for_call(processor: usize) -> u64 {
    interrupts::enable(processor);
    wait_for_interrupt();
    let woken = now();
    interrupts::end_call();
    woken
}

pub(super) extern "C" fn other(processor: usize) -> ! {
    let result = match TASK.load(SeqCst) {
        COUNT => count_turns(BEGIN.load(SeqCst)),
        SLEEP => sleep(processor),
        _ => wait_for_call(processor),
    };
    RESULTS[processor].store(result, SeqCst);
    stop_this_processor()
}

fn start_others(task: u64, count: usize) {
    TASK.store(task, SeqCst);
    BEGIN.store(now() + NOTICE, SeqCst);
    for (processor, result) in RESULTS.iter().enumerate().take(count).skip(1) {
        result.store(NOT_DONE, SeqCst);
        start_processor(processor);
    }
}

fn result(processor: usize) -> u64 {
    loop {
        let result = RESULTS[processor].load(SeqCst);
        if result != NOT_DONE && processor::is_off(processor) {
            return result;
        }
    }
}

fn busy(count: usize) {
    start_others(COUNT, count);
    RESULTS[0].store(count_turns(BEGIN.load(SeqCst)), SeqCst);
    print!("@busy processors={count}");
    for processor in 1..count {
        result(processor);
    }
    for (processor, turns) in RESULTS.iter().enumerate().take(count) {
        print!(" turns{processor}={}", turns.load(SeqCst));
    }
    println!();
}

fn timers() {
    start_others(SLEEP, PROCESSORS);
    RESULTS[0].store(sleep(0), SeqCst);
    print!("@timers");
    for processor in 1..PROCESSORS {
        result(processor);
    }
    for (processor, late) in RESULTS.iter().enumerate() {
        print!(" late{processor}={}", late.load(SeqCst));
    }
    println!();
}

fn call() {
    start_others(WAIT_FOR_CALL, 2);
    while now() < BEGIN.load(SeqCst) {}
    let called = now();
    interrupts::call(1);
    let late = result(1) - called;
    println!("@call late={late}");
}

pub(super) extern "C" fn first() -> ! {
    interrupts::enable_distributor();
    for count in [1, 2, 4] {
        busy(count);
    }
    timers();
    call();
    println!("@end at={}", now());
    semihosting::process::exit(0)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    semihosting::process::exit(1)
}
