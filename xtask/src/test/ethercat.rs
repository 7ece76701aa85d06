//! The step on a controller of EtherCAT: on the bare machine and in a guest, without Linux, which
//! would have to be fetched.

use anyhow::{Context, Result};
use serde_json::Value;
use taktos_runner::vm::restarts;
use taktos_runner::workspace::Workspace;

use super::Tally;
use super::cargo::tool_built;
use super::repeat::{place, tool, twice};

/// How many cycles of each case are counted.
const CYCLES: &str = "300";
/// Runs: cases of the experiment by letters of their names, and devices of ESI files.
const RUNS: [(&str, &[&str]); 3] = [
    ("native", &["reproduce", "ethercat", "--only", "native"]),
    (
        "alone-rtds",
        &["reproduce", "ethercat", "--only", "alone-rtds"],
    ),
    (
        "own-devices",
        &["run", "lab/fieldbus/tests/own-devices.toml"],
    ),
];
/// A machine with a controller and a neighbour that restarts without end; how often the neighbour
/// does at least, in the time that the controller needs.
const RESTARTED: &str = "fieldbus/workload/tests/restarted-neighbour.toml";
const RESTARTS: u64 = 100;
/// Counts that the controller and the segment must have there.
const UNHARMED: [&str; 9] = [
    "lost=0",
    "wkc_errors=0",
    "overruns=0",
    "left_op=0",
    "late_answers=0",
    "sync0_missed=0",
    "watchdog=0",
    "in_op=5",
    "counted=1000",
];
/// Figures of earlier runs.
const BASELINE: &str = "experiments/baseline-ethercat.json";
/// Ends of names of times, each with a tick of the board's clock in the time's unit. Times depend
/// on the instruction at which the program starts, which any change of the kernel moves.
const TIMES: [(&str, f64); 4] = [
    ("_min_ns", 16.0),
    ("_avg_ns", 16.0),
    ("_max_ns", 16.0),
    ("_ms", 16e-6),
];
/// By which part of it a time may differ, beside a tick: one in so many.
const PART: f64 = 32.0;

/// Each case gives the same bytes twice, and the figures that are checked in: faults are equal, and
/// times nearly.
pub(super) fn controller(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let baseline = std::fs::read_to_string(workspace.path(BASELINE)).unwrap_or_default();
    let baseline: Value = serde_json::from_str(&baseline).unwrap_or_default();
    let mut found = serde_json::Map::new();
    let name = |case: &str| format!("ethercat-{case}");
    let cases = RUNS.map(|(case, words)| {
        let words = words.iter().chain(&["--loops", CYCLES, "--fresh"]);
        (name(case), words.map(|&word| word.to_owned()).collect())
    });
    all.add(twice(workspace, &cases)?);
    for (case, _) in RUNS {
        let file = place(workspace, &name(case), 1).join("result.json");
        let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let result: Value = serde_json::from_str(&text)?;
        let rows = result["rows"].clone();
        all.add(compared(case, &baseline[case], &rows));
        found.insert(case.to_owned(), rows);
    }
    all.add(beside_restarts(workspace)?);
    if all.failed > 0 {
        let file = workspace.target().join("taktos-test/ethercat.json");
        let mut found = Value::from(found);
        found.sort_all_objects();
        std::fs::write(&file, serde_json::to_string_pretty(&found)? + "\n")?;
        let shown = workspace.shown(&file);
        all.said.push_str(&format!(
            "the figures of this run: {shown}; where they are better, copy them to {BASELINE}"
        ));
    }
    Ok(all)
}

/// A neighbour that is killed and started again costs the controller no cycle.
fn beside_restarts(workspace: &Workspace) -> Result<Tally> {
    let words = ["vm", "run", RESTARTED, "--virtual"].map(str::to_owned);
    let out = place(workspace, "ethercat-restarted", 1);
    let said = tool(workspace, &words, &out)?;
    let mut tally = Tally::default();
    for word in UNHARMED {
        tally.add(match said.split_whitespace().any(|said| said == word) {
            true => Tally::pass(),
            false => Tally::fail(format!("{RESTARTED}: the controller did not say {word}\n")),
        });
    }
    let told = said
        .lines()
        .filter_map(|line| Some(line.split_once("neighbour ")?.1));
    let again = told.filter_map(restarts).max().unwrap_or(0);
    tally.add(match again >= RESTARTS {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{RESTARTED}: {again} restarts, {RESTARTS} expected\n"
        )),
    });
    Ok(tally)
}

/// Compares the rows of a case with those that are checked in.
fn compared(case: &str, before: &Value, after: &Value) -> Tally {
    let rows = |of: &Value| of.as_array().cloned().unwrap_or_default();
    let (before, after) = (rows(before), rows(after));
    let mut tally = match before.len() == after.len() && !after.is_empty() {
        true => Tally::pass(),
        false => Tally::fail(format!(
            "{case}: {} rows, {} are checked in\n",
            after.len(),
            before.len()
        )),
    };
    for (before, after) in before.iter().zip(&after) {
        let differ = |key: &&String| !agree(key, &before[key.as_str()], &after[key.as_str()]);
        let keys = after
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys);
        for key in keys.filter(differ) {
            let (before, after, cycle) = (&before[key], &after[key], &after["cycle_us"]);
            tally.add(Tally::fail(format!(
                "{case}, {cycle} us, {key}: {before} before, {after} now\n"
            )));
        }
    }
    tally
}

/// Tells whether the figure `key` is that which is checked in, or near it if it is a time.
fn agree(key: &str, before: &Value, after: &Value) -> bool {
    let time = TIMES.iter().find(|(end, _)| key.ends_with(end));
    match (time, before.as_f64(), after.as_f64()) {
        (Some((_, tick)), Some(before), Some(after)) => {
            (before - after).abs() <= before.abs() / PART + tick
        }
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::agree;

    #[test]
    fn times_may_differ_by_a_tick_and_a_part() {
        assert!(agree("dc_max_ns", &json!(4), &json!(20)));
        assert!(!agree("dc_max_ns", &json!(4), &json!(21)));
        assert!(agree("late_max_ns", &json!(3200), &json!(3316)));
        assert!(!agree("late_max_ns", &json!(3200), &json!(3317)));
        assert!(!agree("op_ms", &json!(3200.0), &json!("none")));
        assert!(!agree("op_ms", &json!(32.0), &json!(33.1)));
        assert!(!agree("wire_ns", &json!(18_440), &json!(18_441)));
        assert!(!agree("lost", &json!(0), &json!(1)));
    }
}
