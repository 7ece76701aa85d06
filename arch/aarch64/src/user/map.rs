//! Owns: the maps of partitions: their tables.
//! Must never know: threads. Tables: Arm ARM, DDI 0487, D8.3.
//!
//! A partition's map is the kernel's, of which the tables on the way to its own pages are copies.
//! Its pages, and these alone, are its own at EL0 there. All but code and constants, which are the
//! same in all maps, is of an address space in each map, the kernel's among them, so that no
//! processor takes one map's word for another's.

use crate::interrupt::{mask, unmask};
use crate::memory::{ADDRESS, Form, MAP, TABLE, code, constants, forget_all};
use aarch64_cpu::asm::barrier;
use aarch64_cpu::registers::{TTBR0_EL1, Writeable};
use aarch64_paging::descriptor::El1Attributes;
use core::arch::asm;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_arch_common::tables::{ROOT, Table, UserTables};
use taktos_arch_common::{PAGE, PARTITIONS};
pub use taktos_arch_common::{PAGED as RULES, UserMap as Map};
use taktos_machine::{Access, Region};

/// Where the number of an address space begins in `TTBR0_EL1`.
const SPACE: u32 = 48;

/// Tables of partitions: three for one of which all is within 2 MiB.
static OWN: UserTables<Form, { 4 * PARTITIONS }> = UserTables::new();

/// Activates this map. Called masked, by code that is alike in all maps.
pub fn load(map: u64) {
    TTBR0_EL1.set(map);
    barrier::isb(barrier::SY);
}

/// The map of `regions`, which is made at the first time.
pub fn of(regions: &'static [Region]) -> Option<Map> {
    let (number, root) = OWN.of(regions, |space| make(space, regions), forget_all)?;
    Some(Map(root | number << SPACE))
}

/// Returns the address of the root of new tables, those of the space `space`. None if there are no
/// more tables, or if a region is at an address without memory.
fn make(space: usize, regions: &[Region]) -> Option<usize> {
    let root = OWN.copy(space, MAP.root())?;
    OWN.open(&MAP, (space, root), regions, |page, access| {
        (page & TABLE == TABLE).then_some(page & !El1Attributes::UXN.bits() | rights(access))
    })?;
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

/// Makes all processors execute newly written code: the data caches are cleaned to the point where
/// instructions are fetched, all instruction caches are dropped (Arm ARM, B2.7.4). The others
/// synchronize when they return to EL0.
///
/// A barrier waits for the operations that its own processor has begun. So for each page the thread
/// stays on one processor from the operations to the barrier.
pub fn code_was_written(base: usize, size: usize) {
    /// The position of the shortest line of a data cache (`CTR_EL0.DminLine`): the logarithm of its
    /// words of four bytes.
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

/// Lets all threads execute code and read constants, and makes all else belong to the address space
/// of the kernel's map.
pub fn open() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Relaxed) {
        return;
    }
    open_below(MAP.root(), ROOT, &code(), &constants());
    forget_all();
    DONE.store(true, Relaxed);
}

fn open_below(table: &Table, level: usize, code: &Range<usize>, constants: &Range<usize>) {
    for entry in table {
        let found = entry.load(Relaxed);
        match MAP.led_to(found).filter(|_| level > 0) {
            Some(below) => open_below(below, level - 1, code, constants),
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
