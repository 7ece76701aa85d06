//! Owns: the segment's counts, as they are requested over the channel and printed at the end.
//! Must never know: the causes of the counts.
//!
//! The question is an Ethernet frame of a type for local experiments (IEEE 802, 0x88B5), which no
//! device of the segment sees; the answer is the same frame with the numbers after its header,
//! little-endian.

use taktos_kernel::System;
use taktos_kernel::fault::print;

/// An Ethernet header: two addresses, and the type.
const HEADER: usize = 14;
const TYPE: [u8; 2] = 0x88B5_u16.to_be_bytes();
const WORD: usize = size_of::<u64>();

/// Names of the counts in the line `@segment`. Those of devices are counted while they are in OP.
const NAMES: [&str; 10] = [
    "frames",
    "late_answers",
    "latest_ns",
    "service_max_ns",
    "wire_ns",
    "sync0",
    "sync0_missed",
    "dc_max_ns",
    "watchdog",
    "in_op",
];

/// Counts of the segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// Frames of EtherCAT.
    pub frames: u64,
    /// Answers that were there after the wire's time, while devices were in OP; and by how much,
    /// at most.
    pub late_answers: u64,
    /// See above.
    pub latest: u64,
    /// The longest time from a frame's stamp to its answer.
    pub service_max: u64,
    /// The longest time on the wire.
    pub wire: u64,
    /// Events of SYNC0, of all devices.
    pub sync0: u64,
    /// Those without new outputs since the one before.
    pub sync0_missed: u64,
    /// The largest difference of a device's clock from the reference.
    pub dc_max: u64,
    /// How often a watchdog ended OP.
    pub watchdog: u64,
    /// How many devices are in OP.
    pub in_op: u64,
}

impl Account {
    /// The bytes of question and answer.
    pub const BYTES: usize = HEADER + NAMES.len() * WORD;

    /// The question.
    pub const fn question() -> [u8; Self::BYTES] {
        let mut frame = [0; Self::BYTES];
        [frame[HEADER - 2], frame[HEADER - 1]] = TYPE;
        frame
    }

    /// Returns whether a frame is the question.
    pub fn is_question(frame: &[u8]) -> bool {
        frame.len() == Self::BYTES && frame.get(HEADER - 2..HEADER) == Some(&TYPE)
    }

    const fn numbers(&self) -> [u64; NAMES.len()] {
        [
            self.frames,
            self.late_answers,
            self.latest,
            self.service_max,
            self.wire,
            self.sync0,
            self.sync0_missed,
            self.dc_max,
            self.watchdog,
            self.in_op,
        ]
    }

    /// Makes a question its answer.
    pub fn answer(&self, frame: &mut [u8]) {
        let places = frame.get_mut(HEADER..).unwrap_or_default();
        for (place, number) in places.chunks_exact_mut(WORD).zip(self.numbers()) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }

    /// Prints the line of an answer.
    pub fn tell<S: System>(answer: &[u8]) {
        print::<S>(format_args!("@segment"));
        let numbers = answer
            .get(HEADER..)
            .unwrap_or_default()
            .as_chunks::<WORD>()
            .0;
        for (name, number) in NAMES.iter().zip(numbers) {
            print::<S>(format_args!(" {name}={}", u64::from_le_bytes(*number)));
        }
        print::<S>(format_args!("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_has_each_number_in_its_place() {
        let mut frame = Account::question();
        assert!(Account::is_question(&frame));
        let account = Account {
            frames: 7,
            in_op: 3,
            ..Account::default()
        };
        account.answer(&mut frame);
        assert_eq!(frame[HEADER], 7);
        assert_eq!(frame[HEADER + 9 * WORD], 3);
        assert!(Account::is_question(&frame));
        assert!(!Account::is_question(&frame[1..]));
    }
}
