//! Places in an image that the clock watches: marks, and the words that name the running threads.
//!
//! Owns: the plan's text form, and which symbols it is made of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;

use object::{Object, ObjectSymbol};
use taktos_abi::layout;
use taktos_cycles::Mark;

use crate::{Error, Watch};

/// The cells of all processors: `current` first in each.
const PROCESSORS: &str = "TAKTOS_PROCESSORS";
/// The cells of the one processor.
const PROCESSOR: &str = "TAKTOS_PROCESSOR";
/// The bit of a symbol's value that says that T32 is there: no instruction begins at an odd
/// address.
const THUMB: u64 = 1;

/// The plan of an image.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// The marks at each marked place, by the place's number less one.
    pub places: Vec<Vec<Arc<Mark>>>,
    addresses: Vec<u64>,
    /// Watched images: the image, then its guests.
    watches: Vec<Watched>,
    before: Option<Range<u64>>,
    /// The word of the lock that is watched.
    lock: Option<u64>,
}

/// The words of one image.
#[derive(Debug, PartialEq, Eq)]
struct Watched {
    cells: Cells,
    information: Option<u64>,
    /// Address of a name itself.
    name: Option<u64>,
    /// Addresses of the words that hold the state of a thread.
    standing: Option<(u64, u64)>,
    bytes: Option<Standing>,
    place: Option<Place>,
}

/// States of the objects that an image's words name, if a byte of each holds its state outside of
/// the object: the hypervisor's virtual processors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The address of the first of them, the distance from each to the next, and how many there
    /// are.
    pub named: (u64, u64, u64),
    /// The address of the first one's byte, and the distance from each byte to the next.
    pub bytes: (u64, u64),
    /// The byte is at least this while it could run.
    pub able: u8,
}

/// Place of an image in a machine's memory, if the image does not have all addresses to itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The physical addresses of its memory.
    pub memory: Range<u64>,
    /// Distance of these addresses from the image's own.
    pub offset: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Cells {
    base: u64,
    stride: u64,
    count: u64,
    /// Bytes of one.
    word: u64,
}

impl Plan {
    /// Returns the plan of an ELF image that runs on this number of processors. `before`: the
    /// place of the machine's own code; `more`: what is watched beyond what the image names.
    pub fn of(
        elf: &[u8],
        processors: usize,
        before: Option<Range<u64>>,
        more: &Watch,
    ) -> Result<Self, Error> {
        let file = object::File::parse(elf).map_err(|cause| Error::Plan(cause.to_string()))?;
        let mut marked: BTreeMap<u64, BTreeSet<Mark>> = BTreeMap::new();
        for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
            if let Some(mark) = symbol.name().ok().and_then(Mark::parse) {
                let places = marked.entry(symbol.address() & !THUMB);
                places.or_default().insert(mark);
            }
        }
        for (address, mark) in &more.marks {
            let places = marked.entry(address & !THUMB);
            places.or_default().insert(mark.clone());
        }
        if marked.len() > usize::from(u16::MAX) {
            let many = marked.len();
            return Err(Error::Plan(format!(
                "{many} marked places; at most 65,535 can be told apart"
            )));
        }
        let shared = |marks: BTreeSet<Mark>| marks.into_iter().map(Arc::new).collect();
        Ok(Self {
            addresses: marked.keys().copied().collect(),
            places: marked.into_values().map(shared).collect(),
            watches: Watched::of(&file, processors, more)?.into_iter().collect(),
            before,
            lock: lock(&file, more)?,
        })
    }

    /// Places the image of the plan at an address in a machine's memory, with bytes that hold the
    /// states of the image's threads.
    pub fn placed(mut self, place: &Place, bytes: Option<Standing>) -> Self {
        for watched in &mut self.watches {
            watched.bytes = bytes;
            watched.place = Some(place.clone());
        }
        self
    }

    /// Watches a guest of the image, too, which has this many virtual processors and is at this
    /// place; returns whether it has anything that can be watched.
    pub fn watch_guest(
        &mut self,
        elf: &[u8],
        processors: usize,
        place: &Place,
    ) -> Result<bool, Error> {
        // Of an image of another form than ELF nothing is known.
        let Ok(file) = object::File::parse(elf) else {
            return Ok(false);
        };
        let watched =
            Watched::of(&file, processors, &Watch::default())?.filter(|_| !self.watches.is_empty());
        let is_watched = watched.is_some();
        self.watches.extend(watched.map(|watched| Watched {
            place: Some(place.clone()),
            ..watched
        }));
        Ok(is_watched)
    }

    /// The form that the clock reads.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        for (number, address) in self.addresses.iter().enumerate() {
            let _ = writeln!(text, "mark {address:x} {}", number + 1);
        }
        for watched in &self.watches {
            watched.add_to(&mut text);
        }
        if let Some(lock) = &self.lock {
            let _ = writeln!(text, "lock {lock:x}");
        }
        if let Some(Range { start, end }) = &self.before {
            let _ = writeln!(text, "before {start:x} {:x}", end - start);
        }
        text
    }
}

