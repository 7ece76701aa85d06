//! SyncManagers: the rights to access memory, by which mailboxes are not overwritten and process
//! data are whole (datasheet, section I, "SyncManager"; registers 0x0800 and following).
//!
//! Owns: the settings, mailboxes that are full or empty, the three buffers of process data, the
//! status bytes. Must never know: the meaning of the bytes.
//!
//! A buffer opens when its first byte is touched and closes when its last one is; one that is not
//! open is not accessible. So an exchange may take several datagrams, and a half-written one is
//! never seen.

use crate::memory::Memory;
use crate::registers::{PROCESS_RAM, SIZE, SYNC_MANAGER, SYNC_MANAGER_LENGTH, UNITS};

/// No buffer has been written yet (status bits 4 and 5).
const NO_BUFFER: u8 = 3;

#[derive(Clone, Copy)]
pub(crate) struct Channel {
    /// Where its memory is, and how many bytes of it are one buffer.
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// A mailbox; otherwise three buffers.
    pub(crate) is_mailbox: bool,
    /// Whether the MainDevice writes and the device reads.
    pub(crate) is_written: bool,
    /// Whether a write triggers the watchdog.
    pub(crate) is_watched: bool,
    /// Whether the MainDevice has enabled it.
    pub(crate) is_enabled: bool,
    /// How many buffers it has, and where its memory ends with all of them.
    buffers: u8,
    pub(crate) extent: usize,
    /// Whether the device has shut it (register 0x0807): there is no access then.
    is_shut: bool,
    is_full: bool,
    is_open: bool,
    /// The buffer that the MainDevice works with, and the one written last.
    current: u8,
    latest: u8,
    was_written: bool,
    was_read: bool,
}

impl Channel {
    const OFF: Self = Self {
        start: 0,
        length: 0,
        is_mailbox: false,
        is_written: false,
        is_watched: false,
        is_enabled: false,
        buffers: 1,
        extent: 0,
        is_shut: true,
        is_full: false,
        is_open: false,
        current: 0,
        latest: NO_BUFFER,
        was_written: false,
        was_read: false,
    };

    fn is_live(&self) -> bool {
        self.is_enabled && self.length != 0
    }

    fn reset(&mut self) {
        self.is_full = false;
        self.is_open = false;
        self.current = 0;
        self.latest = NO_BUFFER;
        self.was_written = false;
        self.was_read = false;
    }

    /// Begins an access of the MainDevice at `at` in the first buffer. Returns its address in the
    /// current buffer, if the access is allowed.
    fn enter(&mut self, at: usize, write: bool) -> Option<usize> {
        if self.is_shut || self.is_written != write {
            return None;
        }
        if self.is_mailbox && self.is_full == write {
            return None;
        }
        if at == self.start {
            self.is_open = true;
            if !write {
                self.was_written = false;
            } else {
                self.was_read = false;
            }
            if !write && !self.is_mailbox && self.latest != NO_BUFFER {
                self.current = self.latest;
            }
        }
        let shift = usize::from(self.current) * self.length;
        self.is_open.then_some(at + shift)
    }

    /// The access is done. Whether it was to the last byte, so that the exchange is complete.
    fn leave(&mut self, end: usize, write: bool) -> bool {
        if end != self.start + self.length {
            return false;
        }
        self.is_open = false;
        if self.is_mailbox {
            self.is_full = write;
        } else if write {
            self.latest = self.current;
            self.current = (self.current + 1) % self.buffers;
        }
        if write {
            self.was_written = true;
        } else {
            self.was_read = true;
        }
        true
    }

    /// The buffer that the device writes next: neither the latest one nor the one that is being
    /// read.
    fn next_for_device(&self) -> u8 {
        let is_free =
            |buffer: &u8| *buffer != self.latest && (!self.is_open || *buffer != self.current);
        (0..self.buffers).find(is_free).unwrap_or(0)
    }

    fn status(&self) -> u8 {
        let buffer = if self.is_mailbox {
            u8::from(self.is_full) << 3
        } else {
            self.latest << 4
        };
        u8::from(self.was_written) | u8::from(self.was_read) << 1 | buffer
    }
}

