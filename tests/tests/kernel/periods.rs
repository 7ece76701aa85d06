//! Periods on several simulated processors: what the scheduler gets to know of their jobs, and what
//! is counted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_arch_host::{HostSeveral, Order, Outcome};
use taktos_kernel::period::State as Stage;
use taktos_kernel::usage::Share;
use taktos_kernel::{
    AnyThread, CpuSet, Duration, Error, InstanceConfig, Instant, Kernel, Period, PolicyKind,
    Priority, Span, System, Timeout, Usage,
};
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, run_on, spawn_on};

const fn on_one(policy: PolicyKind) -> [InstanceConfig; 1] {
    [InstanceConfig {
        name: *b"all ",
        policy,
        cpus: CpuSet::first(1),
    }]
}

static BY_DEADLINE: [InstanceConfig; 1] = on_one(PolicyKind::Edf);
static BY_PRIORITY: [InstanceConfig; 1] = on_one(PolicyKind::Priority);
static ON_TWO: [InstanceConfig; 1] = [InstanceConfig {
    name: *b"all ",
    policy: PolicyKind::Edf,
    cpus: CpuSet::first(2),
}];

type HostPeriod = Period<SeveralHost>;
type Threads = AnyThread<SeveralHost>;

/// Runs `main` on one processor, or two, more urgent than all others.
fn world(instances: &'static [InstanceConfig], main: impl FnOnce() + 'static) -> Outcome {
    let outcome = run_on::<2>(Order::Turns, instances, || {
        let main_thread = Threads::current();
        let first = Priority::new(0).expect("there is such a priority");
        main_thread.set_priority(first).expect("it exists");
        main_thread.release_job(Instant::START).expect("it exists");
        main();
        SeveralHost::exit(0);
    });
    assert_eq!(
        outcome.status(),
        Some(0),
        "{}: {}",
        outcome.end,
        outcome.console
    );
    outcome
}

fn sleep_until(at: Instant) {
    Threads::sleep(Timeout::until(at)).expect("nobody ends the sleep");
}

/// Starts a thread that is periodic from `first` on; each of its jobs takes `work`.
fn periodic(
    priority: u8,
    period: &'static HostPeriod,
    (first, length, work): (Instant, Duration, Duration),
) {
    spawn_on("periodic", priority, move || {
        period.create().expect("it does not exist");
        let mut released = period.begin_at(first, length);
        while matches!(released, Ok(()) | Err(Error::Timeout)) {
            HostSeveral::spend(work);
            released = period.next(length);
        }
    });
}

fn missed(period: &'static HostPeriod) -> u32 {
    period.statistics().expect("it exists").missed
}

/// 25 of each 50 and 30 of each 75: feasible by deadlines, not by fixed priorities (smpschededf01
/// of the reference).
fn missed_of_two(instances: &'static [InstanceConfig]) -> u32 {
    let periods: &[HostPeriod; 2] = leak([Period::new("short"), Period::new("long")]);
    let total = leak(AtomicU64::new(0));
    world(instances, move || {
        let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
        periodic(4, &periods[0], (first, 50.millis(), 25.millis()));
        periodic(5, &periods[1], (first, 75.millis(), 30.millis()));
        sleep_until(first.saturating_add((50 * 75).millis()));
        let concluded = periods[0].statistics().map(|found| found.count);
        assert!(concluded.is_ok_and(|count| count >= 74));
        total.store(periods.iter().map(missed).sum::<u32>().into(), Relaxed);
    });
    total.load(Relaxed) as u32
}

#[test]
fn the_scheduler_is_told_the_deadlines() {
    assert_eq!(missed_of_two(&BY_DEADLINE), 0);
    assert!(missed_of_two(&BY_PRIORITY) > 10);
}

