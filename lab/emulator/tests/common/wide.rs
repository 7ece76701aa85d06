//! Small images of 64 bits from listings: each line is an instruction in hexadecimal with its
//! assembly next to it, a `label:`, a `label: function`, or a comment after `#`. A page of data
//! follows the code.

mod elf;

use elf::{Class, Contents, Symbol, Temporary};
use taktos_emulator::several::Setting;
use taktos_emulator::{Board, Emulator, Error, Options, Record};

/// Place of the data, from the image's beginning.
pub const DATA: u64 = 0x1000;
/// Bytes of data.
const DATA_BYTES: usize = 0x400;
/// Place in the data that the image passes to the emulator at its end: the reason (the image ended
/// itself), then the status.
const EXIT: usize = 0x200;
const ENDED: u64 = 0x20026;

/// An image in the making.
pub struct Image {
    board: Board,
    code: Vec<u8>,
    data: Vec<u8>,
    symbols: Vec<Symbol>,
}

/// Returns where the emulator begins an image.
pub fn origin(board: Board) -> u64 {
    match board {
        Board::VIRT_AARCH64 => 0x4020_0000,
        _ => 0x8000_0000,
    }
}

impl Image {
    pub fn of(board: Board, listing: &str) -> Self {
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
            absolute: !function && size > 0,
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

    /// The executable file.
    fn elf(&self) -> Vec<u8> {
        let mut load = self.code.clone();
        load.resize(DATA as usize, 0);
        load.extend(&self.data);
        let contents = Contents {
            class: match self.board {
                Board::VIRT_AARCH64 => Class::Aarch64,
                _ => Class::RiscV64,
            },
            origin: origin(self.board),
            load: &load,
            code: self.code.len(),
            symbols: &self.symbols,
        };
        contents.elf()
    }

    /// Runs it in the emulator.
    pub fn run(&self, setting: &Setting, options: &Options) -> Result<Record, Error> {
        let file = Temporary::of(&self.elf());
        let emulator = Emulator::find(self.board).expect("the emulator");
        emulator.record(&file.0, setting, options, &mut |_| {})
    }
}