impl Watched {
    fn of(file: &object::File<'_>, processors: usize, more: &Watch) -> Result<Option<Self>, Error> {
        let own = cells(file, processors as u64)?;
        let name = more.name.filter(|_| own.is_none());
        let named = || more.current.map(|base| Cells::one(base, word(file)));
        Ok(own.or_else(named).map(|cells| Self {
            cells,
            name,
            information: offset(file, layout::INFORMATION),
            standing: offset(file, layout::URGENCY).zip(offset(file, layout::WAIT)),
            bytes: None,
            place: None,
        }))
    }

    fn add_to(&self, text: &mut String) {
        let Cells {
            base,
            stride,
            count,
            word,
        } = self.cells;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "watch {base:x} {stride} {count} {word}");
        if let Some(offset) = self.information {
            let _ = writeln!(text, "information {offset}");
        }
        if let Some(offset) = self.name {
            let _ = writeln!(text, "called {offset}");
        }
        if let Some((urgency, wait)) = self.standing {
            let _ = writeln!(text, "standing {urgency} {wait} {}", layout::HELD);
        }
        if let Some(Standing { named, bytes, able }) = &self.bytes {
            let ((first, stride, count), (byte, step)) = (named, bytes);
            let _ = writeln!(
                text,
                "bytes {first:x} {stride} {count} {byte:x} {step} {able}"
            );
        }
        if let Some(Place { memory, offset }) = &self.place {
            let (start, size) = (memory.start, memory.end - memory.start);
            let _ = writeln!(text, "physical {start:x} {size:x} {offset:x}");
        }
    }
}

impl Cells {
    const fn one(base: u64, word: u64) -> Self {
        Self {
            base,
            stride: 2 * word,
            count: 1,
            word,
        }
    }
}

/// Bytes of an address.
fn word(file: &object::File<'_>) -> u64 {
    if file.is_64() { 8 } else { 4 }
}

/// Returns whether the control blocks of an image hold names, as a person states: an image that
/// names its threads itself has them elsewhere.
pub(crate) fn names_lie_in_blocks(file: &object::File<'_>, more: &Watch) -> bool {
    let own = [PROCESSORS, PROCESSOR];
    more.name.is_some() && own.into_iter().all(|name| value(file, name).is_none())
}

