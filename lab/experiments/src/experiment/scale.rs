//! How much of an experiment is run: its quick form, or the full one.
//!
//! Owns: the table `[quick]` of an experiment's file, with keys that replace those of the same
//! names above it, and the words that state the form of a result. Must never know: the meaning of
//! the keys.

use serde::de::{DeserializeOwned, Error as _};
use toml::de::{DeTable, DeValue, Deserializer, Error};

/// The table of the quick form.
const KEY: &str = "quick";

/// A form of an experiment that has two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Few and short runs: minutes.
    Quick,
    /// All that the file names.
    Full,
}

impl Scale {
    /// Its name for programs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Full => "full",
        }
    }

    /// Returns the note for each of its figures; none if they are all that the experiment can
    /// state.
    pub const fn note(self) -> Option<&'static str> {
        match self {
            Self::Quick => Some("Quick form: fewer and shorter runs than --full does."),
            Self::Full => None,
        }
    }
}

/// Reads what has that schema from the keys `taken` of a text in which there may be a quick form.
///
/// # Errors
/// When it is no TOML, the quick form is no table, or a key is missing, unknown or broken in the
/// form that is wanted.
pub(super) fn read<T: DeserializeOwned>(
    text: &str,
    scale: Scale,
    taken: impl Fn(&str) -> bool,
) -> Result<T, Error> {
    let mut document = DeTable::parse(text)?;
    let keys = document.get_mut();
    let quick = keys.remove(KEY).map(toml::Spanned::into_inner);
    match (scale, quick) {
        (_, None) | (Scale::Full, Some(DeValue::Table(_))) => {}
        (Scale::Quick, Some(DeValue::Table(quick))) => keys.extend(quick),
        (_, Some(_)) => return Err(Error::custom(format!("`{KEY}` is no table"))),
    }
    let all = std::mem::take(keys).into_iter();
    *keys = all.filter(|(key, _)| taken(key.get_ref())).collect();
    T::deserialize(Deserializer::from(document))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize, PartialEq, Eq)]
    #[serde(deny_unknown_fields)]
    struct Schema {
        loops: u64,
        phases: Vec<u32>,
    }

    const BOTH: &str = "loops = 100\nphases = [1, 2]\n[quick]\nloops = 3\n";

    #[test]
    fn keys_of_the_quick_form_stand_in_for_those_above() {
        let read = |text, scale| read::<Schema>(text, scale, |_| true);
        let quick = read(BOTH, Scale::Quick).unwrap();
        let full = read(BOTH, Scale::Full).unwrap();
        assert_eq!((quick.loops, full.loops), (3, 100));
        assert_eq!(quick.phases, full.phases);
    }

    #[test]
    fn a_file_without_a_quick_form_reads_the_same_in_both() {
        let text = "loops = 100\nphases = []\n";
        let both =
            [Scale::Quick, Scale::Full].map(|scale| read::<Schema>(text, scale, |_| true).unwrap());
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn what_is_wrong_in_the_quick_form_has_its_place() {
        for (from, to, words) in [
            ("loops = 3", "lops = 3", "unknown field `lops`"),
            ("loops = 3", "loops = 'x'", "invalid type"),
        ] {
            let text = BOTH.replace(from, to);
            let error = read::<Schema>(&text, Scale::Quick, |_| true).unwrap_err();
            assert!(error.message().contains(words), "{error}");
            let place = error.span().unwrap().start;
            assert!(place >= BOTH.find("loops = 3").unwrap(), "{error}: {place}");
        }
        let number = "quick = 3\nloops = 1\nphases = []\n";
        for scale in [Scale::Quick, Scale::Full] {
            let error = read::<Schema>(number, scale, |_| true).unwrap_err();
            assert!(error.message().contains("no table"), "{error}");
        }
    }
}
