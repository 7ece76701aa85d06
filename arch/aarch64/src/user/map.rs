//! Owns: the maps of partitions: their tables.
//! Must never know: threads. Tables: Arm ARM, DDI 0487, D8.3.
//!
//! A partition's map is the kernel's, of which the tables on the way to its own pages are copies. Its pages, and these alone, are its own at
//! EL0 there. All but code and constants, which are the same in all maps, is of an address space in each map, the kernel's among them,
//! so that no processor takes one map's word for another's.

use crate::interrupt::{mask, unmask};
use crate::memory::{
    self, ADDRESS, ENTRIES, LAST_LEVEL, PAGE, ROOT_LEVEL, TABLE, Table, code, constants,
    forget_all, place,
};
use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{TTBR0_EL1, Writeable};
use aarch64_paging::descriptor::El1Attributes;
use core::arch::asm;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use taktos_machine::{Access, Holders, Region, RegionRules, Spaces};

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

static SPACES: Spaces<MOST> = Spaces::new();

#[repr(C, align(4096))]
struct Tables([Table; TABLES]);

static OWN_TABLES: Tables = Tables([const { [const { AtomicUsize::new(0) }; ENTRIES] }; TABLES]);
static HOLDERS: Holders<TABLES> = Holders::new();

/// Has this map count. Called masked, by code that is alike in all maps.
pub fn load(map: u64) {
    TTBR0_EL1.set(map);
    barrier::isb(barrier::SY);
}

/// The map of `regions`, which is made at the first time.
pub fn of(regions: &'static [Region]) -> Option<Map> {
    let made = |space| {
        let root = make(space, regions);
        if root.is_none() {
            HOLDERS.give_back(space);
        }
        forget_all();
        root
    };
    let (number, root) = SPACES.find(regions.as_ptr().addr(), made)?;
    Some(Map(root | number << SPACE))
}

/// The address of the root of new tables, those of the space `space`; none where there are no more, or a region lies where nothing is.
fn make(space: usize, regions: &[Region]) -> Option<usize> {
    let root = copy(space, kernel()?)?;
    for region in regions {
        let begin = region.base.addr();
        for page in (begin..begin + region.size).step_by(PAGE) {
            let entry = own_entry(space, root, page)?;
            if entry.load(Relaxed) & TABLE != TABLE {
                return None;
            }
            let page = entry.load(Relaxed) & !El1Attributes::UXN.bits();
            entry.store(page | rights(region.access), Relaxed);
        }
    }
    Some(root.as_ptr().addr())
}

fn rights(access: Access) -> usize {
    let own = El1Attributes::USER | El1Attributes::PXN;
    match access {
        Access::Read => own | El1Attributes::UXN | El1Attributes::READ_ONLY,
        Access::Execute => own | El1Attributes::READ_ONLY,
        Access::Write | Access::Device => own | El1Attributes::UXN,
    }
    .bits()
}

fn kernel() -> Option<&'static Table> {
    memory::table(memory::root()?)
}

/// The own table that an entry leads to.
fn own_table(entry: usize) -> Option<&'static Table> {
    let place = (entry & ADDRESS).wrapping_sub(OWN_TABLES.0.as_ptr().addr()) / PAGE;
    OWN_TABLES.0.get(place).filter(|_| entry & TABLE == TABLE)
}

/// The kernel's table that an entry leads to.
fn kernels_table(entry: usize) -> Option<&'static Table> {
    (entry & TABLE == TABLE)
        .then(|| memory::table(entry & ADDRESS))
        .flatten()
}

/// A table for a space.
fn new(space: usize) -> Option<&'static Table> {
    Some(&OWN_TABLES.0[HOLDERS.take(space)?])
}

fn leading_to(table: &'static Table) -> usize {
    table.as_ptr().addr() | TABLE
}

fn copy(space: usize, from: &Table) -> Option<&'static Table> {
    let to = new(space)?;
    for (to, from) in to.iter().zip(from) {
        to.store(from.load(Relaxed), Relaxed);
    }
    Some(to)
}

