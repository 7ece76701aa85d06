//! Output of the programs on response times: sets of samples, each with its whole histogram.

#[cfg(test)]
mod fuzz;

use anyhow::Result;

use super::Distribution;
use crate::console::{self, Line};

/// One set of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Name of the measurement.
    pub name: String,
    /// The processor of the first thread.
    pub from: u64,
    /// The processor of the second one; equal where there is one or both share it.
    pub to: u64,
    /// The samples.
    pub times: Distribution,
}

/// Reads the sets of a console of the program `workload`.
///
/// # Errors
/// When a line is missing or broken, or a set's own figures do not agree with
/// its histogram: the error names the line.
pub fn sets(console: &str, workload: &str) -> Result<Vec<Set>> {
    let lines = console::lines(console)?;
    let run = lines.iter().find(|line| line.kind == "run");
    let run = run.ok_or_else(|| console::missing("run"))?;
    if run.word("workload")? != workload {
        return Err(run.broken(&format!("but `{workload}` was asked for")));
    }
    if !lines.iter().any(|line| line.kind == "end") {
        return Err(console::missing("end"));
    }
    let mut heads: Vec<(&Line<'_>, Vec<(u64, u64)>)> = Vec::new();
    for line in &lines {
        match (line.kind, heads.last_mut()) {
            ("set", _) => heads.push((line, Vec::new())),
            ("value", Some((_, values))) => {
                values.push((line.number("ns")?, line.number("times")?))
            }
            ("value", None) => return Err(line.broken("before any `@set`")),
            _ => {}
        }
    }
    if heads.is_empty() {
        return Err(console::missing("set"));
    }
    heads
        .into_iter()
        .map(|(line, values)| set(line, values))
        .collect()
}

fn set(line: &Line<'_>, values: Vec<(u64, u64)>) -> Result<Set> {
    let times = Distribution::of(values)
        .ok_or_else(|| line.broken("whose values are none, or do not ascend, or are too many"))?;
    let own = [
        ("samples", times.samples()),
        ("min_ns", times.min()),
        ("max_ns", times.max()),
        ("p99_ns", times.quantile(99, 100)),
    ];
    for (key, counted) in own {
        if line.number(key)? != counted {
            return Err(line.broken(&format!("but its values give `{key}={counted}`")));
        }
    }
    Ok(Set {
        name: line.word("name")?.to_owned(),
        from: line.number("from")?,
        to: line.number("to")?,
        times,
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the output of a program for one set.
    pub fn printed(name: &str, (from, to): (u64, u64), counts: &[(u64, u64)]) -> String {
        let times = Distribution::of(counts.to_vec()).unwrap();
        let place = if from == to { "same" } else { "across" };
        let mut out = format!(
            "@set name={name} where={place} from={from} to={to} samples={} min_ns={} mean_ns={} max_ns={} \
             p50_ns={} p90_ns=0 p99_ns={} p99_9_ns=0 p99_99_ns=0 p99_999_ns=0\r\n",
            times.samples(),
            times.min(),
            times.mean(),
            times.max(),
            times.quantile(1, 2),
            times.quantile(99, 100),
        );
        for (value, count) in counts {
            out.push_str(&format!("@value ns={value} times={count}\r\n"));
        }
        out
    }

    /// A whole console.
    pub fn console(workload: &str, sets: &[String]) -> String {
        format!(
            "@run workload={workload} experiment=all where=all loops=3 interval_ns=1000000\r\n{}@end at_ns=7\r\n",
            sets.concat()
        )
    }

    #[test]
    fn sets_are_read_with_their_histograms() {
        let text = console(
            "mechanisms",
            &[
                printed("semaphore", (0, 0), &[(250, 2), (260, 1)]),
                printed("semaphore", (0, 1), &[(900, 3)]),
            ],
        );
        let sets = sets(&text, "mechanisms").unwrap();
        assert_eq!(sets.len(), 2);
        assert_eq!(
            (sets[0].name.as_str(), sets[0].from, sets[1].to),
            ("semaphore", 0, 1)
        );
        assert_eq!(sets[0].times.counts(), [(250, 2), (260, 1)]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let good = console(
            "mechanisms",
            &[printed("fifo", (0, 1), &[(250, 2), (260, 1)])],
        );
        for (from, to, words) in [
            ("@end", "@edn", "no line `@end`"),
            ("@run", "run", "no line `@run`"),
            ("=mechanisms", "=latency", "but `mechanisms` was asked for"),
            (
                "@set",
                "@sit",
                "line 3 of the console is `@value ns=250 times=2`, before any `@set`",
            ),
            ("@value ns=250 ", "@value ns=270 ", "do not ascend"),
            ("times=2", "times=1", "but its values give `samples=2`"),
            (
                "@value ns=260 ",
                "@value ns=261 ",
                "but its values give `max_ns=261`",
            ),
            ("@value ns=250 ", "@value ns=-5 ", "`ns` is no whole number"),
            ("from=0", "form=0", "which lacks `from`"),
        ] {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            let error = sets(&text, "mechanisms").unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        assert!(sets("@run workload=mechanisms\n@end\n", "mechanisms").is_err());
    }
}
