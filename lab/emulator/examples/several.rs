//! Runs an image on several processors and prints what each executed, the samples and the ways of
//! each interval, and how often each thread was given a processor:
//! `cargo run -p taktos-emulator --example several -- BOARD IMAGE PROCESSORS QUANTUM [WORD
//! [SEED]]`.

use std::collections::BTreeMap;
use std::path::Path;

use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Options, Record};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, image, processors, quantum, rest @ ..] = arguments.as_slice() else {
        return Err("arguments: BOARD IMAGE PROCESSORS QUANTUM [WORD [SEED]]".into());
    };
    let board = Board::named(board);
    let mut setting = Setting::new(processors.parse()?, quantum.parse()?);
    if let Some(seed) = rest.get(1) {
        setting = setting.hunting(seed.parse()?);
    }
    let options = Options {
        argument: rest.first().cloned(),
        ..Options::default()
    };
    let emulator = Emulator::find(board.ok_or("no such board")?)?;
    let record = emulator.record(Path::new(image), &setting, &options, &mut |_| {})?;
    print(&record);
    Ok(())
}

fn print(record: &Record) {
    println!("{}", record.console.trim_end());
    for (number, total) in record.processors.iter().enumerate() {
        println!("processor {number}: {} ns, {:?}", total.at, total.count);
    }
    for name in record.interval_names() {
        let instructions = record.statistics(name, |s| s.count.instructions);
        println!("{name}: instructions {instructions:?}");
        let spans = record.spans(name);
        let exact = spans.iter().filter(|span| span.error == 0).count();
        let lengths = spans.iter().map(|span| span.nanoseconds);
        let (least, most) = (lengths.clone().min(), lengths.max());
        println!(
            "{name}: {} ways, {exact} exact, ns {least:?} to {most:?}",
            spans.len()
        );
    }
    let mut given: BTreeMap<(usize, &str), u32> = BTreeMap::new();
    for switch in &record.switches {
        *given
            .entry((switch.processor, switch.name.as_str()))
            .or_default() += 1;
    }
    for ((processor, thread), times) in given {
        println!("{thread} on processor {processor}: {times} times");
    }
}
