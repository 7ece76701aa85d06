//! Guests that act only on interrupts, at both ends of a channel: no byte is lost, no guest waits
//! for ever.

use super::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::vec::Vec;

const BYTES: u64 = 4096;

/// The channel's memory.
#[derive(Clone)]
struct Plain(Rc<RefCell<Vec<u8>>>);

impl Memory for Plain {
    fn word(&self, at: u32) -> u32 {
        let bytes = &self.0.borrow()[at as usize..][..4];
        u32::from_le_bytes(bytes.try_into().unwrap())
    }
    fn set_word(&self, at: u32, value: u32) {
        self.0.borrow_mut()[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }
    fn read(&self, at: u32, to: &mut [u8]) {
        to.copy_from_slice(&self.0.borrow()[at as usize..][..to.len()]);
    }
    fn write(&self, at: u32, from: &[u8]) {
        self.0.borrow_mut()[at as usize..][..from.len()].copy_from_slice(from);
    }
}

/// A channel, with what the hypervisor does about its doorbells.
struct Machine {
    channel: Channel,
    memory: Plain,
    link: Link,
    emulated: [bool; 2],
    /// The doorbells of ends that see the memory.
    bells: [bool; 2],
}

impl Machine {
    /// `emulated`: which ends look like a PL011.
    fn new(emulated: [bool; 2]) -> Self {
        Self {
            channel: Channel {
                bytes: BYTES,
                ..Channel::EMPTY
            },
            memory: Plain(Rc::new(RefCell::new(std::vec![0; BYTES as usize]))),
            link: Link::new(),
            emulated,
            bells: [false; 2],
        }
    }

    fn side(&mut self, end: usize) -> Side<'_, Plain> {
        let memory = self.memory.clone();
        self.link.side(&self.channel, end, memory).unwrap()
    }

    fn ring(&mut self, end: usize) {
        if !self.emulated[end] {
            self.bells[end] = true;
        } else if self.side(end).rung() {
            self.ring(1 - end);
        }
    }

    fn access(&mut self, end: usize, offset: u64, write: Option<u64>) -> u32 {
        let (value, ring) = self.side(end).access(offset, 4, write);
        if ring {
            self.ring(1 - end);
        }
        value as u32
    }
}

const DATA: u64 = 0x000;
const FLAGS: u64 = 0x018;
const LINE: u64 = 0x02C;
const MASK: u64 = 0x038;
const MASKED: u64 = 0x040;
const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;
const RECEIVES: u32 = 1 << 4 | 1 << 6;
const TRANSMITS: u32 = 1 << 5;

/// A guest: what it wants to send, and what it got.
struct Guest {
    end: usize,
    text: Vec<u8>,
    sent: usize,
    got: Vec<u8>,
    rings: Option<Rings>,
}

impl Guest {
    fn new(machine: &mut Machine, end: usize, text: Vec<u8>) -> Self {
        let mut guest = Self {
            end,
            text,
            sent: 0,
            got: Vec::new(),
            rings: None,
        };
        if machine.emulated[end] {
            machine.access(end, LINE, Some(0x70));
            machine.access(end, MASK, Some(RECEIVES.into()));
        } else {
            let layout = Layout::of(BYTES).unwrap();
            guest.rings = Some(Rings {
                writer: Writer::attach(layout, end, &machine.memory),
                reader: Reader::attach(layout, end, &machine.memory),
            });
        }
        guest
    }

    /// Begins to send.
    fn start(&mut self, machine: &mut Machine) {
        if self.rings.is_some() {
            machine.bells[self.end] = true;
            return;
        }
        while machine.access(self.end, FLAGS, None) & TRANSMIT_FULL == 0
            && self.sent < self.text.len()
        {
            self.send(machine);
        }
        let mask = RECEIVES | TRANSMITS;
        machine.access(self.end, MASK, Some(mask.into()));
    }

    fn send(&mut self, machine: &mut Machine) {
        machine.access(self.end, DATA, Some(self.text[self.sent].into()));
        self.sent += 1;
    }

    /// Handles an interrupt, if there is one; reads `most` bytes at most. Says whether there was
    /// one.
    fn step(&mut self, machine: &mut Machine, most: usize) -> bool {
        match self.rings.take() {
            Some(rings) => self.step_rings(machine, rings, most),
            None => self.step_uart(machine, most),
        }
    }

