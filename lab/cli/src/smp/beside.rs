//! One processor beside four, and the paper beside both.

use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};

use super::figures::{Figures, TaskFigures};
use super::paper::Paper;
use crate::figure::Drawn;
use crate::several::number::{basis_points, change, millis, percent, signed};

/// What the paper's columns rest on.
const THEIRS: &str = "paper, simulator sis";

/// Two runs of the same tasks, and the paper.
pub struct Beside<'a> {
    /// The policy of both.
    pub policy: &'a str,
    /// On one processor.
    pub one: &'a Figures,
    /// On four.
    pub four: &'a Figures,
    /// What was published.
    pub paper: &'a Paper,
}

/// A task on one processor and on four.
type Pair<'a> = (&'a TaskFigures, &'a TaskFigures);

impl Beside<'_> {
    /// Jobs, processor time, wall time, overhead; and what they say.
    pub fn draw(&self) -> Drawn {
        Drawn {
            title: format!("One processor and four, under {}", self.policy),
            answer: self.sentences(),
            tables: vec![self.jobs(), self.cpu(), self.wall(), self.overhead()],
            evidence: vec![Evidence::Emulated],
            printed: true,
            ..Drawn::default()
        }
    }

    fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        self.one.tasks.iter().zip(&self.four.tasks)
    }

    fn jobs(&self) -> Table {
        let mut table = Table::new(
            format!(
                "Jobs completed in {} s, {}",
                self.one.span / 1_000_000_000,
                self.policy
            ),
            vec![
                Column::label("task"),
                Column::label("period, ms"),
                ours("1 processor"),
                ours("late"),
                ours("4 processors"),
                ours("late"),
                ours("more"),
                theirs("more"),
            ],
        );
        for (one, four) in self.pairs() {
            table.push(vec![
                one.name.as_str().into(),
                millis(one.period).into(),
                one.jobs.into(),
                one.missed.into(),
                four.jobs.into(),
                four.missed.into(),
                plus(more(one, four)).into(),
                self.paper.more_jobs(&one.name).map(plus).into(),
            ]);
        }
        self.name_source(&mut table);
        table
    }

    fn cpu(&self) -> Table {
        let title = format!("Processor time of a job, {}", self.policy);
        let mut table = self.changes(title, |task| task.cpu.map(|times| times.mean), |_| None);
        if !self.paper.cpu_note.is_empty() {
            table
                .notes
                .push(format!("The paper: {}.", self.paper.cpu_note));
        }
        table
    }

    fn wall(&self) -> Table {
        let title = format!("Wall time of a job, {}", self.policy);
        let mut table = self.changes(
            title,
            |task| task.wall.map(|times| times.mean),
            |name| self.paper.wall(name),
        );
        self.name_source(&mut table);
        table
    }

    /// Means on one and on four, the change, and the paper's change.
    fn changes(
        &self,
        title: String,
        mean: impl Fn(&TaskFigures) -> Option<u64>,
        paper: impl Fn(&str) -> Option<(i64, i64)>,
    ) -> Table {
        let theirs_too = self
            .one
            .tasks
            .iter()
            .any(|task| paper(&task.name).is_some());
        let mut columns = vec![
            Column::label("task"),
            ours("1 processor, ms"),
            ours("4 processors, ms"),
            ours("change"),
        ];
        columns.extend(theirs_too.then(|| theirs("change")));
        let mut table = Table::new(title, columns);
        for (one, four) in self.pairs() {
            let means = (mean(one), mean(four));
            let difference = means
                .0
                .zip(means.1)
                .map(|(one, four)| signed(change(one, four)));
            let mut row: Vec<Cell> = vec![
                one.name.as_str().into(),
                means.0.map(millis).into(),
                means.1.map(millis).into(),
                difference.into(),
            ];
            if theirs_too {
                row.push(paper(&one.name).map(range).into());
            }
            table.push(row);
        }
        table.notes.push("Means of all jobs that were done.".into());
        table
    }

    fn overhead(&self) -> Table {
        let mut table = Table::new(
            format!("What the kernel takes, {}", self.policy),
            vec![
                Column::label("processors"),
                ours("busy, ms"),
                ours("tasks' own work, ms"),
                ours("overhead share, %"),
            ],
        );
        for (processors, figures) in [(1_u64, self.one), (4, self.four)] {
            table.push(vec![
                processors.into(),
                millis(figures.busy).into(),
                millis(figures.work).into(),
                percent(figures.overhead()).into(),
            ]);
        }
        table.notes.push(
            "Busy: what all processors together did not idle. Overhead: the part of it that was not the tasks' own \
             work."
                .into(),
        );
        table
    }

    fn name_source(&self, table: &mut Table) {
        if !self.paper.is_empty() {
            table
                .notes
                .push(format!("Published: {}.", self.paper.source));
        }
    }

    fn sentences(&self) -> Vec<String> {
        let mut all = vec![self.about_jobs()];
        all.extend(self.about_cpu());
        all.extend(self.about_wall());
        all.extend(self.about_periods());
        all.extend(self.about_waiting());
        all.push(self.about_overhead());
        all
    }

    fn about_jobs(&self) -> String {
        let changed: Vec<String> = self
            .pairs()
            .filter(|(one, four)| one.jobs != four.jobs)
            .map(|(one, four)| format!("{} {}", one.name, plus(more(one, four))))
            .collect();
        let ours = match changed.as_slice() {
            [] => "each task completed as many jobs on four processors as on one".to_owned(),
            changed => format!(
                "on four processors instead of one the jobs completed changed by {}",
                changed.join(", ")
            ),
        };
        let late = match (self.one.missed(), self.four.missed()) {
            (0, 0) => "no deadline was missed on either".to_owned(),
            (one, four) => format!("{one} deadlines were missed on one, {four} on four"),
        };
        let theirs = self.published(|name| self.paper.more_jobs(name).map(plus));
        format!("Jobs: {ours} (emulated){theirs}; {late}.")
    }

    fn about_cpu(&self) -> Option<String> {
        let means: Vec<(u64, u64)> = self
            .pairs()
            .filter_map(|(one, four)| Some((one.cpu?.mean, four.cpu?.mean)))
            .collect();
        let changes = means.iter().map(|(one, four)| change(*one, *four));
        let (least, most) = (changes.clone().min()?, changes.max()?);
        let higher = means.iter().filter(|(one, four)| four > one).count();
        let theirs = match self.paper.cpu_note.is_empty() {
            true => "",
            false => "; the paper: for every task",
        };
        Some(format!(
            "Processor time of a job: on four processors higher for {higher} of {} tasks, changed by {} to {} \
             (emulated){theirs}.",
            means.len(),
            signed(least),
            signed(most)
        ))
    }

    fn about_wall(&self) -> Option<String> {
        let walls = self.wall_changes();
        let (most, best) = walls
            .iter()
            .map(|(task, change)| (*change, &task.name))
            .min()?;
        let (least, worst) = walls
            .iter()
            .map(|(task, change)| (*change, &task.name))
            .max()?;
        let stated: Vec<(i64, (i64, i64))> = walls
            .iter()
            .filter_map(|(task, change)| Some((*change, self.paper.wall(&task.name)?)))
            .collect();
        let within = stated
            .iter()
            .filter(|(change, (low, high))| (low..=high).contains(&change))
            .count();
        let theirs = match stated.len() {
            0 => String::new(),
            all => format!("; {within} of the {all} changes lie in the paper's ranges"),
        };
        Some(format!(
            "Wall time of a job: most changed for {best} ({}), least for {worst} ({}) (emulated){theirs}.",
            signed(most),
            signed(least)
        ))
    }

    /// Whether tasks of long periods gained more than those of short ones: what the paper found.
    fn about_periods(&self) -> Option<String> {
        let walls = self.wall_changes();
        let shortest = walls.iter().map(|(task, _)| task.period).min()?;
        let mean = |long: bool| {
            let of = walls
                .iter()
                .filter(|(task, _)| (task.period > shortest) == long);
            let changes: Vec<i64> = of.map(|(_, change)| *change).collect();
            let count = i64::try_from(changes.len())
                .ok()
                .filter(|count| *count > 0)?;
            Some(changes.iter().sum::<i64>() / count)
        };
        let (short, long) = (mean(false)?, mean(true)?);
        let words = match long.cmp(&short) {
            std::cmp::Ordering::Less => "tasks of longer periods gained more, as in the paper",
            std::cmp::Ordering::Equal => {
                "tasks of longer and of the shortest period gained the same"
            }
            std::cmp::Ordering::Greater => {
                "tasks of the shortest period gained more, unlike in the paper"
            }
        };
        let words = match self.paper.is_empty() {
            true => words.split(',').next().unwrap_or(words),
            false => words,
        };
        Some(format!(
            "Periods: {words}: on average {} for the shortest period, {} for longer ones (emulated).",
            signed(short),
            signed(long)
        ))
    }

    /// Where the difference comes from: the part of its wall time in which a job has no processor.
    fn about_waiting(&self) -> Option<String> {
        let waiting = |figures: &Figures| {
            let wall = figures.mean_of_jobs(|task| task.wall)?;
            let cpu = figures.mean_of_jobs(|task| task.cpu)?;
            Some(basis_points(wall.saturating_sub(cpu), wall))
        };
        let (one, four) = (waiting(self.one)?, waiting(self.four)?);
        let shown = |share: u64| format!("{}.{:02} %", share / 100, share % 100);
        Some(format!(
            "Waiting: on one processor a job has no processor for {} of its wall time, on four for {} (means of all \
             jobs, emulated).",
            shown(one),
            shown(four)
        ))
    }

    fn about_overhead(&self) -> String {
        format!(
            "Overhead: {} % of the busy time on one processor, {} % on four (emulated).",
            percent(self.one.overhead()),
            percent(self.four.overhead())
        )
    }

    fn wall_changes(&self) -> Vec<(&TaskFigures, i64)> {
        self.pairs()
            .filter_map(|(one, four)| Some((one, change(one.wall?.mean, four.wall?.mean))))
            .collect()
    }

    /// What the paper states of the tasks: `; the paper: T3 +2, T5 +3`.
    fn published(&self, of: impl Fn(&str) -> Option<String>) -> String {
        let stated: Vec<String> = self
            .one
            .tasks
            .iter()
            .filter_map(|task| Some(format!("{} {}", task.name, of(&task.name)?)))
            .collect();
        match stated.is_empty() {
            true => String::new(),
            false => format!("; the paper: {}", stated.join(", ")),
        }
    }
}

