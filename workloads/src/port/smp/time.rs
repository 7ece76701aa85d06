//! Owns: whether the clock is one for all processors, and timers are each one's own.

use super::threads::{
    ALARMS, AT_ALARM, PROCESSORS, SLICES, join_workers, section, set_slice, start_worker, wait,
    wake, yield_now,
};
use super::{SmpPort, check, on_each_processor, spin_for};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use taktos_machine::Machine;
use taktos_time::Instant;

const ROUNDS: u64 = 200;

static LAST: AtomicU64 = AtomicU64::new(0);

/// The greatest quantum of the laboratory's clock, in nanoseconds: a processor may be this far
/// behind another one.
const QUANTUM: u64 = 1_000;

/// Checks that a later read of the clock, on any processor, gives no earlier time.
pub fn is_the_same_for_all<P: SmpPort>() {
    on_each_processor::<P>(|_| {
        for _ in 0..ROUNDS {
            section::<P, _>(|| {
                let now = P::Machine::now().as_nanos();
                let before = LAST.fetch_max(now, Relaxed);
                check::<P>("time does not go back", before <= now + QUANTUM);
            });
        }
    });
    P::write("the time is one\n");
}

/// Nanoseconds by which an alarm may be late: the path to where the woken thread reads the clock.
const LATE: u64 = 5_000;
const STEP: u64 = 50_000;

/// Each processor requests alarms of its own and halts: they come there, in time, and nowhere else.
pub fn alarms_come_where_they_were_set<P: SmpPort>() {
    AT_ALARM.set(Some(|| {
        check::<P>("wake", wake::<P>(section::<P, _>(P::Machine::number)))
    }));
    on_each_processor::<P>(|number| {
        for round in 1..=10 {
            let before = ALARMS.of(number);
            let at = Instant::from_nanos(P::Machine::now().as_nanos() + STEP * (1 + number as u64));
            section::<P, _>(|| P::Machine::set_alarm(Some(at)));
            check::<P>("the answer of a wait", wait::<P>());
            let now = P::Machine::now();
            check::<P>("not too early", now >= at);
            check::<P>("not too late", now.as_nanos() < at.as_nanos() + LATE);
            check::<P>("one alarm", round > 0 && ALARMS.of(number) == before + 1);
        }
        // One that is taken back does not come.
        let at = Instant::from_nanos(P::Machine::now().as_nanos() + STEP);
        section::<P, _>(|| P::Machine::set_alarm(Some(at)));
        section::<P, _>(|| P::Machine::set_alarm(None));
        spin_for::<P>(2 * STEP);
        check::<P>("ten alarms", ALARMS.of(number) == 10);
    });
    AT_ALARM.set(None);
    P::write("alarms come where they were set\n");
}

const SLICE: u64 = 20_000;
const SLICED: u64 = 1_000_000;

static STOP: AtomicBool = AtomicBool::new(false);

/// One processor sets the length of slices: they end on each, also where nothing switches; and no
/// more when they are switched off.
pub fn slices_end_on_each_processor<P: SmpPort>() {
    // The others already run, and do not yield by themselves.
    for number in 1..PROCESSORS {
        start_worker::<P>(number, Some(number), spin, 0);
    }
    spin_for::<P>(LATE);
    set_slice::<P>(Some(SLICE));
    spin_for::<P>(SLICED);
    set_slice::<P>(None);
    spin_for::<P>(LATE);
    let counts: [u32; PROCESSORS] = core::array::from_fn(|number| SLICES.of(number));
    for count in counts {
        // The end of one, and the way to the beginning of the next, take a little.
        check::<P>("as many slices as fit", (45..=50).contains(&count));
    }
    spin_for::<P>(5 * SLICE);
    for (number, count) in counts.into_iter().enumerate() {
        check::<P>("no slices any more", SLICES.of(number) == count);
    }
    STOP.store(true, Relaxed);
    join_workers::<P>();
    check::<P>("the answer of a yield", yield_now::<P>());
    P::write("slices end on each processor\n");
}

fn spin(_: usize) {
    while !STOP.load(Relaxed) {
        core::hint::spin_loop();
    }
}

/// An alarm comes in time while threads take turns on its processor, each switch of which sets the
/// same timer.
pub fn alarms_come_among_slices<P: SmpPort>() {
    STOP.store(false, Relaxed);
    AT_ALARM.set(Some(|| check::<P>("wake", wake::<P>(2))));
    set_slice::<P>(Some(SLICE));
    for worker in 0..2 {
        start_worker::<P>(worker, Some(1), spin, 0);
    }
    start_worker::<P>(2, Some(1), sleep_among_slices::<P>, 0);
    join_workers::<P>();
    set_slice::<P>(None);
    AT_ALARM.set(None);
    P::write("alarms come among slices\n");
}

fn sleep_among_slices<P: SmpPort>(_: usize) {
    let before = SLICES.of(1);
    for _ in 0..10 {
        // In the middle of a slice: each begins when a thread resumes.
        let at = Instant::from_nanos(P::Machine::now().as_nanos() + 3 * SLICE + SLICE / 4);
        section::<P, _>(|| P::Machine::set_alarm(Some(at)));
        check::<P>("the answer of a wait", wait::<P>());
        let now = P::Machine::now();
        check::<P>("not too early", now >= at);
        check::<P>("not too late", now.as_nanos() < at.as_nanos() + LATE);
    }
    check::<P>("slices ended meanwhile", SLICES.of(1) >= before + 20);
    STOP.store(true, Relaxed);
}
