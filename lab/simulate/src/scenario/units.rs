//! Sets of processors, times, policies and statuses as words of a script.
//!
//! Owns: how each is written and read.
//! Must never know: its line in the script.

use std::fmt;

use taktos_schedule::smp::PolicyKind;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

/// A set of processors, written as `0,2-3`, `none` or `all`.
#[derive(Clone, Copy)]
pub struct Set(pub CpuSet);

impl fmt::Display for Set {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        if self.0 == CpuSet::ALL {
            return f.write_str("all");
        }
        let mut rest = self.0;
        let mut first = true;
        while let Some(low) = rest.lowest() {
            let mut high = low;
            while let Some(next) = Cpu::new(high.index() + 1).filter(|cpu| rest.contains(*cpu)) {
                rest = rest.without(high);
                high = next;
            }
            rest = rest.without(high);
            let comma = if first { "" } else { "," };
            first = false;
            match high.index() - low.index() {
                0 => write!(f, "{comma}{}", low.index())?,
                _ => write!(f, "{comma}{}-{}", low.index(), high.index())?,
            }
        }
        Ok(())
    }
}

/// Reads a set of processors.
pub(super) fn set(word: &str) -> Option<CpuSet> {
    match word {
        "all" => return Some(CpuSet::ALL),
        "none" => return Some(CpuSet::EMPTY),
        _ => {}
    }
    let mut found = CpuSet::EMPTY;
    for part in word.split(',') {
        let (low, high) = part.split_once('-').unwrap_or((part, part));
        let (low, high) = (number(low)?, number(high)?);
        if low > high {
            return None;
        }
        for index in low..=high {
            found = found.with(Cpu::new(index as usize)?);
        }
    }
    Some(found)
}

/// Reads a number: digits and nothing else.
pub(super) fn number(word: &str) -> Option<u32> {
    word.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| word.parse().ok())?
}

/// The units of time, the largest first, with their nanoseconds.
const UNITS: [(&str, u64); 4] = [
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// A length of time, written in the largest unit in which it is a whole number.
#[derive(Clone, Copy)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.as_nanos();
        let fits = UNITS.iter().find(|(_, unit)| nanos.is_multiple_of(*unit));
        let (name, unit) = fits.unwrap_or(&("ns", 1));
        write!(f, "{}{name}", nanos / unit)
    }
}

/// Reads a length of time: a whole number with its unit.
pub(super) fn span(word: &str) -> Option<Duration> {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    let (value, unit) = word.split_at(digits);
    let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let value: u64 = value.parse().ok()?;
    let nanos = value.checked_mul(*nanos)?;
    (nanos <= Duration::MAX.as_nanos()).then(|| Duration::from_nanos(nanos))
}

/// The policies and their names.
pub const POLICIES: [(&str, PolicyKind); 6] = [
    ("simple", PolicyKind::Simple),
    ("priority", PolicyKind::Priority),
    ("edf", PolicyKind::Edf),
    ("priority-affinity", PolicyKind::PriorityAffinity),
    ("strong-affinity", PolicyKind::StrongAffinity),
    ("cbs", PolicyKind::Cbs),
];

/// The name of a policy.
pub fn policy_name(policy: PolicyKind) -> &'static str {
    let found = POLICIES.iter().find(|(_, kind)| *kind == policy);
    found.map_or("?", |(name, _)| name)
}

/// Reads the name of a policy.
pub(super) fn policy(word: &str) -> Option<PolicyKind> {
    let found = POLICIES.iter().find(|(name, _)| *name == word);
    found.map(|(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_written_as_they_are_read() {
        for word in ["none", "0", "0-3", "0,2-3,63", "all"] {
            assert_eq!(Set(set(word).unwrap()).to_string(), word);
        }
        for word in ["", "64", "3-1", "a", "0,", "1-", "+1"] {
            assert_eq!(set(word), None, "{word}");
        }
    }

    #[test]
    fn times_are_written_as_they_are_read() {
        for word in ["0s", "5ms", "1s", "250us", "1001ns"] {
            assert_eq!(Span(span(word).unwrap()).to_string(), word);
        }
        for word in ["5", "ms", "1.5ms", "5 ms", "-1s", "99999999999999999999s"] {
            assert_eq!(span(word), None, "{word}");
        }
    }

    #[test]
    fn a_name_means_its_policy() {
        for (name, kind) in POLICIES {
            assert_eq!(policy(name), Some(kind));
            assert_eq!(policy_name(kind), name);
        }
    }
}
