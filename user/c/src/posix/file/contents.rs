//! Owns: the bytes of a file, in blocks of the heap. Must never know: names and descriptors.

use super::super::errno::Errno;
use super::Offset;
use crate::object::Memory;
use core::cell::Cell;
use core::ptr::NonNull;
use core::slice;
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Number of bytes of a block.
pub const BLOCK: usize = 512;
/// Memory of the heap for one, with what the heap notes of it.
pub const HELD: usize = BLOCK + 32;
/// The largest size.
const MOST: usize = Offset::MAX as usize;

/// How many blocks all files have.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// Returns how many blocks all files have.
pub fn blocks_of_all() -> usize {
    BLOCKS.load(Relaxed)
}

/// A block; none for one that was never written, which reads as zeroes.
type Block = Cell<Option<NonNull<u8>>>;

/// Bytes. Those of a block beyond the size are zeroes.
pub struct Contents {
    /// The blocks in their order, in the heap; empty at first.
    table: Cell<&'static [Block]>,
    size: Cell<usize>,
    /// How many of the blocks are there.
    count: Cell<usize>,
}

/// The part of a span that is in one block.
struct Piece {
    block: usize,
    /// Where it begins in the block.
    at: usize,
    /// Where it begins in the span.
    done: usize,
    length: usize,
}

/// The pieces of the `count` bytes from `from` on.
fn pieces(from: usize, count: usize) -> impl Iterator<Item = Piece> {
    let mut done = 0;
    core::iter::from_fn(move || {
        let at = (from + done) % BLOCK;
        let length = (count - done).min(BLOCK - at);
        let piece = Piece {
            block: (from + done) / BLOCK,
            at,
            done,
            length,
        };
        done += length;
        (length > 0).then_some(piece)
    })
}

impl Contents {
    /// No bytes.
    pub const fn new() -> Self {
        Self {
            table: Cell::new(&[]),
            size: Cell::new(0),
            count: Cell::new(0),
        }
    }

    /// Number of bytes.
    pub fn size(&self) -> usize {
        self.size.get()
    }

    /// Number of blocks in the heap.
    pub fn blocks(&self) -> usize {
        self.count.get()
    }

    fn block(&self, number: usize) -> Option<NonNull<u8>> {
        self.table.get().get(number)?.get()
    }

    /// Copies up to `count` bytes from `from` on, and returns how many there were.
    ///
    /// # Safety
    /// `count` bytes can be written at `to`.
    pub unsafe fn read(&self, from: usize, to: *mut u8, count: usize) -> usize {
        let count = count.min(self.size.get().saturating_sub(from));
        for piece in pieces(from, count) {
            // SAFETY: a piece is within the span, for which the caller guarantees memory, and
            // within its block.
            unsafe {
                let to = to.add(piece.done);
                match self.block(piece.block) {
                    Some(block) => to.copy_from(block.as_ptr().add(piece.at), piece.length),
                    None => to.write_bytes(0, piece.length),
                }
            }
        }
        count
    }

    /// Writes `count` bytes at `at`, and returns how many there was memory for. Errors: `EFBIG`
    /// beyond the largest size, `ENOSPC` without memory for the first one.
    ///
    /// # Safety
    /// `count` bytes can be read at `from`.
    pub unsafe fn write(&self, at: usize, from: *const u8, count: usize) -> Result<usize, Errno> {
        let most = MOST.checked_sub(at).filter(|most| *most > 0 || count == 0);
        let count = count.min(most.ok_or(Errno::FBIG)?);
        let mut written = 0;
        for piece in pieces(at, count) {
            let block = match self.filled(piece.block) {
                Ok(block) => block,
                Err(error) if written == 0 => return Err(error),
                Err(_) => break,
            };
            // SAFETY: a piece is within the span, for which the caller guarantees memory, and
            // within its block.
            unsafe {
                let to = block.as_ptr().add(piece.at);
                to.copy_from(from.add(piece.done), piece.length);
            }
            written = piece.done + piece.length;
        }
        if written > 0 {
            self.size.set(self.size.get().max(at + written));
        }
        Ok(written)
    }

