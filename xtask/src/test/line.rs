//! Owns: the command line of the test-runner, and which steps it chooses.
//! Must never know: what a step does.

use clap::Args;

use super::storms::Length;

/// Choice of the steps that run, and how they run.
#[derive(Args, Clone, Debug, Default)]
pub struct Line {
    /// Run only steps with a name that contains this
    pub filter: Option<String>,
    /// As the argument FILTER, but an option
    #[arg(long, value_name = "WORDS", conflicts_with = "filter")]
    pub only: Option<String>,
    /// The name must be the whole of it
    #[arg(long)]
    pub exact: bool,
    /// Leave out steps with a name that contains this; may be said several times
    #[arg(long, value_name = "WORDS")]
    pub skip: Vec<String>,
    /// Say which steps there are; nothing is installed or run
    #[arg(long)]
    pub list: bool,
    /// Longer stress tests: a million operations each on the boards with four processors,
    /// which takes hours
    #[arg(long)]
    pub long: bool,
    /// Run only the steps that a change since this commit can touch, with what is not committed;
    /// default: what is not committed alone. Tests of this machine run for the packages that
    /// changed and those that are built from them
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "HEAD")]
    pub changed: Option<String>,
    /// How many steps run side by side; default: one more than there are processors
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    pub test_threads: Option<u16>,
}

impl Line {
    /// The words that a name must contain, if there are any.
    pub(super) fn words(&self) -> Option<&str> {
        self.filter.as_deref().or(self.only.as_deref())
    }

    /// Whether the step of this name is to run.
    pub(super) fn chooses(&self, name: &str) -> bool {
        let wanted = self.words().is_none_or(|words| match self.exact {
            true => name == words,
            false => name.contains(words),
        });
        wanted && !self.skip.iter().any(|words| name.contains(words.as_str()))
    }

    /// Returns the length of the stress tests.
    pub(super) const fn length(&self) -> Length {
        match self.long {
            true => Length::Long,
            false => Length::Short,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_choose_and_leave_out() {
        let line = |filter: &str, exact, skip: &[&str]| Line {
            filter: Some(filter.into()),
            exact,
            skip: skip.iter().map(|word| (*word).to_owned()).collect(),
            ..Line::default()
        };
        assert!(line("lints", false, &[]).chooses("lints of the host"));
        assert!(!line("lints", true, &[]).chooses("lints of the host"));
        assert!(line("lints of the host", true, &[]).chooses("lints of the host"));
        assert!(!line("lints", false, &["host"]).chooses("lints of the host"));
        let only = Line {
            only: Some("budgets".into()),
            ..Line::default()
        };
        assert!(only.chooses("budgets of mps2-an386") && !only.chooses("format"));
        assert!(Line::default().chooses("format"));
    }
}
