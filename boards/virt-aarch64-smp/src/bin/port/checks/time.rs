//! Owns: whether the clock is one for all processors, and timers are each one's own.

use super::{check, on_each_processor, spin_for};
use crate::console;
use crate::threads::{
    ALARMS, AT_ALARM, M, PROCESSORS, SLICES, join_workers, section, start_worker, wait, wake,
    yield_now,
};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

const ROUNDS: u64 = 200;

static LAST: AtomicU64 = AtomicU64::new(0);

/// The greatest quantum of the laboratory's clock, in nanoseconds: a processor may be so far behind another one.
const QUANTUM: u64 = 1_000;

/// Who looks later, on whatever processor, sees no earlier time.
pub fn is_the_same_for_all() {
    on_each_processor(|_| {
        for _ in 0..ROUNDS {
            section(|| {
                let now = M::now().as_nanos();
                let before = LAST.fetch_max(now, Relaxed);
                check("time does not go back", before <= now + QUANTUM);
            });
        }
    });
    console::write("the time is one\n");
}

/// Nanoseconds by which an alarm may be late: the path to where the woken thread looks at the clock.
const LATE: u64 = 5_000;
const STEP: u64 = 50_000;

/// Each processor asks for alarms of its own and halts: they come there, in time, and nowhere else.
pub fn alarms_come_where_they_were_set() {
    AT_ALARM.set(Some(|| check("wake", wake(section(M::number)))));
    on_each_processor(|number| {
        for round in 1..=10 {
            let before = ALARMS.of(number);
            let at = Instant::from_nanos(M::now().as_nanos() + STEP * (1 + number as u64));
            section(|| M::set_alarm(Some(at)));
            check("the answer of a wait", wait());
            let now = M::now();
            check("not too early", now >= at);
            check("not too late", now.as_nanos() < at.as_nanos() + LATE);
            check("one alarm", round > 0 && ALARMS.of(number) == before + 1);
        }
        // One that is taken back does not come.
        let at = Instant::from_nanos(M::now().as_nanos() + STEP);
        section(|| M::set_alarm(Some(at)));
        section(|| M::set_alarm(None));
        spin_for(2 * STEP);
        check("ten alarms", ALARMS.of(number) == 10);
    });
    AT_ALARM.set(None);
    console::write("alarms come where they were set\n");
}

const SLICE: u64 = 20_000;
const SLICED: u64 = 1_000_000;

static STOP: AtomicBool = AtomicBool::new(false);

/// One processor sets the length of slices: they end on each, also where nothing switches; and no more when they are
/// switched off.
pub fn slices_end_on_each_processor() {
    // The others already run, and do not give way by themselves.
    for number in 1..PROCESSORS {
        start_worker(number, Some(number), spin, 0);
    }
    spin_for(LATE);
    section(|| M::set_slice(Some(Duration::from_nanos(SLICE))));
    spin_for(SLICED);
    section(|| M::set_slice(None));
    spin_for(LATE);
    let counts: [u32; PROCESSORS] = core::array::from_fn(|number| SLICES.of(number));
    for count in counts {
        // The end of one, and the way to the beginning of the next, take a little.
        check("as many slices as fit", (45..=50).contains(&count));
    }
    spin_for(5 * SLICE);
    for (number, count) in counts.into_iter().enumerate() {
        check("no slices any more", SLICES.of(number) == count);
    }
    STOP.store(true, Relaxed);
    join_workers();
    check("the answer of a yield", yield_now());
    console::write("slices end on each processor\n");
}

fn spin(_: usize) {
    while !STOP.load(Relaxed) {
        core::hint::spin_loop();
    }
}

/// An alarm comes in time while threads take turns on its processor, each switch of which sets the same timer.
pub fn alarms_come_among_slices() {
    STOP.store(false, Relaxed);
    AT_ALARM.set(Some(|| check("wake", wake(2))));
    section(|| M::set_slice(Some(Duration::from_nanos(SLICE))));
    for worker in 0..2 {
        start_worker(worker, Some(1), spin, 0);
    }
    start_worker(2, Some(1), sleep_among_slices, 0);
    join_workers();
    section(|| M::set_slice(None));
    AT_ALARM.set(None);
    console::write("alarms come among slices\n");
}

fn sleep_among_slices(_: usize) {
    let before = SLICES.of(1);
    for _ in 0..10 {
        // In the middle of a slice: each begins when a thread goes on.
        let at = Instant::from_nanos(M::now().as_nanos() + 3 * SLICE + SLICE / 4);
        section(|| M::set_alarm(Some(at)));
        check("the answer of a wait", wait());
        let now = M::now();
        check("not too early", now >= at);
        check("not too late", now.as_nanos() < at.as_nanos() + LATE);
    }
    check("slices ended meanwhile", SLICES.of(1) >= before + 20);
    STOP.store(true, Relaxed);
}
