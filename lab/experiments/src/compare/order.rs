//! The order of the tasks' turns: equal in both worlds, or the place where the orders part.

use std::collections::BTreeMap;
use std::ops::Range;

use taktos_export::Recording;
use taktos_trace::{Event, Handover, Kind, Left, Thread};

/// For each scheduler instance, the tasks in the order in which their turns began. The choice among
/// an instance's idle processors is not guaranteed, so they are not distinguished. A turn continues
/// over the kernel's own work; an idle span ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(Vec<Vec<Turn>>);

/// A turn of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Turn {
    task: u16,
    /// When it began, and on which processor.
    began: u64,
    processor: u8,
    /// How it ended, where that is known.
    left: Option<Left>,
}

impl Turn {
    /// Returns whether it can be the other's: if both ends are known, a job that was done is not
    /// one that lost its processor.
    fn is_like(self, other: Self) -> bool {
        let ends = self.left.zip(other.left);
        self.task == other.task && ends.is_none_or(|(one, other)| one == other)
    }
}

/// State of a processor.
#[derive(Clone, Copy, Default)]
struct Running {
    /// The task that has the turn, and the turn's place in its instance.
    turn: Option<(u16, usize)>,
    /// How the task left, if the kernel has worked since.
    left: Option<Left>,
}

/// How two orders compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// All turns are equal: their number.
    Same(usize),
    /// They part in an instance, at a turn (from 1): the task of each, if any. If it is the same
    /// task twice, its job was done in one, and only lost its processor in the other.
    Parts {
        /// The instance.
        instance: usize,
        /// The turn, from 1.
        turn: usize,
        /// Task of that turn in the first order.
        first: Option<u16>,
        /// Task of that turn in the second order.
        second: Option<u16>,
    },
}

impl Turns {
    /// The turns of the first `tasks` threads of a recording on the processors
    /// of each instance, up to an instant. The thread `kernel`, if any, is no
    /// turn and ends none; every other thread counts as idle.
    pub fn of(
        recording: &Recording,
        tasks: usize,
        kernel: Option<Thread>,
        instances: &[Range<usize>],
        until: u64,
    ) -> Self {
        let mut turns = vec![Vec::new(); instances.len()];
        let mut running: BTreeMap<u8, Running> = BTreeMap::new();
        let switches = recording
            .events
            .iter()
            .filter(|event| event.kind == Kind::Switch && event.at < until);
        let switches: Vec<&Event> = switches.collect();
        for (place, event) in switches.iter().enumerate() {
            let of = |cpus: &Range<usize>| cpus.contains(&usize::from(event.processor));
            let Some(instance) = instances.iter().position(of) else {
                continue;
            };
            let turns: &mut Vec<Turn> = &mut turns[instance];
            let running = running.entry(event.processor).or_default();
            // The first switch after the task's own span counts; the following ones are of the
            // kernel's work.
            let told = Handover::from_argument(event.argument).left;
            let left = running.left.or(told);
            if Some(event.thread) == kernel || takes_no_time(event, &switches[place + 1..]) {
                running.left = left;
                continue;
            }
            running.left = None;
            let task = Some(event.thread.0).filter(|task| usize::from(*task) < tasks);
            if task == running.turn.map(|(task, _)| task) {
                continue;
            }
            if let Some((_, place)) = running.turn {
                turns[place].left = left;
            }
            running.turn = task.map(|task| {
                turns.push(Turn {
                    task,
                    began: event.at,
                    processor: event.processor,
                    left: None,
                });
                (task, turns.len() - 1)
            });
        }
        Self(turns)
    }

    /// Compares two orders. The last turns of an instance, as many as it has
    /// processors (`slack`), may be missing in one: costs move them beyond the end.
    pub fn compare(&self, other: &Self, slack: usize) -> Order {
        let mut all = 0;
        for (instance, (first, second)) in self.0.iter().zip(&other.0).enumerate() {
            let most = first.len().max(second.len());
            for turn in 0..most {
                let pair = (first.get(turn).copied(), second.get(turn).copied());
                let missing = pair.0.is_none() || pair.1.is_none();
                if missing && turn + slack >= most {
                    break;
                }
                let same = pair.0.zip(pair.1);
                if same.is_none_or(|(first, second)| !first.is_like(second)) {
                    return Order::Parts {
                        instance,
                        turn: turn + 1,
                        first: pair.0.map(|turn| turn.task),
                        second: pair.1.map(|turn| turn.task),
                    };
                }
                all += 1;
            }
        }
        Order::Same(all)
    }

    /// Returns whether a turn (from 1) and the one after it began on two processors less than this
    /// time apart: these run in parallel, and the order of their ends is not guaranteed.
    pub fn are_side_by_side(&self, instance: usize, turn: usize, nanos: u64) -> bool {
        let turns = self.0.get(instance).and_then(|turns| turns.get(turn - 1..));
        turns.is_some_and(|turns| match turns {
            [one, next, ..] => {
                one.processor != next.processor && next.began.abs_diff(one.began) < nanos
            }
            _ => false,
        })
    }
}

