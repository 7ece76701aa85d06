//! A controller of EtherCAT in a real-time guest under each scheduler, as a study.

use std::path::Path;

use anyhow::Result;
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::station::{Needs, Station, Task, What};

use super::{
    Case, Common, DEVICES, Measured, Place, Run, Told, described, json, samples, text, words,
};
use crate::experiment::{Ethercat, Scale};
use crate::outcome::Outcome;
use crate::samples::Samples;
use crate::study::{Host, Request, Study, without_figures};

/// The measured program of the Taktos kernel.
const PROGRAM: &str = "ethercat";
/// Limits of these figures.
const LIMITS: &str = "one instruction takes one nanosecond, no caches, no bus; the segment is a model that computes with the instants at which \
     frames are sent, and its wire one of 100 Mbit/s without errors; on several processors an interrupt to a running one is off by up to a quantum";

/// The runs of controllers.
pub struct Cycles {
    cases: Vec<Case>,
    common: Common,
    cycles: u64,
    phases: u64,
    scale: Option<Scale>,
}

impl Cycles {
    /// Returns the study of a file.
    ///
    /// # Errors
    /// If a board is named, a case cannot be or none has that name, or a device is not described.
    pub fn of(experiment: &Ethercat, request: &Request<'_>) -> Result<Self> {
        request.no_board()?;
        let cases = cases(experiment, request.only)?;
        let common = common(experiment, request.file)?;
        only_in_partitions(&cases, &common)?;
        Ok(Self {
            cases,
            common,
            cycles: request.loops.unwrap_or(experiment.cycles),
            phases: experiment.phases,
            scale: request.scale,
        })
    }
}

/// Returns the cases of the file that have the letters in their names.
fn cases(experiment: &Ethercat, only: Option<&str>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for group in &experiment.cases {
        for scheduler in &group.schedulers {
            cases.extend(group.cycles_us.iter().map(|cycle| Case {
                place: group.place,
                scheduler: *scheduler,
                cycle: *cycle,
            }));
        }
    }
    let refused = cases
        .iter()
        .find_map(|case| Some((case, case.contradiction()?)));
    if let Some((case, why)) = refused {
        return Err(Failure::error(
            format!("there is no case {}", case.name()),
            why,
        ));
    }
    cases.retain(|case| only.is_none_or(|only| case.name().contains(only)));
    match cases.is_empty() {
        false => Ok(cases),
        true => Err(Failure::error(
            format!("no case is called `{}`", one_line(only.unwrap_or_default())),
            "cases are called like alone-rtds-250us or shared-credit2-1000us: the experiment's file lists them",
        )),
    }
}

/// Refuses devices of ESI files for cases on the bare machine, where nothing can give the program a
/// file.
fn only_in_partitions(cases: &[Case], common: &Common) -> Result<()> {
    let native = cases.iter().find(|case| case.place == Place::Native);
    match native {
        Some(case) if !common.devices.is_empty() => Err(Failure::error(
            format!("{}: devices of ESI files need a partition", case.name()),
            "leave the place `native` out of the experiment's cases, or name others by --only",
        )),
        _ => Ok(()),
    }
}

fn common(experiment: &Ethercat, file: &Path) -> Result<Common> {
    let devices = match experiment.devices.as_slice() {
        [] => Vec::new(),
        devices => described(devices, file)?,
    };
    Ok(Common {
        processor: experiment.processor.clone(),
        quantum: experiment.quantum,
        settle: experiment.settle.0.as_nanos() / 1_000_000,
        devices,
    })
}

impl Study for Cycles {
    type Host = Station;
    type Run = Run;
    type Found = Measured;
    const DOING: &'static str = "controlling segments";

    fn ready(&mut self, request: &Request<'_>, kept: Kept, progress: &Progress) -> Result<Station> {
        let cases = self.cases.iter();
        let several = cases.clone().filter(|case| case.place.processors() > 1);
        let needs = Needs {
            program: PROGRAM,
            linux: cases.clone().any(|case| case.place.is_busy()),
            processor: self.common.processor.clone(),
            quanta: several.map(|_| self.common.quantum).collect(),
        };
        Station::ready(request.workspace, needs, kept, progress)
    }

    fn runs(&self) -> Vec<Run> {
        let of = |case: &Case| Run::of(*case, self.cycles, self.phases);
        self.cases.iter().flat_map(of).collect()
    }

    fn task(&self, run: &Run) -> Task {
        let what = match run.case.place {
            Place::Native => What::Program(words(run, &self.common, "both")),
            _ => What::Partitions(text(run, &self.common)),
        };
        let beside = match what.is_partitions() && !self.common.devices.is_empty() {
            true => vec![(DEVICES.to_owned(), self.common.devices.clone())],
            false => Vec::new(),
        };
        Task {
            name: run.name(),
            case: (run.number == 0).then(|| run.case.name()),
            what,
            beside,
            processors: run.case.place.processors(),
            quantum: self.common.quantum,
        }
    }

    fn read(&self, run: &Run, console: &str) -> Result<Measured> {
        Ok(Measured {
            run: *run,
            told: Told::read(console)?,
        })
    }

    fn answer(
        &self,
        station: &Station,
        found: Vec<Measured>,
        _: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples> {
        let Common {
            processor, quantum, ..
        } = &self.common;
        let machine = format!(
            "virt, GICv3, {processor}; one processor with -icount shift=0,sleep=off, several with the laboratory's clock at a \
             quantum of {quantum} ns"
        );
        let setup = [
            ("machine".into(), machine),
            ("cycles of a case".into(), self.cycles.to_string()),
            ("phases".into(), self.phases.to_string()),
        ];
        outcome.setup.splice(1..1, setup);
        outcome.limits = LIMITS;
        let never = without_figures("Never in OP", &never_in_op(&found));
        outcome.drawn.extend(never);
        outcome.json = json(station.board().0, self.scale, &self.cases, &found);
        Ok(samples(&found))
    }
}

/// Returns the runs in which the segment never came to OP, each with the reason.
fn never_in_op(measured: &[Measured]) -> Vec<String> {
    let never = measured.iter().filter_map(|one| match &one.told {
        Told::NeverInOp(why) => Some(format!("{}: {why}", one.run.name())),
        Told::Found(_) => None,
    });
    never.collect()
}
