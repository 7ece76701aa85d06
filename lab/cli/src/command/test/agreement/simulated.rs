//! Owns: the simulator's schedule of a case.
//! Must never know: what the hypervisor did.

use anyhow::Result;
use taktos_schedule::Cpu;
use taktos_simulate::partition::{HostObserver, Machine, run};
use taktos_simulate::{Cost, Costs, file};
use taktos_time::{Duration, Instant};

use super::turns::Turn;

/// What the hypervisor's acts were measured to cost, in nanoseconds of an instruction each.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// From one guest to another.
    pub switch: u64,
    /// An interrupt of the hypervisor's timer that changes nothing: how late its timers are.
    pub timer: u64,
    /// A guest's wait with the interrupt that ends it.
    pub wait: u64,
}

/// The turns of a workload's guests, which have one virtual processor each, from `begin`, when the schedulers do, until `end`.
pub fn simulate(text: &str, costs: Measured, begin: u64, end: u64) -> Result<Vec<Turn>> {
    let set = file::parse(text, "the simulated partitions.toml")?;
    let constant = |nanos| Cost::Constant(Duration::from_nanos(nanos));
    let machine = Machine {
        begin: Instant::from_nanos(begin),
        host: Costs {
            switch: constant(costs.switch),
            ..Costs::FREE
        },
        exit: constant(costs.timer),
        timer_slop: Duration::ZERO,
        ..Machine::free(Duration::from_nanos(end))
    };
    let mut guests = vec![(); set.workload.partitions.len()];
    let mut seen = Seen::default();
    run(&set.workload, &machine, &mut guests, &mut seen)?;
    Ok(seen.0)
}

/// What the processor executes from when on.
#[derive(Default)]
struct Seen(Vec<Turn>);

impl HostObserver for Seen {
    fn run(&mut self, at: Instant, _: Cpu, vcpu: Option<(usize, usize)>, _: Duration) {
        let whose = vcpu.map(|(partition, _)| partition);
        // A decision that leaves who runs is no turn.
        if self.0.last().is_none_or(|last| last.whose != whose) {
            let at = at.as_nanos();
            self.0.push(Turn { at, whose });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cases::{self, Case, Needs};
    use super::super::turns::compare;
    use super::*;

    const COSTS: Measured = Measured {
        switch: 1_600,
        timer: 477,
        wait: 2_617,
    };
    const BEGIN: u64 = 400_000;
    const START: u64 = 450_000;
    const END: u64 = 300_000_000;

    fn needs(case: &Case) -> Vec<Needs> {
        let of = |guest: &cases::Guest| Needs {
            boot: 231_000,
            job: guest.jobs.map_or(0, |jobs| jobs.work),
        };
        case.guests.iter().map(of).collect()
    }

    fn turns(case: &Case, text: impl Fn(String) -> String, costs: Measured) -> Vec<Turn> {
        let text = text(case.workload(START, &needs(case)));
        simulate(&text, costs, BEGIN, END).expect("a run")
    }

    #[test]
    fn no_case_hangs_on_chance() {
        for case in cases::all() {
            let expected = turns(&case, |text| text, COSTS);
            for (switch, timer) in [(800, 200), (2_400, 477), (1_600, 900)] {
                let other = Measured {
                    switch,
                    timer,
                    ..COSTS
                };
                let found = turns(&case, |text| text, other);
                let agreement = compare(&expected, &found, 20_000, END);
                assert!(agreement.is_ok(), "{}: {agreement:?}", case.policy);
            }
        }
    }

    #[test]
    fn another_budget_is_another_schedule() {
        for case in cases::all() {
            let expected = turns(&case, |text| text, COSTS);
            let (from, to) = match case.policy {
                "rtds" => ("budget = \"3090 us\"", "budget = \"2990 us\""),
                "sedf" => ("budget = \"2600 us\"", "budget = \"2500 us\""),
                "arinc653" => ("runtime = \"3 ms\"", "runtime = \"2900 us\""),
                "credit" => (
                    "policy = \"credit\"",
                    "policy = \"credit\"\nratelimit = \"5 ms\"",
                ),
                "credit2" => (
                    "policy = \"credit2\"",
                    "policy = \"credit2\"\nratelimit = \"5 ms\"",
                ),
                _ => ("period = \"7000 us\"", "period = \"7100 us\""),
            };
            let found = turns(&case, |text| text.replace(from, to), COSTS);
            let difference = compare(&expected, &found, 20_000, END);
            assert!(difference.is_err(), "{}", case.policy);
        }
    }
}
