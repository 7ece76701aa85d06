//! Owns: the memory map: where what may be accessed, and the guards below stacks.
//! Must never know: whose stack it is.
//!
//! Addresses are what they are physically. Nothing is mapped at zero: a null pointer faults. Code and constants
//! cannot be written, and nothing but code can be executed. Memory is mapped in pages, so that any of them can become
//! a guard while the map is in use.

use crate::board::Board;
use crate::processors::protect_stacks;
use aarch64_paging::Mapping;
use aarch64_paging::descriptor::{El1Attributes, PhysicalAddress};
use aarch64_paging::paging::{Constraints, El1And0, MemoryRegion, PageTable, Translation, VaRange};
use core::arch::asm;
use core::cell::UnsafeCell;
use core::ops::Range;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
pub(crate) use taktos_arch_common::PAGE;

/// The level of the root: 39 bits of address, as the start-up code has set.
pub(crate) const ROOT_LEVEL: usize = 1;
pub(crate) const LAST_LEVEL: usize = 3;
pub(crate) const ENTRIES: usize = 512;
/// An entry that leads to a table, and the bits of its address.
pub(crate) const TABLE: usize = 0b11;
pub(crate) const ADDRESS: usize = 0x0000_FFFF_FFFF_F000;
/// A table of a map: its entries are read and written whole.
pub(crate) type Table = [AtomicUsize; ENTRIES];
/// One for each 2 MiB of the largest memory that a board may have, and those above them.
const TABLES: usize = 64 + 4;

/// The start-up code's two kinds of memory: devices, and ordinary memory that is written back.
const DEVICE: El1Attributes = El1Attributes::ATTRIBUTE_INDEX_0
    .union(PRESENT)
    .union(El1Attributes::PXN);
const DATA: El1Attributes = MEMORY.union(El1Attributes::PXN);
const CONSTANT: El1Attributes = DATA.union(El1Attributes::READ_ONLY);
const CODE: El1Attributes = MEMORY.union(El1Attributes::READ_ONLY);
const MEMORY: El1Attributes = El1Attributes::ATTRIBUTE_INDEX_1
    .union(El1Attributes::INNER_SHAREABLE)
    .union(PRESENT);
const PRESENT: El1Attributes = El1Attributes::VALID
    .union(El1Attributes::ACCESSED)
    .union(El1Attributes::UXN);
/// A page that nobody may touch: the processor looks at the lowest bit alone, we at this one.
const GUARD_PAGE: El1Attributes = El1Attributes::SWFLAG_0;

type Map = Mapping<Pool, El1And0>;

/// Tables are taken from a static, and never given back.
struct Pool {
    used: usize,
}

struct Tables(UnsafeCell<[PageTable<El1Attributes>; TABLES]>);

// SAFETY: reached through the one pool alone.
unsafe impl Sync for Tables {}

static TABLE_MEMORY: Tables = Tables(UnsafeCell::new([const { PageTable::EMPTY }; TABLES]));

impl Translation<El1Attributes> for Pool {
    fn allocate_table(&mut self) -> (NonNull<PageTable<El1Attributes>>, PhysicalAddress) {
        assert!(self.used < TABLES, "the memory map needs more tables");
        let first = TABLE_MEMORY.0.get().cast::<PageTable<El1Attributes>>();
        // SAFETY: below the number of tables, so within the static, and not zero.
        let table = unsafe { NonNull::new_unchecked(first.add(self.used)) };
        self.used += 1;
        (table, PhysicalAddress(table.addr().get()))
    }

    unsafe fn deallocate_table(&mut self, _: NonNull<PageTable<El1Attributes>>) {}

    fn physical_to_virtual(&self, address: PhysicalAddress) -> NonNull<PageTable<El1Attributes>> {
        let offset = address.0 - TABLE_MEMORY.0.get().addr();
        // SAFETY: the map hands in addresses of its own tables only, which lie in the static.
        unsafe { NonNull::new_unchecked(TABLE_MEMORY.0.get().byte_add(offset).cast()) }
    }
}

struct TheMap(UnsafeCell<Option<Map>>);

// SAFETY: written once, by the first `protect`, before the first thread and other processors start.
unsafe impl Sync for TheMap {}

static MAP: TheMap = TheMap(UnsafeCell::new(None));

unsafe extern "C" {
    // The limits of code and of constants, by the start-up code's linker script.
    static text_begin: u8;
    static text_end: u8;
    static rodata_begin: u8;
    static rodata_end: u8;
}

/// The map, if it was made.
fn map() -> Option<&'static Map> {
    // SAFETY: it is not written any more once there are others to read it.
    unsafe { (*MAP.0.get()).as_ref() }
}

/// The map, which is made at the first time.
fn map_or_make<B: Board>() -> &'static Map {
    match map() {
        Some(map) => map,
        // SAFETY: the first use, by the start-up code alone; nothing refers to the map yet.
        None => unsafe { (*MAP.0.get()).insert(make::<B>()) },
    }
}

