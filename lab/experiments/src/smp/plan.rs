//! Which runs answer an experiment's questions, and what each is called in the table of samples.
//! A run that several questions need is done once.

use anyhow::{Context, Result};
use taktos_runner::several::{QUANTA, QUANTUM};
use taktos_simulate::Policy;
use taktos_time::Duration;

use super::case::{Case, Layout, Periodic};
use super::samples::{self, Run};
use crate::samples::Samples;

/// How long the runs at other quanta, and the schedules, are at most: the finest quantum is slow,
/// and a long schedule cannot be read.
const GRAIN: Duration = Duration::from_secs(2);
/// Over how many periods the overhead is measured, and how long at least.
const PERIODS: u64 = 4;
const LEAST: Duration = Duration::from_millis(100);

/// The question.
#[derive(Clone, Debug)]
pub struct Question {
    /// The task set.
    pub tasks: Vec<Periodic>,
    /// How much time passes.
    pub horizon: Duration,
    /// The policy of the detailed runs.
    pub policy: Policy,
    /// The policies that are compared; if empty, only the detailed runs are made.
    pub policies: Vec<Policy>,
    /// The periods along which the overhead is measured.
    pub periods: Vec<Duration>,
}

/// The runs that answer it, each with the name of its question, which figures know.
#[derive(Clone, Debug)]
pub struct Plan(Vec<(&'static str, Case)>);

/// The question of the paper's own runs.
const PAPER: &str = "paper";

impl Question {
    /// Returns the paper's own two runs, and all the others if there are policies to compare.
    pub fn plan(&self) -> Plan {
        let both = [Layout::One, Layout::Global];
        let of_policy = |policy: &Policy| both.map(|layout| self.case(*policy, layout));
        let mut all: Vec<_> = of_policy(&self.policy).map(|case| (PAPER, case)).into();
        if self.policies.is_empty() {
            return Plan(all);
        }
        let mut add = |question, cases: Vec<Case>| {
            all.extend(cases.into_iter().map(|case| (question, case)));
        };
        add(
            "policies",
            self.policies.iter().flat_map(of_policy).collect(),
        );
        let layouts = Layout::OF_FOUR.map(|layout| self.case(self.policy, layout));
        add("layouts", layouts.into());
        let at_quantum = |quantum| Case {
            quantum,
            horizon: self.horizon.min(GRAIN),
            ..self.case(self.policy, Layout::Global)
        };
        add("quanta", QUANTA.map(at_quantum).into());
        let periods = self.periods.iter();
        let periods =
            periods.flat_map(|period| both.map(|layout| self.with_period(*period, layout)));
        add("periods", periods.collect());
        Plan(all)
    }

    fn case(&self, policy: Policy, layout: Layout) -> Case {
        Case {
            tasks: self.tasks.clone(),
            policy,
            layout,
            horizon: self.horizon,
            quantum: QUANTUM,
        }
    }

    /// Every task with this period, and the utilisation that it has.
    fn with_period(&self, period: Duration, layout: Layout) -> Case {
        let period = period.as_nanos();
        let scaled = |task: &Periodic| {
            let execution =
                u128::from(task.execution) * u128::from(period) / u128::from(task.period.max(1));
            Periodic {
                period,
                execution: u64::try_from(execution).unwrap_or(u64::MAX).max(1),
                offset: 0,
                name: task.name.clone(),
            }
        };
        let horizon = Duration::from_nanos(period.saturating_mul(PERIODS)).max(LEAST);
        Case {
            tasks: self.tasks.iter().map(scaled).collect(),
            // Never more than the question's horizon, but always some jobs: the program counts
            // whole milliseconds.
            horizon: horizon.min(self.horizon.max(Duration::from_nanos(2 * period))),
            ..self.case(self.policy, layout)
        }
    }
}

impl Plan {
    /// Every run, once, in the order of the questions.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases: Vec<Case> = Vec::new();
        for (_, case) in &self.0 {
            if !cases.contains(case) {
                cases.push(case.clone());
            }
        }
        cases
    }

    /// Returns the results of the runs of all cases, question by question.
    ///
    /// # Errors
    /// If a run is missing.
    pub fn samples(&self, runs: &[Run]) -> Result<Samples> {
        let mut samples = Samples::default();
        for (question, case) in &self.0 {
            let run = runs.iter().find(|run| run.case == *case);
            let run = run.with_context(|| format!("the run {} is missing", case.name()))?;
            samples::add(&mut samples, question, run);
        }
        Ok(samples)
    }

    /// The paper's runs, as far as schedules are recorded: one hyperperiod's length, at most.
    pub fn recorded(&self) -> Vec<Case> {
        let paper = self.0.iter().filter(|(question, _)| *question == PAPER);
        let short = |(_, case): &(_, Case)| Case {
            horizon: case.horizon.min(GRAIN),
            ..case.clone()
        };
        paper.map(short).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::tests::case;
    use super::super::figures::{Figures, tests::console};
    use super::*;
    use crate::experiment::{self, Figure, Several};
    use crate::figure::tests::drawn;
    use crate::measure::Labels;

    fn question() -> Question {
        Question {
            tasks: case(Layout::One).tasks,
            horizon: Duration::from_secs(10),
            policy: Policy::Edf,
            policies: Policy::ALL.to_vec(),
            periods: [1, 1000].map(Duration::from_millis).to_vec(),
        }
    }

    fn runs(plan: &Plan) -> Vec<Run> {
        let run = |case: Case| Run {
            figures: Figures::read(&console(&case, 1000 + case.quantum as u64), &case).unwrap(),
            case,
        };
        plan.cases().into_iter().map(run).collect()
    }

    fn shipped() -> Vec<Figure> {
        match experiment::tests::shipped("spacecraft") {
            Several::Smp(smp) => smp.figures,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_paper_stands_beside_ours() {
        let plan = Question {
            policies: Vec::new(),
            ..question()
        }
        .plan();
        let drawn = drawn(&shipped(), &plan.samples(&runs(&plan)).unwrap());
        let jobs = drawn.iter().find(|one| one.title.contains("Jobs")).unwrap();
        let table = jobs.tables[0].to_csv();
        let theirs: Vec<&str> = table.lines().filter(|line| line.contains("+2")).collect();
        assert!(theirs.len() == 1 && theirs[0].starts_with("T3,"), "{table}");
    }

    #[test]
    fn each_run_is_done_once() {
        let cases = question().plan().cases();
        // Six policies twice, two more layouts, three quanta for two seconds, two periods twice.
        assert_eq!(cases.len(), 12 + 2 + 3 + 4);
        let few = Question {
            policies: Vec::new(),
            ..question()
        }
        .plan();
        assert_eq!(few.cases().len(), 2);
        let samples = few.samples(&runs(&few)).unwrap();
        assert_eq!(samples.values_of("question", &Labels::new()), ["paper"]);
    }

    #[test]
    fn short_periods_keep_the_utilisation() {
        let mut all = question().plan().0;
        all.retain(|(question, _)| *question == "periods");
        let (short, long) = (&all[0].1, &all[3].1);
        assert_eq!(
            (short.tasks[0].period, short.tasks[0].execution),
            (1_000_000, 120_000)
        );
        assert_eq!(short.horizon, LEAST);
        assert_eq!(
            (long.horizon, long.layout),
            (Duration::from_secs(4), Layout::Global)
        );
    }

    #[test]
    fn every_question_is_answered() {
        let plan = question().plan();
        let mut runs = runs(&plan);
        let drawn = drawn(&shipped(), &plan.samples(&runs).unwrap());
        let asked = shipped().len();
        assert_eq!(drawn.len(), asked, "each figure has cases");
        let mut names: Vec<String> = drawn
            .iter()
            .flat_map(|drawn| drawn.tables.iter().chain(&drawn.details))
            .map(taktos_export::table::Table::file_stem)
            .collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all, "each table has a file of its own");
        let rows = plan.samples(&runs).unwrap().rows();
        let of_paper = |row: &&serde_json::Value| row["labels"]["question"] == "paper";
        let first = rows.as_array().unwrap().iter().find(of_paper).unwrap();
        assert_eq!(first["labels"]["policy"], "edf");
        runs.pop();
        let error = plan.samples(&runs).unwrap_err();
        assert!(
            error.to_string().contains("edf, global is missing"),
            "{error}"
        );
    }
}