/// Returns where the cells are: an array if there are several, the kernel's own if there is one.
fn cells(file: &object::File<'_>, processors: u64) -> Result<Option<Cells>, Error> {
    let word = word(file);
    let Some((base, size)) = value(file, PROCESSORS) else {
        return Ok(value(file, PROCESSOR).map(|(base, _)| Cells::one(base, word)));
    };
    // An image that does not state their distance has nothing after them.
    let told = offset(file, layout::PROCESSOR);
    let stride = told.unwrap_or(size / processors);
    let fits = match told {
        Some(_) => stride * processors <= size,
        None => stride * processors == size,
    };
    // A processor has two cells.
    if !fits || stride < 2 * word {
        return Err(Error::Plan(format!(
            "{PROCESSORS} of {size} bytes does not hold the cells of {processors} processors; \
             run it on as many as it is made for"
        )));
    }
    Ok(Some(Cells {
        base,
        stride,
        count: processors,
        word,
    }))
}

/// The lock that is to be watched.
fn lock(file: &object::File<'_>, more: &Watch) -> Result<Option<u64>, Error> {
    if !more.holds {
        return Ok(None);
    }
    let lock = value(file, layout::LOCK).map(|(lock, _)| lock);
    let none = || Error::Plan(format!("the image names no lock by {}", layout::LOCK));
    lock.map(Some).ok_or_else(none)
}

/// The value of a symbol that is an offset.
fn offset(file: &object::File<'_>, name: &str) -> Option<u64> {
    value(file, name).map(|(offset, _)| offset)
}

/// A symbol's value and size.
fn value(file: &object::File<'_>, name: &str) -> Option<(u64, u64)> {
    let symbol = file
        .symbols()
        .find(|symbol| symbol.name() == Ok(name) && !symbol.is_undefined())?;
    Some((symbol.address(), symbol.size()))
}

#[cfg(test)]
pub(crate) mod tests {
    use object::write;

    use super::*;
    use taktos_cycles::Edge;

    /// An image without code, with these symbols: name, value, size.
    pub fn image(symbols: &[(&str, u64, u64)]) -> Vec<u8> {
        image_of(object::Architecture::Aarch64, symbols)
    }

    fn image_of(architecture: object::Architecture, symbols: &[(&str, u64, u64)]) -> Vec<u8> {
        let mut file = write::Object::new(
            object::BinaryFormat::Elf,
            architecture,
            object::Endianness::Little,
        );
        for (name, value, size) in symbols {
            file.add_symbol(write::Symbol {
                name: (*name).into(),
                value: *value,
                size: *size,
                kind: object::SymbolKind::Data,
                scope: object::SymbolScope::Linkage,
                weak: false,
                section: write::SymbolSection::Absolute,
                flags: object::SymbolFlags::None,
            });
        }
        file.write().unwrap()
    }

    #[test]
    fn an_image_tells_how_far_its_cells_lie_apart() {
        let symbols = [(PROCESSORS, 0x4000, 4096), (layout::PROCESSOR, 128, 0)];
        let of = |processors| Plan::of(&image(&symbols), processors, None, &Watch::default());
        assert_eq!(of(4).unwrap().to_text(), "watch 4000 128 4 8\n");
        assert!(of(64).is_err());
    }

    #[test]
    fn an_array_of_cells_is_cut_by_the_number_of_processors() {
        let elf = image(&[
            (PROCESSORS, 0x4000, 256),
            (PROCESSOR, 0x8000, 0x4000),
            (layout::INFORMATION, 128, 0),
            (layout::URGENCY, 40, 0),
            (layout::WAIT, 48, 0),
            ("taktos.mark.wake.begin.2", 0x1_4000_0010, 0),
            ("taktos.mark.wake.begin.3", 0x1000, 0),
            ("taktos.mark.give.end", 0x1000, 0),
        ]);
        let none = Watch::default();
        let plan = Plan::of(&elf, 4, Some(0x1000..0x1_0000), &none).unwrap();
        assert_eq!(
            plan.to_text(),
            "mark 1000 1\nmark 140000010 2\nwatch 4000 64 4 8\ninformation 128\nstanding 40 48 83886080\nbefore 1000 f000\n"
        );
        let edges: Vec<_> = plan.places[0].iter().map(|mark| mark.edge).collect();
        assert_eq!(edges, [Edge::End, Edge::Begin]);
        // Another mark at a marked place is one more there; places keep their order.
        let marks = [("start", 0x2000), ("same", 0x1000)];
        let marks = marks.map(|(name, at)| (at, Mark::point(name)));
        let more = Plan::of(&elf, 4, None, &Watch::marks(marks.into())).unwrap();
        assert!(more.to_text().starts_with("mark 1000 1\nmark 2000 2\n"));
        assert_eq!(&*more.places[0][2].name, "same");
        assert_eq!(&*more.places[1][0].name, "start");
        let error = Plan::of(&elf, 3, None, &none).unwrap_err().to_string();
        assert!(error.contains("256 bytes"), "{error}");
        assert!(error.contains("3 processors"), "{error}");
    }

