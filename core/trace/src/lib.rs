//! Event records: what happened, when, on which processor, to which thread.
//!
//! Owns the fixed binary form of one record, which the kernel, the simulator and the laboratory
//! share. Must never know where a record comes from, where it is kept, or how a thread is called:
//! names are stored next to the records, in whatever holds them.
//!
//! A record is sixteen bytes, little-endian, without padding:
//!
//! | bytes | field | meaning |
//! |---|---|---|
//! | 0–7 | `at` | when, in the unit that the holder of the records states |
//! | 8–11 | `argument` | depends on the kind |
//! | 12–13 | `thread` | index of the thread, [`Thread::IDLE`] for none |
//! | 14 | `processor` | index of the processor |
//! | 15 | `kind` | see [`Kind`] |
#![cfg_attr(not(test), no_std)]

/// Bytes that one record takes in its binary form.
pub const RECORD_BYTES: usize = 16;

/// A thread, as an index into the table of names that goes with the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread(pub u16);

impl Thread {
    /// No thread: the processor waits for an interrupt.
    pub const IDLE: Self = Self(u16::MAX);
}

/// The kind of an event. The numbers are part of the binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The thread begins to run on the processor; the one before it stops. `argument` is a
    /// [`Handover`].
    Switch = 1,
    /// A measured interval begins; `argument` is the index of its name.
    Begin = 2,
    /// A measured interval ends; `argument` is the index of its name.
    End = 3,
    /// A marked place was passed; `argument` is the index of its name.
    Point = 4,
    /// A job of the thread is released; `argument` is the job's number.
    Release = 5,
    /// A job's deadline passes; `argument` is the job's number. It is recorded
    /// when it passes, whether or not the job is complete by then.
    Deadline = 6,
    /// A job is complete; `argument` is the job's number.
    Complete = 7,
    /// A job is not complete at its deadline; `argument` is the job's number.
    Miss = 8,
    /// The thread has obtained a lock; `argument` is the index of its name.
    Lock = 9,
    /// The thread has given a lock up; `argument` is the index of its name.
    Unlock = 10,
    /// The thread continues, on this processor; `argument` is the one that it ran on before.
    Migrate = 11,
    /// The thread has lost the processor to another one, and could have gone on.
    Preempt = 12,
    /// The thread could not run, and from now on it can. The processor is the one that made it so;
    /// `argument` is a [`Waking`].
    Wake = 13,
    /// The processor has executed `argument` instructions since its last such event, or its start.
    Executed = 14,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 14] = [
        Self::Switch,
        Self::Begin,
        Self::End,
        Self::Point,
        Self::Release,
        Self::Deadline,
        Self::Complete,
        Self::Miss,
        Self::Lock,
        Self::Unlock,
        Self::Migrate,
        Self::Preempt,
        Self::Wake,
        Self::Executed,
    ];

    /// Whether the argument of such an event is the index of a name.
    #[must_use]
    pub const fn is_named(self) -> bool {
        matches!(
            self,
            Self::Begin | Self::End | Self::Point | Self::Lock | Self::Unlock
        )
    }

    /// Whether the argument of such an event is the number of a job.
    #[must_use]
    pub const fn is_of_a_job(self) -> bool {
        matches!(
            self,
            Self::Release | Self::Deadline | Self::Complete | Self::Miss
        )
    }

    /// The kind of this number.
    const fn from_byte(byte: u8) -> Option<Self> {
        if byte == 0 || byte as usize > Self::ALL.len() {
            return None;
        }
        Some(Self::ALL[byte as usize - 1])
    }
}

/// How a thread left its processor. The numbers are part of the binary form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Left {
    /// It could have gone on.
    Runnable = 1,
    /// It waits for something.
    Waiting = 2,
    /// It was suspended, and waits for nothing else.
    Suspended = 3,
}

/// The data of a switch in addition to the thread that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handover {
    /// How the thread before left, where that is known.
    pub left: Option<Left>,
    /// The priority of the thread that begins, where it is known and there is one; 0 is the most
    /// urgent.
    pub priority: Option<u16>,
}

impl Handover {
    /// It as the argument of a switch: how the thread before left in the lowest byte, 0 for not
    /// known; the priority and one above it, 0 for none.
    #[must_use]
    pub const fn to_argument(self) -> u32 {
        let left = match self.left {
            Some(left) => left as u32,
            None => 0,
        };
        match self.priority {
            Some(priority) => left | (priority as u32 + 1) << 8,
            None => left,
        }
    }

    /// The handover of an argument. A field that the argument does not define is `None`: not known.
    #[must_use]
    pub const fn from_argument(argument: u32) -> Self {
        let left = match argument & 0xff {
            1 => Some(Left::Runnable),
            2 => Some(Left::Waiting),
            3 => Some(Left::Suspended),
            _ => None,
        };
        let priority = match argument >> 8 {
            above @ 1..=0x1_0000 => Some((above - 1) as u16),
            _ => None,
        };
        Self { left, priority }
    }
}

/// The reason for which a thread waited before it wakes up. The numbers are part of the binary
/// form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Awaited {
    /// Time alone.
    Time = 1,
    /// A message.
    Message = 2,
    /// That its message is received.
    Receiver = 3,
    /// The reply to its message.
    Reply = 4,
    /// A lock.
    Lock = 5,
    /// Any other object of the kernel, such as a semaphore or a queue.
    Object = 6,
    /// A notification.
    Notification = 7,
    /// The end of a thread.
    End = 8,
    /// To be started.
    Start = 9,
    /// To be resumed.
    Resume = 10,
}

