//! Owns: a line of texts and numbers, put together without the formatter, which would be a
//! twentieth of the text that the hypervisor may have, and slow.
//! Must never know: what it says.

/// How long a text can be: the longest name, and three addresses with what is said around them.
const ROOM: usize = 160;

/// A text; what does not fit is left out.
pub struct Text {
    bytes: [u8; ROOM],
    length: usize,
}

impl Text {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            bytes: [0; ROOM],
            length: 0,
        }
    }

    /// Returns the text so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length.min(ROOM)]
    }

    fn put(&mut self, byte: u8) {
        if let Some(place) = self.bytes.get_mut(self.length) {
            *place = byte;
            self.length += 1;
        }
    }

    /// Adds `bytes`.
    #[inline(never)]
    pub fn add(&mut self, bytes: &[u8]) -> &mut Self {
        for &byte in bytes {
            self.put(byte);
        }
        self
    }

    /// Adds a name that is filled up with zeros.
    pub fn add_name(&mut self, name: &[u8; 16]) -> &mut Self {
        let name = name.split(|&byte| byte == 0).next().unwrap_or(name);
        self.add(name)
    }

    /// Adds `value` in hexadecimal digits, with the prefix that says so.
    #[inline(never)]
    pub fn add_hex(&mut self, value: u64) -> &mut Self {
        self.add(b"0x");
        let digits = (67 - (value | 1).leading_zeros()) / 4;
        for place in (0..digits).rev() {
            let digit = (value >> (4 * place)) as u8 % 16;
            self.put(if digit < 10 { b'0' } else { b'a' - 10 } + digit);
        }
        self
    }

    /// Adds `value` in decimal digits.
    pub fn add_decimal(&mut self, value: u32) -> &mut Self {
        if value >= 10 {
            self.add_decimal(value / 10);
        }
        self.put(b'0' + (value % 10) as u8);
        self
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::format;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_formatter(value: u64, shift in 0u32..64) {
            let value = value >> shift;
            let mut text = Text::new();
            text.add_hex(value).add(b" ").add_decimal(value as u32);
            let formatted = format!("{value:#x} {}", value as u32);
            prop_assert_eq!(text.bytes(), formatted.as_bytes());
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut text = Text::new();
        text.add(&[b'x'; ROOM - 1])
            .add_name(b"name\0\0\0\0\0\0\0\0\0\0\0\0");
        assert!(text.bytes().ends_with(b"xn"));
        assert_eq!(text.bytes().len(), ROOM);
    }
}
