//! Owns: how a guest's bytes look on a screen that it shares: nothing moves the cursor, commands
//! the terminal or passes for the hypervisor's mark.
//! Must never know: lines, the guest that wrote them.

use super::HYPERVISOR;

/// Bytes received so far of a letter of several bytes, and of the hypervisor's mark.
#[derive(Clone, Copy)]
pub(super) struct Letters {
    bytes: [u8; 4],
    length: usize,
    mark: usize,
}

impl Letters {
    pub const fn new() -> Self {
        Self {
            bytes: [0; 4],
            length: 0,
            mark: 0,
        }
    }

    /// Takes a byte; what is to be seen of it goes to `show`.
    pub fn take(&mut self, byte: u8, show: &mut dyn FnMut(&[u8])) {
        let goes_on = self.length > 0 && byte & 0xC0 == 0x80;
        if !goes_on {
            self.break_off(show);
        }
        match byte {
            ..0x80 => self.single(byte, show),
            0xC2..=0xF4 if !goes_on => self.add(byte, show),
            _ if goes_on => self.add(byte, show),
            _ => escape(byte, show),
        }
    }

    /// Shows the received bytes of a letter that stays incomplete.
    pub fn break_off(&mut self, show: &mut dyn FnMut(&[u8])) {
        let length = core::mem::take(&mut self.length);
        for &byte in &self.bytes[..length] {
            escape(byte, show);
        }
    }

    /// A byte of a letter that has several.
    fn add(&mut self, byte: u8, show: &mut dyn FnMut(&[u8])) {
        self.mark = 0;
        self.bytes[self.length] = byte;
        self.length += 1;
        // The first byte has as many ones as there are bytes.
        if self.length == self.bytes[0].leading_ones() as usize {
            if is_plain(&self.bytes[..self.length]) {
                show(&self.bytes[..self.length]);
                self.length = 0;
            }
            self.break_off(show);
        }
    }

    fn single(&mut self, byte: u8, show: &mut dyn FnMut(&[u8])) {
        let ends_mark = byte == b']' && self.mark > HYPERVISOR.len();
        self.mark = match self.mark {
            _ if byte == b'[' => 1,
            at @ 1.. if HYPERVISOR.as_bytes().get(at - 1) == Some(&byte) => at + 1,
            _ => 0,
        };
        match byte {
            _ if ends_mark => escape(byte, show),
            b'\t' | b' '..=b'~' => show(&[byte]),
            _ => show(&[b'^', byte ^ 0x40]),
        }
    }
}

fn escape(byte: u8, show: &mut dyn FnMut(&[u8])) {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value % 16)];
    show(&[b'\\', b'x', digit(byte >> 4), digit(byte)]);
}

/// Whether it is a letter in its shortest form, and no control: neither of the terminal (U+0080 to
/// U+009F) nor of the direction and the joints of text.
fn is_plain(bytes: &[u8]) -> bool {
    let first = u32::from(bytes[0]) & 0x7F >> bytes.len();
    let code = bytes[1..]
        .iter()
        .fold(first, |code, byte| code << 6 | u32::from(byte & 0x3F));
    match bytes.len() {
        2 => code >= 0xA0 && code != 0x61C,
        3 => matches!(
            code,
            0x800..=0x200A | 0x2010..=0x2027 | 0x202F..=0x205F | 0x2070..=0xD7FF | 0xE000..=0xFEFE | 0xFF00..
        ),
        _ => matches!(code, 0x1_0000..=0xD_FFFF | 0xE_1000..=0x10_FFFF),
    }
}
