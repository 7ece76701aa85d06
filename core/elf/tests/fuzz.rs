//! Images at random: right ones in which some bytes are others, and bytes that are none. An image
//! that is taken keeps every rule, by the word of another reader of the format; nothing stops the
//! reader.
//! `TAKTOS_SEED` repeats a run, `PROPTEST_CASES` says how many cases it has.

mod made;

use made::{CODE, DATA, EXECUTE, Made, READ, ROOMS, WRITE, image};
use object::Endianness;
use object::elf::{FileHeader32, FileHeader64, PT_LOAD};
use object::read::elf::{FileHeader, ProgramHeader};
use proptest::prelude::*;
use taktos_elf::{Error, Program, Room, Target, Use};

/// Address, size and flags of each segment that has memory, and where it begins: as `object` has
/// it.
type Read = (u64, Vec<(u64, u64, Vec<u8>, u32)>);

fn read_by<H: FileHeader<Endian = Endianness>>(image: &[u8]) -> Option<Read> {
    let header = H::parse(image).ok()?;
    let endian = header.endian().ok()?;
    let mut segments = Vec::new();
    for segment in header.program_headers(endian, image).ok()? {
        let size = segment.p_memsz(endian).into();
        if segment.p_type(endian) == PT_LOAD && size > 0 {
            let bytes = segment.data(endian, image).ok()?.to_vec();
            segments.push((
                segment.p_vaddr(endian).into(),
                size,
                bytes,
                segment.p_flags(endian).0,
            ));
        }
    }
    Some((header.e_entry(endian).into(), segments))
}

fn target() -> impl Strategy<Value = Target> {
    prop::sample::select(vec![Target::ARM, Target::AARCH64, Target::RISCV64])
}

fn segment() -> impl Strategy<Value = Made> {
    let flags = prop::sample::select(vec![READ, READ | WRITE, READ | EXECUTE, WRITE | EXECUTE]);
    let room = prop::sample::select(vec![CODE, DATA]);
    let kind = prop::sample::select(vec![1, 1, 1, 1, 4, 6, 7]);
    let sizes = (0_u64..0x100, 0_u64..0x100);
    (kind, flags, room, 0_u64..0x1010, 0_u64..0x300, sizes).prop_map(
        |(kind, flags, room, distance, offset, (file, more))| Made {
            kind,
            flags,
            offset,
            address: room.base + distance,
            file,
            memory: file + more,
        },
    )
}

/// Checks the rules again, by other means.
fn holds(target: Target, image: &[u8], program: &Program<'_>) -> Result<(), TestCaseError> {
    let read = match target.is_64 {
        true => read_by::<FileHeader64<Endianness>>(image),
        false => read_by::<FileHeader32<Endianness>>(image),
    };
    let (entry, segments) = read.expect("what we read others do");
    prop_assert_eq!(program.entry(), entry);
    let ours: Vec<_> = program.segments().collect();
    prop_assert_eq!(ours.len(), segments.len());
    let mut begins = false;
    for (number, (address, size, bytes, flags)) in segments.iter().enumerate() {
        prop_assert_eq!((ours[number].address, ours[number].size), (*address, *size));
        prop_assert_eq!(ours[number].bytes, &bytes[..]);
        prop_assert!(bytes.len() as u64 <= *size);
        let end = address
            .checked_add(*size)
            .expect("no segment goes beyond the last address");
        prop_assert!(flags & (WRITE | EXECUTE) != WRITE | EXECUTE);
        let lies = |room: &Room| {
            let forbidden = match room.usage {
                Use::Write => EXECUTE,
                Use::Execute => WRITE,
            };
            room.base <= *address && end <= room.base + room.size && flags & forbidden == 0
        };
        prop_assert!(ROOMS.iter().any(lies));

        for (other, size, ..) in &segments[..number] {
            prop_assert!(end <= *other || other + size <= *address);
        }
        begins |= flags & EXECUTE != 0 && (*address..address + bytes.len() as u64).contains(&entry);
    }
    prop_assert!(begins);
    Ok(())
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn segments_at_random(
        target in target(),
        distance in 0_u64..0x100,
        segments in prop::collection::vec(segment(), 0..5),
    ) {
        // One of code, so that some are right.
        let code = Made { kind: 1, flags: READ | EXECUTE, offset: 0, address: CODE.base, file: 0x40, memory: 0x40 };
        let all: Vec<Made> = [code].into_iter().chain(segments).collect();
        let image = image(target, CODE.base + distance, &all);
        if let Ok(program) = Program::read(&image, target, &ROOMS) {
            holds(target, &image, &program)?;
        }
    }

    #[test]
    fn bytes_that_are_others(
        target in target(),
        changes in prop::collection::vec((0_usize..0xC0, any::<u8>()), 1..6),
        length in 0_usize..0x500,
    ) {
        let mut image = image(target, CODE.base, &made::usual());
        for (place, byte) in changes {
            image[place] = byte;
        }
        image.truncate(length);
        if let Ok(program) = Program::read(&image, target, &ROOMS) {
            holds(target, &image, &program)?;
        }
    }

    #[test]
    fn bytes_that_are_none(target in target(), bytes in prop::collection::vec(any::<u8>(), 0..0x200)) {
        let said = Program::read(&bytes, target, &ROOMS).map(drop);
        prop_assert!(said == Err(Error::Magic) || bytes.starts_with(b"\x7FELF"));
    }
}
