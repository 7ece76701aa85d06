//! Owns: the comparison of many task sets: the verdict of each under each policy, and how many each
//! policy accepts. Must never know: how a set is simulated.

use serde::Serialize;
use taktos_experiments::outcome::{Files, Outcome};
use taktos_export::table::{Cell, Table};
use taktos_export::{Drawn, Evidence, in_order, to_json};

use super::result::LIMITS;
use super::tables::simulated;

/// Result of a set under a policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Whether it ran and missed no deadline.
    pub accepted: bool,
    /// Deadlines missed, if it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<u64>,
    /// Why the policy does not take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Verdict {
    /// Of a set that ran.
    pub const fn ran(missed: u64) -> Self {
        Self {
            accepted: missed == 0,
            missed: Some(missed),
            refused: None,
        }
    }

    /// Of a set that the policy does not take.
    pub fn refused(why: impl ToString) -> Self {
        Self {
            accepted: false,
            missed: None,
            refused: Some(why.to_string()),
        }
    }

    fn cell(&self) -> Cell {
        let words = match self.missed {
            Some(0) => "met".to_owned(),
            Some(missed) => format!("{missed} missed"),
            None => "refused".to_owned(),
        };
        Cell::Verdict {
            met: self.accepted,
            words,
        }
    }
}

/// A set and what became of it.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// The set, as errors call it.
    pub set: String,
    /// How many tasks it has.
    pub tasks: u64,
    /// The sum of its utilisations, in processors.
    pub utilisation: f64,
    /// Each policy's verdict.
    #[serde(serialize_with = "in_order")]
    pub verdicts: Vec<(String, Verdict)>,
}

/// How many sets a policy accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Acceptance {
    /// The sets that it was applied to.
    pub sets: u64,
    /// Those that missed no deadline.
    pub accepted: u64,
    /// Those that it does not take.
    pub refused: u64,
    /// Accepted of all.
    pub ratio: f64,
}

/// Many sets next to each other.
#[derive(Serialize)]
pub struct Batch {
    evidence: Evidence,
    #[serde(serialize_with = "in_order")]
    policies: Vec<(String, Acceptance)>,
    sets: Vec<Judged>,
}

impl Batch {
    /// Of these sets.
    pub fn of(sets: Vec<Judged>) -> Self {
        let mut policies: Vec<(String, Acceptance)> = Vec::new();
        for (name, verdict) in sets.iter().flat_map(|set| &set.verdicts) {
            let place = policies.iter().position(|(known, _)| known == name);
            let place = place.unwrap_or_else(|| {
                policies.push((name.clone(), Acceptance::default()));
                policies.len() - 1
            });
            let (_, sum) = &mut policies[place];
            sum.sets += 1;
            sum.accepted += u64::from(verdict.accepted);
            sum.refused += u64::from(verdict.refused.is_some());
            sum.ratio = sum.accepted as f64 / sum.sets as f64;
        }
        Self {
            evidence: Evidence::Simulated,
            policies,
            sets,
        }
    }

    /// Deadlines missed, of all sets under all policies.
    pub fn missed(&self) -> u64 {
        let verdicts = self.sets.iter().flat_map(|set| &set.verdicts);
        verdicts.filter_map(|(_, verdict)| verdict.missed).sum()
    }

    /// A row a set, a column a policy.
    fn sets(&self) -> Table {
        let mut table = Table::over("Sets under each policy", &self.sets)
            .label("set", |set| set.set.as_str())
            .label("tasks", |set| set.tasks)
            .label("utilisation", |set| format!("{:.3}", set.utilisation));
        for (name, _) in &self.policies {
            table = table.column(simulated(name.as_str()), |set| {
                let mut verdicts = set.verdicts.iter();
                let verdict = verdicts.find(|(known, _)| known == name);
                verdict.map(|(_, verdict)| verdict.cell())
            });
        }
        table.done()
    }

    /// A row a policy.
    fn acceptance(&self) -> Table {
        Table::over("Sets accepted", &self.policies)
            .label("policy", |(name, _)| name.as_str())
            .column(simulated("sets"), |(_, sum)| sum.sets)
            .column(simulated("accepted"), |(_, sum)| sum.accepted)
            .column(simulated("refused"), |(_, sum)| sum.refused)
            .column(simulated("acceptance ratio"), |(_, sum)| {
                format!("{:.4}", sum.ratio)
            })
            .note("A set is accepted that missed no deadline in the time that was simulated.")
            .done()
    }

    /// Both tables on a page, with the figures of each set.
    pub fn outcome(&self, figures: Files) -> Outcome {
        let (sets, missed) = (self.sets.len(), self.missed());
        Outcome {
            title: "Task sets beside each other".into(),
            question: "Which policy meets all deadlines of which set?".into(),
            setup: vec![("task sets".into(), sets.to_string())],
            limits: LIMITS,
            drawn: vec![Drawn {
                title: "Verdicts".into(),
                answer: vec![format!("{missed} deadlines were missed (simulated).")],
                tables: vec![self.sets(), self.acceptance()],
                evidence: vec![self.evidence],
                printed: true,
                ..Drawn::default()
            }],
            files: figures,
            json: to_json(self),
            ..Outcome::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_or_misses_is_not_accepted() {
        let judged = |verdict| Judged {
            set: "a".into(),
            tasks: 1,
            utilisation: 0.5,
            verdicts: vec![("edf".into(), verdict)],
        };
        let batch = Batch::of(vec![
            judged(Verdict::ran(0)),
            judged(Verdict::ran(3)),
            judged(Verdict::refused("no")),
            judged(Verdict::ran(0)),
        ]);
        let expected = Acceptance {
            sets: 4,
            accepted: 2,
            refused: 1,
            ratio: 0.5,
        };
        assert_eq!(batch.policies, [("edf".to_owned(), expected)]);
        assert_eq!(batch.missed(), 3);
    }
}
