//! Owns: how the words of a command line are distinguished. Must never know: what they mean.
//!
//! Words are separated by blanks, `+` or `,`; each is `key=value`. Words without `=` are the
//! program's name and the like.

use core::str::FromStr;

/// A word that a workload cannot carry out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused<'a> {
    /// The word.
    pub word: &'a str,
    /// Why, and what would do.
    pub why: &'static str,
}

/// A word: `key=value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    /// The word as a whole.
    pub whole: &'a str,
    /// Before the first `=`.
    pub key: &'a str,
    /// The text after it.
    pub value: &'a str,
}

impl<'a> Word<'a> {
    /// This word refused.
    pub const fn refused(self, why: &'static str) -> Refused<'a> {
        Refused {
            word: self.whole,
            why,
        }
    }

    /// The value as a number from `least` to `most`.
    ///
    /// # Errors
    /// The word, refused, where it is none.
    pub fn number<T: FromStr + PartialOrd>(self, least: T, most: T) -> Result<T, Refused<'a>> {
        let number = self.value.parse::<T>();
        let number =
            number.map_err(|_| self.refused("the value is not a whole number that fits"))?;
        if number < least || number > most {
            return Err(self.refused("the number is out of range"));
        }
        Ok(number)
    }

    /// Returns the choice that the value names among `choices`.
    ///
    /// # Errors
    /// The word, refused with `why`, if it is none of them.
    pub fn choice<T: Copy>(
        self,
        choices: &[(&str, T)],
        why: &'static str,
    ) -> Result<T, Refused<'a>> {
        let found = choices.iter().find(|(name, _)| *name == self.value);
        found.map(|(_, choice)| *choice).ok_or(self.refused(why))
    }
}

/// The words of `line`.
pub fn words(line: &str) -> impl Iterator<Item = Word<'_>> {
    line.trim_end_matches('\0')
        .split([' ', '+', ','])
        .filter_map(|whole| {
            let (key, value) = whole.split_once('=')?;
            Some(Word { whole, key, value })
        })
}

/// Why a word with an unknown key is refused.
pub const UNKNOWN: &str = "the workload does not know this key";

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn words_are_told_apart_and_the_name_is_skipped() {
        let found: Vec<_> = words("image a=1+b=2,c=x=y d=\0\0")
            .map(|word| (word.key, word.value))
            .collect();
        assert_eq!(found, [("a", "1"), ("b", "2"), ("c", "x=y"), ("d", "")]);
        assert_eq!(words("").count(), 0);
    }

    #[test]
    fn numbers_have_a_range() {
        let word = |line| words(line).next().expect("there is a word");
        assert_eq!(word("a=7").number(1, 7), Ok(7u64));
        assert!(word("a=8").number(1, 7u64).is_err());
        assert!(word("a=0").number(1, 7u64).is_err());
        assert!(word("a=-1").number(0, 7u64).is_err());
        assert!(word("a=").number(0, 7u64).is_err());
        assert!(word("a=99999999999999999999").number(0, u64::MAX).is_err());
    }
}
