//! Owns: directories that are read: which entry comes next. Must never know: what the entries are.

use super::super::errno::Errno;
use super::node::{LONGEST, Node};
use super::path::Path;
use super::{failed, in_turn, number};
use crate::cmsis::interface;
use crate::object::Memory;
use core::cell::{Cell, UnsafeCell};
use core::ffi::{c_char, c_int};
use core::ptr;

/// `struct dirent`.
#[repr(C)]
pub struct Entry {
    number: u16,
    /// `DT_DIR` or `DT_REG`.
    kind: u8,
    name: [u8; LONGEST + 1],
}

/// `DT_DIR` and `DT_REG`.
const DIRECTORY: u8 = 4;
const FILE: u8 = 8;

/// `DIR`: a directory that is read. Entries that come or go meanwhile do not make it skip others.
pub struct Reading {
    node: &'static Node,
    /// How many of `.` and `..` were returned.
    dots: Cell<u8>,
    /// The number of the last entry that was returned.
    order: Cell<u64>,
    entry: UnsafeCell<Entry>,
}

impl Reading {
    fn open(path: Path<'_>) -> Result<*mut Self, Errno> {
        let node = path.find()?;
        node.first()?;
        let reading: &'static Self = Memory::hold(Self {
            node,
            dots: Cell::new(0),
            order: Cell::new(0),
            entry: UnsafeCell::new(Entry {
                number: 0,
                kind: 0,
                name: [0; _],
            }),
        })
        .ok_or(Errno::NOMEM)?;
        node.open();
        Ok(ptr::from_ref(reading).cast_mut())
    }

    /// The next entry; null at the end.
    fn next(&self) -> Result<*mut Entry, Errno> {
        let dots = self.dots.get();
        if dots < 2 {
            self.dots.set(dots + 1);
            let node = [self.node, self.node.directory()][usize::from(dots)];
            return Ok(self.filled(node, &b".."[..usize::from(dots) + 1]));
        }
        let next = self.node.find(|node| node.order.get() > self.order.get())?;
        Ok(next.map_or(ptr::null_mut(), |node| {
            self.order.set(node.order.get());
            self.filled(node, node.name())
        }))
    }

    fn filled(&self, node: &Node, name: &[u8]) -> *mut Entry {
        // SAFETY: one thread at a time is here, and the program does not read it meanwhile.
        let entry = unsafe { &mut *self.entry.get() };
        entry.number = node.number();
        entry.kind = if node.is_directory() { DIRECTORY } else { FILE };
        entry.name = [0; _];
        entry.name[..name.len()].copy_from_slice(name);
        entry
    }
}

/// Returns an address, or null with `errno`.
fn address<T>(result: Result<*mut T, Errno>) -> *mut T {
    result.unwrap_or_else(|error| {
        failed(error);
        ptr::null_mut()
    })
}

interface! {
    /// `opendir`. `ENOENT`, `ENOTDIR`, `ENOMEM`.
    fn taktos_open_directory(path: *const c_char) -> *mut Reading {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        address(in_turn(|| Reading::open(unsafe { Path::at(path) }?)))
    }

    /// `readdir`: first `.` and `..`. The entry is there until the next call for this directory.
    fn taktos_read_directory(reading: *mut Reading) -> *mut Entry {
        // SAFETY: the caller guarantees that `reading` is null or open.
        address(in_turn(|| unsafe { reading.as_ref() }.ok_or(Errno::BADF)?.next()))
    }

    /// `rewinddir`.
    fn taktos_rewind_directory(reading: *mut Reading) {
        // SAFETY: the caller guarantees that `reading` is null or open.
        if let Some(reading) = unsafe { reading.as_ref() } {
            let _ = in_turn(|| {
                reading.dots.set(0);
                reading.order.set(0);
                Ok(())
            });
        }
    }

    /// `closedir`.
    fn taktos_close_directory(reading: *mut Reading) -> c_int {
        number(in_turn(|| {
            // SAFETY: the caller guarantees that `reading` is null or open.
            let reading: &'static Reading = unsafe { reading.as_ref() }.ok_or(Errno::BADF)?;
            reading.node.close();
            // SAFETY: it was allocated alone, and the program does not use it any more.
            unsafe { Memory::let_go(reading) };
            Ok(0)
        }))
    }
}

#[cfg(target_os = "none")]
names! {
    "opendir" = "taktos_open_directory",
    "readdir" = "taktos_read_directory",
    "rewinddir" = "taktos_rewind_directory",
    "closedir" = "taktos_close_directory",
}
