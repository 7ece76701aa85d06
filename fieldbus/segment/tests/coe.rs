//! The mailbox and CoE as the MainDevice sees them.

mod bench;

use bench::{Bench, PREOP};
use taktos_segment::{
    Access, Behaviour, Delays, Device, Direction, Entry, Mailbox, Model, Object, Oscillator, Pdo,
    SyncManager, SyncManagerKind, Table, standard,
};

const ANALOGUE: u16 = 2;
const DRIVE: u16 = 3;

/// A device with a name that no mailbox holds at once, and many objects.
fn talker<'d>(
    name: &'d str,
    managers: &'d [SyncManager],
    pdos: &'d [Pdo<'d>],
    entries: &'d [Entry<'d>],
    objects: &'d [Object<'d>],
) -> Model<'d> {
    Model {
        vendor: 1,
        product: 2,
        revision: 3,
        serial: 4,
        alias: 0,
        name,
        profile: 0,
        sync_managers: Table::of(managers),
        pdos: Table::of(pdos),
        entries: Table::of(entries),
        objects: Table::of(objects),
        mailbox: Some(Mailbox {
            coe: true,
            complete_access: true,
            information: true,
            assignment: true,
            foe: true,
            bootstrap: true,
        }),
        clock: false,
        behaviour: Behaviour::Passive,
        delays: Delays {
            forward_ns: 100,
            back_ns: 100,
            sii_ns: 0,
            reaction_ns: 0,
        },
    }
}

fn managers() -> Vec<SyncManager> {
    let manager = |start, length, control, kind| SyncManager {
        start,
        length,
        control,
        enable: 1,
        kind,
    };
    vec![
        manager(0x1000, 128, 0x26, SyncManagerKind::MailboxOut),
        manager(0x1080, 128, 0x22, SyncManagerKind::MailboxIn),
        manager(0x1100, 0, 0x64, SyncManagerKind::Outputs),
        manager(0x1200, 0, 0x20, SyncManagerKind::Inputs),
    ]
}

fn objects(count: u16) -> Vec<Object<'static>> {
    (0..count)
        .map(|number| Object {
            index: 0x2000 + number / 2,
            subindex: (number % 2) as u8 + 1,
            bits: 16,
            data_type: 6,
            access: Access::ReadWrite,
            value: u32::from(number),
            name: "Parameter",
        })
        .collect()
}

fn in_preop<'d>(devices: &'d mut [Device<'d>], position: u16) -> Bench<'d> {
    let mut bench = Bench::new(devices);
    bench.mailboxes(position);
    assert_eq!(bench.ask(position, PREOP), (PREOP, 0));
    bench
}

fn device<'d>(model: &'d Model<'d>) -> [Device<'d>; 1] {
    let oscillator = Oscillator {
        drift_ppb: 0,
        start_ns: 0,
    };
    [Device::new(model, oscillator)]
}

#[test]
fn values_are_read_and_written() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    let read = |bench: &mut Bench<'_>, index: u16, subindex| {
        let [low, high] = index.to_le_bytes();
        bench.sdo(DRIVE, &[0x40, low, high, subindex, 0, 0, 0, 0])
    };
    assert_eq!(
        read(&mut bench, 0x1018, 2),
        [0x43, 0x18, 0x10, 2, 4, 0, 0, 0]
    );
    assert_eq!(
        read(&mut bench, 0x1C00, 0),
        [0x4F, 0x00, 0x1C, 0, 4, 0, 0, 0]
    );
    // A name of five letters needs no segments, and is not expedited.
    assert_eq!(
        read(&mut bench, 0x1008, 0),
        *b"\x41\x08\x10\x00\x05\0\0\0DRIVE"
    );
    let wrote = bench.sdo(DRIVE, &[0x2F, 0x60, 0x60, 0, 9, 0, 0, 0]);
    assert_eq!(wrote[..4], [0x60, 0x60, 0x60, 0]);
    assert_eq!(read(&mut bench, 0x6060, 0)[4], 9);
}

#[test]
fn what_is_wrong_is_aborted_with_its_code() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    let cases: [(&[u8], u32); 7] = [
        (&[0x40, 0xFF, 0x2F, 0, 0, 0, 0, 0], 0x0602_0000),
        (&[0x40, 0x18, 0x10, 9, 0, 0, 0, 0], 0x0609_0011),
        (&[0x23, 0x18, 0x10, 1, 0, 0, 0, 0], 0x0601_0002),
        (&[0x2B, 0x60, 0x60, 0, 0, 0, 0, 0], 0x0607_0010),
        (&[0x60, 0, 0, 0, 0, 0, 0, 0], 0x0504_0001),
        (&[0xC0, 0, 0, 0, 0, 0, 0, 0], 0x0504_0001),
        (&[0x21, 0x60, 0x60, 0, 0, 0, 1, 0], 0x0504_0005),
    ];
    for (request, code) in cases {
        assert_eq!(bench.abort(DRIVE, request), code, "{request:x?}");
    }
}

