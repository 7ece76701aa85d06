//! `taktos reproduce mechanisms`: the papers' four experiments on this kernel.

use std::path::Path;

use anyhow::Result;
use taktos_experiments::experiment::Mechanisms;
use taktos_experiments::figure::{Material, draw_all};
use taktos_experiments::mechanisms::{self, EXPERIMENTS};
use taktos_experiments::outcome::Outcome;
use taktos_experiments::response::{Set, sets};
use taktos_experiments::samples::Samples;
use taktos_runner::progress::Progress;
use taktos_runner::several::{Call, QUANTA, QUANTUM, each};
use taktos_runner::workspace::Workspace;

use super::experiment::begin;
use super::partitions::Machines;
use super::several::{Ready, board, ready, result_name};
use crate::arguments::RunOptions;

/// The program's own name of what it does.
const WORKLOAD: &str = "mechanisms";
/// How often experiments are repeated at other quanta, at most: the finest one is slow.
const GRAIN: u64 = 1_000;

/// Runs the experiment of a file, so often as the command line says, or the file.
pub(super) fn run(
    workspace: &Workspace,
    experiment: &Mechanisms,
    file: &Path,
    options: &RunOptions,
    loops: Option<u64>,
) -> Result<()> {
    let board = board(options.board.as_deref(), &experiment.board, file)?;
    let directory = begin(
        workspace,
        &result_name(file, options.board.as_deref()),
        options,
    )?;
    let progress = Progress::default();
    let ready = ready(workspace, board, &experiment.program, &QUANTA, &progress)?;
    let loops = loops.unwrap_or(experiment.loops);
    let interval_us = experiment.interval.0.as_nanos() / 1000;
    let calls = calls(loops, interval_us);
    let guests = (file, experiment.partitions.as_slice());
    let machines = Machines::ready(workspace, guests, loops, &progress)?;
    let all = measure(&ready, &calls, &progress)?;
    let (closely, grain) = all.split_at(EXPERIMENTS.len());
    let (between, files): (Vec<Set>, Vec<_>) = machines.measure(&progress)?.into_iter().unzip();
    let sets: Vec<Set> = closely.iter().flatten().cloned().chain(between).collect();
    let mut samples = Samples::default();
    mechanisms::add(&mut samples, ("closely", QUANTUM), &sets);
    for (quantum, sets) in QUANTA.into_iter().zip(grain) {
        mechanisms::add(&mut samples, ("quanta", quantum), sets);
    }
    let mut drawn = draw_all(
        &experiment.figures,
        &Material::of(workspace, board, &samples),
    )?;
    drawn.push(ready.honest.drawn());
    let outcome = Outcome {
        title: experiment.title.clone(),
        question: experiment.question.clone(),
        drawn,
        files,
        json: mechanisms::json(board.name, &sets),
        ..ready.outcome(&experiment.program, &calls)
    };
    outcome.finish(workspace, directory, options.format)
}

/// Each experiment here and across, then those across at each quantum.
fn calls(loops: u64, interval_us: u64) -> Vec<Call> {
    let call = |name: &str, place: &str, loops: u64, quantum| Call {
        argument: format!(
            "experiment={name}+where={place}+loops={loops}+interval-us={interval_us}"
        ),
        quantum,
        ..Call::default()
    };
    let closely = EXPERIMENTS.map(|name| call(name, "all", loops, QUANTUM));
    let grain = QUANTA.map(|quantum| call("all", "across", loops.min(GRAIN), quantum));
    closely.into_iter().chain(grain).collect()
}

fn measure(ready: &Ready, calls: &[Call], progress: &Progress) -> Result<Vec<Vec<Set>>> {
    let what = format!("measuring mechanisms on {} ...", ready.machine.board.name);
    progress.counted(&what, calls.len(), |done| {
        each(calls, done, |call| {
            let console = ready.machine.run(&ready.image, call)?;
            sets(&console, WORKLOAD)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_quantum_has_few_repetitions() {
        let calls = calls(100_000, 1000);
        assert_eq!(calls.len(), 5 + 3);
        assert_eq!(
            calls[1].argument,
            "experiment=semaphore+where=all+loops=100000+interval-us=1000"
        );
        assert_eq!((calls[5].quantum, calls[7].quantum), (20, 1000));
        assert!(calls[5].argument.contains("where=across+loops=1000+"));
    }
}
