//! Owns: the tree: which directory has which entries, and when a file or a directory goes. Must
//! never know: paths and descriptors.

use super::super::clock::{FIRST_TIME, time_of_day};
use super::super::errno::Errno;
use super::contents::Contents;
use crate::object::Memory;
use core::cell::Cell;
use core::ptr;
use core::slice;

/// The longest name of an entry: `NAME_MAX`.
pub const LONGEST: usize = 255;
/// The bits of a mode that a program sets.
pub const MODE: u32 = 0o777;

/// A file or a directory.
pub struct Node {
    /// The directory that has it; none for the root, and after its name was removed.
    directory: Cell<Option<&'static Node>>,
    /// The next entry of that directory: they are in the order in which they came.
    next: Cell<Option<&'static Node>>,
    /// Its name, in the heap.
    name: Cell<&'static [u8]>,
    /// A number that is larger than those of all entries that came earlier.
    pub order: Cell<u64>,
    pub mode: Cell<u32>,
    /// The time of day of the last change, in nanoseconds.
    pub changed: Cell<i64>,
    /// How often it is open.
    opened: Cell<usize>,
    pub kind: Kind,
}

/// Contents of a node.
pub enum Kind {
    /// With its first entry.
    Directory(Cell<Option<&'static Node>>),
    File(Contents),
}

/// The directories that are there at the start and stay: the root and `/tmp`; and the last number
/// of an entry.
struct Tree {
    root: Node,
    temporary: Node,
    last: Cell<u64>,
}

// SAFETY: all of it is used by one thread at a time, in its turn.
unsafe impl Sync for Tree {}

static TREE: Tree = Tree {
    root: Node::lasting(&[], None, Some(&TREE.temporary)),
    temporary: Node::lasting(b"tmp", Some(&TREE.root), None),
    last: Cell::new(1),
};

/// The root.
pub fn root() -> &'static Node {
    &TREE.root
}

/// Returns a copy of a name in the heap. Errors: `ENOSPC`.
fn kept(name: &[u8]) -> Result<&'static [u8], Errno> {
    let memory = Memory::of_heap(name.len()).ok_or(Errno::NOSPC)?;
    let bytes = memory.start.as_ptr();
    // SAFETY: memory of the heap for this number of bytes, which no code uses yet.
    unsafe {
        bytes.copy_from_nonoverlapping(name.as_ptr(), name.len());
        Ok(slice::from_raw_parts(bytes, name.len()))
    }
}

impl Node {
    /// A directory that is there at the start.
    const fn lasting(
        name: &'static [u8],
        directory: Option<&'static Self>,
        first: Option<&'static Self>,
    ) -> Self {
        Self {
            directory: Cell::new(directory),
            order: Cell::new(1),
            ..Self::new(name, MODE, FIRST_TIME, Kind::Directory(Cell::new(first)))
        }
    }

    const fn new(name: &'static [u8], mode: u32, changed: i64, kind: Kind) -> Self {
        Self {
            directory: Cell::new(None),
            next: Cell::new(None),
            name: Cell::new(name),
            order: Cell::new(0),
            mode: Cell::new(mode),
            changed: Cell::new(changed),
            opened: Cell::new(0),
            kind,
        }
    }

