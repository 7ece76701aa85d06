//! A program that ended with a fault, and the meaning of its report beyond numbers: functions and
//! lines of its registers, and the meaning of the fault registers.
//!
//! Owns: reading a report, and the error made of it. Must never know: the running of the program,
//! and the use of its result.

mod registers;

use std::path::Path;

use object::{Object, ObjectSymbol, SymbolKind};
use rustc_demangle::demangle;
use taktos_emulator::{Lines, Source};

use crate::failure::Failure;

/// The beginning of each report of this project's kernel.
const REPORT: &str = "fault: ";
/// The registers that hold addresses of code, and whether the instruction before that is meant: a
/// call's.
const OF_CODE: [(&str, bool); 4] = [("pc", false), ("lr", true), ("ra", true), ("x30", true)];

/// How many functions are named of which one was inlined in the other.
const MOST_INLINED: usize = 3;

/// A program that ended with a status that is not 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// The program and how it ended, with the first line of the report if there is one.
    pub cause: String,
    /// The meaning of the report's registers, a line each.
    pub explained: Vec<String>,
}

impl Failed {
    /// The end of a run of that image, unless it was a good one.
    #[must_use]
    pub fn of(what: &str, (exit_status, console): (i32, &str), image: &Path) -> Option<Self> {
        (exit_status != 0).then(|| {
            let report = report(console);
            let first = report.map_or(String::new(), |text| {
                format!(": {}", text.lines().next().unwrap_or_default())
            });
            let elf = std::fs::read(image).unwrap_or_default();
            Self {
                cause: format!("{what} ended with status {exit_status}{first}"),
                explained: report.map_or(Vec::new(), |report| explained(report, &elf)),
            }
        })
    }

    /// Returns the error, and prints the meaning of the registers on the standard error before it.
    #[must_use]
    pub fn error(self, hint: impl Into<String>) -> anyhow::Error {
        if !self.explained.is_empty() {
            eprintln!("  the registers of the fault");
        }
        for line in &self.explained {
            eprintln!("    {line}");
        }
        Failure::error(self.cause, hint)
    }
}

/// The last report on a console, to its end.
#[must_use]
pub fn report(console: &str) -> Option<&str> {
    let lines = console.match_indices(REPORT).map(|(at, _)| at);
    let begins = |at: &usize| *at == 0 || console[..*at].ends_with('\n');
    lines.filter(begins).last().map(|at| &console[at..])
}

/// The meaning of a report's registers, as far as that is known.
fn explained(report: &str, elf: &[u8]) -> Vec<String> {
    let code = object::File::parse(elf).ok().map(Code::of);
    let registers = report.lines().skip(1).filter_map(register);
    let meaning = |(name, value): (&str, u64)| {
        let of_code = OF_CODE.iter().find(|(of_code, _)| *of_code == name);
        let means = match of_code {
            Some((_, is_return)) => code.as_ref()?.named(value, *is_return)?,
            None => registers::meaning(name, value)?,
        };
        Some(format!("{name:6} {means}"))
    };
    registers.filter_map(meaning).collect()
}

/// A register's line: its name and its value, which may be unknown.
fn register(line: &str) -> Option<(&str, u64)> {
    let mut words = line.strip_prefix("  ")?.split_whitespace();
    let (name, value) = (words.next()?, words.next()?);
    let value = u64::from_str_radix(value.strip_prefix("0x")?, 16).ok()?;
    words.next().is_none().then_some((name, value))
}

/// The functions of an image, and the places that they come from.
struct Code<'data> {
    lines: Option<Lines<'data>>,
    functions: Vec<(u64, u64, &'data str)>,
}

impl<'data> Code<'data> {
    fn of(file: object::File<'data>) -> Self {
        let functions = file.symbols().filter(|symbol| {
            symbol.kind() == SymbolKind::Text && !symbol.is_undefined() && symbol.size() > 0
        });
        let named = functions.filter_map(|symbol| {
            // The lowest bit of an address of T32 is no part of it.
            Some((symbol.address() & !1, symbol.size(), symbol.name().ok()?))
        });
        Self {
            functions: named.collect(),
            lines: Lines::of(&file).ok(),
        }
    }

