//! A recorded schedule: events with the names that they refer to, and its
//! file, from which every other form can be made again.
//!
//! The file: eight bytes that name the form, the unit, the end, the names of
//! threads, of marks and of processors, the records of `taktos-trace`. All numbers are
//! little-endian; a name is its length in two bytes and its text.

use taktos_trace::{Event, RECORD_BYTES, Thread, UnknownKind};

use crate::Evidence;

const FORM: &[u8; 8] = b"TAKTOS-2";

/// Unit of the times of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// Executed instructions (emulated).
    Instructions,
    /// Cycles of a model (modelled).
    Cycles,
    /// Nanoseconds of virtual time (simulated).
    Nanoseconds,
    /// Nanoseconds of the emulator's clock for several processors, of which each executed
    /// instruction takes one (emulated).
    ClockNanoseconds,
}

impl TimeUnit {
    const ALL: [Self; 4] = [
        Self::Instructions,
        Self::Cycles,
        Self::Nanoseconds,
        Self::ClockNanoseconds,
    ];

    /// The unit's name in the plural.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Cycles => "cycles",
            Self::Nanoseconds | Self::ClockNanoseconds => "nanoseconds",
        }
    }

    /// Returns the meaning of the unit.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Instructions => "counted in executed instructions, sleep left out (emulated)",
            Self::Cycles => "counted in cycles, sleep left out (modelled)",
            Self::Nanoseconds => "virtual (simulated)",
            Self::ClockNanoseconds => {
                "virtual; 1 executed instruction takes 1 ns, and sleep as long as it lasts (emulated)"
            }
        }
    }

    /// Returns the evidence of a figure in this unit.
    #[must_use]
    pub const fn evidence(self) -> Evidence {
        match self {
            Self::Instructions | Self::ClockNanoseconds => Evidence::Emulated,
            Self::Cycles => Evidence::Modelled,
            Self::Nanoseconds => Evidence::Simulated,
        }
    }
}

/// Events in the order of their time, and the names that they refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Unit of the times.
    pub unit: TimeUnit,
    /// When the recording ended.
    pub end: u64,
    /// The threads' names, by [`Thread`].
    pub threads: Vec<String>,
    /// The names of marks and locks, by an event's argument.
    pub marks: Vec<String>,
    /// Descriptions of the processors, by an event's processor; a processor that is not listed has
    /// none.
    pub processors: Vec<String>,
    /// The events.
    pub events: Vec<Event>,
}

