//! Runs one image and prints what the clock counted:
//! `cargo run -p taktos-emulator --example count -- BOARD IMAGE [reference]`

use std::path::Path;

use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, image, rest @ ..] = arguments.as_slice() else {
        return Err("usage: count BOARD IMAGE [reference]".into());
    };
    let board = Board::named(board).ok_or("no such board")?;
    let options = Options {
        reference: !rest.is_empty(),
        ..Options::default()
    };
    let run =
        Emulator::find(board)?.record(Path::new(image), &Setting::ONE, &options, &mut |line| {
            println!("{line}")
        });
    let record = run?;
    println!(
        "status {}, {:?}, {:?}",
        record.exit_status,
        record.total(),
        record.exceptions
    );
    let phases = record.processors.iter().flat_map(|total| &total.phases);
    for (name, count) in record.phase_names.iter().zip(phases) {
        println!("  {name}: {count:?}");
    }
    for name in record.interval_names() {
        let instructions = record.statistics(name, |s| s.count.instructions);
        println!(
            "  {name}: {instructions:?} {:?}",
            record.statistics(name, |s| s.count.cycles)
        );
    }
    for switch in &record.switches {
        println!("  {} {:?}", switch.name, switch.total);
    }
    Ok(())
}
