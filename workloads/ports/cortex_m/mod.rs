//! The test of the port for the Cortex-M. It needs the port's own words, which no workload may
//! know, so it is no module of the crate of workloads: the program `port` of each of its boards
//! takes these files as they are.
//!
//! Owns: what is checked, in which order; two threads that work side by side. Must never know: the
//! board, which is `crate::board` with what the program says of it.
#![expect(unsafe_code, reason = "fills registers and looks at them again")]

// Of the processors Armv6-M alone does not exchange words.
#[cfg(not(target_has_atomic = "32"))]
mod armv6m;
mod calls;
mod entries;
#[cfg(target_has_atomic = "32")]
mod float;
mod frames;
#[cfg(target_has_atomic = "32")]
mod handlers;
mod interrupts;
mod live;
mod nested;
#[cfg(target_has_atomic = "32")]
mod registers;
#[cfg(target_has_atomic = "32")]
mod resumed;
mod returns;
mod time;
#[cfg(target_has_atomic = "32")]
mod urgent;

#[cfg(not(target_has_atomic = "32"))]
use armv6m::{float, handlers, registers};

use crate::Board;
use crate::board::start;
use crate::storm;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Kernel, Span, System, Thread, Timeout};

type Stack = Thread<Board, 2048>;

static MAIN: Stack = Thread::new("main").priority(5);
static LEFT: Stack = Thread::new("left").priority(10);
static RIGHT: Stack = Thread::new("right").priority(10);
static OTHER: Stack = Thread::new("other").priority(10);
static URGENT: Stack = Thread::new("urgent").priority(1);

crate::board::entry!(start(&MAIN, main));

/// A timer that the board leaves to the program; its interrupt is the urgent one.
pub struct Timer {
    /// The interrupt's number.
    pub number: u16,
    /// Begins a stress test by interrupts above the kernel's level; `end` ends it, and checks where
    /// they came.
    pub begin: fn(),
    pub end: fn(),
    /// Lets the interrupt come once, after that number of ticks; `stop` ends that.
    pub once: fn(u32),
    pub stop: fn(),
}

fn main() {
    #[cfg(target_has_atomic = "32")]
    crate::board::urgent_interrupt::enable(0x40);
    if let Some(timer) = storm::TIMER {
        (timer.begin)();
    }
    all_pairs();
    preempted_by_alarms();
    frames::hold_what_is_used();
    float::begins_unused_after_an_end();
    returns::hold_one_frame_more();
    if let Some(timer) = storm::TIMER {
        (timer.end)();
    }
    #[cfg(target_has_atomic = "32")]
    resumed::leave_no_reservation();
    #[cfg(target_has_atomic = "32")]
    resumed::go_on_with_loads();
    entries::answer();
    time::slices_end_in_time();
    time::slices_go_on_behind_own_calls();
    time::new_slices_are_whole();
    time::sleep_is_exact();
    interrupts::wake_threads();
    interrupts::wait_for_the_end_of_a_section();
    #[cfg(target_has_atomic = "32")]
    urgent::come_in_order();
    #[cfg(target_has_atomic = "32")]
    urgent::are_never_masked();
    live::numbers_last();
    nested::handlers_nest();
    if let Some(timer) = storm::TIMER {
        nested::heirs_may_change_on_the_way(&timer);
    }
    #[cfg(target_has_atomic = "32")]
    handlers::sections_from_above_leave_the_mask();
    nested::drivers_priorities_come_to_the_level();
    Board::write("all passed\n");
    Board::exit(0);
}

fn slices(on: bool) {
    check(
        "slices",
        Kernel::<Board>::set_time_slice(on.then(|| 7.micros())).is_ok(),
    );
}

/// Adds to a number that no other code changes meanwhile, or that is not exact; what it was before.
pub fn add(number: &AtomicU32, more: u32) -> u32 {
    let before = number.load(Relaxed);
    number.store(before + more, Relaxed);
    before
}

pub fn check(what: &str, holds: bool) {
    if !holds {
        Board::write("failed: ");
        Board::write(what);
        Board::write("\n");
        Board::exit(1);
    }
}

