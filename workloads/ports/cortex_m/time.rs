//! Owns: whether slices and alarms come in time.

use super::{LEFT, OTHER, RIGHT, Stack, URGENT, add, check, entries, slices};
use crate::Board;
use crate::{LATE, SLICES_ARE_COUNTED, SWITCH};
use core::arch::asm;
use core::ptr::{read_volatile, with_exposed_provenance};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Duration, Kernel, Semaphore, Span, System, Timeout};

const SLICE: Duration = Duration::from_micros(100);
static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicU32 = AtomicU32::new(0);

fn start(thread: &'static Stack, act: fn()) {
    check("start", thread.start(act).is_ok());
}

fn join(thread: &'static Stack) {
    check("join", thread.join(Timeout::FOREVER).is_ok());
}

fn slice(length: Duration) {
    check(
        "slice",
        Kernel::<Board>::set_time_slice(Some(length)).is_ok(),
    );
}

pub fn slices_end_in_time() {
    slice(SLICE);
    for thread in [&LEFT, &RIGHT, &OTHER] {
        start(thread, use_slices);
    }
    check("sleep", AnyThread::<Board>::sleep(9.millis()).is_ok());
    STOP.store(1, Relaxed);
    for thread in [&LEFT, &RIGHT, &OTHER] {
        join(thread);
    }
    // Ninety slices, of which three were the first of a thread.
    let turns = TURNS.load(Relaxed);
    check("turns", (84..=87).contains(&turns));
    slices(false);
    Board::write("slices are as long as they were set\n");
}

/// Notices when the others ran meanwhile: each for one slice.
fn use_slices() {
    let mut begun = Kernel::<Board>::now();
    let mut seen = begun;
    loop {
        let now = Kernel::<Board>::now();
        if STOP.load(Relaxed) != 0 {
            return;
        }
        if now.since(seen) > SLICE {
            let turn = now.since(begun);
            check(
                "three slices are too short",
                turn.saturating_add(SWITCH) > times(3, SLICE),
            );
            check(
                "three slices are too long",
                turn < times(3, SLICE.saturating_add(SWITCH)),
            );
            let used = seen.since(begun);
            check("slice too short", used.saturating_add(SWITCH) > SLICE);
            check("slice too long", used <= SLICE.saturating_add(LATE));
            add(&TURNS, 1);
            begun = now;
        }
        seen = now;
    }
}

fn times(count: u64, span: Duration) -> Duration {
    Duration::from_nanos(count * span.as_nanos())
}

static WOKEN: Semaphore<Board> = Semaphore::new(0);

/// A thread that wakes a more urgent one, again and again within a slice, is preempted by its own
/// calls and keeps what is left: its equal has its turns.
pub fn slices_go_on_behind_own_calls() {
    slice(SLICE);
    STOP.store(0, Relaxed);
    TURNS.store(0, Relaxed);
    start(&URGENT, || {
        while STOP.load(Relaxed) == 0 {
            check("take", WOKEN.take(Timeout::FOREVER).is_ok());
        }
    });
    start(&RIGHT, count_turns);
    start(&LEFT, || {
        while STOP.load(Relaxed) == 0 {
            // Many ticks of what measures slices, and a small part of one.
            spin(1_000);
            check("give", WOKEN.give().is_ok());
        }
    });
    check("sleep", AnyThread::<Board>::sleep(9.millis()).is_ok());
    STOP.store(1, Relaxed);
    check("give", WOKEN.give().is_ok());
    for thread in [&LEFT, &RIGHT, &URGENT] {
        join(thread);
    }
    check("an equal's turns", TURNS.load(Relaxed) >= 30);
    slices(false);
    Board::write("slices go on behind own calls\n");
}

/// Counts the times for which another thread ran for more than a moment.
fn count_turns() {
    let mut seen = Kernel::<Board>::now();
    while STOP.load(Relaxed) == 0 {
        let now = Kernel::<Board>::now();
        if now.since(seen) > 10.micros() {
            add(&TURNS, 1);
        }
        seen = now;
    }
}

/// A thread that yields just when its slice ends does not take the next one's slice with it.
pub fn new_slices_are_whole() {
    slice(20.micros());
    STOP.store(0, Relaxed);
    start(&LEFT, yield_around_the_end);
    start(&RIGHT, || while STOP.load(Relaxed) == 0 {});
    join(&LEFT);
    join(&RIGHT);
    if SLICES_ARE_COUNTED {
        begin_at_switches();
    }
    slices(false);
    Board::write("new slices are whole\n");
}

/// A switch begins a slice, but where the call says that it does not.
fn begin_at_switches() {
    slice(1.millis());
    for (keeps, call) in [
        (false, entries::switch as fn()),
        (true, entries::switch_in_slice),
    ] {
        spin(5000);
        let before = slice_left();
        check("slice half used", before < 24_900);
        call();
        // A counter that was written to begins with the next tick.
        spin(50);
        check(
            "slice begun anew, or kept",
            (slice_left() < before) == keeps,
        );
    }
}

fn yield_around_the_end() {
    for length in 9_600..10_050 {
        spin(length);
        let before = Kernel::<Board>::now();
        AnyThread::<Board>::yield_now();
        let other = Kernel::<Board>::now().since(before);
        check("a new slice is whole", other >= 20.micros());
    }
    STOP.store(1, Relaxed);
}

/// Executes two instructions `times` times; none would be as many as there are numbers.
pub fn spin(times: u32) {
    // SAFETY: counts down a register.
    unsafe {
        asm!("2:", "subs {0}, {0}, #1", "bne 2b", inout(reg) times => _, options(nomem, nostack));
    }
}

/// The ticks of 40 ns that are left of the present slice.
fn slice_left() -> u32 {
    const SLICE_COUNTER: usize = 0xE000_E018;
    // SAFETY: reads a register without side effects.
    unsafe { read_volatile(with_exposed_provenance(SLICE_COUNTER)) }
}

pub fn sleep_is_exact() {
    for span in [1, 10, 100, 1_000, 10_000, 100_000] {
        sleep(span.micros());
    }
    // Longer than the counter takes to wrap.
    sleep(400.secs());
    Board::write("alarms come in time\n");
}

fn sleep(span: Duration) {
    let before = Kernel::<Board>::now();
    check("sleep", AnyThread::<Board>::sleep(span).is_ok());
    let slept = Kernel::<Board>::now().since(before);
    check("slept too short", slept >= span);
    let late = LATE.saturating_add(SWITCH).max(2.micros());
    check("slept too long", slept < span.saturating_add(late));
}
