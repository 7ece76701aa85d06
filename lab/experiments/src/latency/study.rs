//! Periodic threads on each processor, as a study.

use anyhow::Result;
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Board, Call, QUANTUM};

use super::{Question, samples, text};
use crate::experiment::Latency;
use crate::outcome::Outcome;
use crate::response::{Set, sets};
use crate::samples::Samples;
use crate::study::{Ready, Request, Start, Study, board, ready};

/// The program's own name of what it does.
const WORKLOAD: &str = "latency";
/// The file of the result with cyclictest's text.
pub const TEXT: &str = "cyclictest.txt";

/// The one run of the program `latency`.
pub struct Wakes<'a> {
    /// Its parameters.
    pub question: Question,
    /// Whether cyclictest's text is in nanoseconds.
    pub nanoseconds: bool,
    program: &'a str,
    board: Board,
}

impl<'a> Wakes<'a> {
    /// Returns the study of a file: all processors at one instant, without load.
    ///
    /// # Errors
    /// If there is no such board.
    pub fn of(experiment: &'a Latency, request: &Request<'_>) -> Result<Self> {
        Ok(Self {
            question: Question {
                loops: request.loops.unwrap_or(experiment.loops),
                interval_us: experiment.interval.0.as_nanos() / 1000,
                distance_us: 0,
                load: false,
            },
            nanoseconds: false,
            program: &experiment.program,
            board: board(request.board, &experiment.board, request.file)?,
        })
    }
}

impl Study for Wakes<'_> {
    type Host = Ready;
    type Run = Call;
    type Found = Vec<Set>;
    const DOING: &'static str = "measuring wake-ups";

    fn ready(&mut self, request: &Request<'_>, _: Kept, progress: &Progress) -> Result<Ready> {
        let (board, program) = (self.board, self.program);
        ready(request.workspace, board, program, &[QUANTUM], progress)
    }

    fn runs(&self) -> Vec<Call> {
        vec![Call {
            argument: self.question.argument(Board::PROCESSORS),
            ..Call::default()
        }]
    }

    fn task(&self, call: &Call) -> Start {
        (WORKLOAD.to_owned(), call.clone())
    }

    fn read(&self, _: &Call, console: &str) -> Result<Vec<Set>> {
        sets(console, WORKLOAD)
    }

    fn answer(
        &self,
        _: &Ready,
        found: Vec<Vec<Set>>,
        _: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples> {
        let (question, sets) = (&self.question, found.concat());
        let text = text(question, &sets, self.nanoseconds);
        outcome.files.push((TEXT.into(), text.into()));
        Ok(samples(question, &sets))
    }
}
