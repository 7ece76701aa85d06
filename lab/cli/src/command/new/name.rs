//! Owns: which names a program may have: those that cargo takes for a package and the compiler for
//! a crate, and that no crate of the project has.

use anyhow::Result;
use taktos_runner::failure::{Failure, one_line};

/// Names that cannot be a crate: words of the language (the Rust reference, "Keywords"), its
/// libraries, and dependencies of the program.
const TAKEN: &str = "\
    as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub ref return self static \
    struct super trait true type unsafe use where while async await dyn abstract become box do final gen macro override priv try \
    typeof unsized virtual yield alloc core proc_macro std test build deps examples incremental taktos taktos-build taktos-user";

/// As long as a package's name may be where packages are published.
const LONGEST: usize = 64;

/// Refuses what is no name of a crate, or that of `another` of the same workspace.
pub(super) fn check(name: &str, another: &str) -> Result<()> {
    match wrong(name, another) {
        None => Ok(()),
        Some(why) => Err(Failure::error(
            format!("`{}` is no name for a program: {why}", one_line(name)),
            "take letters, digits, - and _, such as `blinky`",
        )),
    }
}

fn wrong(name: &str, another: &str) -> Option<&'static str> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    match name {
        "" => Some("it is empty"),
        _ if !name.starts_with(|first: char| first.is_ascii_alphabetic()) => {
            Some("it does not begin with a letter")
        }
        _ if !name.chars().all(is_letter) => {
            Some("it has other characters than a crate's name may")
        }
        _ if name.len() > LONGEST => Some("it has more than 64 characters"),
        _ if TAKEN
            .split_whitespace()
            .chain([another])
            .any(|taken| taken.eq_ignore_ascii_case(name)) =>
        {
            Some("it means something else to the compiler, or to cargo")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::wrong;

    #[test]
    fn names_of_crates_are_taken_and_others_refused() {
        for name in ["blinky", "a", "Motor-2_x", "testing"] {
            assert_eq!(wrong(name, "filter"), None, "{name}");
        }
        let long = "a".repeat(65);
        for name in [
            "", "2fast", "-x", "_", "a b", "a/b", "..", "é", "fn", "Self", "test", "taktos",
            "Filter", &long,
        ] {
            assert!(wrong(name, "filter").is_some(), "{name}");
        }
    }
}
