//! Owns: the form of cyclictest's output with a histogram, between the two lines by which the
//! script marks it.
//! Must never know: the goal for a figure.

use serde::Serialize;

use crate::Error;

const BEGIN: &str = "taktos: cyclictest begins";
const END: &str = "taktos: cyclictest ends ";

/// How often a latency was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The latency in microseconds.
    pub latency: u32,
    /// How often.
    pub count: u64,
}

/// Result of one thread. Times are in microseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Thread {
    /// Wake-ups.
    pub loops: u64,
    /// The least latency.
    pub min: u64,
    /// The mean, rounded down, as cyclictest prints it.
    pub avg: u64,
    /// The greatest latency.
    pub max: u64,
    /// The histogram, without empty bins.
    pub histogram: Vec<Bin>,
    /// Wake-ups beyond the histogram's end: [`Thread::loops`] counts them too.
    pub overflows: u64,
}

/// Results of all threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cyclictest {
    /// One for each thread, from the first processor.
    pub threads: Vec<Thread>,
}

impl Cyclictest {
    /// Reads it from a console's lines: the first whole output. Lines of others in between (a
    /// kernel's message, another guest's) are passed over; a mark `[name] ` before a line is to
    /// be taken off first.
    ///
    /// # Errors
    /// When there is none, it is not whole, or cyclictest failed.
    pub fn read<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, Error> {
        let mut lines = lines.into_iter().map(str::trim_end);
        let wrong = |why: String| Error::Output(why);
        if !lines.any(|line| line == BEGIN) {
            return Err(wrong("it did not begin".into()));
        }
        let mut sheet = Sheet::default();
        for line in lines {
            if let Some(status) = line.strip_prefix(END) {
                return match status {
                    "0" => sheet.finish().map_err(wrong),
                    _ => Err(wrong(format!("it ended with status {status}"))),
                };
            }
            sheet.take(line);
        }
        Err(wrong("it did not end".into()))
    }
}

/// The columns as they are read: one number a thread in each line.
#[derive(Default)]
struct Sheet {
    bins: Vec<(u32, Vec<u64>)>,
    totals: Vec<u64>,
    min: Vec<u64>,
    avg: Vec<u64>,
    max: Vec<u64>,
    overflows: Vec<u64>,
}

impl Sheet {
    fn take(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("# ") {
            let Some((name, values)) = rest.split_once(": ") else {
                return;
            };
            let column = match name {
                "Total" => &mut self.totals,
                "Min Latencies" => &mut self.min,
                "Avg Latencies" => &mut self.avg,
                "Max Latencies" => &mut self.max,
                "Histogram Overflows" => &mut self.overflows,
                _ => return,
            };
            *column = numbers(values).unwrap_or_default();
        } else if let Some((latency, counts)) = line.split_once(' ') {
            // Six digits each: no other output of a kernel has this form.
            let digits = latency.len() == 6 && latency.bytes().all(|byte| byte.is_ascii_digit());
            if let (true, Ok(latency), Some(counts)) = (digits, latency.parse(), numbers(counts)) {
                self.bins.push((latency, counts));
            }
        }
    }

    fn finish(self) -> Result<Cyclictest, String> {
        let threads = self.totals.len();
        if threads == 0 {
            return Err("it printed no totals".into());
        }
        let columns = [&self.min, &self.avg, &self.max, &self.overflows];
        if columns.iter().any(|column| column.len() != threads) {
            return Err(format!(
                "a line has not one number for each of {threads} threads"
            ));
        }
        let threads = (0..threads).map(|n| self.thread(n));
        Ok(Cyclictest {
            threads: threads.collect::<Result<_, _>>()?,
        })
    }

    fn thread(&self, n: usize) -> Result<Thread, String> {
        let bins = self.bins.iter().filter_map(|(latency, counts)| {
            let count = *counts.get(n)?;
            let latency = *latency;
            (count > 0).then_some(Bin { latency, count })
        });
        let histogram: Vec<Bin> = bins.collect();
        let (inside, overflows) = (self.totals[n], self.overflows[n]);
        let counted: u64 = histogram.iter().map(|bin| bin.count).sum();
        if counted != inside {
            return Err(format!(
                "the histogram of thread {n} counts {counted}, its total is {inside}"
            ));
        }
        Ok(Thread {
            loops: inside + overflows,
            min: self.min[n],
            avg: self.avg[n],
            max: self.max[n],
            histogram,
            overflows,
        })
    }
}

fn numbers(text: &str) -> Option<Vec<u64>> {
    text.split_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Output of a guest with two processors, with an end of the histogram so near that some
    /// samples are beyond it.
    const TWO: &str = "\
taktos: cyclictest begins\r
# /dev/cpu_dma_latency set to 0us\r
# Histogram\r
000000 000000\t000000\r
000006 000039\t000329\r
000009 000001\t000004\r
[    1.069270] a message of the kernel's
000010 000196\t000022\r
000011 000001\t000002\r
# Total: 000000237 000000357\r
# Min Latencies: 00006 00006\r
# Avg Latencies: 00011 00008\r
# Max Latencies: 00047 00024\r
# Histogram Overflows: 00263 00143\r
# Histogram Overflow at cycle number:\r
# Thread 0: 00002 00003 00006 # 00251 others\r
# Thread 1: 00003 00005 00007 # 00131 others\r
\r
taktos: cyclictest ends 0\r
[    2.576232] reboot: Power down\r
";

    fn read(text: &str) -> Result<Cyclictest, String> {
        Cyclictest::read(text.lines()).map_err(|error| error.to_string())
    }

    #[test]
    fn two_threads_are_read() {
        let found = read(TWO).expect("whole");
        assert_eq!(found.threads.len(), 2);
        let first = &found.threads[0];
        assert_eq!((first.loops, first.overflows), (500, 263));
        assert_eq!((first.min, first.avg, first.max), (6, 11, 47));
        let bins: Vec<_> = first
            .histogram
            .iter()
            .map(|bin| (bin.latency, bin.count))
            .collect();
        assert_eq!(bins, [(6, 39), (9, 1), (10, 196), (11, 1)]);
        assert_eq!((found.threads[1].min, found.threads[1].max), (6, 24));
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        let without = |line: &str| {
            let kept = TWO.lines().filter(|found| !found.starts_with(line));
            let text = kept.collect::<Vec<_>>().join("\n");
            read(&text).expect_err(line)
        };
        assert!(without("taktos: cyclictest begins").contains("did not begin"));
        assert!(without("taktos: cyclictest ends").contains("did not end"));
        assert!(without("# Total").contains("no totals"));
        assert!(without("# Max").contains("not one number"));
        assert!(without("000010").contains("counts 41, its total is 237"));
        let failed = TWO.replace("ends 0", "ends 1");
        assert!(read(&failed).expect_err("failed").contains("status 1"));
        let short = TWO.replace("Avg Latencies: 00011 00008", "Avg Latencies: 00011");
        assert!(read(&short).expect_err("short").contains("not one number"));
    }

    proptest! {
        /// A console holds whatever guests write.
        #[test]
        fn any_text_is_taken(lines in proptest::collection::vec("(# )?[A-Z a-z0-9:#\\t]{0,30}", 0..30)) {
            let text = format!("{BEGIN}\n{}\n{END}0\n", lines.join("\n"));
            let _ = read(&text);
        }
    }
}
