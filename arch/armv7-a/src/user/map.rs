//! Owns: the maps of partitions: their tables.
//! Must never know: threads. Tables: ARMv7-A manual, B3.5.
//!
//! A partition's map is the kernel's, of which the tables on the way to its own pages are copies.
//! Its pages, and these alone, are open to user mode there. All but code and constants, which are
//! the same in all maps, is of an address space in each map, so that no processor takes one map's
//! word for another's: the kernel's is number 0, of which [`memory::protect`] forgets pages. Code
//! of a partition's own is executed in its map alone: in the kernel's, and in others', it is data.
//!
//! Tables are read past the caches, so what is written to them is cleaned out, and what a processor
//! may remember of a map is dropped where the kernel's changes (B3.10.1). Those of a partition are
//! made once, for a number that nothing was looked up by. All maps lead to the same memory by the
//! same addresses with the same attributes: nothing is to be done about caches when one is loaded
//! (B3.11).

use super::masked;
use crate::board::Board;
use crate::memory::{
    self, CODE_PAGE, CONSTANT_PAGE, DATA_PAGE, DEVICE_SECTION, FirstLevel, KIND, MEGABYTE, PAGE,
    PAGES, SecondLevel, TABLE, TABLES,
};
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
pub use taktos_arch_common::{PAGED as RULES, UserMap as Map};
use taktos_arch_common::{PARTITIONS as MOST, UserMaps};
use taktos_machine::{Access, Region};

/// The tables of pages that partitions have: two for memory, one for a device, one to spare.
const SECOND_LEVEL_TABLES: usize = 4 * MOST;

/// The rights of a page (`AP[1:0]`): of the privileged modes alone, user mode's to read, to read
/// and to write.
const RIGHTS: u32 = 0b11 << 4;
const PRIVILEGED: u32 = 0b01 << 4;
const READ: u32 = 0b10 << 4;
const WRITE: u32 = 0b11 << 4;
/// Bits that let user mode read pages that no code may write.
const OPEN: u32 = 0b10 << 4;
/// That a page, or a section, is of an address space.
const OF_SPACE: u32 = 1 << 11;
const SECTION_OF_SPACE: u32 = 1 << 17;
/// A page of device registers, not executable.
const DEVICE_PAGE: u32 = 0b1_0111;
/// That a page is not to be executed (XN, of a small page).
const NEVER_EXECUTED: u32 = 1;
/// The bits of an entry that are not an address.
const ATTRIBUTES: u32 = 0xFFF;

/// Maps and their tables of pages. In the value to load, the number of the address space is in the
/// lowest eight bits.
static MAPS: UserMaps<SECOND_LEVEL_TABLES> = UserMaps::new();

struct Tables {
    first: [FirstLevel; MOST],
    second: [SecondLevel; SECOND_LEVEL_TABLES],
    /// The kernel's, of devices that partitions have.
    devices: [SecondLevel; MOST],
    used_devices: AtomicUsize,
}

// SAFETY: each is written by the one thread that makes a map of it, before it is loaded; afterwards
// masked.
unsafe impl Sync for Tables {}

static OWN: Tables = Tables {
    first: [const { FirstLevel::EMPTY }; MOST],
    second: [const { SecondLevel::EMPTY }; SECOND_LEVEL_TABLES],
    devices: [const { SecondLevel::EMPTY }; MOST],
    used_devices: AtomicUsize::new(0),
};

/// A table for the pages of a device, which stays one: all maps lead there.
fn table_of_device() -> Option<&'static SecondLevel> {
    let next = |used| (used < MOST).then_some(used + 1);
    let place = OWN.used_devices.fetch_update(Relaxed, Relaxed, next).ok()?;
    Some(&OWN.devices[place])
}

/// The map of `regions`, which is made at the first time.
pub fn of(regions: &'static [Region]) -> Option<Map> {
    let (number, root) = MAPS.of(regions, |space| make(space, regions), || ())?;
    Some(Map(root | number))
}

/// Returns the address of the first of new tables, those of the space `space`. None if there are no
/// more tables, or if a region is at an address without memory.
fn make(space: usize, regions: &[Region]) -> Option<usize> {
    let root = &OWN.first[space - 1];
    fill(&root.0, |section| TABLES.first.0[section].get());
    // Devices come last: for them the kernel's tables change, which stay so.
    for is_device in [false, true] {
        let alike = |region: &&Region| (region.access == Access::Device) == is_device;
        for region in regions.iter().filter(alike) {
            add(space, root, region)?;
        }
    }
    Some(core::ptr::from_ref(root).addr())
}

