//! Owns: the input of the partition in addition to its program: words, which are `/chosen/bootargs`
//! of its device tree, and a file; `/chosen/linux,initrd-start` and `-end` give its place.
//! Must never know: their meaning.

use core::cell::UnsafeCell;
use core::slice;
use dtoolkit::fdt::Fdt;
use dtoolkit::{Node as _, Property as _};

/// The longest words, in bytes. Longer ones are not stored at all.
const MOST: usize = 2048;

/// Where a device tree may be located: the part of memory that the first map has.
const MEMORY: core::ops::Range<u64> = 0x4000_0000..0x8000_0000;
/// The largest device tree.
const LARGEST: u64 = 2 << 20;
/// Bytes of a device tree's header that give its size, and the value that they begin with
/// (Devicetree Specification 0.4, section 5.2).
const HEADER: usize = 8;
const MAGIC: [u8; 4] = 0xD00D_FEED_u32.to_be_bytes();

/// The longest file, in bytes. A longer one is not stored at all.
const MOST_OF_FILE: usize = 64 << 10;

/// Stored bytes, and their number.
struct Kept<const N: usize>(UnsafeCell<([u8; N], usize)>);

// SAFETY: written by `keep` alone, before any other code runs.
unsafe impl<const N: usize> Sync for Kept<N> {}

impl<const N: usize> Kept<N> {
    const fn nothing() -> Self {
        Self(UnsafeCell::new(([0; N], 0)))
    }

    /// Stores a copy, if it is not too long.
    ///
    /// # Safety
    /// No other code reads or writes the bytes meanwhile.
    unsafe fn keep(&self, bytes: &[u8]) {
        // SAFETY: by this function's contract, no other code uses the bytes.
        let (kept, length) = unsafe { &mut *self.0.get() };
        if let Some(kept) = kept.get_mut(..bytes.len()) {
            kept.copy_from_slice(bytes);
            *length = bytes.len();
        }
    }

    fn bytes(&'static self) -> &'static [u8] {
        // SAFETY: it is not written any more: `keep` is called by the entry alone.
        let (kept, length) = unsafe { &*self.0.get() };
        &kept[..*length]
    }
}

static WORDS: Kept<MOST> = Kept::nothing();
static FILE: Kept<MOST_OF_FILE> = Kept::nothing();

/// Finds words and file by the device tree at `address`, and keeps them. If there is none (the bare
/// board gives none), uses the one at the beginning of memory. Called once, by a program's entry,
/// before anything else: the first map reaches all of the memory in which the tree may be located,
/// the kernel's does not.
pub fn keep(address: u64) {
    // SAFETY: the one processor runs the entry, so no other code runs.
    let _ = unsafe { read(address).or_else(|| read(MEMORY.start)) };
}

/// Returns the words that were kept; an empty text if there were none.
pub fn words() -> &'static str {
    core::str::from_utf8(WORDS.bytes()).unwrap_or("")
}

/// Returns the file that was kept; empty if there was none.
pub fn file() -> &'static [u8] {
    FILE.bytes()
}

/// Keeps the words and the file of the device tree at `address`, if there is one.
///
/// # Safety
/// No other code runs.
unsafe fn read(address: u64) -> Option<()> {
    let header = memory(address, HEADER as u64)?;
    let (magic, size) = header.split_at(MAGIC.len());
    let size = u32::from_be_bytes(size.try_into().ok()?).into();
    if magic != MAGIC || size > LARGEST {
        return None;
    }
    let tree = Fdt::new(memory(address, size)?).ok()?;
    let chosen = tree.chosen()?;
    let border = |name| number(chosen.property(name)?.value());
    let file = border("linux,initrd-start").zip(border("linux,initrd-end"));
    let file = file.and_then(|(from, to)| memory(from, to.checked_sub(from)?));
    let words = chosen.bootargs().ok().flatten().unwrap_or("");
    // SAFETY: by this function's contract, no other code runs.
    unsafe {
        WORDS.keep(words.as_bytes());
        FILE.keep(file.unwrap_or_default());
    }
    Some(())
}

/// A number of one or two cells (Devicetree Specification 0.4, section 2.2.4).
fn number(cells: &[u8]) -> Option<u64> {
    match cells.len() {
        4 => Some(u32::from_be_bytes(cells.try_into().ok()?).into()),
        8 => Some(u64::from_be_bytes(cells.try_into().ok()?)),
        _ => None,
    }
}

/// Returns `length` bytes of memory from `address` on.
fn memory(address: u64, length: u64) -> Option<&'static [u8]> {
    let inside = MEMORY.contains(&address) && MEMORY.end - address >= length;
    let first = core::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the first map has it as ordinary memory. The code that started the program guarantees
    // that a device tree is located there, and no code writes it: the image is located elsewhere.
    // If there is no memory, the read faults.
    inside.then(|| unsafe { slice::from_raw_parts(first, length as usize) })
}