#[test]
fn a_long_value_comes_in_segments() {
    let name: String = ('a'..='z').cycle().take(250).collect();
    let managers = managers();
    let model = talker(&name, &managers, &[], &[], &[]);
    let mut devices = device(&model);
    let mut bench = in_preop(&mut devices, 0);
    let first = bench.sdo(0, &[0x40, 0x08, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(first[..8], [0x41, 0x08, 0x10, 0, 250, 0, 0, 0]);
    let mut heard = first[8..].to_vec();
    let mut toggle = 0;
    loop {
        let segment = bench.sdo(0, &[0x60 | toggle, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(segment[0] & 0xF0, toggle);
        let unused = usize::from(segment[0] >> 1 & 7);
        heard.extend_from_slice(&segment[1..segment.len() - unused]);
        toggle ^= 0x10;
        if segment[0] & 1 != 0 {
            break;
        }
    }
    assert_eq!(heard, name.as_bytes());
    assert_eq!(
        bench.abort(0, &[0x60, 0, 0, 0, 0, 0, 0, 0]),
        0x0504_0001,
        "it is over"
    );
    bench.sdo(0, &[0x40, 0x08, 0x10, 0, 0, 0, 0, 0]);
    assert_eq!(bench.abort(0, &[0x70, 0, 0, 0, 0, 0, 0, 0]), 0x0503_0000);
}

#[test]
fn a_value_may_be_written_in_segments() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    assert_eq!(
        bench.sdo(DRIVE, &[0x21, 0x60, 0x60, 0, 1, 0, 0, 0])[0],
        0x60
    );
    assert_eq!(bench.sdo(DRIVE, &[0x0D, 7, 0, 0, 0, 0, 0, 0])[0], 0x20);
    assert_eq!(bench.sdo(DRIVE, &[0x40, 0x60, 0x60, 0, 0, 0, 0, 0])[4], 7);
    bench.sdo(DRIVE, &[0x21, 0x60, 0x60, 0, 1, 0, 0, 0]);
    assert_eq!(
        bench.abort(DRIVE, &[0x1D, 7, 0, 0, 0, 0, 0, 0]),
        0x0503_0000
    );
    bench.sdo(DRIVE, &[0x21, 0x60, 0x60, 0, 1, 0, 0, 0]);
    assert_eq!(
        bench.abort(DRIVE, &[0x0B, 7, 7, 0, 0, 0, 0, 0]),
        0x0607_0010,
        "too long"
    );
}

#[test]
fn whole_objects_are_read_and_written() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, 2);
    let read = [0x50, 0x13, 0x1C, 0, 0, 0, 0, 0];
    let inputs = bench.sdo(2, &read);
    assert_eq!(inputs[..8], [0x51, 0x13, 0x1C, 0, 6, 0, 0, 0]);
    assert_eq!(inputs[8..], [2, 0, 0x00, 0x1A, 0x01, 0x1A]);
    let write = [0x31, 0x13, 0x1C, 0, 4, 0, 0, 0, 1, 0, 0x01, 0x1A];
    assert_eq!(bench.sdo(2, &write)[0], 0x70);
    assert_eq!(bench.sdo(2, &read)[4..], [1, 0, 0x01, 0x1A]);
    assert_eq!(
        bench.abort(2, &[0x50, 0x08, 0x10, 0, 0, 0, 0, 0]),
        0x0601_0004
    );
}

#[test]
fn the_dictionary_is_listed_in_fragments() {
    let (managers, objects) = (managers(), objects(240));
    let model = talker("TALKER", &managers, &[], &[], &objects);
    let mut devices = device(&model);
    let mut bench = in_preop(&mut devices, 0);
    let ask = |bench: &mut Bench<'_>, kind| bench.say(0, 3, &[0, 0x80, 1, 0, 0, 0, kind, 0]);
    ask(&mut bench, 0);
    let (_, counts) = bench.hear(0).unwrap();
    let all = usize::from(u16::from_le_bytes([counts[8], counts[9]]));
    assert_eq!(all, 6 + 2 + 120);
    ask(&mut bench, 1);
    let mut heard = Vec::new();
    let mut left = Vec::new();
    while let Some((_, fragment)) = bench.hear(0) {
        assert_eq!(fragment[2] & 0x7F, 2);
        assert_eq!(fragment[2] & 0x80 != 0, fragment[4] != 0);
        left.push(fragment[4]);
        let skip = if heard.is_empty() { 8 } else { 6 };
        heard.extend(
            fragment[skip..]
                .chunks(2)
                .map(|pair| u16::from_le_bytes([pair[0], pair[1]])),
        );
    }
    assert_eq!(left, [2, 1, 0]);
    assert_eq!(heard.len(), all);
    assert!(heard.is_sorted());
}

#[test]
fn objects_and_entries_are_described() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    let mut ask = |body: &[u8]| {
        bench.say(DRIVE, 3, &[&[0, 0x80][..], body].concat());
        bench.hear(DRIVE).unwrap().1
    };
    let identity = ask(&[3, 0, 0, 0, 0x18, 0x10]);
    assert_eq!(identity[2..12], [4, 0, 0, 0, 0x18, 0x10, 7, 0, 4, 8]);
    assert_eq!(&identity[12..], b"Identity");
    let target = ask(&[5, 0, 0, 0, 0x7A, 0x60, 0, 0]);
    assert_eq!(
        target[2..16],
        [6, 0, 0, 0, 0x7A, 0x60, 0, 0, 4, 0, 32, 0, 0x47, 0]
    );
    assert_eq!(&target[16..], b"Target position");
    let nothing = ask(&[3, 0, 0, 0, 0xFF, 0x2F]);
    assert_eq!(nothing[2..], [7, 0, 0, 0, 0, 0, 0x02, 0x06]);
}