    /// As Linux's driver does.
    fn step_uart(&mut self, machine: &mut Machine, most: usize) -> bool {
        let end = self.end;
        if !machine.link.interrupt(end) {
            return false;
        }
        let status = machine.access(end, MASKED, None);
        assert_ne!(status, 0);
        if status & RECEIVES != 0 {
            for _ in 0..most {
                if machine.access(end, FLAGS, None) & RECEIVE_EMPTY != 0 {
                    break;
                }
                self.got.push(machine.access(end, DATA, None) as u8);
            }
        }
        if status & TRANSMITS != 0 {
            for _ in 0..16.min(self.text.len() - self.sent) {
                self.send(machine);
            }
            if self.sent == self.text.len() {
                machine.access(end, MASK, Some(RECEIVES.into()));
            }
        }
        true
    }

    fn step_rings(&mut self, machine: &mut Machine, mut rings: Rings, most: usize) -> bool {
        let rung = core::mem::take(&mut machine.bells[self.end]);
        if rung {
            let mut buffer = std::vec![0; most];
            loop {
                let moved = rings.reader.read(&machine.memory, &mut buffer);
                self.got.extend(&buffer[..moved.bytes]);
                if moved.ring {
                    machine.ring(1 - self.end);
                }
                if moved.bytes < most {
                    break;
                }
            }
            let moved = rings.writer.write(&machine.memory, &self.text[self.sent..]);
            self.sent += moved.bytes;
            if moved.ring {
                machine.ring(1 - self.end);
            }
        }
        self.rings = Some(rings);
        rung
    }
}

fn text(bytes: usize, seed: u8) -> Vec<u8> {
    (0..bytes)
        .map(|n| (n as u8).wrapping_mul(7) ^ (n >> 8) as u8 ^ seed)
        .collect()
}

/// Lets both guests act, in an order that `turns` begins, until neither has an interrupt.
fn run(emulated: [bool; 2], bytes: [usize; 2], turns: &[(usize, usize)]) -> [Guest; 2] {
    let mut machine = Machine::new(emulated);
    let mut guests = [0, 1].map(|end| Guest::new(&mut machine, end, text(bytes[end], end as u8)));
    for guest in &mut guests {
        guest.start(&mut machine);
    }
    for &(who, most) in turns {
        guests[who].step(&mut machine, most);
    }
    while guests[0].step(&mut machine, 64) | guests[1].step(&mut machine, 64) {}
    guests
}

proptest! {
    #[test]
    fn all_bytes_come_through(
        emulated in any::<[bool; 2]>(),
        bytes in [0..5000usize, 0..5000usize],
        turns in proptest::collection::vec((0..2usize, 1..300usize), 0..100),
    ) {
        let [first, second] = run(emulated, bytes, &turns);
        prop_assert_eq!((first.sent, second.sent), (first.text.len(), second.text.len()));
        prop_assert!(first.got == second.text, "{} of {}", first.got.len(), second.text.len());
        prop_assert!(second.got == first.text, "{} of {}", second.got.len(), first.text.len());
    }

    /// Whatever the other end writes into the memory, accesses end and stay there.
    #[test]
    fn no_words_harm(words in proptest::collection::vec((0..8u32, any::<u32>(), 0..0x50u64, any::<Option<u64>>()), 0..200)) {
        let mut machine = Machine::new([true, false]);
        machine.access(0, LINE, Some(0x70));
        for (word, value, register, write) in words {
            machine.memory.set_word(word * 64, value);
            machine.access(0, register & !3, write);
            machine.ring(0);
        }
    }
}

#[test]
fn the_doorbell_rings_once_for_a_reader_that_waits() {
    let mut machine = Machine::new([true, false]);
    let mut reader = Reader::attach(Layout::of(BYTES).unwrap(), 1, &machine.memory);
    let mut buffer = [0; 8];
    assert_eq!(reader.read(&machine.memory, &mut buffer).bytes, 0);
    let rings: Vec<bool> = b"abc"
        .map(|byte| {
            machine.access(0, DATA, Some(byte.into()));
            core::mem::take(&mut machine.bells[1])
        })
        .into();
    assert_eq!(rings, [true, false, false]);
    assert_eq!(reader.read(&machine.memory, &mut buffer).bytes, 3);
    assert_eq!(&buffer[..3], b"abc");
}

