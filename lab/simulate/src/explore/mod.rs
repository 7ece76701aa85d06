//! Stress tests: many random commands, and the invariants checked after each. A run that fails is
//! shrunk.
//!
//! Owns: the size of a stress test, and its report.
//! Must never know: the invariants, and how commands are chosen ([`crate::scenario`] does).
//!
//! All orders of a few simultaneous events are explored by the `together` blocks of scripts.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use taktos_schedule::CpuSet;
use taktos_schedule::smp::PolicyKind;

use crate::scenario::{
    Answer, Broken, Culprit, InstanceSetup, KINDS, Kind, Names, Plan, Setup, Status, Storm,
    SystemWorld, Trial, World, policy_name,
};

/// Options of a stress test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StormOptions {
    /// The seed: the same options make the same stress test.
    pub seed: u64,
    /// How many commands.
    pub events: u32,
    /// How many threads take part, 1 to 1000.
    pub threads: usize,
    /// How many locks, up to 1000.
    pub locks: usize,
    /// The clusters, the lowest processors first: the policy, and how many processors it has. At
    /// most 64 in all.
    pub clusters: Vec<(PolicyKind, usize)>,
    /// The kinds of commands.
    pub kinds: Vec<Kind>,
}

impl StormOptions {
    /// The large stress test of `policy`: 32 processors, 96 threads, 12 locks, everything that can
    /// happen.
    pub fn large(policy: PolicyKind, seed: u64) -> Self {
        Self {
            seed,
            events: 2000,
            threads: 96,
            locks: 12,
            clusters: vec![(policy, 32)],
            kinds: KINDS.map(|(_, kind)| kind).to_vec(),
        }
    }

    /// The large stress test among clusters: eight of the 32 processors for each of four policies.
    pub fn clustered(policies: [PolicyKind; 4], seed: u64) -> Self {
        Self {
            clusters: policies.map(|policy| (policy, 8)).to_vec(),
            ..Self::large(policies[0], seed)
        }
    }

    /// A small one, where every thread meets every other: 3 processors, 8 threads, 3 locks.
    pub fn small(policy: PolicyKind, seed: u64) -> Self {
        Self {
            threads: 8,
            locks: 3,
            clusters: vec![(policy, 3)],
            ..Self::large(policy, seed)
        }
    }

    /// Two clusters of one processor each, and one of two.
    pub fn small_clusters(policies: [PolicyKind; 3], seed: u64) -> Self {
        let [one, other, two] = policies;
        Self {
            clusters: vec![(one, 1), (other, 1), (two, 2)],
            ..Self::small(one, seed)
        }
    }

    fn setup(&self) -> (Setup, Names, Plan) {
        let mut names = Names::default();
        let mut setup = Setup::default();
        for (index, (policy, count)) in self.clusters.iter().enumerate() {
            let below = setup.processors.count();
            let cpus = CpuSet::first(below + count).minus(setup.processors);
            setup.processors = setup.processors.or(cpus);
            names.add_instance(&format!("C{index}"));
            setup.instances.push(InstanceSetup {
                policy: Some(*policy),
                cpus,
            });
        }
        setup.online = setup.processors;
        for index in 0..self.threads {
            names.add_thread(&format!("T{index}"));
        }
        for index in 0..self.locks {
            names.add_lock(&format!("M{index}"));
        }
        let mut kinds = self.kinds.clone();
        kinds.retain(|kind| *kind != Kind::Locks || self.locks > 0);
        let plan = Plan {
            events: self.events,
            seed: self.seed,
            threads: (0, self.threads),
            locks: (0, self.locks),
            kinds,
        };
        (setup, names, plan)
    }
}

/// Result of a stress test that violated no invariant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StormReport {
    /// Commands.
    pub events: u32,
    /// Those that were refused, and changed nothing.
    pub refused: u32,
    /// Those that no thread could ask for.
    pub impossible: u32,
}

impl fmt::Display for StormReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            events,
            refused,
            impossible,
        } = self;
        let carried_out = events - refused - impossible;
        write!(
            f,
            "{events} commands: {carried_out} carried out, {refused} refused, \
             {impossible} impossible; every law held after each"
        )
    }
}

/// Result of a stress test that violated an invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The seed.
    pub seed: u64,
    /// The policies of the clusters.
    pub policies: Vec<&'static str>,
    /// Which command broke it, counted from 1.
    pub event: usize,
    /// The invariant that the script violates, and the state that was found.
    pub broken: Broken,
    /// The shortest script that was found to violate it, or another invariant.
    pub script: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let policies = self.policies.join(", ");
        writeln!(
            f,
            "the storm of seed {} ({policies}) broke a law with command {}",
            self.seed, self.event
        )?;
        writeln!(f, " expected: {}", self.broken.law)?;
        writeln!(f, " found:    {}", self.broken.found)?;
        write!(f, "the shortest script that fails:\n\n{}", self.script)
    }
}

impl std::error::Error for Failure {}

/// Runs a stress test over the scheduling library.
///
/// # Errors
/// The invariant that it violated, with the shortest script that violates it.
pub fn storm(options: &StormOptions) -> Result<StormReport, Box<Failure>> {
    storm_in(&SystemWorld, options)
}

/// Runs a stress test over any target.
///
/// # Errors
/// The invariant that it violated, with the shortest script that violates it.
pub fn storm_in(world: &impl World, options: &StormOptions) -> Result<StormReport, Box<Failure>> {
    let (setup, names, plan) = options.setup();
    let default = PolicyKind::Simple;
    let mut commands = Vec::new();
    let mut report = StormReport::default();
    // A panic of the target is a failure as any other; the commands up to it are known.
    let ran = catch_unwind(AssertUnwindSafe(|| {
        world.with(&setup, &names, default, |target| {
            let mut trial = Trial::new(target, &setup, &names, default);
            let mut storm = Storm::new(&plan, &setup, &names);
            for _ in 0..plan.events {
                let command = storm.next(trial.target());
                commands.push(command);
                report.note(&trial.perform(&commands[commands.len() - 1])?);
            }
            Ok::<(), Broken>(())
        })
    }));
    if let Ok(Ok(Ok(()))) = ran {
        return Ok(report);
    }
    let refused = match ran {
        Ok(Err(status)) => Some(status),
        _ => None,
    };
    let event = commands.len();
    let culprit = Culprit {
        setup: setup.clone(),
        names: &names,
        policy: default,
        commands,
    };
    Err(Box::new(failure(world, options, culprit, event, refused)))
}

/// The failure, shrunk.
fn failure(
    world: &impl World,
    options: &StormOptions,
    culprit: Culprit<'_>,
    event: usize,
    refused: Option<Status>,
) -> Failure {
    let shrunk = culprit.shrunk(world);
    let unseen = || Broken {
        law: "the set-up is accepted, and the same commands do the same".to_owned(),
        found: match refused {
            Some(status) => format!("it is refused: {status}"),
            None => "the same commands broke no law when they were done again".to_owned(),
        },
    };
    let policies = options.clusters.iter();
    Failure {
        seed: options.seed,
        policies: policies.map(|(policy, _)| policy_name(*policy)).collect(),
        event,
        broken: shrunk.breach(world).unwrap_or_else(unseen),
        script: shrunk.script(world, "found"),
    }
}

impl StormReport {
    fn note(&mut self, answer: &Answer) {
        self.events += 1;
        match answer {
            Answer::Done => {}
            Answer::Refused(_) => self.refused += 1,
            Answer::Impossible(_) => self.impossible += 1,
        }
    }
}
