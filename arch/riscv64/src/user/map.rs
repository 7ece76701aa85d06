//! Owns: the maps of partitions: their tables. Must never know: threads.
//! Tables: RISC-V privileged architecture, chapter 12.4 (Sv39).
//!
//! A partition's map is the kernel's, of which the tables on the way to what user mode may use are
//! copies: to the partition's own pages, to code, but for the page of
//! [`crossing`](super::crossing), and to constants. All else there is the kernel's, which needs it
//! until it has its own map. Later guards below the stacks of threads are not in it: no code could
//! access them there.

use super::crossing;
use crate::board::Board;
use crate::memory::{EXECUTE, Form, MAP, MODE, VALID, WRITE, code, constants};
use crate::processors::user as processors;
use core::arch::asm;
use core::cell::Cell;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_arch_common::tables::UserTables;
use taktos_arch_common::{PAGE, PARTITIONS};
pub use taktos_arch_common::{PAGED as RULES, UserMap as Map};
use taktos_machine::{Access, Region};

/// Tables of partitions: three for one of which all is within 2 MiB, two more for a device.
static OWN: UserTables<Form, { 5 * PARTITIONS }> = UserTables::new();

/// The position of the number of an address space in `satp`, and its bits.
const SPACE: u32 = 44;
const SPACE_BITS: usize = 0xFFFF;
/// Bit that makes an entry valid for user mode, too.
const USER: usize = 1 << 4;

/// Value of `satp` for the kernel.
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

/// Returns the map of `regions`, which is made at the first call. None if a processor distinguishes
/// too few address spaces.
pub fn of<B: Board>(regions: &'static [Region]) -> Option<Map> {
    let make = |space| {
        let enough = FEWEST.load(Relaxed) >= PARTITIONS;
        enough.then(|| make(space, regions)).flatten()
    };
    let (number, root) = OWN.of(regions, make, processors::forget::<B>)?;
    Some(Map(MODE | (number << SPACE) | (root / PAGE)))
}

/// The greatest number of an address space that all processors have which have looked.
static FEWEST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Looks how many address spaces this processor has. Called with interrupts masked.
pub fn look_at_spaces() {
    let kernel = KERNEL.0.get();
    let found: usize;
    // SAFETY: the same tables under another number, for two instructions; what is remembered under
    // it is dropped.
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

/// Activates all that was written to tables, which this processor may have read before.
pub fn forget() {
    // SAFETY: drops translations, which are read again from the tables when needed.
    unsafe { asm!("sfence.vma", options(nostack, preserves_flags)) };
}

/// Makes this processor fetch again what it executes: all that was stored before as far as it sees
/// that (unprivileged architecture, Zifencei).
pub fn fetch_anew() {
    taktos_machine::label!("taktos.point.fetch-anew");
    // SAFETY: what was fetched before is fetched again when needed.
    unsafe { asm!("fence.i", options(nostack, preserves_flags)) };
}

/// Returns the address of the root of new tables, those of the space `space`. None if there are no
/// more tables, or if a region is at an address without writable memory.
fn make(space: usize, regions: &[Region]) -> Option<usize> {
    let root = OWN.copy(space, MAP.root())?;
    for page in pages(code()).chain(pages(constants())) {
        if page != crossing::page() {
            OWN.own_entry(&MAP, (space, root), page)?
                .fetch_or(USER, Relaxed);
        }
    }
    OWN.open(&MAP, (space, root), regions, |page, access| {
        let is_memory = page & (VALID | WRITE) == VALID | WRITE;
        is_memory.then_some(page & !without(access) | with(access))
    })?;
    Some(root.as_ptr().addr())
}

/// The addresses of the pages that have some of `range`.
fn pages(range: Range<usize>) -> impl Iterator<Item = usize> {
    (range.start & !(PAGE - 1)..range.end).step_by(PAGE)
}

/// Returns the attributes of memory that user mode does not get for `access`.
const fn without(access: Access) -> usize {
    match access {
        Access::Read | Access::Execute => WRITE,
        Access::Write | Access::Device => 0,
    }
}

/// Returns the attributes that user mode gets for `access` in addition to the kernel's.
const fn with(access: Access) -> usize {
    match access {
        Access::Execute => USER | EXECUTE,
        _ => USER,
    }
}
