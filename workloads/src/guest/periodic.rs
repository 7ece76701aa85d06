//! Jobs at instants of the machine's own clock, for ever: known beforehand to a neighbour or a
//! simulation.
//!
//! Owns: when jobs come and how long they work.
//! Must never know: a board; that there is a hypervisor; the observers.
//!
//! Words: `period-us=` (10000), `offset-us=` (0), when the machine's clock shows the first release,
//! `work=` instructions a job (100000). A job that begins late works all the same, and the next one
//! follows at once. It prints nothing.

use super::{GuestBoard, sleep_until};
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::{self, instructions};
use taktos_kernel::{Duration, Instant, Kernel};

/// The priority of the main thread, which works.
pub const MAIN: u8 = super::MAIN;
const MICRO: u64 = 1_000;
/// The longest time in microseconds: two hours.
const LONGEST: u64 = 7_200_000_000;
/// Two readings of a clock with nothing between them are closer than this.
const CLOSE: Duration = Duration::from_micros(2);

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    period: Duration,
    offset: Duration,
    work: u64,
}

impl Plan {
    fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            period: Duration::from_micros(10_000),
            offset: Duration::ZERO,
            work: 100_000,
        };
        for word in words(line) {
            let micros = |least| {
                let number = word.number(least, LONGEST);
                number.map(|number: u64| Duration::from_nanos(number * MICRO))
            };
            match word.key {
                "period-us" => plan.period = micros(1)?,
                "offset-us" => plan.offset = micros(0)?,
                "work" => plan.work = word.number(1, u64::MAX)?,
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Runs the workload by the guest's words. In the main thread.
pub fn run<S: GuestBoard>() -> ! {
    let plan = match Plan::read(S::words()) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    };
    let start = start::<S>();
    let mut release = Instant::START.saturating_add(plan.offset);
    loop {
        sleep_until::<S>(Instant::START.saturating_add(release.since(start)));
        instructions(plan.work);
        release = release.saturating_add(plan.period);
    }
}

/// Returns the time of the machine's clock when the kernel's began. Reads it again if the processor
/// was taken away meanwhile.
fn start<S: GuestBoard>() -> Instant {
    loop {
        let before = Kernel::<S>::now();
        let machine = S::machine_time();
        if Kernel::<S>::now().since(before) < CLOSE {
            return Instant::START.saturating_add(machine.since(before));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_understood() {
        let plan = Plan::read("period-us=7000 offset-us=31337 work=5");
        let expected = Plan {
            period: Duration::from_millis(7),
            offset: Duration::from_micros(31_337),
            work: 5,
        };
        assert_eq!(plan, Ok(expected));
        for line in ["period-us=0", "work=0", "offset-us=7200000001", "loops=1"] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
    }
}