/// Returns whether the processor is switched again at the same instant.
fn takes_no_time(switch: &Event, later: &[&Event]) -> bool {
    let mut now = later.iter().take_while(|next| next.at == switch.at);
    now.any(|next| next.processor == switch.processor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_export::TimeUnit;

    /// Spans of threads, each from its time on: processor, thread, time.
    fn recording(switches: &[(u8, u16, u64)]) -> Recording {
        let event = |(processor, thread, at): &(u8, u16, u64)| Event {
            at: *at,
            argument: 0,
            thread: Thread(*thread),
            processor: *processor,
            kind: Kind::Switch,
        };
        let mut recording = Recording::new(TimeUnit::Nanoseconds);
        recording.events = switches.iter().map(event).collect();
        recording.threads = ["A", "B", "(kernel)", "other"].map(str::to_owned).to_vec();
        recording.end = 100;
        recording
    }

    fn turns(switches: &[(u8, u16, u64)]) -> Turns {
        Turns::of(&recording(switches), 2, Some(Thread(2)), &[0..1, 1..2], 90)
    }

    const IDLE: u16 = u16::MAX;

    impl Turns {
        fn tasks(&self) -> Vec<Vec<u16>> {
            let of = |turns: &Vec<Turn>| turns.iter().map(|turn| turn.task).collect();
            self.0.iter().map(of).collect()
        }
    }

    #[test]
    fn the_kernels_work_ends_no_turn_and_idling_does() {
        let simulated = turns(&[
            (0, 0, 0),
            (0, 2, 5),
            (0, 0, 6),
            (0, 1, 8),
            (1, 1, 9),
            (0, IDLE, 20),
            (0, 1, 30),
            (0, 0, 95),
        ]);
        assert_eq!(simulated.tasks(), [vec![0, 1, 1], vec![1]]);
        let kernel = turns(&[
            (0, 0, 1),
            (0, 1, 9),
            (1, 1, 10),
            (0, 3, 21),
            (0, 1, 31),
            (0, 3, 60),
        ]);
        assert_eq!(kernel.compare(&simulated, 1), Order::Same(4));
    }

    #[test]
    fn the_first_difference_is_named() {
        let one = turns(&[(0, 0, 0), (0, 1, 5), (0, 0, 9), (0, 1, 11)]);
        let other = turns(&[(0, 0, 0), (0, 1, 5)]);
        let parts = |turn, first, second| Order::Parts {
            instance: 0,
            turn,
            first,
            second,
        };
        assert_eq!(one.compare(&other, 1), parts(3, Some(0), None));
        let swapped = turns(&[(0, 1, 0), (0, 0, 5)]);
        assert_eq!(swapped.compare(&other, 1), parts(1, Some(1), Some(0)));
        // The last turn alone may be missing.
        let shorter = turns(&[(0, 0, 0)]);
        assert_eq!(other.compare(&shorter, 1), Order::Same(1));
    }

    /// Of one processor: thread, how the one before left, time.
    fn left(switches: &[(u16, Option<Left>, u64)]) -> Turns {
        let all = switches.iter().map(|(thread, _, at)| (0, *thread, *at));
        let all: Vec<_> = all.collect();
        let mut recording = recording(&all);
        for (event, (_, left, _)) in recording.events.iter_mut().zip(switches) {
            event.argument = Handover {
                left: *left,
                priority: None,
            }
            .to_argument();
        }
        Turns::of(
            &recording,
            2,
            Some(Thread(2)),
            std::slice::from_ref(&(0..1)),
            90,
        )
    }

    #[test]
    fn a_job_that_is_done_is_not_one_that_loses_its_processor() {
        let of = |how| left(&[(0, None, 0), (1, how, 5), (0, Some(Left::Waiting), 9)]);
        let [done, lost] = [Left::Waiting, Left::Runnable].map(|left| of(Some(left)));
        let parts = Order::Parts {
            instance: 0,
            turn: 1,
            first: Some(0),
            second: Some(0),
        };
        assert_eq!(done.compare(&lost, 1), parts);
        assert_eq!(done.compare(&done, 1), Order::Same(3));
        // A way of leaving that is not known of one order is no difference.
        assert_eq!(of(None).compare(&lost, 1), Order::Same(3));
        // The switch after a task shows how the task left, not the switch after the kernel's work,
        // or after a span that took no time.
        let (runnable, waiting) = (Some(Left::Runnable), Some(Left::Waiting));
        let worked = left(&[
            (0, None, 0),
            (2, runnable, 5),
            (1, waiting, 6),
            (0, waiting, 9),
        ]);
        let passed = left(&[
            (0, None, 0),
            (2, runnable, 5),
            (1, waiting, 5),
            (0, waiting, 9),
        ]);
        assert_eq!(worked.compare(&lost, 1), Order::Same(3));
        assert_eq!(passed.compare(&worked, 0), Order::Same(3));
    }

    #[test]
    fn processors_of_one_instance_are_not_told_apart() {
        let all = std::slice::from_ref(&(0..2));
        let of = |switches: &[(u8, u16, u64)]| Turns::of(&recording(switches), 2, None, all, 90);
        let here = of(&[(0, 0, 1), (1, 1, 5), (0, IDLE, 7), (1, 0, 9)]);
        let there = of(&[(1, 0, 1), (0, 1, 6), (1, IDLE, 7), (1, 0, 9)]);
        assert_eq!(here.tasks(), [vec![0, 1, 0]]);
        assert_eq!(here.compare(&there, 2), Order::Same(3));
    }

    #[test]
    fn turns_that_begin_side_by_side_are_of_two_processors_and_near() {
        let all = std::slice::from_ref(&(0..2));
        let switches = [(0, 0, 1), (1, 1, 5), (1, IDLE, 7), (1, 1, 20), (1, 0, 23)];
        let turns = Turns::of(&recording(&switches), 2, None, all, 90);
        let near = |turn| turns.are_side_by_side(0, turn, 5);
        assert!(near(1));
        assert!(!turns.are_side_by_side(0, 1, 4), "4 apart");
        assert!(!near(2), "15 apart");
        assert!(!near(3), "one after the other on a processor");
        assert!(!near(4) && !near(5), "none follows");
    }
}