fn make<B: Board>() -> Map {
    const { assert!(B::MEMORY.end - B::MEMORY.start <= 128 << 20) };
    let mut made =
        Mapping::with_asid_and_va_range(Pool { used: 0 }, 0, ROOT_LEVEL, El1And0, VaRange::Lower);
    set(
        &mut made,
        B::DEVICES,
        DEVICE,
        Constraints::NO_CONTIGUOUS_HINT,
    );
    if const { B::SHARED.start < B::SHARED.end } {
        set(&mut made, B::SHARED, DATA, Constraints::NO_CONTIGUOUS_HINT);
    }
    set(&mut made, B::MEMORY, DATA, PAGES);
    set(&mut made, code(), CODE, PAGES);
    set(&mut made, constants(), CONSTANT, PAGES);
    made
}

/// The pages of code.
pub(crate) fn code() -> Range<usize> {
    (&raw const text_begin).addr()..(&raw const text_end).addr().next_multiple_of(PAGE)
}

/// The pages of constants.
pub(crate) fn constants() -> Range<usize> {
    (&raw const rodata_begin).addr()..(&raw const rodata_end).addr().next_multiple_of(PAGE)
}

const PAGES: Constraints = Constraints::NO_BLOCK_MAPPINGS.union(Constraints::NO_CONTIGUOUS_HINT);

fn set(map: &mut Map, range: Range<usize>, attributes: El1Attributes, constraints: Constraints) {
    let region = MemoryRegion::new(range.start, range.end);
    let done = map.map_range(
        &region,
        PhysicalAddress(range.start),
        attributes,
        constraints,
    );
    assert!(done.is_ok(), "the memory map cannot be made so");
}

/// Makes a guard, which is a page, such. Bound: fixed, but for the first one, before which the map is made. Needs little
/// stack: a thread that starts another one comes here.
pub(crate) fn protect<B: Board>(guard: usize) {
    let root = map_or_make::<B>().root_address().0;
    if let Some(entry) = page_entry(root, guard) {
        entry.store(GUARD_PAGE.bits(), Relaxed);
        forget(guard);
    }
}

/// Whether `address` lies in a guard.
pub(crate) fn is_guard(address: usize) -> bool {
    let entry = root().and_then(|root| page_entry(root, address));
    entry.is_some_and(|entry| entry.load(Relaxed) == GUARD_PAGE.bits())
}

/// The address of the root of the map's tables, if the map was made.
pub(crate) fn root() -> Option<usize> {
    map().map(|map| map.root_address().0)
}

/// The entry of a page of memory: at the third level of tables.
pub(crate) fn page_entry(root: usize, address: usize) -> Option<&'static AtomicUsize> {
    let mut entry = entry_of(root, address, ROOT_LEVEL)?;
    for level in ROOT_LEVEL + 1..=LAST_LEVEL {
        let upper = entry.load(Relaxed);
        if upper & TABLE != TABLE {
            return None;
        }
        entry = entry_of(upper & ADDRESS, address, level)?;
    }
    Some(entry)
}

/// What a table of the given level, which lies at `table`, says of `address`.
fn entry_of(table: usize, address: usize, level: usize) -> Option<&'static AtomicUsize> {
    Some(&self::table(table)?[place(address, level)])
}

/// The table of the map that lies at `address`, if one does.
pub(crate) fn table(address: usize) -> Option<&'static Table> {
    let number = address.wrapping_sub(TABLE_MEMORY.0.get().addr()) / PAGE;
    let tables = TABLE_MEMORY.0.get().cast::<Table>();
    // SAFETY: the table is one of the static's; entries are words that are read and written whole.
    (number < TABLES).then(|| unsafe { &*tables.add(number) })
}

/// Where in a table of the given level the entry of `address` is.
pub(crate) const fn place(address: usize, level: usize) -> usize {
    address >> (12 + 9 * (LAST_LEVEL - level)) & (ENTRIES - 1)
}

/// Makes the processors forget what they knew of `address`.
fn forget(address: usize) {
    // SAFETY: drops one translation, which is read again from the tables when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "tlbi vaae1is, {page}",
            "dsb ish",
            "isb",
            page = in(reg) address / PAGE,
            options(nostack, preserves_flags),
        );
    }
}

/// Makes the processors forget all that they knew of any map.
pub(crate) fn forget_all() {
    // SAFETY: drops translations, which are read again from the tables when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "tlbi vmalle1is",
            "dsb ish",
            "isb",
            options(nostack, preserves_flags),
        );
    }
}

/// Switches from the start-up code's map to the whole one, with guards below the stacks of handlers.
pub(crate) fn start<B: Board>() {
    crate::vectors::install();
    protect_stacks::<B>();
    activate();
}

/// Switches from the start-up code's map to the whole one.
pub(crate) fn activate() {
    if let Some(map) = map() {
        // SAFETY: it maps the code that runs, its data and its stack to where they are.
        unsafe { map.activate() };
    }
}
