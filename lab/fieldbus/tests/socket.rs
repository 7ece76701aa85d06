//! The segment on a socket: frames go in as an emulator sends them, and come back.

use std::net::UdpSocket;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use taktos_fieldbus::{Played, play, standard};

/// An Ethernet frame with one datagram: command, address, data.
fn frame(command: u8, address: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut frame = vec![0xFF; 6];
    frame.extend([2, 0, 0, 0, 0, 1, 0x88, 0xA4]);
    let length = data.len() as u16;
    frame.extend((0x1000 | (length + 12)).to_le_bytes());
    frame.extend([command, 0x55]);
    frame.extend(address);
    frame.extend(length.to_le_bytes());
    frame.extend([0; 2]);
    frame.extend(data);
    frame.extend([0; 2]);
    frame.resize(60, 0);
    frame
}

/// The data and the working counter of an answer.
fn answer(frame: &[u8], length: usize) -> (&[u8], u16) {
    let (data, rest) = frame[26..].split_at(length);
    (data, u16::from_le_bytes([rest[0], rest[1]]))
}

fn with_segment(test: impl FnOnce(&dyn Fn(&[u8]) -> Option<Vec<u8>>)) -> Played {
    let [ours, theirs] = [0; 2].map(|_| UdpSocket::bind("127.0.0.1:0").unwrap());
    ours.set_read_timeout(Some(Duration::from_millis(500)))
        .unwrap();
    ours.connect(theirs.local_addr().unwrap()).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let played = scope.spawn(|| {
            let mut devices = standard(0);
            play(&theirs, None, &mut devices, || over.load(Ordering::Relaxed))
        });
        test(&|frame| {
            ours.send(frame).unwrap();
            let mut back = [0; 1518];
            let length = ours.recv(&mut back).ok()?;
            Some(back[..length].to_vec())
        });
        over.store(true, Ordering::Relaxed);
        played.join().unwrap().unwrap()
    })
}

#[test]
fn all_devices_answer_a_broadcast() {
    let played = with_segment(|exchange| {
        // Read the AL status of all: INIT, and five count.
        let back = exchange(&frame(7, [0, 0, 0x30, 0x01], &[0; 2])).unwrap();
        assert_eq!(answer(&back, 2), (&[1, 0][..], 5));
        assert_eq!((back.len(), back[6] & 2), (60, 2));
        // The third device gets a station address, and is read by it.
        let third = (-2_i16).to_le_bytes();
        let named = exchange(&frame(2, [third[0], third[1], 0x10, 0], &[0x03, 0x10])).unwrap();
        assert_eq!(answer(&named, 2).1, 1);
        let read = exchange(&frame(4, [0x03, 0x10, 0x10, 0], &[0; 2])).unwrap();
        assert_eq!(answer(&read, 2), (&[0x03, 0x10][..], 1));
    });
    assert_eq!((played.answered, played.dropped), (3, 0));
    let names: Vec<&str> = played.devices.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names.len(), 5);
    assert_eq!(names[3], "DRIVE");
}

#[test]
fn frames_of_others_are_dropped() {
    let played = with_segment(|exchange| {
        let mut other = frame(7, [0, 0, 0x30, 0x01], &[0; 2]);
        other[12..14].copy_from_slice(&[0x08, 0]);
        assert_eq!(exchange(&other), None);
        assert_eq!(exchange(&[1, 2, 3]), None);
        assert!(exchange(&frame(7, [0, 0, 0x30, 0x01], &[0; 2])).is_some());
    });
    assert_eq!((played.answered, played.dropped), (1, 2));
}
