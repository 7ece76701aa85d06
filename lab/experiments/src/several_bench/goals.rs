//! The goals of the figures of four processors, and the figures of others.
//!
//! Owns: `experiments/published/several.toml`, its table. Must never know: the source of a figure.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use taktos_export::table::{Cell, Column, Table};
use taktos_export::{Basis, Evidence};
use taktos_runner::workspace::Workspace;

use super::Figures;
use crate::published;

/// The file of `experiments/published`.
const FILE: &str = "several";
/// The board that the others were measured on.
const BOARD_OF_PEERS: &str = "virt-aarch64-smp";

/// The goals.
#[derive(Debug, Deserialize)]
pub struct Goals {
    /// Share of a goal on each board, in hundredths.
    share: BTreeMap<String, u64>,
    goals: Vec<Goal>,
    /// Source of the others' figures.
    #[serde(skip)]
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Goal {
    what: String,
    figure: String,
    most: Option<u64>,
    least: Option<u64>,
    equals: Option<String>,
    peer: Option<(u64, String)>,
}

/// A goal next to the figure.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// Name of the measurement.
    what: String,
    /// The place of the figure.
    figure: String,
    measured: u64,
    /// `at most 80`.
    goal: String,
    met: bool,
    evidence: Evidence,
    /// The best of the others, and whether ours is better.
    peer: Option<Peer>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Peer {
    name: String,
    figure: u64,
    beaten: bool,
}

impl Goals {
    /// Reads them.
    ///
    /// # Errors
    /// When the file is missing or has another shape.
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let table = published::read(workspace, FILE)?;
        Self::of(&table).with_context(|| format!("experiments/published/{FILE}.toml"))
    }

    pub(super) fn of(table: &toml::Table) -> Result<Self> {
        let mut goals: Self = table.clone().try_into()?;
        goals.source = published::source(table);
        Ok(goals)
    }

    /// Returns each goal next to the board's figure, in the order of the file.
    ///
    /// # Errors
    /// When a goal is for a figure that was not measured, or the board has no share.
    pub fn judged(&self, figures: &Figures) -> Result<Vec<Judged>> {
        let board = figures.board.as_str();
        let share = self.share.get(board);
        let share = *share.with_context(|| format!("the goals have no share for {board}"))?;
        let places = figures.places()?;
        let judge = |goal: &Goal| {
            let judged = goal.judged(share, &places)?;
            let peer = goal.peer.as_ref().filter(|_| board == BOARD_OF_PEERS);
            Ok(Judged {
                peer: peer.map(|peer| goal.beside(peer, judged.measured)),
                ..judged
            })
        };
        self.goals.iter().map(judge).collect()
    }

    /// The table of them.
    ///
    /// # Errors
    /// As [`Goals::judged`].
    pub fn table(&self, figures: &Figures) -> Result<Table> {
        let ours = |name| Column::figures(name, Basis::Ours(Evidence::Emulated));
        let judged = self.judged(figures)?;
        let peers = Basis::Theirs("emulated".into());
        let table = Table::over("The goals on four processors", &judged)
            .label("figure", |judged| judged.what.as_str())
            .column(ours("measured"), |judged| judged.measured)
            .label("class", |judged| judged.evidence.word())
            .label("goal", |judged| judged.goal.as_str())
            .label("met", |judged| Cell::yes_or_no(judged.met))
            .column(Column::figures("best peer", peers), Judged::peer);
        Ok(table.note(format!("Peers: {}.", self.source)).done())
    }
}

impl Goal {
    fn judged(&self, share: u64, places: &BTreeMap<String, String>) -> Result<Judged> {
        let measured = find(places, &self.figure)?;
        let (goal, met) = match (self.most, self.least, &self.equals) {
            (Some(most), None, None) => {
                let most = most * share / 100;
                (format!("at most {most}"), measured <= most)
            }
            (None, Some(least), None) => {
                let least = (least * 100).div_ceil(share);
                (format!("at least {least}"), measured >= least)
            }
            (None, None, Some(other)) => {
                let other = find(places, other)?;
                (format!("the same: {other}"), measured == other)
            }
            _ => bail!("`{}` has not one goal", self.what),
        };
        Ok(Judged {
            what: self.what.clone(),
            figure: self.figure.clone(),
            measured,
            goal,
            met,
            evidence: Evidence::Emulated,
            peer: None,
        })
    }

    fn beside(&self, (figure, name): &(u64, String), measured: u64) -> Peer {
        let beaten = match self.least {
            Some(_) => measured > *figure,
            None => measured < *figure,
        };
        Peer {
            name: name.clone(),
            figure: *figure,
            beaten,
        }
    }
}

impl Judged {
    fn peer(&self) -> Option<String> {
        let peer = self.peer.as_ref()?;
        let better = if peer.beaten { "" } else { ", not beaten" };
        Some(format!("{} ({}{better})", peer.figure, peer.name))
    }
}

fn find(places: &BTreeMap<String, String>, figure: &str) -> Result<u64> {
    let found = places
        .get(figure)
        .with_context(|| format!("a goal is for `{figure}`, which was not measured"))?;
    found
        .parse()
        .with_context(|| format!("`{figure}` is {found}, which is no count"))
}
