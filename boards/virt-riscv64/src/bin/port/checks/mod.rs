//! Owns: what is checked, in which order; two threads that work side by side.
#![expect(unsafe_code, reason = "fills registers and looks at them again")]

mod float;
mod float_work;
mod interrupts;
mod registers;
mod time;

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use float_work::{spin_with_float, yield_with_float};
use registers::{spin_with_registers, yield_with_registers};
use taktos_kernel::{AnyThread, Kernel, Span, System, Thread, Timeout};
use virt_riscv64::{Board, start};

type Stack = Thread<Board, 4096>;

static MAIN: Stack = Thread::new("main").priority(5);
static LEFT: Stack = Thread::new("left").priority(10);
static RIGHT: Stack = Thread::new("right").priority(10);
static PLAIN: Stack = Thread::new("plain").priority(10);
static URGENT: Stack = Thread::new("urgent").priority(1);

#[riscv_rt::entry]
fn entry() -> ! {
    start(&MAIN, main)
}

fn main() {
    pair("voluntary to voluntary", &YIELDS_LEFT, &YIELDS_RIGHT, 0);
    slices(true);
    pair("involuntary to involuntary", &SPINS_LEFT, &SPINS_RIGHT, 10);
    pair(
        "involuntary to voluntary and back",
        &SPINS_LEFT,
        &YIELDS_RIGHT,
        10,
    );
    pair(
        "floating point, interrupted",
        &FLOATS_LEFT,
        &FLOATS_RIGHT,
        10,
    );
    pair("floating point beside none", &FLOATS_LEFT, &SPINS_RIGHT, 10);
    pair(
        "floating point, yielding",
        &FLOAT_YIELDS_LEFT,
        &FLOATS_RIGHT,
        10,
    );
    slices(false);
    pair(
        "floating point, yielding both",
        &FLOAT_YIELDS_LEFT,
        &FLOAT_YIELDS_RIGHT,
        0,
    );
    float::begins_cleared_after_an_end();
    time::slices_end_in_time();
    time::sleep_is_exact();
    interrupts::wake_threads();
    interrupts::frames_do_not_pile_up();
    Board::write("all passed\n");
    Board::exit(0);
}

fn slices(on: bool) {
    check(
        "slices",
        Kernel::<Board>::set_time_slice(on.then(|| 20.micros())).is_ok(),
    );
}

fn check(what: &str, holds: bool) {
    if !holds {
        Board::write("failed: ");
        Board::write(what);
        Board::write("\n");
        Board::exit(1);
    }
}

/// What a thread does, how often, and with which numbers in its registers.
struct Work {
    name: &'static str,
    act: extern "C" fn(u32, u32) -> u32,
    rounds: u32,
    steps: u32,
    seed: u32,
    me: u32,
}

const fn work(
    name: &'static str,
    act: extern "C" fn(u32, u32) -> u32,
    steps: u32,
    me: u32,
) -> Work {
    Work {
        name,
        act,
        rounds: 100,
        steps,
        seed: 0x1000_0000 * me + 0x0123_4567,
        me,
    }
}

static YIELDS_LEFT: Work = work("yields left", yield_with_registers, 2, 1);
static YIELDS_RIGHT: Work = work("yields right", yield_with_registers, 2, 2);
static SPINS_LEFT: Work = work("spins left", spin_with_registers, 100, 1);
static SPINS_RIGHT: Work = work("spins right", spin_with_registers, 100, 2);
static FLOATS_LEFT: Work = work("floats left", spin_with_float, 100, 1);
static FLOATS_RIGHT: Work = work("floats right", spin_with_float, 100, 2);
static FLOAT_YIELDS_LEFT: Work = work("yields with float left", yield_with_float, 2, 1);
static FLOAT_YIELDS_RIGHT: Work = work("yields with float right", yield_with_float, 2, 2);

/// Who ran last, and how often that changed.
static LAST: AtomicU32 = AtomicU32::new(0);
static CHANGES: AtomicU32 = AtomicU32::new(0);

fn labour(work: &'static Work) {
    for _ in 0..work.rounds {
        if LAST.swap(work.me, Relaxed) != work.me {
            CHANGES.fetch_add(1, Relaxed);
        }
        check(work.name, (work.act)(work.seed, work.steps) == 0);
    }
}

/// Runs two threads side by side; they must take turns at least so often.
fn pair(name: &'static str, left: &'static Work, right: &'static Work, turns: u32) {
    CHANGES.store(0, Relaxed);
    check(
        name,
        LEFT.start_with(labour, left).is_ok() && RIGHT.start_with(labour, right).is_ok(),
    );
    check(
        name,
        LEFT.join(Timeout::FOREVER).is_ok() && RIGHT.join(Timeout::FOREVER).is_ok(),
    );
    check(name, CHANGES.load(Relaxed) >= turns);
    Board::write(name);
    Board::write("\n");
}

extern "C" fn give_way() {
    AnyThread::<Board>::yield_now();
}
