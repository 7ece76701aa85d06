//! The kernel's test-suite on four simulated processors: all of its threads on one of them,
//! whatever the others do meanwhile and in whatever order the processors continue.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use taktos_arch_host::{Handler, HostSeveral, Order, Outcome};
use taktos_kernel::{
    AnyThread, CpuSet, Instance, InstanceConfig, Kernel, PolicyKind, Priority, Span, System,
    Timeout,
};
use taktos_machine::Machine;
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, SeveralThread, run_on, spawn_on, start_on};
use taktos_workloads::suite;

/// One processor for the suite, three for others.
const fn one_and_three(policy: PolicyKind) -> [InstanceConfig; 2] {
    let one = CpuSet::first(1);
    [
        InstanceConfig {
            name: *b"one ",
            policy,
            cpus: one,
        },
        InstanceConfig {
            name: *b"rest",
            policy: PolicyKind::Edf,
            cpus: CpuSet::first(4).minus(one),
        },
    ]
}

static BY_PRIORITY: [InstanceConfig; 2] = one_and_three(PolicyKind::Priority);
static BY_DEADLINE: [InstanceConfig; 2] = one_and_three(PolicyKind::Edf);
static SIMPLE: [InstanceConfig; 2] = one_and_three(PolicyKind::Simple);
static STRONG: [InstanceConfig; 2] = one_and_three(PolicyKind::StrongAffinity);
static SERVERS: [InstanceConfig; 2] = one_and_three(PolicyKind::Cbs);

#[track_caller]
fn assert_passed(outcome: &Outcome) {
    print!("{}", outcome.console);
    assert_eq!(
        outcome.status(),
        Some(0),
        "the suite ended by: {}",
        outcome.end
    );
}

fn rest() -> Instance {
    Kernel::<SeveralHost>::instance_named(*b"rest").expect("the configuration names it")
}

/// Starts a thread that runs `body` in the other instance.
fn spawn_on_the_rest(body: impl Fn() + Sync + 'static) -> &'static SeveralThread {
    let thread = leak(SeveralThread::new("other"));
    let priority = Priority::new(9).expect("there is such a priority");
    thread.create().expect("there is room for a thread");
    thread
        .move_to(rest(), priority)
        .expect("the instance has processors");
    start_on(thread, body);
    thread
}

#[test]
fn the_suite_passes_in_an_instance_of_one_processor_under_each_policy() {
    for instances in [&BY_PRIORITY, &BY_DEADLINE, &SIMPLE, &STRONG, &SERVERS] {
        assert_passed(&run_on::<4>(Order::Turns, instances, || {
            suite::run::<SeveralHost>()
        }));
    }
}

#[test]
fn equals_take_turns_by_whole_slices() {
    for instances in [&BY_PRIORITY, &BY_DEADLINE, &SIMPLE, &STRONG, &SERVERS] {
        let log: &'static Mutex<String> = leak(Mutex::new(String::new()));
        let outcome = run_on::<4>(Order::Turns, instances, move || {
            Kernel::<SeveralHost>::set_time_slice(Some(10u32.micros())).unwrap();
            for name in ["a", "b", "c"] {
                spawn_on(name, 20, move || {
                    HostSeveral::spend(25u32.micros());
                    let now = Kernel::<SeveralHost>::now().as_nanos() / 1_000;
                    *log.lock().unwrap() += &format!("{name}{now} ");
                });
            }
            AnyThread::<SeveralHost>::sleep(100u32.micros()).unwrap();
            SeveralHost::exit(0)
        });
        assert_passed(&outcome);
        // Two full turns for each, then 5 microseconds each.
        assert_eq!(*log.lock().unwrap(), "a65 b70 c75 ");
    }
}

/// Three threads on the other processors that enter the kernel again and again, and talk to each
/// other.
fn busy_others() -> &'static [AtomicU64; 3] {
    type Semaphore = taktos_kernel::Semaphore<SeveralHost>;
    let semaphores: &[Semaphore; 3] = leak([const { Semaphore::new(1) }; 3]);
    let rounds = leak([const { AtomicU64::new(0) }; 3]);
    for (number, semaphore) in semaphores.iter().enumerate() {
        let (next, mine) = (&semaphores[(number + 1) % 3], &rounds[number]);
        spawn_on_the_rest(move || {
            loop {
                semaphore.take(Timeout::FOREVER).expect("nobody deletes it");
                HostSeveral::spend(211u32.micros());
                next.give().expect("there is room for a permit");
                AnyThread::<SeveralHost>::sleep(67u32.micros()).expect("nobody cancels it");
                mine.fetch_add(1, Relaxed);
            }
        });
    }
    rounds
}

#[test]
fn the_suite_passes_whatever_other_processors_do_in_any_order() {
    for seed in 0..4 {
        let rounds = leak(Mutex::new(None));
        assert_passed(&run_on::<4>(Order::Seed(seed), &BY_PRIORITY, || {
            *rounds.lock().unwrap() = Some(busy_others());
            suite::run::<SeveralHost>()
        }));
        for others in rounds.lock().unwrap().expect("it ran") {
            assert!(others.load(Relaxed) > 100, "they hardly ran");
        }
    }
}

/// At each `period`th unmasking on the suite's processor an interrupt comes there and wakes its
/// most urgent thread.
fn disturbed(period: u64, seed: u64) -> Outcome {
    run_on::<4>(Order::Seed(seed), &BY_PRIORITY, move || {
        let wake = leak(taktos_kernel::Semaphore::<SeveralHost>::new(0));
        let active = leak(AtomicBool::new(false));
        spawn_on("disturber", 0, || {
            loop {
                active.store(false, Relaxed);
                wake.take(Timeout::FOREVER)
                    .expect("nobody deletes the semaphore");
            }
        });
        let unmaskings = AtomicU64::new(0);
        HostSeveral::at_each_unmask(move || {
            if HostSeveral::number() != 0 {
                return None;
            }
            let number = unmaskings.fetch_add(1, Relaxed);
            if !number.is_multiple_of(period) || active.swap(true, Relaxed) {
                return None;
            }
            Some(Box::new(|| wake.give().expect("there is room for a permit")) as Handler)
        });
        busy_others();
        suite::run::<SeveralHost>()
    })
}

#[test]
fn the_suite_passes_whatever_preempts_it() {
    let undisturbed = run_on::<4>(Order::Seed(0), &BY_PRIORITY, || suite::run::<SeveralHost>());
    for (seed, period) in [2, 3, 5, 7, 11, 101].into_iter().enumerate() {
        let outcome = disturbed(period, seed as u64);
        assert_passed(&outcome);
        assert!(
            outcome.switches > undisturbed.switches,
            "nothing disturbed it"
        );
    }
}
