//! The step that runs everything twice, the second time on a host that does much else: the same
//! bytes must come out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use taktos_runner::several;
use taktos_runner::workspace::Workspace;

use super::cargo::{self, tool_built};
use super::disturbed::disturbed;
use super::storms::Length;
use super::{Tally, boards};

/// A name, and what the tool is called with.
pub(super) type Case = (String, Vec<String>);

/// Each result of two runs of the tool itself, file by file.
pub(super) fn same_bytes(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let mut cases: Vec<Case> = Vec::new();
    let papers = match length {
        Length::Short => &["switch"][..],
        Length::Long => &["switch", "ipc"],
    };
    for &paper in papers {
        cases.push((paper.into(), vec!["reproduce".into(), paper.into()]));
    }
    for board in boards::of_architectures(length) {
        let arguments = ["bench", "--board", board.name()]
            .map(str::to_owned)
            .to_vec();
        cases.push((format!("bench-{}", board.name()), arguments));
    }
    let tasks = quick_tasks(workspace)?;
    for board in several::Board::thorough() {
        let words = |words: &[&str]| {
            let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            words.extend(["--board".to_owned(), board.name.to_owned()]);
            words
        };
        // Small sizes: figures, schedules and traces of each kind.
        let onboard = ["run", tasks.as_str(), "--for", "10ms"];
        cases.push((format!("onboard-{}", board.name), words(&onboard)));
        cases.push((
            format!("latency-{}", board.name),
            words(&["latency", "--loops", "20"]),
        ));
    }
    all.add(twice(workspace, &cases)?);
    Ok(all)
}

/// Writes the tasks of the spacecraft with a tenth of their times. Returns the file's path.
fn quick_tasks(workspace: &Workspace) -> Result<String> {
    let tasks = std::fs::read_to_string(workspace.root().join("experiments/onboard.toml"))?;
    let folder = workspace.target().join("taktos-test");
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("onboard.toml");
    std::fs::write(&file, tasks.replace(" ms\"", "00 us\""))?;
    Ok(file.display().to_string())
}

/// Where the result of a run of that name goes.
pub(super) fn place(workspace: &Workspace, name: &str, run: u32) -> PathBuf {
    let all = workspace.target().join("taktos-test");
    all.join(format!("{name}-{run}"))
}

/// Runs the tool twice for each case, all at once and disturbed the second time, and compares all
/// that it wrote and printed.
pub(super) fn twice(workspace: &Workspace, cases: &[Case]) -> Result<Tally> {
    let run = |(name, arguments): &Case| tool(workspace, arguments, &place(workspace, name, 1));
    let printed: Vec<String> = cases.iter().map(run).collect::<Result<_>>()?;
    let again = |(name, arguments): &Case| call(workspace, arguments, &place(workspace, name, 2));
    let outputs = disturbed(cases.iter().map(again).collect())?;
    let mut all = Tally::default();
    for (((name, arguments), first), output) in cases.iter().zip(printed).zip(outputs) {
        all.add(same(workspace, name, (first, judged(arguments, output)?))?);
    }
    Ok(all)
}

/// Compares what two runs of a case wrote, and what they printed.
fn same(workspace: &Workspace, name: &str, printed: (String, String)) -> Result<Tally> {
    let [first, second] = [1, 2].map(|run| place(workspace, name, run));
    let (before, after) = (files(&first)?, files(&second)?);
    let mut differing: Vec<String> = before
        .keys()
        .chain(after.keys())
        .filter(|name| before.get(*name) != after.get(*name))
        .map(|file| format!("{name}: two runs differ in {}", file.display()))
        .collect();
    differing.dedup();
    let shown = |text: &str, place: &Path| text.replace(&workspace.shown(place), "");
    if shown(&printed.0, &first) != shown(&printed.1, &second) {
        differing.push(format!("{name}: two runs print different words"));
    }
    let failed = differing.len() as u64;
    let passed = (before.len() as u64 + 1).saturating_sub(failed);
    Ok(Tally {
        passed,
        failed,
        said: differing.join("\n"),
        ..Tally::default()
    })
}

/// Runs the tool, and gives what it printed.
pub(super) fn tool(workspace: &Workspace, arguments: &[String], out: &Path) -> Result<String> {
    let output = call(workspace, arguments, out).output();
    judged(arguments, output.context("the tool does not start")?)
}

fn call(workspace: &Workspace, arguments: &[String], out: &Path) -> Command {
    let mut call = Command::new(cargo::tool(workspace));
    call.args(arguments)
        .arg("--out")
        .arg(out)
        .current_dir(workspace.root());
    call
}

fn judged(arguments: &[String], output: Output) -> Result<String> {
    // A changed count is for another step to say; here only the bytes count.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!(
            "taktos {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// All files below a folder, by their place in it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        let entries = std::fs::read_dir(&current)
            .with_context(|| format!("cannot read {}", current.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let place = path.strip_prefix(folder).unwrap_or(&path).to_owned();
                found.insert(place, std::fs::read(&path)?);
            }
        }
    }
    Ok(found)
}