    /// Makes an entry of the directory `self`, which has none of this name. Errors: `ENOSPC`,
    /// `ENOENT` if the directory itself was removed.
    pub fn add(&'static self, name: &[u8], mode: u32, kind: Kind) -> Result<&'static Self, Errno> {
        if self.is_removed() {
            return Err(Errno::NOENT);
        }
        let name = kept(name)?;
        let new = Self::new(name, mode & MODE, time_of_day(), kind);
        let Some(node) = Memory::hold(new) else {
            // SAFETY: no other code has its address.
            unsafe { Memory::let_go(name) };
            return Err(Errno::NOSPC);
        };
        self.append(node);
        Ok(node)
    }

    /// Number of the node, by which a program sees that two names are one file. In 16 bits it is
    /// unique within 2 MiB of memory.
    pub fn number(&self) -> u16 {
        (ptr::from_ref(self).addr() / 32) as u16
    }

    /// The directory that has it: the root has itself.
    pub fn directory(&'static self) -> &'static Self {
        self.directory.get().unwrap_or(self)
    }

    /// The name.
    pub fn name(&self) -> &'static [u8] {
        self.name.get()
    }

    /// The contents of a file. Errors: `EISDIR`.
    pub fn contents(&self) -> Result<&Contents, Errno> {
        match &self.kind {
            Kind::File(contents) => Ok(contents),
            Kind::Directory(_) => Err(Errno::ISDIR),
        }
    }

    /// The first entry of a directory. Errors: `ENOTDIR`.
    pub fn first(&self) -> Result<&Cell<Option<&'static Self>>, Errno> {
        match &self.kind {
            Kind::Directory(first) => Ok(first),
            Kind::File(_) => Err(Errno::NOTDIR),
        }
    }

    /// Whether it is a directory.
    pub fn is_directory(&self) -> bool {
        self.first().is_ok()
    }

    /// Whether it was there at the start, and so stays.
    pub fn stays(&self) -> bool {
        ptr::eq(self, root()) || ptr::eq(self, &raw const TREE.temporary)
    }

    /// Whether its name was removed.
    fn is_removed(&self) -> bool {
        self.directory.get().is_none() && !ptr::eq(self, root())
    }

    /// The first entry of a directory that `is_it`. Errors: `ENOTDIR`.
    pub fn find(&self, is_it: impl Fn(&Self) -> bool) -> Result<Option<&'static Self>, Errno> {
        let mut next = self.first()?.get();
        while let Some(node) = next.filter(|node| !is_it(node)) {
            next = node.next.get();
        }
        Ok(next)
    }

    /// Puts `node` after the entries of the directory `self`.
    fn append(&'static self, node: &'static Self) {
        let Ok(mut place) = self.first() else { return };
        while let Some(other) = place.get() {
            place = &other.next;
        }
        TREE.last.set(TREE.last.get() + 1);
        node.order.set(TREE.last.get());
        node.next.set(None);
        node.directory.set(Some(self));
        place.set(Some(node));
        self.changed.set(time_of_day());
    }

    /// Takes the node out of its directory.
    fn detach(&'static self) {
        let Some(directory) = self.directory.take() else {
            return;
        };
        let Ok(mut place) = directory.first() else {
            return;
        };
        while let Some(other) = place.get() {
            if ptr::eq(other, self) {
                place.set(self.next.take());
                break;
            }
            place = &other.next;
        }
        directory.changed.set(time_of_day());
    }

    /// Gives the node another name, in `directory`, in place of the one that has it now. Errors:
    /// `ENOSPC`.
    pub fn rename(
        &'static self,
        directory: &'static Self,
        name: &[u8],
        replaced: Option<&'static Self>,
    ) -> Result<(), Errno> {
        let name = kept(name)?;
        if let Some(replaced) = replaced {
            replaced.remove();
        }
        self.detach();
        let old = self.name.replace(name);
        directory.append(self);
        // SAFETY: it alone has memory of the heap, and no code uses it any more.
        unsafe { Memory::let_go(old) };
        Ok(())
    }

    /// Removes the name. The node goes when no descriptor leads to it.
    pub fn remove(&'static self) {
        self.detach();
        self.free_if_unused();
    }

    /// Counts a user.
    pub fn open(&self) {
        self.opened.update(|count| count + 1);
    }

    /// And one less.
    pub fn close(&'static self) {
        self.opened.update(|count| count - 1);
        self.free_if_unused();
    }

    fn free_if_unused(&'static self) {
        if self.opened.get() > 0 || !self.is_removed() {
            return;
        }
        if let Kind::File(contents) = &self.kind {
            contents.free();
        }
        // SAFETY: both were allocated alone; no name and no descriptor leads to them.
        unsafe {
            Memory::let_go(self.name.get());
            Memory::let_go(self);
        }
    }
}
