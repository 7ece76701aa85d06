//! Owns: the simulator's schedule of a case.
//! Must never know: what the hypervisor did.

use anyhow::Result;
use taktos_schedule::Cpu;
use taktos_simulate::partition::{HostObserver, Machine, run};
use taktos_simulate::{Cost, Costs, file};
use taktos_time::{Duration, Instant};

use super::turns::Turn;

/// Measured costs of the hypervisor's operations, in nanoseconds of an instruction each.
#[derive(Clone, Copy, Debug)]
pub struct Measured {
    /// From one guest to another.
    pub switch: u64,
    /// An interrupt of the hypervisor's timer that changes nothing: how late its timers are.
    pub timer: u64,
    /// A guest's wait with the interrupt that ends it.
    pub wait: u64,
}

/// The turns of a workload's guests, which have one virtual processor each, from `begin`, when the
/// schedulers do, until `end`.
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

/// Turns of the processor, each with its time.
#[derive(Default)]
struct Seen(Vec<Turn>);

impl HostObserver for Seen {
    fn run(&mut self, at: Instant, _: Cpu, vcpu: Option<(usize, usize)>, _: Duration) {
        let whose = vcpu.map(|(partition, _)| partition);
        // A decision that keeps the present guest is not a turn.
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
            boot: 490_000,
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

    /// A set with a 25th turn that the image begins 39 us before the simulator. Neither is at
    /// fault. A credit is the sum of all charges since the credits were given, so it adds up each
    /// operation's error, and a guest of a small weight pays several times as much. The point where
    /// two credits meet is off by the sum. No budget adds up so: under the other policies the same
    /// error shifts each turn by its own operations.
    #[test]
    fn credits_add_up_what_acts_cost() {
        let error = Measured {
            switch: COSTS.switch + 1_400,
            ..COSTS
        };
        let jobs = |period_us, offset_us, work| {
            Some(cases::Jobs {
                period_us,
                offset_us,
                work,
            })
        };
        let shares = ["weight = 1024\n", "weight = 256\n", "weight = 384\n"];
        let all = [
            jobs(10_677, 29_183, 2_167_431),
            jobs(26_190, 28_160, 4_635_630),
            None,
        ];
        let parts = |policy: &str, shares: [&'static str; 3]| {
            let mut cases = cases::all().into_iter();
            let mut case = cases.find(|case| case.policy == policy).unwrap();
            for (guest, (shares, jobs)) in case.guests.iter_mut().zip(shares.into_iter().zip(all)) {
                (guest.shares, guest.jobs) = (shares, jobs);
            }
            let expected = turns(&case, |text| text, COSTS);
            let found = turns(&case, |text| text, error);
            compare(&expected, &found, 20_000, 100_000_000)
        };
        let credits = parts("credit2", shares);
        assert!(credits.is_err(), "{credits:?}");
        let windows = parts("arinc653", [""; 3]);
        assert!(windows.is_ok(), "{windows:?}");
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
