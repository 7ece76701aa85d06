//! Owns: whether slices and alarms come in time.

use super::{Objects, check, slices};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Duration, Kernel, Span, System, Timeout};

static TURNS: AtomicU32 = AtomicU32::new(0);
static STOP: AtomicU32 = AtomicU32::new(0);

pub(super) fn slices_end_in_time<S: System>(objects: &'static Objects<S>) {
    let threads = [&objects.left, &objects.right, &objects.plain];
    let set = Kernel::<S>::set_time_slice(Some(100.micros()));
    check::<S>("slice", set.is_ok());
    for thread in threads {
        check::<S>("slice", thread.start(run_a_slice::<S>).is_ok());
    }
    check::<S>("slice", AnyThread::<S>::sleep(1.millis()).is_ok());
    STOP.store(1, Relaxed);
    for thread in threads {
        check::<S>("slice", thread.join(Timeout::FOREVER).is_ok());
    }
    // Ten slices, of which three were the first of a thread. At the end the two threads that were
    // interrupted count once more, if that was between their reading the word and the clock.
    let turns = TURNS.load(Relaxed);
    check::<S>("turns", (7..=9).contains(&turns));
    slices::<S>(false);
    S::write("slices are as long as they were set\n");
}

/// Notices when another thread ran meanwhile, which is after one slice.
fn run_a_slice<S: System>() {
    let mut seen = Kernel::<S>::now();
    let mut begun = seen;
    while STOP.load(Relaxed) == 0 {
        let now = Kernel::<S>::now();
        if now.since(seen) > 50.micros() {
            let used = seen.since(begun);
            check::<S>("slice too short", used > 95.micros());
            check::<S>("slice too long", used < 105.micros());
            TURNS.fetch_add(1, Relaxed);
            begun = now;
        }
        seen = now;
    }
}

pub(super) fn sleep_is_exact<S: System>() {
    for span in [1, 10, 100, 1_000, 10_000, 100_000] {
        sleep::<S>(span.micros());
    }
    // Longer than the counter takes to wrap.
    sleep::<S>(400.secs());
    S::write("alarms come in time\n");
}

fn sleep<S: System>(span: Duration) {
    let before = Kernel::<S>::now();
    check::<S>("sleep", AnyThread::<S>::sleep(span).is_ok());
    let slept = Kernel::<S>::now().since(before);
    check::<S>("slept too short", slept >= span);
    check::<S>("slept too long", slept < span.saturating_add(10.micros()));
}
