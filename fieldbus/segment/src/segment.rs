//! A chain of devices, and the wires between them: which devices a frame meets, when, and when it
//! is back.
//!
//! Owns: the way of a frame, its time, faults of the wires. Must never know: the use of a frame in
//! a device.
//!
//! A wire of 100 Mbit/s: 80 ns a byte, and in addition to the frame's own bytes there are preamble
//! (8), check sequence (4) and gap (12).

use crate::bytes::{put, word};
use crate::datagram::{COUNTER, HEADER, length};
use crate::device::Device;
use crate::fault::Fault;
use crate::ports::{DOWNSTREAM, UPSTREAM};

const BYTE_NS: u64 = 80;
const PREAMBLE: usize = 8;
const CHECK_SEQUENCE: usize = 4;
const GAP: usize = 12;
/// A shorter frame is padded.
const SHORTEST: usize = 60;

/// Where Ethernet has its type, and EtherCAT its header and its datagrams.
const ETHER_TYPE: usize = 12;
const ETHERCAT: [u8; 2] = [0x88, 0xA4];
const ETHERCAT_HEADER: usize = 14;
const DATAGRAMS: usize = 16;
/// The type of the EtherCAT header that means datagrams.
const IS_DATAGRAMS: u16 = 1;
/// Flags next to a datagram's length: it has gone round a closed port 0; another datagram follows.
const CIRCULATING: u16 = 1 << 14;
const MORE: u16 = 1 << 15;
/// A controller that processes a frame marks its source as local (ETG.1000.4, 5.3.1).
const SOURCE: usize = 6;
const LOCAL: u8 = 2;

/// A segment of SubDevices in a chain, or in a ring that a second port of the MainDevice closes.
pub struct Segment<'d> {
    devices: &'d mut [Device<'d>],
    lose: u32,
}

impl<'d> Segment<'d> {
    /// Switches the devices on and puts cables between them. The MainDevice is before the first
    /// one.
    pub fn new(devices: &'d mut [Device<'d>]) -> Self {
        let mut segment = Self { devices, lose: 0 };
        for device in segment.devices.iter_mut() {
            device.power_on();
        }
        for before in 0..segment.devices.len() {
            segment.plug(before, true);
        }
        segment
    }

    /// Creates a segment as [`Segment::new`] does, with a cable from the last device to a second
    /// port of the MainDevice.
    pub fn ring(devices: &'d mut [Device<'d>]) -> Self {
        let mut segment = Self::new(devices);
        segment.plug(segment.devices.len(), true);
        segment
    }

    /// The devices, from the MainDevice on.
    pub fn devices(&self) -> &[Device<'d>] {
        self.devices
    }

    /// Returns whether the chain is closed to a ring, without a cut. A frame then leaves by the
    /// other port of the MainDevice than the one it came from; otherwise by the same.
    pub fn is_whole_ring(&self) -> bool {
        !self.devices.is_empty() && (0..=self.devices.len()).all(|before| self.is_plugged(before))
    }

    /// Lets an Ethernet frame, without its check sequence, run through the segment. Its first bit
    /// enters at the instant `entered`, in nanoseconds, not before the last bit of the frame
    /// before did. Answers the instant at which its last bit, with the gap, is back at the
    /// MainDevice; `None` if it is no EtherCAT frame, or is lost.
    pub fn pass(&mut self, frame: &mut [u8], entered: u64) -> Option<u64> {
        let wire = wire_time(frame.len());
        let datagrams = datagrams(frame)?;
        if self.lose != 0 || !self.is_plugged(0) {
            self.lose = self.lose.saturating_sub(1);
            self.advance(entered);
            return None;
        }
        let last = self.turn_downstream(0);
        let arrived = self.process(0, last, datagrams, entered, wire);
        frame[SOURCE] |= LOCAL;
        self.advance_others(last + 1, entered);
        if self.devices[last]
            .ports
            .is_open(DOWNSTREAM, &self.devices[last].memory)
        {
            // Out at the other end, or into a port that is held open without a cable.
            let leaves = self.is_plugged(last + 1);
            return leaves.then_some(arrived + self.back(last) + wire);
        }
        let back: u64 = (0..=last).map(|place| self.back(place)).sum();
        Some(arrived + back + wire)
    }

    /// [`Segment::pass`] from the MainDevice's second port, which closes a ring. While the ring is
    /// whole the frame passes on the way back only and no device processes it; if there is a cut,
    /// the devices after the cut do.
    pub fn pass_second(&mut self, frame: &mut [u8], entered: u64) -> Option<u64> {
        let wire = wire_time(frame.len());
        let datagrams = datagrams(frame)?;
        let count = self.devices.len();
        if self.lose != 0 || !self.is_plugged(count) {
            self.lose = self.lose.saturating_sub(1);
            self.advance(entered);
            return None;
        }
        let first = self.turn_upstream();
        let back: u64 = (first..count).map(|place| self.back(place)).sum();
        let device = &self.devices[first];
        if device.ports.is_open(UPSTREAM, &device.memory) {
            self.advance(entered);
            return self.is_plugged(first).then_some(entered + back + wire);
        }
        if mark_circulating(datagrams) {
            self.advance(entered);
            return None;
        }
        let arrived = self.process(first, count - 1, datagrams, entered + back, wire);
        frame[SOURCE] |= LOCAL;
        for device in &mut self.devices[..first] {
            device.advance(entered);
        }
        Some(arrived + self.back(count - 1) + wire)
    }

    /// The instant `to` has come, without a frame: signals and watchdogs are up to date then. An
    /// earlier one changes nothing.
    pub fn advance(&mut self, to: u64) {
        self.advance_others(0, to);
    }

    /// Something goes wrong, at the instant up to which the segment has come. Devices and cables
    /// that are not there change nothing.
    pub fn inject(&mut self, fault: Fault) {
        match fault {
            Fault::LoseFrames(count) => self.lose = count,
            Fault::Cut { before } => self.plug(before, false),
            Fault::Mend { before } => self.plug(before, true),
            Fault::Leave { device, to, code } => self.with(device, |device| device.fall(to, code)),
            Fault::Drift { device, drift_ppb } => {
                self.with(device, |device| device.clock.set_drift(drift_ppb));
            }
            Fault::Restart { device } => self.with(device, Device::power_on),
            Fault::Drive { device } => self.with(device, |device| device.application.drive.fault()),
        }
    }

    fn with(&mut self, device: usize, act: impl FnOnce(&mut Device<'d>)) {
        if let Some(device) = self.devices.get_mut(device) {
            act(device);
        }
    }

    fn plug(&mut self, before: usize, link: bool) {
        let mut set = |place: Option<usize>, port| {
            if let Some(device) = place.and_then(|place| self.devices.get_mut(place)) {
                device.ports.set_link(port, link, &mut device.memory);
            }
        };
        set(Some(before), UPSTREAM);
        set(before.checked_sub(1), DOWNSTREAM);
    }

    fn is_plugged(&self, before: usize) -> bool {
        let end = |place: usize, port| {
            self.devices
                .get(place)
                .is_some_and(|one| one.ports.has_link(port))
        };
        end(before, UPSTREAM) || before > 0 && end(before - 1, DOWNSTREAM)
    }

    /// The device at which a frame turns, or leaves the chain, on its way from `first` away from
    /// the MainDevice.
    fn turn_downstream(&self, first: usize) -> usize {
        let mut last = first;
        while last + 1 < self.devices.len() && self.goes_on(last, DOWNSTREAM, last + 1) {
            last += 1;
        }
        last
    }

    /// Returns the device at which a frame turns, or leaves the chain, on its way from the chain's
    /// end towards the MainDevice.
    fn turn_upstream(&self) -> usize {
        let mut first = self.devices.len() - 1;
        while first > 0 && self.goes_on(first, UPSTREAM, first) {
            first -= 1;
        }
        first
    }

    fn goes_on(&self, place: usize, port: usize, cable: usize) -> bool {
        let device = &self.devices[place];
        self.is_plugged(cable) && device.ports.is_open(port, &device.memory)
    }

    /// The devices from `first` to `last` process a frame. Answers when its first bit has gone
    /// through the last.
    fn process(
        &mut self,
        first: usize,
        last: usize,
        datagrams: &mut [u8],
        entered: u64,
        wire: u64,
    ) -> u64 {
        let passing = &mut self.devices[first..=last];
        let mut behind: u64 = passing[1..].iter().map(|device| around(device)).sum();
        let mut at = entered;
        // A frame counts when its check sequence has been seen.
        let until_checked = wire - BYTE_NS * GAP as u64;
        let count = passing.len();
        for (place, device) in passing.iter_mut().enumerate() {
            if place > 0 {
                behind -= around(device);
            }
            at += u64::from(device.model.delays.forward_ns);
            device.back_after = (place + 1 < count).then_some(behind);
            device.advance(at);
            device.process(datagrams);
            device.frame_passed(at + until_checked);
        }
        at
    }

    fn back(&self, place: usize) -> u64 {
        u64::from(self.devices[place].model.delays.back_ns)
    }

    fn advance_others(&mut self, from: usize, to: u64) {
        for device in &mut self.devices[from..] {
            device.advance(to);
        }
    }
}

