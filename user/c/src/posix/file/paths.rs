//! Owns: the calls on paths: what a file is, its removal, another name for it, directories. Must
//! never know: descriptors.

use super::super::errno::Errno;
use super::node::{Kind, MODE, Node, root};
use super::path::{End, Path};
use super::status::{Status, Volume};
use super::{in_turn, number};
use crate::cmsis::interface;
use core::cell::Cell;
use core::ffi::{c_char, c_int, c_uint};
use core::ptr;

/// Runs a call on the path at an address, in the caller's turn.
///
/// # Safety
/// The address is null or leads to a C string.
unsafe fn on(path: *const c_char, call: impl FnOnce(Path<'_>) -> Result<(), Errno>) -> c_int {
    number(in_turn(|| {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        call(unsafe { Path::at(path) }?)?;
        Ok(0)
    }))
}

fn unlink(path: Path<'_>) -> Result<(), Errno> {
    match path.find()? {
        node if node.is_directory() => Err(Errno::PERM),
        node => {
            node.remove();
            Ok(())
        }
    }
}

/// Whether a directory is empty. Errors: `ENOTDIR`, `ENOTEMPTY`.
fn require_empty(node: &Node) -> Result<(), Errno> {
    match node.first()?.get() {
        Some(_) => Err(Errno::NOTEMPTY),
        None => Ok(()),
    }
}

fn remove_directory(path: Path<'_>) -> Result<(), Errno> {
    let node = path.find()?;
    require_empty(node)?;
    if node.stays() {
        return Err(Errno::BUSY);
    }
    if path.ends_with_dots() {
        return Err(Errno::INVAL);
    }
    node.remove();
    Ok(())
}

/// Whether `node` may take the name of `other`. Errors: `EISDIR`, `ENOTDIR`, `ENOTEMPTY`.
fn may_replace(node: &Node, other: &Node) -> Result<(), Errno> {
    match (node.is_directory(), other.is_directory()) {
        (true, _) => require_empty(other),
        (false, true) => Err(Errno::ISDIR),
        (false, false) => Ok(()),
    }
}

/// Whether `node` is `inner`, or a directory that `inner` is in at any depth.
fn has(node: &'static Node, mut inner: &'static Node) -> bool {
    while !ptr::eq(inner, root()) && !ptr::eq(inner, node) {
        inner = inner.directory();
    }
    ptr::eq(inner, node)
}

fn rename(old: Path<'_>, new: Path<'_>) -> Result<(), Errno> {
    let node = old.find()?;
    let (directory, name, replaced) = match new.walk()? {
        End::Found(other) if ptr::eq(node, other) => return Ok(()),
        End::Found(other) if other.stays() => return Err(Errno::BUSY),
        End::Found(other) => {
            may_replace(node, other)?;
            (other.directory(), other.name(), Some(other))
        }
        End::Missing(..) if new.is_directory() && !node.is_directory() => {
            return Err(Errno::NOTDIR);
        }
        End::Missing(directory, name) => (directory, name, None),
    };
    if old.ends_with_dots() || new.ends_with_dots() || has(node, directory) {
        return Err(Errno::INVAL);
    }
    if node.stays() {
        return Err(Errno::BUSY);
    }
    node.rename(directory, name, replaced)
}

/// `X_OK`: whether the file can be run.
const RUNS: c_int = 1;

interface! {
    /// `stat`, and `lstat`, as there are no links. `ENOENT`, `ENOTDIR`, `ENAMETOOLONG`; as all
    /// calls on paths `EFAULT` for null, and `EPERM` in a handler of an interrupt.
    fn taktos_status_of_path(path: *const c_char, status: *mut Status) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string, and `status` writable.
        unsafe { on(path, |path| {
            status.write(Status::of(path.find()?));
            Ok(())
        }) }
    }

    /// `chmod`.
    fn taktos_set_mode(path: *const c_char, mode: c_uint) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, |path| {
            path.find()?.mode.set(mode & MODE);
            Ok(())
        }) }
    }

    /// `access`: the one user may read and write all, and run what anyone may run. `EACCES`.
    fn taktos_access(path: *const c_char, access: c_int) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, |path| match path.find()?.mode.get() & 0o111 {
            0 if access & RUNS != 0 => Err(Errno::ACCES),
            _ => Ok(()),
        }) }
    }

    /// `unlink`. A file that is open goes at its last close. `EPERM` for a directory.
    fn taktos_unlink(path: *const c_char) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, unlink) }
    }

    /// `remove`: `unlink`, or `rmdir` for a directory.
    fn taktos_remove(path: *const c_char) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, |path| match path.find()?.is_directory() {
            true => remove_directory(path),
            false => unlink(path),
        }) }
    }

    /// `rename`. The new name is there at each instant, for the old file or for the new one.
    /// `EISDIR`, `ENOTDIR`, `ENOTEMPTY`, `EINVAL` for a directory that would be in itself, `EBUSY`
    /// for the root and `/tmp`, `ENOSPC`.
    fn taktos_rename(old: *const c_char, new: *const c_char) -> c_int {
        // SAFETY: the caller guarantees that both are null or C strings.
        unsafe { on(old, |old| rename(old, Path::at(new)?)) }
    }

    /// `mkdir`. `EEXIST`, `ENOSPC`.
    fn taktos_make_directory(path: *const c_char, mode: c_uint) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, |path| match path.walk()? {
            End::Found(_) => Err(Errno::EXIST),
            End::Missing(directory, name) => {
                directory.add(name, mode, Kind::Directory(Cell::new(None)))?;
                Ok(())
            }
        }) }
    }

    /// `rmdir`. `ENOTEMPTY`, `ENOTDIR`, `EINVAL` for a path that ends with `.` or `..`, `EBUSY` for
    /// the root and `/tmp`.
    fn taktos_remove_directory(path: *const c_char) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string.
        unsafe { on(path, remove_directory) }
    }

    /// `statvfs`: all files have one memory in common, the heap.
    fn taktos_volume_of_path(path: *const c_char, volume: *mut Volume) -> c_int {
        // SAFETY: the caller guarantees that `path` is null or a C string, and `volume` writable.
        unsafe { on(path, |path| {
            path.find()?;
            volume.write(Volume::now());
            Ok(())
        }) }
    }
}

#[cfg(target_os = "none")]
names! {
    "stat" = "taktos_status_of_path",
    "_stat" = "taktos_status_of_path",
    "lstat" = "taktos_status_of_path",
    "chmod" = "taktos_set_mode",
    "access" = "taktos_access",
    "unlink" = "taktos_unlink",
    "_unlink" = "taktos_unlink",
    "remove" = "taktos_remove",
    "rename" = "taktos_rename",
    "mkdir" = "taktos_make_directory",
    "rmdir" = "taktos_remove_directory",
    "statvfs" = "taktos_volume_of_path",
}
