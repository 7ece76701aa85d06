//! The documented bounds, held against counted steps, for growing numbers of threads and processors.

use super::{NOW, Tables, cpus, started, std::vec::Vec};
use crate::{
    CpuSet,
    smp::{PolicyKind, Reasons, steps::counted},
};

/// log₂(n + 1), rounded up.
fn log(n: usize) -> usize {
    n.next_power_of_two().ilog2() as usize + 1
}

/// How many wait.
const BEHIND: [usize; 5] = [1, 2, 10, 100, 1000];

/// Thread i stands on processor i and may go to the next one too: the longest of paths. `behind` threads wait for the first
/// processor alone, and one, the least urgent, for every one.
fn ladder(processors: usize, behind: usize) -> [usize; 2] {
    let mut tables = Tables::new(processors + behind + 2, processors, 1);
    let mut system = tables.system(PolicyKind::StrongAffinity, &[CpuSet::first(processors)]);
    let rungs: Vec<_> = (0..processors)
        .map(|at| {
            started(
                &mut system,
                at as u32 + 10,
                &[at, (at + 1).min(processors - 1)],
            )
        })
        .collect();
    for at in 0..behind {
        started(&mut system, 1000 + at as u32, &[0]);
    }
    let all: Vec<_> = (0..processors).collect();
    started(&mut system, 9000, &all);
    let newcomer = started(&mut system, 9, &[0]);
    assert_eq!(system.processor_of(newcomer), cpus(&[0]).lowest());
    assert_eq!(system.processor_of(rungs[processors - 1]), None);
    system.block(newcomer, Reasons::WAIT, NOW, &mut ()).unwrap();
    let (_, arrival) = counted(|| {
        system
            .unblock(newcomer, Reasons::WAIT, NOW, &mut ())
            .unwrap()
    });
    let (_, departure) = counted(|| system.block(newcomer, Reasons::WAIT, NOW, &mut ()).unwrap());
    // The last rung has it back.
    assert_eq!(
        system.processor_of(rungs[processors - 1]),
        cpus(&[processors - 1]).lowest()
    );
    [arrival, departure].map(|steps| steps as usize)
}

#[test]
fn arrivals_and_departures_keep_to_their_bounds() {
    for processors in [2, 4, 8, 16, 32] {
        for behind in BEHIND {
            let [arrival, departure] = ladder(processors, behind);
            let (n, m) = (behind + 2, processors);
            // Two looks at each processor, the displaced one's insertion, and the list of those that run.
            let bound = 2 * m + log(n) + m;
            assert!(
                arrival <= bound,
                "arrival, n {n}, m {m}: {arrival} > {bound}"
            );
            // The layers; each READY node at most twice; its removal; the list of those that run.
            let bound = m * m / 2 + 2 * n + 2 * log(n) + m;
            assert!(
                departure <= bound,
                "departure, n {n}, m {m}: {departure} > {bound}"
            );
        }
    }
}

#[test]
fn without_affinity_a_departure_is_logarithmic() {
    for processors in [2, 8, 32] {
        for behind in BEHIND {
            let mut tables = Tables::new(processors + behind, processors, 1);
            let mut system =
                tables.system(PolicyKind::StrongAffinity, &[CpuSet::first(processors)]);
            let all: Vec<_> = (0..processors).collect();
            let first = started(&mut system, 1, &all);
            for at in 1..processors + behind {
                started(&mut system, at as u32 + 1, &all);
            }
            let (_, steps) = counted(|| system.block(first, Reasons::WAIT, NOW, &mut ()).unwrap());
            let bound = 2 * processors + 2 * log(behind) + 1;
            assert!(
                steps as usize <= bound,
                "{processors} {behind}: {steps} > {bound}"
            );
        }
    }
}

#[test]
fn the_weak_form_looks_at_each_ready_thread_once() {
    for processors in [2, 8, 32] {
        for behind in BEHIND {
            let mut tables = Tables::new(processors + behind, processors, 1);
            let mut system =
                tables.system(PolicyKind::PriorityAffinity, &[CpuSet::first(processors)]);
            let all: Vec<_> = (0..processors)
                .map(|at| started(&mut system, 1, &[at]))
                .collect();
            for _ in 0..behind {
                started(&mut system, 2, &[0]);
            }
            let last = all[processors - 1];
            let (_, departure) =
                counted(|| system.block(last, Reasons::WAIT, NOW, &mut ()).unwrap());
            let bound = behind + processors + 4;
            assert!(
                departure as usize <= bound,
                "{processors} {behind}: {departure} > {bound}"
            );
            let (_, arrival) =
                counted(|| system.unblock(last, Reasons::WAIT, NOW, &mut ()).unwrap());
            let bound = 3 * processors;
            assert!(
                arrival as usize <= bound,
                "{processors} {behind}: {arrival} > {bound}"
            );
        }
    }
}