/// Why a file is no recording.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordingError {
    /// It begins with something else.
    #[error("it is not a schedule recorded by taktos")]
    Form,
    /// It ends in the middle.
    #[error("it is cut off")]
    CutOff,
    /// It is longer than it says.
    #[error("it has {0} bytes too many at its end")]
    TooLong(usize),
    /// A field holds a value without meaning.
    #[error("its field `{0}` has no meaning to this version")]
    Field(&'static str),
    /// A record is of an unknown kind.
    #[error("it holds {0}")]
    Kind(#[from] UnknownKind),
    /// Time runs backwards in it.
    #[error("an event at {0} comes after a later one, or after the end")]
    Order(u64),
    /// A record refers to a name that is not there.
    #[error("an event at {0} refers to a name that the file does not hold")]
    Name(u64),
}

impl Recording {
    /// An empty recording.
    #[must_use]
    pub const fn new(unit: TimeUnit) -> Self {
        Self {
            unit,
            end: 0,
            threads: Vec::new(),
            marks: Vec::new(),
            processors: Vec::new(),
            events: Vec::new(),
        }
    }

    /// The thread's name; where no thread runs, words that say so.
    #[must_use]
    pub fn thread_name(&self, thread: Thread) -> &str {
        self.threads
            .get(usize::from(thread.0))
            .map_or("(idle)", String::as_str)
    }

    /// The first events of the recording; it ends with the last of them.
    #[must_use]
    pub fn first(&self, most: usize) -> Self {
        if self.events.len() <= most {
            return self.clone();
        }
        let events = self.events[..most].to_vec();
        let end = events.last().map_or(0, |event| event.at);
        Self {
            unit: self.unit,
            end,
            threads: self.threads.clone(),
            marks: self.marks.clone(),
            processors: self.processors.clone(),
            events,
        }
    }

    /// The recording's file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = FORM.to_vec();
        let unit = TimeUnit::ALL
            .iter()
            .position(|unit| *unit == self.unit)
            .unwrap_or_default();
        bytes.extend((unit as u64).to_le_bytes());
        bytes.extend(self.end.to_le_bytes());
        for names in [&self.threads, &self.marks, &self.processors] {
            bytes.extend((names.len() as u64).to_le_bytes());
            for name in names {
                let length = name.floor_char_boundary(usize::from(u16::MAX));
                let text = &name.as_bytes()[..length];
                bytes.extend((text.len() as u16).to_le_bytes());
                bytes.extend(text);
            }
        }
        bytes.extend((self.events.len() as u64).to_le_bytes());
        bytes.extend(self.events.iter().flat_map(|event| event.to_bytes()));
        bytes
    }

    /// Reads a recording's file.
    ///
    /// # Errors
    /// When the bytes are no such file, are cut off, or contradict themselves.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut reader = Reader(bytes.strip_prefix(FORM).ok_or(RecordingError::Form)?);
        let unit = usize::try_from(reader.number()?)
            .ok()
            .and_then(|unit| TimeUnit::ALL.get(unit));
        let recording = Self {
            unit: *unit.ok_or(RecordingError::Field("unit"))?,
            end: reader.number()?,
            threads: reader.names()?,
            marks: reader.names()?,
            processors: reader.names()?,
            events: reader.events()?,
        };
        match reader.0.len() {
            0 => recording.checked(),
            extra => Err(RecordingError::TooLong(extra)),
        }
    }

    fn checked(self) -> Result<Self, RecordingError> {
        if self.threads.len() > usize::from(Thread::IDLE.0) {
            return Err(RecordingError::Field("threads"));
        }
        let mut latest = 0;
        for at in self.events.iter().map(|event| event.at) {
            if at < latest || at > self.end {
                return Err(RecordingError::Order(at));
            }
            latest = at;
        }
        let known = |event: &Event| {
            let thread =
                event.thread == Thread::IDLE || usize::from(event.thread.0) < self.threads.len();
            let name = !event.kind.is_named() || (event.argument as usize) < self.marks.len();
            thread && name
        };
        match self.events.iter().find(|event| !known(event)) {
            Some(event) => Err(RecordingError::Name(event.at)),
            None => Ok(self),
        }
    }
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn take(&mut self, length: usize) -> Result<&[u8], RecordingError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(RecordingError::CutOff)?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, RecordingError> {
        let bytes = self
            .take(8)?
            .try_into()
            .map_err(|_| RecordingError::CutOff)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn name(&mut self) -> Result<String, RecordingError> {
        let length = self
            .take(2)?
            .try_into()
            .map_err(|_| RecordingError::CutOff)?;
        let text = self.take(usize::from(u16::from_le_bytes(length)))?.to_vec();
        String::from_utf8(text).map_err(|_| RecordingError::Field("name"))
    }

    fn names(&mut self) -> Result<Vec<String>, RecordingError> {
        let count = self.number()?;
        (0..count).map(|_| self.name()).collect()
    }

    fn events(&mut self) -> Result<Vec<Event>, RecordingError> {
        let count = self.number()?;
        let event = |_| {
            let record: &[u8; RECORD_BYTES] = self
                .take(RECORD_BYTES)?
                .try_into()
                .map_err(|_| RecordingError::CutOff)?;
            Ok(Event::from_bytes(record)?)
        };
        (0..count).map(event).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use taktos_trace::Kind;

    use super::*;

    /// Two threads take turns on one processor; one interval is marked.
    pub(crate) fn example() -> Recording {
        let event = |at, kind, thread, argument| Event {
            at,
            argument,
            thread: Thread(thread),
            processor: 0,
            kind,
        };
        Recording {
            unit: TimeUnit::Instructions,
            end: 100,
            threads: vec!["sensor".into(), "filter".into()],
            marks: vec!["direct-send".into()],
            processors: vec!["Cortex-M4F".into()],
            events: vec![
                event(10, Kind::Switch, 0, 0),
                event(25, Kind::Begin, 0, 0),
                event(40, Kind::Switch, 1, 0),
                event(45, Kind::End, 1, 0),
                event(60, Kind::Switch, Thread::IDLE.0, 0),
                event(80, Kind::Switch, 0, 0),
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        assert_eq!(Recording::from_bytes(&example().to_bytes()), Ok(example()));
    }

    #[test]
    fn a_cut_recording_ends_with_its_last_event() {
        let cut = example().first(3);
        assert_eq!((cut.events.len(), cut.end), (3, 40));
        assert_eq!(example().first(6), example());
    }

    #[test]
    fn every_shorter_file_is_refused() {
        let bytes = example().to_bytes();
        for length in 0..bytes.len() {
            assert!(
                Recording::from_bytes(&bytes[..length]).is_err(),
                "{length} bytes"
            );
        }
    }

    #[test]
    fn a_longer_file_is_refused() {
        let mut bytes = example().to_bytes();
        bytes.push(0);
        assert_eq!(
            Recording::from_bytes(&bytes),
            Err(RecordingError::TooLong(1))
        );
    }

    #[test]
    fn a_huge_count_is_refused_without_memory() {
        let mut bytes = Recording::new(TimeUnit::Cycles).to_bytes();
        let count = bytes.len() - 8;
        bytes[count..].copy_from_slice(&u64::MAX.to_le_bytes());
        assert_eq!(Recording::from_bytes(&bytes), Err(RecordingError::CutOff));
    }

    #[test]
    fn a_reference_to_nothing_is_refused() {
        let mut recording = example();
        recording.threads.pop();
        assert_eq!(
            Recording::from_bytes(&recording.to_bytes()),
            Err(RecordingError::Name(40))
        );
    }
}
