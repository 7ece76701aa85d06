//! What others published: the paper's figures, and Xen's of today on the same emulator.
//!
//! Owns: which of their figures belongs to which case, and the goals. Must never know: ours.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::case::{Case, Guest, Place};
use crate::published;
use crate::workspace::Workspace;

/// Least, mean and greatest latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The least.
    pub min: u64,
    /// The mean.
    pub avg: u64,
    /// The greatest.
    pub max: u64,
}

/// Figures by scheduler.
type Column = BTreeMap<String, Figures>;

/// The paper's figures, Xen's, and the goals; of what is not stated, nothing.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Where the paper's come from, in one sentence.
    pub paper: String,
    /// Where Xen's come from.
    pub xen: String,
    of_paper: Column,
    /// By case, then by scheduler.
    of_xen: BTreeMap<String, Column>,
    goals: BTreeMap<String, Figures>,
}

#[derive(Deserialize)]
struct PaperFile {
    latency: Column,
}

#[derive(Deserialize)]
struct XenFile {
    latency: BTreeMap<String, Column>,
    goal: BTreeMap<String, Figures>,
}

impl Others {
    /// Reads both files of published figures.
    ///
    /// # Errors
    /// When there is none, or it has another shape.
    pub fn read(workspace: &Workspace, paper: &str, xen: &str) -> Result<Self> {
        Self::of(
            published::read(workspace, paper)?,
            published::read(workspace, xen)?,
        )
        .with_context(|| format!("{paper}.toml or {xen}.toml has another shape"))
    }

    fn of(paper: toml::Table, xen: toml::Table) -> Result<Self> {
        let sources = (published::source(&paper), published::source(&xen));
        let PaperFile { latency } = paper.try_into()?;
        let xen: XenFile = xen.try_into()?;
        Ok(Self {
            paper: sources.0,
            xen: sources.1,
            of_paper: latency,
            of_xen: xen.latency,
            goals: xen.goal,
        })
    }

    /// The paper's figures for a case. It measured guests with processors of their own.
    pub fn paper(&self, case: &Case) -> Option<Figures> {
        let alone = matches!(
            case.place,
            Place::Native {
                busy: false,
                four: false
            } | Place::Dedicated
        );
        let key = case.scheduler().replace('-', "_");
        (alone && case.guest == Guest::Linux)
            .then(|| self.of_paper.get(&key).copied())
            .flatten()
    }

    /// Xen's figures for a case.
    pub fn xen(&self, case: &Case) -> Option<Figures> {
        let column = self.of_xen.get(case.place.name())?;
        let figures = column.get(&case.scheduler()).copied();
        figures.filter(|_| case.guest == Guest::Linux)
    }

    /// The most that is allowed.
    pub fn goal(&self, case: &Case) -> Option<Figures> {
        let scheduler = match case.place {
            Place::Dedicated if !case.is_variant() => "",
            Place::Shared => &case.scheduler(),
            _ => return None,
        };
        let key = [case.place.name(), scheduler].join(" ");
        let goal = self.goals.get(key.trim()).copied();
        goal.filter(|_| case.guest == Guest::Linux)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::hypervisor::scheduling::Policy;

    /// The shipped files.
    pub fn others() -> Others {
        let paper = include_str!("../../../../experiments/published/hypervisor_scheduling.toml");
        let xen = include_str!("../../../../experiments/published/xen.toml");
        Others::of(paper.parse().unwrap(), xen.parse().unwrap()).unwrap()
    }

    fn case(place: Place, policy: Option<Policy>) -> Case {
        Case::usual(place, policy, Guest::Linux)
    }

    #[test]
    fn the_shipped_files_are_read() {
        let others = others();
        let alone = case(Place::Dedicated, Some(Policy::UNBALANCED));
        assert_eq!(others.paper(&alone).unwrap().max, 119);
        assert_eq!(others.xen(&alone), None);
        let native = case(
            Place::Native {
                busy: false,
                four: false,
            },
            None,
        );
        assert_eq!(
            (
                others.paper(&native).unwrap().max,
                others.xen(&native).unwrap().max
            ),
            (15, 16)
        );
        let shared = case(Place::Shared, Some(Policy::Rtds));
        assert_eq!(others.paper(&shared), None);
        assert_eq!(others.xen(&shared).unwrap().max, 59);
        assert_eq!(
            others.goal(&shared),
            Some(Figures {
                min: 5,
                avg: 6,
                max: 25
            })
        );
        assert_eq!(
            others.goal(&alone),
            Some(Figures {
                min: 4,
                avg: 4,
                max: 12
            })
        );
        assert_eq!(
            others.goal(&case(Place::Shared, Some(Policy::CREDIT))),
            None
        );
        let taktos = Case {
            guest: Guest::Taktos,
            ..shared
        };
        assert_eq!((others.xen(&taktos), others.goal(&taktos)), (None, None));
    }
}
