//! From text to cases.
//!
//! Owns: the grammar of scenario scripts; `docs/scenarios.md` describes it.
//! Must never know: the effects of the commands.

mod commands;
mod expect;
mod setup;
mod storm;
#[cfg(test)]
mod tests;
mod words;

use taktos_schedule::smp::PolicyKind;

use super::fault::{Fault, Wrong};
use super::names::Names;
use super::script::{Action, Case, Script, Setup, Step};
use super::status::{self, Status};
use super::units::{POLICIES, policy};
use words::{Read, Words};

/// Words that begin a line and are no commands.
const BESIDE: [&str; 10] = [
    "case",
    "policies",
    "processors",
    "instance",
    "under",
    "repeat",
    "together",
    "and",
    "end",
    "storm",
];

/// Reads a script. Lines before the first `case` belong to every case.
///
/// # Errors
/// The first line that cannot be read.
pub fn parse(text: &str, file: &str) -> Result<Script, Fault> {
    let lines = text.lines().enumerate();
    let lines: Vec<(usize, &str)> = lines
        .map(|(index, line)| (index + 1, line.trim()))
        .collect();
    let starts: Vec<usize> = (0..lines.len())
        .filter(|index| Words::of(lines[*index].1).peek() == Some("case"))
        .collect();
    let Some(first) = starts.first() else {
        let wrong = Wrong::new(
            "the script has no case",
            "begin one with `case NAME: TITLE`",
        );
        return Err(wrong.at(file, lines.len().max(1)));
    };
    let mut cases: Vec<Case> = Vec::new();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(lines.len());
        let (number, head) = lines[*start];
        let (name, title) = heading(head).map_err(|wrong| wrong.at(file, number))?;
        if cases.iter().any(|case| case.name == name) {
            let wrong = Wrong::new(format!("there is a case `{name}` already"), "rename one");
            return Err(wrong.at(file, number));
        }
        let mut reader = Reader::new(file);
        for (number, line) in lines[..*first].iter().chain(&lines[start + 1..end]) {
            reader.line(*number, line)?;
        }
        cases.push(reader.finish(name, title, number)?);
    }
    Ok(Script {
        file: file.to_owned(),
        cases,
    })
}

/// `case NAME: TITLE`
fn heading(line: &str) -> Read<(String, String)> {
    let line = line.split(" #").next().unwrap_or_default();
    let rest = line.strip_prefix("case").unwrap_or_default();
    let (name, title) = rest.split_once(':').unwrap_or((rest, ""));
    let name = name.trim();
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Wrong::new(
            format!("`{name}` cannot name a case"),
            "write `case NAME: TITLE`, the name in one word",
        ));
    }
    Ok((name.to_owned(), title.trim().to_owned()))
}

/// A case that is being read.
struct Reader<'a> {
    file: &'a str,
    policies: Vec<PolicyKind>,
    setup: Setup,
    names: Names,
    /// The steps outside, then those of each `repeat` that is open.
    open: Vec<Open>,
}

/// A list of steps that is being read.
#[derive(Default)]
struct Open {
    line: usize,
    text: String,
    block: Block,
    steps: Vec<Step>,
}

/// Purpose of a list of steps.
#[derive(Default)]
enum Block {
    /// The steps of the case itself.
    #[default]
    Case,
    /// Steps, this number of times.
    Repeat(u32),
    /// The last of several lists; those before it.
    Together(Vec<Vec<Step>>),
}

