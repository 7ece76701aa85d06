//! Files as the MainDevice reads and writes them, and the state that is for them.

mod bench;

use bench::{BOOT, Bench, INIT, PREOP};
use taktos_segment::standard;

const DRIVE: u16 = 3;
const FOE: u8 = 4;
/// Bytes of a file in one mailbox of 128.
const PACKET: usize = 128 - 6 - 6;

/// Sends a packet; its answer's opcode, number and data. `None` where there is no answer.
fn packet(
    bench: &mut Bench<'_>,
    opcode: u8,
    number: u32,
    data: &[u8],
) -> Option<(u8, u32, Vec<u8>)> {
    let body = [&[opcode, 0][..], &number.to_le_bytes(), data].concat();
    bench.say(DRIVE, FOE, &body);
    let (kind, answer) = bench.hear(DRIVE)?;
    assert_eq!(kind & 0x0F, FOE);
    let number = u32::from_le_bytes(answer[2..6].try_into().unwrap());
    Some((answer[0], number, answer[6..].to_vec()))
}

fn write(bench: &mut Bench<'_>, name: &[u8], file: &[u8]) {
    assert_eq!(packet(bench, 2, 0, name), Some((4, 0, vec![])));
    let mut rest = file;
    for number in 1.. {
        let (now, later) = rest.split_at(rest.len().min(PACKET));
        assert_eq!(packet(bench, 3, number, now), Some((4, number, vec![])));
        rest = later;
        if now.len() < PACKET {
            break;
        }
    }
}

fn read(bench: &mut Bench<'_>, name: &[u8]) -> Vec<u8> {
    let mut answer = packet(bench, 1, 0, name);
    let mut file = Vec::new();
    let mut number = 0;
    while let Some((opcode, got, data)) = answer {
        number += 1;
        assert_eq!((opcode, got), (3, number));
        file.extend(&data);
        answer = packet(bench, 4, number, &[]);
        assert_eq!(answer.is_none(), data.len() < PACKET);
    }
    file
}

#[test]
fn what_was_written_is_read() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.mailboxes(DRIVE);
    assert_eq!(bench.ask(DRIVE, BOOT), (BOOT, 0));
    for length in [0, 1, PACKET - 1, PACKET, PACKET + 1, 2 * PACKET, 1000] {
        let file: Vec<u8> = (0..length).map(|place| place as u8).collect();
        write(&mut bench, b"firmware.bin", &file);
        assert_eq!(read(&mut bench, b"firmware.bin"), file, "{length} bytes");
    }
}

#[test]
fn errors_have_their_codes() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.mailboxes(DRIVE);
    bench.ask(DRIVE, PREOP);
    let mut code = |opcode, number, data: &[u8]| {
        let (opcode, code, _) = packet(&mut bench, opcode, number, data).unwrap();
        (opcode, code)
    };
    assert_eq!(code(1, 0, b"nothing"), (5, 0x8001));
    assert_eq!(code(3, 1, b"data"), (5, 0x8004), "nobody asked");
    assert_eq!(code(2, 0, b""), (5, 0x8004), "no name");
    assert_eq!(code(2, 0, b"name"), (4, 0));
    assert_eq!(
        code(3, 2, b"data"),
        (5, 0x8005),
        "the second is not the first"
    );
    assert_eq!(code(2, 0, b"name"), (4, 0));
    for number in 1..=17 {
        assert_eq!(code(3, number, &[0; PACKET]), (4, number));
    }
    assert_eq!(
        code(3, 18, &[0; PACKET]),
        (5, 0x8003),
        "2,048 bytes are all"
    );
}

#[test]
fn bootstrap_has_files_only() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    assert_eq!(bench.ask(DRIVE, BOOT), (INIT | 0x10, 0x15), "no mailboxes");
    bench.mailboxes(DRIVE);
    assert_eq!(bench.ask(DRIVE, BOOT | 0x10), (BOOT, 0));
    bench.say(DRIVE, 3, &[0, 0x20, 0x40, 0x18, 0x10, 1, 0, 0, 0, 0]);
    assert_eq!(bench.hear(DRIVE).unwrap().1, [1, 0, 2, 0]);
    assert_eq!(bench.ask(DRIVE, PREOP), (BOOT | 0x10, 0x11));
    assert_eq!(bench.ask(DRIVE, INIT | 0x10), (INIT, 0));
}