#[test]
fn other_protocols_are_refused_as_devices_do() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, ANALOGUE);
    for (protocol, detail) in [(1, 2), (2, 2), (4, 2), (5, 2), (15, 2), (9, 1)] {
        bench.say(ANALOGUE, protocol, &[0; 8]);
        let (kind, body) = bench.hear(ANALOGUE).unwrap();
        assert_eq!((kind & 0x0F, &body[..]), (0, &[1, 0, detail, 0][..]));
    }
    bench.say(ANALOGUE, 3, &[0, 0x20, 0x40]);
    assert_eq!(bench.hear(ANALOGUE).unwrap().1, [1, 0, 6, 0], "too short");
}

#[test]
fn counters_tell_repetitions_and_the_last_answer_can_be_had_again() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    let request = [0, 0x20, 0x40, 0x18, 0x10, 1, 0, 0, 0, 0];
    bench.say_as(DRIVE, 0x13, &request);
    let first = bench.hear(DRIVE).unwrap();
    assert_eq!(first.0 >> 4, 1);
    bench.say_as(DRIVE, 0x13, &request);
    assert_eq!(bench.hear(DRIVE), None, "a repetition");
    bench.write(DRIVE, 0x080E, &[3]);
    assert_eq!(bench.read(DRIVE, 0x080F, 1)[0] & 2, 2, "acknowledged");
    assert_eq!(bench.hear(DRIVE), Some(first), "again");
    bench.say_as(DRIVE, 0x23, &request);
    assert_eq!(bench.hear(DRIVE).unwrap().0 >> 4, 2);
}

#[test]
fn a_full_mailbox_takes_no_more_and_an_unread_answer_waits() {
    let mut devices = standard(0);
    let mut bench = in_preop(&mut devices, DRIVE);
    let request = [0, 0x20, 0x40, 0x18, 0x10, 1, 0, 0, 0, 0];
    bench.say_as(DRIVE, 0x13, &request);
    bench.say_as(DRIVE, 0x23, &request);
    let mailbox = bench::at_position(DRIVE, 0x1000);
    assert_eq!(bench.one(bench::APWR, mailbox, &[0; 128]).1, 0, "full");
    assert_eq!(bench.hear(DRIVE).unwrap().0 >> 4, 1);
    bench.wait(100_000);
    assert_eq!(bench.hear(DRIVE).unwrap().0 >> 4, 2);
}

#[test]
fn process_data_of_bits_are_counted_in_bytes() {
    let managers = managers();
    let pdos = [Pdo {
        index: 0x1A00,
        direction: Direction::Inputs,
        sync_manager: Some(3),
        entries: 3,
        name: "Bits",
    }];
    let bit = |subindex, bits| Entry {
        index: 0x6000,
        subindex,
        bits,
        data_type: 1,
        name: "",
    };
    let entries = [bit(1, 1), bit(2, 7), bit(3, 1)];
    let model = talker("BITS", &managers, &pdos, &entries, &[]);
    let mut devices = device(&model);
    let mut bench = in_preop(&mut devices, 0);
    bench.sync_manager(0, 3, 0x1200, 2, 0x20);
    assert_eq!(bench.ask(0, bench::SAFEOP), (bench::SAFEOP, 0));
}