fn ours(name: &str) -> Column {
    Column::figures(name, Basis::Ours(Evidence::Emulated))
}

fn theirs(name: &str) -> Column {
    Column::figures(name, Basis::Theirs(THEIRS.into()))
}

fn more(one: &TaskFigures, four: &TaskFigures) -> i64 {
    four.jobs.cast_signed().wrapping_sub(one.jobs.cast_signed())
}

/// A difference with its sign.
fn plus(difference: i64) -> String {
    match difference {
        ..0 => format!("−{}", difference.unsigned_abs()),
        0 => "0".into(),
        1.. => format!("+{difference}"),
    }
}

fn range((low, high): (i64, i64)) -> String {
    match low == high {
        true => signed(low),
        false => format!("{} to {}", signed(low), signed(high)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::case::{Layout, tests::case};
    use super::super::figures::tests::console;
    use super::super::paper::tests::paper;
    use super::*;

    fn figures(layout: Layout, wall: u64) -> Figures {
        let case = case(layout);
        Figures::read(&console(&case, wall), &case).unwrap()
    }

    fn said(one: &Figures, four: &Figures, paper: &Paper) -> (Vec<String>, Drawn) {
        let beside = Beside {
            policy: "edf",
            one,
            four,
            paper,
        };
        let drawn = beside.draw();
        (drawn.answer.clone(), drawn)
    }

    #[test]
    fn the_words_say_what_the_figures_say() {
        let (one, mut four) = (figures(Layout::One, 2000), figures(Layout::Global, 1500));
        four.tasks[2].jobs += 2;
        four.tasks[0].wall = one.tasks[0].wall;
        let (words, drawn) = said(&one, &four, &paper());
        assert!(words[0].starts_with("Jobs: on four processors instead of one the jobs completed changed by T3 +2 (emulated); the paper: T3 +2, T5 +3; 7 deadlines were missed on one, 7 on four."), "{}", words[0]);
        assert!(
            words[1].contains("higher for 0 of 7 tasks, changed by 0.00 % to 0.00 %"),
            "{}",
            words[1]
        );
        assert!(
            words[2].contains("most changed for T2 (−25.00 %), least for T1 (0.00 %)"),
            "{}",
            words[2]
        );
        assert!(
            words[2].contains("; 1 of the 7 changes lie in the paper's ranges."),
            "{}",
            words[2]
        );
        assert!(words[3].contains("the shortest period gained more, unlike in the paper: on average −25.00 % for the shortest period, −20.00 % for"), "{}", words[3]);
        assert!(
            words[5].contains("0.0999 % of the busy time on one processor"),
            "{}",
            words[5]
        );
        let wall = drawn.tables[2].to_csv();
        assert!(
            wall.contains("\nT1,120.000,120.000,0.00 %,−28.00 % to −22.00 %\n"),
            "{wall}"
        );
        let jobs = drawn.tables[0].to_csv();
        assert!(jobs.contains("\nT3,100.000,100,1,102,1,+2,+2\n"), "{jobs}");
    }

    #[test]
    fn without_a_paper_there_are_no_columns_of_it() {
        let (one, four) = (figures(Layout::One, 2000), figures(Layout::Global, 1500));
        let (words, drawn) = said(&one, &four, &Paper::default());
        assert!(!words.concat().contains("paper"), "{words:?}");
        assert!(!drawn.tables[2].to_csv().contains("paper"));
        assert!(
            drawn.tables[2]
                .to_csv()
                .contains("\nT1,120.000,90.000,−25.00 %\n")
        );
    }
}
