//! Owns: what a step found. Must never know: which step.

/// Findings of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Checks that passed.
    pub passed: u64,
    /// Checks that failed.
    pub failed: u64,
    /// Text that a person needs to fix them.
    pub said: String,
    /// Measurements, a line each, which are reported whether checks fail or not.
    pub figures: String,
    /// The seed of what was at random.
    pub seed: Option<u32>,
}

impl Tally {
    /// One check that passed.
    pub fn pass() -> Self {
        Self {
            passed: 1,
            ..Self::default()
        }
    }

    /// One check that failed.
    pub fn fail(said: impl Into<String>) -> Self {
        Self {
            failed: 1,
            said: said.into(),
            ..Self::default()
        }
    }

    /// None yet, of what this seed gives.
    pub fn seeded(seed: u32) -> Self {
        Self {
            seed: Some(seed),
            ..Self::default()
        }
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.said.push_str(&other.said);
        self.figures.push_str(&other.figures);
        self.seed = self.seed.or(other.seed);
    }
}

impl FromIterator<Result<(), String>> for Tally {
    fn from_iter<T: IntoIterator<Item = Result<(), String>>>(checks: T) -> Self {
        let mut all = Self::default();
        for check in checks {
            all.add(match check {
                Ok(()) => Self::pass(),
                Err(why) => Self::fail(why),
            });
        }
        all
    }
}
