//! Owns: what the partition is given beside its program: words, which are `/chosen/bootargs` of its device tree, and a file, whose place
//! `/chosen/linux,initrd-start` and `-end` tell.
//! Must never know: what they mean.

use core::cell::UnsafeCell;
use core::slice;
use dtoolkit::fdt::Fdt;
use dtoolkit::{Node as _, Property as _};

/// The longest words, in bytes. Of longer ones nothing is kept.
const MOST: usize = 2048;

/// Where a device tree may lie: what the first map has of memory.
const MEMORY: core::ops::Range<u64> = 0x4000_0000..0x8000_0000;
/// The largest device tree.
const LARGEST: u64 = 2 << 20;
/// The bytes of a device tree's header that tell its size, and what they begin with (Devicetree Specification 0.4,
/// section 5.2).
const HEADER: usize = 8;
const MAGIC: [u8; 4] = 0xD00D_FEED_u32.to_be_bytes();

/// The longest file, in bytes. Of a longer one nothing is kept.
const MOST_OF_FILE: usize = 64 << 10;

/// What was kept: bytes, and how many of them.
struct Kept<const N: usize>(UnsafeCell<([u8; N], usize)>);

// SAFETY: written by `keep` alone, before anybody else runs.
unsafe impl<const N: usize> Sync for Kept<N> {}

impl<const N: usize> Kept<N> {
    const fn nothing() -> Self {
        Self(UnsafeCell::new(([0; N], 0)))
    }

    /// Keeps a copy, if it is not too long.
    ///
    /// # Safety
    /// Nobody else reads or writes meanwhile.
    unsafe fn keep(&self, bytes: &[u8]) {
        // SAFETY: the caller says that there is nobody else.
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

/// Finds words and file by the device tree at `address`, or, where there is none (the bare board says none), at the beginning of
/// memory, and keeps them. Called once, by a program's entry, before anything else: the first map reaches all of the
/// memory in which the tree may lie, the kernel's does not.
pub fn keep(address: u64) {
    // SAFETY: the one processor runs the entry, so there is nobody else.
    let _ = unsafe { read(address).or_else(|| read(MEMORY.start)) };
}

/// The words that were kept; an empty text where there were none.
pub fn words() -> &'static str {
    core::str::from_utf8(WORDS.bytes()).unwrap_or("")
}

/// The file that was kept; empty where there was none.
pub fn file() -> &'static [u8] {
    FILE.bytes()
}

/// Keeps what the device tree at `address` tells, if there is one.
///
/// # Safety
/// Nobody else runs.
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
    // SAFETY: the caller says that nobody else runs.
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

/// `length` bytes of memory from `address` on.
fn memory(address: u64, length: u64) -> Option<&'static [u8]> {
    let inside = MEMORY.contains(&address) && MEMORY.end - address >= length;
    let first = core::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the first map has it as ordinary memory, whoever started the program says that a device tree lies there, and
    // nobody writes it: the image lies elsewhere. Where there is no memory the read faults.
    inside.then(|| unsafe { slice::from_raw_parts(first, length as usize) })
}
