//! Owns: whether a thread that goes on elsewhere has its registers, all of them.

use super::float_work::{spin_with_float, yield_with_float};
use super::registers::{spin_with_registers, yield_with_registers};
use super::{check, spin_for};
use crate::console;
use crate::threads::{
    M, PROCESSORS, WORKERS, join_workers, move_to, section, start_worker, yield_in_slice, yield_now,
};
use core::arch::asm;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use taktos_machine::Machine;
use taktos_time::Duration;

/// What a worker does: with its numbers in its registers, so many steps.
type Work = extern "C" fn(u32, u32) -> u32;

const WORK: [(Work, u32); 4] = [
    (spin_with_registers, 40),
    (yield_with_registers, 2),
    (spin_with_float, 20),
    (yield_with_float, 2),
];
const ROUNDS: u32 = 60;

/// The processors that each worker has worked on, one bit each.
static PLACES: [AtomicU32; WORKERS] = [const { AtomicU32::new(0) }; WORKERS];
static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicBool = AtomicBool::new(false);

/// Two workers of each kind for four processors: slices, yields and moves take them from one to another.
pub fn of_threads_with_full_registers() {
    section(|| M::set_slice(Some(Duration::from_nanos(7_000))));
    for worker in 0..WORKERS {
        start_worker(worker, None, labour, worker);
    }
    join_workers();
    section(|| M::set_slice(None));
    for places in &PLACES {
        let all = (1 << PROCESSORS) - 1;
        check("each worker was everywhere", places.load(Relaxed) == all);
    }
    console::write("threads take their registers along\n");
}

fn labour(worker: usize) {
    let (work, steps) = WORK[worker % WORK.len()];
    let seed = 0x1000_0000 * worker as u32 + 0x0123_4567;
    for round in 0..ROUNDS {
        check("registers", work(seed.rotate_left(round), steps) == 0);
        PLACES[worker].fetch_or(1 << section(M::number), Relaxed);
        let place = (worker + round as usize) % PROCESSORS;
        check("the answer of a move", move_to(place));
        check("the place", section(M::number) == place);
    }
}

/// What a worker calls with full registers: it lets others run, or goes on elsewhere.
pub extern "C" fn give_way() {
    let turn = TURNS.fetch_add(1, Relaxed);
    let answered = match turn % 3 {
        0 => yield_now(),
        1 => yield_in_slice(),
        _ => move_to(turn as usize / 3 % PROCESSORS),
    };
    check("the answer of a yield", answered);
}

/// A thread that begins to use the unit finds zeroes, whoever had it before on that processor.
pub fn float_begins_cleared_elsewhere() {
    for number in 0..PROCESSORS {
        start_worker(number, Some(number), dirty_then_leave, number);
    }
    join_workers();
    for number in 0..PROCESSORS {
        start_worker(number, Some(number), begins_cleared, number);
    }
    join_workers();
    console::write("floating point begins cleared\n");
}

const SLICE: u64 = 20_000;

/// A thread with floating-point state gives way in the middle of its slice: the next one has a whole slice.
pub fn slices_begin_anew_behind_float() {
    section(|| M::set_slice(Some(Duration::from_nanos(SLICE))));
    start_worker(0, Some(1), leave_in_the_middle, 0);
    start_worker(1, Some(1), measure_slices, 0);
    join_workers();
    section(|| M::set_slice(None));
    console::write("slices begin anew behind floating point\n");
}

fn leave_in_the_middle(_: usize) {
    while !STOP.load(Relaxed) {
        check("floats", spin_with_float(0x7777_7777, 1) == 0);
        spin_for(SLICE / 2);
        check("the answer of a yield", yield_now());
    }
}

/// Sees by a gap that another thread ran, which is after one slice.
fn measure_slices(_: usize) {
    let mut begun = M::now();
    let mut seen = begun;
    let mut turns = 0;
    while turns < 10 {
        let now = M::now();
        if now.since(seen).as_nanos() > SLICE / 4 {
            let used = seen.since(begun).as_nanos();
            check(
                "a whole slice",
                used > SLICE * 9 / 10 && used < SLICE * 11 / 10,
            );
            turns += 1;
            begun = now;
        }
        seen = now;
    }
    STOP.store(true, Relaxed);
}

fn dirty_then_leave(number: usize) {
    check("floats", spin_with_float(0x7777_7777, 3) == 0);
    check("the answer of a move", move_to((number + 1) % PROCESSORS));
}

fn begins_cleared(_: usize) {
    let (first, last): (u64, u64);
    // SAFETY: reads two registers of this thread.
    unsafe {
        asm!(
            ".option push",
            ".option arch, +d",
            "fmv.x.d {0}, f0",
            "fmv.x.d {1}, f31",
            ".option pop",
            out(reg) first, out(reg) last,
            options(nomem, nostack, preserves_flags),
        );
    }
    check("floating-point registers begin as zero", first | last == 0);
}
