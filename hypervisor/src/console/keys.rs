//! Owns: what keys mean after the escape. Must never know: guests.

/// Ctrl-A: the key after it is for the console.
pub const ESCAPE: u8 = 0x01;

/// Meaning of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Key {
    /// A byte for the guest that has the input.
    Typed(u8),
    /// The input to this guest.
    Guest(usize),
    /// The input to the next guest.
    Next,
    /// The end of the machine.
    End,
    Help,
    Nothing,
}

pub(super) struct Keys {
    escaped: bool,
}

impl Keys {
    pub const fn new() -> Self {
        Self { escaped: false }
    }

    pub fn press(&mut self, byte: u8) -> Key {
        if core::mem::take(&mut self.escaped) {
            return match byte {
                b'0'..=b'9' => Key::Guest((byte - b'0').into()),
                b'n' => Key::Next,
                b'x' => Key::End,
                b'?' | b'h' => Key::Help,
                ESCAPE => Key::Typed(ESCAPE),
                _ => Key::Nothing,
            };
        }
        if byte == ESCAPE {
            self.escaped = true;
            return Key::Nothing;
        }
        Key::Typed(byte)
    }
}
