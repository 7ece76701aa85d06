//! Phases: which part of the kernel an instruction's cost belongs to.
//!
//! Owns the one table that maps symbols and source paths to phases, so that it is easily
//! changed. The instruction's source file is the innermost inlined one.

/// What an instruction must have for a rule to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The symbol it lies in begins so.
    Symbol(&'static str),
    /// The path of its source file contains this.
    Path(&'static str),
}

/// The phases, and the rules by which they are told; the first rule that holds decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseRules {
    names: Vec<&'static str>,
    rules: Vec<(Rule, u8)>,
}

/// The phase of instructions to which no rule applies.
pub const OTHER: &str = "other";

impl PhaseRules {
    /// Rules in order of precedence, each with its phase's name. Phases are numbered in
    /// order of first mention, after [`OTHER`].
    #[must_use]
    pub fn new(rules: impl IntoIterator<Item = (Rule, &'static str)>) -> Self {
        let mut phases = Self {
            names: vec![OTHER],
            rules: Vec::new(),
        };
        for (rule, name) in rules {
            let number = phases.number(name);
            phases.rules.push((rule, number));
        }
        phases
    }

    fn number(&mut self, name: &'static str) -> u8 {
        let at = self
            .names
            .iter()
            .position(|n| *n == name)
            .unwrap_or_else(|| {
                self.names.push(name);
                self.names.len() - 1
            });
        u8::try_from(at).unwrap_or(u8::MAX)
    }

    /// The names of the phases, by number.
    #[must_use]
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The number of the phase of an instruction in this symbol and source file.
    #[must_use]
    pub fn phase(&self, symbol: &str, path: &str) -> u8 {
        let holds = |rule: &Rule| match rule {
            Rule::Symbol(prefix) => symbol.starts_with(prefix),
            Rule::Path(part) => path.contains(part),
        };
        self.rules
            .iter()
            .find(|(rule, _)| holds(rule))
            .map_or(0, |(_, phase)| *phase)
    }
}

impl Default for PhaseRules {
    /// The kernel's own phases: entry, object, schedule, switch, exit.
    fn default() -> Self {
        Self::new([
            (Rule::Symbol("taktos.entry"), "entry"),
            (Rule::Symbol("taktos_entry"), "entry"),
            (Rule::Path("/kernel/src/schedule.rs"), "schedule"),
            (Rule::Path("/kernel/src/block.rs"), "schedule"),
            (Rule::Path("/kernel/src/"), "object"),
            (Rule::Path("/core/schedule/"), "schedule"),
            (Rule::Path("/arch/"), "switch"),
            (Rule::Symbol("taktos.exit"), "exit"),
            (Rule::Symbol("taktos_exit"), "exit"),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rule_that_holds_decides() {
        let rules = PhaseRules::new([
            (Rule::Symbol("stub"), "entry"),
            (Rule::Path("/kernel/src/block.rs"), "schedule"),
            (Rule::Path("/kernel/src/"), "object"),
        ]);
        assert_eq!(rules.names(), ["other", "entry", "schedule", "object"]);
        assert_eq!(rules.phase("stub_svc", "/x/kernel/src/block.rs"), 1);
        assert_eq!(rules.phase("wake", "/x/kernel/src/block.rs"), 2);
        assert_eq!(rules.phase("give", "/x/kernel/src/semaphore.rs"), 3);
        assert_eq!(rules.phase("main", "/x/app.rs"), 0);
    }
}
