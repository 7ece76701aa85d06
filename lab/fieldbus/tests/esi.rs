//! An ESI file as a user has one: read, described in bytes, and played.

use proptest::prelude::*;
use taktos_fieldbus::{Esi, Placed, describe};
use taktos_segment::{
    Access, Behaviour, Delays, Description, Device, Direction, Oscillator, Segment, SyncManagerKind,
};

const FILE: &str = include_str!("drive.xml");

const DELAYS: Delays = Delays {
    forward_ns: 480,
    back_ns: 360,
    sii_ns: 0,
    reaction_ns: 0,
};
const OSCILLATOR: Oscillator = Oscillator {
    drift_ppb: 1_000,
    start_ns: 7,
};

fn placed(device: &taktos_fieldbus::Device) -> Placed<'_> {
    Placed {
        device,
        behaviour: device.behaviour(),
        oscillator: OSCILLATOR,
        delays: DELAYS,
        alias: 0,
    }
}

#[test]
fn all_of_a_device_is_read() {
    let esi = Esi::parse(FILE).unwrap();
    assert_eq!(esi.vendor, 0x0A52);
    let axis = esi.device("AXIS", None).unwrap();
    assert_eq!((axis.product, axis.revision), (0x10, 0x0001_0000));
    assert_eq!((axis.name.as_str(), axis.profile), ("Axis", 0x0002_0192));
    assert_eq!(axis.behaviour(), Behaviour::Drive);
    let kinds: Vec<_> = axis.sync_managers.iter().map(|one| one.kind).collect();
    use SyncManagerKind::{Inputs, MailboxIn, MailboxOut, Outputs};
    assert_eq!(kinds, [MailboxOut, MailboxIn, Outputs, Inputs]);
    let mailbox = axis.mailbox.unwrap();
    assert!(mailbox.coe && mailbox.information && mailbox.assignment && mailbox.complete_access);
    assert!(mailbox.foe && mailbox.bootstrap);
    assert_eq!(axis.op_modes[1].assign_activate, 0x0300);
    let sizes: Vec<(u16, Direction, Option<u8>, usize)> = (axis.pdos.iter())
        .map(|pdo| {
            (
                pdo.index,
                pdo.direction,
                pdo.sync_manager,
                pdo.entries.len(),
            )
        })
        .collect();
    assert_eq!(
        sizes,
        [
            (0x1600, Direction::Outputs, Some(2), 2),
            (0x1601, Direction::Outputs, None, 1),
            (0x1A00, Direction::Inputs, Some(3), 3),
        ]
    );
    let values: Vec<_> = (axis.objects.iter())
        .map(|object| (object.index, object.subindex, object.value, object.access))
        .collect();
    assert_eq!(
        values,
        [
            (0x1000, 0, 0, Access::ReadOnly),
            (0x2000, 0, 2, Access::ReadOnly),
            (0x2000, 1, 1000, Access::ReadWrite),
            (0x6040, 0, 0, Access::ReadOnly),
            (0x6060, 0, 8, Access::ReadWrite),
        ]
    );
}

#[test]
fn a_device_is_found_by_code_or_type_and_the_newest_first() {
    let esi = Esi::parse(FILE).unwrap();
    let revision = |product, revision| Some(esi.device(product, revision)?.revision);
    assert_eq!(revision("TERMINAL", None), Some(2));
    assert_eq!(revision("#x11", Some(1)), Some(1));
    assert_eq!(revision("TERMINAL", Some(3)), None);
    assert_eq!(revision("terminal", None), None);
}

#[test]
fn the_bytes_hold_what_the_segment_needs() {
    let esi = Esi::parse(FILE).unwrap();
    let devices: Vec<_> = esi.devices.iter().map(placed).collect();
    let bytes = describe(&devices).unwrap();
    let description = Description::parse(&bytes).unwrap();
    assert_eq!(description.len(), 3);
    let (axis, oscillator) = description.get(0).unwrap();
    assert_eq!(oscillator, OSCILLATOR);
    assert_eq!((axis.name, axis.profile), ("AXIS", 0x0002_0192));
    let own: Vec<_> = (axis.objects.iter())
        .map(|one| (one.index, one.subindex))
        .collect();
    assert_eq!(
        own,
        [(0x2000, 1), (0x6060, 0), (0x2000, 0)],
        "what is kept comes first"
    );
    assert_eq!(describe(&devices).unwrap(), bytes, "the same bytes twice");
}

/// A datagram to or from the first device.
fn datagram(
    segment: &mut Segment<'_>,
    command: u8,
    register: u16,
    data: &[u8],
    now: &mut u64,
) -> (Vec<u8>, u8) {
    let mut frame = vec![0; 12];
    frame.extend([0x88, 0xA4]);
    frame.extend(((data.len() as u16 + 12) | 0x1000).to_le_bytes());
    frame.extend([command, 0, 0, 0]);
    frame.extend(register.to_le_bytes());
    frame.extend((data.len() as u16).to_le_bytes());
    frame.extend([0, 0]);
    frame.extend(data);
    frame.extend([0, 0]);
    *now = segment.pass(&mut frame, *now).expect("it is back");
    let end = 26 + data.len();
    (frame[26..end].to_vec(), frame[end])
}