impl Awaited {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 10] = [
        Self::Time,
        Self::Message,
        Self::Receiver,
        Self::Reply,
        Self::Lock,
        Self::Object,
        Self::Notification,
        Self::End,
        Self::Start,
        Self::Resume,
    ];
}

/// The data of a wake-up in addition to the thread that wakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waking {
    /// The reason for which the thread waited, if that is known.
    pub awaited: Option<Awaited>,
    /// The thread that woke it, where one did: neither an interrupt handler nor the time.
    pub by: Option<Thread>,
}

impl Waking {
    /// It as the argument of a wake-up: what was awaited in the lowest byte, 0 for not known; the
    /// waking thread and one above it, 0 for none.
    #[must_use]
    pub const fn to_argument(self) -> u32 {
        let awaited = match self.awaited {
            Some(awaited) => awaited as u32,
            None => 0,
        };
        match self.by {
            Some(by) => awaited | (by.0 as u32 + 1) << 8,
            None => awaited,
        }
    }

    /// The wake-up of an argument. A field that the argument does not define is `None`: not known.
    #[must_use]
    pub const fn from_argument(argument: u32) -> Self {
        let number = (argument & 0xff) as usize;
        let awaited = match number {
            1..=10 => Some(Awaited::ALL[number - 1]),
            _ => None,
        };
        let by = match argument >> 8 {
            above @ 1..=0xffff => Some(Thread((above - 1) as u16)),
            _ => None,
        };
        Self { awaited, by }
    }
}

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When it happened, from the start of the recording. The unit
    /// (instructions, cycles or nanoseconds) is stated once, by the holder.
    pub at: u64,
    /// Depends on [`Event::kind`]; zero where the kind has no use for it.
    pub argument: u32,
    /// The thread that it happened to.
    pub thread: Thread,
    /// The processor that it happened on.
    pub processor: u8,
    /// The kind of event.
    pub kind: Kind,
}

/// A record of a kind that this version does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownKind(
    /// The byte found where a kind should be.
    pub u8,
);

impl core::fmt::Display for UnknownKind {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "a trace record of the unknown kind {}", self.0)
    }
}

impl core::error::Error for UnknownKind {}

impl Event {
    /// The record's binary form.
    #[must_use]
    pub fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[0..8].copy_from_slice(&self.at.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.argument.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.thread.0.to_le_bytes());
        bytes[14] = self.processor;
        bytes[15] = self.kind as u8;
        bytes
    }

    /// Reads a record from its binary form.
    ///
    /// # Errors
    /// [`UnknownKind`] when the last byte names no kind of this version.
    pub fn from_bytes(bytes: &[u8; RECORD_BYTES]) -> Result<Self, UnknownKind> {
        let [
            t0,
            t1,
            t2,
            t3,
            t4,
            t5,
            t6,
            t7,
            a0,
            a1,
            a2,
            a3,
            i0,
            i1,
            processor,
            kind,
        ] = *bytes;
        Ok(Self {
            at: u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]),
            argument: u32::from_le_bytes([a0, a1, a2, a3]),
            thread: Thread(u16::from_le_bytes([i0, i1])),
            processor,
            kind: Kind::from_byte(kind).ok_or(UnknownKind(kind))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_form_is_fixed() {
        let event = Event {
            at: 0x0102_0304_0506_0708,
            argument: 0x1112_1314,
            thread: Thread(0x2122),
            processor: 3,
            kind: Kind::Point,
        };
        assert_eq!(
            event.to_bytes(),
            [
                8, 7, 6, 5, 4, 3, 2, 1, 0x14, 0x13, 0x12, 0x11, 0x22, 0x21, 3, 4
            ]
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        for kind in Kind::ALL {
            for at in [0, 1, u64::MAX] {
                let event = Event {
                    at,
                    argument: u32::MAX,
                    thread: Thread::IDLE,
                    processor: 255,
                    kind,
                };
                assert_eq!(Event::from_bytes(&event.to_bytes()), Ok(event));
            }
        }
    }

    #[test]
    fn a_handover_is_read_back() {
        for left in [
            None,
            Some(Left::Runnable),
            Some(Left::Waiting),
            Some(Left::Suspended),
        ] {
            for priority in [None, Some(0), Some(31), Some(u16::MAX)] {
                let handover = Handover { left, priority };
                assert_eq!(Handover::from_argument(handover.to_argument()), handover);
            }
        }
        // A record of a time before handovers were recorded.
        assert_eq!(Handover::from_argument(0), Handover::default());
        assert_eq!(Handover::from_argument(u32::MAX), Handover::default());
    }

    #[test]
    fn a_waking_is_read_back() {
        for awaited in Awaited::ALL.into_iter().map(Some).chain([None]) {
            for by in [None, Some(Thread(0)), Some(Thread(u16::MAX - 1))] {
                let waking = Waking { awaited, by };
                assert_eq!(Waking::from_argument(waking.to_argument()), waking);
            }
        }
        assert_eq!(Waking::from_argument(0), Waking::default());
        assert_eq!(Waking::from_argument(u32::MAX), Waking::default());
    }

    #[test]
    fn every_other_kind_is_refused() {
        let mut bytes = [0; RECORD_BYTES];
        for byte in (0..=u8::MAX).filter(|byte| !(1..=14).contains(byte)) {
            bytes[15] = byte;
            assert_eq!(Event::from_bytes(&bytes), Err(UnknownKind(byte)));
        }
    }

    #[test]
    fn the_numbers_of_the_kinds_are_their_places() {
        for (place, kind) in (1..).zip(Kind::ALL) {
            assert_eq!(kind as u8, place);
        }
    }
}
