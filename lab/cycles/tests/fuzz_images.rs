//! The timing table of images with changed bytes. `TAKTOS_SEED` repeats a run, `PROPTEST_CASES`
//! sets how many cases it has.

use object::write;
use proptest::prelude::*;
use taktos_cycles::timing::Flags;
use taktos_cycles::{Cpu, Error, PhaseRules, Table};

const CPUS: [Cpu; 7] = [
    Cpu::CortexM0,
    Cpu::CortexM0Plus,
    Cpu::CortexM3,
    Cpu::CortexM4,
    Cpu::CortexA8,
    Cpu::CortexA53,
    Cpu::U54,
];

fn symbol(section: write::SectionId, name: &str, value: u64, size: u64) -> write::Symbol {
    let kind = match size {
        0 => object::SymbolKind::Label,
        _ => object::SymbolKind::Text,
    };
    write::Symbol {
        name: name.into(),
        value,
        size,
        kind,
        scope: object::SymbolScope::Linkage,
        weak: false,
        section: write::SymbolSection::Section(section),
        flags: object::SymbolFlags::None,
    }
}

fn empty(cpu: Cpu) -> write::Object<'static> {
    let architecture = match cpu {
        Cpu::CortexA53 => object::Architecture::Aarch64,
        Cpu::U54 => object::Architecture::Riscv64,
        _ => object::Architecture::Arm,
    };
    write::Object::new(
        object::BinaryFormat::Elf,
        architecture,
        object::Endianness::Little,
    )
}

/// Returns the length in four bytes, then these bytes.
fn with_length(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_le_bytes();
    [length.as_slice(), bytes].concat()
}

/// Line tables (DWARF 4) that say that the first twelve bytes of code are the kernel's:
/// abbreviations, information, lines.
fn lines() -> [Vec<u8>; 3] {
    // A compilation unit: its lines, its first address, its length.
    let abbreviations = vec![1, 0x11, 0, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0, 0];
    let unit = [4, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 0];
    let mut header = vec![1, 1, 1, 0xfb, 14, 13];
    header.extend([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]); // operands of the opcodes
    header.push(0); // no directories
    header.extend(b"/kernel/src/a.rs\0\0\0\0\0"); // one file
    // From address 0: a row; twelve bytes on: the end.
    let program = [0, 5, 2, 0, 0, 0, 0, 1, 2, 12, 0, 1, 1];
    let body = [&[4, 0], with_length(&header).as_slice(), &program].concat();
    [abbreviations, with_length(&unit), with_length(&body)]
}

/// A small image for each processor: a function that does nothing and returns, marks, a
/// phase, data in the code, vectors, and something where line tables are.
fn image(cpu: Cpu) -> Vec<u8> {
    let mut file = empty(cpu);
    let (code, map): (&[u32], _) = match cpu {
        Cpu::CortexM0 | Cpu::CortexM0Plus => {
            (&[0x4770_bf00, 0xbd00_b500, 0xbf00_4770, 0x1234_5678], "$t")
        }
        Cpu::CortexM3 | Cpu::CortexM4 => {
            (&[0x4770_bf00, 0xb004_e92d, 0xbf00_4770, 0x1234_5678], "$t")
        }
        Cpu::CortexA8 => (&[0xe320_f000, 0xe12f_ff1e, 0xe3a0_0001, 0x1234_5678], "$a"),
        Cpu::CortexA53 => (&[0xd503_201f, 0xd65f_03c0, 0xd280_0020, 0x1234_5678], "$x"),
        _ => (&[0x8082_0001, 0x00b5_0533, 0x0001_0001, 0x1234_5678], "$x"),
    };
    let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let text = file.section_id(write::StandardSection::Text);
    file.append_section_data(text, &bytes, 4);
    for (name, value, size) in [
        (map, 0, 0),
        ("$d", 12, 0),
        ("function", 0, 12),
        ("_vector_table", 0, 0),
        ("taktos.mark.give.begin", 0, 0),
        ("taktos.mark.give.end.2", 4, 0),
        ("taktos.point.ready", 4, 0),
        ("taktos.phase.switch", 8, 0),
        ("TAKTOS_PROCESSOR", 12, 0),
    ] {
        file.add_symbol(symbol(text, name, value, size));
    }
    let vectors = file.add_section(
        Vec::new(),
        b".vector_table".to_vec(),
        object::SectionKind::ReadOnlyData,
    );
    file.append_section_data(vectors, &[0, 0, 0, 0x20, 1, 0, 0, 0, 5, 0, 0, 0], 4);
    let [abbreviations, info, line] = lines();
    for (name, bytes) in [
        (".debug_abbrev", abbreviations),
        (".debug_info", info),
        (".debug_line", line),
    ] {
        let section = file.add_section(Vec::new(), name.into(), object::SectionKind::Debug);
        file.append_section_data(section, &bytes, 1);
    }
    file.write().unwrap()
}