/// Kind of memory at an address.
pub(crate) enum Area {
    /// Memory of no SyncManager.
    Plain,
    /// One buffer of this SyncManager.
    Channel(usize),
    /// Part of a buffer and something else, or a buffer after the first.
    Forbidden,
}

pub(crate) struct SyncManagers {
    channels: [Channel; UNITS],
    /// Those from here on are not enabled.
    used: usize,
}

impl SyncManagers {
    pub(crate) const fn new() -> Self {
        Self {
            channels: [Channel::OFF; UNITS],
            used: 0,
        }
    }

    pub(crate) fn get(&self, number: usize) -> Option<&Channel> {
        self.channels.get(number)
    }

    pub(crate) fn power_on(&mut self, memory: &mut Memory) {
        *self = Self::new();
        for number in 0..UNITS {
            self.show(number, memory);
        }
    }

    /// Registers of `number` were written.
    pub(crate) fn configure(&mut self, number: usize, memory: &mut Memory) {
        let at = SYNC_MANAGER + number * SYNC_MANAGER_LENGTH;
        let control = memory.byte(at + 4);
        let before = self.channels[number];
        let channel = &mut self.channels[number];
        channel.start = usize::from(memory.word(at));
        channel.length = usize::from(memory.word(at + 2));
        channel.is_mailbox = control & 3 == 2;
        channel.is_written = control >> 2 & 3 == 1;
        channel.is_watched = control & 0x40 != 0;
        channel.is_enabled = memory.byte(at + 6) & 1 != 0;
        // Digital outputs, before the memory for process data, take effect at once.
        let has_one = channel.is_mailbox || channel.start < PROCESS_RAM;
        channel.buffers = if has_one { 1 } else { 3 };
        channel.extent = channel.start + channel.length * usize::from(channel.buffers);
        let is_same = before.is_enabled == channel.is_enabled
            && before.start == channel.start
            && before.length == channel.length
            && before.is_mailbox == channel.is_mailbox
            && before.is_written == channel.is_written;
        if !is_same {
            channel.reset();
        }
        self.used = self
            .channels
            .iter()
            .rposition(Channel::is_live)
            .map_or(0, |last| last + 1);
        self.show(number, memory);
    }

    /// The device opens or shuts a SyncManager; shutting resets it.
    pub(crate) fn shut(&mut self, number: usize, is_shut: bool, memory: &mut Memory) {
        let Some(channel) = self.channels.get_mut(number) else {
            return;
        };
        if channel.is_shut != is_shut {
            channel.is_shut = is_shut;
            channel.reset();
            self.show(number, memory);
        }
    }

    /// Returns whether the areas of all enabled SyncManagers are in the memory, and disjoint.
    pub(crate) fn are_apart(&self) -> bool {
        let live = || self.channels.iter().filter(|channel| channel.is_live());
        let overlap =
            |one: &Channel, other: &Channel| one.start < other.extent && other.start < one.extent;
        live().all(|channel| channel.extent <= SIZE)
            && live().enumerate().all(|(number, channel)| {
                live()
                    .skip(number + 1)
                    .all(|other| !overlap(channel, other))
            })
    }

    /// Returns the kind of memory at `at..end`.
    pub(crate) fn area(&self, at: usize, end: usize) -> Area {
        for (number, channel) in self.channels[..self.used].iter().enumerate() {
            if !channel.is_live() || end <= channel.start || at >= channel.extent {
                continue;
            }
            let is_inside = at >= channel.start && end <= channel.start + channel.length;
            return if is_inside {
                Area::Channel(number)
            } else {
                Area::Forbidden
            };
        }
        Area::Plain
    }

    /// The MainDevice touches a buffer of `number` from `at` on: where that is, if it may.
    pub(crate) fn enter(&mut self, number: usize, at: usize, write: bool) -> Option<usize> {
        self.channels[number].enter(at, write)
    }

