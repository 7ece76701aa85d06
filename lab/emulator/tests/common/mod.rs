//! Small images from listings: each line is an instruction in hexadecimal with its
//! assembly beside it (of four digits where it is T32), a `.word`, a `label:`, a `label: function`, or a `symbol = value`.

#![allow(dead_code, reason = "each test file uses a part")]

use std::path::PathBuf;

use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Error, Options, Record};

/// An image in the making.
#[derive(Default)]
pub struct Image {
    bytes: Vec<u8>,
    symbols: Vec<Symbol>,
    mapped: &'static str,
}

struct Symbol {
    name: String,
    value: u32,
    function: bool,
    absolute: bool,
}

impl Image {
    pub fn of(board: Board, listing: &str) -> Self {
        let mut image = Self::default();
        for line in listing.lines().map(str::trim).filter(|l| !l.is_empty()) {
            image.line(board, line);
        }
        image
    }

    fn line(&mut self, board: Board, line: &str) {
        if let Some((name, value)) = line.split_once(" = ") {
            let value = u32::from_str_radix(value, 16).expect("a hexadecimal value");
            self.symbol(name, value, false, true);
        } else if let Some(name) = line.strip_suffix(": function") {
            self.symbol(name, self.here(board), true, false);
        } else if let Some(name) = line.strip_suffix(':') {
            self.symbol(name, self.here(board), false, false);
        } else if let Some(word) = line.strip_prefix(".word ") {
            self.map(board, "$d");
            self.push(word, 4);
        } else {
            let first = line.split(' ').next().unwrap_or_default();
            let thumb = board == Board::Mps2An386 || first.len() == 4;
            self.map(board, if thumb { "$t" } else { "$a" });
            let width = if thumb { 4 } else { 8 };
            let hex = |t: &&str| t.len() == width && t.bytes().all(|b| b.is_ascii_hexdigit());
            let codes: Vec<&str> = line.split(' ').take_while(hex).take(2).collect();
            assert!(!codes.is_empty(), "not a line of a listing: {line}");
            for code in codes {
                self.push(code, width / 2);
            }
        }
    }

    fn here(&self, board: Board) -> u32 {
        origin(board) + self.bytes.len() as u32
    }

    fn push(&mut self, hex: &str, bytes: usize) {
        let value = u32::from_str_radix(hex, 16).expect("a hexadecimal number");
        self.bytes.extend(&value.to_le_bytes()[..bytes]);
    }

    /// A mapping symbol where code of either kind and data meet.
    fn map(&mut self, board: Board, kind: &'static str) {
        if self.mapped != kind {
            self.mapped = kind;
            self.symbol(kind, self.here(board), false, false);
        }
    }

    fn symbol(&mut self, name: &str, value: u32, function: bool, absolute: bool) {
        self.symbols.push(Symbol {
            name: name.to_owned(),
            value,
            function,
            absolute,
        });
    }

    /// Replaces the word at a label.
    pub fn set(&mut self, board: Board, label: &str, word: u32) {
        let symbol = self
            .symbols
            .iter()
            .find(|s| s.name == label)
            .expect("the label");
        let at = (symbol.value - origin(board)) as usize;
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// An executable file with one segment, one section of code, and symbols.
    pub fn elf(&self, board: Board) -> Vec<u8> {
        let origin = origin(board);
        let end = origin + self.bytes.len() as u32;
        let mut strings = vec![0u8];
        let mut symbols = vec![0u8; 16];
        for (i, symbol) in self.symbols.iter().enumerate() {
            let next = self.symbols[i + 1..]
                .iter()
                .find(|s| s.function)
                .map_or(end, |s| s.value);
            let size = if symbol.function {
                next - symbol.value
            } else {
                0
            };
            let section: u16 = if symbol.absolute { 0xfff1 } else { 1 };
            words(&mut symbols, &[strings.len() as u32, symbol.value, size]);
            symbols.extend([0x10 | (u8::from(symbol.function) * 2), 0]);
            symbols.extend(section.to_le_bytes());
            strings.extend(symbol.name.bytes().chain([0]));
        }
        let names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0";
        let text = 52 + 32;
        let symbols_at = text + self.bytes.len() as u32;
        let strings_at = symbols_at + symbols.len() as u32;
        let names_at = strings_at + strings.len() as u32;
        let sections_at = (names_at + names.len() as u32).next_multiple_of(4);
        let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        words(
            &mut elf,
            &[2 | 40 << 16, 1, origin, 52, sections_at, 0x0500_0200],
        );
        words(&mut elf, &[52 | 32 << 16, 1 | 40 << 16, 5 | 4 << 16]);
        let length = self.bytes.len() as u32;
        words(&mut elf, &[1, text, origin, origin, length, length, 7, 4]);
        elf.extend(&self.bytes);
        elf.extend(&symbols);
        elf.extend(&strings);
        elf.extend(names);
        elf.resize(sections_at as usize, 0);
        words(&mut elf, &[0; 10]);
        words(&mut elf, &[1, 1, 6, origin, text, length, 0, 0, 4, 0]);
        words(
            &mut elf,
            &[7, 2, 0, 0, symbols_at, symbols.len() as u32, 3, 1, 4, 16],
        );
        words(
            &mut elf,
            &[15, 3, 0, 0, strings_at, strings.len() as u32, 0, 0, 1, 0],
        );
        words(
            &mut elf,
            &[23, 3, 0, 0, names_at, names.len() as u32, 0, 0, 1, 0],
        );
        elf
    }

    /// Runs it in the emulator.
    pub fn run(&self, board: Board, options: &Options) -> Result<Record, Error> {
        let file = Temporary::of(&self.elf(board));
        Emulator::find(board).expect("the emulator").record(
            &file.0,
            &Setting::ONE,
            options,
            &mut |_| {},
        )
    }

    /// The same twice, with one call a block and with one an instruction: they must count the same.
    pub fn run_as_reference(&self, board: Board) -> Record {
        let run = |reference| {
            let options = Options {
                reference,
                ..Options::default()
            };
            self.run(board, &options).expect("a record")
        };
        let (fast, slow) = (run(false), run(true));
        assert_eq!(
            fast, slow,
            "one call a block and one an instruction must count the same"
        );
        fast
    }
}

/// Instructions and cycles of each passing.
pub fn counts(record: &Record, name: &str) -> Vec<(u64, u64)> {
    let samples = record.samples(name).into_iter();
    let counts = samples.map(|s| (s.count.instructions, s.count.cycles));
    counts.collect()
}

fn words(bytes: &mut Vec<u8>, words: &[u32]) {
    bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
}

fn origin(board: Board) -> u32 {
    if board == Board::Mps2An386 {
        0
    } else {
        0x7000_0000
    }
}

struct Temporary(PathBuf);

impl Temporary {
    fn of(bytes: &[u8]) -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
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
