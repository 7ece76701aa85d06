//! The ends of a channel that look like a PL011 to their guest: the hypervisor moves the bytes
//! between the device and the rings in the channel's memory.
//!
//! Owns: the devices, and this side of the rings.
//! Must never know: what the bytes mean, how a doorbell rings.
//!
//! A full ring shows as a full transmit FIFO, and the transmit interrupt comes when the other end
//! has read: nothing is lost. Bytes that the guest does not read stay in the ring, and then its
//! writer waits.

mod memory;
#[cfg(test)]
mod tests;

use crate::hardware::Hardware;
use crate::uart::{INPUT, Pl011};
use memory::Physical;
use taktos_abi::vm::Channel;
use taktos_abi::vm::ring::{Layout, Memory, Reader, Writer};

/// So much room in a ring makes an empty FIFO.
const FIFO: usize = 32;

/// The emulated ends of one channel.
pub struct Link {
    ends: [Emulated; 2],
}

impl Link {
    /// Both ends after a reset.
    pub const fn new() -> Self {
        Self {
            ends: [const { Emulated::new() }; 2],
        }
    }

    /// A guest's access to the PL011 of end `end` (0 or 1): what is read, and whether the other end
    /// is to be rung. Bound: [`INPUT`] bytes are moved.
    pub fn access<H: Hardware>(
        &mut self,
        channel: &Channel,
        end: usize,
        offset: u64,
        bytes: u64,
        write: Option<u64>,
    ) -> (u64, bool) {
        let Some(mut side) = self.side(channel, end, Physical::<H>::of(channel)) else {
            return (0, false);
        };
        side.access(offset, bytes as usize, write)
    }

    /// The other end rang. Says whether it is to be rung in its turn. Bound: [`INPUT`] bytes are
    /// moved.
    pub fn rung<H: Hardware>(&mut self, channel: &Channel, end: usize) -> bool {
        self.side(channel, end, Physical::<H>::of(channel))
            .is_some_and(|mut side| side.rung())
    }

    /// The level of the interrupt of end `end`.
    pub fn interrupt(&self, end: usize) -> bool {
        self.ends[end & 1].uart.interrupt()
    }

    /// Resets the device of end `end`, as its partition starts again. The content of the rings
    /// stays there.
    pub fn reset(&mut self, end: usize) {
        self.ends[end & 1] = Emulated::new();
    }

    /// None where the channel is too small for rings.
    fn side<M: Memory>(&mut self, channel: &Channel, end: usize, memory: M) -> Option<Side<'_, M>> {
        let layout = Layout::of(channel.bytes)?;
        let Emulated {
            uart,
            rings,
            behind,
        } = &mut self.ends[end & 1];
        let rings = rings.get_or_insert_with(|| Rings {
            writer: Writer::attach(layout, end, &memory),
            reader: Reader::attach(layout, end, &memory),
        });
        Some(Side {
            uart,
            rings,
            behind,
            memory,
        })
    }
}

impl Default for Link {
    fn default() -> Self {
        Self::new()
    }
}

/// Clears the memory of a channel: its rings are empty, and its ends find nothing of what the
/// machine did before. Bound: a write of each word.
pub fn prepare<H: Hardware>(channel: &Channel) {
    let memory = Physical::<H>::of(channel);
    for at in (0..channel.bytes as u32).step_by(4) {
        memory.set_word(at, 0);
    }
}

/// An end of a channel.
struct Emulated {
    uart: Pl011,
    /// None before the first use.
    rings: Option<Rings>,
    /// There may be bytes in the ring for which no notification will come.
    behind: bool,
}

impl Emulated {
    const fn new() -> Self {
        Self {
            uart: Pl011::new(),
            rings: None,
            behind: true,
        }
    }
}

struct Rings {
    writer: Writer,
    reader: Reader,
}

/// An end with the memory at hand.
struct Side<'a, M> {
    uart: &'a mut Pl011,
    rings: &'a mut Rings,
    behind: &'a mut bool,
    memory: M,
}

impl<M: Memory> Side<'_, M> {
    fn access(&mut self, offset: u64, bytes: usize, write: Option<u64>) -> (u64, bool) {
        let mut ring = *self.behind && self.take_in();
        let room = self.room();
        self.uart.limit_output(room);
        let mut send = |byte| ring |= self.rings.writer.write(&self.memory, &[byte]).ring;
        let value = self.uart.access(offset, bytes, write, &mut send);
        (value, ring)
    }

    fn rung(&mut self) -> bool {
        // A reader makes space. An end that takes it back, and gives it again, would move the
        // device's interrupt up and down, and keep the guest busy: that is seen at the guest's own
        // next access.
        let room = self.room().max(self.uart.output_room().unwrap_or(0));
        self.uart.limit_output(room);
        self.take_in()
    }

    /// How much room the ring has for the guest; where that is little, the other end rings when it
    /// has read.
    fn room(&mut self) -> u32 {
        self.rings.writer.room_or_wait(&self.memory, FIFO) as u32
    }

    /// Takes what the device has room for out of the ring, unless that is too little to be worth
    /// it. Says whether the other end waited for that.
    fn take_in(&mut self) -> bool {
        let room = self.uart.room();
        *self.behind = room < INPUT / 2;
        if *self.behind {
            return false;
        }
        let mut buffer = [0; INPUT];
        let moved = self.rings.reader.read(&self.memory, &mut buffer[..room]);
        *self.behind = moved.bytes == room;
        for &byte in &buffer[..moved.bytes] {
            // There is space: no more than `room` bytes were read.
            let _ = self.uart.push_input(byte);
        }
        moved.ring
    }
}
