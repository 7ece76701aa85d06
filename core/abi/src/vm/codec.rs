//! Owns: the bytes of a [`Description`], as the tool writes them and the hypervisor reads them.
//! Must never know: which descriptions make sense ([`Description::check`] does).
//!
//! A header of 24 bytes: the magic number, the version, the number of bytes that follow, and their
//! digest (FNV-1a, 64 bits: it detects damage, but does not authenticate). Then each field in the
//! order of its declaration, little-endian, without gaps. Of an array only the records that count
//! are written; of an enumeration its number, then its fields. [`Form`] defines the contents of
//! each record once, for both directions.

use super::{
    Channel, Description, Device, End, Fault, Linkage, OnStop, Partition, Policy, Pool, Segment,
    Server, VcpuRecord, Wait, Window,
};

/// The first bytes of a description.
const MAGIC: [u8; 8] = *b"TAKTOSVM";
/// Which form this is. Another form has another number.
const VERSION: u32 = 1;
/// Magic number, version, length, digest.
const HEADER: usize = 24;

/// Why a description cannot be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodeError {
    /// The room given is too small.
    Room,
    /// It makes no sense.
    Fault(Fault),
}

/// Why bytes are no description.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeError {
    /// They do not begin as one.
    Magic,
    /// They have another form: this version.
    Version(u32),
    /// They are cut off, or hold more than one description.
    Length,
    /// They are damaged: the digest is another.
    Digest,
    /// A count or a number is out of range.
    Form,
    /// Their content makes no sense.
    Fault(Fault),
}

impl core::fmt::Display for EncodeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Room => f.write_str("the description does not fit"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl core::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Magic => f.write_str("no description"),
            Self::Version(version) => write!(f, "the description has version {version}, not 1"),
            Self::Length => f.write_str("the description is cut off"),
            Self::Digest => f.write_str("the description is damaged"),
            Self::Form => f.write_str("a number of the description is out of range"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl core::error::Error for EncodeError {}
impl core::error::Error for DecodeError {}

impl Description {
    /// Writes it at the start of `room` and says how many bytes that took: less than
    /// [`super::layout::DESCRIPTION_BYTES`] for every description. Bound: its length, twice.
    ///
    /// # Errors
    /// [`EncodeError`]; `room` holds anything then.
    pub fn encode(&self, room: &mut [u8]) -> Result<usize, EncodeError> {
        self.check().map_err(EncodeError::Fault)?;
        let mut copy = *self;
        let (header, body) = room.split_at_mut_checked(HEADER).ok_or(EncodeError::Room)?;
        let mut writer = Writer {
            body,
            at: 0,
            stopped: false,
        };
        copy.walk(&mut writer);
        if writer.stopped {
            return Err(EncodeError::Room);
        }
        let length = writer.at;
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&(length as u32).to_le_bytes());
        header[16..].copy_from_slice(&digest(&body[..length]).to_le_bytes());
        Ok(HEADER + length)
    }

    /// Reads the result of [`Description::encode`] at the start of `bytes`; what follows it is not
    /// read. Any bytes may be given: the result has passed [`Description::check`], and entries
    /// beyond its counts are empty. Bound: the length that the bytes state, twice.
    ///
    /// # Errors
    /// [`DecodeError`].
    #[inline(never)]
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (header, rest) = bytes.split_at_checked(HEADER).ok_or(DecodeError::Length)?;
        if header[..8] != MAGIC {
            return Err(DecodeError::Magic);
        }
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| header[at + byte]));
        if word(8) != VERSION {
            return Err(DecodeError::Version(word(8)));
        }
        let body = rest.get(..word(12) as usize).ok_or(DecodeError::Length)?;
        if digest(body).to_le_bytes() != header[16..] {
            return Err(DecodeError::Digest);
        }
        let mut description = Self::EMPTY;
        let mut reader = Reader {
            body,
            stopped: false,
        };
        description.walk(&mut reader);
        if reader.stopped {
            return Err(DecodeError::Form);
        }
        if !reader.body.is_empty() {
            return Err(DecodeError::Length);
        }
        description.check().map_err(DecodeError::Fault)?;
        Ok(description)
    }
}

/// FNV-1a with 64 bits.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A mover of values to or from bytes. A fault (no space to write, nothing to read, a number out of
/// range) is checked at the end, not by each field.
trait Mover {
    /// Writes the bytes, or replaces them by those that were read; leaves them where that cannot
    /// be.
    fn bytes(&mut self, bytes: &mut [u8]);
    /// Takes note that something goes wrong.
    fn stop(&mut self);
}

struct Writer<'a> {
    body: &'a mut [u8],
    at: usize,
    stopped: bool,
}

impl Mover for Writer<'_> {
    fn bytes(&mut self, bytes: &mut [u8]) {
        let end = self.at + bytes.len();
        match self.body.get_mut(self.at..end) {
            Some(room) => room.copy_from_slice(bytes),
            None => return self.stop(),
        }
        self.at = end;
    }

    fn stop(&mut self) {
        self.stopped = true;
    }
}

struct Reader<'a> {
    body: &'a [u8],
    stopped: bool,
}

impl Mover for Reader<'_> {
    fn bytes(&mut self, bytes: &mut [u8]) {
        let Some((own, rest)) = self.body.split_at_checked(bytes.len()) else {
            return self.stop();
        };
        bytes.copy_from_slice(own);
        self.body = rest;
    }

    fn stop(&mut self) {
        self.stopped = true;
    }
}

/// The parts of a value.
trait Form {
    /// Shows each part of it to the mover, in order.
    fn walk(&mut self, mover: &mut impl Mover);
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Form for $number {
            // A call for each field, not a copy: reading takes place once, and its text counts.
            #[inline(never)]
            fn walk(&mut self, mover: &mut impl Mover) {
                let mut bytes = self.to_le_bytes();
                mover.bytes(&mut bytes);
                *self = Self::from_le_bytes(bytes);
            }
        }
    )*};
}
numbers!(u8, u32, u64);

