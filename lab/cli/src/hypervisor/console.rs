//! The console of a machine: which lines are the measured guest's, and what they say.
//!
//! Owns: the hypervisor's marks before lines, and its own lines about a guest's end. Must
//! never know: what a guest prints.

use std::borrow::Cow;

use anyhow::Result;
use taktos_linux::{Cyclictest, Thread};

use super::case::Guest;
use super::configuration::MEASURED;
use super::latency::{Latency, UNIT};
use crate::failure::Failure;
use crate::response::sets;

/// The program's own name of what it does.
const WORKLOAD: &str = "latency";
/// How a line of the hypervisor's own begins.
const HYPERVISOR: &str = "[taktos] ";
/// Why the measured guest stopped, where this line of a console says that it did.
pub fn stopped(line: &str) -> Option<&str> {
    let words = line.trim_end().strip_prefix(HYPERVISOR)?;
    words.strip_prefix(MEASURED)?.strip_prefix(" stopped: ")
}

/// The latencies that the measured guest printed. `marked`: a hypervisor marks each line with
/// its guest.
///
/// # Errors
/// When a line is missing or broken, or the guest failed.
pub fn measured(console: &str, guest: Guest, marked: bool) -> Result<Latency> {
    let own = if marked {
        Cow::Owned(lines_of(console, MEASURED))
    } else {
        Cow::Borrowed(console)
    };
    match guest {
        Guest::Linux => of_linux(&own),
        Guest::Taktos => of_taktos(&own),
    }
}

/// A guest's lines without their mark.
fn lines_of(console: &str, name: &str) -> String {
    let mark = format!("[{name}] ");
    let own = console.lines().filter_map(|line| {
        let line = line.trim_start_matches('\r');
        line.strip_prefix(&mark)
            .or_else(|| (line == mark.trim_end()).then_some(""))
    });
    own.fold(String::new(), |mut all, line| {
        all.push_str(line);
        all.push('\n');
        all
    })
}

/// All of cyclictest's threads together, in whole microseconds, in which it counts.
fn of_linux(console: &str) -> Result<Latency> {
    let test = Cyclictest::read(console.lines())
        .map_err(|error| Failure::error(error.to_string(), error.mend()))?;
    let threads = test.threads.iter().map(of_thread);
    Latency::merged(&threads.collect::<Result<Vec<_>>>()?)
}

/// A thread's latencies, after its own figures were compared with its histogram.
fn of_thread(thread: &Thread) -> Result<Latency> {
    let wrong = |how: String| {
        Failure::error(
            format!("cyclictest's text contradicts itself: {how}"),
            "run the case again; when it is so again, its saved console says who wrote between its lines",
        )
    };
    if thread.overflows > 0 {
        let Thread { overflows, max, .. } = thread;
        return Err(wrong(format!(
            "{overflows} samples lie above its histogram (the greatest is {max} us)"
        )));
    }
    let bins = thread.histogram.iter();
    let counts = bins
        .map(|bin| (u64::from(bin.latency), bin.count))
        .collect();
    let own = Latency::of(UNIT, counts)
        .ok_or_else(|| wrong("its histogram is empty or does not ascend".into()))?;
    let said = [
        ("Min", thread.min, own.min()),
        ("Avg", thread.avg, own.avg()),
        ("Max", thread.max, own.max()),
    ];
    match said
        .into_iter()
        .find(|(_, printed, counted)| printed != counted)
    {
        None => Ok(own),
        Some((name, printed, counted)) => Err(wrong(format!(
            "it says {name} {printed}, and its histogram gives {counted}"
        ))),
    }
}

