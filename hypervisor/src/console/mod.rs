//! The one console of the machine, shared by the hypervisor and all guests.
//!
//! Owns: the guest that has the open line on the screen, the guest that gets the typed bytes, the
//! keys that change it.
//! Must never know: devices: bytes come one by one, and go to a function.
//!
//! # Output
//! Each line begins with the mark of its writer, `[name] `. Bytes of the guest that has the input
//! are shown at once, one by one, so that a prompt can be seen. The lines of the others wait until
//! they are whole or [`LINE`] bytes long. A guest that writes while the line of another is open
//! ends that line; the other's next byte begins a new line, with the mark. `\r\n` becomes `\n`.
//!
//! If several guests have the console, their bytes are text: tabs, printable characters, UTF-8.
//! Others are shown as `^X` or `\xNN`, and so is the end of what looks like the hypervisor's own
//! mark. A guest that has it alone may command the terminal.
//!
//! # Input
//! Bytes go to one guest, but for those after [`ESCAPE`]: see [`Multiplexer::input`].

mod keys;
mod letters;
mod line;
mod output;
#[cfg(test)]
mod tests;

use crate::text::Text;
pub use keys::ESCAPE;
use keys::{Key, Keys};
use letters::Letters;
pub use line::LINE;
use line::Line;
pub use output::{Output, WAITING};

/// Name of the hypervisor on the console.
pub const HYPERVISOR: &str = "taktos";

/// Help text of [`ESCAPE`].
const HELP: &[u8] = b"Ctrl-A and then: a digit = input to that guest, n = to the next, x = end the machine, Ctrl-A = Ctrl-A";

/// Result of a byte that was typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input {
    /// It is this partition's.
    Typed {
        /// Partition that gets the byte.
        partition: usize,
        /// The byte.
        byte: u8,
    },
    /// It was for the console itself, or for no guest.
    Taken,
    /// The machine is to end.
    End,
}

/// The console of up to `PARTITIONS` guests and the hypervisor.
pub struct Multiplexer<const PARTITIONS: usize> {
    guests: [Guest; PARTITIONS],
    /// How many of them there are.
    count: usize,
    /// Guest that has the input.
    input: Option<usize>,
    /// Guest that has the open line on the screen.
    open: Option<usize>,
    keys: Keys,
}

/// Invariant: the line of the guest that has the input is empty.
struct Guest {
    /// Filled up with zeros; all zeros: there is no such guest.
    name: [u8; 16],
    line: Line,
    letters: Letters,
    /// Its last byte was `\r`, which was not shown yet.
    returned: bool,
}

impl<const PARTITIONS: usize> Multiplexer<PARTITIONS> {
    /// Creates the console of no guests; no guest has the input.
    pub const fn new() -> Self {
        Self {
            guests: [const { Guest::new() }; PARTITIONS],
            count: 0,
            input: None,
            open: None,
            keys: Keys::new(),
        }
    }

    /// Partition `partition` has a console from now on, and this name (UTF-8, filled up with
    /// zeros). Bound: fixed.
    pub fn attach(&mut self, partition: usize, name: [u8; 16]) {
        if let Some(guest) = self.guests.get_mut(partition) {
            guest.name = name;
            self.count += 1;
        }
    }

    /// Gives the input to `partition`, or to no guest if there is no such guest. Then all lines
    /// wait until they are whole, as is best if a program reads them. Bound: one line is written.
    pub fn give_input(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        self.input = self.is_attached(partition).then_some(partition);
        self.show(partition, out);
    }

    /// Returns the guest that has the input.
    pub fn has_input(&self) -> Option<usize> {
        self.input
    }

    /// A byte that `partition` writes. Bound: one line is written.
    pub fn write(&mut self, partition: usize, byte: u8, out: &mut impl FnMut(&[u8])) {
        let Some(guest) = self.guests.get_mut(partition) else {
            return;
        };
        let returned = core::mem::replace(&mut guest.returned, byte == b'\r');
        if byte == b'\n' {
            self.with_letters(partition, out, |letters, show| letters.break_off(show));
            self.end(partition, out);
            return;
        }
        if returned {
            self.letter(partition, b'\r', out);
        }
        if byte != b'\r' {
            self.letter(partition, byte, out);
        }
    }

    /// Reports that the written part of the line on the screen did not get there: the next byte
    /// begins a new line. Bound: fixed.
    pub fn break_off(&mut self) {
        self.open = None;
    }

    /// Shows what `partition` has written, and ends its line: it stopped. Bound: one line is
    /// written.
    pub fn finish(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        if partition < PARTITIONS {
            self.with_letters(partition, out, |letters, show| letters.break_off(show));
        }
        self.show(partition, out);
        if self.open == Some(partition) {
            self.end(partition, out);
        }
    }

