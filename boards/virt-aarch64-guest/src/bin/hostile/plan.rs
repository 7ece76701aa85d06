//! Owns: the arguments of the program. Must never know: how attacks are carried out.

use crate::attacks::{self, Kind};
use crate::processor;
use taktos_workloads::experiment::command::words;

/// Action when all is over.
#[derive(Clone, Copy)]
pub enum After {
    /// The partition is switched off.
    Off,
    /// The partition restarts.
    Reset,
    /// The program waits for ever.
    Stay,
}

const AFTER: [(&str, After); 3] = [
    ("off", After::Off),
    ("reset", After::Reset),
    ("stay", After::Stay),
];

/// A day.
const LONGEST: u64 = 86_400_000;

/// Arguments of the program; times in ticks of the counter.
pub struct Plan {
    /// The one attack; `None` for all in turn.
    one: Option<&'static Kind>,
    /// Length of each attack.
    pub length: u64,
    /// End of all attacks.
    pub until: u64,
    /// Seed of the random source.
    pub seed: u64,
    /// Action at the end.
    pub after: After,
}

impl Plan {
    /// Reads the plan from `line`. Error: the word that requests something that does not exist.
    pub fn read(line: &str) -> Result<Self, &str> {
        let mut plan = Self {
            one: Some(&attacks::ALL[0]),
            length: processor::ticks_of_millis(100),
            until: processor::ticks_of_millis(1_000),
            seed: 1,
            after: After::Off,
        };
        for word in words(line) {
            let wrong = |_| word.whole;
            match word.key {
                "attack" if word.value == "all" => plan.one = None,
                "attack" => plan.one = Some(attacks::named(word.value).ok_or(word.whole)?),
                "for-ms" => {
                    let millis = word.number(1, LONGEST).map_err(wrong)?;
                    plan.length = processor::ticks_of_millis(millis);
                }
                "until-ms" => {
                    let millis = word.number(0, LONGEST).map_err(wrong)?;
                    plan.until = match millis {
                        0 => u64::MAX,
                        millis => processor::ticks_of_millis(millis),
                    };
                }
                "seed" => plan.seed = word.number(0, u64::MAX).map_err(wrong)?,
                "after" => plan.after = word.choice(&AFTER, "").map_err(wrong)?,
                _ => return Err(word.whole),
            }
        }
        Ok(plan)
    }

    /// Returns the attack of turn `number`.
    pub fn attack_at(&self, number: u64) -> &'static Kind {
        let all = attacks::ALL;
        self.one
            .unwrap_or(&all[(number % all.len() as u64) as usize])
    }

    /// Returns the attack's name.
    pub fn name(&self) -> &'static str {
        self.one.map_or("all", |attack| attack.name)
    }
}