#[test]
fn a_constrained_deadline_decides_who_runs_first() {
    let order = |constraint: Option<Duration>| -> Vec<u64> {
        let long = match constraint {
            Some(constraint) => Period::new("long").with_deadline(constraint),
            None => Period::new("long"),
        };
        let periods: &[HostPeriod; 2] = leak([long, Period::new("short")]);
        let found = leak([const { AtomicU64::new(0) }; 2]);
        world(&BY_DEADLINE, move || {
            let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
            periodic(9, &periods[0], (first, 100.millis(), 2.millis()));
            periodic(8, &periods[1], (first, 50.millis(), 3.millis()));
            sleep_until(first.saturating_add(190.millis()));
            for (found, period) in found.iter().zip(periods) {
                let statistics = period.statistics().expect("it exists");
                assert_eq!(statistics.missed, 0);
                found.store(statistics.wall.max.as_micros(), Relaxed);
            }
        });
        found.iter().map(|wall| wall.load(Relaxed)).collect()
    };
    assert_eq!(order(None), [5_000, 3_000], "the shorter period is before");
    assert_eq!(
        order(Some(10.millis())),
        [2_000, 5_000],
        "the constraint is before"
    );
}

/// A thread that overruns keeps the deadline of its present job: threads with deadlines between
/// that one and the next release's do not pass it.
#[test]
fn a_late_job_keeps_its_urgency_until_it_is_concluded() {
    let periods: &[HostPeriod; 2] = leak([Period::new("late"), Period::new("other")]);
    world(&BY_DEADLINE, move || {
        let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
        periodic(4, &periods[0], (first, 10.millis(), 14.millis()));
        let later = first.saturating_add(5.millis());
        periodic(5, &periods[1], (later, 12.millis(), 1.millis()));
        sleep_until(first.saturating_add(15_500.micros()));
        // The late one had the processor for its whole 14 ms; only then the other one got its 1 ms.
        let late = periods[0].statistics().expect("it exists");
        assert_eq!(
            (late.count, late.missed, late.wall.max),
            (1, 1, 14.millis())
        );
        let other = periods[1].statistics().expect("it exists");
        assert_eq!(other.wall.max, 10.millis());
    });
}

#[test]
fn a_cancelled_or_deleted_period_leaves_no_deadline() {
    for delete in [false, true] {
        let period: &HostPeriod = leak(Period::new("ended"));
        let order = leak(AtomicU64::new(0));
        let note = move |digit: u64| {
            let _ = order.fetch_update(Relaxed, Relaxed, |digits| Some(digits * 10 + digit));
        };
        world(&BY_DEADLINE, move || {
            spawn_on("first", 9, move || {
                period.create().expect("it does not exist");
                period
                    .next(50.millis())
                    .expect("the first call goes through");
                note(1);
                HostSeveral::spend(2.millis());
                note(2);
                let ended = if delete {
                    period.delete()
                } else {
                    period.cancel()
                };
                ended.expect("it exists");
                note(3);
            });
            sleep_until(Kernel::<SeveralHost>::now().saturating_add(1.millis()));
            spawn_on("more urgent", 8, move || note(4));
            sleep_until(Kernel::<SeveralHost>::now().saturating_add(10.millis()));
            assert_eq!(
                order.load(Relaxed),
                1243,
                "its deadline counts until it has none"
            );
        });
    }
}

#[test]
fn jobs_beyond_their_budget_are_counted_and_not_stopped() {
    let period: &HostPeriod = leak(Period::new("greedy").with_budget(3.millis()));
    world(&ON_TWO, move || {
        let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
        spawn_on("greedy", 4, move || {
            period.create().expect("it does not exist");
            period.begin_at(first, 10.millis()).expect("it sleeps");
            for work in [2, 3, 4, 5] {
                HostSeveral::spend(work.millis());
                period.next(10.millis()).expect("it is in time");
            }
        });
        sleep_until(first.saturating_add(100.millis()));
        let found = period.statistics().expect("it exists");
        assert_eq!((found.count, found.missed, found.overruns), (4, 0, 2));
        assert_eq!((found.cpu.min, found.cpu.max), (2.millis(), 5.millis()));
        assert_eq!(found.cpu.total, 14.millis());
        let Ok(status) = period.status() else {
            panic!("it exists")
        };
        assert_eq!(status.state, Stage::Expired, "the owner has ended");
    });
}

