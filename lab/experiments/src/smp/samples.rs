//! Results of runs, as rows of the long table.
//!
//! Owns: the names of labels and marks. Must never know: the figures that use them.

use super::case::Case;
use super::figures::{Figures, TaskFigures, Times};
use crate::measure::{Labels, labelled};
use crate::number::millis;
use crate::samples::{Known, Samples, Unit, Values};

/// One run and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Case of the run.
    pub case: Case,
    /// Its results.
    pub figures: Figures,
}

/// Adds what a run gave to a question: what all processors did together, then each task.
pub(super) fn add(samples: &mut Samples, question: &str, run: &Run) {
    let labels = labels(question, &run.case);
    let figures = &run.figures;
    let totals = [
        ("busy", Unit::Nanoseconds, figures.busy),
        ("work", Unit::Nanoseconds, figures.work),
        ("overhead", Unit::Share, figures.overhead()),
    ];
    for (mark, unit, total) in totals {
        samples.push(&labels, mark, unit, Values::one(total));
    }
    for task in &figures.tasks {
        add_task(samples, &labels, task);
    }
}

fn labels(question: &str, case: &Case) -> Labels {
    let period = case.tasks.first().map_or(0, |task| task.period);
    labelled([
        ("question", question.to_owned()),
        ("policy", case.policy.name().to_owned()),
        ("layout", case.layout.name().to_owned()),
        ("processors", case.layout.processors().to_string()),
        ("quantum, ns", case.quantum.to_string()),
        ("us of period", (period / 1000).to_string()),
    ])
}

fn add_task(samples: &mut Samples, run: &Labels, task: &TaskFigures) {
    let own = labelled([
        ("task", task.name.clone()),
        ("period, ms", millis(task.period)),
    ]);
    let labels: Labels = run.clone().into_iter().chain(own).collect();
    let mut number = |mark, count| {
        samples.push(&labels, mark, Unit::Number, Values::one(count));
    };
    number("jobs", task.jobs);
    number("late", task.missed);
    for (mark, times) in [("cpu", task.cpu), ("wall", task.wall)] {
        if let Some(Times { min, mean, max }) = times {
            let values = Values::Known(Known {
                samples: task.jobs,
                min,
                sum: u128::from(mean) * u128::from(task.jobs),
                max,
            });
            samples.push(&labels, mark, Unit::Nanoseconds, values);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::case::{Layout, tests::case};
    use super::super::figures::tests::console;
    use super::*;
    use crate::samples::Statistic;
    use crate::samples::tests::labels;
    use taktos_simulate::Policy;

    /// Returns a run with wall times of `wall` for each thousand of execution.
    pub fn run(policy: Policy, layout: Layout, quantum: u32, wall: u64) -> Run {
        let case = Case {
            policy,
            quantum,
            ..case(layout)
        };
        let figures = Figures::read(&console(&case, wall), &case).unwrap();
        Run { case, figures }
    }

    #[test]
    fn jobs_are_weighted_by_their_number() {
        let mut samples = Samples::default();
        for (layout, wall) in [(Layout::Global, 1500), (Layout::Clustered, 2000)] {
            add(
                &mut samples,
                "layouts",
                &run(Policy::Edf, layout, 100, wall),
            );
        }
        let rows = samples.grouped(&["layout".into()], &labels("question=layouts policy=edf"));
        let figure = |row: usize, mark, statistic| {
            let (_, values) = rows[row].values_where(&Labels::new(), mark).unwrap();
            values.statistic(statistic).unwrap()
        };
        assert_eq!(rows[1].key, ["clustered"]);
        assert_eq!(figure(0, "jobs", Statistic::Sum), 285);
        assert_eq!(figure(1, "wall", Statistic::Mean) / 1_000, 58_947);
        assert_eq!(figure(0, "wall", Statistic::Mean) / 1_000, 44_210);
        assert_eq!(figure(0, "overhead", Statistic::Maximum), 999);
    }
}
