//! Owns: the command for each kind of file: experiments, task sets and machines with guests are
//! TOML, all three. Must never know: the contents of a file, beyond the signs of its kind; the kind
//! of a broken file is determined, too.

use std::io::Read;
use std::path::Path;

use crate::failure::Failure;
use crate::image;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A question, for `taktos run`.
    Experiment,
    /// Tasks, or guests with tasks, for `taktos sim`.
    TaskSet,
    /// Guests with images, for `taktos vm`.
    Machine,
}

impl Kind {
    /// Returns the kind of the text, if it can be determined.
    pub fn of(text: &str) -> Option<Self> {
        let lines = || text.lines().map(str::trim);
        let head = |name: &str| lines().any(|line| line.starts_with(name));
        let first_head = lines().position(|line| line.starts_with('['));
        let top = first_head.unwrap_or(usize::MAX);
        let key =
            |name: &str, until: usize| lines().take(until).any(|line| key_of(line) == Some(name));
        if head("[machine]") || (head("[[partition]]") && key("image", usize::MAX)) {
            Some(Self::Machine)
        } else if key("program", top) || key("kind", top) || head("[[figure]]") {
            Some(Self::Experiment)
        } else if head("[[task]]") || head("[[partition]]") {
            Some(Self::TaskSet)
        } else {
            None
        }
    }

    /// The words for one, and the command that it is for.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Experiment => ("an experiment", "run"),
            Self::TaskSet => ("a task set", "sim"),
            Self::Machine => ("a machine with guests", "vm run"),
        }
    }

    /// The error that a file is for another command.
    pub fn elsewhere(self, path: &Path) -> anyhow::Error {
        let (what, command) = self.words();
        let path = path.display();
        Failure::error(
            format!("{path} is {what}, which is for another command"),
            format!("taktos {command} {path}"),
        )
    }
}

/// The key of a line that gives one.
fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    Some(key.trim().trim_matches('"'))
}

/// Refuses a file that can be read and is clearly of another kind than the command is for.
///
/// # Errors
/// Names the command that the file is for.
pub fn expect(kind: Kind, path: &Path) -> anyhow::Result<()> {
    if image::is_elf(path) {
        let path = path.display();
        return Err(Failure::error(
            format!("{path} is an image, which is for another command"),
            format!("taktos run {path}"),
        ));
    }
    // A file that cannot be read is for the command itself to report.
    let Ok(text) = std::fs::read_to_string(path) else {
        return Ok(());
    };
    let toml = path.extension().is_none_or(|ending| ending == "toml");
    match Kind::of(&text).filter(|_| toml) {
        Some(other) if other != kind => Err(other.elsewhere(path)),
        _ => Ok(()),
    }
}

/// Returns the error of a file that is to be run and is no image: its kind, as far as its beginning
/// shows it.
#[must_use]
pub fn no_image(path: &Path) -> anyhow::Error {
    const OWN: &str = "name an image, a recording of taktos (trace.schedule), or a program of the board by its name alone";
    let shown = path.display();
    if !path.exists() {
        return Failure::error(format!("there is no file {shown}"), OWN);
    }
    let mut begin = Vec::new();
    let file = std::fs::File::open(path).map(|file| file.take(BEGINNING));
    // A file that cannot be read has no beginning, and so no kind.
    let _ = file.and_then(|mut file| file.read_to_end(&mut begin));
    if let Some(kind) = std::str::from_utf8(&begin).ok().and_then(Kind::of) {
        return kind.elsewhere(path);
    }
    let (what, hint) = match path.is_dir() {
        true if path.join("metadata").is_file() => (COMMON_FORMAT, BABELTRACE),
        true => ("a folder", OWN),
        false => foreign(&begin).unwrap_or(("no image", OWN)),
    };
    Failure::error(format!("{shown} is {what}"), hint)
}

/// Bytes of a file that determine its kind.
const BEGINNING: u64 = 1 << 16;
const COMMON_FORMAT: &str =
    "a trace in the Common Trace Format, which taktos writes and reads in no form";
