//! Owns: whether a thread that continues elsewhere has its registers, all of them.

use super::threads::{
    PROCESSORS, WORKERS, join_workers, move_to, section, set_slice, start_worker, yield_in_slice,
    yield_now,
};
use super::{SmpPort, check, spin_for};
use crate::port::full::{
    GiveWay, float_is_clear, spin_with_float, spin_with_registers, yield_with_float,
    yield_with_registers,
};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use taktos_machine::Machine;

/// Work of a worker: a number of steps, with its numbers in its registers.
type Work = extern "C" fn(u32, u32) -> u32;

const fn work<P: SmpPort>() -> [(Work, u32); 4] {
    [
        (spin_with_registers, 40),
        (yield_with_registers::<Leave<P>>, 2),
        (spin_with_float, 20),
        (yield_with_float::<Leave<P>>, 2),
    ]
}

const ROUNDS: u32 = 60;

/// The processors that each worker has worked on, one bit each.
static PLACES: [AtomicU32; WORKERS] = [const { AtomicU32::new(0) }; WORKERS];
static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicBool = AtomicBool::new(false);

/// Two workers of each kind for four processors: slices, yields and moves take them from one to
/// another.
pub fn of_threads_with_full_registers<P: SmpPort>() {
    set_slice::<P>(Some(7_000));
    for worker in 0..WORKERS {
        start_worker::<P>(worker, None, labour::<P>, worker);
    }
    join_workers::<P>();
    set_slice::<P>(None);
    for places in &PLACES {
        let all = (1 << PROCESSORS) - 1;
        check::<P>("each worker was everywhere", places.load(Relaxed) == all);
    }
    P::write("threads take their registers along\n");
}

fn labour<P: SmpPort>(worker: usize) {
    let (work, steps) = work::<P>()[worker % 4];
    let seed = 0x1000_0000 * worker as u32 + 0x0123_4567;
    for round in 0..ROUNDS {
        check::<P>("registers", work(seed.rotate_left(round), steps) == 0);
        PLACES[worker].fetch_or(1 << section::<P, _>(P::Machine::number), Relaxed);
        let place = (worker + round as usize) % PROCESSORS;
        check::<P>("the answer of a move", move_to::<P>(place));
        check::<P>("the place", section::<P, _>(P::Machine::number) == place);
    }
}

/// Function that a worker calls with full registers: lets others run, or moves to another
/// processor.
struct Leave<P>(PhantomData<P>);

impl<P: SmpPort> GiveWay for Leave<P> {
    extern "C" fn give_way() {
        let turn = TURNS.fetch_add(1, Relaxed);
        let answered = match turn % 3 {
            0 => yield_now::<P>(),
            1 => yield_in_slice::<P>(),
            _ => move_to::<P>(turn as usize / 3 % PROCESSORS),
        };
        check::<P>("the answer of a yield", answered);
    }
}

/// Checks that a thread which begins to use the unit finds zeroes, whichever thread had it before
/// on that processor.
pub fn float_begins_cleared_elsewhere<P: SmpPort>() {
    for number in 0..PROCESSORS {
        start_worker::<P>(number, Some(number), dirty_then_leave::<P>, number);
    }
    join_workers::<P>();
    for number in 0..PROCESSORS {
        start_worker::<P>(number, Some(number), begins_cleared::<P>, number);
    }
    join_workers::<P>();
    P::write("floating point begins cleared\n");
}

/// Nanoseconds, a hundred ticks of the slowest clock: a slice as seen by its thread lacks up to two
/// ticks, one at either end.
const SLICE: u64 = 100_000;

/// A thread with floating-point state yields in the middle of its slice: the next one has a whole
/// slice.
pub fn slices_begin_anew_behind_float<P: SmpPort>() {
    set_slice::<P>(Some(SLICE));
    start_worker::<P>(0, Some(1), leave_in_the_middle::<P>, 0);
    start_worker::<P>(1, Some(1), measure_slices::<P>, 0);
    join_workers::<P>();
    set_slice::<P>(None);
    P::write("slices begin anew behind floating point\n");
}

fn leave_in_the_middle<P: SmpPort>(_: usize) {
    while !STOP.load(Relaxed) {
        check::<P>("floats", spin_with_float(0x7777_7777, 1) == 0);
        spin_for::<P>(SLICE / 2);
        check::<P>("the answer of a yield", yield_now::<P>());
    }
}

/// Sees by a gap that another thread ran, which is after one slice.
fn measure_slices<P: SmpPort>(_: usize) {
    let mut begun = P::Machine::now();
    let mut seen = begun;
    let mut turns = 0;
    while turns < 10 {
        let now = P::Machine::now();
        if now.since(seen).as_nanos() > SLICE / 4 {
            let used = seen.since(begun).as_nanos();
            check::<P>(
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

fn dirty_then_leave<P: SmpPort>(number: usize) {
    check::<P>("floats", spin_with_float(0x7777_7777, 3) == 0);
    check::<P>(
        "the answer of a move",
        move_to::<P>((number + 1) % PROCESSORS),
    );
}

fn begins_cleared<P: SmpPort>(_: usize) {
    check::<P>("floating-point registers begin as zero", float_is_clear());
}
