//! Symbols and intervals to watch in an image from elsewhere: read from a file, found in the image.
//! Must never know: how the clock watches them, and the use of the counts.

use std::path::Path;

use anyhow::Result;
use object::{Object, ObjectSymbol};
use rustc_demangle::demangle;
use serde::Deserialize;
use taktos_emulator::{Edge, Mark, Watch};
use taktos_runner::failure::{Failure, one_line};

const SHAPE: &str = "it holds `current-thread = 'SYMBOL'`, perhaps `thread-name = OFFSET`, and tables [[interval]] with name, from, to, and perhaps \
     the most instructions and cycles";

/// The words of such a file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Watched {
    /// The symbol of the word that holds the address of the running thread's control block.
    pub current_thread: Option<String>,
    /// Offset of the thread's name in the control block, in bytes.
    pub thread_name: Option<u64>,
    /// The stretches that are counted.
    #[serde(default)]
    pub interval: Vec<Interval>,
}

/// A stretch between two places, and what it may cost.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// Name of the interval.
    pub name: String,
    /// The symbol at which it begins.
    pub from: String,
    /// The symbol at which it ends, before that is executed.
    pub to: String,
    /// The most instructions of one interval.
    pub instructions: Option<u64>,
    /// The most modelled cycles of one interval.
    pub cycles: Option<u64>,
}

impl Watched {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is not of that shape, or two intervals bear one name.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|cause| {
            Failure::error(format!("cannot read {}: {cause}", path.display()), SHAPE)
        })?;
        Self::parse(&text).map_err(|cause| {
            Failure::error(format!("{}: {}", path.display(), one_line(&cause)), SHAPE)
        })
    }

    fn parse(text: &str) -> Result<Self, String> {
        let watched: Self = toml::from_str(text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start)];
            let line = 1 + before.matches('\n').count();
            format!("line {line}: {}", error.message())
        })?;
        if watched.thread_name.is_some() && watched.current_thread.is_none() {
            return Err(
                "`thread-name` is an offset in what `current-thread` names, which is not there"
                    .into(),
            );
        }
        for (place, interval) in watched.interval.iter().enumerate() {
            let mut others = watched.interval[..place].iter();
            if others.any(|other| other.name == interval.name) {
                return Err(format!("two intervals are called `{}`", interval.name));
            }
        }
        Ok(watched)
    }

    /// Returns the addresses of all of it in an image, or else in one of the executables after it,
    /// which it loads.
    ///
    /// # Errors
    /// If none of them has such a symbol.
    pub fn find(&self, elfs: &[Vec<u8>]) -> Result<Watch> {
        let files = elfs.iter().map(|elf| object::File::parse(elf.as_slice()));
        let files: Result<Vec<_>, _> = files.collect();
        let files = files
            .map_err(|cause| Failure::error(format!("no ELF file: {cause}"), "name an image"))?;
        let mut watch = Watch::default();
        for interval in &self.interval {
            for (edge, symbol) in [(Edge::Begin, &interval.from), (Edge::End, &interval.to)] {
                let name = interval.name.clone();
                watch
                    .marks
                    .push((address(&files, symbol)?, Mark { edge, name }));
            }
        }
        let current = self.current_thread.iter();
        watch.current = current
            .map(|symbol| address(&files, symbol))
            .next()
            .transpose()?;
        watch.name = self.thread_name;
        Ok(watch)
    }
}

/// Returns the address of a symbol, by its name as the linker writes it or, of Rust's, as its
/// author does: `blinky::filter`, without the hash that changes with each build.
fn address(files: &[object::File<'_>], wanted: &str) -> Result<u64> {
    let symbols: Vec<(&str, u64)> = files.iter().flat_map(named).collect();
    if let Some((_, address)) = symbols.iter().find(|(name, _)| *name == wanted) {
        return Ok(*address);
    }
    let authors: Vec<(String, u64)> = symbols
        .iter()
        .map(|(name, address)| (format!("{:#}", demangle(name)), *address))
        .collect();
    let mut found = authors.iter().filter(|(name, _)| name == wanted);
    match (found.next(), found.next()) {
        (Some((_, address)), None) => Ok(*address),
        (Some(_), Some(_)) => Err(Failure::error(
            format!("the image has several symbols `{}`", one_line(wanted)),
            "name one as `nm IMAGE` lists it",
        )),
        (None, _) => Err(Failure::error(
            format!("the image has no symbol `{}`", one_line(wanted)),
            near(&authors, wanted),
        )),
    }
}

/// Returns the names of a file, and the address of each.
fn named<'data>(file: &object::File<'data>) -> Vec<(&'data str, u64)> {
    let defined = file.symbols().filter(|symbol| !symbol.is_undefined());
    let named = defined.filter_map(|symbol| Some((symbol.name().ok()?, symbol.address())));
    named.collect()
}

/// Returns a hint on the name that was meant: the same name in a module, or else where to look.
fn near(authors: &[(String, u64)], wanted: &str) -> String {
    let end = format!("::{wanted}");
    match authors.iter().find(|(name, _)| name.ends_with(&end)) {
        Some((name, _)) => format!("did you mean `{name}`?"),
        None => "nm -C IMAGE lists its symbols; a function that was inlined has none".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_says_is_read_and_what_is_wrong_is_named() {
        let text = "current-thread = 'pxCurrentTCB'\n\
             [[interval]]\nname = 'filter'\nfrom = 'a'\nto = 'b'\ninstructions = 12\n";
        let watched = Watched::parse(text).unwrap();
        assert_eq!(watched.current_thread.as_deref(), Some("pxCurrentTCB"));
        let interval = &watched.interval[0];
        assert_eq!((interval.instructions, interval.cycles), (Some(12), None));
        for (wrong, words) in [
            ("[[interval]]\nname = 'a'\nfrom = 'a'\n", "missing field"),
            ("\ncurrent = 'x'\n", "line 2: unknown field"),
            ("thread-name = 4\n", "which is not there"),
            (
                "current-thread = 'a'\nthread-name = -4\n",
                "line 2: invalid value",
            ),
            (
                "[[interval]]\nname='a'\nfrom='a'\nto='a'\n[[interval]]\nname='a'\nfrom='a'\nto='a'\n",
                "two intervals",
            ),
        ] {
            let error = Watched::parse(wrong).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