/// Work of a thread: the function, how often, and with which numbers in its registers.
#[derive(Clone, Copy)]
struct Work {
    name: &'static str,
    act: extern "C" fn(u32, u32) -> u32,
    rounds: u32,
    steps: u32,
    seed: u32,
}

/// Returns the same work for the left thread and for the right one.
const fn works(name: &'static str, act: extern "C" fn(u32, u32) -> u32, steps: u32) -> [Work; 2] {
    let (rounds, seed) = (100, 0xA5C9_4000);
    let left = Work {
        name,
        act,
        rounds,
        steps,
        seed,
    };
    let seed = 0x5A36_8000;
    [left, Work { seed, ..left }]
}

static SPINS: [Work; 2] = works("interrupted", registers::spin_with_registers, 50);
static CONDITIONS: [Work; 2] = works(
    "interrupted among conditions",
    registers::spin_in_conditions,
    40,
);
static YIELDS: [Work; 2] = works("yielding", calls::yield_with_registers, 2);
static FLOAT_SPINS: [Work; 2] = works("interrupted with float", float::spin_with_float, 40);
static FLOAT_YIELDS: [Work; 2] = works("yielding with float", float::yield_with_float, 2);
/// No other thread to yield to but the sleeper.
static YIELDS_MORE: [Work; 2] = works("calling", calls::yield_with_registers, 50);
static FLOAT_YIELDS_MORE: [Work; 2] = works("calling with float", float::yield_with_float, 50);
static DOZES: [Work; 2] = works("sleeping", calls::doze_with_registers, 2);
static FLOAT_DOZES: [Work; 2] = works("sleeping with float", float::doze_with_float, 2);

/// Every kind of frame with every other one, in both directions.
fn all_pairs() {
    slices(true);
    let kinds = [&SPINS, &CONDITIONS, &YIELDS, &FLOAT_SPINS, &FLOAT_YIELDS];
    let kinds = with_unit(&kinds, 3);
    for (index, [left, _]) in kinds.iter().enumerate() {
        for [_, right] in &kinds[index..] {
            pair(left, &RIGHT, right);
        }
    }
    slices(false);
}

/// A more urgent thread that sleeps takes the processor away, and gives it back directly.
fn preempted_by_alarms() {
    let kinds = [
        &SPINS,
        &CONDITIONS,
        &YIELDS_MORE,
        &FLOAT_SPINS,
        &FLOAT_YIELDS_MORE,
    ];
    for [left, _] in with_unit(&kinds, 3) {
        for [_, urgent] in with_unit(&[&DOZES, &FLOAT_DOZES], 1) {
            pair(left, &URGENT, urgent);
        }
    }
}

/// Returns the works that the processor can do: all, or without a floating-point unit the first.
fn with_unit<'a>(works: &'a [&'static [Work; 2]], first: usize) -> &'a [&'static [Work; 2]] {
    match float::is_there() {
        true => works,
        false => &works[..first],
    }
}

/// Thread that ran last, and how often that changed.
static LAST: AtomicU32 = AtomicU32::new(0);
static CHANGES: AtomicU32 = AtomicU32::new(0);

/// Works with a different seed in each round.
fn labour(work: &'static Work) {
    for round in 0..work.rounds {
        if LAST.load(Relaxed) != work.seed {
            LAST.store(work.seed, Relaxed);
            add(&CHANGES, 1);
        }
        check(
            work.name,
            (work.act)(work.seed + round * 4, work.steps) == 0,
        );
    }
}

/// Runs two threads side by side; they must take turns.
fn pair(left: &'static Work, beside: &'static Stack, right: &'static Work) {
    CHANGES.store(0, Relaxed);
    check(
        "start",
        LEFT.start_with(labour, left).is_ok() && beside.start_with(labour, right).is_ok(),
    );
    check(
        "join",
        LEFT.join(Timeout::FOREVER).is_ok() && beside.join(Timeout::FOREVER).is_ok(),
    );
    check("turns", CHANGES.load(Relaxed) >= 50);
    Board::write(left.name);
    Board::write(" beside ");
    Board::write(right.name);
    Board::write("\n");
}

extern "C" fn give_way() {
    AnyThread::<Board>::yield_now();
}

extern "C" fn doze() {
    check("sleep", AnyThread::<Board>::sleep(3.micros()).is_ok());
}
