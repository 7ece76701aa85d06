//! The header `taktos.h`, written from the files that define its functions (`user/c/src/native`),
//! and checked against them.
//!
//! Owns: how a function, a kind of objects and a constant of these files look in C. Must never
//! know: what they do.

use std::fmt::Write as _;
use std::fs;

use anyhow::{Context, Result, bail, ensure};
use taktos_abi::Error;
use taktos_runner::workspace::Workspace;

/// Where the functions are defined, and what the header is written from besides.
const FOLDER: &str = "user/c/src/native";
const HEADER: &str = "user/c/include/taktos.h";
const FRAME: &str = include_str!("header/taktos.h");
/// Where in the frame they come.
const PLACE: &str = "/* (functions) */\n";
const ERRORS: &str = "/* (errors) */\n";

/// The files, in the header's order, each with what its constants begin with.
const FILES: [(&str, &str); 17] = [
    ("thread", "THREAD"),
    ("time", "TIME"),
    ("semaphore", "SEMAPHORE"),
    ("mutex", "MUTEX"),
    ("condition", "CONDITION"),
    ("events", "EVENTS"),
    ("notification", "NOTIFY"),
    ("queue", "QUEUE"),
    ("mailbox", "MAILBOX"),
    ("fifo", "FIFO"),
    ("pipe", "PIPE"),
    ("pool", "POOL"),
    ("poll", "POLL"),
    ("message", "MESSAGE"),
    ("period", "PERIOD"),
    ("alarm", "ALARM"),
    ("work", "WORK"),
];

/// The kernel's errors, by the names that they have in C.
const NUMBERS: [(Error, &str); 15] = [
    (Error::Timeout, "TIMEOUT"),
    (Error::WouldBlock, "WOULD_BLOCK"),
    (Error::Deleted, "DELETED"),
    (Error::Context, "CONTEXT"),
    (Error::Parameter, "PARAMETER"),
    (Error::State, "STATE"),
    (Error::NotOwner, "NOT_OWNER"),
    (Error::Deadlock, "DEADLOCK"),
    (Error::Ceiling, "CEILING"),
    (Error::Limit, "LIMIT"),
    (Error::NoMemory, "NO_MEMORY"),
    (Error::InUse, "IN_USE"),
    (Error::Cancelled, "CANCELLED"),
    (Error::OwnerDied, "OWNER_DIED"),
    (Error::NotRecoverable, "NOT_RECOVERABLE"),
];

/// Writes the header again.
pub(crate) fn write(workspace: &Workspace) -> Result<String> {
    fs::write(workspace.path(HEADER), header(workspace)?)
        .context("the header cannot be written")?;
    Ok(format!("{HEADER} is written"))
}

/// Whether the header is what it would be written as.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let found = fs::read_to_string(workspace.path(HEADER))?;
    ensure!(
        found == header(workspace)?,
        "{HEADER} is not what {FOLDER} says: cargo xtask header"
    );
    Ok(())
}

fn header(workspace: &Workspace) -> Result<String> {
    let mut functions = String::new();
    for (name, prefix) in FILES {
        let path = workspace.path(FOLDER).join(name).with_extension("rs");
        let text = fs::read_to_string(&path).with_context(|| format!("no file {name}"))?;
        functions += &section(&text, prefix).with_context(|| format!("in {FOLDER}/{name}.rs"))?;
    }
    let mut errors = String::new();
    for (error, name) in NUMBERS {
        let number = error as u8;
        writeln!(
            errors,
            "#define TAKTOS_ERROR_{name} (-{number}) /* {error} */"
        )?;
    }
    Ok(FRAME.replace(ERRORS, &errors).replace(PLACE, &functions))
}

/// Returns the section of the header for a file.
fn section(text: &str, prefix: &str) -> Result<String> {
    let title = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("//! "))
        .context("a file says what it is")?;
    let mut out = format!("/* {title} */\n\n");
    let kinds: Vec<_> = text.lines().filter_map(kind).collect();
    for (_, name, words) in &kinds {
        writeln!(
            out,
            "typedef struct {{ uintptr_t words[{words}]; }} __attribute__((aligned(8))) {name};"
        )?;
    }
    let constants: Vec<_> = text.lines().filter_map(constant).collect();
    for (name, value) in &constants {
        writeln!(out, "#define TAKTOS_{prefix}_{name} {value}")?;
    }
    if !kinds.is_empty() || !constants.is_empty() {
        out.push('\n');
    }
    let mut said = Vec::new();
    for line in text.lines() {
        if let Some(words) = line.strip_prefix("    /// ") {
            said.push(words);
        } else if let Some(declared) = line.strip_prefix("    fn taktos_") {
            out += &function(&said.join(" "), declared, &kinds)?;
            said.clear();
        } else {
            said.clear();
        }
    }
    Ok(out)
}

