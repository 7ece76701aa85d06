//! Owns: tables of pages on processors that read three levels of 512 words: those of the machine's
//! map, with the guards in it, and those of partitions' maps, which are copies of them on the way
//! to what is a partition's own. Must never know: the bits of an entry; threads.
//!
//! Levels are counted from that of pages on, which is 0; the root is at 2. Entries are read and
//! written whole, also by other processors.

use crate::{Guard, PAGE, UserMaps};
use core::marker::PhantomData;
use core::ops::Range;
use core::ptr;
use core::sync::atomic::{
    AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};
use taktos_machine::{Access, Region};

/// How many entries a table has.
pub const ENTRIES: usize = 512;
/// The level of the root.
pub const ROOT: usize = 2;
/// The bytes that an entry of the middle level maps.
pub const LARGE: usize = ENTRIES * PAGE;

/// A table.
pub type Table = [AtomicUsize; ENTRIES];

/// Form of an entry.
pub trait Format: 'static {
    /// An entry of a page that no code may access, by which the port knows a guard.
    const GUARD: usize;
    /// Returns the entry that leads to the table at `address`.
    fn leading_to(address: usize) -> usize;
    /// Returns the address of the table that `entry` leads to, if it does; it is not one of a page.
    fn table_at(entry: usize) -> Option<usize>;
    /// Whether `entry`, which leads to no table and is not one of a page, maps memory.
    fn is_large(entry: usize) -> bool;
    /// Returns the entry of `level` for what `large` maps `offset` bytes after its beginning.
    fn piece(large: usize, offset: usize, level: usize) -> usize;
}

/// Returns the place of the entry of `address` in a table of `level`.
pub const fn place(address: usize, level: usize) -> usize {
    address >> (12 + 9 * level) & (ENTRIES - 1)
}

/// Some tables, of this form.
#[repr(C, align(4096))]
struct Tables<F, const N: usize>([Table; N], PhantomData<fn() -> F>);

impl<F: Format, const N: usize> Tables<F, N> {
    const fn new() -> Self {
        Self(
            [const { [const { AtomicUsize::new(0) }; ENTRIES] }; N],
            PhantomData,
        )
    }

    /// The one of these tables that `entry` leads to.
    #[inline]
    fn led_to(&self, entry: usize) -> Option<&Table> {
        let offset = F::table_at(entry)?.wrapping_sub(self.0.as_ptr().addr());
        self.0.get(offset / PAGE)
    }
}

/// Returns the entry that leads to `table`.
fn leading_to<F: Format>(table: &Table) -> usize {
    F::leading_to(table.as_ptr().addr())
}

/// The machine's map, in a static: the first of its tables is the root. It is changed with
/// interrupts masked, and by the first processor alone before there are others; then only pages
/// become guards.
pub struct MachineMap<F, const N: usize> {
    tables: Tables<F, N>,
    used: AtomicUsize,
}

impl<F: Format, const N: usize> MachineMap<F, N> {
    /// Creates a map of nothing.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self {
            tables: Tables::new(),
            used: AtomicUsize::new(0),
        }
    }

    /// Whether anything is mapped.
    pub fn is_made(&self) -> bool {
        self.used.load(Relaxed) != 0
    }

    /// The root of the tables.
    pub fn root(&self) -> &Table {
        &self.tables.0[0]
    }

    /// The table of the map that an entry leads to.
    pub fn led_to(&self, entry: usize) -> Option<&Table> {
        self.tables.led_to(entry)
    }

    /// Maps `range`: each piece that an entry of `level` maps by what `entry` says of its address.
    ///
    /// # Panics
    /// If there are no more tables.
    pub fn map(&self, range: Range<usize>, level: usize, entry: impl Fn(usize) -> usize) {
        let size = PAGE << (9 * level);
        for address in (range.start & !(size - 1)..range.end).step_by(size) {
            self.make_place(address, level)
                .store(entry(address), Relaxed);
        }
    }

    /// The entry of `address` at `level`; the tables above it are made.
    fn make_place(&self, address: usize, level: usize) -> &AtomicUsize {
        let mut table = self.root();
        for above in (level + 1..=ROOT).rev() {
            let upper = &table[place(address, above)];
            table = self.led_to(upper.load(Relaxed)).unwrap_or_else(|| {
                let made = &self.tables.0[self.used.fetch_add(1, Relaxed) + 1];
                upper.store(leading_to::<F>(made), Relaxed);
                made
            });
        }
        &table[place(address, level)]
    }

    /// The table of pages that maps `address`, if memory is mapped there in pages.
    fn pages(&self, address: usize) -> Option<&Table> {
        let middle = self.led_to(self.root()[place(address, ROOT)].load(Relaxed))?;
        self.led_to(middle[place(address, 1)].load(Relaxed))
    }

    /// Makes the pages of a guard such, and `forget`s what a processor knew of each. Returns
    /// whether any was none. Bound: fixed.
    #[inline]
    pub fn protect(&self, guard: usize, forget: impl Fn(usize)) -> bool {
        let mut is_new = false;
        let mut table = self.pages(guard);
        for page in Guard::pages(guard) {
            if place(page, 0) == 0 {
                table = self.pages(page);
            }
            let Some(entry) = table
                .map(|table| &table[place(page, 0)])
                .filter(|entry| entry.load(Relaxed) != F::GUARD)
            else {
                continue;
            };
            entry.store(F::GUARD, Relaxed);
            forget(page);
            is_new = true;
        }
        is_new
    }

    /// Returns whether `address` is in a guard.
    pub fn is_guard(&self, address: usize) -> bool {
        self.pages(address)
            .is_some_and(|table| table[place(address, 0)].load(Relaxed) == F::GUARD)
    }
}

