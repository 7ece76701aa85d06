//! The clock on two processors: exact counts around device accesses and traps, ways from one
//! processor to another, switches, and the same bytes each time.

#[path = "common/wide.rs"]
mod wide;

use std::time::Duration;

use taktos_emulator::several::{Setting, Time};
use taktos_emulator::{Board, Edge, Error, Hold, Options, Record, Sample, Watch};
use wide::Image;

const QUANTA: [u32; 3] = [20, 100, 1000];
/// How often processor 0 calls processor 1 in the RISC-V image.
const ROUNDS: usize = 20;
/// How often processor 1 wakes: the image ends with the last call.
const WAKES: usize = ROUNDS - 1;

/// Processor 0 counts, traps, and calls processor 1, which sleeps between.
fn sleeping() -> Image {
    let mut image = Image::of(Board::VIRT_RISCV64, include_str!("images/riscv64.lst"));
    watched(&mut image);
    // The thread at 768 is named; the one at 832 is not.
    let (information, name) = (image.data(904), image.data(928));
    image.word(768 + 16, information);
    image.word(904, name);
    image.word(912, 6);
    image.word(928, u64::from_le_bytes(*b"worker\0\0"));
    image
}

/// Both processors add to one counter, without care; then processor 0 calls processor 1, which
/// spins.
fn spinning() -> Image {
    let mut image = Image::of(Board::VIRT_AARCH64, include_str!("images/aarch64.lst"));
    watched(&mut image);
    image
}

/// Two processors' cells of 64 bytes, and where a thread's name is.
fn watched(image: &mut Image) {
    let cells = image.data(64);
    image.symbol("TAKTOS_PROCESSORS", cells, 128);
    image.symbol("taktos.layout.tcb_info", 16, 0);
}

/// Such an image is done within a second.
fn options() -> Options {
    Options {
        real_time: Duration::from_secs(60),
        ..Options::default()
    }
}

fn run(image: &Image, setting: Setting) -> Record {
    image.run(&setting, &options()).expect("a record")
}

fn instructions(record: &Record, name: &str) -> Vec<u64> {
    let samples = record.samples(name);
    samples.iter().map(|s| s.count.instructions).collect()
}

#[test]
fn counts_are_exact_around_devices_and_traps() {
    for quantum in QUANTA {
        let record = run(&sleeping(), Setting::new(2, quantum));
        assert_eq!(instructions(&record, "body"), [6; ROUNDS]);
        // The call, and four instructions of the handler.
        assert_eq!(instructions(&record, "trap"), [5; ROUNDS]);
        for sample in record.samples("body") {
            assert_eq!((sample.processor, sample.nanoseconds), (0, 6));
            let phases = sample.phases.iter().map(|phase| phase.instructions);
            assert_eq!(phases.sum::<u64>(), 6);
        }
        assert_eq!(record.exit_status, 0);
    }
}

#[test]
fn one_instruction_a_block_counts_the_same() {
    let options = Options {
        reference: true,
        ..options()
    };
    let setting = Setting::new(2, 100);
    let slow = sleeping().run(&setting, &options).expect("a record");
    let fast = run(&sleeping(), setting);
    for name in ["body", "trap"] {
        assert_eq!(instructions(&slow, name), instructions(&fast, name));
    }
    assert_eq!(slow.spans("wake"), fast.spans("wake"));
    let executed = |record: &Record| {
        let each = record.processors.iter();
        each.map(|total| total.count.instructions)
            .collect::<Vec<_>>()
    };
    assert_eq!(executed(&slow), executed(&fast));
}

#[test]
fn a_sleeper_wakes_at_its_callers_time() {
    for quantum in [20, 100] {
        let spans = run(&sleeping(), Setting::new(2, quantum)).spans("wake");
        assert_eq!(spans.len(), WAKES);
        for span in spans {
            // The instruction that makes the call is the second one after the mark.
            let seen = (span.from, span.to, span.nanoseconds, span.error);
            assert_eq!(seen, (0, 1, 2, 0));
        }
    }
}

