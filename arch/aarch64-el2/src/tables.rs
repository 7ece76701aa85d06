//! Owns: translation tables of both stages: pages of 4 KiB, blocks of 2 MiB, from level 1 on.
//! Must never know: the user of a map, the meaning of its attributes.
//!
//! Both stages and all their levels have one form (Arm ARM, D5.3): so one small walk serves both,
//! where a library for every regime of the architecture would cost a sixteenth of the text that the
//! hypervisor may have. Maps only grow: an entry that is there is never changed, so no processor
//! has to forget anything.

use core::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_abi::vm::Description;
use taktos_hypervisor::hardware::MapError;

/// The bytes of a page, and of a block.
pub(crate) const PAGE: u64 = 4096;
pub(crate) const BLOCK: u64 = 2 << 20;

/// The levels of roots, of blocks, of pages.
const ROOT: u32 = 1;
const BLOCKS: u32 = 2;
const PAGES: u32 = 3;

/// An entry that is not there is zero; the kinds of those that are, and the bits of the address.
const IS_BLOCK: u64 = 0b01;
const IS_PAGE: u64 = 0b11;
const IS_TABLE: u64 = 0b11;
const ADDRESS: u64 = 0x0000_FFFF_FFFF_F000;

const ENTRIES: usize = 512;

/// The hypervisor's own tables: the root, four below it, and those with pages: the image, its
/// stacks, the description.
const OWN: usize = 1 + 4 + 6;
/// A partition's tables: the root, one for each gigabyte, and those with pages: channels, and its
/// devices, which may lie across a border of 2 MiB.
const OF_A_PARTITION: usize = 1 + 4 + 1 + 2 * 4;
/// How many tables there are.
const TABLES: usize = OWN + Description::PARTITIONS * OF_A_PARTITION;

/// A translation table.
#[repr(C, align(4096))]
pub(crate) struct Table([AtomicU64; ENTRIES]);

static MEMORY: [Table; TABLES] = [const { Table([const { AtomicU64::new(0) }; ENTRIES]) }; TABLES];

/// How many tables were handed out.
static USED: AtomicUsize = AtomicUsize::new(0);

/// An empty table, which is never given back.
pub(crate) fn new() -> Result<&'static Table, MapError> {
    let number = USED.load(Relaxed);
    let table = MEMORY.get(number).ok_or(MapError::NoTable)?;
    USED.store(number + 1, Relaxed);
    Ok(table)
}

/// Where bytes of a map lie in the machine.
#[derive(Clone, Copy)]
pub(crate) struct Piece {
    /// The first address in the map.
    pub(crate) at: u64,
    /// The first one in the machine.
    pub(crate) physical: u64,
    /// How many; like both addresses, whole pages.
    pub(crate) bytes: u64,
}

impl Piece {
    /// Without the first `bytes`.
    fn without(self, bytes: u64) -> Self {
        Self {
            at: self.at + bytes,
            physical: self.physical + bytes,
            bytes: self.bytes - bytes,
        }
    }

    /// The level of the largest entry that maps the beginning and no more.
    fn level(self) -> u32 {
        let in_blocks = (self.at | self.physical).is_multiple_of(BLOCK) && self.bytes >= BLOCK;
        if in_blocks { BLOCKS } else { PAGES }
    }
}

impl Table {
    /// The table's address in the machine.
    pub(crate) fn address(&self) -> u64 {
        core::ptr::from_ref(self).addr() as u64
    }

    /// Maps `piece` with `attributes`; this is a root. Part of it may be mapped when it fails.
    ///
    /// # Errors
    /// There are no more tables, or something of the piece is mapped already.
    pub(crate) fn map(&self, mut piece: Piece, attributes: u64) -> Result<(), MapError> {
        while piece.bytes > 0 {
            let level = piece.level();
            let entry = self.entry(piece.at, level)?;
            if entry.load(Relaxed) != 0 {
                return Err(MapError::Range);
            }
            let (kind, size) = match level {
                PAGES => (IS_PAGE, PAGE),
                _ => (IS_BLOCK, BLOCK),
            };
            entry.store(piece.physical | attributes | kind, Relaxed);
            piece = piece.without(size);
        }
        Ok(())
    }

    /// The entry for `at` at `level`, with the tables that lead to it.
    fn entry(&self, at: u64, level: u32) -> Result<&AtomicU64, MapError> {
        let mut entry = self.place(at, ROOT);
        for level in ROOT + 1..=level {
            entry = below(entry)?.place(at, level);
        }
        Ok(entry)
    }

    fn place(&self, at: u64, level: u32) -> &AtomicU64 {
        &self.0[(at >> (12 + 9 * (PAGES - level))) as usize % ENTRIES]
    }
}

/// The table that `entry` leads to; a new one where it leads nowhere.
fn below(entry: &AtomicU64) -> Result<&'static Table, MapError> {
    match entry.load(Relaxed) {
        0 => {
            let table = new()?;
            entry.store(table.address() | IS_TABLE, Relaxed);
            Ok(table)
        }
        found if found & IS_TABLE == IS_TABLE => {
            let number = ((found & ADDRESS) - MEMORY[0].address()) / PAGE;
            Ok(&MEMORY[number as usize])
        }
        _ => Err(MapError::Range),
    }
}