/// The machine's map once it is made, in a static: a report of a fault asks this for guards, so
/// that an image that makes no map has no tables, which its start would clear.
pub struct MadeMap<F, const N: usize>(AtomicPtr<MachineMap<F, N>>);

impl<F: Format, const N: usize> MadeMap<F, N> {
    /// No map, which is made later.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// `map` is made. Bound: a store.
    pub fn set(&self, map: &'static MachineMap<F, N>) {
        self.0.store(ptr::from_ref(map).cast_mut(), Release);
    }

    /// Returns whether `address` is in a guard of the map.
    pub fn is_guard(&self, address: usize) -> bool {
        // SAFETY: null, or the reference to a static that `set` was given.
        let map = unsafe { self.0.load(Acquire).as_ref() };
        map.is_some_and(|map| map.is_guard(address))
    }
}

/// The tables that partitions have, in a static.
pub struct UserTables<F, const N: usize> {
    tables: Tables<F, N>,
    maps: UserMaps<N>,
}

impl<F: Format, const N: usize> UserTables<F, N> {
    /// Creates tables that no partition has.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self {
            tables: Tables::new(),
            maps: UserMaps::new(),
        }
    }

    /// As [`UserMaps::of`].
    pub fn of(
        &self,
        regions: &'static [Region],
        make: impl FnOnce(usize) -> Option<usize>,
        made: impl FnOnce(),
    ) -> Option<(usize, usize)> {
        self.maps.of(regions, make, made)
    }

    /// A table for a space.
    fn take(&self, space: usize) -> Option<&Table> {
        Some(&self.tables.0[self.maps.take(space)?])
    }

    /// Returns a copy of a table, for the space `space`.
    pub fn copy(&self, space: usize, from: &Table) -> Option<&Table> {
        let to = self.take(space)?;
        for (to, from) in to.iter().zip(from) {
            to.store(from.load(Relaxed), Relaxed);
        }
        Some(to)
    }

    /// A table of smaller pieces, which say what the entry of `level` says.
    fn split(&self, space: usize, large: usize, level: usize) -> Option<&Table> {
        let pieces = self.take(space)?;
        let size = PAGE << (9 * (level - 1));
        for (number, piece) in pieces.iter().enumerate() {
            piece.store(F::piece(large, number * size, level - 1), Relaxed);
        }
        Some(pieces)
    }

    /// The entry of `page` in the tables of `root`, which are those of the space `space`, and a
    /// copy of those of `machine`: those on the way to it become own ones where they are not yet.
    /// None where nothing is, or if there are no more tables.
    pub fn own_entry<'a, const M: usize>(
        &'a self,
        machine: &MachineMap<F, M>,
        (space, root): (usize, &'a Table),
        page: usize,
    ) -> Option<&'a AtomicUsize> {
        let mut table = root;
        for level in (1..=ROOT).rev() {
            let upper = &table[place(page, level)];
            let found = upper.load(Relaxed);
            table = match self.tables.led_to(found) {
                Some(own) => own,
                None => {
                    let own = match machine.led_to(found) {
                        Some(common) => self.copy(space, common)?,
                        None if F::is_large(found) => self.split(space, found, level)?,
                        None => return None,
                    };
                    upper.store(leading_to::<F>(own), Relaxed);
                    own
                }
            };
        }
        Some(&table[place(page, 0)])
    }

    /// Opens `regions` to their partition, in tables as [`UserTables::own_entry`] says: by what
    /// `opened` makes of each page's entry for an access. None where that makes none, or nothing
    /// is, or if there are no more tables.
    pub fn open<const M: usize>(
        &self,
        machine: &MachineMap<F, M>,
        (space, root): (usize, &Table),
        regions: &[Region],
        opened: impl Fn(usize, Access) -> Option<usize>,
    ) -> Option<()> {
        for region in regions {
            let begin = region.base.addr();
            for page in (begin..begin + region.size).step_by(PAGE) {
                let entry = self.own_entry(machine, (space, root), page)?;
                entry.store(opened(entry.load(Relaxed), region.access)?, Relaxed);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An entry is an address, with bits for a page and for a table.
    enum Form {}

    const PRESENT: usize = 1;
    const TABLE: usize = 2;
    const USER: usize = 4;

    impl Format for Form {
        const GUARD: usize = 8;

        fn leading_to(address: usize) -> usize {
            address | TABLE
        }

        fn table_at(entry: usize) -> Option<usize> {
            (entry & TABLE != 0).then_some(entry & !(PAGE - 1))
        }

        fn is_large(entry: usize) -> bool {
            entry & PRESENT != 0
        }

        fn piece(large: usize, offset: usize, _level: usize) -> usize {
            large + offset
        }
    }

    const BASE: usize = 0x8000_0000;
    const DEVICES: usize = 0x1000_0000;

    #[test]
    fn pages_of_a_guard_are_guards() {
        static MAP: MachineMap<Form, 4> = MachineMap::new();
        static MADE: MadeMap<Form, 4> = MadeMap::new();
        assert!(!MAP.is_made());
        MAP.map(BASE..BASE + 2 * LARGE, 0, |page| page | PRESENT);
        assert!(MAP.is_made());
        // From the last page of a table on.
        let guard = BASE + LARGE - PAGE;
        for (is_new, pages) in [(true, Guard::SIZE / PAGE), (false, 0)] {
            let forgotten = AtomicUsize::new(0);
            let forget = |_| _ = forgotten.fetch_add(1, Relaxed);
            assert_eq!(MAP.protect(guard, forget), is_new);
            assert_eq!(forgotten.load(Relaxed), pages);
        }
        for page in Guard::pages(guard) {
            assert!(MAP.is_guard(page + 8));
            assert!(!MADE.is_guard(page + 8));
        }
        MADE.set(&MAP);
        assert!(MADE.is_guard(guard) && !MADE.is_guard(guard - PAGE));
        assert!(!MAP.is_guard(guard - PAGE) && !MAP.is_guard(guard + Guard::SIZE));
        assert!(!MAP.is_guard(DEVICES));
    }

    #[test]
    fn partition_gets_copies_and_pieces() {
        static MAP: MachineMap<Form, 4> = MachineMap::new();
        static OWN: UserTables<Form, 5> = UserTables::new();
        const MEMORY: &[Region] = &[region(BASE + PAGE), region(DEVICES + 3 * PAGE)];
        const ELSEWHERE: &[Region] = &[region(BASE + LARGE)];
        MAP.map(BASE..BASE + LARGE, 0, |page| page | PRESENT);
        MAP.map(DEVICES..DEVICES + LARGE, 1, |device| device | PRESENT);
        let make = |space, regions: &[Region]| {
            let root = OWN.copy(space, MAP.root())?;
            OWN.open(&MAP, (space, root), regions, |page, _| Some(page | USER))?;
            for (page, expected) in [
                (BASE + PAGE, PRESENT | USER),
                (BASE, PRESENT),
                (DEVICES + 3 * PAGE, PRESENT | USER),
                (DEVICES, PRESENT),
            ] {
                let entry = OWN.own_entry(&MAP, (space, root), page)?;
                assert_eq!(entry.load(Relaxed), page | expected);
            }
            Some(root.as_ptr().addr())
        };
        // Five tables: the root, and two for each region. So there are none for another partition.
        assert!(OWN.of(MEMORY, |space| make(space, MEMORY), || ()).is_some());
        assert!(
            OWN.of(ELSEWHERE, |space| make(space, ELSEWHERE), || ())
                .is_none()
        );
        assert_eq!(
            MAP.pages(BASE).map(|pages| pages[1].load(Relaxed)),
            Some((BASE + PAGE) | PRESENT)
        );
    }

    const fn region(base: usize) -> Region {
        Region {
            base: core::ptr::without_provenance(base),
            size: PAGE,
            access: Access::Read,
        }
    }
}