fn add(space: usize, root: &'static FirstLevel, region: &Region) -> Option<()> {
    let begin = region.base.addr();
    for page in (begin..begin + region.size).step_by(PAGE) {
        let entry = own_entry(space, root, page)?;
        memory::write(entry, with_rights(entry.get(), region.access)?);
    }
    Some(())
}

/// The entry of a page that its partition may use; none where it is neither memory nor a device's,
/// nor where one region has it to execute and another one has it, too, or where a device is to be
/// executed.
fn with_rights(page: u32, access: Access) -> Option<u32> {
    let is_new = page & RIGHTS == PRIVILEGED;
    let is_of = |kind: u32| page & ATTRIBUTES & !RIGHTS | PRIVILEGED == kind | OF_SPACE;
    let is_own = match access {
        Access::Execute => is_new && is_of(DATA_PAGE),
        _ => is_of(DATA_PAGE) || is_of(DEVICE_PAGE),
    };
    let (rights, execution) = match access {
        Access::Execute => (READ, 0),
        // Another region may have it to write.
        Access::Read if !is_new => (page & RIGHTS, NEVER_EXECUTED),
        Access::Read => (READ, NEVER_EXECUTED),
        Access::Write | Access::Device => (WRITE, NEVER_EXECUTED),
    };
    is_own.then_some(page & !(RIGHTS | NEVER_EXECUTED) | rights | execution)
}

/// Makes the processor execute newly written code (ARMv7-A manual, A3.5.4 and B2.2.9): the data
/// cache is cleaned to the point where instructions are fetched. Instructions fetched from there
/// before, and predictions of their branches, are dropped. A partition's address of its code is the
/// kernel's, so no line of the instruction cache is located under another one.
pub fn code_was_written(base: usize, size: usize) {
    /// Where the shortest lines of the caches stand (`CTR.IminLine`, `CTR.DminLine`): the
    /// logarithms of their words of four bytes.
    const OF_INSTRUCTIONS: u32 = 0;
    const OF_DATA: u32 = 16;
    let kinds: usize;
    // SAFETY: reads a register (CTR).
    unsafe {
        asm!("mrc p15, 0, {}, c0, c0, 1", out(reg) kinds, options(nomem, nostack, preserves_flags))
    };
    let lines = |place: u32| {
        let line = 4 << (kinds >> place & 0xF);
        (base & !(line - 1)..base + size).step_by(line)
    };
    for line in lines(OF_DATA) {
        // SAFETY: cleans a line (DCCMVAU).
        unsafe {
            asm!("mcr p15, 0, {}, c7, c11, 1", in(reg) line, options(nostack, preserves_flags))
        };
    }
    // SAFETY: waits for it.
    unsafe { asm!("dsb", options(nostack, preserves_flags)) };
    for line in lines(OF_INSTRUCTIONS) {
        // SAFETY: drops what is fetched again when needed (ICIMVAU).
        unsafe {
            asm!("mcr p15, 0, {}, c7, c5, 1", in(reg) line, options(nostack, preserves_flags))
        };
    }
    // SAFETY: drops what was foretold (BPIALL), and waits until all that counts.
    unsafe {
        asm!("mcr p15, 0, {}, c7, c5, 6", "dsb", "isb", in(reg) 0, options(nostack, preserves_flags))
    };
}

/// The entry of `page` in the tables of `root`, which are those of the space `space`: that of its
/// megabyte becomes an own one where it is not yet. None where nothing is.
fn own_entry(space: usize, root: &'static FirstLevel, page: usize) -> Option<&'static Cell<u32>> {
    let section = &root.0[page / MEGABYTE];
    let own = match table(section.get(), &OWN.second) {
        Some(own) => own,
        None => {
            let common = common_table(page / MEGABYTE)?;
            let own = &OWN.second[MAPS.take(space)?];
            fill(&own.0, |page| common.0[page].get());
            memory::write(section, leading_to(own));
            own
        }
    };
    Some(&own.0[page % MEGABYTE / PAGE])
}

/// The kernel's table of the pages of a megabyte; none where nothing is. Devices become pages here,
/// and in all maps: what is a page in one map is to be none of a section in another one, for the
/// way from one to the other.
fn common_table(megabyte: usize) -> Option<&'static SecondLevel> {
    let entry = &TABLES.first.0[megabyte];
    let find = || {
        let found = entry.get();
        table(found, &TABLES.second).or_else(|| table(found, &OWN.devices))
    };
    let base = megabyte * MEGABYTE;
    let section = base as u32 | DEVICE_SECTION | SECTION_OF_SPACE;
    if entry.get() == section {
        let pages = table_of_device()?;
        fill(&pages.0, pages_from(base, DEVICE_PAGE));
        masked(|| {
            for map in core::iter::once(&TABLES.first).chain(&OWN.first) {
                let entry = &map.0[megabyte];
                if entry.get() == section {
                    memory::write(entry, leading_to(pages));
                }
            }
            forget_all();
        });
    }
    find()
}

