//! Owns: reading the table `[machine]`.
//! Must never know: the load of the machine.

use taktos_abi::vm::Description;
use taktos_simulate::file::FileError;
use taktos_simulate::file::reader::{Entry, Table};
use taktos_time::Duration;

use super::text::size_of;
use super::{Machine, Processor};

const PROCESSORS: [(&str, Processor); 2] = [
    (Processor::CortexA53.name(), Processor::CortexA53),
    (Processor::CortexA57.name(), Processor::CortexA57),
];

/// The longest floor of the timer.
const LONGEST_FLOOR: Duration = Duration::from_millis(1);
/// The least memory: the hypervisor's own, and as much again.
const LEAST_MEMORY: u64 = 32 << 20;
/// The most memory: what the emulated machine takes below its high devices.
const MOST_MEMORY: u64 = 8 << 30;

impl Default for Machine {
    fn default() -> Self {
        Self {
            cpus: 1,
            processor: Processor::CortexA53,
            memory: 1 << 30,
            timer_floor: Duration::ZERO,
            quantum: 1000,
            seed: 1,
            emulator: Vec::new(),
        }
    }
}

/// The table `[machine]`; without it, the default.
pub(super) fn read(table: &mut Table<'_>) -> Result<Machine, FileError> {
    match table.get("machine") {
        None => Ok(Machine::default()),
        Some(entry) => machine(entry.table()?),
    }
}

fn machine(mut table: Table<'_>) -> Result<Machine, FileError> {
    let default = Machine::default();
    let whole = |entry: Option<Entry<'_>>, range| entry.map(|entry| entry.whole(range)).transpose();
    let cpus = whole(table.get("cpus"), 1..=Description::CPUS as u64)?;
    let processor = table.get("cpu").map(|entry| entry.choice(&PROCESSORS));
    let memory = table
        .get("memory")
        .map(|entry| memory(&entry))
        .transpose()?;
    let floor = table.time("timer-floor")?;
    if floor.is_some_and(|floor| floor > LONGEST_FLOOR) {
        return Err(table.error(
            "the machine's timer-floor is above 1 ms",
            "give at most 1 ms; Xen has 50 us",
        ));
    }
    let quantum = whole(table.get("quantum"), 1..=1_000_000)?;
    let seed = whole(table.get("seed"), 0..=u64::MAX)?;
    let emulator = match table.get("emulator") {
        Some(entry) => words(&entry)?,
        None => default.emulator,
    };
    let machine = Machine {
        cpus: cpus.map_or(default.cpus, |cpus| cpus as usize),
        processor: processor.transpose()?.unwrap_or(default.processor),
        memory: memory.unwrap_or(default.memory),
        timer_floor: floor.unwrap_or(default.timer_floor),
        quantum: quantum.map_or(default.quantum, |quantum| quantum as u32),
        seed: seed.unwrap_or(default.seed),
        emulator,
    };
    table.finish()?;
    Ok(machine)
}

fn memory(entry: &Entry<'_>) -> Result<u64, FileError> {
    let memory = size_of(entry)?;
    if !memory.is_multiple_of(1 << 20) || !(LEAST_MEMORY..=MOST_MEMORY).contains(&memory) {
        return Err(entry.error(
            "is out of range",
            "give whole MiB, 32 MiB to 8 GiB, such as \"1 GiB\"",
        ));
    }
    Ok(memory)
}

fn words(entry: &Entry<'_>) -> Result<Vec<String>, FileError> {
    let list = entry.list()?;
    let word = |entry: &Entry<'_>| entry.text().map(str::to_owned);
    list.iter().map(word).collect()
}
