//! Owns: the maps of partitions: their tables. Must never know: threads.
//! Tables: RISC-V privileged architecture, chapter 12.4 (Sv39).
//!
//! A partition's map is the kernel's, of which the tables on the way to what user mode may use are copies: to the partition's own pages,
//! to code, but for the page of [`crossing`](super::crossing), and to constants. What else is there is the kernel's, which needs it
//! until it has its own map. Later guards below the stacks of threads are not in it: nobody could touch them there.

use super::crossing;
use crate::board::Board;
use crate::memory::{
    self, ENTRIES, EXECUTE, LAST_LEVEL, MODE, PAGE, READ, ROOT_LEVEL, VALID, WRITE, address_of,
    code, constants, entry, number,
};
use crate::processors::user as processors;
use core::arch::asm;
use core::cell::Cell;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_machine::{Access, Holders, Region, RegionRules, Spaces};

/// How many partitions there can be, and the tables that they have: three where all lies within 2 MiB, two more for a device.
const MOST: usize = 16;
const TABLES: usize = 5 * MOST;

/// What the tables demand.
pub const RULES: RegionRules = RegionRules {
    most: 8,
    smallest: PAGE,
    powers_of_two: false,
};

/// What `satp` gets for a partition: the root of its tables and the number of its address space.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Map(usize);

impl Map {
    /// That of a partition that was never started.
    pub const NONE: Self = Self(0);
}

/// Where the number of an address space lies in that register, and its bits.
const SPACE: u32 = 44;
const SPACE_BITS: usize = 0xFFFF;
/// What says that an entry is for user mode, too.
const USER: usize = 1 << 4;

/// What `satp` is for the kernel.
#[repr(transparent)]
pub struct Kernel(Cell<usize>);

// SAFETY: written in a thread, which has that map, and each time with the same.
unsafe impl Sync for Kernel {}

pub static KERNEL: Kernel = Kernel(Cell::new(0));

/// Keeps what is loaded, which is the kernel's map: this is a thread with privilege.
pub fn keep_kernel() {
    KERNEL.0.set(loaded());
}

fn loaded() -> usize {
    let loaded;
    // SAFETY: reads a register.
    unsafe { asm!("csrr {}, satp", out(reg) loaded, options(nomem, nostack, preserves_flags)) };
    loaded
}

static SPACES: Spaces<MOST> = Spaces::new();

type Table = [AtomicUsize; ENTRIES];

#[repr(C, align(4096))]
struct Tables([Table; TABLES]);

static OWN: Tables = Tables([const { [const { AtomicUsize::new(0) }; ENTRIES] }; TABLES]);
static HOLDERS: Holders<TABLES> = Holders::new();

/// The map of `regions`, which is made at the first time. None where a processor tells too few address spaces apart.
pub fn of<B: Board>(regions: &'static [Region]) -> Option<Map> {
    let made = |space| {
        let enough = FEWEST.load(Relaxed) >= MOST;
        let root = enough.then(|| make(space, regions)).flatten();
        if root.is_none() {
            HOLDERS.give_back(space);
        }
        processors::forget::<B>();
        root
    };
    let (number, root) = SPACES.find(regions.as_ptr().addr(), made)?;
    Some(Map(MODE | (number << SPACE) | (root / PAGE)))
}

/// The greatest number of an address space that all processors have which have looked.
static FEWEST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Looks how many address spaces this processor has. Called with interrupts masked.
pub fn look_at_spaces() {
    let kernel = KERNEL.0.get();
    let found: usize;
    // SAFETY: the same tables under another number, for two instructions; what is remembered under it is dropped.
    unsafe {
        asm!(
            "csrw satp, {all}",
            "csrr {found}, satp",
            "csrw satp, {kernel}",
            "sfence.vma",
            all = in(reg) kernel | SPACE_BITS << SPACE,
            kernel = in(reg) kernel,
            found = out(reg) found,
            options(nostack, preserves_flags),
        );
    }
    FEWEST.fetch_min(found >> SPACE & SPACE_BITS, Relaxed);
}

