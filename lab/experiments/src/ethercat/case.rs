//! A case: the controller's machine, its neighbours, the scheduler, the cycle.
//!
//! Owns: the names of places and schedulers, the servers and windows that a cycle needs. Must never
//! know: the configuration of a case.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::hypervisor::{Policy, Server};

/// The machine of the controller and its segment, and their neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The bare machine: one program on one processor, without a hypervisor.
    Native,
    /// Two partitions on one processor, and no other.
    Alone,
    /// A processor each, and a busy Linux on a third.
    Dedicated,
    /// Two partitions and a busy Linux, all on one processor.
    Shared,
}

impl Place {
    /// Its name, as files and tables have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Alone => "alone",
            Self::Dedicated => "dedicated",
            Self::Shared => "shared",
        }
    }

    /// Returns how many processors the machine has.
    pub const fn processors(self) -> usize {
        match self {
            Self::Dedicated => 3,
            Self::Native | Self::Alone | Self::Shared => 1,
        }
    }

    /// Returns whether a busy Linux is on the machine.
    pub const fn is_busy(self) -> bool {
        matches!(self, Self::Dedicated | Self::Shared)
    }
}

/// The scheduler; `native`: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduler(pub Option<Policy>);

/// How the bare machine is called among schedulers.
const NATIVE: &str = "native";

impl Scheduler {
    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.map_or(NATIVE, Policy::name)
    }
}

impl<'de> Deserialize<'de> for Scheduler {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name == NATIVE {
            return Ok(Self(None));
        }
        let policy = Policy::ALL.into_iter().find(|policy| policy.name() == name);
        policy.map(|policy| Self(Some(policy))).ok_or_else(|| {
            let known = Policy::ALL.map(Policy::name).join(", ");
            D::Error::custom(format!(
                "no scheduler is called `{name}`: name one of {NATIVE}, {known}"
            ))
        })
    }
}

/// A case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its machine and neighbours.
    pub place: Place,
    /// Its scheduler.
    pub scheduler: Scheduler,
    /// From one exchange of process data to the next, in microseconds.
    pub cycle: u32,
}

impl Case {
    /// The name of the case, which is a file's too.
    pub fn name(&self) -> String {
        let Self {
            place,
            scheduler,
            cycle,
        } = self;
        format!("{}-{}-{cycle}us", place.name(), scheduler.name())
    }

    /// Returns why there is no such case; none if there is one.
    pub fn contradiction(&self) -> Option<&'static str> {
        let (place, policy) = (self.place, self.scheduler.0);
        match policy {
            None if place != Place::Native => Some("only the place `native` has no scheduler"),
            Some(_) if place == Place::Native => {
                Some("the place `native` has no scheduler but `native`")
            }
            Some(Policy::Null) if place != Place::Dedicated => {
                Some("NULL gives each guest a processor: the place must be `dedicated`")
            }
            Some(policy) if place == Place::Dedicated && !policy.is_for_several() => {
                Some("that scheduler is for one processor")
            }
            _ => None,
        }
    }

    /// The servers of the controller and of the segment, a share of each cycle, where the policy
    /// has servers.
    pub fn servers(&self) -> Option<[Server; 2]> {
        let policy = self.scheduler.0?;
        policy.has_servers().then(|| {
            [CONTROL, SEGMENT].map(|percent| Server {
                period: self.cycle,
                budget: self.cycle * percent / 100,
                extra: true,
            })
        })
    }

    /// The windows of ARINC 653 of controller, segment and busy guest, in microseconds.
    pub const fn windows(&self) -> [u32; 3] {
        let quarter = self.cycle / 4;
        match self.place.is_busy() {
            true => [quarter, quarter, self.cycle - 2 * quarter],
            false => [self.cycle / 2, self.cycle - self.cycle / 2, 0],
        }
    }
}

/// Shares of each cycle for the controller and for the segment, at most, in per cent.
const CONTROL: u32 = 32;
const SEGMENT: u32 = 24;

/// The busy guest's server: so little that admission succeeds next to cycles of 125 us and more,
/// since a budget that is kept until late in its period comes before the controller's once. Its
/// further time is extra time, which is all that no other guest requests.
pub const BUSY: Server = Server {
    period: 10_000,
    budget: 50,
    extra: true,
};

/// One run of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The case.
    pub case: Case,
    /// Its number among the case's runs.
    pub number: u64,
    /// How many cycles are counted.
    pub cycles: u64,
    /// By how much the segment's reference clock is set ahead, in nanoseconds.
    pub phase: u64,
}

impl Run {
    /// Its name, which is a file's too.
    pub fn name(&self) -> String {
        format!("{}-{}", self.case.name(), self.number)
    }

    /// Returns the runs of a case: `cycles` cycles, divided among `phases` phases of the cycle.
    pub fn of(case: Case, cycles: u64, phases: u64) -> impl Iterator<Item = Self> {
        let phases = phases.clamp(1, cycles.max(1));
        let length = u64::from(case.cycle) * 1_000;
        (0..phases).map(move |number| Self {
            case,
            number,
            cycles: cycles / phases + u64::from(number < cycles % phases),
            phase: length * number / phases,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARED: Case = Case {
        place: Place::Shared,
        scheduler: Scheduler(Some(Policy::Rtds)),
        cycle: 250,
    };

    #[test]
    fn cycles_are_divided_among_phases() {
        let runs: Vec<Run> = Run::of(SHARED, 1_001, 4).collect();
        let of = |part: fn(&Run) -> u64| runs.iter().map(part).collect::<Vec<u64>>();
        assert_eq!(of(|run| run.cycles), [251, 250, 250, 250]);
        assert_eq!(of(|run| run.phase), [0, 62_500, 125_000, 187_500]);
        assert_eq!(runs[1].name(), "shared-rtds-250us-1");
        assert_eq!(Run::of(SHARED, 2, 10).count(), 2);
    }

    #[test]
    fn what_cannot_be_is_told() {
        let case = |place, policy| Case {
            place,
            scheduler: Scheduler(policy),
            cycle: 1_000,
        };
        for (place, policy, good) in [
            (Place::Native, None, true),
            (Place::Native, Some(Policy::Rtds), false),
            (Place::Shared, None, false),
            (Place::Shared, Some(Policy::Null), false),
            (Place::Dedicated, Some(Policy::Null), true),
            (Place::Dedicated, Some(Policy::Arinc653), false),
            (Place::Alone, Some(Policy::Arinc653), true),
        ] {
            let why = case(place, policy).contradiction();
            assert_eq!(why.is_none(), good, "{place:?} {policy:?}: {why:?}");
        }
    }

    #[test]
    fn servers_fit_beside_the_busy_one() {
        let [control, segment] = SHARED.servers().unwrap();
        assert_eq!((control.budget, segment.budget), (80, 60));
        assert_eq!(SHARED.windows(), [62, 62, 126]);
        let credit = Case {
            scheduler: Scheduler(Some(Policy::CREDIT)),
            ..SHARED
        };
        assert_eq!(credit.servers(), None);
    }
}
