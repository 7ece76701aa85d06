//! Owns: the archive of an initial RAM file system (cpio "newc", in the kernel's
//! Documentation/driver-api/early-userspace/buffer-format.rst).
//! Must never know: its contents, or their purpose.
//!
//! Bytes depend on the entries and their order alone: times and owners are zero, inodes are
//! counted from one.

/// An archive that grows.
pub struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const TYPE: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
const CHARACTER: u32 = 0o020_000;

impl Archive {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            entries: 0,
        }
    }

    /// A folder; the one above it comes first.
    pub fn directory(&mut self, path: &str) {
        self.entry(path, DIRECTORY | 0o755, (0, 0), b"");
    }

    /// A file that can be run.
    pub fn program(&mut self, path: &str, bytes: &[u8]) {
        self.entry(path, FILE | 0o755, (0, 0), bytes);
    }

    /// A symbolic link.
    pub fn link(&mut self, path: &str, target: &str) {
        self.entry(path, LINK | 0o777, (0, 0), target.as_bytes());
    }

    /// A character device.
    pub fn device(&mut self, path: &str, major: u32, minor: u32) {
        self.entry(path, CHARACTER | 0o600, (major, minor), b"");
    }

    /// The archive with its end mark.
    pub fn finish(mut self) -> Vec<u8> {
        self.entries = u32::MAX; // the end mark has inode 0
        self.entry("TRAILER!!!", 0, (0, 0), b"");
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, device: (u32, u32), content: &[u8]) {
        self.entries = self.entries.wrapping_add(1);
        let bytes = u32::try_from(content.len()).expect("a file of the guest's is below 4 GiB");
        let name = u32::try_from(path.len() + 1).expect("paths are short");
        let links = if mode & TYPE == DIRECTORY { 2 } else { 1 };
        // inode, mode, user, group, links, time, size, device (2), the special file's device (2),
        // length of the name with its zero, check sum (none in this form)
        let fields = [
            self.entries,
            mode,
            0,
            0,
            links,
            0,
            bytes,
            0,
            0,
            device.0,
            device.1,
            name,
            0,
        ];
        self.bytes.extend_from_slice(b"070701");
        for field in fields {
            self.bytes
                .extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.pad();
        self.bytes.extend_from_slice(content);
        self.pad();
    }

    fn pad(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Name, the 13 fields and the content of each entry, as the kernel's own reader finds them.
    fn read(archive: &[u8]) -> Vec<(String, Vec<u32>, Vec<u8>)> {
        let round = |at: usize| at.next_multiple_of(4);
        let (mut at, mut entries) = (0, Vec::new());
        while at < archive.len() {
            assert_eq!(&archive[at..at + 6], b"070701", "at {at}");
            let text = std::str::from_utf8(&archive[at + 6..at + 110]).expect("digits");
            let fields: Vec<u32> = (0..13)
                .map(|n| u32::from_str_radix(&text[8 * n..8 * n + 8], 16).expect("a number"))
                .collect();
            let (bytes, name) = (fields[6] as usize, fields[11] as usize);
            assert_eq!(archive[at + 110 + name - 1], 0);
            let label = String::from_utf8_lossy(&archive[at + 110..at + 110 + name - 1]);
            let content = round(at + 110 + name);
            let entry = archive[content..content + bytes].to_vec();
            entries.push((label.into_owned(), fields, entry));
            at = round(content + bytes);
        }
        entries
    }

    #[test]
    fn entries_are_as_the_kernel_reads_them() {
        let mut archive = Archive::new();
        archive.directory("dev");
        archive.device("dev/console", 5, 1);
        archive.program("init", b"#!/bin/sh\n");
        archive.link("sh", "init");
        let entries = read(&archive.finish());
        let names: Vec<&str> = entries.iter().map(|entry| entry.0.as_str()).collect();
        assert_eq!(names, ["dev", "dev/console", "init", "sh", "TRAILER!!!"]);
        let modes: Vec<u32> = entries.iter().map(|entry| entry.1[1]).collect();
        assert_eq!(modes, [0o40755, 0o20600, 0o100_755, 0o120_777, 0]);
        let inodes: Vec<u32> = entries.iter().map(|entry| entry.1[0]).collect();
        assert_eq!(inodes, [1, 2, 3, 4, 0]);
        let links: Vec<u32> = entries.iter().map(|entry| entry.1[4]).collect();
        assert_eq!(links, [2, 1, 1, 1, 1]);
        assert_eq!(&entries[1].1[9..11], [5, 1]);
        assert_eq!(entries[2].2, b"#!/bin/sh\n");
        assert_eq!(entries[3].2, b"init");
    }

    proptest! {
        #[test]
        fn contents_of_any_length_come_back(
            files in proptest::collection::vec(("[a-z]{1,9}", proptest::collection::vec(any::<u8>(), 0..40)), 0..6)
        ) {
            let mut archive = Archive::new();
            for (name, content) in &files {
                archive.program(name, content);
            }
            let entries = read(&archive.finish());
            prop_assert_eq!(entries.len(), files.len() + 1);
            for ((name, content), (found, _, bytes)) in files.iter().zip(&entries) {
                prop_assert_eq!(name, found);
                prop_assert_eq!(content, bytes);
            }
        }
    }
}
