//! Owns: the second stage of translation: what a partition finds where. Must never know: what it
//! does there.

use crate::tables::{self, PAGE, Piece, Table};
use aarch64_cpu::registers::{PAR_EL1, Readable, VTTBR_EL2, Writeable};
use core::arch::asm;
use core::cell::Cell;
use taktos_abi::vm::{Description, layout};
use taktos_hypervisor::hardware::{Kind, MapError};

/// The identifier of a partition's translations; 0 is the hypervisor's, and not used.
const fn identifier(space: usize) -> u64 {
    (space as u64 + 1) << 48
}

/// Attributes of the second stage (Arm ARM, D5.3.3): the access flag, reading and writing; memory
/// that is written back, inner shareable; Device-nGnRnE: a write is complete when it has arrived,
/// so a barrier waits for the error that comes of it.
const READ_WRITE: u64 = 1 << 10 | 0b11 << 6;
const MEMORY: u64 = READ_WRITE | 0b11 << 8 | 0b1111 << 2;
const DEVICE: u64 = READ_WRITE | NOT_EXECUTED;
const NOT_EXECUTED: u64 = 1 << 54;

const fn attributes(kind: Kind) -> u64 {
    match kind {
        Kind::Memory => MEMORY,
        Kind::Shared => MEMORY | NOT_EXECUTED,
        Kind::Device => DEVICE,
    }
}

/// A partition's map, and what VTTBR_EL2 holds for it.
struct Space {
    root: Cell<Option<&'static Table>>,
    stage: Cell<u64>,
}

struct Spaces([Space; Description::PARTITIONS]);

// SAFETY: changed and read with the one lock held alone.
unsafe impl Sync for Spaces {}

static SPACES: Spaces = Spaces(
    [const {
        Space {
            root: Cell::new(None),
            stage: Cell::new(0),
        }
    }; Description::PARTITIONS],
);

/// VTTBR_EL2 for a partition: zero when nothing was mapped.
#[inline(always)]
pub(crate) fn stage(space: usize) -> u64 {
    SPACES.0[space].stage.get()
}

/// Maps a piece of partition `space`.
pub(crate) fn map(space: usize, piece: Piece, kind: Kind) -> Result<(), MapError> {
    let Piece {
        at,
        physical,
        bytes,
    } = piece;
    let within = |from: u64| {
        from.checked_add(bytes)
            .is_some_and(|end| end <= layout::END)
    };
    if (at | physical | bytes) % PAGE != 0 || !within(at) || !within(physical) {
        return Err(MapError::Range);
    }
    let done = root(space)?.map(piece, attributes(kind));
    // SAFETY: the walks of all processors see the tables.
    unsafe { asm!("dsb ishst", "isb", options(nostack, preserves_flags)) };
    done
}

fn root(space: usize) -> Result<&'static Table, MapError> {
    let space_of = SPACES.0.get(space).ok_or(MapError::Range)?;
    if let Some(root) = space_of.root.get() {
        return Ok(root);
    }
    let root = tables::new()?;
    space_of.root.set(Some(root));
    space_of.stage.set(root.address() | identifier(space));
    Ok(root)
}

/// Returns the machine's address of the loaded guest's `address`, as a read at EL0 (`user`) or EL1
/// finds it (Arm ARM, AT S12E0R, AT S12E1R). The register with the result is the guest's.
pub(crate) fn translate(address: u64, user: bool) -> Option<u64> {
    /// PAR_EL1: it would fault; bits 47 to 12 of the address.
    const FAULT: u64 = 1;
    const PAGE_FIELD: u64 = 0x0000_FFFF_FFFF_F000;
    let kept = PAR_EL1.get();
    // SAFETY: walks the guest's tables, and writes the one register.
    unsafe {
        match user {
            true => {
                asm!("at s12e0r, {}", "isb", in(reg) address, options(nostack, preserves_flags))
            }
            false => {
                asm!("at s12e1r, {}", "isb", in(reg) address, options(nostack, preserves_flags))
            }
        }
    }
    let found = PAR_EL1.get();
    PAR_EL1.set(kept);
    (found & FAULT == 0).then_some(found & PAGE_FIELD | (address % PAGE))
}

/// Forgets all of a partition's translations on this processor, including those of its own first
/// stage. VTTBR_EL2 names the partition to the processor; it is another partition's meanwhile.
pub(crate) fn flush(space: usize) {
    // SAFETY: nothing at EL2 uses the second stage; translations are read again from the tables
    // when needed.
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
