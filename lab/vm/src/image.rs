//! Owns: the contents of an image: its place in its partition's space and its entry.
//! Must never know: the builder of the image; its place in the machine.

use std::path::{Path, PathBuf};

use object::{Object, ObjectSegment};

use crate::plan::Error;

/// Where the files of a partition's image are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// An ELF image, or Linux's `Image` for arm64.
    pub kernel: PathBuf,
    /// The file system that Linux begins with.
    pub initrd: Option<PathBuf>,
    /// The command line where the configuration says none.
    pub arguments: String,
}

impl Sources {
    /// A kernel alone: with neither file system nor command line.
    pub const fn of(kernel: PathBuf) -> Self {
        Self {
            kernel,
            initrd: None,
            arguments: String::new(),
        }
    }
}

/// The kinds of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// ELF: the project's guests.
    Elf,
    /// Linux for arm64.
    Linux,
}

/// An image, read.
#[derive(Debug)]
pub(crate) struct Image {
    pub form: Form,
    /// Its bytes; none: those of the file.
    pub bytes: Option<Vec<u8>>,
    /// How many they are.
    pub length: u64,
    /// Where they go, from the start of memory for Linux, absolutely for ELF.
    pub at: u64,
    /// Bytes that it occupies there, uninitialised memory included.
    pub extent: u64,
    /// Where it starts.
    pub entry: u64,
    /// Whether it calls a debugger, as images for bare boards do to end.
    pub asks_debugger: bool,
}

/// The instruction by which a program of AArch64 calls a debugger (Arm, Semihosting for AArch32
/// and AArch64: `hlt #0xf000`).
const SEMIHOSTING: [u8; 4] = 0xD45E_0000u32.to_le_bytes();

/// The magic number of Linux's header, and where it is (Linux: Documentation/arch/arm64/booting).
const LINUX: (usize, [u8; 4]) = (56, *b"ARM\x64");

impl Image {
    /// Reads a file; `memory`: where a Linux image's memory begins.
    pub fn read(path: &Path, memory: u64) -> Result<Self, Error> {
        let file = std::fs::read(path).map_err(|cause| Error::Read {
            path: path.to_owned(),
            cause,
        })?;
        let read = match file.as_slice() {
            [0x7f, b'E', b'L', b'F', ..] => elf(&file),
            _ if file.get(LINUX.0..LINUX.0 + 4) == Some(&LINUX.1) => linux(&file, memory),
            [0x1f, 0x8b, ..] => wrong("it is compressed", "unpack it with gunzip"),
            [b'M', b'Z', _, _, b'z', b'i', b'm', b'g', ..] => wrong(
                "it unpacks itself by EFI, which is not here",
                "take the kernel's plain Image",
            ),
            _ => wrong(
                "it is neither ELF nor Linux's Image for arm64",
                "name one of these",
            ),
        };
        read.map_err(|(why, hint)| Error::Image {
            path: path.to_owned(),
            why,
            hint,
        })
    }
}

/// Why a file is no image, and the hint.
type Wrong = (String, &'static str);

fn wrong<T>(why: impl Into<String>, hint: &'static str) -> Result<T, Wrong> {
    Err((why.into(), hint))
}

fn damaged(cause: impl std::fmt::Display) -> Wrong {
    (format!("it is damaged: {cause}"), "build it anew")
}

/// Where an ELF file says how wide its machine's words are, and which byte of them comes first
/// (gABI, `e_ident`).
const CLASS: (usize, u8) = (4, 1);
const ORDER: (usize, u8) = (5, 2);

fn elf(file: &[u8]) -> Result<Image, Wrong> {
    let says = |(at, value): (usize, u8)| file.get(at) == Some(&value);
    if says(CLASS) {
        return wrong("it is for a 32-bit machine", "build it for aarch64");
    }
    if says(ORDER) {
        return wrong(
            "it is for big-endian processors",
            "build it for aarch64, little-endian",
        );
    }
    let parsed = object::read::elf::ElfFile64::<object::Endianness>::parse(file);
    let parsed = parsed.map_err(damaged)?;
    if parsed.architecture() != object::Architecture::Aarch64 {
        return wrong("it is for another processor", "build it for aarch64");
    }
    let mut parts = Vec::new();
    let (mut start, mut end) = (u64::MAX, 0u64);
    for segment in parsed.segments() {
        let data = segment.data().map_err(damaged)?;
        let at = segment.elf_program_header().p_paddr.get(parsed.endian());
        let until = at.checked_add(segment.size().max(data.len() as u64));
        let until = until.filter(|until| *until <= 1 << 40);
        end = end.max(until.ok_or_else(|| damaged("a segment lies nowhere"))?);
        if segment.size() > 0 {
            start = start.min(at);
        }
        if !data.is_empty() {
            parts.push((at, data));
        }
    }
    let filled = parts.iter().map(|(at, data)| at + data.len() as u64).max();
    let Some(filled) = filled else {
        return wrong("it holds nothing", "build it anew");
    };
    // Far beyond any partition's memory: not worth unfolding to say so.
    if filled - start > 4 << 30 {
        return wrong("its segments lie too far apart", "link it in one piece");
    }
    let mut bytes = vec![0; (filled - start) as usize];
    for (at, data) in parts {
        let from = (at - start) as usize;
        bytes[from..from + data.len()].copy_from_slice(data);
    }
    let asks_debugger = bytes.chunks_exact(4).any(|word| word == SEMIHOSTING);
    Ok(Image {
        form: Form::Elf,
        length: bytes.len() as u64,
        bytes: Some(bytes),
        at: start,
        extent: end - start,
        entry: parsed.entry(),
        asks_debugger,
    })
}

fn linux(file: &[u8], memory: u64) -> Result<Image, Wrong> {
    let word = |at: usize| -> u64 {
        let bytes = file.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let (offset, size, flags) = (word(8), word(16), word(24));
    if flags & 1 != 0 {
        return wrong(
            "it is for big-endian processors",
            "take a little-endian kernel",
        );
    }
    if size == 0 || offset >= 2 << 20 || size > 1 << 30 {
        return wrong(
            "its header is older than Linux 3.17, or damaged",
            "take a newer kernel",
        );
    }
    Ok(Image {
        form: Form::Linux,
        bytes: None,
        length: file.len() as u64,
        at: memory + offset,
        extent: size.max(file.len() as u64),
        entry: memory + offset,
        asks_debugger: false,
    })
}
