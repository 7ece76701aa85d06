//! A wire that is a channel to another partition, in virtual time.
//!
//! Owns: writing a frame with its instant to a channel's rings, and reading it from them. Must
//! never know: the contents of a frame; the access to memory and doorbells ([`Port`]).
//!
//! The sender states the instant of a frame ([`Stamped::send`]). The responder computes with that
//! instant, never with its own time, and states when the last bit of the answer is back. The
//! receiver does not see the answer before that instant ([`Channel`] as a [`Wire`]). So the
//! responder's schedule does not influence figures if the answer is there in time; the responder
//! counts late answers. This is a conservative simulation of the wire (Chandy and Misra, 1979).
//!
//! # Records
//! Length of the frame (8 bytes), instant in nanoseconds of the machine's clock (8 bytes), frame,
//! little-endian, and zeros up to whole words: copies of records are of whole words, which is most
//! of what they cost.

use crate::{FRAME, Wire};
use taktos_abi::vm::ring::{Layout, Memory, Reader, Writer};
use taktos_kernel::{Duration, Instant};

/// An end of a channel, and a clock that both ends share.
pub trait Port {
    /// The channel's memory.
    type Memory: Memory;

    /// The memory, how many bytes of it there are, and which end this is, 0 or 1.
    fn end(&self) -> (&Self::Memory, usize, usize);

    /// Rings the other end's doorbell.
    fn ring(&self);

    /// Returns the time of the machine's clock, which is the same at both ends.
    fn now(&self) -> Instant;

    /// Blocks the thread until the doorbell of this end rings, or until `until` of that clock. May
    /// come back early.
    fn wait(&self, until: Instant);
}

const WORD: usize = size_of::<u64>();
/// The bytes before a frame.
const HEAD: usize = 2 * WORD;

/// A record.
#[repr(align(8))]
struct Record([u8; HEAD + FRAME]);

impl Record {
    const EMPTY: Self = Self([0; HEAD + FRAME]);

    /// Returns the bytes of a record with a frame of this length.
    const fn bytes(length: usize) -> usize {
        HEAD + length.next_multiple_of(WORD)
    }

    fn word(&self, number: usize) -> u64 {
        let words = self.0.as_chunks::<WORD>().0;
        words
            .get(number)
            .map_or(0, |word| u64::from_le_bytes(*word))
    }
}

/// How long a full channel is waited for.
const PATIENCE: Duration = Duration::from_millis(1);

/// A frame with its instant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamped {
    /// How many bytes the frame has.
    pub length: usize,
    /// When it was sent, or arrives.
    pub at: Instant,
}

/// The instants at which the last frame with an answer passed three places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// It was given to the wire.
    pub sent: Instant,
    /// Its last bit was back.
    pub arrived: Instant,
    /// The thread had it.
    pub taken: Instant,
}

impl Passage {
    const NONE: Self = Self {
        sent: Instant::START,
        arrived: Instant::START,
        taken: Instant::START,
    };
}

/// An end of a channel that carries stamped frames.
pub struct Channel<P> {
    port: P,
    reader: Reader,
    writer: Writer,
    /// How much of the record that comes is there.
    have: usize,
    coming: Record,
    /// A record on its way out.
    going: Record,
    /// Frames that did not fit in the channel.
    lost: u32,
    /// The frame that is under way as a [`Wire`]: when it was sent, and for how long it takes its
    /// wire at least.
    under_way: Option<(Instant, Duration)>,
    /// Time that the last frame to arrive took in addition.
    besides: Duration,
    passage: Passage,
}

impl<P: Port> Channel<P> {
    /// A channel by its end; none where its memory is too small for rings.
    pub fn new(port: P) -> Option<Self> {
        let (memory, bytes, number) = port.end();
        let layout = Layout::of(bytes as u64)?;
        let reader = Reader::attach(layout, number, memory);
        let writer = Writer::attach(layout, number, memory);
        Some(Self {
            port,
            reader,
            writer,
            have: 0,
            coming: Record::EMPTY,
            going: Record::EMPTY,
            lost: 0,
            under_way: None,
            besides: Duration::ZERO,
            passage: Passage::NONE,
        })
    }

    /// Its end.
    pub const fn port(&self) -> &P {
        &self.port
    }

    /// Returns the instants of the last frame with an answer. If several frames are under way at
    /// once, these are the instants of the first.
    pub const fn passage(&self) -> Passage {
        self.passage
    }

    /// Returns how many frames were lost because the channel was full for longer than a
    /// millisecond, or because they were too long.
    pub const fn lost(&self) -> u32 {
        self.lost
    }

    /// Sends `frame` with an instant. Blocks for a millisecond at most, while the channel is full;
    /// then the frame is lost.
    pub fn send(&mut self, at: Instant, frame: &[u8]) {
        if self.write(at, frame) {
            self.port.ring();
        }
    }