const BABELTRACE: &str = "Trace Compass and babeltrace show it; taktos trace reads its own recordings, trace.schedule of a result";
const PERFETTO: &str = "ui.perfetto.dev shows it; taktos trace reads its own recordings, the trace.schedule that lies beside a trace.pftrace of its own";

/// Returns the name of another system's trace that begins so, and the hint on programs that show
/// it.
fn foreign(begin: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = begin.trim_ascii_start();
    let is = |magic: &[u8]| begin.starts_with(magic);
    if is(b"\x17\x08\x44tracing") || text.starts_with(b"# tracer:") {
        Some(("a trace of Linux's ftrace", PERFETTO))
    } else if is(&0xC1FC_1FC1_u32.to_le_bytes()) || is(&0xC1FC_1FC1_u32.to_be_bytes()) {
        Some((COMMON_FORMAT, BABELTRACE))
    } else if text.starts_with(b"{") || text.starts_with(b"[") {
        Some(("a trace in JSON, or other JSON", PERFETTO))
    } else if is_packets(begin) {
        Some(("a trace of Perfetto", PERFETTO))
    } else {
        None
    }
}

/// Returns whether the first bytes are Perfetto's: field 1, a message, and after it another one, or
/// the end.
fn is_packets(begin: &[u8]) -> bool {
    const PACKET: u8 = 1 << 3 | 2;
    let Some((&PACKET, rest)) = begin.split_first() else {
        return false;
    };
    let digits = rest.iter().take_while(|byte| **byte >= 0x80).count();
    let Some(coded) = rest.get(..=digits).filter(|coded| coded.len() <= 4) else {
        return false;
    };
    let size = coded
        .iter()
        .rev()
        .fold(0, |size, byte| size << 7 | usize::from(byte & 0x7F));
    let next = rest.get(coded.len() + size..);
    size > 0 && next.is_some_and(|next| next.first().is_none_or(|byte| *byte == PACKET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_others_are_named_as_what_they_are() {
        let perfetto = [0x0A, 0x03, 1, 2, 3, 0x0A, 0x00];
        for (begin, what) in [
            (&b"# tracer: nop\n#\n"[..], "ftrace"),
            (b"\x17\x08\x44tracing6\0", "ftrace"),
            (&[0xC1, 0x1F, 0xFC, 0xC1, 0], "Common Trace Format"),
            (b"{\"traceEvents\":[]}", "JSON"),
            (&perfetto, "Perfetto"),
        ] {
            let found = foreign(begin).map(|(found, _)| found);
            assert!(found.is_some_and(|found| found.contains(what)), "{found:?}");
        }
        for begin in [&b""[..], b"\n", b"\x0A", b"\x0A\x05ab", b"text"] {
            assert_eq!(foreign(begin), None, "{begin:?}");
        }
        let error = no_image(Path::new("./no/such.elf")).to_string();
        assert_eq!(error, "there is no file ./no/such.elf");
        let folder = no_image(Path::new(".")).to_string();
        assert_eq!(folder, ". is a folder");
    }

    #[test]
    fn files_are_told_apart_even_if_they_are_broken() {
        for (text, kind) in [
            (
                "program = 'ipc'\n[[figure]]\nkind = 'tail'\n",
                Some(Kind::Experiment),
            ),
            (
                "kind = \"smp\"\ntasks = 'onboard.toml'\n",
                Some(Kind::Experiment),
            ),
            ("[[figure]]\n", Some(Kind::Experiment)),
            (
                "title = 'a program = of tasks'\n[[task]]\nname = 'a'\n",
                Some(Kind::TaskSet),
            ),
            (
                "[[partition]]\nname = 'a'\n[[partition.task]]\n",
                Some(Kind::TaskSet),
            ),
            (
                "[[partition]]\nname = 'a'\nimage = 'taktos:x'\n",
                Some(Kind::Machine),
            ),
            ("[machine]\ncpus = \n", Some(Kind::Machine)),
            ("title = 'a'\n", None),
            ("<simulation/>", None),
        ] {
            assert_eq!(Kind::of(text), kind, "{text}");
        }
    }
}