#[test]
fn of_several_calls_in_a_quantum_the_first_one_wakes() {
    // A quantum holds more than two rounds: the sleeper gets its turn after them, at the time of
    // the first.
    let record = run(&sleeping(), Setting::new(2, 1000));
    let begun: Vec<u64> = record
        .marks
        .iter()
        .filter(|p| p.mark.name == "wake" && p.mark.edge == Edge::Begin)
        .map(|p| p.total.at)
        .collect();
    let woken: Vec<u64> = record
        .marks
        .iter()
        .filter(|p| p.processor == 1)
        .map(|p| p.total.at)
        .collect();
    assert!(woken.len() > 3 && woken.len() < WAKES, "{woken:?}");
    // Before the first time that it would sleep it has been called. Each later one is two
    // instructions after a call.
    let by_a_call = |at: &u64| begun.contains(&(at - 2));
    assert!(woken[1..].iter().all(by_a_call), "{woken:?} of {begun:?}");
    let spans = record.spans("wake");
    let late = spans.iter().filter(|span| span.nanoseconds != 2);
    assert!(late.clone().count() > 3);
    assert!(
        late.into_iter()
            .all(|s| s.error == 1000 && (-1000..0).contains(&s.nanoseconds))
    );
}

#[test]
fn a_call_to_a_busy_processor_is_off_by_a_quantum_at_most() {
    for quantum in QUANTA {
        let record = run(&spinning(), Setting::new(2, quantum));
        let [span] = record.spans("wake")[..] else {
            panic!("one way: {:?}", record.spans("wake"));
        };
        assert_eq!((span.from, span.to, span.error), (0, 1, quantum));
        // Two instructions to the store; then at most a turn of the loop of two, and its load.
        let most = i64::from(quantum) + 6;
        let least = -i64::from(quantum);
        assert!((least..=most).contains(&span.nanoseconds), "{span:?}");
        assert_eq!(instructions(&record, "count"), [5001, 5001]);
    }
}

#[test]
fn switches_tell_processor_thread_and_time() {
    let image = sleeping();
    let record = run(&image, Setting::new(2, 100));
    let (first, second): (Vec<_>, Vec<_>) = record.switches.iter().partition(|s| s.processor == 0);
    assert_eq!((first.len(), second.len()), (ROUNDS, WAKES));
    assert!(
        first
            .iter()
            .all(|s| s.thread == image.data(768) && s.name == "worker")
    );
    assert!(
        second
            .iter()
            .all(|s| s.thread == image.data(832) && s.name == "0x80001340")
    );
    // The store is the instruction before the mark; processor 1 stores after one instruction.
    let begun = record
        .marks
        .iter()
        .filter(|p| p.processor == 0 && p.mark.name == "wake");
    for (switch, passing) in first.iter().zip(begun) {
        assert_eq!(switch.at + 1, passing.total.at);
        assert_eq!(
            switch.total.instructions + 1,
            passing.total.count.instructions
        );
        assert!(switch.total.cycles < passing.total.count.cycles);
    }
    let woken = record.marks.iter().filter(|p| p.processor == 1);
    for (switch, passing) in second.iter().zip(woken) {
        assert_eq!(switch.at, passing.total.at + 1);
        assert_eq!(passing.asleep, 0);
    }
}

/// The first processor takes the lock at two places: three times at the first one, each time for
/// shorter.
#[test]
fn the_longest_hold_of_each_place_is_recorded() {
    let mut image = Image::of(Board::VIRT_AARCH64, include_str!("images/lock.lst"));
    let watched = Options {
        watch: Watch {
            holds: true,
            ..Watch::default()
        },
        ..options()
    };
    let setting = Setting::new(2, 20);
    let unnamed = image.run(&setting, &watched).expect_err("no record");
    assert!(unnamed.to_string().contains("names no lock"), "{unnamed}");
    image.symbol("taktos.layout.lock", image.data(0), 12);
    let record = image.run(&setting, &watched).expect("a record");
    let begin = image.data(0) - wide::DATA;
    let hold = |place, instructions| Hold {
        processor: 0,
        place: begin + place,
        instructions,
    };
    // From the exclusive store over three turns of two instructions, and from the store of half a
    // word.
    assert_eq!(record.holds, [hold(0x14, 9), hold(0x34, 2)]);
    assert_eq!(run(&image, setting).holds, []);
}