fn of_taktos(console: &str) -> Result<Latency> {
    let sets = sets(console, WORKLOAD)?;
    let [set] = sets.as_slice() else {
        let cause = format!("the guest printed {} sets, not one", sets.len());
        return Err(Failure::error(
            cause,
            "one thread of one processor is measured: see its words",
        ));
    };
    Latency::of(1, set.times.counts().to_vec())
        .ok_or_else(|| Failure::error("the guest's times cannot be counted", "run the case again"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::tests::{console, printed};

    /// A machine's console, as the hypervisor prints two Linux guests.
    pub const LINUX: &str = "\
[taktos] two partitions\r
[measured] [    0.000000] Booting Linux on physical CPU 0x0000000000\r
[busy] taktos: busy\r
[measured] taktos: cyclictest begins\r
[measured] # /dev/cpu_dma_latency set to 0us\r
[measured] # Histogram\r
[measured] 000004 000098\r
[busy] 000005 000077\r
[measured] 000005 000001\r
[measured] 000012 000001\r
[measured] # Total: 000000100\r
[measured] # Min Latencies: 00004\r
[measured] # Avg Latencies: 00004\r
[measured] # Max Latencies: 00012\r
[measured] # Histogram Overflows: 00000\r
[measured] # Histogram Overflow at cycle number:\r
[measured] # Thread 0:\r
[measured] \r
[measured] taktos: cyclictest ends 0\r
[taktos] measured stopped: off\r
";

    #[test]
    fn the_measured_guests_lines_are_found() {
        let latency = measured(LINUX, Guest::Linux, true).unwrap();
        assert_eq!(latency.counts(), [(4, 98), (5, 1), (12, 1)]);
        let native = LINUX
            .replace("[busy] 000005 000077\r\n", "")
            .replace("[measured] ", "");
        assert_eq!(measured(&native, Guest::Linux, false).unwrap(), latency);
        let all = [printed("latency", (0, 0), &[(752, 9), (1_504, 1)])];
        let text = console("latency", &all).replace("\r\n", "\r\n[measured] ");
        let taktos = measured(&format!("[measured] {text}"), Guest::Taktos, true).unwrap();
        assert_eq!((taktos.min(), taktos.max(), taktos.loops()), (0, 1, 10));
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (from, to, words) in [
            ("cyclictest begins", "cyclictest began", "did not begin"),
            ("cyclictest ends 0", "cyclictest stops", "did not end"),
            ("ends 0", "ends 1", "status 1"),
            (
                "[measured] 000005 000001",
                "[measurid] 000005 000001",
                "counts 99, its total is 100",
            ),
            (
                "Min Latencies: 00004",
                "Min Latencies: 00003",
                "says Min 3, and its histogram gives 4",
            ),
            (
                "Avg Latencies: 00004",
                "Avg Latencies: 00005",
                "says Avg 5, and its histogram gives 4",
            ),
            (
                "Max Latencies: 00012",
                "Max Latencies: 00120",
                "says Max 120, and its histogram gives 12",
            ),
            (
                "Overflows: 00000",
                "Overflows: 00003",
                "3 samples lie above its histogram (the greatest is 12 us)",
            ),
        ] {
            let text = LINUX.replacen(from, to, 1);
            assert_ne!(text, LINUX, "{from}");
            let error = measured(&text, Guest::Linux, true).unwrap_err().to_string();
            assert!(error.contains(words), "{from}: {error}");
        }
        assert!(measured("", Guest::Taktos, true).is_err());
        let two = [
            printed("latency", (0, 0), &[(1, 1)]),
            printed("latency", (1, 1), &[(1, 1)]),
        ];
        let error = measured(&console("latency", &two), Guest::Taktos, false).unwrap_err();
        assert!(error.to_string().contains("2 sets"), "{error}");
    }

    #[test]
    fn the_end_of_the_measured_guest_is_seen() {
        assert_eq!(stopped("[taktos] measured stopped: off\r"), Some("off"));
        assert_eq!(
            stopped("[taktos] measured stopped: fault at 0x40 (syndrome 0x96000050)"),
            Some("fault at 0x40 (syndrome 0x96000050)")
        );
        for other in [
            "[taktos] busy stopped: off",
            "[measured] measured stopped: off",
            "[taktos] measured",
        ] {
            assert_eq!(stopped(other), None, "{other}");
        }
    }
}
