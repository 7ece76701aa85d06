//! Two executors of embassy: one computes for 5 ms at a time, the other is more urgent, and wakes
//! every 3 ms.
//!
//! Owns: the two tasks. Must never know: how executors become threads.
//!
//! `taktos count` takes what the urgent task waits for between the interrupt and the mark
//! `embassy_demo_urgent`, from outside.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use embassy_time::{Duration, Ticker, Timer};
use taktos::board::Board;
use taktos::{Kernel, Semaphore, System, Thread, Timeout};
use taktos_embassy::Executor;

/// The stack of a thread, in bytes.
const STACK: usize = 512 * size_of::<usize>();
/// How often the urgent task wakes, and from one time to the next.
const TIMES: u32 = 100;
const PERIOD_MS: u64 = 3;

taktos_embassy::runtime!(Async on Board);

static MAIN: Thread<Board, STACK> = Thread::new("main").priority(20);
static URGENT: Thread<Board, STACK> = Thread::new("urgent").priority(5);
static PATIENT: Thread<Board, STACK> = Thread::new("patient").priority(10);
static URGENT_TASKS: Executor<Async> = Executor::new();
static PATIENT_TASKS: Executor<Async> = Executor::new();
static DONE: Semaphore<Board> = Semaphore::new(0);
/// How often the patient task has computed, and what the urgent one was late by at most, in
/// nanoseconds.
static COMPUTED: AtomicU32 = AtomicU32::new(0);
static LATEST: AtomicU32 = AtomicU32::new(0);

/// Starts everything, and ends the program when the urgent task is done.
#[taktos::main(MAIN)]
fn first() {
    let _ = URGENT.start(|| {
        URGENT_TASKS.run(|tasks| {
            if let Ok(task) = wake() {
                tasks.spawn(task);
            }
        })
    });
    let _ = PATIENT.start(|| {
        PATIENT_TASKS.run(|tasks| {
            if let Ok(task) = compute() {
                tasks.spawn(task);
            }
        })
    });
    let _ = DONE.take(Timeout::FOREVER);
    let (computed, latest) = (COMPUTED.load(Relaxed), LATEST.load(Relaxed));
    taktos::println!("woke {TIMES} times, {latest} ns late at most; computed {computed} times");
    Board::exit(0);
}

/// Wakes every 3 ms.
#[embassy_executor::task]
async fn wake() {
    let mut ticker = Ticker::every(Duration::from_millis(PERIOD_MS));
    let mut due = Kernel::<Board>::now();
    for _ in 0..TIMES {
        ticker.next().await;
        embassy_demo_urgent();
        due = due.saturating_add(taktos::Duration::from_millis(PERIOD_MS));
        let late = Kernel::<Board>::now().since(due).as_nanos();
        LATEST.fetch_max(late.try_into().unwrap_or(u32::MAX), Relaxed);
    }
    let _ = DONE.give();
}

/// Computes for 5 ms, and rests for one.
#[embassy_executor::task]
async fn compute() {
    loop {
        let until = embassy_time::Instant::now() + Duration::from_millis(5);
        while embassy_time::Instant::now() < until {
            core::hint::spin_loop();
        }
        COMPUTED.fetch_add(1, Relaxed);
        Timer::after_millis(1).await;
    }
}

/// Place where the urgent task resumes, a symbol for counting from outside.
#[expect(unsafe_code, reason = "a symbol that has its name")]
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn embassy_demo_urgent() {
    core::hint::black_box(());
}