#[test]
fn input_raises_the_devices_interrupt() {
    let mut machine = Machine::new([true, false]);
    machine.access(0, MASK, Some(RECEIVES.into()));
    assert!(!machine.link.interrupt(0));
    let mut writer = Writer::attach(Layout::of(BYTES).unwrap(), 1, &machine.memory);
    // The end looked in vain, and waits.
    assert!(!machine.side(0).rung());
    assert!(writer.write(&machine.memory, b"x").ring);
    assert!(!machine.side(0).rung());
    assert!(machine.link.interrupt(0));
    assert_eq!(machine.access(0, DATA, None), u32::from(b'x'));
    assert!(!machine.link.interrupt(0));
}

#[test]
fn a_guest_that_starts_anew_finds_what_waited() {
    let mut machine = Machine::new([true, false]);
    let mut writer = Writer::attach(Layout::of(BYTES).unwrap(), 1, &machine.memory);
    let _ = writer.write(&machine.memory, b"kept");
    machine.access(0, LINE, Some(0x70));
    machine.link.reset(0);
    // Bytes that were in the device are lost, those in the ring are not.
    let _ = writer.write(&machine.memory, b"more");
    assert_eq!(machine.access(0, FLAGS, None) & RECEIVE_EMPTY, 0);
    let got = [(); 4].map(|()| machine.access(0, DATA, None) as u8);
    assert_eq!(&got, b"more");
}

/// The word in which the reader of end 0's ring counts what it has read.
fn reader_word(machine: &mut Machine) -> u32 {
    let mut reader = Reader::attach(Layout::of(BYTES).unwrap(), 1, &machine.memory);
    machine.access(0, DATA, Some(b'x'.into()));
    let words = || -> Vec<u32> {
        let all = 0..BYTES as u32 / 4;
        all.map(|n| machine.memory.word(4 * n)).collect()
    };
    let before = words();
    assert_eq!(reader.read(&machine.memory, &mut [0]).bytes, 1);
    let mut changed = before.iter().zip(words()).enumerate();
    // It counts by one; the other word that changes shows that it does not wait any longer.
    let found = changed.find(|(_, (before, now))| *now == *before + 1);
    4 * found.expect("the reader counts").0 as u32
}

#[test]
fn an_end_that_takes_back_the_room_it_made_does_not_move_the_devices_interrupt() {
    let mut machine = Machine::new([true, false]);
    let word = reader_word(&mut machine);
    machine.access(0, LINE, Some(0x70));
    machine.access(0, MASK, Some(TRANSMITS.into()));
    machine.access(0, DATA, Some(b'x'.into()));
    assert!(machine.link.interrupt(0));
    let read = machine.memory.word(word);
    let all = Layout::of(BYTES).unwrap().capacity() as u32;
    for round in 0..100u32 {
        // The ring looks full, and empty again.
        let back = if round % 2 == 0 { all } else { 0 };
        machine.memory.set_word(word, read.wrapping_sub(back));
        machine.ring(0);
        assert!(machine.link.interrupt(0), "round {round}");
    }
    // A read by the guest itself returns the current state.
    machine.memory.set_word(word, read.wrapping_sub(all));
    assert_ne!(machine.access(0, FLAGS, None) & TRANSMIT_FULL, 0);
}

#[test]
fn a_device_that_has_little_room_takes_nothing_in_until_half_of_it_is_free() {
    let mut machine = Machine::new([true, false]);
    let mut writer = Writer::attach(Layout::of(BYTES).unwrap(), 1, &machine.memory);
    let read = |machine: &Machine| INPUT - machine.link.ends[0].uart.room();
    let _ = writer.write(&machine.memory, &[1; INPUT / 2 + 1]);
    machine.ring(0);
    assert_eq!(read(&machine), INPUT / 2 + 1);
    let _ = writer.write(&machine.memory, &[2; 8]);
    machine.ring(0);
    assert_eq!(
        read(&machine),
        INPUT / 2 + 1,
        "one byte less than half is free"
    );
    // The guest reads one byte; at its next access half is free.
    machine.access(0, DATA, None);
    assert_eq!(read(&machine), INPUT / 2);
    machine.access(0, FLAGS, None);
    assert_eq!(read(&machine), INPUT / 2 + 8);
}