macro_rules! records {
    ($($record:ident { $($field:ident),* })*) => {$(
        impl Form for $record {
            fn walk(&mut self, mover: &mut impl Mover) {
                $(self.$field.walk(mover);)*
            }
        }
    )*};
}
records! {
    Pool { cpus, policy }
    Window { vcpu, length }
    Segment { store, bytes, at }
    Device { at, bytes, interrupt }
    VcpuRecord { partition, hard, soft, server }
    Server { period, budget, extra, weight }
    Channel { memory, bytes, ends }
    End { partition, linkage }
}

impl Form for bool {
    fn walk(&mut self, mover: &mut impl Mover) {
        let number = number(mover, u8::from(*self), 1);
        *self = number == 1;
    }
}

impl<T: Form, const N: usize> Form for [T; N] {
    fn walk(&mut self, mover: &mut impl Mover) {
        for one in self {
            one.walk(mover);
        }
    }
}

/// A number that is at most `most`: written, or read.
#[inline(never)]
fn number(mover: &mut impl Mover, mut number: u8, most: u8) -> u8 {
    number.walk(mover);
    if number > most {
        mover.stop();
        return 0;
    }
    number
}

/// The first `count` of the records.
fn first<T: Form, const N: usize>(records: &mut [T; N], count: u8, mover: &mut impl Mover) {
    match records.get_mut(..usize::from(count)) {
        Some(records) => {
            for record in records {
                record.walk(mover);
            }
        }
        None => mover.stop(),
    }
}

impl Form for Description {
    fn walk(&mut self, mover: &mut impl Mover) {
        self.cpus.walk(mover);
        self.timer_floor.walk(mover);
        self.input.walk(mover);
        self.pool_count.walk(mover);
        self.partition_count.walk(mover);
        self.vcpu_count.walk(mover);
        self.channel_count.walk(mover);
        first(&mut self.pools, self.pool_count, mover);
        first(&mut self.partitions, self.partition_count, mover);
        first(&mut self.vcpus, self.vcpu_count, mover);
        first(&mut self.channels, self.channel_count, mover);
    }
}

impl Form for Partition {
    fn walk(&mut self, mover: &mut impl Mover) {
        self.name.walk(mover);
        self.pool.walk(mover);
        self.first_vcpu.walk(mover);
        self.vcpus.walk(mover);
        self.weight.walk(mover);
        self.cap.walk(mover);
        self.memory.walk(mover);
        self.bytes.walk(mover);
        self.segment_count.walk(mover);
        first(&mut self.segments, self.segment_count, mover);
        self.entry.walk(mover);
        self.argument.walk(mover);
        self.wait.walk(mover);
        self.on_fault.walk(mover);
        self.on_reset.walk(mover);
        self.console.walk(mover);
        self.device_count.walk(mover);
        first(&mut self.devices, self.device_count, mover);
    }
}

impl Form for Wait {
    fn walk(&mut self, mover: &mut impl Mover) {
        let own = u8::from(*self == Self::Native);
        *self = match number(mover, own, 1) {
            0 => Self::Trapped,
            _ => Self::Native,
        };
    }
}

impl Form for Linkage {
    fn walk(&mut self, mover: &mut impl Mover) {
        let own = u8::from(*self == Self::Uart);
        *self = match number(mover, own, 1) {
            0 => Self::Memory,
            _ => Self::Uart,
        };
    }
}

impl Form for OnStop {
    fn walk(&mut self, mover: &mut impl Mover) {
        let (own, mut times) = match *self {
            Self::Stay => (0, 0),
            Self::Restart(times) => (1, times),
        };
        let kind = number(mover, own, 1);
        if kind == 1 {
            times.walk(mover);
        }
        *self = match kind {
            0 => Self::Stay,
            _ => Self::Restart(times),
        };
    }
}

impl Policy {
    /// Its number, and one of that number.
    const fn number(&self) -> u8 {
        match self {
            Self::Credit { .. } => 0,
            Self::Credit2 { .. } => 1,
            Self::Rtds => 2,
            Self::Sedf => 3,
            Self::Null => 4,
            Self::Arinc653 { .. } => 5,
        }
    }

    const fn numbered(number: u8) -> Self {
        match number {
            0 => Self::Credit {
                slice: 0,
                ratelimit: 0,
                migration_delay: 0,
                balance: false,
            },
            1 => Self::Credit2 {
                ratelimit: 0,
                balance: false,
            },
            2 => Self::Rtds,
            3 => Self::Sedf,
            4 => Self::Null,
            _ => Self::Arinc653 {
                frame: 0,
                count: 0,
                windows: [Window::EMPTY; 16],
            },
        }
    }
}

impl Form for Policy {
    fn walk(&mut self, mover: &mut impl Mover) {
        let number = number(mover, self.number(), 5);
        if number != self.number() {
            *self = Self::numbered(number);
        }
        match self {
            Self::Credit {
                slice,
                ratelimit,
                migration_delay,
                balance,
            } => {
                slice.walk(mover);
                ratelimit.walk(mover);
                migration_delay.walk(mover);
                balance.walk(mover);
            }
            Self::Credit2 { ratelimit, balance } => {
                ratelimit.walk(mover);
                balance.walk(mover);
            }
            Self::Rtds | Self::Sedf | Self::Null => {}
            Self::Arinc653 {
                frame,
                count,
                windows,
            } => {
                frame.walk(mover);
                count.walk(mover);
                first(windows, *count, mover);
            }
        }
    }
}