/// Processor time is not wall time: a job that is preempted is longer by the clock alone.
#[test]
fn a_preempted_job_has_its_own_processor_time() {
    let periods: &[HostPeriod; 2] = leak([Period::new("long"), Period::new("short")]);
    world(&BY_PRIORITY, move || {
        let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
        periodic(9, &periods[0], (first, 40.millis(), 10.millis()));
        periodic(4, &periods[1], (first, 10.millis(), 2.millis()));
        sleep_until(first.saturating_add(200.millis()));
        let found = periods[0].statistics().expect("it exists");
        assert_eq!((found.cpu.min, found.cpu.max), (10.millis(), 10.millis()));
        assert_eq!((found.wall.min, found.wall.max), (14.millis(), 14.millis()));
        assert_eq!(found.cpu.average(found.count), 10.millis());
    });
}

#[test]
fn all_processor_time_is_somebodys() {
    let outcome = world(&ON_TWO, || {
        let before = Usage::<SeveralHost, 8>::take();
        let one = spawn_on("one", 4, || HostSeveral::spend(30.millis()));
        let two = spawn_on("two", 5, || HostSeveral::spend(10.millis()));
        Threads::sleep(20.millis()).expect("nobody ends the sleep");
        let middle = Usage::<SeveralHost, 8>::take();
        assert_eq!((middle.of(one), middle.of(two)), (20.millis(), 10.millis()));
        Threads::sleep(20.millis()).expect("nobody ends the sleep");
        two.delete().expect("it exists");
        let after = Usage::<SeveralHost, 8>::take();
        let mut shares = Vec::new();
        after.since(&before, |share, time| {
            shares.push((share, time.as_micros()))
        });
        shares.retain(|(_, time)| *time > 0);
        let idle: u64 = shares
            .iter()
            .filter(|(share, _)| matches!(share, Share::Idle(_)))
            .map(|(_, time)| time)
            .sum();
        assert_eq!(idle, 40_000);
        assert!(shares.contains(&(Share::Thread("one"), 30_000)));
        assert!(
            shares.contains(&(Share::Others, 10_000)),
            "what a deleted thread had"
        );
        assert_eq!(shares.iter().map(|(_, time)| time).sum::<u64>(), 80_000);
        // Readers of one part of the time do not disturb each other.
        let mut late = Vec::new();
        after.since(&middle, |share, time| late.push((share, time.as_micros())));
        assert!(late.contains(&(Share::Thread("one"), 10_000)));
        after.report_since(&before);
    });
    let lines: Vec<&str> = outcome.console.lines().collect();
    assert!(
        lines.contains(&"one                    0.030000       75.000"),
        "{}",
        outcome.console
    );
}

#[test]
fn a_picture_that_is_too_small_says_so() {
    world(&ON_TWO, || {
        spawn_on("one", 4, || ());
        assert!(!Usage::<SeveralHost, 1>::take().is_complete());
        assert!(Usage::<SeveralHost, 2>::take().is_complete());
    });
}

#[test]
fn the_report_has_a_line_for_each_period() {
    let period: &HostPeriod = leak(Period::new("alpha"));
    let outcome = world(&ON_TWO, move || {
        let first = Kernel::<SeveralHost>::now().saturating_add(1.millis());
        periodic(4, period, (first, 10.millis(), 3.millis()));
        sleep_until(first.saturating_add(19.millis()));
        Kernel::<SeveralHost>::report_periods();
    });
    let expected = "    1  periodic      2      0  0.003000/0.003000/0.003000  0.003000/0.003000/0.003000  alpha";
    assert!(
        outcome.console.lines().any(|line| line == expected),
        "{}",
        outcome.console
    );
}
