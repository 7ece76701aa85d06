//! A minimal MainDevice: it sends one datagram, or a mailbox, and receives the answer.
#![allow(dead_code)]

use taktos_segment::{Device, Segment};

pub const APRD: u8 = 1;
pub const APWR: u8 = 2;
pub const APRW: u8 = 3;
pub const FPRD: u8 = 4;
pub const FPWR: u8 = 5;
pub const FPRW: u8 = 6;
pub const BRD: u8 = 7;
pub const BWR: u8 = 8;
pub const BRW: u8 = 9;
pub const LRD: u8 = 10;
pub const LWR: u8 = 11;
pub const LRW: u8 = 12;
pub const ARMW: u8 = 13;
pub const FRMW: u8 = 14;

pub const INIT: u8 = 1;
pub const PREOP: u8 = 2;
pub const BOOT: u8 = 3;
pub const SAFEOP: u8 = 4;
pub const OP: u8 = 8;

/// A datagram: command, address, data.
pub type Datagram<'a> = (u8, u32, &'a [u8]);

/// The address of a register of the device at a position.
pub fn at_position(position: u16, register: u16) -> u32 {
    u32::from(position.wrapping_neg()) | u32::from(register) << 16
}

/// The address of a register of the device with a station address.
pub fn at_station(station: u16, register: u16) -> u32 {
    u32::from(station) | u32::from(register) << 16
}

/// A frame with these datagrams.
pub fn frame(datagrams: &[Datagram<'_>]) -> Vec<u8> {
    let mut bytes = vec![0xFF; 6];
    bytes.extend([0x10; 6]);
    bytes.extend([0x88, 0xA4]);
    let length: usize = datagrams.iter().map(|one| 12 + one.2.len()).sum();
    bytes.extend((length as u16 | 0x1000).to_le_bytes());
    for (place, (command, address, data)) in datagrams.iter().enumerate() {
        let more = u16::from(place + 1 < datagrams.len()) << 15;
        bytes.extend([*command, place as u8]);
        bytes.extend(address.to_le_bytes());
        bytes.extend((data.len() as u16 | more).to_le_bytes());
        bytes.extend([0, 0]);
        bytes.extend_from_slice(data);
        bytes.extend([0, 0]);
    }
    bytes
}

/// The data and the working counters that came back.
pub fn answers(frame: &[u8]) -> Vec<(Vec<u8>, u16)> {
    let (mut at, mut answers) = (16, Vec::new());
    while at + 12 <= frame.len() {
        let length = usize::from(u16::from_le_bytes([frame[at + 6], frame[at + 7]]) & 0x7FF);
        let end = at + 10 + length;
        let counter = u16::from_le_bytes([frame[end], frame[end + 1]]);
        answers.push((frame[at + 10..end].to_vec(), counter));
        at = end + 2;
    }
    answers
}

pub struct Bench<'d> {
    pub segment: Segment<'d>,
    pub now: u64,
    counter: u8,
}

