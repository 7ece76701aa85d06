//! The addresses that execution passes between the two ends of a mark.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use object::{Object, ObjectSymbol};
use taktos_cycles::Mark;
use taktos_emulator::process::Process;
use taktos_emulator::{Board, Edge};

use super::remote::Remote;

/// The addresses of one walk through an interval, in their order.
pub(super) type Passage = Vec<u32>;

/// The most addresses of a walk: a longer one is no operation of a kernel.
const LONGEST: usize = 100_000;

/// Where the marks are: at each address, what begins and what ends.
type Places = BTreeMap<u32, Vec<(Edge, String)>>;

/// Runs the image under the emulator's own debugger stub, and steps through each mark's first
/// intervals. While it steps, no interrupt comes.
pub(super) fn walk(
    board: Board,
    image: &Path,
    elf: &object::File<'_>,
    marks: &[String],
    passages: usize,
) -> Result<BTreeMap<String, Vec<Passage>>> {
    let places = places(elf, marks);
    let folder = std::env::temp_dir().join(format!("taktos-walk-{}", std::process::id()));
    std::fs::create_dir_all(&folder).context("cannot write to the folder for temporary files")?;
    let socket = folder.join("debugger");
    let emulator = halted(board, image, &socket)?;
    let walked = Remote::connect(&socket).and_then(|mut remote| {
        let mut walker = Walker {
            remote: &mut remote,
            places: &places,
            found: BTreeMap::new(),
        };
        for _ in 0..passages {
            walker.passage()?;
        }
        Ok(walker.found)
    });
    drop(emulator);
    let _ = std::fs::remove_dir_all(&folder);
    walked.context("the analysis of the marked intervals")
}

/// The emulator, halted before its first instruction.
fn halted(board: Board, image: &Path, socket: &Path) -> Result<Process> {
    let mut command = Command::new("qemu-system-arm");
    command
        .args(board.arguments())
        .arg("-S")
        .arg("-chardev")
        .arg(format!(
            "socket,id=debugger,path={},server=on,wait=off",
            socket.display()
        ))
        .args(["-gdb", "chardev:debugger"])
        .arg("-kernel")
        .arg(image);
    Process::unheard(command).map_err(taktos_runner::emulator::failure)
}

fn places(elf: &object::File<'_>, marks: &[String]) -> Places {
    let mut places = Places::new();
    for symbol in elf.symbols() {
        let Some(mark) = symbol.name().ok().and_then(Mark::parse) else {
            continue;
        };
        let Ok(address) = u32::try_from(symbol.address()) else {
            continue;
        };
        if marks.contains(&mark.name) {
            places
                .entry(address)
                .or_default()
                .push((mark.edge, mark.name));
        }
    }
    // An interval that ends where another begins ends first.
    places.values_mut().for_each(|edges| edges.sort());
    places
}

struct Walker<'a> {
    remote: &'a mut Remote,
    places: &'a Places,
    found: BTreeMap<String, Vec<Passage>>,
}

impl Walker<'_> {
    /// Runs to the next begin of an interval and steps until all that began
    /// have ended.
    fn passage(&mut self) -> Result<()> {
        let begins: BTreeSet<u32> = self
            .places
            .iter()
            .filter(|(_, edges)| edges.iter().any(|(edge, _)| *edge == Edge::Begin))
            .map(|(address, _)| *address)
            .collect();
        let mut address = self.remote.run_to(&begins)?;
        let mut open: BTreeMap<String, Passage> = BTreeMap::new();
        for _ in 0..LONGEST {
            for (edge, name) in self.places.get(&address).into_iter().flatten() {
                match edge {
                    Edge::Begin => {
                        open.insert(name.clone(), Passage::new());
                    }
                    Edge::End => {
                        if let Some(passage) = open.remove(name) {
                            self.found.entry(name.clone()).or_default().push(passage);
                        }
                    }
                    Edge::Point => {}
                }
            }
            if open.is_empty() {
                return Ok(());
            }
            open.values_mut().for_each(|passage| passage.push(address));
            address = self.remote.step()?;
        }
        bail!("an interval did not end within {LONGEST} instructions")
    }
}