    /// As [`Channel::send`], but the other end's doorbell is left to the caller: whether it must be
    /// rung.
    pub fn write(&mut self, at: Instant, frame: &[u8]) -> bool {
        let bytes = Record::bytes(frame.len());
        if frame.len() > FRAME || !self.has_room(bytes) {
            self.lost = self.lost.saturating_add(1);
            return false;
        }
        let record = &mut self.going.0[..bytes];
        record[..WORD].copy_from_slice(&(frame.len() as u64).to_le_bytes());
        record[WORD..HEAD].copy_from_slice(&at.as_nanos().to_le_bytes());
        record[HEAD..HEAD + frame.len()].copy_from_slice(frame);
        let (memory, _, _) = self.port.end();
        self.writer.write(memory, record).ring
    }

    /// As [`Channel::write`] of the frame that was taken last, as it is now: without a copy of it.
    pub fn write_back(&mut self, at: Instant) -> bool {
        let bytes = Record::bytes((self.coming.word(0) as usize).min(FRAME));
        if self.have != 0 || !self.has_room(bytes) {
            self.lost = self.lost.saturating_add(1);
            return false;
        }
        let record = &mut self.coming.0[..bytes];
        record[WORD..HEAD].copy_from_slice(&at.as_nanos().to_le_bytes());
        let (memory, _, _) = self.port.end();
        self.writer.write(memory, record).ring
    }

    fn has_room(&self, length: usize) -> bool {
        let until = self.port.now().saturating_add(PATIENCE);
        loop {
            let (memory, _, _) = self.port.end();
            if self.writer.room_or_wait(memory, length) >= length {
                return true;
            }
            if self.port.now() >= until {
                return false;
            }
            self.port.wait(until);
        }
    }

    /// The oldest frame that was sent from the other end, if it is there as a whole. It stays until
    /// [`Channel::take`].
    pub fn front(&mut self) -> Option<Stamped> {
        if !self.fill(HEAD) {
            return None;
        }
        let length = (self.coming.word(0) as usize).min(FRAME);
        let at = Instant::from_nanos(self.coming.word(1));
        let whole = self.fill(Record::bytes(length));
        whole.then_some(Stamped { length, at })
    }

    /// Returns whether there is anything to read. Does not request a doorbell ring; a caller that
    /// then waits calls [`Channel::front`].
    fn has_more(&self) -> bool {
        let (memory, _, _) = self.port.end();
        self.have != 0 || self.reader.filled(memory) != 0
    }

    /// Takes the frame that [`Channel::front`] reported; an empty one if it reported none.
    pub fn take(&mut self) -> &mut [u8] {
        let length = match self.have {
            0..HEAD => 0,
            _ => (self.coming.word(0) as usize).min(FRAME),
        };
        self.have = 0;
        self.coming
            .0
            .get_mut(HEAD..HEAD + length)
            .unwrap_or_default()
    }

    /// Reads until `length` bytes of the record are there; whether they are.
    fn fill(&mut self, length: usize) -> bool {
        if let Some(rest) = self.coming.0.get_mut(self.have..length)
            && !rest.is_empty()
        {
            let (memory, _, _) = self.port.end();
            let moved = self.reader.read(memory, rest);
            self.have += moved.bytes;
            if moved.ring {
                self.port.ring();
            }
        }
        self.have >= length
    }
}

/// Returns how long a frame takes at 100 Mbit/s: its bytes, and preamble, check sequence and gap
/// (IEEE 802.3: 8, 4 and 12 bytes).
fn on_wire(length: usize) -> Duration {
    const BYTE: u64 = 80;
    const AROUND: u64 = 8 + 4 + 12;
    Duration::from_nanos(BYTE * (length as u64 + AROUND))
}

impl<P: Port> Channel<P> {
    /// Returns the instant before which no answer to the frame on its way is expected; none if that
    /// has passed. It is the end of the frame's time on the wire, and of the time that the devices
    /// took last. So the thread is woken once, when the answer is there, as by a network card, and
    /// not by the doorbell before.
    fn earliest(&self) -> Option<Instant> {
        let (sent, wire) = self.under_way?;
        let at = sent.saturating_add(wire).saturating_add(self.besides);
        (at > self.port.now()).then_some(at)
    }

    fn arrived(&mut self, arrived: Instant, taken: Instant) {
        if let Some((sent, wire)) = self.under_way.take() {
            self.besides = arrived.since(sent.saturating_add(wire));
            self.passage = Passage {
                sent,
                arrived,
                taken,
            };
        }
    }
}

/// Frames arrive at the instant of their stamp.
impl<P: Port> Wire for Channel<P> {
    fn now(&mut self) -> Instant {
        self.port.now()
    }

    fn send(&mut self, frame: &[u8]) {
        let now = self.port.now();
        Self::send(self, now, frame);
        self.under_way = self.under_way.or(Some((now, on_wire(frame.len()))));
    }

    fn receive(&mut self) -> Option<&[u8]> {
        if self.earliest().is_some() || !self.has_more() {
            return None;
        }
        let (at, now) = (self.front()?.at, self.port.now());
        if at > now {
            return None;
        }
        self.arrived(at, now);
        Some(self.take())
    }

    fn wait(&mut self, until: Instant) {
        let next = match self.earliest() {
            Some(at) => Some(at),
            None => self.front().map(|front| front.at),
        };
        self.port.wait(next.map_or(until, |at| at.min(until)));
    }
}
