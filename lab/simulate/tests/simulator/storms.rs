//! Stress tests violate no invariant. A target that violates one is caught, and its stress test is
//! shrunk to a few lines.

use taktos_schedule::smp::PolicyKind::{
    Cbs, Edf, Priority, PriorityAffinity, Simple, StrongAffinity,
};
use taktos_schedule::smp::{PolicyKind, Reasons};
use taktos_schedule::{Cpu, CpuSet};
use taktos_simulate::explore::{Failure, StormOptions, StormReport, storm, storm_in};
use taktos_simulate::scenario::{
    Command, InstanceName, LockName, Names, Occupant, OnCpu, Options, Refusal, Setup, Status,
    SystemWorld, Target, ThreadName, WaitEnd, World, parse, run,
};
use taktos_time::{Duration, Instant};

/// Returns the seeds: their number is set in the environment, 2 otherwise.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var("TAKTOS_STORMS").ok();
    0..asked.and_then(|asked| asked.parse().ok()).unwrap_or(2)
}

/// Runs the stress test over the library.
fn held(options: &StormOptions) -> StormReport {
    storm(options).unwrap_or_else(|failure| panic!("{failure}"))
}

#[test]
fn large_storms_hold_under_each_policy() {
    for policy in [Simple, Priority, Edf, PriorityAffinity, StrongAffinity, Cbs] {
        for seed in seeds() {
            let mut options = StormOptions::large(policy, seed);
            options.events = 800;
            let report = held(&options);
            // A stress test in which every command is refused shows nothing.
            let carried_out = report.events - report.refused - report.impossible;
            assert!(carried_out > report.events / 3, "{report}");
        }
    }
}

#[test]
fn small_storms_hold_under_each_policy() {
    for policy in [Simple, Priority, Edf, PriorityAffinity, StrongAffinity, Cbs] {
        for seed in seeds() {
            held(&StormOptions::small(policy, seed));
        }
    }
}

#[test]
fn storms_hold_among_clusters_of_different_kinds() {
    for seed in seeds() {
        let mut large = StormOptions::clustered([Edf, Priority, StrongAffinity, Simple], seed);
        large.events = 800;

        held(&large);
        held(&StormOptions::small_clusters([Edf, Edf, Edf], seed));
        held(&StormOptions::small_clusters(
            [Edf, Priority, StrongAffinity],
            seed,
        ));
        held(&StormOptions::small_clusters(
            [Simple, Cbs, PriorityAffinity],
            seed,
        ));
    }
}

#[test]
fn the_same_seed_makes_the_same_storm() {
    let options = StormOptions::small_clusters([Edf, Priority, Simple], 7);
    assert_eq!(storm(&options), storm(&options));
    let other = StormOptions {
        seed: 8,
        ..options.clone()
    };
    assert_ne!(held(&options), held(&other));
}

/// The ways in which [`FaultyPolicy`] is wrong.
#[derive(Clone, Copy)]
enum Fault {
    /// An affinity is remembered, and not kept to.
    Affinity,
    /// A change of priority is remembered, and changes no thread's place.
    Priority,
    /// A thread that yields is heir of a second processor.
    Heir,
    /// An owner does not inherit.
    Inheritance,
    /// A waiter with a changed priority goes after all others.
    Turn,
    /// It panics when a lock is flushed.
    Panic,
}

/// The library, but for a fault.
struct FaultyHost(Fault);

struct FaultyPolicy<'a> {
    inner: &'a mut dyn Target,
    fault: Fault,
    affinities: Vec<(ThreadName, CpuSet)>,
    priorities: Vec<(ThreadName, u32)>,
    yielded: Option<ThreadName>,
    behind: Vec<ThreadName>,
}

impl World for FaultyHost {
    fn with<R>(
        &self,
        setup: &Setup,
        names: &Names,
        policy: PolicyKind,
        run: impl FnOnce(&mut dyn Target) -> R,
    ) -> Result<R, Status> {
        SystemWorld.with(setup, names, policy, |inner| {
            run(&mut FaultyPolicy {
                inner,
                fault: self.0,
                affinities: Vec::new(),
                priorities: Vec::new(),
                yielded: None,
                behind: Vec::new(),
            })
        })
    }
}

