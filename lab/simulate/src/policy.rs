//! Owns: the names by which a user selects a thread policy.
//! Must never know: how the policies decide.

use core::fmt;
use core::str::FromStr;

/// A policy of `taktos-schedule`, by the name that users write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Policy {
    /// `simple`: fixed priorities, one sorted list.
    Simple,
    /// `priority`: fixed priorities, one queue a level.
    Priority,
    /// `edf`: earliest deadline first.
    #[default]
    Edf,
    /// `priority-affinity`: fixed priorities and any affinity, in the reference's weak form.
    PriorityAffinity,
    /// `strong-affinity`: fixed priorities and any affinity, threads shifted where that helps.
    StrongAffinity,
    /// `cbs`: earliest deadline first with enforced budgets.
    Cbs,
}

impl Policy {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Simple,
        Self::Priority,
        Self::Edf,
        Self::PriorityAffinity,
        Self::StrongAffinity,
        Self::Cbs,
    ];

    /// The name that users write.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Simple => "simple",
            Self::Priority => "priority",
            Self::Edf => "edf",
            Self::PriorityAffinity => "priority-affinity",
            Self::StrongAffinity => "strong-affinity",
            Self::Cbs => "cbs",
        }
    }

    /// Whether deadlines decide.
    pub const fn by_deadline(self) -> bool {
        matches!(self, Self::Edf | Self::Cbs)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No policy has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no scheduler is called `{0}`: take simple, priority, edf, priority-affinity, strong-affinity or cbs"
)]
pub struct UnknownPolicy(pub String);

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        Self::ALL
            .into_iter()
            .find(|policy| policy.name() == name)
            .ok_or_else(|| UnknownPolicy(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_back() {
        for policy in Policy::ALL {
            assert_eq!(policy.name().parse(), Ok(policy));
        }
        assert!("EDF".parse::<Policy>().is_err());
    }
}