/// Has all that was written to tables count, which this processor may have looked at before.
pub fn forget() {
    // SAFETY: drops translations, which are read again from the tables when needed.
    unsafe { asm!("sfence.vma", options(nostack, preserves_flags)) };
}

/// Has this processor fetch anew what it executes: all that was stored before as far as it sees that (unprivileged architecture, Zifencei).
pub fn fetch_anew() {
    taktos_machine::label!("taktos.point.fetch-anew");
    // SAFETY: what was fetched before is fetched again when needed.
    unsafe { asm!("fence.i", options(nostack, preserves_flags)) };
}

/// The address of the root of new tables, those of the space `space`; none where there are no more, or a region lies where nothing is that
/// may be written.
fn make(space: usize, regions: &[Region]) -> Option<usize> {
    let root = copy(space, &memory::root().0)?;
    for page in pages(code()).chain(pages(constants())) {
        if page != crossing::page() {
            own_entry(space, root, page)?.fetch_or(USER, Relaxed);
        }
    }
    for region in regions {
        let begin = region.base.addr();
        for page in (begin..begin + region.size).step_by(PAGE) {
            let own = own_entry(space, root, page)?;
            let common = own.load(Relaxed);
            if common & (VALID | WRITE) != VALID | WRITE {
                return None;
            }
            own.store(
                common & !without(region.access) | with(region.access),
                Relaxed,
            );
        }
    }
    Some(root.as_ptr().addr())
}

/// The addresses of the pages that have some of `range`.
fn pages(range: Range<usize>) -> impl Iterator<Item = usize> {
    (range.start & !(PAGE - 1)..range.end).step_by(PAGE)
}

/// What user mode may not do, of what may be done with memory.
const fn without(access: Access) -> usize {
    match access {
        Access::Read | Access::Execute => WRITE,
        Access::Write | Access::Device => 0,
    }
}

/// What it may do that is not the kernel's.
const fn with(access: Access) -> usize {
    match access {
        Access::Execute => USER | EXECUTE,
        _ => USER,
    }
}

/// The own table that an entry leads to.
fn own_table(entry: usize) -> Option<&'static Table> {
    let place = address_of(entry).wrapping_sub(OWN.0.as_ptr().addr()) / PAGE;
    OWN.0.get(place).filter(|_| entry & VALID != 0)
}

/// A table for a space.
fn new(space: usize) -> Option<&'static Table> {
    Some(&OWN.0[HOLDERS.take(space)?])
}

fn copy(space: usize, from: &[Cell<usize>; ENTRIES]) -> Option<&'static Table> {
    let to = new(space)?;
    for (to, from) in to.iter().zip(from) {
        to.store(memory::shared(from).load(Relaxed), Relaxed);
    }
    Some(to)
}

/// A table of smaller pieces, which say what the entry of `level` says.
fn split(space: usize, large: usize, level: usize) -> Option<&'static Table> {
    let pieces = new(space)?;
    let size = PAGE * ENTRIES.pow(level as u32 - 1);
    for (number, piece) in pieces.iter().enumerate() {
        piece.store(large + entry(number * size, 0), Relaxed);
    }
    Some(pieces)
}

/// The entry of `page` in the tables of `root`, which are those of the space `space`: those on the way to it become own ones where they are
/// not yet. None where nothing is.
fn own_entry(space: usize, root: &'static Table, page: usize) -> Option<&'static AtomicUsize> {
    let mut table = root;
    for level in (LAST_LEVEL + 1..=ROOT_LEVEL).rev() {
        let upper = &table[number(page, level)];
        let found = upper.load(Relaxed);
        table = match own_table(found) {
            Some(own) => own,
            None => {
                let own = match memory::table_of(found) {
                    Some(common) => copy(space, &common.0)?,
                    None if found & READ != 0 => split(space, found, level)?,
                    None => return None,
                };
                upper.store(entry(own.as_ptr().addr(), VALID), Relaxed);
                own
            }
        };
    }
    Some(&table[number(page, LAST_LEVEL)])
}