impl Target for FaultyPolicy<'_> {
    fn perform(&mut self, command: &Command) -> Result<(), Refusal> {
        match (self.fault, command) {
            (Fault::Affinity, Command::Affinity(thread, cpus)) => {
                self.inner.perform(command)?;
                self.inner
                    .perform(&Command::Affinity(*thread, CpuSet::ALL))?;
                self.affinities.retain(|(known, _)| known != thread);
                self.affinities.push((*thread, *cpus));
                return Ok(());
            }
            (Fault::Priority, Command::Priority(thread, priority)) => {
                let before = self.inner.priority(*thread, None);
                self.inner.perform(command)?;
                if let Some(before) = before {
                    self.inner.perform(&Command::Priority(*thread, before))?;
                }
                self.priorities.retain(|(known, _)| known != thread);
                self.priorities.push((*thread, *priority));
                return Ok(());
            }
            (Fault::Heir, Command::Yield(thread)) => {
                self.inner.perform(command)?;
                self.yielded = Some(*thread);
                return Ok(());
            }
            (Fault::Turn, Command::Priority(thread, _)) => {
                self.inner.perform(command)?;
                self.behind.retain(|known| known != thread);
                self.behind.push(*thread);
                return Ok(());
            }
            (Fault::Panic, Command::Flush(_)) => {
                self.inner.perform(command)?;
                panic!("a fault on purpose");
            }
            _ => {}
        }
        self.inner.perform(command)
    }

    fn on(&self, cpu: Cpu) -> OnCpu {
        let on = self.inner.on(cpu);
        match self.yielded {
            Some(thread) if on.heir == Occupant::Idle(None) => OnCpu {
                heir: Occupant::Thread(thread),
                executing: Occupant::Thread(thread),
            },
            _ => on,
        }
    }

    fn affinity(&self, thread: ThreadName) -> CpuSet {
        let kept = self.affinities.iter().find(|(known, _)| *known == thread);
        kept.map_or_else(|| self.inner.affinity(thread), |(_, cpus)| *cpus)
    }

    fn priority(&self, thread: ThreadName, instance: Option<InstanceName>) -> Option<u32> {
        let kept = self.priorities.iter().find(|(known, _)| *known == thread);
        if let Fault::Inheritance = self.fault {
            return self
                .inner
                .priority(thread, instance)
                .map(|found| found.max(3));
        }
        match kept {
            Some((_, priority)) => Some(*priority),
            None => self.inner.priority(thread, instance),
        }
    }

    fn now(&self) -> Instant {
        self.inner.now()
    }
    fn has_processor(&self, thread: ThreadName) -> bool {
        self.inner.has_processor(thread)
    }
    fn ready(&self, instance: InstanceName) -> Vec<ThreadName> {
        self.inner.ready(instance)
    }
    fn scheduled(&self, instance: InstanceName) -> Vec<Occupant> {
        self.inner.scheduled(instance)
    }
    fn reasons(&self, thread: ThreadName) -> Option<Reasons> {
        self.inner.reasons(thread)
    }
    fn pinned(&self, thread: ThreadName) -> Option<Cpu> {
        self.inner.pinned(thread)
    }
    fn home(&self, thread: ThreadName) -> Option<InstanceName> {
        self.inner.home(thread)
    }
    fn owned(&self, instance: InstanceName) -> CpuSet {
        self.inner.owned(instance)
    }
    fn cpu_time(&self, thread: ThreadName) -> Duration {
        self.inner.cpu_time(thread)
    }
    fn owner(&self, lock: LockName) -> Option<ThreadName> {
        self.inner.owner(lock)
    }
    fn waiters(&self, lock: LockName) -> Vec<ThreadName> {
        let mut waiters = self.inner.waiters(lock);
        waiters.sort_by_key(|waiter| self.behind.iter().position(|known| known == waiter));
        waiters
    }
    fn outcome(&self, thread: ThreadName) -> WaitEnd {
        self.inner.outcome(thread)
    }
    fn check(&self, names: &Names) -> Result<(), String> {
        self.inner.check(names)
    }
}

/// Checks that one of the first stress tests over the faulty target fails. Its script has at most
/// `lines` commands, and fails too.
fn caught(fault: Fault, options: &StormOptions, lines: usize) -> Failure {
    let mut storms = (options.seed..options.seed + 4).map(|seed| StormOptions {
        seed,
        ..options.clone()
    });
    let failure = storms
        .find_map(|options| storm_in(&FaultyHost(fault), &options).err())
        .unwrap();
    let (_, case) = failure.script.split_once("case found:").unwrap();
    let commands = case.lines().filter(|line| !line.is_empty()).count();
    assert!(commands <= lines, "{failure}");
    let script = parse(&failure.script, "found.scenario")
        .unwrap_or_else(|fault| panic!("{fault}: {failure}"));
    assert!(
        run(&SystemWorld, &script, &Options::default()).is_ok(),
        "{failure}"
    );
    if !matches!(fault, Fault::Panic) {
        run(&FaultyHost(fault), &script, &Options::default()).unwrap_err();
    }
    *failure
}

#[test]
fn a_target_that_breaks_a_law_is_caught_and_its_storm_shrunk() {
    let clusters = StormOptions::small_clusters([Edf, Priority, Simple], 1);
    let large = StormOptions::large(StrongAffinity, 1);
    for (fault, options, lines, found) in [
        (Fault::Affinity, &large, 3, "may not be on processor"),
        (
            Fault::Priority,
            &large,
            5,
            "the most urgent of those who fit",
        ),
        (Fault::Heir, &large, 3, "heir of processor"),
        (
            Fault::Inheritance,
            &clusters,
            8,
            "what it has by itself, its locks",
        ),
        (Fault::Turn, &clusters, 20, "the turns of those who wait"),
        (Fault::Panic, &clusters, 4, "it does"),
    ] {
        let failure = caught(fault, options, lines);
        assert!(failure.broken.found.contains(found), "{failure}");
        assert!(
            failure.to_string().contains("the shortest script"),
            "{failure}"
        );
    }
}
