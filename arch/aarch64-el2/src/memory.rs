//! Owns: the hypervisor's own memory map: what EL2 may read, write and execute.
//! Must never know: what partitions see.
//!
//! Addresses are what they are physically. Code cannot be written, and nothing else can be
//! executed; a setting of the processor (SCTLR_EL2.WXN) enforces this for all writable memory.
//! Nothing is mapped at zero, nor below stacks.

use crate::fault::fail;
use crate::image;
use crate::own::STACKS;
use crate::tables::{self, PAGE, Piece, Table};
use aarch64_cpu::registers::{ReadWriteable, SCTLR_EL2};
use core::arch::asm;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_abi::vm::layout;
use taktos_hypervisor::hardware::MapError;

/// Attributes of the first stage of EL2 (Arm ARM, D5.3.3): the access flag and the bit that is one;
/// memory is that of the start-up code's attribute 1, written back and inner shareable; devices are
/// attribute 0.
const PRESENT: u64 = 1 << 10 | 1 << 6;
const READ_ONLY: u64 = 1 << 7;
const NOT_EXECUTED: u64 = 1 << 54;
const DEVICE: u64 = PRESENT | NOT_EXECUTED;
const CODE: u64 = PRESENT | 1 << 2 | 0b11 << 8 | READ_ONLY;
const CONSTANT: u64 = CODE | NOT_EXECUTED;
const DATA: u64 = CONSTANT & !READ_ONLY;

/// The devices of the machine that the hypervisor uses.
const DEVICES: Range<u64> = 0x0800_0000..0x0A00_0000;

/// The root's address; the other processors start when it was made.
static ROOT: AtomicU64 = AtomicU64::new(0);

/// Makes the map. Called once, by the first processor.
/// Where the tables are too few, which the image decides alone, the machine ends.
pub(crate) fn make() {
    let made = tables::new().and_then(|root| {
        fill(root)?;
        ROOT.store(root.address(), Relaxed);
        Ok(())
    });
    if made.is_err() {
        fail("the memory map cannot be made");
    }
}

fn fill(root: &Table) -> Result<(), MapError> {
    let page_of = |limit: usize| (limit as u64).next_multiple_of(PAGE);
    let pages = |limits: Range<usize>| page_of(limits.start)..page_of(limits.end);
    let (code, constants) = (pages(image::code()), pages(image::constants()));
    let description = layout::DESCRIPTION..layout::DESCRIPTION + layout::DESCRIPTION_BYTES;
    set(root, DEVICES, DEVICE)?;
    set(root, code, CODE)?;
    let mut data = constants.end;
    set(root, constants, CONSTANT)?;
    for guard in STACKS.iter().flat_map(|stacks| stacks.guards()) {
        set(root, data..guard as u64, DATA)?;
        data = guard as u64 + PAGE;
    }
    set(root, data..description.start, DATA)?;
    set(root, description, CONSTANT)?;
    set(root, layout::PARTITIONS..layout::END, DATA)
}

fn set(root: &Table, range: Range<u64>, attributes: u64) -> Result<(), MapError> {
    let piece = Piece {
        at: range.start,
        physical: range.start,
        bytes: range.end - range.start,
    };
    root.map(piece, attributes)
}

/// Switches this processor from the start-up code's map to the one that was made.
pub(crate) fn activate() {
    // SAFETY: it maps the code that runs, its data and its stacks to where they are. Translations
    // of the old map are dropped, and read from the new one when needed.
    unsafe {
        asm!(
            "dsb ishst",
            "msr ttbr0_el2, {root}",
            "isb",
            "tlbi alle2",
            "dsb nsh",
            "isb",
            root = in(reg) ROOT.load(Relaxed),
            options(nostack, preserves_flags),
        );
    }
    SCTLR_EL2.modify(SCTLR_EL2::WXN::Enable);
    aarch64_cpu::asm::barrier::isb(aarch64_cpu::asm::barrier::SY);
}