    /// A line of the hypervisor's own, without its end. Bound: the line is written.
    pub fn say(&mut self, line: &[u8], out: &mut impl FnMut(&[u8])) {
        self.interrupt(out);
        out(b"[");
        out(HYPERVISOR.as_bytes());
        out(b"] ");
        out(line);
        out(b"\n");
    }

    /// A byte that was typed. After [`ESCAPE`] (Ctrl-A): a digit gives the input to that partition,
    /// `n` to the next one, `x` ends the machine, `?` and `h` print what there is, `ESCAPE`
    /// itself is typed. Bound: a few lines are written.
    pub fn input(&mut self, byte: u8, out: &mut impl FnMut(&[u8])) -> Input {
        match self.keys.press(byte) {
            Key::Typed(byte) => {
                return self
                    .input
                    .map_or(Input::Taken, |partition| Input::Typed { partition, byte });
            }
            Key::End => return Input::End,
            Key::Guest(partition) => self.choose(partition, out),
            Key::Next => self.choose(self.next(), out),
            Key::Help => self.help(out),
            Key::Nothing => {}
        }
        Input::Taken
    }

    fn is_attached(&self, partition: usize) -> bool {
        self.guests
            .get(partition)
            .is_some_and(|guest| guest.name[0] != 0)
    }

    /// The guest after the one that has the input.
    fn next(&self) -> usize {
        let now = self.input.unwrap_or(PARTITIONS - 1);
        (1..=PARTITIONS)
            .map(|step| (now + step) % PARTITIONS)
            .find(|&partition| self.is_attached(partition))
            .unwrap_or(now)
    }

    fn choose(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        if !self.is_attached(partition) {
            let mut line = Text::new();
            line.add(b"there is no guest ");
            line.add_decimal(partition as u32).add(b" with a console");
            self.say(line.bytes(), out);
            return;
        }
        let mut line = Text::new();
        line.add(b"input to ")
            .add_name(&self.guests[partition].name);
        self.say(line.bytes(), out);
        self.give_input(partition, out);
    }

    fn help(&mut self, out: &mut impl FnMut(&[u8])) {
        self.say(HELP, out);
        for partition in 0..PARTITIONS {
            if self.is_attached(partition) {
                let mut line = Text::new();
                line.add_decimal(partition as u32).add(b" ");
                line.add_name(&self.guests[partition].name);
                if self.input == Some(partition) {
                    line.add(b" (has the input)");
                }
                self.say(line.bytes(), out);
            }
        }
    }

    /// A byte of a line, as it may be seen.
    fn letter(&mut self, partition: usize, byte: u8, out: &mut impl FnMut(&[u8])) {
        match self.count {
            ..2 => self.put(partition, &[byte], out),
            _ => self.with_letters(partition, out, |letters, show| letters.take(byte, show)),
        }
    }

    fn with_letters<O: FnMut(&[u8])>(
        &mut self,
        partition: usize,
        out: &mut O,
        body: impl FnOnce(&mut Letters, &mut dyn FnMut(&[u8])),
    ) {
        let mut letters = self.guests[partition].letters;
        body(&mut letters, &mut |bytes| self.put(partition, bytes, out));
        self.guests[partition].letters = letters;
    }

    /// A letter of a line.
    fn put(&mut self, partition: usize, letter: &[u8], out: &mut impl FnMut(&[u8])) {
        if self.input == Some(partition) {
            self.go_on(partition, out);
            return out(letter);
        }
        for &byte in letter {
            if self.guests[partition].line.push(byte) {
                self.show(partition, out);
            }
        }
    }

    /// The end of a line.
    fn end(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        self.go_on(partition, out);
        out(self.guests[partition].line.take());
        out(b"\n");
        self.open = None;
    }

    /// Shows what waits of a guest's line.
    fn show(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        if self
            .guests
            .get(partition)
            .is_some_and(|guest| !guest.line.is_empty())
        {
            self.go_on(partition, out);
            out(self.guests[partition].line.take());
        }
    }

    /// Sees to it that the line on the screen is `partition`'s.
    fn go_on(&mut self, partition: usize, out: &mut impl FnMut(&[u8])) {
        if self.open != Some(partition) {
            self.interrupt(out);
            let mut mark = Text::new();
            mark.add(b"[").add_name(&self.guests[partition].name);
            out(mark.add(b"] ").bytes());
            self.open = Some(partition);
        }
    }

    /// Ends the line on the screen, if there is one.
    fn interrupt(&mut self, out: &mut impl FnMut(&[u8])) {
        if self.open.take().is_some() {
            out(b"\n");
        }
    }
}

impl<const PARTITIONS: usize> Default for Multiplexer<PARTITIONS> {
    fn default() -> Self {
        Self::new()
    }
}

impl Guest {
    const fn new() -> Self {
        Self {
            name: [0; 16],
            line: Line::new(),
            letters: Letters::new(),
            returned: false,
        }
    }
}