/// The table's own file: as long as its parts say.
fn is_written(table: &Table) -> bool {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    let head = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (regions, operands) = (head(12), head(36));
    let slots: usize = (0..regions).map(|region| head(40 + 8 * region + 4)).sum();
    bytes.len() == 40 + 8 * regions + 12 * slots + 2 * operands
}

#[test]
fn the_image_has_a_table_unchanged() {
    for (cpu, instructions) in CPUS.into_iter().zip([6, 6, 5, 5, 3, 3, 5]) {
        let table = Table::for_image(&image(cpu), cpu, &PhaseRules::default()).unwrap();
        assert_eq!(table.instructions(), instructions);
        assert!(is_written(&table));
    }
}

/// Returns the image with its sections higher by `distance`.
fn moved(cpu: Cpu, distance: u64) -> Vec<u8> {
    let mut bytes = image(cpu);
    let is_64 = matches!(cpu, Cpu::CortexA53 | Cpu::U54);
    // Of the header: where the sections' headers are, how long each is; of such a header: the
    // address (System V ABI).
    let (table, size, address, word) = if is_64 {
        (0x28, 0x3A, 16, 8)
    } else {
        (0x20, 0x2E, 12, 4)
    };
    let number = |bytes: &[u8], at: usize, length: usize| {
        let mut word = [0; 8];
        word[..length].copy_from_slice(&bytes[at..at + length]);
        u64::from_le_bytes(word)
    };
    let begin = number(&bytes, table, word) as usize;
    let (size, count) = (number(&bytes, size, 2), number(&bytes, size + 2, 2));
    for section in 0..count {
        let at = begin + (section * size) as usize + address;
        let higher = (number(&bytes, at, word) + distance).to_le_bytes();
        bytes[at..at + word].copy_from_slice(&higher[..word]);
    }
    bytes
}

#[test]
fn what_an_image_loads_is_known_beside_it_and_refused_over_it() {
    let phases = PhaseRules::default();
    for cpu in CPUS {
        let table = || Table::for_image(&image(cpu), cpu, &phases).unwrap();
        let other = moved(cpu, 0x1000);
        let both = table().with(&other, &phases).unwrap();
        let other = Table::for_image(&other, cpu, &phases).unwrap();
        let sum = table().instructions() + other.instructions();
        assert_eq!(both.instructions(), sum, "{cpu:?}");
        assert!(is_written(&both), "{cpu:?}");
        for distance in [0, 12] {
            let twice = table().with(&moved(cpu, distance), &phases);
            let at = distance as u32;
            assert!(
                matches!(twice, Err(Error::Twice(address)) if address == at),
                "{cpu:?}"
            );
        }
    }
}

#[test]
fn an_image_of_another_processor_is_refused() {
    let is_arm = |cpu: Cpu| cpu == Cpu::CortexA8 || cpu.is_microcontroller();
    for cpu in CPUS {
        for other in CPUS {
            let table = Table::for_image(&image(other), cpu, &PhaseRules::default());
            if cpu == other || is_arm(cpu) && is_arm(other) {
                assert!(
                    !matches!(table, Err(Error::Processor(_))),
                    "{cpu:?} {other:?}"
                );
            } else {
                assert!(matches!(table, Err(Error::Processor(c)) if c == cpu));
            }
        }
    }
}

/// The flags of the instructions at these places of the first region.
fn flags(table: &Table, places: impl Iterator<Item = usize>) -> Vec<u16> {
    let mut bytes = Vec::new();
    table.write(&mut bytes).unwrap();
    let records = 40 + 8; // one region
    places
        .map(|place| records + place / 2 * 12 + 4)
        .map(|at| u16::from_le_bytes([bytes[at], bytes[at + 1]]))
        .collect()
}

