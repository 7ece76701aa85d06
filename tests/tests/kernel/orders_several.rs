//! Small programs on two and three simulated processors, in all orders with at most a given number
//! of changes of the processor. They have the races of threads that wake, end, move or take a
//! processor away, with the threads that this happens to.
//!
//! `TAKTOS_CHANGES` says how many changes more than usual there may be: one more takes minutes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_host::{End, HostSeveral, each_order};
use taktos_kernel::user::{Data, Memory, Partition, UserThread};
use taktos_kernel::{
    AnyThread, ClusterMutex, ClusterProtocol, Cpu, CpuSet, Error, InstanceConfig, Kernel,
    PolicyKind, Priority, Semaphore, Span, State, System, Timeout,
};
use taktos_tests::leak;
use taktos_tests::several::{SeveralHost, SeveralThread, run_with, spawn_on, start_on};

/// Most orders of each program; there are fewer.
const MOST: u64 = 100_000;

/// How many changes more than usual.
fn more_changes() -> usize {
    let more = std::env::var("TAKTOS_CHANGES").ok();
    more.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// One instance with both processors.
static BOTH: [InstanceConfig; 1] = [InstanceConfig {
    name: *b"both",
    policy: PolicyKind::Edf,
    cpus: CpuSet::first(2),
}];
/// That instance, with servers.
static BOTH_SERVED: [InstanceConfig; 1] = [InstanceConfig {
    policy: PolicyKind::Cbs,
    ..BOTH[0]
}];
/// An instance with two processors, and one with the third.
static TWO_AND_ONE: [InstanceConfig; 2] = [
    InstanceConfig {
        name: *b"two ",
        policy: PolicyKind::Edf,
        cpus: CpuSet::first(2),
    },
    InstanceConfig {
        name: *b"one ",
        policy: PolicyKind::Edf,
        cpus: CpuSet::first(3).minus(CpuSet::first(2)),
    },
];

fn run<const P: usize>(
    order: taktos_arch_host::Order,
    instances: &'static [InstanceConfig],
    main: fn() -> u32,
) -> u32 {
    let result = leak(AtomicU32::new(u32::MAX));
    let outcome = run_with::<16, 2, P, 2>(order, instances, move || {
        result.store(main(), Relaxed);
        assert_eq!(
            Kernel::<SeveralHost>::check(),
            Ok(()),
            "the scheduler's laws"
        );
        SeveralHost::exit(0);
    });
    assert!(
        matches!(outcome.end, End::Exit(0)),
        "{}: {}",
        outcome.end,
        outcome.console
    );
    result.load(Relaxed)
}

/// Returns all results of a program, in all orders with at most `changes` changes.
fn results<const P: usize>(
    changes: usize,
    instances: &'static [InstanceConfig],
    main: fn() -> u32,
) -> BTreeSet<u32> {
    let results = RefCell::new(BTreeSet::new());
    let more = more_changes();
    let (runs, all) = each_order(changes + more, MOST, |order| {
        results
            .borrow_mut()
            .insert(run::<P>(order, instances, main));
    });
    assert!(all || more > 0, "{runs} orders, and not all");
    assert!(runs > 100, "only {runs} orders");
    println!("{runs} orders, all: {all}");
    results.into_inner()
}

fn told<T>(result: Result<T, Error>) -> u32 {
    result.map_or_else(|error| error as u32, |_| 0)
}

/// Lets the others end: they are less urgent, or elsewhere.
fn wait_for(thread: &'static SeveralThread) {
    let joined = thread.join(Timeout::after(1u32.millis()));
    assert_eq!(joined, Ok(()), "a thread does not end");
}

#[test]
fn a_permit_meets_a_taker_that_is_deleted() {
    fn main() -> u32 {
        let semaphore: &Semaphore<SeveralHost> = leak(Semaphore::new(0));
        let taken = leak(AtomicU32::new(0));
        let taker = spawn_on("taker", 10, || {
            semaphore.take(Timeout::FOREVER).unwrap();
            taken.store(1, Relaxed);
        });
        semaphore.give().unwrap();
        let deleted = taker.delete();
        // It has ended, or it has not: then the permit is its own or there is none left.
        assert_eq!(deleted, Ok(()));
        HostSeveral::spend(5u32.micros());
        assert_eq!(taker.state(), State::NonExistent);
        semaphore.count() * 2 + taken.load(Relaxed)
    }
    let results = results::<2>(2, &BOTH, main);
    // Left for others; taken, and it went on; given to it, and it did not live to see that.
    assert!(results.is_subset(&BTreeSet::from([0, 1, 2])), "{results:?}");
    assert!(results.len() > 1, "{results:?}");
}

#[test]
fn a_thread_is_deleted_where_it_is_about_to_enter_the_kernel_and_begins_anew() {
    fn main() -> u32 {
        let semaphore: &Semaphore<SeveralHost> = leak(Semaphore::new(0));
        let begun = leak(AtomicU32::new(0));
        let body = || {
            begun.fetch_add(1, Relaxed);
            semaphore.give().unwrap();
            AnyThread::<SeveralHost>::yield_now();
        };
        let thread = spawn_on("again", 10, body);
        thread.delete().unwrap();
        start_on(thread, body);
        wait_for(thread);
        // The second life is whole; of the first, any part.
        let (begun, given) = (begun.load(Relaxed), semaphore.count());
        assert!((1..=2).contains(&begun) && given <= begun && given >= 1);
        begun
    }
    assert_eq!(results::<2>(1, &BOTH, main), BTreeSet::from([1, 2]));
}

#[test]
fn a_permit_meets_the_time_out_of_its_taker() {
    fn main() -> u32 {
        let semaphore: &Semaphore<SeveralHost> = leak(Semaphore::new(0));
        let answer = leak(AtomicU32::new(u32::MAX));
        let taker = spawn_on("taker", 10, || {
            let taken = semaphore.take(Timeout::after(3u32.micros()));
            answer.store(told(taken), Relaxed);
        });
        HostSeveral::spend(3u32.micros());
        semaphore.give().unwrap();
        wait_for(taker);
        let answer = answer.load(Relaxed);
        // A permit is taken once or left.
        assert_eq!(semaphore.count() == 0, answer == 0);
        answer
    }
    let expected = BTreeSet::from([0, Error::Timeout as u32]);
    assert_eq!(results::<2>(1, &BOTH, main), expected);
}

#[test]
fn two_threads_exchange_their_processors() {
    fn main() -> u32 {
        let on = |number| CpuSet::of(Cpu::new(number).unwrap());
        let rounds: &[AtomicU32; 2] = leak([const { AtomicU32::new(0) }; 2]);
        let threads: Vec<_> = rounds
            .iter()
            .map(|rounds| {
                spawn_on("exchanged", 10, || {
                    HostSeveral::spend(2u32.micros());
                    rounds.store(1, Relaxed);
                })
            })
            .collect();
        for (number, thread) in threads.iter().enumerate() {
            thread.set_affinity(on(number)).unwrap();
        }
        for (number, thread) in threads.iter().enumerate() {
            // The first may have ended.
            let _ = thread.set_affinity(on(1 - number));
        }
        for thread in threads {
            wait_for(thread);
        }
        rounds.iter().map(|rounds| rounds.load(Relaxed)).sum()
    }
    assert_eq!(results::<2>(1, &BOTH, main), BTreeSet::from([2]));
}

#[test]
fn a_processor_goes_while_a_thread_wakes_there() {
    fn main() -> u32 {
        let semaphore: &Semaphore<SeveralHost> = leak(Semaphore::new(0));
        let woken = leak(AtomicU32::new(0));
        let thread = spawn_on("woken", 10, || {
            semaphore.take(Timeout::FOREVER).unwrap();
            woken.store(1, Relaxed);
        });
        let both = Kernel::<SeveralHost>::instance_named(*b"both").unwrap();
        let away = Cpu::new(1).unwrap();
        HostSeveral::interrupt_at(0, Kernel::<SeveralHost>::now(), || {
            semaphore.give().unwrap();
        });
        Kernel::<SeveralHost>::remove_processor(both, away).unwrap();
        assert_eq!(AnyThread::<SeveralHost>::processor(), Cpu::new(0).unwrap());
        wait_for(thread);
        Kernel::<SeveralHost>::add_processor(both, away).unwrap();
        woken.load(Relaxed)
    }
    assert_eq!(results::<2>(1, &BOTH, main), BTreeSet::from([1]));
}

/// It is held and let go while the processor that goes still has its registers, or no more.
#[test]
fn a_processor_goes_to_others_and_comes_back_while_its_thread_is_held() {
    fn main() -> u32 {
        let rounds = leak(AtomicU32::new(0));
        let thread = spawn_on("runs", 10, || {
            for _ in 0..3 {
                HostSeveral::spend(1u32.micros());
                AnyThread::<SeveralHost>::yield_now();
                rounds.fetch_add(1, Relaxed);
            }
        });
        let (add, remove) = (
            Kernel::<SeveralHost>::add_processor,
            Kernel::<SeveralHost>::remove_processor,
        );
        let [two, one] = [*b"two ", *b"one "].map(Kernel::<SeveralHost>::instance_named);
        let (two, one, away) = (two.unwrap(), one.unwrap(), Cpu::new(1).unwrap());
        remove(two, away).unwrap();
        let held = thread.suspend().is_ok();
        add(one, away).unwrap();
        if held {
            thread.resume().unwrap();
        }
        remove(one, away).unwrap();
        add(two, away).unwrap();
        wait_for(thread);
        rounds.load(Relaxed)
    }
    assert_eq!(results::<3>(1, &TWO_AND_ONE, main), BTreeSet::from([3]));
}

#[test]
fn a_processor_goes_in_the_instant_in_which_a_budget_is_used_up_there() {
    fn main() -> u32 {
        let both = Kernel::<SeveralHost>::instance_named(*b"both").unwrap();
        let away = Cpu::new(1).unwrap();
        let main = AnyThread::<SeveralHost>::current();
        let now = Kernel::<SeveralHost>::now();
        main.release_job(now.saturating_add(20u32.micros()))
            .unwrap();
        let served = leak(SeveralThread::new("served"));
        let ended = leak(AtomicU32::new(0));
        served.create().unwrap();
        served.set_server(5u32.micros(), 50u32.micros()).unwrap();
        start_on(served, || {
            HostSeveral::spend(8u32.micros());
            ended.store(1, Relaxed);
        });
        // A handler there keeps the alarm waiting until the processor has left.
        let soon = now.saturating_add(4u32.micros());
        HostSeveral::interrupt_at(1, soon, || HostSeveral::spend(4u32.micros()));
        HostSeveral::spend(6u32.micros());
        Kernel::<SeveralHost>::remove_processor(both, away).unwrap();
        // Each call may close the instance before the alarm.
        for _ in 0..4 {
            AnyThread::<SeveralHost>::yield_now();
            HostSeveral::spend(1u32.micros());
        }
        assert_eq!(AnyThread::<SeveralHost>::processor(), Cpu::new(0).unwrap());
        assert_eq!(ended.load(Relaxed), 0, "it has no processor");
        wait_for(served);
        Kernel::<SeveralHost>::add_processor(both, away).unwrap();
        main.cancel_job().unwrap();
        ended.load(Relaxed)
    }
    assert_eq!(results::<2>(1, &BOTH_SERVED, main), BTreeSet::from([1]));
}

#[test]
fn two_threads_suspend_each_other() {
    fn main() -> u32 {
        let threads: &[SeveralThread; 2] = leak([const { SeveralThread::new("one of two") }; 2]);
        let done: &[AtomicU32; 2] = leak([const { AtomicU32::new(0) }; 2]);
        for number in 0..2 {
            start_on(&threads[number], move || {
                threads[1 - number].suspend().unwrap_or(());
                done[number].store(1, Relaxed);
            });
        }
        for _ in 0..4 {
            HostSeveral::spend(20u32.micros());
            for thread in threads {
                let _ = thread.resume();
            }
            AnyThread::<SeveralHost>::sleep(20u32.micros()).unwrap();
        }
        done.iter().map(|done| done.load(Relaxed)).sum()
    }
    assert_eq!(results::<2>(1, &BOTH, main), BTreeSet::from([2]));
}

#[test]
fn a_lock_is_released_while_another_cluster_helps() {
    fn main() -> u32 {
        let lock: &ClusterMutex<SeveralHost> =
            leak(ClusterMutex::new(ClusterProtocol::Inheritance));
        let inside = leak(AtomicU32::new(0));
        let count = leak(AtomicU32::new(0));
        let critical = || {
            lock.lock(Timeout::FOREVER).unwrap();
            assert_eq!(inside.fetch_add(1, Relaxed), 0, "two are inside");
            HostSeveral::spend(2u32.micros());
            inside.fetch_sub(1, Relaxed);
            count.fetch_add(1, Relaxed);
            lock.unlock().unwrap();
        };
        let here = spawn_on("here", 20, critical);
        let there = leak(SeveralThread::new("there"));
        there.create().unwrap();
        let one = Kernel::<SeveralHost>::instance_named(*b"one ").unwrap();
        there.move_to(one, Priority::new(10).unwrap()).unwrap();
        start_on(there, critical);
        // It displaces the owner at home, for main has the other processor.
        let urgent = spawn_on("urgent", 5, || HostSeveral::spend(4u32.micros()));
        for thread in [here, there, urgent] {
            wait_for(thread);
        }
        count.load(Relaxed)
    }
    assert_eq!(results::<3>(0, &TWO_AND_ONE, main), BTreeSet::from([2]));
}

/// The data of a partition: how often its thread has begun since they were new.
struct Begun(AtomicU32);

impl Data for Begun {
    const NEW: Self = Self(AtomicU32::new(0));
}

#[repr(C, align(1024))]
struct Block([u8; 1024]);

extern "C" fn begin(data: &'static Begun, _: usize) -> ! {
    data.0.fetch_add(1, Relaxed);
    AnyThread::<SeveralHost>::exit()
}

#[test]
fn two_threads_start_one_partition() {
    fn main() -> u32 {
        let threads = leak([UserThread::new("begins", 512, begin).priority(10)]);
        let memory = leak(Memory::<Block>::new());
        let partition: &Partition<SeveralHost, Begun> =
            leak(Partition::new("partition", memory, threads));
        let others = leak(AtomicU32::new(u32::MAX));
        let rival = spawn_on("rival", 10, || {
            others.store(told(partition.start()), Relaxed);
        });
        let own = told(partition.start());
        wait_for(rival);
        assert_eq!(threads[0].join(Timeout::after(1u32.millis())), Ok(()));
        let others = others.load(Relaxed);
        let one = [own, others].into_iter().filter(|told| *told == 0).count();
        assert_eq!((one, own + others), (1, Error::State as u32));
        // The result of the thread is there: no call made the data new after it.
        let begun = partition.look_at(|data| data.0.load(Relaxed));
        assert_eq!((begun, partition.generation()), (Ok(1), 1));
        own
    }
    let results = results::<2>(2, &BOTH, main);
    assert_eq!(results, BTreeSet::from([0, Error::State as u32]));
}