    /// Takes the memory for the `count` bytes at `at`, of which new ones are zeroes: writing them
    /// does not fail afterwards. Errors: `EFBIG`, `ENOSPC`.
    pub fn reserve(&self, at: usize, count: usize) -> Result<(), Errno> {
        let end = at.checked_add(count).filter(|end| *end <= MOST);
        let end = end.ok_or(Errno::FBIG)?;
        for number in at / BLOCK..end.div_ceil(BLOCK) {
            self.filled(number)?;
        }
        self.size.set(self.size.get().max(end));
        Ok(())
    }

    /// Sets the size: bytes beyond it are lost, new ones are zeroes. Errors: `EFBIG`.
    pub fn resize(&self, size: usize) -> Result<(), Errno> {
        if size > MOST {
            return Err(Errno::FBIG);
        }
        if size < self.size.get() {
            for block in self.table.get().iter().skip(size.div_ceil(BLOCK)) {
                self.free_block(block);
            }
            if let Some(last) = self.block(size / BLOCK) {
                let kept = size % BLOCK;
                // SAFETY: the rest of the block.
                unsafe { last.as_ptr().add(kept).write_bytes(0, BLOCK - kept) };
            }
        }
        self.size.set(size);
        Ok(())
    }

    /// Gives all memory back.
    pub fn free(&self) {
        for block in self.table.get() {
            self.free_block(block);
        }
        self.size.set(0);
        self.free_table(&[]);
    }

    /// Returns the block of this number, which is made of zeroes if it is not there. Errors:
    /// `ENOSPC`.
    fn filled(&self, number: usize) -> Result<NonNull<u8>, Errno> {
        if number >= self.table.get().len() {
            self.enlarge(number + 1)?;
        }
        let place = &self.table.get()[number];
        if let Some(block) = place.get() {
            return Ok(block);
        }
        let block = Memory::of_heap(BLOCK).ok_or(Errno::NOSPC)?.start;
        // SAFETY: new memory of this size.
        unsafe { block.as_ptr().write_bytes(0, BLOCK) };
        place.set(Some(block));
        self.count.update(|count| count + 1);
        BLOCKS.fetch_add(1, Relaxed);
        Ok(block)
    }

    /// Makes a table with space for `count` blocks, and for as many again as there are. Errors:
    /// `ENOSPC`.
    fn enlarge(&self, count: usize) -> Result<(), Errno> {
        let old = self.table.get();
        let count = count.max(2 * old.len()).max(4);
        let bytes = count.checked_mul(size_of::<Block>());
        let memory = bytes.and_then(Memory::of_heap).ok_or(Errno::NOSPC)?;
        let first = memory.start.cast::<Block>();
        for number in 0..count {
            let block = old.get(number).and_then(Cell::get);
            // SAFETY: memory for so many, which no code uses yet.
            unsafe { first.add(number).write(Cell::new(block)) };
        }
        // SAFETY: all of it was written.
        self.free_table(unsafe { slice::from_raw_parts(first.as_ptr(), count) });
        Ok(())
    }

    /// Frees the table, and takes another one.
    fn free_table(&self, new: &'static [Block]) {
        let old = self.table.replace(new);
        if !old.is_empty() {
            // SAFETY: it alone has memory of the heap, and no code uses it any more.
            unsafe { Memory::let_go(old) };
        }
    }

    fn free_block(&self, place: &Block) {
        if let Some(start) = place.take() {
            let memory = Memory {
                start,
                in_heap: true,
            };
            // SAFETY: a block of the heap, which no code uses any more.
            unsafe { memory.free() };
            self.count.update(|count| count - 1);
            BLOCKS.fetch_sub(1, Relaxed);
        }
    }
}
