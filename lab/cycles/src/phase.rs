//! Phases: which part of the kernel an instruction's cost belongs to.
//!
//! Owns: the one table that maps symbols and source paths to phases, so that it is easily changed.
//! In order of precedence, an instruction's phase is given by
//!
//! 1. a label `taktos.phase.NAME` (or `taktos.phase.NAME.2`, and so on) before it in the same
//!    symbol, for hand-written code with several phases;
//! 2. a rule for its symbol, for hand-written code, which has no line tables;
//! 3. a rule for its source file: of the innermost inlined function for which one holds, so that a
//!    library's code counts for its caller.

/// Condition on an instruction under which a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The name of the symbol that contains it, as in the symbol table, contains this.
    Symbol(&'static str),
    /// The path of its source file contains this.
    Path(&'static str),
}

/// The phases, and the rules that assign them; the first rule that holds decides.
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

    /// The number of the phase of this name.
    #[must_use]
    pub fn number_of(&self, name: &str) -> Option<u8> {
        self.names
            .iter()
            .position(|n| *n == name)
            .and_then(|n| u8::try_from(n).ok())
    }

    /// The number of the phase that a symbol's name gives.
    #[must_use]
    pub fn of_symbol(&self, symbol: &str) -> Option<u8> {
        self.first(|rule| matches!(rule, Rule::Symbol(part) if symbol.contains(part)))
    }

    /// The number of the phase that a source file's path gives.
    #[must_use]
    pub fn of_path(&self, path: &str) -> Option<u8> {
        self.first(|rule| matches!(rule, Rule::Path(part) if path.contains(part)))
    }

    fn first(&self, holds: impl Fn(&Rule) -> bool) -> Option<u8> {
        self.rules
            .iter()
            .find(|(rule, _)| holds(rule))
            .map(|(_, phase)| *phase)
    }
}

impl Default for PhaseRules {
    /// The kernel's own phases: entry, object, schedule, switch, exit.
    fn default() -> Self {
        Self::new([
            // Hand-written: the ways into the kernel, out of it, and between threads.
            (Rule::Symbol("_vector_table"), "entry"),
            (Rule::Symbol("taktos_isolated_call"), "entry"),
            (Rule::Symbol("4user6resume"), "switch"),
            (Rule::Symbol("_asm_"), "entry"),
            (Rule::Symbol("6switch5enter"), "entry"),
            (Rule::Symbol("6switch12enter_"), "entry"),
            (Rule::Symbol("6switch14enter_"), "entry"),
            (Rule::Symbol("6switch21enter_"), "entry"),
            (Rule::Symbol("6switch23enter_"), "entry"),
            (Rule::Path("/kernel/src/sched/"), "schedule"),
            (Rule::Path("/kernel/src/smp/"), "schedule"),
            (Rule::Path("/kernel/src/wait/"), "schedule"),
            (Rule::Path("/kernel/src/thread/urgency.rs"), "schedule"),
            (Rule::Path("/kernel/src/"), "object"),
            (Rule::Path("/core/schedule/"), "schedule"),
            (Rule::Symbol("6switch4stay"), "exit"),
            (Rule::Symbol("6switch9turn_away"), "exit"),
            (Rule::Symbol("6switch"), "switch"),
            (Rule::Symbol("_arch_armv7_a5float"), "switch"),
            (Rule::Symbol("_arch_aarch645float"), "switch"),
            (Rule::Symbol("_arch_riscv645float"), "switch"),
            (Rule::Symbol("_arch_aarch647vectors"), "entry"),
            (Rule::Symbol("_arch_riscv644trap"), "entry"),
            (Rule::Symbol("PendSV"), "switch"),
            (Rule::Symbol("SVCall"), "switch"),
            (Rule::Path("/arch/cortex-m/src/switch.rs"), "switch"),
            (Rule::Path("/arch/armv7-a/src/switch.rs"), "switch"),
            (Rule::Path("/arch/aarch64/src/switch.rs"), "switch"),
            (Rule::Path("/arch/riscv64/src/switch.rs"), "switch"),
            (Rule::Path("/arch/"), "entry"),
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
            (Rule::Path("/kernel/src/sched/"), "schedule"),
            (Rule::Path("/kernel/src/"), "object"),
        ]);
        assert_eq!(rules.names(), ["other", "entry", "schedule", "object"]);
        assert_eq!(rules.of_symbol("the_stub_svc"), Some(1));
        assert_eq!(rules.of_symbol("main"), None);
        assert_eq!(rules.of_path("/x/kernel/src/sched/mod.rs"), Some(2));
        assert_eq!(rules.of_path("/x/kernel/src/object/semaphore.rs"), Some(3));
        assert_eq!(rules.of_path("/x/app.rs"), None);
        assert_eq!(rules.number_of("object"), Some(3));
        assert_eq!(rules.number_of("nothing"), None);
    }
}
