//! A serial line as a guest sees it: Arm's PL011, revision r1p5 (Arm DDI 0183G).
//!
//! Owns: its registers, which interrupts they raise, the bytes that wait to be read.
//! Must never know: the guest that has it, and where its bytes come from and go to.
//!
//! The line is infinitely fast: a written byte has left when the write ends. So the transmit FIFO
//! is always empty, unless the receiver of the bytes has set a limit ([`Pl011::limit_output`]):
//! then the FIFO looks full of the bytes that the receiver does not take yet. Received bytes wait
//! in a queue of [`INPUT`] bytes, of which the guest sees the first 32 as its receive FIFO.
//!
//! As in other emulations, bytes are sent and received whether the guest has enabled the device or
//! not: consoles of early boot rely on firmware having done so.

mod queue;
mod registers;
#[cfg(test)]
mod tests;

pub use queue::INPUT;
use queue::Queue;
use registers::*;

/// A PL011.
pub struct Pl011 {
    input: Queue,
    /// How many bytes can be sent; [`UNLIMITED`] for any number.
    room: u32,
    /// The interrupts raised (UARTRIS) and enabled (UARTIMSC).
    raised: u16,
    mask: u16,
    control: u16,
    integer_divisor: u16,
    fractional_divisor: u8,
    line: u8,
    levels: u8,
    low_power: u8,
    dma: u8,
}

const UNLIMITED: u32 = u32::MAX;

/// Returns whether a byte may leave by a write at `offset`.
#[inline(always)]
pub const fn is_output(offset: u64) -> bool {
    offset == DATA
}

impl Pl011 {
    /// One in the state after a reset.
    pub const fn new() -> Self {
        Self {
            input: Queue::new(),
            room: UNLIMITED,
            raised: 0,
            mask: 0,
            control: CONTROL_AT_RESET,
            integer_divisor: 0,
            fractional_divisor: 0,
            line: 0,
            levels: LEVELS_AT_RESET,
            low_power: 0,
            dma: 0,
        }
    }

    /// The guest's access to the register at `offset`, of `size` bytes: the answer is what a read
    /// gives, and means nothing for a write. A byte that leaves is given to `out`. Any offset,
    /// size and value will do: what is no register reads as zero and ignores writes. Bound:
    /// fixed.
    pub fn access(
        &mut self,
        offset: u64,
        size: usize,
        write: Option<u64>,
        out: &mut impl FnMut(u8),
    ) -> u64 {
        if !matches!(size, 1 | 2 | 4) || !offset.is_multiple_of(4) {
            return 0;
        }
        let bits = u32::MAX >> (32 - 8 * size);
        match write {
            Some(value) => {
                self.write(offset, value as u32 & bits, out);
                0
            }
            None => u64::from(self.read(offset) & bits),
        }
    }

    /// A byte arrives. False, and it is lost, where the queue is full. Bound: fixed.
    #[must_use]
    pub fn push_input(&mut self, byte: u8) -> bool {
        let taken = self.input.push(byte);
        if taken && self.input.len() <= self.depth() {
            self.note_received();
        }
        taken
    }

    /// How many bytes may arrive before [`Pl011::push_input`] refuses. Bound: fixed.
    pub fn room(&self) -> usize {
        INPUT - self.input.len()
    }

    /// Whether the interrupt line is high. Bound: fixed.
    pub fn interrupt(&self) -> bool {
        self.raised & self.mask != 0
    }

    /// Says that from now on no more than `room` bytes can be sent, until this is called again:
    /// more are lost, and the guest can see it coming. Bound: fixed.
    pub fn limit_output(&mut self, room: u32) {
        let was_low = self.room < self.wanted_room();
        self.room = room.min(UNLIMITED - 1);
        if self.room < self.wanted_room() {
            self.raised &= !TRANSMIT;
        } else if was_low {
            self.raised |= TRANSMIT;
        }
    }

    /// How many bytes can be sent, of what [`Pl011::limit_output`] allowed; none for any number.
    /// Bound: fixed.
    pub fn output_room(&self) -> Option<u32> {
        (self.room != UNLIMITED).then_some(self.room)
    }