    /// The access up to `end` is done; whether the exchange is complete with it.
    pub(crate) fn leave(
        &mut self,
        number: usize,
        end: usize,
        write: bool,
        memory: &mut Memory,
    ) -> bool {
        let complete = self.channels[number].leave(end, write);
        self.show(number, memory);
        complete
    }

    /// The outputs that came last, for the device.
    pub(crate) fn outputs(&self, number: usize) -> Option<core::ops::Range<usize>> {
        let channel = self.channels.get(number)?;
        if channel.latest == NO_BUFFER {
            return None;
        }
        let at = self.last_written(number, channel.start);
        Some(at..at + channel.length)
    }

    /// Returns the place of the byte at `at` of the first buffer in the buffer that was written
    /// last.
    pub(crate) fn last_written(&self, number: usize, at: usize) -> usize {
        let channel = &self.channels[number];
        match channel.latest {
            NO_BUFFER => at,
            latest => at + usize::from(latest) * channel.length,
        }
    }

    /// The device has new inputs.
    pub(crate) fn put_inputs(&mut self, number: usize, inputs: &[u8], memory: &mut Memory) {
        let Some(channel) = self.channels.get_mut(number) else {
            return;
        };
        if !channel.is_live() || channel.is_shut || channel.extent > SIZE {
            return;
        }
        let buffer = channel.next_for_device();
        let at = channel.start + usize::from(buffer) * channel.length;
        let length = channel.length.min(inputs.len());
        memory.put(at, &inputs[..length]);
        channel.latest = buffer;
        channel.was_written = true;
        channel.was_read = false;
        self.show(number, memory);
    }

    /// The mailbox `number`, for the device: where it is, and whether something is in it.
    pub(crate) fn mailbox(&self, number: usize) -> Option<(core::ops::Range<usize>, bool)> {
        let channel = self.channels.get(number)?;
        let is_usable = channel.is_live() && channel.is_mailbox && !channel.is_shut;
        is_usable.then_some((
            channel.start..channel.start + channel.length,
            channel.is_full,
        ))
    }

    /// The device has emptied or filled a mailbox.
    pub(crate) fn set_full(&mut self, number: usize, is_full: bool, memory: &mut Memory) {
        if let Some(channel) = self.channels.get_mut(number) {
            channel.is_full = is_full;
            channel.was_written = is_full;
            channel.was_read = !is_full;
            self.show(number, memory);
        }
    }

