//! Owns: how a path leads to a node. Must never know: what is done there.
//!
//! All paths begin at the root: there is no working directory to change.

use super::super::errno::Errno;
use super::node::{LONGEST, Node, root};
use core::ffi::{CStr, c_char};

/// `PATH_MAX`: the longest path with the character that ends it.
const LONGEST_PATH: usize = 1024;

/// Where a path leads.
pub enum End<'a> {
    /// To something that exists.
    Found(&'static Node),
    /// To a name that this directory does not have.
    Missing(&'static Node, &'a [u8]),
}

/// A path.
#[derive(Clone, Copy)]
pub struct Path<'a>(&'a [u8]);

impl<'a> Path<'a> {
    /// The path at an address. Errors: `EFAULT` where there is none, `ENOENT` for an empty one,
    /// `ENAMETOOLONG`.
    ///
    /// # Safety
    /// The address is null or leads to a C string.
    pub unsafe fn at(path: *const c_char) -> Result<Self, Errno> {
        if path.is_null() {
            return Err(Errno::FAULT);
        }
        // SAFETY: the caller guarantees that `path`, which is not null here, is a C string.
        match unsafe { CStr::from_ptr(path) }.to_bytes() {
            [] => Err(Errno::NOENT),
            path if path.len() >= LONGEST_PATH => Err(Errno::NAMETOOLONG),
            path => Ok(Self(path)),
        }
    }

    /// Whether it ends with a slash, and so is a directory's.
    pub fn is_directory(self) -> bool {
        self.0.ends_with(b"/")
    }

    fn names(self) -> impl Iterator<Item = &'a [u8]> {
        self.0
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
    }

    /// Whether its last name is `.` or `..`, by which nothing is removed.
    pub fn ends_with_dots(self) -> bool {
        matches!(self.names().last(), Some(b"." | b".."))
    }

    /// Follows the path. Errors: `ENOENT`, `ENOTDIR`, `ENAMETOOLONG`.
    pub fn walk(self) -> Result<End<'a>, Errno> {
        let mut node = root();
        let mut names = self.names();
        while let Some(name) = names.next() {
            node = match name {
                _ if !node.is_directory() => return Err(Errno::NOTDIR),
                _ if name.len() > LONGEST => return Err(Errno::NAMETOOLONG),
                b"." => node,
                b".." => node.directory(),
                name => match node.find(|node| node.name() == name)? {
                    Some(node) => node,
                    None if names.next().is_none() => return Ok(End::Missing(node, name)),
                    None => return Err(Errno::NOENT),
                },
            };
        }
        match self.is_directory() && !node.is_directory() {
            true => Err(Errno::NOTDIR),
            false => Ok(End::Found(node)),
        }
    }

    /// The node. Errors: as for [`Path::walk`].
    pub fn find(self) -> Result<&'static Node, Errno> {
        match self.walk()? {
            End::Found(node) => Ok(node),
            End::Missing(..) => Err(Errno::NOENT),
        }
    }
}
