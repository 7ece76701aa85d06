//! Owns: what an executable of the format ELF loses before it is included in a loader: all that is
//! never loaded. Must never know: what the program does; whether it may be loaded (`taktos-elf`, in
//! the kernel).
//!
//! The layouts are those of the System V ABI (ELF header, program header).

/// Where the fields lie that are needed, in executables of one size of addresses.
struct Layout {
    /// The size of an address.
    wide: usize,
    /// Places in the header: the offset of the table of segments, that of the table of sections,
    /// the size of a segment's entry, the number of these, and the three fields on sections.
    segments: usize,
    sections: usize,
    entry_size: usize,
    /// Places in a segment's entry: the offset of its bytes in the file, and their number.
    offset: usize,
    size: usize,
}

const OF_32: Layout = Layout {
    wide: 4,
    segments: 0x1C,
    sections: 0x20,
    entry_size: 0x2A,
    offset: 4,
    size: 16,
};
const OF_64: Layout = Layout {
    wide: 8,
    segments: 0x20,
    sections: 0x28,
    entry_size: 0x36,
    offset: 8,
    size: 32,
};
/// Where the header says which of them it is, and that for addresses of 64 bits.
const CLASS: usize = 4;
const CLASS_64: u8 = 2;

/// Returns the executable without names, lines and sections, which come after its segments.
///
/// # Panics
/// If the executable is not whole: the linker has just written it.
pub fn without_sections(mut image: Vec<u8>) -> Vec<u8> {
    let layout = if image[CLASS] == CLASS_64 {
        OF_64
    } else {
        OF_32
    };
    let half = |place: usize| usize::from(u16::from_le_bytes([image[place], image[place + 1]]));
    let wide = |place: usize| {
        let mut bytes = [0; 8];
        bytes[..layout.wide].copy_from_slice(&image[place..place + layout.wide]);
        u64::from_le_bytes(bytes) as usize
    };
    let (table, entry_size) = (wide(layout.segments), half(layout.entry_size));
    let count = half(layout.entry_size + 2);
    let entries = (0..count).map(|number| table + number * entry_size);
    let ends = entries.map(|entry| wide(entry + layout.offset) + wide(entry + layout.size));
    let end = ends.fold(table + count * entry_size, usize::max);
    image.truncate(end);
    image[layout.sections..layout.sections + layout.wide].fill(0);
    // The size of a section's entry, their number, and which of them has their names.
    image[layout.entry_size + 4..layout.entry_size + 10].fill(0);
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An executable with one segment, and other bytes after those of the segment.
    fn made(layout: &Layout, class: u8) -> Vec<u8> {
        const TABLE: usize = 0x40;
        const BYTES: usize = 0x100;
        let mut image = vec![0xEE; 0x200];
        image[CLASS] = class;
        let mut put = |place: usize, size: usize, value: usize| {
            image[place..place + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        put(layout.segments, layout.wide, TABLE);
        put(layout.sections, layout.wide, 0x180);
        put(layout.entry_size, 2, 56);
        put(layout.entry_size + 2, 2, 1);
        put(TABLE + layout.offset, layout.wide, BYTES);
        put(TABLE + layout.size, layout.wide, 0x30);
        image
    }

    #[test]
    fn what_follows_the_segments_goes_and_nothing_names_it() {
        for (layout, class) in [(&OF_32, 1), (&OF_64, CLASS_64)] {
            let image = made(layout, class);
            let cut = without_sections(image.clone());
            assert_eq!(cut.len(), 0x130);
            let sections = layout.sections..layout.sections + layout.wide;
            let fields = layout.entry_size + 4..layout.entry_size + 10;
            let is_of_sections = |place| sections.contains(&place) || fields.contains(&place);
            for (place, byte) in cut.iter().enumerate() {
                let expected = if is_of_sections(place) {
                    0
                } else {
                    image[place]
                };
                assert_eq!(*byte, expected, "{place:#x}");
            }
        }
    }
}
