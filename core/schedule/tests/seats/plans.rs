//! Owns: which instances a system has, and the two systems before the first operation.
//! Must never know: which operations follow.

use super::board::{Board, THREADS, row};
use super::common::{Flags, LOCKS, Tables, at, cpu};
use super::mood::{Count, Mood};
use super::pair::Pair;
use taktos_schedule::smp::seats::{Home, Router};
use taktos_schedule::smp::{InstanceConfig, Lock, PolicyKind, Priority as Level, Protocol, System};
use taktos_schedule::{CpuSet, Priority};
use taktos_schedule_oracle::System as Oracle;

/// An instance: its policy and its processors.
pub type Plan = (PolicyKind, Vec<usize>);

/// Which instances a system has.
pub fn plans() -> Vec<Vec<Plan>> {
    use PolicyKind::{Cbs, Edf, Priority, PriorityAffinity, Simple, StrongAffinity};
    vec![
        vec![(Simple, vec![0]), (Simple, vec![1, 2, 3])],
        vec![(PriorityAffinity, vec![0, 1, 2, 3])],
        vec![
            (PriorityAffinity, vec![0]),
            (Simple, vec![1, 2]),
            (PriorityAffinity, vec![3, 4, 5]),
        ],
        vec![(Cbs, vec![0, 1, 2, 3])],
        vec![(Cbs, vec![0]), (Cbs, vec![1, 2])],
        vec![(Edf, vec![0]), (Cbs, vec![1, 2, 3, 4, 5])],
        vec![
            (Priority, vec![0]),
            (Priority, vec![1]),
            (Priority, vec![2, 3]),
        ],
        vec![(Priority, vec![0]), (Priority, vec![1]), (Edf, vec![2, 3])],
        vec![
            (Priority, vec![0]),
            (Priority, vec![1]),
            (Priority, vec![2, 3]),
        ],
        vec![(Priority, vec![0, 2, 3]), (Priority, vec![1])],
        vec![(Priority, vec![0, 1, 2, 3])],
        vec![(Priority, vec![0, 1]), (Priority, vec![2, 3])],
        vec![(Priority, vec![1]), (Priority, vec![0, 2, 3, 4, 5])],
        vec![(StrongAffinity, vec![0, 1, 2, 3])],
        vec![
            (Priority, vec![0]),
            (StrongAffinity, vec![1, 3]),
            (Priority, vec![2]),
        ],
        vec![(Edf, vec![0, 1, 2, 3])],
        vec![(Edf, vec![1]), (Edf, vec![0, 2, 4]), (Priority, vec![3])],
        vec![
            (StrongAffinity, vec![0]),
            (StrongAffinity, vec![1, 2, 3, 4, 5]),
        ],
        vec![(StrongAffinity, vec![0, 1]), (Cbs, vec![2, 3])],
        vec![
            (PriorityAffinity, vec![0, 1]),
            (PriorityAffinity, vec![2, 3]),
        ],
        vec![
            (PriorityAffinity, vec![0, 1, 2, 3]),
            (StrongAffinity, vec![4, 5]),
        ],
    ]
}

/// The outcome, while all agreed.
pub fn run(words: &[u64], plan: &[Plan], mood: Mood) -> Count {
    beside_each_other(plan, mood, |pair, locks| {
        // All, until they part.
        let alike = words.iter().all(|word| pair.act(*word, locks));
        if alike {
            pair.compare_order();
        }
        pair.compare_times();
        pair.count
    })
}

