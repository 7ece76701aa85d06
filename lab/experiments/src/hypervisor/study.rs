//! Real-time guests under each scheduler and on the bare machine, as a study.

use anyhow::{Context, Result};
use taktos_linux::{Job, Test, command_line};
use taktos_runner::failure::{Failure, one_line};
use taktos_runner::kept::Kept;
use taktos_runner::progress::Progress;
use taktos_runner::station::{Needs, Station, Task, What};

use super::{Case, Extent, Guest, Measured, Place, Plan, Run, UNIT, measured, samples, text};
use crate::experiment::{Hypervisor, Scale};
use crate::outcome::Outcome;
use crate::response::Distribution;
use crate::samples::Samples;
use crate::study::{Request, Study};

/// The measured program of the Taktos kernel.
const PROGRAM: &str = "latency";
/// Limits of these figures.
const LIMITS: &str = "one instruction takes one nanosecond; no caches, no bus contention, sequentially consistent memory, so \
     what neighbours do to each other's caches is not in a figure; on four processors an interrupt to a running processor \
     is off by up to one quantum";

/// The runs of guests.
pub struct Guests<'a> {
    experiment: &'a Hypervisor,
    plan: Plan,
}

impl<'a> Guests<'a> {
    /// Returns the study of a file.
    ///
    /// # Errors
    /// If a board is named, or no case has that name.
    pub fn of(experiment: &'a Hypervisor, request: &Request<'_>) -> Result<Self> {
        request.no_board()?;
        let of_four = experiment.loops_of_four;
        let plan = Plan::new(Extent {
            loops: request.loops.unwrap_or(experiment.loops),
            loops_of_four: request.loops.map_or(of_four, |loops| loops.min(of_four)),
            phases: experiment.phases_us.clone(),
            variants: experiment.variants,
            only: request.only.map(str::to_owned),
        });
        if plan.cases.is_empty() {
            return Err(no_case(request));
        }
        Ok(Self { experiment, plan })
    }

    /// Returns the measured guest's period, in microseconds.
    const fn interval(&self) -> u64 {
        self.experiment.interval.0.as_nanos() / 1000
    }

    fn quantum(&self, case: &Case) -> u32 {
        case.variant.quantum.unwrap_or(self.experiment.quantum)
    }

    /// Returns the command line of the measured guest.
    fn words(&self, run: &Run) -> String {
        let interval = self.interval();
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
            interval: u32::try_from(self.interval()).unwrap_or(u32::MAX),
            phase: run.phase,
            threads: Some(1),
        };
        match is_busy_itself(run) {
            true => Job::BusyCyclictest(test),
            false => Job::Cyclictest(test),
        }
    }
}

fn no_case(request: &Request<'_>) -> anyhow::Error {
    let name = one_line(request.only.unwrap_or_default());
    let called = "cases are called like dedicated-credit-linux-rt or shared-rtds-taktos: docs/hypervisor.md lists them";
    match request.scale {
        Some(Scale::Quick) => Failure::error(
            format!("no case of the quick form is called `{name}`"),
            format!("{called}; --full has those of four processors and other parameters, too"),
        ),
        _ => Failure::error(format!("no case is called `{name}`"), called),
    }
}

/// Whether the measured system has endless loops of its own.
const fn is_busy_itself(run: &Run) -> bool {
    matches!(run.case.place, Place::Native { busy: true, .. })
}

impl Study for Guests<'_> {
    type Host = Station;
    type Run = Run;
    type Found = Measured;
    const DOING: &'static str = "measuring guests";

    fn ready(&mut self, request: &Request<'_>, kept: Kept, progress: &Progress) -> Result<Station> {
        let cases = &self.plan.cases;
        let several = cases.iter().filter(|case| case.place.processors() > 1);
        let is_linux = |case: &Case| case.guest == Guest::Linux || case.place.busy() > 0;
        let needs = Needs {
            program: PROGRAM,
            linux: cases.iter().any(is_linux),
            processor: self.experiment.processor.clone(),
            quanta: several.map(|case| self.quantum(case)).collect(),
        };
        Station::ready(request.workspace, needs, kept, progress)
    }

    fn runs(&self) -> Vec<Run> {
        let cases = self.plan.cases.iter();
        cases.flat_map(|case| self.plan.runs(case)).collect()
    }

    fn task(&self, run: &Run) -> Task {
        let (case, words) = (run.case, self.words(run));
        let what = match (case.place.is_native(), case.guest) {
            (true, Guest::Linux) => What::Linux(self.job(run)),
            (true, Guest::Taktos) => What::Program(words),
            (false, _) => What::Partitions(text(run, self.experiment, &words)),
        };
        Task {
            name: run.name(),
            case: (run.number == 0).then(|| case.name()),
            what,
            beside: Vec::new(),
            processors: case.place.processors(),
            quantum: self.quantum(&case),
        }
    }

    fn read(&self, run: &Run, console: &str) -> Result<Measured> {
        let latency = measured(console, run.case.guest)?;
        let (woke, wanted) = (latency.samples(), run.loops);
        if woke < wanted {
            return Err(Failure::error(
                format!("the guest woke {woke} times, not {wanted}"),
                "its console is saved beside the result: it says how far the guest came",
            ));
        }
        Ok(Measured {
            case: run.case,
            latency,
        })
    }

    fn words(Measured { latency, .. }: &Measured) -> Option<String> {
        let (whole, loops) = (latency.whole(UNIT), latency.samples());
        let avg = whole.sum() / u128::from(loops);
        Some(format!("{}/{avg}/{} of {loops}", whole.min(), whole.max()))
    }

    /// A case of which a run failed is left out.
    fn answer(
        &self,
        _: &Station,
        found: Vec<Measured>,
        _: &Progress,
        outcome: &mut Outcome,
    ) -> Result<Samples> {
        let together = |case: &Case| {
            let own = found.iter().filter(|one| one.case == *case);
            if own.clone().count() < self.plan.runs(case).len() {
                return None;
            }
            let latency = Distribution::together(own.map(|one| &one.latency));
            let latency = latency.context("the runs hold more samples than can be counted");
            Some(latency.map(|latency| Measured {
                case: *case,
                latency,
            }))
        };
        let cases = self.plan.cases.iter();
        let found = cases.filter_map(together).collect::<Result<Vec<_>>>()?;
        let Hypervisor {
            processor,
            quantum,
            phases_us,
            ..
        } = self.experiment;
        let phases: Vec<String> = phases_us.iter().map(u32::to_string).collect();
        let machine = format!(
            "virt, GICv3, virtualization=on, {processor}; one processor with -icount shift=0,sleep=off, four with the \
             laboratory's clock at a quantum of {quantum} ns"
        );
        let setup = [
            ("machine".into(), machine),
            ("phases, us".into(), phases.join(" ")),
        ];
        outcome.setup.splice(1..1, setup);
        outcome.limits = LIMITS;
        Ok(samples(&found))
    }
}