impl<'d> Bench<'d> {
    pub fn new(devices: &'d mut [Device<'d>]) -> Self {
        Self::of(Segment::new(devices))
    }

    pub fn of(segment: Segment<'d>) -> Self {
        Self {
            segment,
            now: 1_000_000,
            counter: 0,
        }
    }

    /// Sends datagrams in one frame; `None` where it does not come back.
    pub fn send(&mut self, datagrams: &[Datagram<'_>]) -> Option<Vec<(Vec<u8>, u16)>> {
        let mut bytes = frame(datagrams);
        let left = self.segment.pass(&mut bytes, self.now);
        self.now = left.unwrap_or(self.now + 100_000);
        left.map(|_| answers(&bytes))
    }

    /// Sends one datagram.
    pub fn one(&mut self, command: u8, address: u32, data: &[u8]) -> (Vec<u8>, u16) {
        let mut answers = self.send(&[(command, address, data)]).expect("it is back");
        answers.remove(0)
    }

    pub fn read(&mut self, position: u16, register: u16, length: usize) -> Vec<u8> {
        let zeros = vec![0; length];
        let (data, counter) = self.one(APRD, at_position(position, register), &zeros);
        assert_eq!(counter, 1, "read of {register:#06x}");
        data
    }

    pub fn write(&mut self, position: u16, register: u16, data: &[u8]) {
        let (_, counter) = self.one(APWR, at_position(position, register), data);
        assert_eq!(counter, 1, "write of {register:#06x}");
    }

    pub fn wait(&mut self, ns: u64) {
        self.now += ns;
        self.segment.advance(self.now);
    }

    /// Requests a state; returns the AL status and its code.
    pub fn ask(&mut self, position: u16, control: u8) -> (u8, u16) {
        self.write(position, 0x0120, &[control, 0]);
        self.wait(1_000_000);
        let status = self.read(position, 0x0130, 6);
        (status[0], u16::from_le_bytes([status[4], status[5]]))
    }

    /// Sets a SyncManager.
    pub fn sync_manager(
        &mut self,
        position: u16,
        number: u16,
        start: u16,
        length: u16,
        control: u8,
    ) {
        let [low, high] = start.to_le_bytes();
        let [short, long] = length.to_le_bytes();
        let enable = u8::from(length != 0);
        let registers = [low, high, short, long, control, 0, enable, 0];
        self.write(position, 0x0800 + 8 * number, &registers);
    }

    /// Sets an FMMU for whole bytes.
    pub fn fmmu(
        &mut self,
        position: u16,
        number: u16,
        logical: u32,
        length: u16,
        physical: u16,
        kind: u8,
    ) {
        let mut registers = [0; 16];
        registers[..4].copy_from_slice(&logical.to_le_bytes());
        registers[4..6].copy_from_slice(&length.to_le_bytes());
        registers[7] = 7;
        registers[8..10].copy_from_slice(&physical.to_le_bytes());
        registers[11] = kind;
        registers[12] = 1;
        self.write(position, 0x0600 + 16 * number, &registers);
    }

    /// Mailboxes of 128 bytes, as the standard models have them.
    pub fn mailboxes(&mut self, position: u16) {
        self.sync_manager(position, 0, 0x1000, 128, 0x26);
        self.sync_manager(position, 1, 0x1080, 128, 0x22);
    }

    /// Brings the drive at `position` up to `state`, its process data at the logical address 0 and
    /// 16.
    pub fn drive_to(&mut self, position: u16, state: u8) {
        self.mailboxes(position);
        self.sync_manager(position, 2, 0x1100, 6, 0x64);
        self.sync_manager(position, 3, 0x1200, 6, 0x20);
        self.fmmu(position, 0, 0, 6, 0x1100, 2);
        self.fmmu(position, 1, 16, 6, 0x1200, 1);
        for step in [PREOP, SAFEOP, OP] {
            if step <= state {
                assert_eq!(self.ask(position, step), (step, 0));
            }
        }
    }

    /// Writes a mailbox message of a protocol.
    pub fn say(&mut self, position: u16, protocol: u8, body: &[u8]) {
        self.counter = self.counter % 7 + 1;
        self.say_as(position, protocol | self.counter << 4, body);
    }

    /// Writes a mailbox message with the type byte as it is.
    pub fn say_as(&mut self, position: u16, kind: u8, body: &[u8]) {
        let mut message = vec![0; 128];
        message[..2].copy_from_slice(&(body.len() as u16).to_le_bytes());
        message[5] = kind;
        message[6..6 + body.len()].copy_from_slice(body);
        self.write(position, 0x1000, &message);
        self.wait(100_000);
    }

    /// Reads a mailbox message: its type byte and its body; `None` while there is none.
    pub fn hear(&mut self, position: u16) -> Option<(u8, Vec<u8>)> {
        let (data, counter) = self.one(APRD, at_position(position, 0x1080), &[0; 128]);
        if counter == 0 {
            return None;
        }
        let length = usize::from(u16::from_le_bytes([data[0], data[1]]));
        Some((data[5], data[6..6 + length].to_vec()))
    }

    /// An SDO request and what it answers, both without the CoE header.
    pub fn sdo(&mut self, position: u16, request: &[u8]) -> Vec<u8> {
        let mut body = vec![0x00, 0x20];
        body.extend_from_slice(request);
        self.say(position, 3, &body);
        let (kind, answer) = self.hear(position).expect("an answer");
        assert_eq!(kind & 0x0F, 3);
        answer[2..].to_vec()
    }

    /// The abort code of an SDO request.
    pub fn abort(&mut self, position: u16, request: &[u8]) -> u32 {
        let answer = self.sdo(position, request);
        assert_eq!(answer[0], 0x80, "{answer:x?}");
        u32::from_le_bytes([answer[4], answer[5], answer[6], answer[7]])
    }
}
