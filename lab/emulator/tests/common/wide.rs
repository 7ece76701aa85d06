//! Small images of 64 bits from listings: each line is an instruction in hexadecimal with its assembly beside it, a
//! `label:`, a `label: function`, or a comment behind `#`. A page of data follows the code.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use taktos_emulator::several::{Setting, Virt};
use taktos_emulator::{Emulator, Error, Options, Record};

/// Where the data lies, from the image's beginning.
pub const DATA: u64 = 0x1000;
/// Bytes of data.
const DATA_BYTES: usize = 0x400;
/// What of the data the image tells the emulator at its end: the reason (the image ended itself), then the status.
const EXIT: usize = 0x200;
const ENDED: u64 = 0x20026;

/// An image in the making.
pub struct Image {
    board: Virt,
    code: Vec<u8>,
    data: Vec<u8>,
    symbols: Vec<Symbol>,
}

struct Symbol {
    name: String,
    value: u64,
    size: u64,
    function: bool,
}

/// Where the emulator begins an image.
pub const fn origin(board: Virt) -> u64 {
    match board {
        Virt::Aarch64 | Virt::Aarch64El2 | Virt::Imx8mpEvk => 0x4020_0000,
        Virt::Zcu102 => 0x0020_0000,
        Virt::RiscV64 => 0x8000_0000,
    }
}

impl Image {
    pub fn of(board: Virt, listing: &str) -> Self {
        let mut image = Self {
            board,
            code: Vec::new(),
            data: vec![0; DATA_BYTES],
            symbols: Vec::new(),
        };
        image.word(EXIT, ENDED);
        for line in listing.lines().map(str::trim) {
            image.line(line);
        }
        image
    }

    fn line(&mut self, line: &str) {
        let here = origin(self.board) + self.code.len() as u64;
        if line.is_empty() || line.starts_with('#') {
        } else if let Some(name) = line.strip_suffix(": function") {
            self.add(name, here, 0, true);
        } else if let Some(name) = line.strip_suffix(':') {
            self.add(name, here, 0, false);
        } else {
            let word = line.split(' ').next().unwrap_or_default();
            let word = u32::from_str_radix(word, 16).expect("a word of code");
            self.code.extend(word.to_le_bytes());
        }
    }

    fn add(&mut self, name: &str, value: u64, size: u64, function: bool) {
        self.symbols.push(Symbol {
            name: name.to_owned(),
            value,
            size,
            function,
        });
    }

    /// A symbol of a value and a size.
    pub fn symbol(&mut self, name: &str, value: u64, size: u64) {
        self.add(name, value, size, false);
    }

    /// A word of data, by its place there.
    pub fn word(&mut self, place: usize, value: u64) {
        self.data[place..place + 8].copy_from_slice(&value.to_le_bytes());
    }

    /// The address of a place in the data.
    pub fn data(&self, place: u64) -> u64 {
        origin(self.board) + DATA + place
    }

    /// An executable file with one segment, one section of code, and symbols.
    fn elf(&self) -> Vec<u8> {
        const HEADER: usize = 64 + 56;
        let origin = origin(self.board);
        let machine: u16 = match self.board {
            Virt::Aarch64 | Virt::Aarch64El2 | Virt::Imx8mpEvk | Virt::Zcu102 => 183,
            Virt::RiscV64 => 243,
        };
        let (mut strings, mut symbols) = (vec![0_u8], vec![0_u8; 24]);
        let functions = self.symbols.iter().filter(|s| s.function);
        let starts: Vec<u64> = functions.map(|s| s.value).collect();
        let end = origin + self.code.len() as u64;
        for symbol in &self.symbols {
            let next = starts.iter().find(|start| **start > symbol.value);
            let size = match symbol.function {
                true => next.copied().unwrap_or(end) - symbol.value,
                false => symbol.size,
            };
            let section: u16 = if symbol.value < end { 1 } else { 0xfff1 };
            symbols.extend((strings.len() as u32).to_le_bytes());
            symbols.extend([0x10 | (u8::from(symbol.function) * 2), 0]);
            symbols.extend(section.to_le_bytes());
            words(&mut symbols, &[symbol.value, size]);
            strings.extend(symbol.name.bytes().chain([0]));
        }
        let names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
        let load = DATA as usize + DATA_BYTES;
        let symbols_at = HEADER + load;
        let strings_at = symbols_at + symbols.len();
        let names_at = strings_at + strings.len();
        let sections_at = (names_at + names.len()).next_multiple_of(8);
        let mut elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        halves(&mut elf, &[2, machine, 1, 0]);
        words(&mut elf, &[origin, 64, sections_at as u64]);
        halves(&mut elf, &[0, 0, 64, 56, 1, 64, 5, 4]);
        halves(&mut elf, &[1, 0, 7, 0]);
        let load = load as u64;
        words(&mut elf, &[HEADER as u64, origin, origin, load, load, 8]);
        elf.extend(&self.code);
        elf.resize(HEADER + DATA as usize, 0);
        elf.extend(&self.data);
        elf.extend(&symbols);
        elf.extend(&strings);
        elf.extend(names);
        elf.resize(sections_at, 0);
        // Name, type, flags, address, offset, size, link, alignment, entry.
        section(&mut elf, [0; 9]);
        let code = self.code.len() as u64;
        section(&mut elf, [1, 1, 6, origin, HEADER as u64, code, 0, 4, 0]);
        let (at, length) = (symbols_at as u64, symbols.len() as u64);
        section(&mut elf, [7, 2, 0, 0, at, length, 3 | 1 << 32, 8, 24]);
        section(
            &mut elf,
            [
                15,
                3,
                0,
                0,
                strings_at as u64,
                strings.len() as u64,
                0,
                1,
                0,
            ],
        );
        section(
            &mut elf,
            [23, 3, 0, 0, names_at as u64, names.len() as u64, 0, 1, 0],
        );
        elf
    }

    /// Runs it in the emulator.
    pub fn run(&self, setting: &Setting, options: &Options) -> Result<Record, Error> {
        let file = Temporary::of(&self.elf());
        let emulator = Emulator::find(self.board).expect("the emulator");
        emulator.record(&file.0, setting, options, &mut |_| {})
    }
}

fn words(bytes: &mut Vec<u8>, words: &[u64]) {
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

fn halves(bytes: &mut Vec<u8>, halves: &[u16]) {
    bytes.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
}

/// A section's header; name and type share a word, link and information another.
fn section(bytes: &mut Vec<u8>, [name, kind, rest @ ..]: [u64; 9]) {
    words(bytes, &[name | kind << 32]);
    words(bytes, &rest);
}

struct Temporary(PathBuf);

impl Temporary {
    fn of(bytes: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("taktos-wide-{}-{number}.elf", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a temporary file");
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