impl<'a> Reader<'a> {
    fn new(file: &'a str) -> Self {
        Self {
            file,
            policies: Vec::new(),
            setup: Setup::default(),
            names: Names::default(),
            open: vec![Open::default()],
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        let mut words = Words::of(line);
        if words.is_empty() {
            return Ok(());
        }
        let text = line.split('#').next().unwrap_or_default().trim();
        let read = self.statement(number, text, &mut words);
        read.map_err(|wrong| wrong.at(self.file, number))
    }

    fn statement(&mut self, number: usize, text: &str, words: &mut Words<'_>) -> Read<()> {
        match words.peek().unwrap_or_default() {
            "policies" => self.policies = listed_policies(words)?,
            "processors" => {
                self.early("processors")?;
                setup::processors(words, &mut self.setup)?;
            }
            "instance" => {
                self.early("instance")?;
                setup::instance(words, &mut self.setup, &mut self.names)?;
            }
            "repeat" => {
                self.set_up()?;
                words.word("repeat")?;
                let times = words.number("how many times")?;
                words.end()?;
                self.open(number, text, Block::Repeat(times));
            }
            "together" => {
                self.set_up()?;
                words.word("together")?;
                words.end()?;
                self.open(number, text, Block::Together(Vec::new()));
            }
            "and" => {
                words.word("and")?;
                words.end()?;
                self.and()?;
            }
            "storm" => {
                self.set_up()?;
                let plan = storm::plan(words, &mut self.names)?;
                self.push(Step {
                    line: number,
                    text: text.to_owned(),
                    under: Vec::new(),
                    action: Action::Storm(plan),
                });
            }
            "end" => {
                words.word("end")?;
                words.end()?;
                self.close()?;
            }
            _ => self.step(number, text, words)?,
        }
        Ok(())
    }

    /// That no step has been read yet.
    fn early(&self, what: &str) -> Read<()> {
        if self.open.len() == 1 && self.open[0].steps.is_empty() {
            return Ok(());
        }
        Err(Wrong::new(
            format!("`{what}` stands behind the first step"),
            "processors and instances come first",
        ))
    }

    fn close(&mut self) -> Read<()> {
        if self.open.len() == 1 {
            return Err(Wrong::new(
                "`end` closes nothing",
                "remove it, or write `repeat N` or `together` above",
            ));
        }
        if let Some(inner) = self.open.pop() {
            let action = match inner.block {
                Block::Together(mut lists) => {
                    lists.push(inner.steps);
                    Action::Together(lists)
                }
                Block::Repeat(times) => Action::Repeat(times, inner.steps),
                Block::Case => return Ok(()),
            };
            self.push(Step {
                line: inner.line,
                text: inner.text,
                under: Vec::new(),
                action,
            });
        }
        Ok(())
    }

    fn open(&mut self, line: usize, text: &str, block: Block) {
        self.open.push(Open {
            line,
            text: text.to_owned(),
            block,
            steps: Vec::new(),
        });
    }

    /// The next list of those that happen together.
    fn and(&mut self) -> Read<()> {
        let open = self.open.last_mut();
        let Some(Open {
            block: Block::Together(lists),
            steps,
            ..
        }) = open
        else {
            return Err(Wrong::new(
                "`and` parts nothing",
                "remove it, or write `together` above",
            ));
        };
        lists.push(std::mem::take(steps));
        Ok(())
    }

    fn push(&mut self, step: Step) {
        if let Some(open) = self.open.last_mut() {
            open.steps.push(step);
        }
    }

    /// `[under POLICIES:] expect ...`, `refused STATUS: COMMAND`, or a command.
    fn step(&mut self, number: usize, text: &str, words: &mut Words<'_>) -> Read<()> {
        self.set_up()?;
        let under = match words.peek() {
            Some("under") => listed_policies(words)?,
            _ => Vec::new(),
        };
        for action in self.actions(words)? {
            self.push(Step {
                line: number,
                text: text.to_owned(),
                under: under.clone(),
                action,
            });
        }
        Ok(())
    }

    fn actions(&mut self, words: &mut Words<'_>) -> Read<Vec<Action>> {
        if words.take("expect") {
            let expected = expect::expectation(words, &self.names)?;
            return Ok(vec![Action::Expect(expected)]);
        }
        if words.take("refused") {
            let word = words.word("a status")?;
            let known = status::WORDS.map(|(name, _)| name);
            let status = Status::named(word).ok_or_else(|| Wrong::word("status", word, known))?;
            words.expect(":")?;
            let commands = commands::commands(words, &mut self.names)?;
            let refused = |command| Action::Refused(status, command);
            return Ok(commands.into_iter().map(refused).collect());
        }
        let verb = words.peek().unwrap_or_default();
        if !commands::VERBS.contains(&verb) {
            let known = commands::VERBS.iter().chain(&BESIDE).copied();
            return Err(Wrong::word("command", verb, known));
        }
        let commands = commands::commands(words, &mut self.names)?;
        Ok(commands.into_iter().map(Action::Do).collect())
    }

    /// Without an instance there is one that owns all processors.
    fn set_up(&mut self) -> Read<()> {
        if self.setup.online.is_empty() {
            return Err(Wrong::new(
                "a step comes before the processors",
                "write `processors N` above it",
            ));
        }
        if self.setup.instances.is_empty() {
            setup::only(&mut self.setup, &mut self.names);
        }
        Ok(())
    }

    fn finish(mut self, name: String, title: String, line: usize) -> Result<Case, Fault> {
        let wrong =
            |line, cause: &str, hint: &str| Err(Wrong::new(cause, hint).at(self.file, line));
        if self.open.len() > 1 {
            let line = self.open.last().map_or(line, |open| open.line);
            return wrong(
                line,
                "this block has no `end`",
                "write `end` behind its steps",
            );
        }
        let steps = self.open.pop().map(|open| open.steps).unwrap_or_default();
        if steps.is_empty() {
            return wrong(line, "nothing happens in this case", "write steps below it");
        }
        let open = self
            .setup
            .instances
            .iter()
            .any(|instance| instance.policy.is_none());
        if open && self.policies.is_empty() {
            let hint = "write `policies` and some of: simple, priority, edf, \
                        priority-affinity, strong-affinity, cbs";
            return wrong(
                line,
                "the case does not say for which policies it holds",
                hint,
            );
        }
        Ok(Case {
            name,
            title,
            line,
            policies: self.policies,
            setup: self.setup,
            names: self.names,
            steps,
        })
    }
}

/// `policies edf simple`, `under edf simple:`
fn listed_policies(words: &mut Words<'_>) -> Read<Vec<PolicyKind>> {
    let under = words.word("policies")? == "under";
    let mut found = Vec::new();
    loop {
        let word = words.word("a policy")?;
        if word == "all" {
            found.extend(POLICIES.map(|(_, kind)| kind));
        } else {
            let known = POLICIES.map(|(name, _)| name);
            found.push(policy(word).ok_or_else(|| Wrong::word("policy", word, known))?);
        }
        if under && words.take(":") || !under && words.is_empty() {
            return Ok(found);
        }
    }
}
