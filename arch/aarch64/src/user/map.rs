//! Owns: the maps of partitions: their tables, and which is loaded.
//! Must never know: threads. Tables: Arm ARM, DDI 0487, D8.3.
//!
//! A partition's map is the kernel's, of which the tables on the way to its own pages are copies. Its pages, and these alone, are its own at
//! EL0 there. They are of its address space: in each other map, the kernel's among them, they are of that one's, too, so that no processor
//! takes one map's word for another's. All else is the same in all maps.

use crate::interrupt;
use crate::memory::{
    self, ADDRESS, ENTRIES, LAST_LEVEL, PAGE, ROOT_LEVEL, TABLE, Table, code, constants,
    forget_all, place,
};
use aarch64_cpu::registers::{Readable, TTBR0_EL1};
use aarch64_paging::descriptor::El1Attributes;
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use taktos_machine::{Access, Region, RegionRules, Spaces};

/// How many partitions there can be, and the tables that they have: three where all of one lies within 2 MiB.
const MOST: usize = 16;
const TABLES: usize = 4 * MOST;

/// What the tables demand.
pub const RULES: RegionRules = RegionRules {
    most: 8,
    smallest: PAGE,
    powers_of_two: false,
};

/// What is loaded for a partition: `TTBR0_EL1`, the root of its tables and the number of its address space.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Map(usize);

impl Map {
    /// That of a partition that was never started.
    pub const NONE: Self = Self(0);
}

/// Where the number of an address space begins in that register.
const SPACE: u32 = 48;

/// The partition whose map is loaded, or none; and what is loaded for the kernel.
#[repr(C, align(16))]
pub struct Loaded {
    partition: Cell<usize>,
    kernel: Cell<usize>,
}

// SAFETY: the former is written by the switch alone, which nothing of its kind interrupts, the latter before there is anything to switch.
unsafe impl Sync for Loaded {}

pub static LOADED: Loaded = Loaded {
    partition: Cell::new(0),
    kernel: Cell::new(0),
};

/// Keeps what is loaded, which is the kernel's map: this is a thread with privilege.
pub fn keep_kernel() {
    LOADED.kernel.set(TTBR0_EL1.get() as usize);
}

static SPACES: Spaces<MOST> = Spaces::new();

#[repr(C, align(4096))]
struct Tables([Table; TABLES]);

static OWN_TABLES: Tables = Tables([const { [const { AtomicUsize::new(0) }; ENTRIES] }; TABLES]);
static USED: AtomicUsize = AtomicUsize::new(0);

/// The map of `regions`, which is made at the first time.
pub fn of(regions: &'static [Region]) -> Option<Map> {
    let made = || {
        let root = make(regions);
        forget_all();
        root
    };
    let (number, root) = SPACES.find(regions.as_ptr().addr(), made)?;
    Some(Map(root | number << SPACE))
}

/// The address of the root of new tables; none where there are no more, or a region lies where nothing is.
fn make(regions: &[Region]) -> Option<usize> {
    let root = copy(kernel()?)?;
    for region in regions {
        let begin = region.base.addr();
        for page in (begin..begin + region.size).step_by(PAGE) {
            let common = separate(page)?;
            own_entry(root, page)?.store(common | rights(region.access), Relaxed);
        }
    }
    Some(root.as_ptr().addr())
}

fn rights(access: Access) -> usize {
    let own = El1Attributes::USER | El1Attributes::UXN | El1Attributes::PXN;
    match access {
        Access::Read => own | El1Attributes::READ_ONLY,
        Access::Write | Access::Device => own,
    }
    .bits()
}

fn kernel() -> Option<&'static Table> {
    table(memory::root()?)
}

/// The table at `address`, the kernel's or one of these.
fn table(address: usize) -> Option<&'static Table> {
    let place = address.wrapping_sub(OWN_TABLES.0.as_ptr().addr()) / PAGE;
    OWN_TABLES.0.get(place).or_else(|| memory::table(address))
}

/// The table that an entry leads to.
fn below(entry: usize) -> Option<&'static Table> {
    (entry & TABLE == TABLE)
        .then(|| table(entry & ADDRESS))
        .flatten()
}

fn new() -> Option<&'static Table> {
    let next = |used| (used < TABLES).then_some(used + 1);
    let place = USED.fetch_update(Relaxed, Relaxed, next).ok()?;
    Some(&OWN_TABLES.0[place])
}