/// From the device before there and back.
fn around(device: &Device<'_>) -> u64 {
    u64::from(device.model.delays.forward_ns) + u64::from(device.model.delays.back_ns)
}

/// Returns how long a frame occupies the wire, in nanoseconds, with preamble, check sequence and
/// gap.
fn wire_time(bytes: usize) -> u64 {
    BYTE_NS * (bytes.max(SHORTEST) + PREAMBLE + CHECK_SEQUENCE + GAP) as u64
}

/// The datagrams of an EtherCAT frame that are well-formed, up to the first that is not.
fn datagrams(frame: &mut [u8]) -> Option<&mut [u8]> {
    if frame.len() < DATAGRAMS || frame[ETHER_TYPE..ETHERCAT_HEADER] != ETHERCAT {
        return None;
    }
    let header = word(frame, ETHERCAT_HEADER);
    let end = DATAGRAMS + usize::from(header & 0x7FF);
    if header >> 12 != IS_DATAGRAMS || end > frame.len() {
        return None;
    }
    let mut at = DATAGRAMS;
    while at + HEADER + COUNTER <= end {
        let datagram = &frame[at..end];
        let next = at + HEADER + length(datagram) + COUNTER;
        let more = word(datagram, 6) & MORE != 0;
        if next > end {
            break;
        }
        at = next;
        if !more {
            break;
        }
    }
    Some(&mut frame[DATAGRAMS..at])
}

/// Marks the datagrams as having gone round a closed port 0; whether they had been already, so that
/// the frame is destroyed.
fn mark_circulating(datagrams: &mut [u8]) -> bool {
    let mut rest = datagrams;
    while rest.len() >= HEADER + COUNTER {
        let flags = word(rest, 6);
        if flags & CIRCULATING != 0 {
            return true;
        }
        put(rest, 6, &(flags | CIRCULATING).to_le_bytes());
        let whole = HEADER + length(rest) + COUNTER;
        rest = &mut rest[whole..];
    }
    false
}
