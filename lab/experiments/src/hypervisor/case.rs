//! A case: the guest that wakes periodically, its machine, its neighbours.
//!
//! Owns: the names of cases, by which tables, files and programs know them. Must never know: the
//! configuration of a case.

use super::scheduling::{DEFAULT, HALF, LITTLE, Policy, Server, Table};

/// The measured guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Guest {
    /// Debian's RT Linux with cyclictest.
    Linux,
    /// The Taktos kernel with its program `latency`.
    Taktos,
}

impl Guest {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Linux, Self::Taktos];

    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linux => "linux-rt",
            Self::Taktos => "taktos",
        }
    }

    /// Its name for people.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Linux => "RT Linux, cyclictest",
            Self::Taktos => "Taktos kernel, latency",
        }
    }
}

/// The machine of the measured guest, and its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The bare machine; `busy`: with endless loops in the same system.
    Native {
        /// Whether there are.
        busy: bool,
        /// One processor, or four.
        four: bool,
    },
    /// One processor, to itself.
    Dedicated,
    /// One processor, with a busy Linux on the same.
    Shared,
    /// Four processors, three busy ones of Linux, and one for the measured guest.
    DedicatedFour {
        /// Whether each virtual processor has its own processor by affinity.
        pinned: bool,
    },
    /// Four processors, busy ones of Linux on each, and the measured guest besides.
    SharedFour {
        /// As above.
        pinned: bool,
    },
}

impl Place {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native {
                busy: false,
                four: false,
            } => "native-dedicated",
            Self::Native {
                busy: true,
                four: false,
            } => "native-shared",
            Self::Native {
                busy: false,
                four: true,
            } => "native-dedicated-four",
            Self::Native {
                busy: true,
                four: true,
            } => "native-shared-four",
            Self::Dedicated => "dedicated",
            Self::Shared => "shared",
            Self::DedicatedFour { pinned: true } => "dedicated-four-pinned",
            Self::DedicatedFour { pinned: false } => "dedicated-four-unpinned",
            Self::SharedFour { pinned: true } => "shared-four-pinned",
            Self::SharedFour { pinned: false } => "shared-four-unpinned",
        }
    }

    /// Returns how many processors the machine has.
    pub const fn processors(self) -> usize {
        match self {
            Self::Native { four: false, .. } | Self::Dedicated | Self::Shared => 1,
            _ => 4,
        }
    }

    /// Returns how many virtual processors the busy Linux has.
    pub const fn busy(self) -> usize {
        match self {
            Self::Native { .. } | Self::Dedicated => 0,
            Self::Shared => 1,
            Self::DedicatedFour { .. } => 3,
            Self::SharedFour { .. } => 4,
        }
    }

    /// Returns whether processors are shared.
    pub const fn is_shared(self) -> bool {
        matches!(
            self,
            Self::Shared | Self::SharedFour { .. } | Self::Native { busy: true, .. }
        )
    }

    /// Returns whether each virtual processor has its own processor by affinity.
    pub const fn is_pinned(self) -> bool {
        matches!(
            self,
            Self::DedicatedFour { pinned: true } | Self::SharedFour { pinned: true }
        )
    }

    /// Returns whether there is no hypervisor.
    pub const fn is_native(self) -> bool {
        matches!(self, Self::Native { .. })
    }
}

/// Differences of a case from its usual run. Each is in a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Variant {
    /// Suffix of the scheduler's name; empty: the usual case.
    pub name: &'static str,
    /// Whether waiting for interrupts is trapped although no other guest shares the processor.
    pub trapped: bool,
    /// How close ahead the hypervisor lets its timer be set, in microseconds.
    pub floor: u32,
    /// The server of the measured guest where it is not the case's usual one.
    pub server: Option<Server>,
    /// The server of the busy guest where it is not the case's usual one.
    pub busy: Option<Server>,
    /// Whether it is run although admission refuses its servers.
    pub forced: bool,
    /// How far processors may drift apart, in nanoseconds, where it is not the usual.
    pub quantum: Option<u32>,
}

/// A case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its machine and neighbours.
    pub place: Place,
    /// Its scheduler; none on the bare machine.
    pub policy: Option<Policy>,
    /// Its measured guest.
    pub guest: Guest,
    /// Its differences from the usual run.
    pub variant: Variant,
}

impl Case {
    /// The usual case.
    pub fn usual(place: Place, policy: Option<Policy>, guest: Guest) -> Self {
        Self {
            place,
            policy,
            guest,
            variant: Variant::default(),
        }
    }

    /// The scheduler's name.
    pub fn scheduler(&self) -> String {
        let name = self.policy.map_or("native", Policy::name);
        format!("{name}{}", self.variant.name)
    }

    /// The name of the whole case, which is a file's too.
    pub fn name(&self) -> String {
        format!(
            "{}-{}-{}",
            self.place.name(),
            self.scheduler(),
            self.guest.name()
        )
    }

    /// Returns whether it is one of those that depart from the usual.
    pub const fn is_variant(&self) -> bool {
        !self.variant.name.is_empty()
    }

    /// The server of the measured guest, where the policy has servers: its default with a
    /// processor of its own, half a millisecond in each where it shares.
    pub fn server(&self) -> Option<Server> {
        let usual = self.place.is_shared().then_some(HALF);
        self.policy
            .filter(|policy| policy.has_servers())
            .and(self.variant.server.or(usual))
    }

    /// The server of each virtual processor of the busy guest, where the policy has servers and
    /// processors are shared.
    pub fn busy(&self) -> Option<Server> {
        let usual = match self.policy? {
            Policy::Rtds => LITTLE,
            Policy::Sedf => DEFAULT,
            _ => return None,
        };
        let shared = self.place.is_shared();
        shared.then(|| self.variant.busy.unwrap_or(usual))
    }

    /// The table of ARINC 653: all of 10 ms, or a millisecond cut into halves.
    pub const fn table(&self) -> Table {
        if self.place.is_shared() {
            Table {
                measured: 500,
                busy: 500,
            }
        } else {
            Table {
                measured: 10_000,
                busy: 0,
            }
        }
    }
}

/// One run of a case: the machine starts, the guest wakes `loops` times, the machine ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The case.
    pub case: Case,
    /// Its number among the case's runs.
    pub number: usize,
    /// How often the guest wakes.
    pub loops: u64,
    /// How long after a full period of its clock the guest wakes, in microseconds.
    pub phase: u32,
}

impl Run {
    /// Its name, which is a file's too.
    pub fn name(&self) -> String {
        format!("{}-{}", self.case.name(), self.number)
    }
}