#[test]
fn two_runs_give_the_same() {
    for image in [sleeping(), spinning()] {
        for quantum in QUANTA {
            let setting = Setting::new(2, quantum);
            let cycles = Time::Cycles { picoseconds: 700 };
            for setting in [
                setting,
                setting.hunting(5),
                Setting {
                    time: cycles,
                    ..setting
                },
            ] {
                let (first, second) = (run(&image, setting), run(&image, setting));
                assert!(first == second, "two runs differ: {setting:?}");
            }
        }
    }
}

/// The counter at the end: what the processors that added to it without care left of 2,000.
fn left(record: &Record) -> u64 {
    record.switches.last().expect("the counter").thread
}

#[test]
fn hunting_finds_what_steady_quanta_do_not() {
    let image = spinning();
    // A quantum holds whole turns of the loop, so that no processor is ever stopped within one.
    let steady = left(&run(&image, Setting::new(2, 1000)));
    let hunted: Vec<u64> = (1..=4)
        .map(|seed| left(&run(&image, Setting::new(2, 20).hunting(seed))))
        .collect();
    assert!(steady > 1980, "{steady}");
    assert!(hunted.iter().all(|count| *count < 1900), "{hunted:?}");
    let mut different = hunted.clone();
    different.sort_unstable();
    different.dedup();
    assert!(different.len() > 2, "{hunted:?}");
}

#[test]
fn time_can_pass_by_cycles() {
    let by_cycles = Setting {
        time: Time::Cycles { picoseconds: 2000 },
        ..Setting::new(2, 100)
    };
    let (cycles, plain) = (
        run(&sleeping(), by_cycles),
        run(&sleeping(), Setting::new(2, 100)),
    );
    for name in ["body", "trap"] {
        for (slow, fast) in cycles.samples(name).iter().zip(plain.samples(name)) {
            assert_eq!(slow.count, fast.count);
            assert_eq!(slow.nanoseconds, 2 * slow.count.cycles);
            assert_eq!(fast.nanoseconds, fast.count.instructions);
        }
    }
    // A trap costs more cycles than it has instructions.
    let dear = |s: &Sample| s.count.cycles > s.count.instructions;
    assert!(cycles.samples("trap").iter().all(dear));
}

#[test]
fn what_makes_a_record_void_is_named() {
    let error = |image: &Image, processors, instructions| {
        let options = Options {
            instructions,
            ..options()
        };
        image
            .run(&Setting::new(processors, 100), &options)
            .expect_err("no record")
    };
    let plenty = Options::default().instructions;
    let said = error(&sleeping(), 3, plenty).to_string();
    assert!(
        said.contains("128 bytes does not hold the cells of 3"),
        "{said}"
    );
    let limit = error(&sleeping(), 2, 1000);
    assert!(
        matches!(
            limit,
            Error::Limit {
                instructions: 1000..3000,
                ..
            }
        ),
        "{limit}"
    );
    // Code where the image has none: it jumps into its data.
    let mut image = Image::of(Board::VIRT_RISCV64, "0000106f j 0x1000");
    image.word(0, 0x0000_006f_0000_0013);
    image.symbol("TAKTOS_PROCESSORS", 0x8000_1040, 128);
    let unknown = error(&image, 2, plenty);
    let there = |error: &Error| matches!(error, Error::UnknownInstruction { address } if *address == 0x8000_1000);
    assert!(there(&unknown), "{unknown}");
}