/// The entry of `page` in the tables of `root`, which are those of the space `space`: those on the way to it become own ones where they are
/// not yet. None where nothing is.
fn own_entry(space: usize, root: &'static Table, page: usize) -> Option<&'static AtomicUsize> {
    let mut table = root;
    for level in ROOT_LEVEL..LAST_LEVEL {
        let upper = &table[place(page, level)];
        let found = upper.load(Relaxed);
        table = match own_table(found) {
            Some(own) => own,
            None => {
                let own = match kernels_table(found) {
                    Some(common) => copy(space, common)?,
                    None if is_block(found) => split(space, found, level)?,
                    None => return None,
                };
                upper.store(leading_to(own), Relaxed);
                own
            }
        };
    }
    Some(&table[place(page, LAST_LEVEL)])
}

fn is_block(entry: usize) -> bool {
    entry & TABLE == El1Attributes::VALID.bits()
}

/// A table of smaller pieces, which say what the block of `level` says.
fn split(space: usize, block: usize, level: usize) -> Option<&'static Table> {
    let pieces = new(space)?;
    let size = PAGE * ENTRIES.pow((LAST_LEVEL - level - 1) as u32);
    let kind = match level + 1 {
        LAST_LEVEL => TABLE,
        _ => El1Attributes::VALID.bits(),
    };
    for (place, piece) in pieces.iter().enumerate() {
        piece.store(((block & !TABLE) + place * size) | kind, Relaxed);
    }
    Some(pieces)
}

/// Has all processors execute what was written: the data caches are cleaned to where instructions are fetched, all instruction caches
/// dropped (Arm ARM, B2.7.4). The others synchronize when they return to EL0.
///
/// A barrier waits for what its own processor has asked for, so the thread stays there, for a page at a time, from the one to the other.
pub fn code_was_written(base: usize, size: usize) {
    /// Where the shortest line of a data cache stands (`CTR_EL0.DminLine`): the logarithm of its words of four bytes.
    const SHORTEST_LINE: u32 = 16;
    let kinds: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, ctr_el0", out(reg) kinds, options(nomem, nostack, preserves_flags)) };
    let line = 4 << (kinds >> SHORTEST_LINE & 0xF);
    for page in (base..base + size).step_by(PAGE) {
        masked(|| {
            for place in (page..page + PAGE).step_by(line) {
                // SAFETY: cleans a line.
                unsafe { asm!("dc cvau, {}", in(reg) place, options(nostack, preserves_flags)) };
            }
            barrier::dsb(barrier::ISH);
        });
    }
    masked(|| {
        // SAFETY: drops what is fetched again when needed.
        unsafe { asm!("ic ialluis", options(nostack, preserves_flags)) };
        barrier::dsb(barrier::ISH);
        barrier::isb(barrier::SY);
    });
}

/// Does `work` on one processor, in a thread that has no mask.
fn masked(work: impl FnOnce()) {
    mask();
    work();
    unmask();
}

/// Has all threads execute code and read constants, and has all else be of the address space in the kernel's map.
pub fn open() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Relaxed) {
        return;
    }
    if let Some(kernel) = kernel() {
        open_below(kernel, ROOT_LEVEL, &code(), &constants());
    }
    forget_all();
    DONE.store(true, Relaxed);
}

fn open_below(table: &Table, level: usize, code: &Range<usize>, constants: &Range<usize>) {
    for entry in table {
        let found = entry.load(Relaxed);
        match kernels_table(found).filter(|_| level < LAST_LEVEL) {
            Some(below) => open_below(below, level + 1, code, constants),
            None if found & El1Attributes::VALID.bits() == 0 => {}
            None if code.contains(&(found & ADDRESS)) => {
                entry.fetch_or(El1Attributes::USER.bits(), Relaxed);
                entry.fetch_and(!El1Attributes::UXN.bits(), Relaxed);
            }
            None if constants.contains(&(found & ADDRESS)) => {
                entry.fetch_or(El1Attributes::USER.bits(), Relaxed);
            }
            None => {
                entry.fetch_or(El1Attributes::NON_GLOBAL.bits(), Relaxed);
            }
        }
    }
}
