//! Owns: what is checked of an image, and what a loader is to copy. Must never know: the places of
//! fields.

use crate::format::{CLASS, Entry, Header, IDENT_VERSION, ORDER, entry_size};
use crate::{Error, Room, Target, Use};

/// Values of fields: System V ABI.
const MAGIC: &[u8] = b"\x7FELF";
const LEAST_FIRST: u8 = 1;
const CURRENT: u8 = 1;
const EXECUTABLE: u16 = 2;
const LOAD: u32 = 1;
/// Tables of a dynamic linker, its name, what each thread has of its own.
const OF_A_LINKER: [u32; 3] = [2, 3, 7];
const EXECUTES: u32 = 1;
const WRITES: u32 = 2;

/// An image that can be loaded.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    image: &'a [u8],
    is_64: bool,
    table: u64,
    count: u64,
    entry: u64,
}

/// The part of an image that goes to one place in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment<'a> {
    /// Its lowest address.
    pub address: u64,
    /// The bytes that are copied there.
    pub bytes: &'a [u8],
    /// How many bytes it has in memory: those after the copied ones are zero.
    pub size: u64,
    flags: u32,
}

impl<'a> Program<'a> {
    /// The most entries that a table of segments may have: each is compared with each.
    pub const MOST: u16 = 16;

    /// Returns the program of `image`, if that is one for `target` with all its segments in the
    /// `rooms`. Bound: that of [`Program::MOST`] segments, however large the image is.
    pub fn read(image: &'a [u8], target: Target, rooms: &[Room]) -> Result<Self, Error> {
        check_beginning(image, target)?;
        let header = Header::read(image, target.is_64)?;
        check_header(&header, target)?;
        let program = Self {
            image,
            is_64: target.is_64,
            table: header.table,
            count: header.count.into(),
            entry: header.entry,
        };
        program.check(rooms)?;
        match program
            .segments()
            .any(|segment| segment.executes(header.entry))
        {
            true => Ok(program),
            false => Err(Error::Entry),
        }
    }

    /// Where it begins, with the bit that says the set of instructions.
    #[must_use]
    pub const fn entry(&self) -> u64 {
        self.entry
    }

    /// Returns the segments that are to be in memory.
    pub fn segments(&self) -> impl Iterator<Item = Segment<'a>> {
        // All were checked when the program was read.
        self.checked().filter_map(|entry| entry.ok().flatten())
    }

    fn checked(&self) -> impl Iterator<Item = Result<Option<Segment<'a>>, Error>> {
        (0..self.count).map(|number| self.segment(number))
    }

    /// The segment of the entry `number`, if it is one that is loaded.
    fn segment(&self, number: u64) -> Result<Option<Segment<'a>>, Error> {
        let distance = number * u64::from(entry_size(self.is_64));
        let place = self.table.checked_add(distance).ok_or(Error::Truncated)?;
        let entry = Entry::read(self.image, self.is_64, place)?;
        if OF_A_LINKER.contains(&entry.kind) {
            return Err(Error::Dynamic);
        }
        if entry.kind != LOAD || entry.memory_size == 0 {
            return Ok(None);
        }
        Segment::of(self.image, &entry).map(Some)
    }

    fn check(&self, rooms: &[Room]) -> Result<(), Error> {
        for (number, segment) in self.checked().enumerate() {
            let Some(segment) = segment? else { continue };
            if !rooms.iter().any(|room| segment.may_lie_in(room)) {
                return Err(Error::Place);
            }
            let before = self.checked().take(number);
            if before
                .filter_map(Result::ok)
                .flatten()
                .any(|other| segment.overlaps(&other))
            {
                return Err(Error::Overlap);
            }
        }
        Ok(())
    }
}

fn check_beginning(image: &[u8], target: Target) -> Result<(), Error> {
    if !image.starts_with(MAGIC) {
        return Err(Error::Magic);
    }
    let field = |place| image.get(place).copied().ok_or(Error::Truncated);
    if (field(CLASS)?, field(ORDER)?) != (1 + u8::from(target.is_64), LEAST_FIRST) {
        return Err(Error::Class);
    }
    match field(IDENT_VERSION)? {
        CURRENT => Ok(()),
        _ => Err(Error::Version),
    }
}

fn check_header(header: &Header, target: Target) -> Result<(), Error> {
    if header.version != u32::from(CURRENT) {
        return Err(Error::Version);
    }
    if header.kind != EXECUTABLE {
        return Err(Error::Kind);
    }
    if header.machine != target.machine {
        return Err(Error::Machine);
    }
    if header.count > Program::MOST {
        return Err(Error::Count);
    }
    if header.entry_size != entry_size(target.is_64) {
        return Err(Error::Table);
    }
    Ok(())
}

impl<'a> Segment<'a> {
    fn of(image: &'a [u8], entry: &Entry) -> Result<Self, Error> {
        let fits = entry.file_size <= entry.memory_size;
        if !fits || entry.address.checked_add(entry.memory_size).is_none() {
            return Err(Error::Size);
        }
        if entry.flags & (WRITES | EXECUTES) == WRITES | EXECUTES {
            return Err(Error::WriteAndExecute);
        }
        let place = |place: u64| usize::try_from(place).ok();
        let end = entry.offset.checked_add(entry.file_size).and_then(place);
        let range = place(entry.offset).zip(end);
        let bytes = range.and_then(|(begin, end)| image.get(begin..end));
        Ok(Self {
            address: entry.address,
            bytes: bytes.ok_or(Error::Truncated)?,
            size: entry.memory_size,
            flags: entry.flags,
        })
    }

    const fn end(&self) -> u64 {
        self.address + self.size
    }

    /// Constants may be where code is, or where data are.
    fn may_lie_in(&self, room: &Room) -> bool {
        let forbidden = match room.usage {
            Use::Write => EXECUTES,
            Use::Execute => WRITES,
        };
        let end = room.base.saturating_add(room.size);
        self.flags & forbidden == 0 && self.address >= room.base && self.end() <= end
    }

    const fn overlaps(&self, other: &Self) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    /// Whether code that the image brings is located at `address`.
    fn executes(&self, address: u64) -> bool {
        let distance = address.wrapping_sub(self.address);
        self.flags & EXECUTES != 0 && distance < self.bytes.len() as u64
    }
}
