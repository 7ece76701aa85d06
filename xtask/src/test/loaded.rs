//! The step on programs that partitions load. They run, each life begins as the first, what they
//! must not do is a fault, and an image that is wrong is refused. Processors that fetch for
//! themselves do so again before they begin a life. The tool counts the programs if they are named.
//!
//! Owns: the checks from outside. Must never know: what the two programs do.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::Object;
use serde_json::Value;
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Mark, Options, Passing, Record, Watch};
use taktos_runner::emulator;
use taktos_runner::image::{cargo, output_of};
use taktos_runner::several::{Board as Several, QUANTUM};
use taktos_runner::workspace::Workspace;

use super::cargo::{tool, tool_built};
use super::repeat::place;
use super::storms::Length;
use super::{Tally, boards};

/// The program that loads another one, and the other one.
const LOADER: &str = "pump-demo";
const LOADED: &str = "pump";
/// Last line of the loader, how many lives it gives the loaded program, and how many threads that
/// has in each.
const PASSED: &str = "all passed\n";
const LIVES: usize = 100;
const THREADS: usize = 4;
/// The point that a processor passes when it fetches again, and the name by which the program's
/// beginning is marked.
const FETCHES: &str = "fetch-anew";
/// The targets with processors that each fetch for themselves.
const FETCHES_ITSELF: &str = "riscv64";
const BEGINS: &str = "begins";

/// A loader that is built, and its program with all names.
struct Built {
    image: PathBuf,
    program: PathBuf,
}

/// Builds it for each board, and runs it; checks it from outside on one of one processor and on one
/// of several.
pub(super) fn programs(workspace: &Workspace, length: Length) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    for board in all_boards(length) {
        let built = build(workspace, board)?;
        all.add(match runs(board, &built)? {
            Ok(()) => Tally::pass(),
            Err(why) => Tally::fail(why),
        });
        if board == Several::from(Board::MPS2_AN386) {
            all.add(is_counted(workspace, &built)?);
        }
        if board.processors > 1 && board.machine.triple().starts_with(FETCHES_ITSELF) {
            all.add(fetches_anew(board, &built)?);
        }
    }
    Ok(all)
}

/// One of each architecture, and those with several processors; in long runs all.
fn all_boards(length: Length) -> impl Iterator<Item = Several> {
    let ones = boards::of_architectures(length).into_iter();
    ones.map(Several::from).chain(boards::of_four(length))
}

fn build(workspace: &Workspace, board: Several) -> Result<Built> {
    let (name, triple) = (board.name, board.machine.triple());
    let output = output_of(
        cargo(workspace)
            .args(["build", "--quiet", "--release", "--package", LOADER])
            .args(["--features", name, "--target", triple])
            .args(["--message-format", "json-render-diagnostics"]),
    )?;
    ensure!(
        output.status.success(),
        "{LOADER} for {name}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    // The one next to the image may be that of another board of the triple.
    let said = String::from_utf8_lossy(&output.stdout);
    let mut scripts = said.lines().filter_map(script_of_loader);
    let folder = scripts
        .next_back()
        .context("cargo tells of no build script")?;
    Ok(Built {
        image: workspace.target().join(triple).join("release").join(LOADER),
        program: Path::new(&folder)
            .join("target")
            .join(triple)
            .join("release")
            .join(LOADED),
    })
}

/// Returns the folder of what the loader's build script has made, if cargo's line reports that.
fn script_of_loader(line: &str) -> Option<String> {
    let message: Value = serde_json::from_str(line).ok()?;
    let is_told = message["reason"] == "build-script-executed";
    let is_of_loader = message["package_id"].as_str()?.contains(LOADER);
    let folder = message["out_dir"].as_str()?;
    (is_told && is_of_loader).then(|| folder.to_owned())
}

/// Runs the image as it is.
fn runs(board: Several, built: &Built) -> Result<Result<(), String>> {
    let setting = Setting::new(board.processors, QUANTUM);
    let emulator = emulator::find(board.machine)?;
    let ended = emulator.run(&built.image, &setting, &Options::default())?;
    let console = ended.console.as_str();
    Ok(match ended.exit_status == 0 && console.ends_with(PASSED) {
        true => Ok(()),
        false => Err(format!("on {}:\n{console}\n", board.name)),
    })
}

/// The tool says what to name where nothing is named, refuses what is not loaded, and counts what
/// is.
fn is_counted(workspace: &Workspace, built: &Built) -> Result<Tally> {
    let image = built.image.to_string_lossy();
    let program = built.program.to_string_lossy();
    let another = tool(workspace);
    let another = another.to_string_lossy();
    let interval = ["--from", "begin", "--to", "pump::act"];
    let counts = [
        &["count", &image, "--with", &program, "--format", "json"],
        &interval[..],
    ]
    .concat();
    let cases: [(&[&str], bool, &str); 4] = [
        (&["run", &image], false, "--with FILE"),
        (
            &["run", &image, "--with", &another],
            false,
            "does not hold its code",
        ),
        (
            &["run", &image, "--with", &program],
            true,
            PASSED.trim_end(),
        ),
        (&counts, true, "\"passages\": 100"),
    ];
    cases
        .into_iter()
        .map(|(words, succeeds, says)| {
            let output = Command::new(tool(workspace))
                .args(words)
                .arg("--out")
                .arg(place(workspace, LOADER, 1))
                .current_dir(workspace.root())
                .output()
                .context("the tool does not start")?;
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            Ok(
                match output.status.success() == succeeds && said.contains(says) {
                    true => Ok(()),
                    false => Err(format!("taktos {}: {said}\n", words.join(" "))),
                },
            )
        })
        .collect()
}

/// Checks several processors that each fetch for themselves: between two lives of the program, each
/// has fetched again before a thread of the next life begins there.
fn fetches_anew(board: Several, built: &Built) -> Result<Tally> {
    let elf = std::fs::read(&built.program)?;
    let entry = object::File::parse(elf.as_slice())?.entry();
    let options = Options {
        loaded: vec![built.program.clone()],
        watch: Watch::marks(vec![(entry, Mark::point(BEGINS))]),
        ..Options::default()
    };
    let setting = Setting::new(board.processors, QUANTUM);
    let emulator = emulator::find(board.machine)?;
    let record = emulator.record(&built.image, &setting, &options, &mut |_| {})?;
    Ok(match stale(&record, board.processors) {
        None => Tally::pass(),
        Some(why) => Tally::fail(format!("on {}: {why}\n", board.name)),
    })
}

/// The first thread that begins where the processor has not fetched since the life before, if there
/// is one.
fn stale(record: &Record, processors: usize) -> Option<String> {
    let is = |passing: &Passing, name: &str| passing.mark.name == name;
    let mut has_fetched = vec![false; processors];
    let mut begun = 0;
    for passing in &record.marks {
        if is(passing, FETCHES) {
            has_fetched[passing.processor] = true;
        } else if is(passing, BEGINS) {
            if !has_fetched[passing.processor] {
                let (life, processor) = (begun / THREADS, passing.processor);
                return Some(format!(
                    "life {life} begins on processor {processor} with the code of the last"
                ));
            }
            begun += 1;
            if begun % THREADS == 0 {
                has_fetched.fill(false);
            }
        }
    }
    (begun != LIVES * THREADS).then(|| format!("{begun} threads have begun"))
}
