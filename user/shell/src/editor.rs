//! Owns: how the bytes of a terminal become a line: echo, erasing, the end. Must never know: the
//! meaning of a line.

use embedded_io::{Read, ReadExactError, Write};

/// The most bytes of a line. Further ones are refused with a bell.
pub(crate) const LONGEST: usize = 80;

const BELL: u8 = 0x07;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7F;
const ESCAPE: u8 = 0x1B;
/// Control-C and control-U: the line begins again.
const DROPS: [u8; 2] = [0x03, 0x15];
const ERASE: &[u8] = b"\x08 \x08";

/// The place in an escape sequence of a terminal, such as an arrow key: it is ignored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequence {
    None,
    Begun,
    /// After `ESC [`, until a letter or `~`.
    Parameters,
}

/// The line that is being read.
pub(crate) struct Editor {
    bytes: [u8; LONGEST],
    length: usize,
    /// Whether the last byte was a carriage return: a line feed after it is part of that end.
    returned: bool,
    sequence: Sequence,
}

impl Editor {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; LONGEST],
            length: 0,
            returned: false,
            sequence: Sequence::None,
        }
    }

    /// Reads a line, and echoes it. Errors: those of the line, `UnexpectedEof` at its end.
    pub(crate) fn read<L: Read + Write>(
        &mut self,
        line: &mut L,
    ) -> Result<&str, ReadExactError<L::Error>> {
        self.length = 0;
        let mut byte = [0];
        loop {
            line.read_exact(&mut byte)?;
            let (echo, ends) = self.take(byte[0]);
            let echoed = line.write_all(echo).and_then(|()| line.flush());
            echoed.map_err(ReadExactError::Other)?;
            if ends {
                // It is ASCII.
                return Ok(core::str::from_utf8(&self.bytes[..self.length]).unwrap_or(""));
            }
        }
    }

    /// Takes a byte. Returns the echo, and whether the line has ended.
    fn take(&mut self, byte: u8) -> (&[u8], bool) {
        let returned = core::mem::replace(&mut self.returned, byte == b'\r');
        match (self.sequence, byte) {
            (Sequence::Begun, b'[') => {
                self.sequence = Sequence::Parameters;
                return (b"", false);
            }
            (Sequence::Begun, _) => {
                self.sequence = Sequence::None;
                return (b"", false);
            }
            (Sequence::Parameters, 0x40..=0x7E) => {
                self.sequence = Sequence::None;
                return (b"", false);
            }
            (Sequence::Parameters, 0x20..=0x3F) => return (b"", false),
            // Not a sequence after all.
            (Sequence::Parameters, _) => self.sequence = Sequence::None,
            (Sequence::None, _) => {}
        }
        match byte {
            b'\n' if returned => (b"", false),
            b'\r' | b'\n' => (b"\r\n", true),
            ESCAPE => {
                self.sequence = Sequence::Begun;
                (b"", false)
            }
            BACKSPACE | DELETE if self.length == 0 => (b"", false),
            BACKSPACE | DELETE => {
                self.length -= 1;
                (ERASE, false)
            }
            byte if DROPS.contains(&byte) => {
                self.length = 0;
                (b"\r\n", true)
            }
            b' '..=b'~' if self.length < LONGEST => {
                self.bytes[self.length] = byte;
                self.length += 1;
                (&self.bytes[self.length - 1..self.length], false)
            }
            _ => (&[BELL], false),
        }
    }
}