    #[test]
    fn an_image_of_32_bits_has_its_words_and_marks_at_its_instructions() {
        let elf = image_of(
            object::Architecture::Arm,
            &[
                (PROCESSOR, 0x2000_0000, 0x400),
                ("taktos.point.start", 0x101, 0),
            ],
        );
        let plan = Plan::of(&elf, 1, None, &Watch::default()).unwrap();
        assert_eq!(plan.to_text(), "mark 100 1\nwatch 20000000 8 1 4\n");
    }

    #[test]
    fn a_guest_is_watched_where_it_lies() {
        let elf = |at| image(&[(PROCESSOR, at, 64), (layout::INFORMATION, 128, 0)]);
        let place = |start: u64, offset| Place {
            memory: start..start + 0x1000,
            offset,
        };
        let plan = Plan::of(&elf(0x4000), 1, None, &Watch::default());
        let bytes = Standing {
            named: (0x4400, 64, 16),
            bytes: (0x4800, 48),
            able: 2,
        };
        let mut plan = plan.unwrap().placed(&place(0x4000, 0), Some(bytes));
        let there = place(0x9000, 0x8000);
        assert!(plan.watch_guest(&elf(0x1000), 1, &there).unwrap());
        for silent in [image(&[]), b"Linux".to_vec()] {
            assert!(!plan.watch_guest(&silent, 1, &there).unwrap());
        }
        assert_eq!(
            plan.to_text(),
            "watch 4000 16 1 8\ninformation 128\nbytes 4400 64 16 4800 48 2\nphysical 4000 1000 0\n\
             watch 1000 16 1 8\ninformation 128\nphysical 9000 1000 8000\n"
        );
    }

    #[test]
    fn as_many_places_are_marked_as_can_be_told_apart() {
        for (places, fit) in [(65_535, true), (65_536, false)] {
            let mark = |place: u64| (2 * place, Mark::point("a"));
            let more = Watch::marks((0..places).map(mark).collect());
            let plan = Plan::of(&image(&[]), 1, None, &more);
            assert_eq!(plan.is_ok_and(|plan| plan.places.len() == 65_535), fit);
        }
    }

    #[test]
    fn without_the_array_the_one_processor_is_watched() {
        let one = image(&[(PROCESSOR, 0x8000, 0x4000)]);
        let text =
            |elf: &[u8], more: &Watch| Plan::of(elf, 1, None, more).map(|plan| plan.to_text());
        let none = Watch::default();
        assert_eq!(text(&one, &none).unwrap(), "watch 8000 16 1 8\n");
        assert_eq!(text(&image(&[]), &none).unwrap(), "");
        assert!(text(b"no ELF", &none).is_err());
        // The image's own statements come first.
        let other = Watch {
            current: Some(0x9000),
            name: Some(52),
            ..Watch::default()
        };
        assert_eq!(text(&one, &other).unwrap(), "watch 8000 16 1 8\n");
        let told = "watch 9000 16 1 8\ncalled 52\n";
        assert_eq!(text(&image(&[]), &other).unwrap(), told);
    }
}
