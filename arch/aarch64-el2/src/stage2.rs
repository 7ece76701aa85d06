//! Owns: the second stage of translation: what a partition finds where. Must never know: what it does there.

use crate::tables::{self, Pool};
use aarch64_cpu::registers::{Readable, VTTBR_EL2};
use aarch64_paging::descriptor::{PhysicalAddress, Stage2Attributes};
use aarch64_paging::paging::{Constraints, MemoryRegion, RootTable, Stage2};
use core::arch::asm;
use core::cell::{Cell, UnsafeCell};
use taktos_abi::vm::{Description, layout};
use taktos_hypervisor::hardware::{Kind, MapError};

/// The level of the root: see VTCR_EL2 in `controls`.
const ROOT_LEVEL: usize = 1;
const PAGE: u64 = 4096;
/// What an entry of the second level, and of the first, maps.
const BLOCK: u64 = 2 << 20;
const GIGABYTE: u64 = 1 << 30;

/// The identifier of a partition's translations; 0 is the hypervisor's, and not used.
const fn identifier(space: usize) -> u64 {
    (space as u64 + 1) << 48
}

const READ_WRITE: Stage2Attributes = Stage2Attributes::S2AP_ACCESS_RW
    .union(Stage2Attributes::ACCESS_FLAG)
    .union(Stage2Attributes::VALID);
const MEMORY: Stage2Attributes = READ_WRITE
    .union(Stage2Attributes::MEMATTR_NORMAL_INNER_WB)
    .union(Stage2Attributes::MEMATTR_NORMAL_OUTER_WB)
    .union(Stage2Attributes::SH_INNER);
const DEVICE: Stage2Attributes = READ_WRITE
    .union(Stage2Attributes::MEMATTR_DEVICE_nGnRE)
    .union(Stage2Attributes::XN);

const fn attributes(kind: Kind) -> Stage2Attributes {
    match kind {
        Kind::Memory => MEMORY,
        Kind::Shared => MEMORY.union(Stage2Attributes::XN),
        Kind::Device => DEVICE,
    }
}

/// A partition's map, and what VTTBR_EL2 holds for it.
struct Space {
    map: UnsafeCell<Option<RootTable<Stage2, Pool>>>,
    stage: Cell<u64>,
}

struct Spaces([Space; Description::PARTITIONS]);

// SAFETY: changed and read with the one lock held alone.
unsafe impl Sync for Spaces {}

static SPACES: Spaces = Spaces(
    [const {
        Space {
            map: UnsafeCell::new(None),
            stage: Cell::new(0),
        }
    }; Description::PARTITIONS],
);

/// VTTBR_EL2 for a partition: zero when nothing was mapped.
#[inline(always)]
pub(crate) fn stage(space: usize) -> u64 {
    SPACES.0[space].stage.get()
}

/// Maps `bytes` at `at` of partition `space` to `physical`.
pub(crate) fn map(
    space: usize,
    at: u64,
    physical: u64,
    bytes: u64,
    kind: Kind,
) -> Result<(), MapError> {
    let end = at.checked_add(bytes).filter(|&end| end <= layout::END);
    let end = end.ok_or(MapError::Range)?;
    let last = physical.checked_add(bytes).ok_or(MapError::Range)?;
    if [at, end, physical, last]
        .iter()
        .any(|edge| edge % PAGE != 0)
        || last > layout::END
    {
        return Err(MapError::Range);
    }
    if tables::left() < most_tables(at, end, physical) {
        return Err(MapError::NoTable);
    }
    let space_of = &SPACES.0[space];
    // SAFETY: the caller has the lock, and nothing else refers to the map.
    let map = unsafe { &mut *space_of.map.get() };
    let map = map.get_or_insert_with(|| RootTable::new(Pool, ROOT_LEVEL, Stage2));
    space_of
        .stage
        .set(map.to_physical().0 as u64 | identifier(space));
    let region = MemoryRegion::new(at as usize, end as usize);
    let done = map.map_range(
        &region,
        PhysicalAddress(physical as usize),
        attributes(kind),
        Constraints::NO_CONTIGUOUS_HINT,
    );
    // SAFETY: the walks of all processors see the tables.
    unsafe { asm!("dsb ishst", "isb", options(nostack, preserves_flags)) };
    done.map_err(|_| MapError::Range)
}

/// The most tables that a range can need: the root, those of the second level, and those with pages.
fn most_tables(at: u64, end: u64, physical: u64) -> usize {
    let touched = |piece: u64| (end.div_ceil(piece) - at / piece) as usize;
    let in_blocks = (at ^ physical).is_multiple_of(BLOCK);
    let with_pages = touched(BLOCK);
    1 + touched(GIGABYTE)
        + if in_blocks {
            with_pages.min(2)
        } else {
            with_pages
        }
}

/// Forgets all of a partition's translations on this processor: those of its own first stage, too. The processor knows
/// whose by VTTBR_EL2, which is another's meanwhile.
pub(crate) fn flush(space: usize) {
    // SAFETY: nothing at EL2 uses the second stage; translations are read again from the tables when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "msr vttbr_el2, {whose}",
            "isb",
            "tlbi vmalls12e1",
            "dsb nsh",
            "msr vttbr_el2, {loaded}",
            "isb",
            whose = in(reg) stage(space),
            loaded = in(reg) VTTBR_EL2.get(),
            options(nostack, preserves_flags),
        );
    }
}
