//! The idle thread of a program: its function stops the clock and says how long it stood.

use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use taktos_arch_host::Host;
use taktos_kernel::{Duration, Idle, Instant, Kernel, Span, System, Timeout};
use taktos_tests::{AnyThread, HostSystem, Semaphore, Thread, leak, run, spawn};

/// The state of the function, which has no arguments of its own.
#[derive(Default)]
struct Plan {
    /// The spans after which something wakes the processor in a call; none: the clock runs on.
    wakes: VecDeque<Option<u64>>,
    /// The instants of interrupts, which wake it too.
    interrupts: Vec<u64>,
    /// How often the clock stood.
    stops: usize,
}

thread_local! {
    static PLAN: RefCell<Plan> = RefCell::default();
}

/// Sleeps as the plan says: never longer than to the next time-out and interrupt.
fn sleep(idle: &Idle<'_, HostSystem>) {
    let now = Kernel::<HostSystem>::now().as_nanos();
    let planned = PLAN.with_borrow_mut(|plan| plan.wakes.pop_front().flatten());
    let interrupt = PLAN.with_borrow(|plan| plan.interrupts.iter().find(|at| **at > now).copied());
    let left = idle.left().map(|left| left.as_nanos());
    let ends = [planned, left, interrupt.map(|at| at - now)];
    let Some(span) = ends
        .into_iter()
        .flatten()
        .min()
        .filter(|_| planned.is_some())
    else {
        return idle.wait();
    };
    PLAN.with_borrow_mut(|plan| plan.stops += 1);
    assert_eq!(
        idle.until().map(Instant::as_nanos),
        left.map(|left| now + left)
    );
    assert_eq!(idle.slept(Duration::from_nanos(span)), Ok(()));
}

fn start_idle(function: fn(&Idle<'_, HostSystem>)) {
    assert_eq!(leak(Thread::new("sleeper")).start_idle(function), Ok(()));
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn wake_ups_are_exact_while_the_clock_stands(
        sleepers in prop::collection::vec(prop::collection::vec(1u64..10_000, 1..8), 1..4),
        mut interrupts in prop::collection::vec(1u64..30_000, 0..6),
        wakes in prop::collection::vec(prop::option::of(1u64..8_000), 0..60),
    ) {
        interrupts.sort_unstable();
        interrupts.dedup();
        let some_stop = wakes.iter().take(1).any(Option::is_some);
        PLAN.set(Plan { wakes: wakes.into(), interrupts: interrupts.clone(), stops: 0 });
        let outcome = run(move || {
            start_idle(sleep);
            let (came, done) = (leak(Semaphore::new(0)), leak(Semaphore::new(0)));
            let all = sleepers.len() + 1;
            for &at in &interrupts {
                Host::interrupt_at(Instant::from_nanos(at), || came.give().unwrap());
            }
            spawn("handled", 1, move || {
                for at in &interrupts {
                    came.take(Timeout::FOREVER).unwrap();
                    assert_eq!(Kernel::<HostSystem>::now().as_nanos(), *at);
                }
                done.give().unwrap();
            });
            for spans in sleepers {
                spawn("sleeper", 5, move || {
                    let mut end = 0;
                    for span in &spans {
                        end += span;
                        AnyThread::sleep(Duration::from_nanos(*span)).unwrap();
                        assert_eq!(Kernel::<HostSystem>::now().as_nanos(), end);
                    }
                    done.give().unwrap();
                });
            }
            for _ in 0..all {
                done.take(Timeout::FOREVER).unwrap();
            }
            HostSystem::exit(0)
        });
        prop_assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
        prop_assert!(!some_stop || PLAN.with_borrow(|plan| plan.stops > 0));
    }
}

#[test]
fn interrupt_before_the_wait_ends_it() {
    fn sleep(idle: &Idle<'_, HostSystem>) {
        assert_eq!(idle.until(), None);
        let came = CAME.get();
        let permit = PERMIT.get().expect("the test has set it");
        Host::interrupt(|| {
            CAME.set(CAME.get() + 1);
            permit.give().unwrap();
        });
        idle.wait();
        assert_eq!(CAME.get(), came, "no handler runs during the call");
    }
    thread_local! {
        static PERMIT: Cell<Option<&'static Semaphore>> = const { Cell::new(None) };
        static CAME: Cell<u32> = const { Cell::new(0) };
    }
    let outcome = run(|| {
        let permit = leak(Semaphore::new(0));
        PERMIT.set(Some(permit));
        start_idle(sleep);
        for count in 1..=3 {
            permit.take(Timeout::FOREVER).unwrap();
            assert_eq!(CAME.get(), count);
        }
        HostSystem::exit(0)
    });
    assert_eq!((outcome.status(), outcome.time.as_nanos()), (Some(0), 0));
}

#[test]
fn idle_thread_before_exists_no_more() {
    let outcome = run(|| {
        let names = || {
            let mut names: Vec<_> = taktos_kernel::table::all::<HostSystem>()
                .map(|thread| thread.name())
                .collect();
            names.sort_unstable();
            names
        };
        let first = leak(Thread::new("first"));
        assert_eq!(names(), ["idle", "main"]);
        assert_eq!(first.start_idle(|idle| idle.wait()), Ok(()));
        assert_eq!(names(), ["first", "main"]);
        let second = leak(Thread::new("second"));
        assert_eq!(second.start_idle(|idle| idle.wait()), Ok(()));
        assert_eq!(names(), ["main", "second"]);
        assert_eq!(AnyThread::sleep(5.millis()), Ok(()));
        // It is a thread that does not exist yet, of any kind.
        assert_eq!(first.start(|| ()), Ok(()));
        assert_eq!(AnyThread::sleep(5.millis()), Ok(()));
        HostSystem::exit(0)
    });
    assert_eq!(
        (outcome.status(), outcome.time.as_nanos()),
        (Some(0), 10_000_000)
    );
}
