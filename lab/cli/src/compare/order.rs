//! Who ran after whom: the same in both worlds, or where they part.

use std::collections::BTreeMap;
use std::ops::Range;

use taktos_export::{Recording, Timeline};
use taktos_trace::Thread;

/// For each scheduler instance, the tasks in the order in which their turns
/// began. Which of an instance's idle processors a task gets is nobody's
/// promise, so they are not told apart. A turn goes on over the kernel's own
/// work; an idle span ends it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turns(Vec<Vec<u16>>);

/// How two orders compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// So many turns, all the same.
    Same(usize),
    /// They part in an instance, at a turn (from 1): the task of each, if any.
    Parts {
        /// The instance.
        instance: usize,
        /// The turn, from 1.
        turn: usize,
        /// Whose turn it is in the first.
        first: Option<u16>,
        /// Whose turn it is in the second.
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
        let mut running: BTreeMap<u8, Option<u16>> = BTreeMap::new();
        for span in Timeline::of(recording).window(0, until).spans {
            let of = |cpus: &Range<usize>| cpus.contains(&usize::from(span.processor));
            let Some(instance) = instances.iter().position(of) else {
                continue;
            };
            if Some(span.thread) == kernel {
                continue;
            }
            let task = Some(span.thread.0).filter(|task| usize::from(*task) < tasks);
            let before = running.insert(span.processor, task).flatten();
            if let Some(task) = task.filter(|_| task != before) {
                turns[instance].push(task);
            }
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
                if pair.0 != pair.1 {
                    return Order::Parts {
                        instance,
                        turn: turn + 1,
                        first: pair.0,
                        second: pair.1,
                    };
                }
                all += 1;
            }
        }
        Order::Same(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos_export::TimeUnit;
    use taktos_trace::{Event, Kind};

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
        assert_eq!(simulated, Turns(vec![vec![0, 1, 1], vec![1]]));
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

    #[test]
    fn processors_of_one_instance_are_not_told_apart() {
        let all = std::slice::from_ref(&(0..2));
        let of = |switches: &[(u8, u16, u64)]| Turns::of(&recording(switches), 2, None, all, 90);
        let here = of(&[(0, 0, 1), (1, 1, 5), (0, IDLE, 7), (1, 0, 9)]);
        let there = of(&[(1, 0, 1), (0, 1, 6), (1, IDLE, 7), (1, 0, 9)]);
        assert_eq!(here, Turns(vec![vec![0, 1, 0]]));
        assert_eq!(here.compare(&there, 2), Order::Same(3));
    }
}
