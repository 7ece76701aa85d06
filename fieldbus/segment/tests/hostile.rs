//! No bytes and no order of them make the segment panic, and what it answers is a matter of the
//! frames alone.

mod bench;

use bench::frame;
use proptest::prelude::*;
use taktos_segment::{Fault, Segment, State, standard};

/// A datagram that reaches something more often than one of random bytes.
fn datagram() -> impl Strategy<Value = (u8, u32, Vec<u8>)> {
    let register = prop_oneof![
        4 => Just(0x0120_u16),
        2 => Just(0x0130),
        2 => Just(0x0502),
        2 => Just(0x0508),
        3 => (0_u16..16).prop_map(|unit| 0x0600 + unit * 8),
        5 => (0_u16..8).prop_map(|unit| 0x0800 + unit * 8),
        3 => 0x0900_u16..0x09B0,
        5 => Just(0x1000),
        5 => Just(0x1080),
        3 => Just(0x1100),
        3 => Just(0x1200),
        2 => any::<u16>(),
    ];
    let position = prop_oneof![
        5 => (0_u16..6).prop_map(u16::wrapping_neg),
        1 => any::<u16>()
    ];
    let data = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..20),
        1 => prop::collection::vec(any::<u8>(), 128),
        2 => mailbox(),
        3 => sync_manager(),
    ];
    (0_u8..16, position, register, data).prop_map(|(command, position, register, data)| {
        let address = u32::from(position) | u32::from(register) << 16;
        (command, address, data)
    })
}

fn mailbox() -> impl Strategy<Value = Vec<u8>> {
    (any::<u8>(), 0_u8..8, prop::collection::vec(any::<u8>(), 12)).prop_map(
        |(length, counter, body)| {
            let mut message = vec![0; 128];
            message[0] = length;
            message[5] = 3 | counter << 4;
            message[6..18].copy_from_slice(&body);
            message[7] = if length & 1 == 0 { 0x20 } else { 0x80 };
            message
        },
    )
}

fn sync_manager() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![Just(128_u16), Just(6), Just(1), any::<u16>()];
    let control = prop_oneof![
        Just(0x26_u8),
        Just(0x22),
        Just(0x64),
        Just(0x20),
        any::<u8>()
    ];
    let start = prop_oneof![Just(0x1000_u16), Just(0x1080), Just(0x1100), any::<u16>()];
    (start, length, control, 0_u8..4).prop_map(|(start, length, control, enable)| {
        let [a, b] = start.to_le_bytes();
        let [c, d] = length.to_le_bytes();
        vec![a, b, c, d, control, 0, enable, 0]
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        (0_u32..3).prop_map(Fault::LoseFrames),
        (0_usize..8).prop_map(|before| Fault::Cut { before }),
        (0_usize..8).prop_map(|before| Fault::Mend { before }),
        (0_usize..8).prop_map(|device| Fault::Leave {
            device,
            to: State::PreOp,
            code: 1
        }),
        (0_usize..8, any::<i32>())
            .prop_map(|(device, drift_ppb)| Fault::Drift { device, drift_ppb }),
        (0_usize..8).prop_map(|device| Fault::Restart { device }),
        (0_usize..8).prop_map(|device| Fault::Drive { device }),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Frame(Vec<(u8, u32, Vec<u8>)>, bool),
    Bytes(Vec<u8>),
    Fault(Fault),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (prop::collection::vec(datagram(), 1..5), any::<bool>())
            .prop_map(|(datagrams, second)| Step::Frame(datagrams, second)),
        2 => prop::collection::vec(any::<u8>(), 0..80).prop_map(Step::Bytes),
        1 => fault().prop_map(Step::Fault),
        3 => (0_u64..200_000_000).prop_map(Step::Wait),
    ]
}

/// All that the segment answers to the steps.
fn run(steps: &[Step]) -> Vec<(Option<u64>, Vec<u8>)> {
    let mut devices = standard(0);
    let mut segment = Segment::ring(&mut devices);
    let mut now = 0;
    let mut answers = Vec::new();
    for step in steps {
        match step {
            Step::Frame(datagrams, second) => {
                let datagrams: Vec<_> = (datagrams.iter())
                    .map(|(command, address, data)| (*command, *address, &data[..]))
                    .collect();
                let mut bytes = frame(&datagrams);
                let left = if *second {
                    segment.pass_second(&mut bytes, now)
                } else {
                    segment.pass(&mut bytes, now)
                };
                now = left.unwrap_or(now);
                answers.push((left, bytes));
            }
            Step::Bytes(bytes) => {
                let mut bytes = bytes.clone();
                if bytes.len() > 16 {
                    bytes[12..14].copy_from_slice(&[0x88, 0xA4]);
                    bytes[15] = 0x10;
                }
                answers.push((segment.pass(&mut bytes, now), bytes));
            }
            Step::Fault(fault) => segment.inject(*fault),
            Step::Wait(ns) => {
                now += ns;
                segment.advance(now);
            }
        }
    }
    answers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(miri) { 4 } else { 300 }))]

    #[test]
    fn nothing_panics_and_the_same_steps_give_the_same_answers(
        steps in prop::collection::vec(step(), 1..120)
    ) {
        prop_assert_eq!(run(&steps), run(&steps));
    }

    #[test]
    fn the_frame_comes_back_after_its_time_on_the_wire(
        datagrams in prop::collection::vec(datagram(), 1..5)
    ) {
        let (answers, bytes) = {
            let answers = run(&[Step::Frame(datagrams, false)]);
            (answers[0].0, answers[0].1.len())
        };
        // Padded to 60 bytes, with 24 of preamble, check sequence and gap; five devices forth, the
        // last wire back.
        let wire = 80 * (bytes.max(60) + 24) as u64;
        prop_assert_eq!(answers, Some(wire + 5 * 480 + 360));
    }
}
