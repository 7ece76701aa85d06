//! Small images from listings: each line is an instruction in hexadecimal with its assembly next to
//! it (of four digits if it is T32), a `.word`, a `label:`, a `label: function`, or a `symbol =
//! value`.

#![allow(dead_code, reason = "each test file uses a part")]

mod elf;

use elf::{Class, Contents, Symbol, Temporary};
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Error, Options, Record};

/// An image in the making.
#[derive(Default)]
pub struct Image {
    bytes: Vec<u8>,
    symbols: Vec<Symbol>,
    mapped: &'static str,
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
            let thumb = board == Board::MPS2_AN386 || first.len() == 4;
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
            value: value.into(),
            size: 0,
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
        let at = (symbol.value - u64::from(origin(board))) as usize;
        self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }

    /// The executable file.
    pub fn elf(&self, board: Board) -> Vec<u8> {
        let contents = Contents {
            class: Class::Arm,
            origin: origin(board).into(),
            load: &self.bytes,
            code: self.bytes.len(),
            symbols: &self.symbols,
        };
        contents.elf()
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

    /// Runs it twice, with one call a block and with one an instruction: the counts must be equal.
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

fn origin(board: Board) -> u32 {
    if board == Board::MPS2_AN386 {
        0
    } else {
        0x7000_0000
    }
}
