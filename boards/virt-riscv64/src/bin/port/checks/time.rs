//! Owns: whether slices and alarms come in time.

use super::{LEFT, PLAIN, RIGHT, check, slices};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Kernel, Span, System, Timeout};
use virt_riscv64::Board;

static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicU32 = AtomicU32::new(0);

pub fn slices_end_in_time() {
    STOP.store(0, Relaxed);
    check(
        "slice",
        Kernel::<Board>::set_time_slice(Some(100.micros())).is_ok(),
    );
    for thread in [&LEFT, &RIGHT, &PLAIN] {
        check("slice", thread.start(run_a_slice).is_ok());
    }
    check("slice", AnyThread::<Board>::sleep(1.millis()).is_ok());
    STOP.store(1, Relaxed);
    for thread in [&LEFT, &RIGHT, &PLAIN] {
        check("slice", thread.join(Timeout::FOREVER).is_ok());
    }
    // Ten slices, of which three were the first of a thread; at the end the two threads that were interrupted
    // count once more, if that was between their looks at the word and at the clock.
    let turns = TURNS.load(Relaxed);
    check("turns", (7..=9).contains(&turns));
    slices(false);
    Board::write("slices are as long as they were set\n");
}

/// Notices when another thread ran meanwhile, which is after one slice.
fn run_a_slice() {
    let mut seen = Kernel::<Board>::now();
    let mut begun = seen;
    while STOP.load(Relaxed) == 0 {
        let now = Kernel::<Board>::now();
        if now.since(seen) > 50.micros() {
            let used = seen.since(begun);
            check("slice too short", used > 95.micros());
            check("slice too long", used < 105.micros());
            TURNS.fetch_add(1, Relaxed);
            begun = now;
        }
        seen = now;
    }
}

pub fn sleep_is_exact() {
    for span in [1, 10, 100, 1_000, 10_000, 100_000] {
        let before = Kernel::<Board>::now();
        check("sleep", AnyThread::<Board>::sleep(span.micros()).is_ok());
        let slept = Kernel::<Board>::now().since(before);
        check("slept too short", slept >= span.micros());
        check(
            "slept too long",
            slept < span.micros().saturating_add(10.micros()),
        );
    }
    // Longer than the counter takes to wrap.
    let before = Kernel::<Board>::now();
    check("sleep", AnyThread::<Board>::sleep(400.secs()).is_ok());
    let slept = Kernel::<Board>::now().since(before);
    check(
        "long sleep",
        slept >= 400.secs() && slept < 400.secs().saturating_add(10.micros()),
    );
    Board::write("alarms come in time\n");
}
