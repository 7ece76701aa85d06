//! Owns: what a machine's console says of its partitions, read while it passes.
//! Must never know: where the bytes come from or go to.

use std::collections::BTreeMap;

/// Begin of the hypervisor's own lines.
const OWN: &str = "[taktos] ";
/// The longest line that is read.
const LONGEST: usize = 4096;

/// End of each partition.
#[derive(Debug, Default)]
pub struct Ending {
    line: Vec<u8>,
    partitions: BTreeMap<String, Partition>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Partition {
    lines: u64,
    starts: u64,
    stopped: Option<String>,
    /// Status in the last line of the project's guests: `@exit status=N`.
    status: Option<u64>,
}

impl Ending {
    /// The console of a machine with these partitions.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let of = |name: &str| (name.to_owned(), Partition::default());
        Self {
            line: Vec::new(),
            partitions: names.into_iter().map(of).collect(),
        }
    }

    /// Reads the bytes of the console as they pass.
    pub fn hear(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    self.line_ends(&String::from_utf8_lossy(&line));
                }
                b'\r' => {}
                byte if self.line.len() < LONGEST => self.line.push(*byte),
                _ => {}
            }
        }
    }

    fn line_ends(&mut self, line: &str) {
        if let Some(said) = line.strip_prefix(OWN) {
            self.hypervisor_says(said);
            return;
        }
        let marked = line
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("] "));
        let Some((name, words)) = marked else {
            return;
        };
        if let Some(partition) = self.partitions.get_mut(name) {
            partition.lines += 1;
            let status = words.strip_prefix("@exit status=");
            let status = status.and_then(|status| status.trim().parse().ok());
            partition.status = status.or(partition.status);
        }
    }

    /// `NAME stopped: REASON`, `NAME started again (N)`.
    fn hypervisor_says(&mut self, said: &str) {
        let Some((name, what)) = said.split_once(' ') else {
            return;
        };
        let Some(partition) = self.partitions.get_mut(name) else {
            return;
        };
        if let Some(reason) = what.strip_prefix("stopped: ") {
            partition.stopped = Some(reason.to_owned());
        } else if let Some(times) = restarts(what) {
            partition.starts = times;
            partition.stopped = None;
        }
    }

    /// A line for each partition.
    pub fn shown(&self) -> String {
        let widest = self.partitions.keys().map(String::len).max().unwrap_or(0);
        let mut text = String::new();
        for (name, partition) in &self.partitions {
            let became = match &partition.stopped {
                Some(reason) => format!("stopped: {reason}"),
                None => "was running".to_owned(),
            };
            let again = match partition.starts {
                0 => String::new(),
                times => format!(", started again {times} times"),
            };
            let heard = match partition.lines {
                0 => "nothing was heard of it".to_owned(),
                lines => format!("{lines} lines"),
            };
            let longer = match (partition.lines, &partition.stopped) {
                (0, None) => "; a longer run: --for TIME",
                _ => "",
            };
            text.push_str(&format!(
                "  {name:widest$}  {became}{again}; {heard}{longer}\n"
            ));
        }
        text
    }

    /// The first partition that ended badly, and how: a fault, or a status that is not 0.
    pub fn failure(&self) -> Option<String> {
        let mut bad = self.partitions.iter().filter_map(|(name, partition)| {
            let fault = partition.stopped.as_ref();
            let fault = fault.filter(|reason| reason.starts_with("fault"));
            let fault = fault.map(|reason| format!("{name} stopped: {reason}"));
            let status = partition.status.filter(|status| *status != 0);
            fault.or(status.map(|status| format!("{name} ended with status {status}")))
        });
        bad.next()
    }
}

/// Returns how often a partition has started again, as the hypervisor's message `what` states: not
/// each restart has a message, if there is no end of them.
pub fn restarts(what: &str) -> Option<u64> {
    let times = what.strip_prefix("started again (")?;
    times.trim_end().strip_suffix(')')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(text: &str) -> Ending {
        let mut ending = Ending::of(["a", "linux"]);
        // In pieces, as a pipe hands them over.
        for piece in text.as_bytes().chunks(5) {
            ending.hear(piece);
        }
        ending
    }

    #[test]
    fn what_became_of_each_partition_is_told() {
        let ending = heard(
            "[a] hello\r\n[linux] x\r\n[linux] [a] y\r\n[other] z\r\nplain\r\n\
             [taktos] a stopped: reset\r\n[taktos] a started again (7)\r\n\
             [a] @exit status=0\r\n[taktos] a stopped: off\r\n[taktos] nobody stopped: off\r\n[taktos] b",
        );
        assert_eq!(
            ending.shown(),
            "  a      stopped: off, started again 7 times; 2 lines\n  linux  was running; 2 lines\n"
        );
        assert_eq!(ending.failure(), None);
    }

    #[test]
    fn a_guest_that_said_nothing_is_told() {
        assert_eq!(
            heard("[a] hello\r\n").shown(),
            "  a      was running; 1 lines\n  linux  was running; nothing was heard of it; a longer run: --for TIME\n"
        );
        let ending = heard("[taktos] a stopped: off\r\n[taktos] linux stopped: off\r\n");
        assert!(
            ending
                .shown()
                .starts_with("  a      stopped: off; nothing was heard of it\n")
        );
    }

    #[test]
    fn a_bad_end_is_found() {
        let ending = heard("[taktos] linux stopped: fault at 0x10 (syndrome 0x2)\n");
        let said = ending.failure().unwrap();
        assert_eq!(said, "linux stopped: fault at 0x10 (syndrome 0x2)");
        let ending = heard("[a] @exit status=1\n[taktos] a stopped: off\n");
        assert_eq!(ending.failure().unwrap(), "a ended with status 1");
    }

    #[test]
    fn a_line_without_end_is_not_kept() {
        let mut ending = Ending::of(["a"]);
        ending.hear(&vec![b'x'; 3 * LONGEST]);
        assert_eq!(ending.line.len(), LONGEST);
    }
}