/// The table of `tables` that an entry leads to.
fn table(entry: u32, tables: &'static [SecondLevel]) -> Option<&'static SecondLevel> {
    let address = (entry & !(size_of::<SecondLevel>() as u32 - 1)) as usize;
    let distance = address.wrapping_sub(tables.as_ptr().addr());
    tables
        .get(distance / size_of::<SecondLevel>())
        .filter(|_| entry & KIND == TABLE)
}

fn leading_to(table: &SecondLevel) -> u32 {
    core::ptr::from_ref(table).addr() as u32 | TABLE
}

/// Returns the function from a page to its entry in a table, for pages of one kind from `base` on.
fn pages_from(base: usize, kind: u32) -> impl Fn(usize) -> u32 {
    move |page| (base + page * PAGE) as u32 | kind | OF_SPACE
}

/// Writes a table that no processor reads yet.
fn fill(entries: &[Cell<u32>], value: impl Fn(usize) -> u32) {
    /// The words of the shortest line that a cache has.
    const LINE: usize = 8;
    for (place, entry) in entries.iter().enumerate() {
        entry.set(value(place));
    }
    for line in entries.chunks(LINE) {
        // SAFETY: cleans a line from the data cache, past which tables are read.
        unsafe {
            asm!("mcr p15, 0, {}, c7, c10, 1", in(reg) line.as_ptr(), options(nostack, preserves_flags));
        }
    }
    // SAFETY: waits for all that.
    unsafe { asm!("dsb", options(nostack, preserves_flags)) };
}

/// Lets user mode execute code and read constants, and makes all else belong to the address space
/// of the kernel's map, which this thread has.
///
/// Megabytes become pages here where they are not: a guard that comes later is a page's entry, and
/// does not make pages that are of no address space. Other threads may run meanwhile, and make
/// guards. Says whether there was anything to do.
pub fn open<B: Board>() -> bool {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Relaxed) {
        return false;
    }
    set_space(0);
    divide_memory::<B>();
    for section in &TABLES.first.0 {
        match table(section.get(), &TABLES.second) {
            Some(pages) => pages.0.iter().for_each(|page| change(page, opened)),
            None => change(section, of_space),
        }
    }
    forget_all();
    DONE.store(true, Relaxed);
    true
}

/// Changes an entry of the kernel's, if it becomes another one. Nothing else changes it meanwhile.
fn change(entry: &Cell<u32>, becomes: fn(u32) -> Option<u32>) {
    if becomes(entry.get()).is_none() {
        return;
    }
    masked(|| {
        if let Some(changed) = becomes(entry.get()) {
            memory::write(entry, changed);
        }
    });
}

fn opened(page: u32) -> Option<u32> {
    match page & ATTRIBUTES {
        CODE_PAGE | CONSTANT_PAGE => Some(page | OPEN),
        DATA_PAGE => Some(page | OF_SPACE),
        _ => None,
    }
}

fn of_space(section: u32) -> Option<u32> {
    const SECTION: u32 = 0b10;
    (section & (KIND | SECTION_OF_SPACE) == SECTION).then_some(section | SECTION_OF_SPACE)
}

/// Divides the memory into pages, where it is not: what is not divided has neither code nor guards.
fn divide_memory<B: Board>() {
    let mut spare = None;
    for base in B::MEMORY.step_by(MEGABYTE) {
        let section = &TABLES.first.0[base / MEGABYTE];
        let is_divided = || section.get() & KIND == TABLE;
        if is_divided() {
            continue;
        }
        let pages = spare.take().unwrap_or_else(|| masked(memory::next_table));
        fill(&pages.0, pages_from(base, DATA_PAGE));
        masked(|| {
            if is_divided() {
                spare = Some(pages);
                return;
            }
            memory::write(section, leading_to(pages));
            memory::forget(base);
        });
    }
}

/// Activates the address space `number`.
fn set_space(number: u32) {
    // SAFETY: nothing is of an address space yet, or this is the number already (CONTEXTIDR).
    unsafe {
        asm!("mcr p15, 0, {}, c13, c0, 1", "isb", in(reg) number, options(nostack, preserves_flags));
    }
}

/// Makes the processor forget all that it knew of any map.
fn forget_all() {
    // SAFETY: drops translations, which are read again from the tables when needed (TLBIALL).
    unsafe {
        asm!(
            "mcr p15, 0, {}, c8, c7, 0",
            "dsb",
            "isb",
            in(reg) 0,
            options(nostack, preserves_flags),
        );
    }
}

const _: () = assert!(PAGES * PAGE == MEGABYTE && MOST < super::loaded::NOBODY as usize);
