//! Each error, by the one thing that is wrong; and what a right image is read as.

mod made;

use made::{BYTES, CODE, DATA, EXECUTE, Made, READ, ROOMS, WRITE, image, usual};
use taktos_elf::{Error, Program, Target};

const TARGETS: [Target; 3] = [Target::ARM, Target::AARCH64, Target::RISCV64];

/// Returns the result for the usual image in which `change` changed the segments.
fn said_of(target: Target, change: impl Fn(&mut Vec<Made>)) -> Result<(), Error> {
    let mut segments = usual();
    change(&mut segments);
    let image = image(target, CODE.base + 8, &segments);
    Program::read(&image, target, &ROOMS).map(drop)
}

/// Checks the result for all targets, which must be the same.
#[track_caller]
fn all_say(change: impl Fn(&mut Vec<Made>), expected: Result<(), Error>) {
    for target in TARGETS {
        assert_eq!(said_of(target, &change), expected, "{target:?}");
    }
}

/// Checks the result for the usual image with this byte at a place of its header.
#[track_caller]
fn byte_says(place: usize, byte: u8, expected: Error) {
    for target in TARGETS {
        let mut image = image(target, CODE.base, &usual());
        image[place] = byte;
        let said = Program::read(&image, target, &ROOMS).map(drop);
        assert_eq!(said, Err(expected), "{target:?}");
    }
}

#[test]
fn a_right_image_is_read_whole() {
    for target in TARGETS {
        let image = image(target, CODE.base + 8, &usual());
        let program = Program::read(&image, target, &ROOMS).unwrap();
        assert_eq!(program.entry(), CODE.base + 8);
        let segments: Vec<_> = program.segments().collect();
        let [code, data] = segments[..] else {
            panic!("{segments:?}")
        };
        assert_eq!((code.address, code.size), (CODE.base, 0x80));
        assert_eq!(code.bytes, &image[BYTES..BYTES + 0x80]);
        assert_eq!((data.address, data.size), (DATA.base + 0x10, 0x100));
        assert_eq!(data.bytes, &image[BYTES + 0x80..BYTES + 0xA0]);
    }
}

#[test]
fn headers_are_checked() {
    byte_says(0, 0, Error::Magic);
    byte_says(4, 3, Error::Class);
    byte_says(5, 2, Error::Class);
    byte_says(6, 0, Error::Version);
    byte_says(0x14, 2, Error::Version);
    // Relocatable, position-independent.
    byte_says(0x10, 1, Error::Kind);
    byte_says(0x10, 3, Error::Kind);
    byte_says(0x12, 62, Error::Machine);
    for target in TARGETS {
        let others = TARGETS.into_iter().filter(|other| *other != target);
        for other in others {
            let image = image(other, CODE.base, &usual());
            let said = Program::read(&image, target, &ROOMS).map(drop);
            let expected = match other.is_64 == target.is_64 {
                true => Error::Machine,
                false => Error::Class,
            };
            assert_eq!(said, Err(expected));
        }
    }
}

#[test]
fn the_table_is_checked() {
    for (target, size) in [(Target::ARM, 0x2A), (Target::AARCH64, 0x36)] {
        let right = image(target, CODE.base, &usual());
        let mut wrong = right.clone();
        wrong[size] ^= 8;
        let said = Program::read(&wrong, target, &ROOMS).map(drop);
        assert_eq!(said, Err(Error::Table));
        // The place of the table.
        for place in [
            right.len() as u64 - 8,
            u32::MAX.into(),
            u64::MAX,
            u64::MAX - 63,
        ] {
            let width = if target.is_64 { 8 } else { 4 };
            let at = 0x18 + width;
            let mut wrong = right.clone();
            wrong[at..at + width].copy_from_slice(&place.to_le_bytes()[..width]);
            let said = Program::read(&wrong, target, &ROOMS).map(drop);
            assert_eq!(said, Err(Error::Truncated), "{place:#x}");
        }
    }
    let note = Made {
        kind: 4,
        ..usual()[0]
    };
    all_say(|all| all.extend(vec![note; 14]), Ok(()));
    all_say(|all| all.extend(vec![note; 15]), Err(Error::Count));
}

