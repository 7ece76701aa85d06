//! Executable files made by hand, of 32 bits and of 64: one segment, one section of code, and
//! symbols.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Architecture of the image.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Arm,
    Aarch64,
    RiscV64,
}

pub struct Symbol {
    pub name: String,
    pub value: u64,
    /// Of what is no function: that ends where the next one begins.
    pub size: u64,
    pub function: bool,
    pub absolute: bool,
}

/// Contents of a file.
pub struct Contents<'a> {
    pub class: Class,
    /// Where the image begins, in memory and at its start.
    pub origin: u64,
    /// Loaded bytes.
    pub load: &'a [u8],
    /// How much of it is code.
    pub code: usize,
    pub symbols: &'a [Symbol],
}

/// The file's bytes in the making: addresses have four of them, or eight.
struct Bytes {
    all: Vec<u8>,
    wide: bool,
}

impl Bytes {
    fn halves(&mut self, halves: &[u16]) {
        self.all.extend(halves.iter().flat_map(|h| h.to_le_bytes()));
    }

    fn words(&mut self, words: &[u32]) {
        self.all.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    }

    fn addresses(&mut self, addresses: &[u64]) {
        for address in addresses {
            match self.wide {
                true => self.all.extend(address.to_le_bytes()),
                false => self.words(&[*address as u32]),
            }
        }
    }

    /// A section's header: name and kind; flags, address, offset and length; what it links to;
    /// alignment and entry.
    fn section(&mut self, what: [u32; 2], place: [u64; 4], links: [u32; 2], form: [u64; 2]) {
        self.words(&what);
        self.addresses(&place);
        self.words(&links);
        self.addresses(&form);
    }

    fn symbol(&mut self, name: u32, symbol: &Symbol, size: u64) {
        let section = if symbol.absolute { 0xfff1 } else { 1 };
        let kind = u16::from(0x10 | (u8::from(symbol.function) * 2));
        match self.wide {
            true => {
                self.words(&[name]);
                self.halves(&[kind, section]);
                self.addresses(&[symbol.value, size]);
            }
            false => {
                self.words(&[name]);
                self.addresses(&[symbol.value, size]);
                self.halves(&[kind, section]);
            }
        }
    }
}

impl Contents<'_> {
    /// The file.
    pub fn elf(&self) -> Vec<u8> {
        let wide = self.class != Class::Arm;
        let (header, segment, entry, section): (u16, u16, u16, u16) = match wide {
            true => (64, 56, 24, 64),
            false => (52, 32, 16, 40),
        };
        let new = || Bytes {
            all: Vec::new(),
            wide,
        };
        let (mut strings, mut symbols) = (vec![0_u8], new());
        symbols.all.resize(entry.into(), 0);
        for symbol in self.symbols {
            symbols.symbol(strings.len() as u32, symbol, self.size(symbol));
            strings.extend(symbol.name.bytes().chain([0]));
        }
        let names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
        let load_at = u64::from(header + segment);
        let symbols_at = load_at + self.load.len() as u64;
        let strings_at = symbols_at + symbols.all.len() as u64;
        let names_at = strings_at + strings.len() as u64;
        let sections_at = (names_at + names.len() as u64).next_multiple_of(8);
        let (machine, flags) = match self.class {
            Class::Arm => (40, 0x0500_0200),
            Class::Aarch64 => (183, 0),
            Class::RiscV64 => (243, 0),
        };
        let mut file = new();
        file.all.extend(b"\x7fELF");
        file.all.extend([if wide { 2 } else { 1 }, 1, 1]);
        file.all.resize(16, 0);
        file.halves(&[2, machine]);
        file.words(&[1]);
        file.addresses(&[self.origin, header.into(), sections_at]);
        file.words(&[flags]);
        file.halves(&[header, segment, 1, section, 5, 4]);
        let length = self.load.len() as u64;
        let place = [load_at, self.origin, self.origin, length, length];
        file.words(if wide { &[1, 7] } else { &[1] });
        file.addresses(&place);
        file.words(if wide { &[] } else { &[7] });
        file.addresses(&[if wide { 8 } else { 4 }]);
        file.all.extend(self.load);
        file.all.extend(&symbols.all);
        file.all.extend(&strings);
        file.all.extend(names);
        file.all.resize(sections_at as usize, 0);
        file.all.resize(file.all.len() + usize::from(section), 0);
        let code = [6, self.origin, load_at, self.code as u64];
        file.section([1, 1], code, [0, 0], [4, 0]);
        let length = symbols.all.len() as u64;
        let entry = u64::from(entry);
        file.section([7, 2], [0, 0, symbols_at, length], [3, 1], [8, entry]);
        let length = strings.len() as u64;
        file.section([15, 3], [0, 0, strings_at, length], [0, 0], [1, 0]);
        let length = names.len() as u64;
        file.section([23, 3], [0, 0, names_at, length], [0, 0], [1, 0]);
        file.all
    }

    /// A function ends where the next one begins, or the code ends.
    fn size(&self, symbol: &Symbol) -> u64 {
        if !symbol.function {
            return symbol.size;
        }
        let functions = self.symbols.iter().filter(|other| other.function);
        let behind = functions.map(|other| other.value);
        let next = behind.filter(|value| *value > symbol.value).min();
        next.unwrap_or(self.origin + self.code as u64) - symbol.value
    }
}

/// A file that is gone when the test ends.
pub struct Temporary(pub PathBuf);

impl Temporary {
    pub fn of(bytes: &[u8]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("taktos-test-{}-{number}.elf", std::process::id());
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
