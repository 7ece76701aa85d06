//! File access over EtherCAT: one small file, read and written in packets (ETG.1000.6, 5.8).
//!
//! Owns: the file, and the transfer under way. Must never know: the contents of the file.

use crate::bytes::long;
use crate::reply::{Reply, SIZE_TOO_SHORT};

/// Bytes that a file may have, and its name.
const MOST_BYTES: usize = 2048;
const MOST_NAME: usize = 32;
/// Bytes before a packet's data: the opcode, a reserved byte, and a number.
const HEADER: usize = 6;

const READ: u8 = 1;
const WRITE: u8 = 2;
const DATA: u8 = 3;
const ACKNOWLEDGE: u8 = 4;
const ERROR: u8 = 5;

/// Error codes (ETG.1000.6, table 94).
const NOT_FOUND: u32 = 0x8001;
const DISK_FULL: u32 = 0x8003;
const ILLEGAL: u32 = 0x8004;
const PACKET_NUMBER: u32 = 0x8005;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Idle,
    /// The packet that was sent, and where the next one begins; `is_last` once a short one has
    /// gone.
    Sending {
        packet: u32,
        next: usize,
        is_last: bool,
    },
    /// The packet that is expected.
    Receiving {
        packet: u32,
    },
}

pub(crate) struct File {
    name: [u8; MOST_NAME],
    name_length: usize,
    bytes: [u8; MOST_BYTES],
    length: usize,
    phase: Phase,
}

impl File {
    pub(crate) const fn new() -> Self {
        Self {
            name: [0; MOST_NAME],
            name_length: 0,
            bytes: [0; MOST_BYTES],
            length: 0,
            phase: Phase::Idle,
        }
    }

    /// The transfer under way is given up.
    pub(crate) fn end(&mut self) {
        self.phase = Phase::Idle;
    }

    /// Answers a packet from a mailbox that holds `whole` bytes of one.
    ///
    /// # Errors
    /// The detail of a mailbox error.
    pub(crate) fn serve(
        &mut self,
        packet: &[u8],
        whole: usize,
        reply: &mut Reply<'_>,
    ) -> Result<(), u16> {
        if packet.len() < HEADER || reply.room() <= HEADER || whole <= HEADER {
            return Err(SIZE_TOO_SHORT);
        }
        let (number, rest) = (long(packet, 2), &packet[HEADER..]);
        let result = match (packet[0], self.phase) {
            (READ, _) => self.begin_reading(rest, reply),
            (WRITE, _) => self.begin_writing(rest, reply),
            (ACKNOWLEDGE, Phase::Sending { packet, .. }) if packet != number => Err(PACKET_NUMBER),
            (ACKNOWLEDGE, Phase::Sending { is_last: true, .. }) | (ERROR, _) => {
                self.end();
                Ok(())
            }
            (ACKNOWLEDGE, Phase::Sending { packet, next, .. }) => {
                self.send(packet + 1, next, reply);
                Ok(())
            }
            (DATA, Phase::Receiving { packet }) if packet != number => Err(PACKET_NUMBER),
            (DATA, Phase::Receiving { packet }) => self.receive(packet, rest, whole, reply),
            _ => Err(ILLEGAL),
        };
        if let Err(code) = result {
            self.end();
            header(reply, ERROR, code);
        }
        Ok(())
    }

    fn begin_reading(&mut self, name: &[u8], reply: &mut Reply<'_>) -> Result<(), u32> {
        if self.name_length == 0 || name != &self.name[..self.name_length] {
            return Err(NOT_FOUND);
        }
        self.send(1, 0, reply);
        Ok(())
    }

    /// A file of any name replaces the one that is there.
    fn begin_writing(&mut self, name: &[u8], reply: &mut Reply<'_>) -> Result<(), u32> {
        if name.is_empty() || name.len() > MOST_NAME {
            return Err(ILLEGAL);
        }
        self.name[..name.len()].copy_from_slice(name);
        self.name_length = name.len();
        self.length = 0;
        self.phase = Phase::Receiving { packet: 1 };
        header(reply, ACKNOWLEDGE, 0);
        Ok(())
    }

    /// A packet that is not full is the last one, if need be an empty one.
    fn send(&mut self, packet: u32, at: usize, reply: &mut Reply<'_>) {
        header(reply, DATA, packet);
        let next = self.length.min(at + reply.room());
        let is_last = next - at < reply.room();
        reply.put(&self.bytes[at..next]);
        self.phase = Phase::Sending {
            packet,
            next,
            is_last,
        };
    }

    fn receive(
        &mut self,
        packet: u32,
        data: &[u8],
        whole: usize,
        reply: &mut Reply<'_>,
    ) -> Result<(), u32> {
        let end = self.length + data.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(DISK_FULL)?;
        room.copy_from_slice(data);
        self.length = end;
        self.phase = if HEADER + data.len() < whole {
            Phase::Idle
        } else {
            Phase::Receiving { packet: packet + 1 }
        };
        header(reply, ACKNOWLEDGE, packet);
        Ok(())
    }
}

fn header(reply: &mut Reply<'_>, opcode: u8, number: u32) {
    reply.put(&[opcode, 0]);
    reply.put(&number.to_le_bytes());
}
