//! A run of a case: what its machine is, and what is read of its guest.

use std::io::IsTerminal;

use anyhow::Result;
use taktos_experiments::hypervisor::{
    Guest, Latency, Measure, Place, Plan, Run, Words, measured, text,
};
use taktos_linux::{Job, Test, command_line};
use taktos_runner::failure::Failure;
use taktos_runner::station::{Needs, Station, Task, What};

/// The measured program of the Taktos kernel.
const PROGRAM: &str = "latency";

/// What the plan's machines have in common.
pub(super) fn needs(plan: &Plan, measure: &Measure) -> Needs {
    let several = plan.cases.iter().filter(|case| case.place.processors() > 1);
    let quantum = |case: &taktos_experiments::hypervisor::Case| {
        case.variant.quantum.unwrap_or(measure.quantum)
    };
    let of_linux = |case: &taktos_experiments::hypervisor::Case| {
        case.guest == Guest::Linux || case.place.busy() > 0
    };
    Needs {
        program: PROGRAM,
        linux: plan.cases.iter().any(of_linux),
        processor: measure.processor.clone(),
        quanta: several.map(quantum).collect(),
    }
}

/// Where runs are done.
pub(super) struct Bench {
    pub station: Station,
    pub measure: Measure,
}

impl Bench {
    /// Does a run, unless it was done on the same machine before.
    ///
    /// # Errors
    /// When the machine cannot be made, or the guest fails.
    pub fn run(&self, run: &Run) -> Result<Latency> {
        self.station.run(&self.task(run), |console| {
            let latency = measured(console, run.case.guest)?;
            let (woke, wanted) = (latency.loops(), run.loops);
            if woke < wanted {
                return Err(Failure::error(
                    format!("the guest woke {woke} times, not {wanted}"),
                    "its console is saved beside the result: it says how far the guest came",
                ));
            }
            Ok(latency)
        })
    }

    /// Says on a screen that is no terminal what a run found.
    pub fn tell(&self, number: usize, all: usize, run: &Run, found: &Result<Latency, String>) {
        if std::io::stderr().is_terminal() {
            return;
        }
        let words = match found {
            Ok(one) => format!(
                "{}/{}/{} of {}",
                one.min(),
                one.avg(),
                one.max(),
                one.loops()
            ),
            Err(error) => format!("failed: {error}"),
        };
        eprintln!("  [{number}/{all}] {} {words}", run.name());
    }

    /// The run's machine.
    pub fn task(&self, run: &Run) -> Task {
        let (case, words) = (run.case, self.words(run));
        let what = match (case.place.is_native(), case.guest) {
            (true, Guest::Linux) => What::Linux(self.job(run)),
            (true, Guest::Taktos) => What::Program(words),
            (false, _) => What::Partitions(text(
                run,
                &self.measure,
                &Words {
                    measured: words,
                    busy: command_line(&Job::Busy { seconds: None }),
                },
            )),
        };
        Task {
            name: run.name(),
            case: (run.number == 0).then(|| case.name()),
            what,
            beside: Vec::new(),
            processors: case.place.processors(),
            quantum: case.variant.quantum.unwrap_or(self.measure.quantum),
        }
    }

    /// What the measured guest finds as its command line.
    fn words(&self, run: &Run) -> String {
        let interval = self.measure.interval;
        match run.case.guest {
            Guest::Linux => command_line(&self.job(run)),
            Guest::Taktos => format!(
                "loops={} interval-us={interval} phase-ns={} load={}",
                run.loops,
                u64::from(run.phase) * 1000,
                u8::from(is_busy_itself(run))
            ),
        }
    }

    fn job(&self, run: &Run) -> Job {
        let test = Test {
            loops: u32::try_from(run.loops).unwrap_or(u32::MAX),
            interval: u32::try_from(self.measure.interval).unwrap_or(u32::MAX),
            phase: run.phase,
            threads: Some(1),
        };
        match is_busy_itself(run) {
            true => Job::BusyCyclictest(test),
            false => Job::Cyclictest(test),
        }
    }
}

/// Whether the measured system has endless loops of its own.
const fn is_busy_itself(run: &Run) -> bool {
    matches!(run.case.place, Place::Native { busy: true, .. })
}