    /// The function at an address and its line; where functions were inlined, the innermost first.
    fn named(&self, value: u64, is_return: bool) -> Option<String> {
        let address = match is_return {
            true => value.checked_sub(1)?,
            false => value,
        } & !1;
        let symbol = self.functions.iter().find(|(begin, size, _)| {
            let end = begin.saturating_add(*size);
            (*begin..end).contains(&address)
        });
        let symbol = symbol.map(|(.., name)| format!("{:#}", demangle(name)));
        let sources = self.lines.as_ref();
        let sources = sources.map_or(Vec::new(), |lines| lines.sources(address));
        let places: Vec<String> = sources
            .iter()
            .take(MOST_INLINED)
            .filter_map(|source| place(source, symbol.as_deref()))
            .collect();
        match places.is_empty() {
            true => symbol,
            false => Some(places.join(", inlined in ")),
        }
    }
}

/// `function, file:line`.
fn place(source: &Source, symbol: Option<&str>) -> Option<String> {
    let name = source.function.as_deref();
    let name = name.map(|name| without_types(&format!("{:#}", demangle(name))).to_owned());
    let name = name.or_else(|| symbol.map(str::to_owned))?;
    Some(match (&source.file, source.line) {
        (Some(file), Some(line)) => format!("{name}, {}:{line}", in_its_crate(file)),
        _ => name,
    })
}

/// A function's name without what it is generic over.
pub(crate) fn without_types(name: &str) -> &str {
    let end = name.find('<').filter(|at| *at > 0);
    &name[..end.unwrap_or(name.len())]
}

/// A file from its crate's folder on: what is above that names a person's machine.
fn in_its_crate(file: &str) -> &str {
    let above = file.rfind("/src/").map_or(0, |at| at);
    let folder = file[..above].rfind('/').map_or(0, |slash| slash + 1);
    &file[folder..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSOLE: &str = "fault: is what I look for\nhello\nno fault: x\n\
        fault: stack overflow in thread 'a' at address 0x20000078\n  on processor 2\n\
        \x20 sp   0x20000080\n  cfsr 0x00000092\n  pc   unknown\n";

    #[test]
    fn a_report_is_found_and_its_registers_read() {
        let report = report(CONSOLE).unwrap();
        assert!(report.starts_with("fault: stack overflow"), "{report}");
        let registers: Vec<_> = report.lines().filter_map(register).collect();
        assert_eq!(registers, [("sp", 0x2000_0080), ("cfsr", 0x92)]);
        assert_eq!(super::report("it is no fault: \n"), None);
    }

    #[test]
    fn a_bad_end_says_what_the_report_says() {
        let image = Path::new("/no/image");
        let failed = Failed::of("a on b", (70, CONSOLE), image).unwrap();
        assert_eq!(
            failed.cause,
            "a on b ended with status 70: fault: stack overflow in thread 'a' at address 0x20000078"
        );
        let [line] = &failed.explained[..] else {
            panic!("{failed:?}")
        };
        assert!(
            line.starts_with("cfsr ") && line.contains("MSTKERR"),
            "{line}"
        );
        assert_eq!(Failed::of("a", (0, CONSOLE), image), None);
        let silent = Failed::of("a", (1, ""), image).unwrap();
        assert_eq!(silent.cause, "a ended with status 1");
    }

    #[test]
    fn functions_and_lines_are_those_of_the_image() {
        // This test's own.
        let elf = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let code = Code::of(object::File::parse(elf.as_slice()).unwrap());
        let own = |name: &&(u64, u64, &str)| name.2.contains("in_its_crate");
        let (begin, ..) = code.functions.iter().find(own).unwrap();
        let named = code.named(*begin, false).unwrap();
        assert!(named.contains("fault::in_its_crate"), "{named}");
        // A call's return address is after the call.
        let returned = code.named(begin + 1, true).unwrap();
        assert_eq!(returned, named);
        assert_eq!(code.named(0, true), None);
    }

    #[test]
    fn a_file_is_named_from_its_crate_on() {
        for (file, shown) in [
            ("/home/me/blinky/src/main.rs", "blinky/src/main.rs"),
            ("src/main.rs", "src/main.rs"),
            ("/rustc/library/start.S", "/rustc/library/start.S"),
        ] {
            assert_eq!(in_its_crate(file), shown, "{file}");
        }
    }
}