#[test]
fn the_handlers_of_64_bit_processors_are_known() {
    let handler = Flags::HANDLER.bits();
    let mut file = empty(Cpu::CortexA53);
    let text = file.section_id(write::StandardSection::Text);
    file.append_section_data(text, &0xd503_201f_u32.to_le_bytes().repeat(17 * 32), 4);
    file.add_symbol(symbol(text, "_ZN4arch7vectors5tableE", 0, 17 * 128));
    let table = Table::for_image(
        &file.write().unwrap(),
        Cpu::CortexA53,
        &PhaseRules::default(),
    )
    .unwrap();
    let entries = flags(&table, (0..17).map(|i| i * 128));
    assert!(entries[..16].iter().all(|flags| flags & handler != 0));
    assert!(entries[16] & handler == 0);
    let between = flags(&table, (0..17).map(|i| i * 128 + 4));
    assert!(between.iter().all(|flags| flags & handler == 0));

    let mut file = empty(Cpu::U54);
    let text = file.section_id(write::StandardSection::Text);
    file.append_section_data(text, &[1, 0].repeat(4), 4);
    file.add_symbol(symbol(text, "_ZN4arch4trap4trapE", 4, 2));
    let table = Table::for_image(&file.write().unwrap(), Cpu::U54, &PhaseRules::default()).unwrap();
    let found = flags(&table, (0..4).map(|i| i * 2));
    assert_eq!(
        found
            .iter()
            .map(|flags| flags & handler != 0)
            .collect::<Vec<_>>(),
        [false, false, true, false]
    );
}

#[test]
fn code_beyond_the_table_s_addresses_is_refused() {
    let mut bytes = image(Cpu::CortexA53);
    // The address of each section: the sections' headers are 64 bytes, the address 16 in.
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let (headers, count) = (word(&bytes, 40) as usize, usize::from(bytes[60]));
    for header in 0..count {
        let address = headers + 64 * header + 16;
        bytes[address..address + 8].copy_from_slice(&0xffff_0000_0000_u64.to_le_bytes());
    }
    let table = Table::for_image(&bytes, Cpu::CortexA53, &PhaseRules::default());
    assert!(matches!(table, Err(Error::TooFar(0xffff_0000_0000))));
}

#[test]
fn what_no_model_knows_is_named() {
    for (cpu, word) in [(Cpu::CortexA53, 0xd65f_0bff_u32), (Cpu::U54, 0x0105_7557)] {
        let mut file = empty(cpu);
        let text = file.section_id(write::StandardSection::Text);
        file.append_section_data(text, &word.to_le_bytes(), 4);
        file.add_symbol(symbol(text, "function", 0, 4));
        let table = Table::for_image(&file.write().unwrap(), cpu, &PhaseRules::default());
        let Err(Error::Unknown { unknown, .. }) = table else {
            panic!("{cpu:?}: {word:08x} was taken");
        };
        assert_eq!(unknown[0].bytes, format!("{word:08x}"));
        assert_eq!(unknown[0].symbol, "function");
    }
}

#[test]
fn a_shorter_image_is_refused() {
    for cpu in CPUS {
        let bytes = image(cpu);
        for length in 0..bytes.len() {
            let table = Table::for_image(&bytes[..length], cpu, &PhaseRules::default());
            assert!(table.is_err(), "{cpu:?} {length}");
        }
    }
}

#[test]
fn an_image_with_any_byte_changed_is_read_or_refused() {
    for cpu in CPUS {
        let whole = image(cpu);
        for place in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] = byte;
                let table = Table::for_image(&bytes, cpu, &PhaseRules::default());
                assert!(table.is_err() || table.is_ok_and(|table| is_written(&table)));
            }
        }
    }
}

#[test]
fn an_image_with_any_word_changed_is_read_or_refused() {
    let words = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, u32::MAX];
    for cpu in CPUS {
        let whole = image(cpu);
        for place in (0..whole.len() - 3).step_by(4) {
            for word in words {
                let mut bytes = whole.clone();
                bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
                let table = Table::for_image(&bytes, cpu, &PhaseRules::default());
                assert!(table.is_err() || table.is_ok_and(|table| is_written(&table)));
            }
        }
    }
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_changed_image_is_read_or_refused(
        which in 0..CPUS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec![0, 1, 2, 4, 0x7f, 0x80, 0xff_u8])), 1..12),
        word: u32,
    ) {
        let cpu = CPUS[which];
        let mut bytes = image(cpu);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let place = word as usize % (bytes.len() - 3);
        bytes[place..place + 4].copy_from_slice(&word.to_le_bytes());
        if let Ok(table) = Table::for_image(&bytes, cpu, &PhaseRules::default()) {
            prop_assert!(is_written(&table));
        }
    }

    #[test]
    fn bytes_of_no_image_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for cpu in CPUS {
            prop_assert!(Table::for_image(&bytes, cpu, &PhaseRules::default()).is_err());
        }
    }
}