    fn show(&self, number: usize, memory: &mut Memory) {
        let at = SYNC_MANAGER + number * SYNC_MANAGER_LENGTH;
        let channel = &self.channels[number];
        memory.set(at + 5, channel.status());
        let repeat = memory.byte(at + 7) & 2;
        memory.set(at + 7, u8::from(channel.is_shut) | repeat);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One SyncManager, 4 bytes at 0x1000.
    fn one(control: u8) -> (SyncManagers, Memory) {
        let mut memory = Memory::new();
        let mut managers = SyncManagers::new();
        memory.put(SYNC_MANAGER, &[0x00, 0x10, 4, 0, control, 0, 1, 0]);
        managers.configure(0, &mut memory);
        managers.shut(0, false, &mut memory);
        (managers, memory)
    }

    fn access(
        managers: &mut SyncManagers,
        memory: &mut Memory,
        at: usize,
        end: usize,
        write: bool,
    ) -> Option<usize> {
        let place = managers.enter(0, at, write)?;
        managers.leave(0, end, write, memory);
        Some(place)
    }

    #[test]
    fn a_full_mailbox_is_not_written_and_an_empty_one_not_read() {
        let (mut managers, mut memory) = one(0x26);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, true),
            Some(0x1000)
        );
        assert_eq!(memory.byte(SYNC_MANAGER + 5) & 8, 8);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, true),
            None
        );
        managers.set_full(0, false, &mut memory);
        assert_eq!(memory.byte(SYNC_MANAGER + 5), 2, "read by the device");
        let (mut managers, mut memory) = one(0x22);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, false),
            None
        );
        managers.set_full(0, true, &mut memory);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, false),
            Some(0x1000)
        );
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, false),
            None
        );
    }

    #[test]
    fn a_buffer_opens_with_its_first_byte_and_counts_with_its_last() {
        let (mut managers, mut memory) = one(0x64);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1001, 0x1004, true),
            None
        );
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1002, true),
            Some(0x1000)
        );
        assert_eq!(managers.outputs(0), None);
        assert_eq!(
            access(&mut managers, &mut memory, 0x1002, 0x1004, true),
            Some(0x1002)
        );
        assert_eq!(managers.outputs(0), Some(0x1000..0x1004));
        assert_eq!(
            access(&mut managers, &mut memory, 0x1000, 0x1004, true),
            Some(0x1004)
        );
        assert_eq!(managers.outputs(0), Some(0x1004..0x1008));
        assert_eq!(memory.byte(SYNC_MANAGER + 5) >> 4, 1);
    }

    #[test]
    fn inputs_that_are_being_read_stay_as_they_are() {
        let (mut managers, mut memory) = one(0x20);
        managers.put_inputs(0, &[1, 1, 1, 1], &mut memory);
        let open = managers.enter(0, 0x1000, false).unwrap();
        managers.leave(0, 0x1002, false, &mut memory);
        managers.put_inputs(0, &[2, 2, 2, 2], &mut memory);
        managers.put_inputs(0, &[3, 3, 3, 3], &mut memory);
        assert_eq!(memory.slice(open..open + 4), [1; 4]);
        let rest = managers.enter(0, 0x1002, false).unwrap();
        managers.leave(0, 0x1004, false, &mut memory);
        assert_eq!(rest, open + 2);
        let next = managers.enter(0, 0x1000, false).unwrap();
        assert_eq!(memory.slice(next..next + 4), [3; 4]);
    }

    #[test]
    fn the_wrong_direction_and_a_shut_channel_are_refused() {
        let (mut managers, mut memory) = one(0x64);
        assert!(managers.enter(0, 0x1000, false).is_none());
        managers.shut(0, true, &mut memory);
        assert!(managers.enter(0, 0x1000, true).is_none());
        assert_eq!(memory.byte(SYNC_MANAGER + 7), 1);
    }

    #[test]
    fn the_second_and_third_buffer_belong_to_nobody() {
        let (managers, _) = one(0x64);
        assert!(matches!(managers.area(0x1000, 0x1004), Area::Channel(0)));
        assert!(matches!(managers.area(0x1002, 0x1005), Area::Forbidden));
        assert!(matches!(managers.area(0x1008, 0x1009), Area::Forbidden));
        assert!(matches!(managers.area(0x100C, 0x1010), Area::Plain));
        assert!(matches!(managers.area(0x0FF0, 0x1001), Area::Forbidden));
    }

    #[test]
    fn digital_outputs_have_one_buffer() {
        let (mut managers, mut memory) = one(0x44);
        memory.put(SYNC_MANAGER, &[0x00, 0x0F, 1, 0, 0x44, 0, 1, 0]);
        managers.configure(0, &mut memory);
        assert!(matches!(managers.area(0x0F01, 0x0F02), Area::Plain));
        for _ in 0..2 {
            let place = access(&mut managers, &mut memory, 0x0F00, 0x0F01, true);
            assert_eq!(place, Some(0x0F00));
            assert_eq!(managers.outputs(0), Some(0x0F00..0x0F01));
        }
    }

    #[test]
    fn areas_that_overlap_are_seen() {
        let (mut managers, mut memory) = one(0x64);
        assert!(managers.are_apart());
        memory.put(SYNC_MANAGER + 8, &[0x0B, 0x10, 1, 0, 0x20, 0, 1, 0]);
        managers.configure(1, &mut memory);
        assert!(!managers.are_apart());
        memory.put(SYNC_MANAGER + 8, &[0xFF, 0x2F, 1, 0, 0x20, 0, 1, 0]);
        managers.configure(1, &mut memory);
        assert!(!managers.are_apart(), "out of the memory");
    }
}