/// `act` acts on two systems that are alike, each instance of which has two threads.
pub fn beside_each_other<R>(
    plan: &[Plan],
    mood: Mood,
    act: impl FnOnce(&mut Pair<'_>, &[Lock]) -> R,
) -> R {
    let configs: Vec<InstanceConfig> = plan
        .iter()
        .zip(*b"ABC")
        .map(|((policy, cpus), name)| InstanceConfig {
            name: [name; 4],
            policy: *policy,
            cpus: cpus.iter().map(|number| cpu(*number)).collect(),
        })
        .collect();
    let cpus = plan.iter().map(|(_, cpus)| cpus.len()).sum();
    let online = CpuSet::first(cpus);
    let mut ours = Tables::new(THREADS, online, configs.len());
    let homes = [const { Home::EMPTY }; 3];
    let system = System::new(ours.memory(), online, &configs).unwrap();
    let mut router = Router::new(system, &homes[..configs.len()]);
    let board = Board::new(&homes);
    router.begin(&board, at(0));
    let mut pair = Pair {
        plain: Oracle::new(THREADS, LOCKS, online, &configs).unwrap(),
        flags: Flags::default(),
        router,
        board: &board,
        instances: configs.len(),
        cpus,
        made: 0,
        now: 0,
        acting: 0,
        mood,
        count: Count::default(),
        protocols: Vec::new(),
        kept_idle: CpuSet::EMPTY,
        idle_threads_differ: false,
        parts: false,
        budgets_differ: false,
        has_lent: false,
        tries_again: plan
            .iter()
            .any(|(kind, ..)| *kind == PolicyKind::PriorityAffinity),
    };
    for home in 0..configs.len() {
        for _ in 0..2 {
            pair.create(home, Priority::new(2).unwrap(), None);
        }
    }
    let last = 2 * (configs.len() - 1);
    let usual = [
        (Protocol::Inheritance, 0, None),
        (Protocol::MrsP, 0, Some(Level(0))),
        (Protocol::Omip, 0, None),
        (Protocol::None, 0, None),
    ];
    let sections = [
        (Protocol::MrsP, 0, Some(Level(1))),
        (Protocol::Ceiling, 0, Some(Level(1))),
        (Protocol::MrsP, last, Some(Level(2))),
        (Protocol::Omip, 0, None),
        (Protocol::Ceiling, last, Some(Level(0))),
        (Protocol::None, 0, None),
    ];
    let inherits = [
        (Protocol::Inheritance, 0, None),
        (Protocol::Omip, 0, None),
        (Protocol::Inheritance, last, None),
        (Protocol::Omip, last, None),
        (Protocol::MrsP, 0, Some(Level(1))),
        (Protocol::MrsP, last, Some(Level(0))),
    ];
    let protocols = match mood {
        Mood { sections: true, .. } => &sections[..],
        Mood { inherits: true, .. } => &inherits[..],
        _ => &usual[..],
    };
    let locks: Vec<Lock> = protocols
        .iter()
        .map(|&(protocol, creator, ceiling)| {
            pair.protocols.push(protocol);
            let creator = row(creator);
            let ours =
                pair.drive(|driver| driver.create_lock(protocol, creator.index(), ceiling, false));
            let theirs = pair.plain(|system, now, flags| {
                system.create_lock(protocol, creator, ceiling, false, now, flags)
            });
            assert_eq!(ours, theirs);
            ours.unwrap()
        })
        .collect();
    act(&mut pair, &locks)
}

/// [`run`], with a panic as an error: how many words there were, and its text.
pub fn attempt(words: &[u64], plan: &[Plan], mood: Mood) -> Result<Count, (usize, String)> {
    let result = std::panic::catch_unwind(|| run(words, plan, mood));
    result.map_err(|cause| {
        let text = cause
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        (words.len(), text.unwrap_or_default())
    })
}

/// A fresh seed.
pub fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

pub const LENGTH: usize = if cfg!(miri) { 60 } else { 4_000 };
pub const STORMS: usize = if cfg!(miri) { 1 } else { 100 };
pub const MOODS: [Mood; 5] = [
    Mood::new(1, THREADS),
    Mood::new(8, THREADS),
    Mood::new(8, 6),
    Mood::new(60, THREADS),
    Mood::new(60, 6),
];
/// Nothing is left out.
pub const WILD: Mood = MOODS[0];

/// [`WILD`] with locks that have helped owners.
pub const HELPFUL: Mood = Mood {
    inherits: true,
    ..WILD
};

/// Returns the plans with threads that may have servers.
pub fn plans_with_servers() -> Vec<Vec<Plan>> {
    let serves = |plan: &Vec<Plan>| plan.iter().any(|(kind, ..)| *kind == PolicyKind::Cbs);
    plans().into_iter().filter(serves).collect()
}