fn leading_to(table: &'static Table) -> usize {
    table.as_ptr().addr() | TABLE
}

fn copy(from: &Table) -> Option<&'static Table> {
    let to = new()?;
    for (to, from) in to.iter().zip(from) {
        to.store(from.load(Relaxed), Relaxed);
    }
    Some(to)
}

/// The entry of `page` in the tables of `root`: those on the way to it become copies of the kernel's where they are not yet.
fn own_entry(root: &'static Table, page: usize) -> Option<&'static AtomicUsize> {
    let (mut own, mut kernel) = (root, kernel()?);
    for level in ROOT_LEVEL..LAST_LEVEL {
        let common = kernel[place(page, level)].load(Relaxed);
        let entry = &own[place(page, level)];
        kernel = below(common)?;
        let is_own = entry.load(Relaxed) & TABLE == TABLE && entry.load(Relaxed) != common;
        if !is_own {
            entry.store(leading_to(copy(kernel)?), Relaxed);
        }
        own = below(entry.load(Relaxed))?;
    }
    Some(&own[place(page, LAST_LEVEL)])
}

/// Has `page` be of the address space in all maps there are, and says what the kernel's entry is. None where nothing is.
fn separate(page: usize) -> Option<usize> {
    let kernel = kernel()?;
    let entry = separate_in(kernel, page, split)?;
    for root in SPACES.roots().filter_map(table) {
        // What was one block when the map was made is what it is for the kernel now.
        separate_in(root, page, |_, level| common(kernel, page, level))?;
    }
    Some(entry)
}

/// The same in the tables of `root`, where `replace` says what there is to be instead of a block, by the entry and its level.
fn separate_in(
    root: &'static Table,
    page: usize,
    replace: impl Fn(usize, usize) -> Option<usize>,
) -> Option<usize> {
    let mut table = root;
    for level in ROOT_LEVEL..LAST_LEVEL {
        let entry = &table[place(page, level)];
        let found = entry.load(Relaxed);
        if is_block(found) {
            exchange(entry, replace(found, level)?);
        }
        table = below(entry.load(Relaxed))?;
    }
    let entry = &table[place(page, LAST_LEVEL)];
    let is_there = entry.load(Relaxed) & TABLE == TABLE;
    is_there.then(|| {
        entry.fetch_or(El1Attributes::NON_GLOBAL.bits(), Relaxed);
        entry.load(Relaxed)
    })
}

fn is_block(entry: usize) -> bool {
    entry & TABLE == El1Attributes::VALID.bits()
}

/// The kernel's entry for `page` at `level`.
fn common(kernel: &'static Table, page: usize, level: usize) -> Option<usize> {
    let mut table = kernel;
    for level in ROOT_LEVEL..level {
        table = below(table[place(page, level)].load(Relaxed))?;
    }
    Some(table[place(page, level)].load(Relaxed))
}

/// An entry of `level` that leads to a table of smaller pieces, which say what the block says.
fn split(block: usize, level: usize) -> Option<usize> {
    let pieces = new()?;
    let size = PAGE * ENTRIES.pow((LAST_LEVEL - level - 1) as u32);
    let kind = match level + 1 {
        LAST_LEVEL => TABLE,
        _ => El1Attributes::VALID.bits(),
    };
    for (number, piece) in pieces.iter().enumerate() {
        piece.store(((block & !TABLE) + number * size) | kind, Relaxed);
    }
    Some(leading_to(pieces))
}

/// Puts `new` in place of a block that may be in use: nothing is there meanwhile, and nobody who would look (D8.16.1).
fn exchange(entry: &AtomicUsize, new: usize) {
    interrupt::mask();
    entry.store(0, Relaxed);
    forget_all();
    entry.store(new, Relaxed);
    forget_all();
    interrupt::unmask();
}

/// Has all threads execute code and read constants.
pub fn open_code() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Relaxed) {
        return;
    }
    for page in code().chain(constants()).step_by(PAGE) {
        let entry = memory::root().and_then(|root| memory::page_entry(root, page));
        if let Some(entry) = entry {
            entry.fetch_or(El1Attributes::USER.bits(), Relaxed);
            if code().contains(&page) {
                entry.fetch_and(!El1Attributes::UXN.bits(), Relaxed);
            }
        }
    }
    forget_all();
    DONE.store(true, Relaxed);
}