    fn read(&mut self, offset: u64) -> u32 {
        match offset {
            DATA => u32::from(self.receive()),
            FLAGS => self.flags(),
            LOW_POWER => self.low_power.into(),
            INTEGER_DIVISOR => self.integer_divisor.into(),
            FRACTIONAL_DIVISOR => self.fractional_divisor.into(),
            LINE => self.line.into(),
            CONTROL => self.control.into(),
            LEVELS => self.levels.into(),
            MASK => self.mask.into(),
            RAISED => self.raised.into(),
            MASKED => (self.raised & self.mask).into(),
            DMA => self.dma.into(),
            IDENTIFICATION..REGISTERS => IDENTITY[((offset - IDENTIFICATION) / 4) as usize].into(),
            _ => 0,
        }
    }

    fn write(&mut self, offset: u64, value: u32, out: &mut impl FnMut(u8)) {
        match offset {
            DATA => self.send(value as u8, out),
            LOW_POWER => self.low_power = value as u8,
            INTEGER_DIVISOR => self.integer_divisor = value as u16,
            FRACTIONAL_DIVISOR => self.fractional_divisor = value as u8 & 0x3F,
            LINE => self.set_line(value as u8),
            CONTROL => self.control = value as u16 & CONTROL_BITS,
            LEVELS => self.levels = value as u8 & 0x3F,
            MASK => self.mask = value as u16 & ALL_INTERRUPTS,
            CLEAR => self.raised &= !(value as u16),
            DMA => self.dma = value as u8 & 7,
            _ => {}
        }
    }

    fn set_line(&mut self, line: u8) {
        self.line = line;
        // A deeper FIFO lets in what waited before it.
        if !self.input.is_empty() {
            self.note_received();
        }
    }

    fn send(&mut self, byte: u8, out: &mut impl FnMut(u8)) {
        if self.control & LOOPBACK != 0 {
            // A byte that does not fit is lost, as on a real line.
            let _ = self.push_input(byte);
        } else if self.room == 0 {
            return;
        } else {
            if self.room != UNLIMITED {
                self.room -= 1;
            }
            out(byte);
        }
        // The byte went through the FIFO: that passed its level, unless it is still above it.
        if self.room >= self.wanted_room() {
            self.raised |= TRANSMIT;
        } else {
            self.raised &= !TRANSMIT;
        }
    }

    /// The next byte for the guest; 0 where there is none.
    fn receive(&mut self) -> u8 {
        let depth = self.depth();
        let more_came = self.input.len() > depth;
        let byte = self.input.pop().unwrap_or(0);
        if self.input.len() < self.receive_level() {
            self.raised &= !RECEIVE;
        }
        if self.input.is_empty() {
            self.raised &= !RECEIVE_TIMEOUT;
        }
        if more_came {
            self.note_received();
        }
        byte
    }

    /// A byte entered the receive FIFO, and none follows it for some time.
    fn note_received(&mut self) {
        self.raised |= RECEIVE_TIMEOUT;
        if self.input.len() >= self.receive_level() {
            self.raised |= RECEIVE;
        }
    }

    fn flags(&self) -> u32 {
        let mut flags = CONNECTED;
        if self.input.is_empty() {
            flags |= RECEIVE_EMPTY;
        }
        if self.input.len() >= self.depth() {
            flags |= RECEIVE_FULL;
        }
        if self.room >= self.depth() as u32 {
            flags |= TRANSMIT_EMPTY;
        } else {
            flags |= BUSY;
        }
        if self.room == 0 {
            flags |= TRANSMIT_FULL;
        }
        flags
    }

    /// How many bytes each FIFO holds.
    fn depth(&self) -> usize {
        if self.line & FIFOS != 0 { FIFO } else { 1 }
    }

    /// How full the receive FIFO is when its interrupt is raised.
    fn receive_level(&self) -> usize {
        self.level(self.levels >> 3)
    }

    /// How much room the transmit FIFO has when its interrupt is raised: it is no fuller than its
    /// level.
    fn wanted_room(&self) -> u32 {
        let depth = self.depth();
        (depth - self.level(self.levels)).max(1) as u32
    }

    fn level(&self, selection: u8) -> usize {
        match self.depth() {
            1 => 1,
            // Selections from 5 on are reserved.
            depth => depth * [1, 2, 4, 6, 7, 7, 7, 7][usize::from(selection & 7)] / 8,
        }
    }
}

impl Default for Pl011 {
    fn default() -> Self {
        Self::new()
    }
}
