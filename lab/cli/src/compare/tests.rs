//! The comparison, with a kernel that is the simulator under other costs.

use taktos_export::Recording;
use taktos_simulate::Policy;
use taktos_simulate::generate::{
    Deadlines, Key, Method, PeriodRange, Periods, Specification, WHOLE, generate,
};
use taktos_time::Duration;
use taktos_trace::Thread;

use super::simulated::simulate;
use super::*;
use crate::smp::tests::{case, console};
use crate::smp::{Figures, Layout, periodic};

/// What a kernel would show whose switches cost so much.
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
    schedule.events.retain(|event| event.thread != work);
    (figures, schedule)
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

/// Sets of 3 to 7 tasks that need most of the processors, released apart.
fn heavy(layout: Layout, policy: Policy, key: Key) -> Case {
    let mut draw = Stream::new(key.experiment, key.index);
    let specification = Specification {
        utilisation: match layout {
            Layout::One => draw.between(80, 97) * (WHOLE / 100),
            _ => draw.between(100, 260) * (WHOLE / 100),
        },
        bounds: vec![(0, WHOLE); draw.between(3, 7) as usize],
        method: Method::RandFixedSum,
        periods: Periods::LogUniform,
        range: PeriodRange {
            min: Duration::from_millis(1),
            max: Duration::from_millis(20),
            granularity: Duration::from_micros(10),
        },
        deadlines: Deadlines::Implicit,
    };
    let mut tasks = periodic(&generate(&specification, key).unwrap()).unwrap();
    for (place, task) in tasks.iter_mut().enumerate() {
        task.offset = 50_000 * place as u64 + draw.between(0, 9_999);
    }
    Case {
        tasks,
        policy,
        layout,
        horizon: Duration::from_millis(400),
        quantum: 100,
    }
}

/// Numbers of a set's own.
struct Stream(taktos_simulate::random::Stream, u64);

impl Stream {
    fn new(seed: u64, index: u32) -> Self {
        Self(
            taktos_simulate::random::Stream::new(seed, u64::from(index)),
            0,
        )
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        self.1 += 1;
        low + self.0.below_or_at(self.1, high - low)
    }
}

/// What the kernel of a set works for a switch, and what the simulator charges.
const WORKS: u64 = 1_300;
const CHARGES: u64 = 950;

/// Of how many tasks the wall times are beyond the bound; none where the orders part.
fn beyond(case: &Case) -> Option<usize> {
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
    let pairs = both.pairs();
    pairs[0].bound?;
    Some(pairs.iter().filter(|pair| !pair.is_within()).count())
}

#[test]
fn no_time_is_beyond_the_bound_where_the_orders_are_the_same() {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let seed = RandomState::new().build_hasher().finish();
    let mut same = 0;
    for index in 0..60 {
        for layout in [Layout::One, Layout::Global] {
            for policy in [Policy::Edf, Policy::Priority] {
                let key = Key {
                    experiment: seed,
                    point: 0,
                    index,
                };
                let case = heavy(layout, policy, key);
                let beyond = beyond(&case);
                assert!(
                    beyond.unwrap_or(0) == 0,
                    "seed {seed}: {beyond:?} of {case:?}"
                );
                same += usize::from(beyond.is_some());
            }
        }
    }
    assert!(same > 20, "seed {seed}: {same} sets in the same order");
}
