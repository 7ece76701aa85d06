//! The mechanisms' experiments, as a study.

use anyhow::Result;
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, QUANTA, QUANTUM};

use super::{EXPERIMENTS, Machines, add};
use crate::experiment::Mechanisms;
use crate::outcome::Outcome;
use crate::response::{Set, sets};
use crate::samples::Samples;
use crate::study::{Ready, Request, Start, Study, board, ready};

/// The program's own name of what it does.
const WORKLOAD: &str = "mechanisms";
/// How often experiments are repeated at other quanta, at most: the finest one is slow.
const GRAIN: u64 = 1_000;

/// A run: the question that it answers, and its arguments.
pub type Asked = (&'static str, Call);

/// The runs of the program `mechanisms`, and those of pairs of guests.
pub struct Responses<'a> {
    experiment: &'a Mechanisms,
    board: Board,
    loops: u64,
    machines: Machines,
}

impl<'a> Responses<'a> {
    /// Returns the study of a file.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn of(experiment: &'a Mechanisms, request: &Request<'_>) -> Result<Self> {
        Ok(Self {
            experiment,
            board: board(request.board, &experiment.board, request.file)?,
            loops: request.loops.unwrap_or(experiment.loops),
            machines: Machines::default(),
        })
    }
}

impl Study for Responses<'_> {
    type Host = Ready;
    type Run = Asked;
    type Found = (&'static str, u32, Vec<Set>);
    const DOING: &'static str = "measuring mechanisms";

    fn ready(&mut self, request: &Request<'_>, _: Kept, progress: &Progress) -> Result<Ready> {
        let (workspace, program) = (request.workspace, &self.experiment.program);
        let ready = ready(workspace, self.board, program, &QUANTA, progress)?;
        let guests = (request.file, self.experiment.partitions.as_slice());
        self.machines = Machines::ready(workspace, guests, self.loops, progress)?;
        Ok(ready)
    }

    fn runs(&self) -> Vec<Asked> {
        runs(self.loops, self.experiment.interval.0.as_nanos() / 1000)
    }

    fn task(&self, (question, call): &Asked) -> Start {
        ((*question).to_owned(), call.clone())
    }

    fn read(&self, (question, call): &Asked, console: &str) -> Result<Self::Found> {
        Ok((*question, call.quantum, sets(console, WORKLOAD)?))
    }

    fn answer(
        &self,
        _: &Ready,
        found: Vec<Self::Found>,
        progress: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples> {
        let (between, files): (Vec<Set>, Vec<_>) =
            self.machines.measure(progress)?.into_iter().unzip();
        outcome.files.extend(files);
        let mut samples = Samples::default();
        for (question, quantum, sets) in &found {
            add(&mut samples, (question, *quantum), sets);
        }
        add(&mut samples, (CLOSELY, QUANTUM), &between);
        Ok(samples)
    }
}

const CLOSELY: &str = "closely";

/// Each experiment here and across, then those across at each quantum.
fn runs(loops: u64, interval_us: u64) -> Vec<Asked> {
    let call = |name: &str, place: &str, loops: u64, quantum| Call {
        argument: format!(
            "experiment={name}+where={place}+loops={loops}+interval-us={interval_us}"
        ),
        quantum,
        ..Call::default()
    };
    let closely = EXPERIMENTS.map(|name| (CLOSELY, call(name, "all", loops, QUANTUM)));
    let at = |quantum| ("quanta", call("all", "across", loops.min(GRAIN), quantum));
    closely.into_iter().chain(QUANTA.map(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_quantum_has_few_repetitions() {
        let runs = runs(100_000, 1000);
        assert_eq!(runs.len(), 5 + 3);
        assert_eq!(
            runs[1].1.argument,
            "experiment=semaphore+where=all+loops=100000+interval-us=1000"
        );
        assert_eq!((runs[5].1.quantum, runs[7].1.quantum), (20, 1000));
        assert!(runs[5].1.argument.contains("where=across+loops=1000+"));
    }
}
