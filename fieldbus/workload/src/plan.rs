//! Owns: the arguments of the program. Must never know: their use.

use taktos_kernel::Duration;
use taktos_workloads::experiment::command::{Refused, UNKNOWN, words};
use taktos_workloads::experiment::refuse;
use taktos_workloads::guest::GuestBoard;

/// Role of this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// The MainDevice.
    Control,
    /// The SubDevices.
    Segment,
    /// Both, in one partition.
    Both,
}

/// The roles by their names.
const ROLES: [(&str, Role); 3] = [
    ("control", Role::Control),
    ("segment", Role::Segment),
    ("both", Role::Both),
];

/// The shortest and the longest cycle, in nanoseconds.
const SHORTEST: u64 = 50_000;
const LONGEST: u64 = 100_000_000;
const MICRO: u64 = 1_000;
/// The longest time before the controller begins, in milliseconds.
const PATIENCE: u64 = 60_000;
/// The most cycles. Samples are kept of the first hundred thousand.
const MOST: usize = 1_000_000_000;
/// The channels that a partition may have.
const CHANNELS: usize = 8;

/// Arguments of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Role of the program.
    pub role: Role,
    /// From one exchange to the next.
    pub cycle: Duration,
    /// How many cycles in OP are counted; samples are kept of the first hundred thousand.
    pub cycles: usize,
    /// How long the controller waits before it looks for devices: until its neighbours have
    /// started.
    pub after: Duration,
    /// How long a frame is waited for.
    pub patience: Duration,
    /// By how much the reference clock is set ahead.
    pub phase: Duration,
    /// How often the drives' positions are shown; zero for never.
    pub show: Duration,
    /// The channel to the other role.
    pub channel: usize,
}

impl Plan {
    /// That of a line of words.
    ///
    /// # Errors
    /// The word that is not understood.
    pub fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            role: Role::Both,
            cycle: Duration::from_millis(1),
            cycles: 1_000,
            after: Duration::ZERO,
            patience: Duration::from_millis(5),
            phase: Duration::ZERO,
            show: Duration::ZERO,
            channel: 0,
        };
        for word in words(line) {
            match word.key {
                "role" => plan.role = word.choice(&ROLES, "control, segment or both")?,
                "cycle-ns" => plan.cycle = Duration::from_nanos(word.number(SHORTEST, LONGEST)?),
                "cycle-us" => {
                    let cycle = word.number(SHORTEST / MICRO, LONGEST / MICRO)?;
                    plan.cycle = Duration::from_micros(cycle);
                }
                "cycles" => plan.cycles = word.number(1, MOST)?,
                "show-ms" => plan.show = Duration::from_millis(word.number(0, PATIENCE)?),
                "after-ms" => plan.after = Duration::from_millis(word.number(0, PATIENCE)?),
                "patience-ms" => {
                    plan.patience = Duration::from_millis(word.number(1, PATIENCE)?);
                }
                "phase-ns" => plan.phase = Duration::from_nanos(word.number(0, LONGEST)?),
                "channel" => plan.channel = word.number(0, CHANNELS - 1)?,
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }

    /// Returns the plan of words that were read before.
    pub fn certain<S: GuestBoard>() -> Self {
        Self::read(S::words()).unwrap_or_else(|refused| refuse::<S>(refused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_understood() {
        let plan = Plan::read("role=segment cycle-us=250 cycles=7 phase-ns=9 channel=1").unwrap();
        assert_eq!(
            (plan.role, plan.cycles, plan.channel),
            (Role::Segment, 7, 1)
        );
        assert_eq!(plan.cycle, Duration::from_micros(250));
        assert_eq!(plan.phase, Duration::from_nanos(9));
        for line in [
            "role=both-of-them",
            "cycle-us=49",
            "cycles=0",
            "channel=8",
            "speed=1",
        ] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
    }
}
