//! The comparison, with a kernel that is the simulator under other costs.

use std::collections::BTreeMap;

use taktos_export::Recording;
use taktos_simulate::Policy;
use taktos_simulate::generate::Key;
use taktos_time::Duration;
use taktos_trace::{Handover, Kind, Left, Thread};

use super::simulated::simulate;
use super::*;
use crate::smp::tests::{case, console};
use crate::smp::{Figures, Layout, Periodic};

/// Returns the result of a kernel with this cost of a switch.
fn kernel(case: &Case, switch: u64) -> (Figures, Recording) {
    let mut figures = Figures::read(&console(case, 1000), case).unwrap();
    let simulated = simulate(case, &figures, switch).unwrap();
    for (task, simulated) in figures.tasks.iter_mut().zip(&simulated.outcome.tasks) {
        task.jobs = simulated.jobs;
        task.missed = simulated.missed;
        task.wall = times(&simulated.wall);
    }
    // The kernel's own work is in no thread of its own: the task after it has run all along.
    let mut schedule = simulated.recording;
    let work = Thread(figures.tasks.len() as u16);
    leave_out(&mut schedule, work);
    (figures, schedule)
}

/// Leaves a thread's spans out; the state of the thread before them is moved to the switch after
/// them.
fn leave_out(schedule: &mut Recording, thread: Thread) {
    let mut said: BTreeMap<u8, Option<Left>> = BTreeMap::new();
    for event in &mut schedule.events {
        let mut handover = Handover::from_argument(event.argument);
        match event.kind {
            Kind::Switch if event.thread == thread => {
                said.insert(event.processor, handover.left);
            }
            Kind::Switch => {
                if let Some(left) = said.remove(&event.processor) {
                    handover.left = left;
                    event.argument = handover.to_argument();
                }
            }
            _ => {}
        }
    }
    schedule.events.retain(|event| event.thread != thread);
}

/// Tasks that are never released at one instant.
fn apart(layout: Layout) -> Case {
    let mut case = case(layout);
    for (place, task) in case.tasks.iter_mut().enumerate() {
        task.offset = 20_000 * place as u64;
    }
    case
}