#[test]
fn a_described_device_reaches_op_and_moves() {
    let esi = Esi::parse(FILE).unwrap();
    let bytes = describe(&[placed(esi.device("AXIS", None).unwrap())]).unwrap();
    let (model, oscillator) = Description::parse(&bytes).unwrap().get(0).unwrap();
    let mut devices = [Device::new(&model, oscillator)];
    let mut segment = Segment::new(&mut devices);
    let mut now = 0;
    let mut write = |segment: &mut Segment<'_>, register, data: &[u8]| {
        assert_eq!(
            datagram(segment, 2, register, data, &mut now).1,
            1,
            "{register:#x}"
        );
    };
    for (number, manager) in esi
        .device("AXIS", None)
        .unwrap()
        .sync_managers
        .iter()
        .enumerate()
    {
        let mut registers = [0; 8];
        registers[..2].copy_from_slice(&manager.start.to_le_bytes());
        registers[2] = if number < 2 { 128 } else { 6 };
        registers[4] = manager.control;
        registers[6] = 1;
        write(&mut segment, 0x0800 + 8 * number as u16, &registers);
    }
    for state in [2, 4, 8] {
        write(&mut segment, 0x0120, &[state, 0]);
        assert_eq!(segment.devices()[0].status_code(), 0);
    }
    for control in [6, 7, 15, 15, 15] {
        write(&mut segment, 0x1100, &[control, 0, 100, 0, 0, 0]);
    }
    assert!(segment.devices()[0].position() > 80);
}

#[test]
fn errors_name_their_line() {
    let cases: [(&str, &str, u32, &str); 8] = [
        ("#x00000A52", "#xNINE", 4, "`#xNINE` is no number"),
        ("<Name>Nobody</Name>", "<Name>", 6, "no XML"),
        ("EtherCATInfo>", "Info>", 2, "not with <EtherCATInfo>"),
        (
            "<BitLen>31</BitLen>",
            "<BitLen>300</BitLen>",
            84,
            "300, more than 255",
        ),
        ("<BitLen>31</BitLen>", "", 83, "<Entry> has no <BitLen>"),
        (">MBoxOut<", ">Mailbox<", 59, "a SyncManager for `Mailbox`"),
        ("Enable=\"1\">Inputs<", "><", 9, "which is not for Inputs"),
        (
            "<DefaultData>08<",
            "<DefaultData>0x8<",
            50,
            "no hexadecimal data",
        ),
    ];
    for (what, instead, line, cause) in cases {
        assert!(FILE.contains(what), "{what}");
        let error = Esi::parse(&FILE.replace(what, instead)).unwrap_err();
        assert!(error.cause.contains(cause), "{error}");
        assert_eq!(error.line, line, "{error}");
        assert!(!error.hint.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Pieces of the file are taken out, doubled and exchanged; numbers become others.
    #[test]
    fn no_file_panics(
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0_u8..4), 1..4),
        value in prop_oneof![Just("4294967295"), Just("#xFFFFFFFF"), Just("-1"), Just("\u{e9}"), Just("<")],
    ) {
        let mut lines: Vec<&str> = FILE.lines().collect();
        let mut text = String::new();
        for (one, other, kind) in cuts {
            let (one, other) = (one.index(lines.len()), other.index(lines.len()));
            match kind {
                0 => { lines.remove(one); }
                1 => { let line = lines[one]; lines.insert(other, line); }
                2 => lines.swap(one, other),
                _ => {
                    let digits = |c: char| c.is_ascii_digit();
                    text = lines[one].replacen(digits, value, 1);
                }
            }
        }
        let mut file = lines.join("\n");
        if !text.is_empty() {
            file = FILE.replacen(text.as_str(), "", 1) + &text;
        }
        if let Ok(esi) = Esi::parse(&file) {
            let devices: Vec<_> = esi.devices.iter().map(placed).collect();
            if let Ok(bytes) = describe(&devices) {
                prop_assert!(Description::parse(&bytes).is_ok());
            }
        }
    }

    #[test]
    fn no_number_panics(
        place in any::<prop::sample::Index>(),
        value in prop_oneof![
            Just("4294967295".to_string()),
            Just("#xFFFFFFFF".to_string()),
            Just("-1".to_string()),
            "[0-9a-z#<&]{0,6}",
        ],
    ) {
        let numbers: Vec<usize> = FILE.match_indices(|c: char| c.is_ascii_digit()).map(|found| found.0).collect();
        let at = numbers[place.index(numbers.len())];
        let file = format!("{}{value}{}", &FILE[..at], &FILE[at + 1..]);
        if let Ok(esi) = Esi::parse(&file) {
            let devices: Vec<_> = esi.devices.iter().map(placed).collect();
            if let Ok(bytes) = describe(&devices) {
                prop_assert!(Description::parse(&bytes).is_ok());
            }
        }
    }
}
