//! Owns: the words that the partition is told: `/chosen/bootargs` of its device tree.
//! Must never know: what they mean.

use core::cell::UnsafeCell;
use core::slice;
use dtoolkit::fdt::Fdt;

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

struct Kept(UnsafeCell<([u8; MOST], usize)>);

// SAFETY: written by `keep` alone, before anybody else runs.
unsafe impl Sync for Kept {}

static KEPT: Kept = Kept(UnsafeCell::new(([0; MOST], 0)));

/// Finds the words in the device tree at `address`, or, where there is none (the bare board says none), at the beginning of
/// memory, and keeps them. Called once, by a program's entry, before anything else: the first map reaches all of the
/// memory in which the tree may lie, the kernel's does not.
pub fn keep(address: u64) {
    // SAFETY: the one processor runs the entry, so there is nobody else.
    let kept = unsafe { &mut *KEPT.0.get() };
    let _ = read(address, kept).or_else(|| read(MEMORY.start, kept));
}

/// The words that were kept; an empty text where there were none.
pub fn words() -> &'static str {
    // SAFETY: it is not written any more.
    let (bytes, length) = unsafe { &*KEPT.0.get() };
    core::str::from_utf8(&bytes[..*length]).unwrap_or("")
}

/// Copies the words of the device tree at `address`, if there is one.
fn read(address: u64, (bytes, length): &mut ([u8; MOST], usize)) -> Option<()> {
    let header = memory(address, HEADER as u64)?;
    let (magic, size) = header.split_at(MAGIC.len());
    let size = u32::from_be_bytes(size.try_into().ok()?).into();
    if magic != MAGIC || size > LARGEST {
        return None;
    }
    let tree = Fdt::new(memory(address, size)?).ok()?;
    let chosen = tree.chosen()?;
    let words = chosen.bootargs().ok()??;
    bytes
        .get_mut(..words.len())?
        .copy_from_slice(words.as_bytes());
    *length = words.len();
    Some(())
}

/// `length` bytes of memory from `address` on.
fn memory(address: u64, length: u64) -> Option<&'static [u8]> {
    let inside = MEMORY.contains(&address) && MEMORY.end - address >= length;
    let first = core::ptr::with_exposed_provenance::<u8>(address as usize);
    // SAFETY: the first map has it as ordinary memory, whoever started the program says that a device tree lies there, and
    // nobody writes it: the image lies elsewhere. Where there is no memory the read faults.
    inside.then(|| unsafe { slice::from_raw_parts(first, length as usize) })
}