#[test]
fn every_shorter_image_is_refused() {
    for target in TARGETS {
        let image = image(target, CODE.base, &usual());
        for length in 0..BYTES + 0xA0 {
            let said = Program::read(&image[..length], target, &ROOMS).map(drop);
            let expected = if length < 4 {
                Error::Magic
            } else {
                Error::Truncated
            };
            assert_eq!(said, Err(expected), "{length} bytes");
        }
        assert!(Program::read(&image[..BYTES + 0xA0], target, &ROOMS).is_ok());
    }
}

#[test]
fn a_program_that_needs_a_linker_is_refused() {
    for kind in [2, 3, 7] {
        all_say(|all| all.push(Made { kind, ..all[1] }), Err(Error::Dynamic));
    }
}

#[test]
fn sizes_are_checked() {
    all_say(|all| all[1].memory = 0x1F, Err(Error::Size));
    all_say(|all| all[1].offset = 0x1000, Err(Error::Truncated));
    all_say(|all| all[1].offset = u32::MAX.into(), Err(Error::Truncated));
    for target in [Target::AARCH64, Target::RISCV64] {
        let said = said_of(target, |all| all[1].memory = u64::MAX - DATA.base);
        assert_eq!(said, Err(Error::Size));
        let said = said_of(target, |all| all[1].offset = u64::MAX);
        assert_eq!(said, Err(Error::Truncated));
    }
    // An entry without memory is no segment, wherever it is.
    all_say(
        |all| {
            all.push(Made {
                address: 0,
                file: 0,
                memory: 0,
                ..all[0]
            })
        },
        Ok(()),
    );
}

#[test]
fn nothing_is_written_and_executed() {
    all_say(|all| all[0].flags |= WRITE, Err(Error::WriteAndExecute));
    all_say(|all| all[1].flags |= EXECUTE, Err(Error::WriteAndExecute));
}

#[test]
fn segments_lie_in_memory_of_their_use() {
    all_say(|all| all[1].flags = READ | EXECUTE, Err(Error::Place));
    all_say(|all| all[0].flags = READ | WRITE, Err(Error::Place));
    // Constants may be in either.
    all_say(|all| all[1].flags = READ, Ok(()));
    all_say(
        |all| {
            all.push(Made {
                flags: READ,
                address: CODE.base + 0x80,
                ..all[0]
            })
        },
        Ok(()),
    );
    all_say(|all| all[1].address = DATA.base + 0x1000 - 0x100, Ok(()));
    all_say(
        |all| all[1].address = DATA.base + 0x1001 - 0x100,
        Err(Error::Place),
    );
    all_say(|all| all[1].address = DATA.base - 1, Err(Error::Place));
    all_say(|all| all[1].address = 0, Err(Error::Place));
    all_say(|all| all[1].memory = 0x1000, Err(Error::Place));
}

#[test]
fn segments_do_not_overlap() {
    let beside = |distance: u64| {
        move |all: &mut Vec<Made>| {
            all.push(Made {
                address: all[1].address.wrapping_add(distance),
                memory: 0x40,
                ..all[1]
            });
        }
    };
    all_say(beside(0x100), Ok(()));
    all_say(beside(0xFF), Err(Error::Overlap));
    all_say(beside(0), Err(Error::Overlap));
    all_say(beside(0u64.wrapping_sub(0x10)), Err(Error::Overlap));
}

#[test]
fn it_begins_in_its_own_code() {
    let begins = |target, entry| {
        let image = image(target, entry, &usual());
        Program::read(&image, target, &ROOMS).map(drop)
    };
    for target in TARGETS {
        for entry in [
            0,
            CODE.base - 2,
            CODE.base + 0x80,
            DATA.base + 0x10,
            u32::MAX.into(),
        ] {
            assert_eq!(begins(target, entry), Err(Error::Entry), "{entry:#x}");
        }
        assert_eq!(begins(target, CODE.base + 0x7E), Ok(()));
    }
    // The bit of Thumb.
    assert_eq!(begins(Target::ARM, CODE.base + 1), Ok(()));
    // Code that the image does not bring.
    all_say(|all| all[0].file = 8, Err(Error::Entry));
    all_say(|all| all[0].file = 9, Ok(()));
    all_say(|all| all.clear(), Err(Error::Entry));
}

#[test]
fn each_error_has_words_of_its_own() {
    let mut texts = Error::ALL.map(Error::text);
    texts.sort_unstable();
    assert!(texts.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(
        Error::Entry.to_string(),
        "the image does not begin in its own code"
    );
}
