//! The watchdog against the schedule of its parts: the hardware is fed often enough until the first
//! deadline that is missed, and never after it.

use proptest::prelude::*;
use std::cell::RefCell;
use taktos_kernel::{Duration, Error, Kernel, System, Timeout, Watchdog, WatchdogPort};
use taktos_tests::{AnyThread, HostSystem, leak, run, spawn};

const PARTS: usize = 4;
const NAMES: [&str; PARTS] = ["a", "b", "c", "d"];

/// Hardware that notes when it was started and fed.
struct Noted;

thread_local! {
    static FED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

impl WatchdogPort for Noted {
    fn start(&self, span: Duration) -> Result<(), Error> {
        match span.as_nanos() {
            0 => Err(Error::Parameter),
            _ => Ok(()),
        }
    }

    fn feed(&self) {
        FED.with_borrow_mut(|fed| fed.push(now()));
    }
}

fn now() -> u64 {
    Kernel::<HostSystem>::now().as_nanos()
}

type Dog = Watchdog<HostSystem, Noted, PARTS>;

/// A part: when it registers, its span, the spans between its feedings, and whether it drops its
/// place then or stops without.
#[derive(Clone, Debug)]
struct Plan {
    begin: u64,
    span: u64,
    feeds: Vec<u64>,
    drops: bool,
}

impl Plan {
    /// Returns the deadline that it misses, if it does.
    fn missed(&self) -> Option<u64> {
        let mut at = self.begin;
        for after in &self.feeds {
            if *after >= self.span {
                return Some(at + self.span);
            }
            at += after;
        }
        (!self.drops).then_some(at + self.span)
    }
}

fn plans() -> impl Strategy<Value = Vec<Plan>> {
    let part = (
        1u64..500,
        1u64..100,
        prop::collection::vec(1u64..100, 0..12),
        any::<bool>(),
    )
        .prop_map(|(begin, span, feeds, drops)| {
            // Mostly it feeds in time.
            let feeds = feeds.into_iter().map(|after| 1 + after % span.max(2));
            Plan {
                begin,
                span,
                feeds: feeds.collect(),
                drops,
            }
        });
    prop::collection::vec(part, 1..=PARTS)
}

fn live(dog: &'static Dog, name: &'static str, plan: &Plan) {
    AnyThread::sleep(Duration::from_nanos(plan.begin)).unwrap();
    let part = dog.register(name, Duration::from_nanos(plan.span)).unwrap();
    let mut deadline = plan.begin + plan.span;
    for after in &plan.feeds {
        AnyThread::sleep(Duration::from_nanos(*after)).unwrap();
        let expected = if now() < deadline {
            Ok(())
        } else {
            Err(Error::Timeout)
        };
        assert_eq!(part.feed(), expected);
        if expected.is_ok() {
            deadline = now() + plan.span;
        }
    }
    if plan.drops {
        drop(part);
    } else {
        AnyThread::sleep(Timeout::FOREVER).unwrap();
    }
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn hardware_is_fed_until_the_first_miss(plans in plans(), span in 2u64..200) {
        const END: u64 = 3_000;
        FED.take();
        let all = plans.clone();
        let missed = all.iter().filter_map(Plan::missed).min();
        let outcome = run(move || {
            let dog: &'static Dog = leak(Watchdog::new(Noted));
            spawn("server", 0, move || {
                let name = dog.serve(Duration::from_nanos(span)).unwrap();
                assert_eq!(Some(now()), missed, "{name}");
                let named = all.iter().zip(NAMES).find(|(_, other)| *other == name).unwrap();
                assert_eq!(named.0.missed(), missed);
            });
            for (plan, name) in plans.clone().into_iter().zip(NAMES) {
                spawn(name, 5, move || live(dog, name, &plan));
            }
            AnyThread::sleep(Duration::from_nanos(END)).unwrap();
            HostSystem::exit(0)
        });
        prop_assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
        let told = outcome.console.matches("was not fed in time").count();
        prop_assert_eq!(told, usize::from(missed.is_some()));
        let fed = FED.take();
        let last = missed.unwrap_or(END);
        prop_assert!(fed.iter().all(|at| *at < last || missed.is_none()));
        // From the start to the end, no span without a feeding is longer than half of the
        // hardware's.
        let ends = fed.iter().skip(1).copied().chain([last]);
        prop_assert!(fed.iter().zip(ends).all(|(at, next)| next - at <= span / 2));
        prop_assert_eq!(fed[0], 0);
    }
}
