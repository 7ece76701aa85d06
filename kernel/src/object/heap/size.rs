//! Owns: how much room a request takes in a heap, and whether a whole heap has it.
//! Must never know: which memory is free.
//!
//! Two-level segregated fit: M. Masmano, I. Ripoll, A. Crespo and J. Real, "TLSF: a new dynamic
//! memory allocator for real-time systems", ECRTS 2004.

use core::alloc::Layout;

/// Unit of sizes and of places: four words. A block has a header of half a unit.
pub(super) const UNIT: usize = rlsf::GRANULARITY;

/// Powers of two of sizes, from [`UNIT`] on: blocks are up to 16 MiB, or 2 GiB with addresses of 64
/// bits.
pub(super) const LEVELS: usize = if usize::BITS > 32 { 26 } else { 20 };

/// Lists of free blocks for each power of two.
pub(super) const LISTS: usize = 8;

/// Least size of a heap's memory, for one block and the mark at the end.
pub(super) const LEAST: usize = 2 * UNIT;

/// Greatest size of a heap's memory.
pub(super) const GREATEST: usize = UNIT << LEVELS;

/// Returns the size of the free block that `bytes` bytes, aligned to [`UNIT`], are at first: the
/// last unit is the mark at the end.
pub(super) const fn whole(bytes: usize) -> usize {
    (bytes & !(UNIT - 1)) - UNIT
}

/// Returns the room that `layout` takes at most, with its header, and with the gap before an
/// alignment above half a unit. The sum does not overflow: a layout's size, rounded up to its
/// alignment, is at most `isize::MAX`.
pub(super) const fn room(layout: Layout) -> usize {
    let header = if layout.align() > UNIT / 2 {
        layout.align()
    } else {
        UNIT / 2
    };
    round_up(layout.size() + header, UNIT)
}

/// Returns the largest request, aligned to half a unit or less, that one free block of `whole`
/// bytes serves.
pub(super) const fn largest(whole: usize) -> usize {
    let step = (1 << whole.ilog2()) / LISTS;
    (whole & !(step - 1)) - UNIT / 2
}

/// Returns whether one free block of `whole` bytes serves `layout`. A request is served from the
/// first list of which each block is large enough, so the least size of that list decides.
pub(super) const fn fits(layout: Layout, whole: usize) -> bool {
    let room = room(layout);
    let step = (1 << room.ilog2()) / LISTS;
    round_up(room, step) <= whole
}

/// Rounds up to a multiple of `step`, a power of two.
const fn round_up(size: usize, step: usize) -> usize {
    (size + (step - 1)) & !(step - 1)
}
