//! Owns: what a program is told about a file and about the memory for files, in C's structures.
//! Must never know: the calls.

use super::super::clock::TimeSpec;
use super::contents::{BLOCK, HELD, blocks_of_all};
use super::node::{Kind, LONGEST, MODE, Node};
use crate::os::{masked, os};
use core::ffi::{c_long, c_ulong};

/// The kinds of files in a mode: `S_IFDIR`, `S_IFREG`, `S_IFCHR`.
const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const CHARACTERS: u32 = 0o020_000;

/// `struct stat`, as newlib has it.
#[repr(C)]
pub struct Status {
    device: i16,
    number: u16,
    mode: u32,
    links: u16,
    user: u16,
    group: u16,
    kind_of_device: i16,
    size: c_long,
    /// Times of the last access, of the last change of the contents and of the last one at all:
    /// all three are that of the last change.
    times: [TimeSpec; 3],
    block_size: c_long,
    blocks: c_long,
    spare: [c_long; 2],
}

impl Status {
    fn new(number: u16, mode: u32, time: i64, sizes: [usize; 3]) -> Self {
        let [size, block_size, blocks] = sizes.map(|size| size as c_long);
        Self {
            device: 0,
            number,
            mode,
            links: 1,
            user: 0,
            group: 0,
            kind_of_device: 0,
            size,
            times: [TimeSpec::of(time); 3],
            block_size,
            blocks,
            spare: [0; 2],
        }
    }

    /// That of the console.
    pub fn of_console() -> Self {
        Self::new(0, CHARACTERS | MODE, 0, [0, 1024, 0])
    }

    /// That of a node.
    pub fn of(node: &Node) -> Self {
        let (kind, size, blocks) = match &node.kind {
            Kind::Directory(_) => (DIRECTORY, 0, 0),
            Kind::File(contents) => (FILE, contents.size(), contents.blocks()),
        };
        let mode = kind | node.mode.get();
        let sizes = [size, BLOCK, blocks];
        Self::new(node.number(), mode, node.changed.get(), sizes)
    }
}

/// `struct statvfs`.
#[repr(C)]
pub struct Volume {
    block_size: c_ulong,
    fragment_size: c_ulong,
    blocks: u64,
    free: u64,
    available: u64,
    /// How many files there can be: as many as there is memory for, which is not told.
    files: [u32; 3],
    number: c_ulong,
    flags: c_ulong,
    longest_name: c_ulong,
}

impl Volume {
    /// That of all files: the blocks that they have, and those that the heap has space for, if no
    /// other part of the program takes it.
    pub fn now() -> Self {
        let free = (masked(|| os().heap.free_bytes()) / HELD) as u64;
        Self {
            block_size: BLOCK as c_ulong,
            fragment_size: BLOCK as c_ulong,
            blocks: free + blocks_of_all() as u64,
            free,
            available: free,
            files: [u32::MAX; 3],
            number: 0,
            flags: 0,
            longest_name: LONGEST as c_ulong,
        }
    }
}
