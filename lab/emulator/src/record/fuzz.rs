//! The record file's reader: whole files, files cut or changed, bytes of no file.
//! One seed for all: the same cases in each run, and more by `PROPTEST_CASES`.

use object::write;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use taktos_cycles::{Cpu, PhaseRules, Table};

use super::*;

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(0x7461_6b74_6f73),
        ..ProptestConfig::default()
    }
}

/// The table of an image of one instruction, marked as begin and end of one interval each.
fn table() -> Table {
    let mut file = write::Object::new(
        object::BinaryFormat::Elf,
        object::Architecture::Arm,
        object::Endianness::Little,
    );
    let text = file.section_id(write::StandardSection::Text);
    file.append_section_data(text, &[0x70, 0x47, 0x70, 0x47], 2); // bx lr, twice
    for (name, value) in [("taktos.mark.give.begin", 0), ("taktos.mark.give.end", 2)] {
        file.add_symbol(write::Symbol {
            name: name.into(),
            value,
            size: 0,
            kind: object::SymbolKind::Label,
            scope: object::SymbolScope::Linkage,
            weak: false,
            section: write::SymbolSection::Section(text),
            flags: object::SymbolFlags::None,
        });
    }
    let table = Table::for_image(
        &file.write().unwrap(),
        Cpu::CortexM4,
        &PhaseRules::default(),
    );
    table.unwrap()
}

/// What a record file holds, but its end: kind, argument, steps of the totals.
type Entry = (bool, u8, u32, u32);

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(any::<Entry>(), 0..20)
}

/// A whole file, with the numbers of marks and switches in it.
fn file(entries: &[Entry], table: &Table) -> (Vec<u8>, usize, usize) {
    let phases = table.phases().len() as u64;
    let (mut words, mut marks) = (vec![phases], 0);
    let (mut instructions, mut cycles) = (0, 0);
    for (mark, argument, step, more) in entries {
        instructions += u64::from(*step);
        cycles += u64::from(*more);
        let argument = u64::from(*argument);
        if *mark {
            marks += 1;
            words.extend([
                MARK | (1 + argument % 2) << 8,
                instructions,
                instructions,
                cycles,
            ]);
            words.extend((0..phases).flat_map(|_| [instructions / phases, cycles / phases]));
        } else {
            words.extend([
                SWITCH | argument << 8,
                instructions,
                instructions,
                cycles,
                argument,
            ]);
            words.extend([1 << 32, argument, 1 << 32 | argument, 0]);
            words.extend([WAKE | argument << 8, instructions, argument & 1, 2]);
        }
    }
    words.extend([END, instructions, instructions, cycles]);
    words.extend((0..phases).flat_map(|_| [instructions / phases, cycles / phases]));
    words.extend([1, 1, 0]);
    let body = words.iter().flat_map(|word| word.to_le_bytes());
    let bytes = b"TAKREC05".iter().copied().chain(body).collect();
    (bytes, marks, entries.len() - marks)
}

/// A file that is read has samples, whatever its figures are.
fn sampled(contents: Contents) -> usize {
    let record = Record {
        console: String::new(),
        exit_status: 0,
        marks: contents.marks,
        switches: Vec::new(),
        wakes: contents.wakes,
        ended: contents.ended,
        end: contents.end,
        total: contents.total,
        phases: contents.phases,
        phase_names: Vec::new(),
        exceptions: contents.exceptions,
        modelled: true,
    };
    record.samples("give").len()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_whole_file_is_read_and_a_shorter_one_refused(entries in entries(), cut: prop::sample::Index) {
        let table = table();
        let (bytes, marks, switches) = file(&entries, &table);
        let contents = read(&bytes, &table).unwrap();
        prop_assert_eq!((contents.marks.len(), contents.switches.len()), (marks, switches));
        prop_assert_eq!(contents.wakes.len(), switches);
        prop_assert!(sampled(contents) <= marks);
        let shorter = &bytes[..cut.index(bytes.len())];
        prop_assert!(matches!(read(shorter, &table), Err(Error::Damaged(_))));
    }

    #[test]
    fn a_changed_file_is_read_or_refused(
        entries in entries(),
        changes in prop::collection::vec(any::<(prop::sample::Index, u8)>(), 1..8),
    ) {
        let table = table();
        let (mut bytes, ..) = file(&entries, &table);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Ok(contents) = read(&bytes, &table) {
            sampled(contents);
        }
    }

    #[test]
    fn bytes_of_no_file_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let table = table();
        prop_assert!(read(&bytes, &table).is_err());
        let headed = [b"TAKREC05", bytes.as_slice()].concat();
        prop_assert!(matches!(read(&headed, &table), Err(Error::Damaged(_))));
    }

    #[test]
    fn words_of_any_kind_are_read_or_refused(
        words in prop::collection::vec(prop_oneof![0..6_u64, Just(0x101), Just(0x201), any::<u64>()], 0..120),
    ) {
        let table = table();
        let first = table.phases().len() as u64;
        let words = std::iter::once(first).chain(words);
        let body = words.flat_map(u64::to_le_bytes);
        let bytes: Vec<u8> = b"TAKREC05".iter().copied().chain(body).collect();
        if let Ok(contents) = read(&bytes, &table) {
            sampled(contents);
        }
    }
}
