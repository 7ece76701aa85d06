//! Output of the measured guest, as latencies.
//!
//! Owns: the choice of compared figures. Must never know: the machine of the guest, the other
//! guests on the console.

use anyhow::{Context, Result};
use taktos_linux::{Cyclictest, Thread};
use taktos_runner::failure::Failure;

use super::UNIT;
use super::case::Guest;
use crate::response::{Distribution, sets};

/// The program's own name of what it does.
const WORKLOAD: &str = "latency";

/// The latencies that the measured guest printed, in its own lines; in nanoseconds.
///
/// # Errors
/// When a line is missing or broken, or the guest failed.
pub fn measured(console: &str, guest: Guest) -> Result<Distribution> {
    match guest {
        Guest::Linux => of_linux(console),
        Guest::Taktos => of_taktos(console),
    }
}

/// All of cyclictest's threads together, in whole microseconds, in which it counts.
fn of_linux(console: &str) -> Result<Distribution> {
    let test = Cyclictest::read(console.lines())
        .map_err(|error| Failure::error(error.to_string(), error.hint()))?;
    let threads = test.threads.iter().map(of_thread);
    let threads = threads.collect::<Result<Vec<_>>>()?;
    Distribution::together(threads.iter()).context("cyclictest has no thread, or too many samples")
}

/// A thread's latencies, after its own figures were compared with its histogram.
fn of_thread(thread: &Thread) -> Result<Distribution> {
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
        .map(|bin| (u64::from(bin.latency) * UNIT, bin.count))
        .collect();
    let own = Distribution::of(counts)
        .ok_or_else(|| wrong("its histogram is empty or does not ascend".into()))?;
    // Both are cut off to whole units, as cyclictest does.
    let avg = own.whole(UNIT).sum() / u128::from(own.samples());
    let avg = u64::try_from(avg).unwrap_or(u64::MAX);
    let said = [
        ("Min", thread.min, own.min() / UNIT),
        ("Avg", thread.avg, avg),
        ("Max", thread.max, own.max() / UNIT),
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

fn of_taktos(console: &str) -> Result<Distribution> {
    let sets = sets(console, WORKLOAD)?;
    let [set] = sets.as_slice() else {
        let cause = format!("the guest printed {} sets, not one", sets.len());
        return Err(Failure::error(
            cause,
            "one thread of one processor is measured: see its words",
        ));
    };
    Ok(set.times.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response::tests::{console, printed};

    /// Output of Linux.
    const LINUX: &str = "\
[    0.000000] Booting Linux on physical CPU 0x0000000000\r
taktos: cyclictest begins\r
# /dev/cpu_dma_latency set to 0us\r
# Histogram\r
000004 000098\r
000005 000001\r
000012 000001\r
# Total: 000000100\r
# Min Latencies: 00004\r
# Avg Latencies: 00004\r
# Max Latencies: 00012\r
# Histogram Overflows: 00000\r
# Histogram Overflow at cycle number:\r
# Thread 0:\r
\r
taktos: cyclictest ends 0\r
";

    #[test]
    fn latencies_are_read() {
        let latency = measured(LINUX, Guest::Linux).unwrap();
        assert_eq!(latency.counts(), [(4_000, 98), (5_000, 1), (12_000, 1)]);
        let all = [printed("latency", (0, 0), &[(752, 9), (1_504, 1)])];
        let taktos = measured(&console("latency", &all), Guest::Taktos).unwrap();
        assert_eq!(taktos.whole(UNIT).counts(), [(0, 9), (1, 1)]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (from, to, words) in [
            ("cyclictest begins", "cyclictest began", "did not begin"),
            ("cyclictest ends 0", "cyclictest stops", "did not end"),
            ("ends 0", "ends 1", "status 1"),
            (
                "000005 000001",
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
            let error = measured(&text, Guest::Linux).unwrap_err().to_string();
            assert!(error.contains(words), "{from}: {error}");
        }
        assert!(measured("", Guest::Taktos).is_err());
        let two = [
            printed("latency", (0, 0), &[(1, 1)]),
            printed("latency", (1, 1), &[(1, 1)]),
        ];
        let error = measured(&console("latency", &two), Guest::Taktos).unwrap_err();
        assert!(error.to_string().contains("2 sets"), "{error}");
    }
}
