//! Owns: what the program was told. Must never know: how attacks are carried out.

use crate::attacks::{self, Kind};
use crate::processor;
use taktos_workloads::experiment::command::words;

/// What comes when all is over.
#[derive(Clone, Copy)]
pub enum After {
    /// The partition is switched off.
    Off,
    /// It starts anew.
    Reset,
    /// It waits for ever.
    Stay,
}

const AFTER: [(&str, After); 3] = [
    ("off", After::Off),
    ("reset", After::Reset),
    ("stay", After::Stay),
];

/// A day.
const LONGEST: u64 = 86_400_000;

/// What was asked for; times in ticks of the counter.
pub struct Plan {
    /// The one attack; none for all in turn.
    one: Option<&'static Kind>,
    /// How long each lasts.
    pub length: u64,
    /// When all is over.
    pub until: u64,
    /// What chance begins with.
    pub seed: u64,
    /// What comes then.
    pub after: After,
}

impl Plan {
    /// What `line` asks for, or the word that asks for what there is not.
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

    /// Whose turn the turn `number` is.
    pub fn attack_at(&self, number: u64) -> &'static Kind {
        let all = attacks::ALL;
        self.one
            .unwrap_or(&all[(number % all.len() as u64) as usize])
    }

    /// The attack's name.
    pub fn name(&self) -> &'static str {
        self.one.map_or("all", |attack| attack.name)
    }
}