/// `kind!(Object as taktos_semaphore_t, b"nsem", 8);`
fn kind(line: &str) -> Option<(&str, &str, &str)> {
    let (of, rest) = line.strip_prefix("kind!(")?.split_once(" as ")?;
    let (name, rest) = rest.split_once(", ")?;
    let (_, words) = rest.strip_suffix(");")?.split_once(", ")?;
    Some((of, name, words))
}

/// `const ALL: u32 = 1;`, where the value is a number.
fn constant(line: &str) -> Option<(&str, &str)> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let (name, rest) = line.strip_prefix("const ")?.split_once(": ")?;
    let (_, value) = rest.strip_suffix(';')?.split_once(" = ")?;
    value.parse::<u32>().ok().map(|_| (name, value))
}

/// A function: what is said of it, and how it is declared.
fn function(said: &str, declared: &str, kinds: &[(&str, &str, &str)]) -> Result<String> {
    let (name, rest) = declared.split_once('(').context("a name")?;
    let (arguments, rest) = rest.rsplit_once(')').context("arguments")?;
    let result = match rest.trim().strip_suffix('{').map(str::trim) {
        Some("") => "void ".to_owned(),
        Some(result) => c_type(result.strip_prefix("-> ").context("a result")?, "", kinds)?,
        None => bail!("taktos_{name} is more than a line"),
    };
    let mut declarations = Vec::new();
    for argument in arguments
        .split(", ")
        .filter(|argument| !argument.is_empty())
    {
        let (name, of) = argument.split_once(": ").context("an argument")?;
        declarations.push(c_type(of, name, kinds)?);
    }
    let arguments = match declarations.is_empty() {
        true => "void".to_owned(),
        false => declarations.join(", "),
    };
    let said = said.replace('`', "");
    Ok(format!(
        "/* {said} */\n{result}taktos_{name}({arguments});\n\n"
    ))
}

/// A declaration in C.
fn c_type(of: &str, name: &str, kinds: &[(&str, &str, &str)]) -> Result<String> {
    if let Some(object) = of.strip_prefix("At<").and_then(|of| of.strip_suffix('>')) {
        let known = kinds.iter().find(|(kind, _, _)| *kind == object);
        let c_name = match (known, object) {
            (Some((_, c_name, _)), _) => c_name,
            (None, "MutexObject") => "taktos_mutex_t",
            _ => bail!("{object} is no kind of objects"),
        };
        return Ok(format!("{c_name} *{name}"));
    }
    let before = match of {
        "Code" => "int32_t ",
        "Time" => "taktos_time_t ",
        "Thread" => "taktos_thread_t ",
        "Word" => "uintptr_t ",
        "Option<Function>" | "Option<Entry>" => "taktos_function_t ",
        "u8" => "uint8_t ",
        "u32" => "uint32_t ",
        "u64" => "uint64_t ",
        "i64" => "int64_t ",
        "usize" => "size_t ",
        "isize" => "ptrdiff_t ",
        "*const c_char" => "const char *",
        "*const c_void" => "const void *",
        "*mut c_void" => "void *",
        "*mut *mut c_void" => "void **",
        "*mut u8" => "uint8_t *",
        "*mut u32" => "uint32_t *",
        "*mut Word" => "uintptr_t *",
        "*mut Thread" => "taktos_thread_t *",
        "*mut Letter" => "taktos_received_t *",
        "*mut Event" => "taktos_poll_t *",
        "*mut [Word; 2]" => return Ok(format!("uintptr_t {name}[2]")),
        _ => bail!("{of} has no type in C"),
    };
    Ok(format!("{before}{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_comes_with_what_is_said_of_it() {
        let file = "//! Gates.\nkind!(Gate as taktos_gate_t, b\"gate\", 4);\nconst WIDE: u32 = 2;\nnative! {\n    /// Opens `gate`,\n    /// or not.\n    fn taktos_gate_open(gate: At<Gate>, time: Time) -> Code {\n";
        let expected = "/* Gates. */\n\ntypedef struct { uintptr_t words[4]; } __attribute__((aligned(8))) taktos_gate_t;\n#define TAKTOS_GATE_WIDE 2\n\n/* Opens gate, or not. */\nint32_t taktos_gate_open(taktos_gate_t *gate, taktos_time_t time);\n\n";
        assert_eq!(section(file, "GATE").unwrap(), expected);
    }

    #[test]
    fn what_has_no_type_in_c_is_refused() {
        let file = "//! Gates.\n    /// Opens it.\n    fn taktos_open(gate: Vec<u8>) {\n";
        let error = section(file, "GATE").unwrap_err().to_string();
        assert_eq!(error, "Vec<u8> has no type in C");
    }

    #[test]
    fn the_header_is_the_one_that_would_be_written() {
        check(&Workspace::find().unwrap()).unwrap();
    }
}