fn compared<T>(layout: Layout, costs: (u64, u64), look: impl FnOnce(&Both<'_>) -> T) -> T {
    let case = apart(layout);
    let (kernel, schedule) = kernel(&case, costs.0);
    let simulated = simulate(&case, &kernel, costs.1).unwrap();
    look(&Both {
        case: &case,
        kernel: &kernel,
        schedule: &schedule,
        simulated: &simulated,
        cost: 2 * costs.1,
        company: 2 * costs.1,
    })
}

#[test]
fn worlds_of_nearly_the_same_costs_agree() {
    for layout in [Layout::One, Layout::Global, Layout::Partitioned] {
        compared(layout, (700, 600), |both| {
            let drawn = both.draw();
            assert!(both.agree(), "{:?}", drawn.answer);
            assert!(
                drawn.answer[0].contains("in the same order, in all "),
                "{:?}",
                drawn.answer
            );
            assert!(
                drawn.answer[1].contains("of 7 of 7 tasks lie within"),
                "{:?}",
                drawn.answer
            );
            let data: serde_json::Value = serde_json::from_str(&json("virt", &[*both])).unwrap();
            assert_eq!(data["runs"][0]["agree"], true);
            assert!(data["runs"][0]["turns"].as_u64().unwrap() > 285);
            assert_eq!(data["runs"][0]["tasks"]["T1"]["emulated"]["jobs"], 20);
        });
    }
}

#[test]
fn costs_that_were_not_measured_are_found_out() {
    compared(Layout::One, (60_000, 600), |both| {
        assert!(!both.agree());
        assert!(
            !both.draw().answer[1].contains("of 7 of 7"),
            "{:?}",
            both.draw().answer
        );
    });
}

#[test]
fn another_order_is_found_out() {
    let case = apart(Layout::One);
    let (kernel, mut schedule) = kernel(&case, 600);
    let simulated = simulate(&case, &kernel, 600).unwrap();
    for event in &mut schedule.events {
        event.thread = match event.thread {
            Thread(2) => Thread(4),
            Thread(4) => Thread(2),
            other => other,
        };
    }
    let both = Both {
        case: &case,
        kernel: &kernel,
        schedule: &schedule,
        simulated: &simulated,
        cost: 1200,
        company: 1200,
    };
    assert!(!both.agree());
    let words = both.draw().answer[0].clone();
    assert!(
        words.contains("they part at turn ")
            && words.contains(" of instance 0: T5 on the kernel (emulated), T3 in"),
        "{words}"
    );
}

/// Work of the kernel of a set for a switch, and the simulator's charge for it.
const WORKS: u64 = 1_300;
const CHARGES: u64 = 950;

/// Counts of a set in both worlds: the tasks with a wall time beyond their bound, and those with
/// and without a bound.
#[derive(Debug, PartialEq, Eq)]
struct Held {
    beyond: usize,
    bounded: usize,
    unbounded: usize,
}

/// Returns the counts of a set; none if the orders part.
fn held(case: &Case) -> Option<Held> {
    let (kernel, schedule) = kernel(case, WORKS);
    let simulated = simulate(case, &kernel, CHARGES).unwrap();
    let both = Both {
        case,
        kernel: &kernel,
        schedule: &schedule,
        simulated: &simulated,
        cost: 2 * CHARGES,
        company: 2 * WORKS,
    };
    let Order::Same(_) = both.order() else {
        return None;
    };
    let pairs = both.pairs();
    let bounded = pairs.iter().filter(|pair| pair.bound.is_some()).count();
    Some(Held {
        beyond: pairs.iter().filter(|pair| !pair.is_within()).count(),
        bounded,
        unbounded: pairs.len() - bounded,
    })
}

#[test]
fn no_time_is_beyond_the_bound_where_the_orders_are_the_same() {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let seed = RandomState::new().build_hasher().finish();
    // Four times this number of sets are drawn; `TAKTOS_SETS` sets another number, for a search.
    let sets = std::env::var("TAKTOS_SETS").map_or(60, |sets| sets.parse().unwrap());
    let mut all = Held {
        beyond: 0,
        bounded: 0,
        unbounded: 0,
    };
    for index in 0..sets {
        for layout in [Layout::One, Layout::Global] {
            for policy in [Policy::Edf, Policy::Priority] {
                let key = Key {
                    experiment: seed,
                    point: 0,
                    index,
                };
                let horizon = Duration::from_millis(400);
                let case = draw::apart(layout, policy, horizon, key);
                let Some(held) = held(&case) else { continue };
                assert!(held.beyond == 0, "seed {seed}: {held:?} of {case:?}");
                all.bounded += held.bounded;
                all.unbounded += held.unbounded;
            }
        }
    }
    // A bound that is given to few would hold of little.
    assert!(
        all.bounded > 100 && all.unbounded < all.bounded / 10,
        "seed {seed}: {all:?}"
    );
}

/// A set on one processor by fixed priorities: period, execution and offset of each task.
fn found(tasks: &[(u64, u64, u64)]) -> Case {
    let tasks = tasks.iter().enumerate();
    let task = |(place, (period, execution, offset)): (usize, &(u64, u64, u64))| Periodic {
        name: format!("T{}", place + 1),
        period: *period,
        execution: *execution,
        offset: *offset,
    };
    Case {
        tasks: tasks.map(task).collect(),
        policy: Policy::Priority,
        layout: Layout::One,
        horizon: Duration::from_millis(400),
        quantum: 100,
    }
}

/// The turns are of the same tasks, but a job of T4 is done in one world when it would lose its
/// processor, and in the other not quite. T4's next job is there when it would get the processor
/// again, so that T4 has the same next turn in both.
#[test]
fn a_job_that_is_done_in_one_world_and_not_quite_in_the_other_parts_the_orders() {
    let case = found(&[
        (9_280_000, 137_429, 5_699),
        (2_820_000, 301_493, 57_430),
        (5_720_000, 706_190, 103_965),
        (13_460_000, 4_383_047, 155_379),
        (2_050_000, 45_855, 204_549),
        (11_060_000, 1_032_870, 258_176),
        (11_510_000, 3_032_046, 307_228),
    ]);
    assert_eq!(held(&case), None);
    let (kernel, schedule) = kernel(&case, WORKS);
    let simulated = simulate(&case, &kernel, CHARGES).unwrap();
    let both = Both {
        case: &case,
        kernel: &kernel,
        schedule: &schedule,
        simulated: &simulated,
        cost: 2 * CHARGES,
        company: 2 * WORKS,
    };
    let words = both.draw().answer[0].clone();
    assert!(
        words.contains("turn 428 of instance 0: T4's job is done in one"),
        "{words}"
    );
}

/// A task is late and continues with its next job at once: nothing shows whether it did so before
/// or after another task's turn, and the job's end moves by that turn.
#[test]
fn a_late_task_whose_jobs_may_have_ended_in_another_turn_has_no_bound() {
    let sets: [&[(u64, u64, u64)]; 2] = [
        &[
            (2_070_000, 663_153, 8_779),
            (6_310_000, 2_450_854, 57_618),
            (15_420_000, 3_873_933, 100_998),
        ],
        &[
            (2_720_000, 1_016_912, 2_383),
            (3_220_000, 194_781, 54_487),
            (1_140_000, 217_586, 102_282),
            (1_940_000, 513_671, 152_421),
        ],
    ];
    for tasks in sets {
        let expected = Held {
            beyond: 0,
            bounded: tasks.len() - 1,
            unbounded: 1,
        };
        assert_eq!(held(&found(tasks)), Some(expected), "{tasks:?}");
    }
}

/// The demand is above the capacity: all tasks are late by ever more. At the end one world has
/// done two more jobs of the shortest tasks, because it needs less work for all. That is no fault
/// of either.
#[test]
fn a_set_without_room_may_be_some_jobs_apart_at_the_end() {
    let case = Case {
        policy: Policy::Edf,
        ..found(&[
            (3_420_000, 1_519_602, 515),
            (1_080_000, 100_000, 51_807),
            (2_570_000, 1_278_770, 105_872),
        ])
    };
    let expected = Held {
        beyond: 0,
        bounded: 0,
        unbounded: 3,
    };
    assert_eq!(held(&case), Some(expected));
}
