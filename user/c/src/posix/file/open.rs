//! Owns: files and directories that are open: the place of the next byte, and what the flags
//! allow. Must never know: descriptors' numbers.

use super::super::clock::time_of_day;
use super::super::errno::Errno;
use super::super::name::{CREATE, EXCLUSIVE};
use super::contents::Contents;
use super::descriptor::{ACCESS, APPENDS, Stream, WRITES, add, require_access};
use super::node::{Kind, MODE, Node};
use super::path::{End, Path};
use super::status::Status;
use super::{Offset, in_turn, number};
use crate::cmsis::interface;
use crate::object::Memory;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_uint};

/// `O_TRUNC` and `O_DIRECTORY`.
const EMPTIES: c_int = 0x400;
const DIRECTORY: c_int = 0x20_0000;
/// `SEEK_SET`, `SEEK_CUR` and `SEEK_END`.
const FROM_START: c_int = 0;
const FROM_HERE: c_int = 1;
const FROM_END: c_int = 2;

/// A file or a directory that is open.
struct Open {
    node: &'static Node,
    flags: Cell<c_int>,
    place: Cell<usize>,
}

impl Open {
    /// Opens a node. Errors: `EISDIR` and `ENOTDIR`, as the flags say; `EMFILE` without memory.
    fn of(node: &'static Node, flags: c_int) -> Result<&'static dyn Stream, Errno> {
        if node.is_directory() && flags & (ACCESS | EMPTIES) != 0 {
            return Err(Errno::ISDIR);
        }
        if !node.is_directory() && flags & DIRECTORY != 0 {
            return Err(Errno::NOTDIR);
        }
        let open = Memory::hold(Self {
            node,
            flags: Cell::new(flags & !(CREATE | EXCLUSIVE | EMPTIES)),
            place: Cell::new(0),
        });
        let open = open.ok_or(Errno::MFILE)?;
        node.open();
        if flags & EMPTIES != 0 {
            open.contents()?.resize(0)?;
            open.is_changed();
        }
        Ok(open)
    }

    fn contents(&self) -> Result<&'static Contents, Errno> {
        self.node.contents()
    }

    fn is_changed(&self) {
        self.node.changed.set(time_of_day());
    }
}

impl Stream for Open {
    unsafe fn read(&self, to: *mut u8, count: usize) -> Result<usize, Errno> {
        require_access(self.flags.get(), 0)?;
        // SAFETY: the caller guarantees that `count` bytes at `to` are writable.
        let count = unsafe { self.contents()?.read(self.place.get(), to, count) };
        self.place.update(|place| place + count);
        Ok(count)
    }

    unsafe fn write(&self, from: *const u8, count: usize) -> Result<usize, Errno> {
        require_access(self.flags.get(), WRITES)?;
        let contents = self.contents()?;
        if self.flags.get() & APPENDS != 0 {
            self.place.set(contents.size());
        }
        // SAFETY: the caller guarantees that `count` bytes at `from` are readable.
        let count = unsafe { contents.write(self.place.get(), from, count)? };
        self.place.update(|place| place + count);
        self.is_changed();
        Ok(count)
    }

    fn seek(&self, by: Offset, from: c_int) -> Result<Offset, Errno> {
        let start = match from {
            FROM_START => 0,
            FROM_HERE => self.place.get(),
            FROM_END => self.contents()?.size(),
            _ => return Err(Errno::INVAL),
        };
        let place = (start as Offset).checked_add(by).ok_or(Errno::OVERFLOW)?;
        self.place
            .set(usize::try_from(place).map_err(|_| Errno::INVAL)?);
        Ok(place)
    }

    fn resize(&self, size: Offset) -> Result<(), Errno> {
        require_access(self.flags.get(), WRITES).map_err(|_| Errno::INVAL)?;
        let size = usize::try_from(size).map_err(|_| Errno::INVAL)?;
        self.contents()?.resize(size)?;
        self.is_changed();
        Ok(())
    }

    fn reserve(&self, at: Offset, count: Offset) -> Result<(), Errno> {
        require_access(self.flags.get(), WRITES)?;
        let [at, count] = [at, count].map(usize::try_from);
        let count = count.ok().filter(|count| *count > 0).ok_or(Errno::INVAL)?;
        self.contents()?
            .reserve(at.map_err(|_| Errno::INVAL)?, count)?;
        self.is_changed();
        Ok(())
    }

    fn set_mode(&self, mode: u32) -> Result<(), Errno> {
        self.node.mode.set(mode & MODE);
        Ok(())
    }

    fn status(&self) -> Status {
        Status::of(self.node)
    }

    fn flags(&self) -> &Cell<c_int> {
        &self.flags
    }

    fn close(&'static self) {
        self.node.close();
        // SAFETY: it was allocated alone, and no descriptor leads to it any more.
        unsafe { Memory::let_go(self) };
    }
}

/// Finds the node of a path, or makes a file, as the flags say.
fn found(path: Path<'_>, flags: c_int, mode: c_uint) -> Result<&'static Node, Errno> {
    match path.walk()? {
        End::Found(_) if flags & CREATE != 0 && flags & EXCLUSIVE != 0 => Err(Errno::EXIST),
        End::Found(node) => Ok(node),
        End::Missing(..) if flags & CREATE == 0 => Err(Errno::NOENT),
        End::Missing(..) if path.is_directory() => Err(Errno::ISDIR),
        End::Missing(directory, name) => directory.add(name, mode, Kind::File(Contents::new())),
    }
}

interface! {
    /// `open`. `ENOENT`, `EEXIST`, `EISDIR`, `ENOTDIR`, `EMFILE`, `ENOSPC`, `ENAMETOOLONG`,
    /// `EINVAL`, `EFAULT`; `EPERM` in a handler of an interrupt. The mode is kept, and keeps
    /// nothing from being opened, as the one user may do all. In C the mode is there only with
    /// `O_CREAT`: on these processors it is located where that of such a call is.
    fn taktos_open_file(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
        number(in_turn(|| {
            if flags & ACCESS == ACCESS || flags & EMPTIES != 0 && flags & ACCESS == 0 {
                return Err(Errno::INVAL);
            }
            // SAFETY: the caller guarantees that `path` is null or a C string.
            let path = unsafe { Path::at(path) }?;
            add(|| Open::of(found(path, flags, mode)?, flags))
        }))
    }

    /// `creat`.
    fn taktos_create_file(path: *const c_char, mode: c_uint) -> c_int {
        // SAFETY: the contract of this function is that of the other.
        unsafe { taktos_open_file(path, WRITES | CREATE | EMPTIES, mode) }
    }

    /// `truncate`.
    fn taktos_resize_path(path: *const c_char, size: Offset) -> c_int {
        number(in_turn(|| {
            let size = usize::try_from(size).map_err(|_| Errno::INVAL)?;
            // SAFETY: the caller guarantees that `path` is null or a C string.
            let node = unsafe { Path::at(path) }?.find()?;
            node.contents()?.resize(size)?;
            node.changed.set(time_of_day());
            Ok(0)
        }))
    }
}

#[cfg(target_os = "none")]
names! {
    "open" = "taktos_open_file",
    "_open" = "taktos_open_file",
    "creat" = "taktos_create_file",
    "truncate" = "taktos_resize_path",
}
