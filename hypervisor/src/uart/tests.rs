//! The device against its manual, against what drivers do, and against accesses of all kinds.

use super::*;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::vec::Vec;

fn read(uart: &mut Pl011, offset: u64) -> u32 {
    uart.access(offset, 4, None, &mut |_| panic!("a read sends nothing")) as u32
}

fn write(uart: &mut Pl011, offset: u64, value: u64) -> Vec<u8> {
    let mut sent = Vec::new();
    uart.access(offset, 4, Some(value), &mut |byte| sent.push(byte));
    sent
}

/// Returns a PL011 with its FIFOs on.
fn with_fifos() -> Pl011 {
    let mut uart = Pl011::new();
    write(&mut uart, LINE, 0x70);
    uart
}

#[test]
fn a_bus_finds_what_it_is() {
    let mut uart = Pl011::new();
    // As Linux's AMBA bus puts the identity together.
    let mut word = |first: u64| {
        (0..4).fold(0, |id, n| {
            id | (read(&mut uart, first + 4 * n) & 0xFF) << (8 * n)
        })
    };
    assert_eq!(word(0xFE0) & 0x000F_FFFF, 0x0004_1011);
    assert_eq!(word(0xFF0), 0xB105_F00D);
    // Revision 3: the driver takes the FIFOs to be 32 deep.
    assert_eq!(word(0xFE0) >> 20 & 0xF, 3);
}

#[test]
fn the_state_after_a_reset_is_the_manuals() {
    let mut uart = Pl011::new();
    // TXFE, RXFE, and the far end is there.
    assert_eq!(read(&mut uart, FLAGS), 0x97);
    assert_eq!(read(&mut uart, CONTROL), 0x300);
    assert_eq!(read(&mut uart, LEVELS), 0x12);
    for zero in [LINE, MASK, RAISED, MASKED, INTEGER_DIVISOR, DATA] {
        assert_eq!(read(&mut uart, zero), 0, "{zero:#x}");
    }
    assert!(!uart.interrupt());
}

#[test]
fn registers_keep_the_bits_they_have() {
    let mut uart = Pl011::new();
    for (register, kept) in [
        (LOW_POWER, 0xFF),
        (INTEGER_DIVISOR, 0xFFFF),
        (FRACTIONAL_DIVISOR, 0x3F),
        (LINE, 0xFF),
        (CONTROL, 0xFF87),
        (LEVELS, 0x3F),
        (MASK, 0x7FF),
        (DMA, 7),
        (FLAGS, 0x97),
        (0xFE0, 0x11),
        (0xFFC, 0xB1),
        (0x1000, 0),
    ] {
        write(&mut uart, register, u64::MAX);
        assert_eq!(read(&mut uart, register), kept, "{register:#x}");
    }
}

#[test]
fn a_byte_leaves_at_once_and_raises_the_transmit_interrupt() {
    let mut uart = with_fifos();
    assert_eq!(read(&mut uart, RAISED), 0);
    assert_eq!(write(&mut uart, DATA, 0x141), [0x41]);
    assert_eq!(read(&mut uart, RAISED), u32::from(TRANSMIT));
    assert_eq!(
        read(&mut uart, FLAGS) & (TRANSMIT_EMPTY | BUSY),
        TRANSMIT_EMPTY
    );
    assert!(!uart.interrupt());
    write(&mut uart, MASK, TRANSMIT.into());
    assert!(uart.interrupt());
    assert_eq!(read(&mut uart, MASKED), u32::from(TRANSMIT));
    write(&mut uart, CLEAR, TRANSMIT.into());
    assert!(!uart.interrupt());
}

#[test]
fn input_raises_the_time_out_and_at_its_level_the_receive_interrupt() {
    let mut uart = with_fifos();
    write(&mut uart, LEVELS, 0x00);
    for byte in 1..=3 {
        assert!(uart.push_input(byte));
        assert_eq!(read(&mut uart, RAISED), u32::from(RECEIVE_TIMEOUT));
    }
    assert!(uart.push_input(4));
    let both = u32::from(RECEIVE | RECEIVE_TIMEOUT);
    assert_eq!(read(&mut uart, RAISED), both);
    assert_eq!(read(&mut uart, DATA), 1);
    assert_eq!(read(&mut uart, RAISED), u32::from(RECEIVE_TIMEOUT));
    for byte in 2..=4 {
        assert_eq!(read(&mut uart, FLAGS) & RECEIVE_EMPTY, 0);
        assert_eq!(read(&mut uart, DATA), byte);
    }
    assert_eq!(read(&mut uart, RAISED), 0);
    assert_eq!(read(&mut uart, FLAGS) & RECEIVE_EMPTY, RECEIVE_EMPTY);
}

#[test]
fn what_does_not_fit_the_fifo_waits_and_announces_itself() {
    let mut uart = with_fifos();
    let taken = (0..=255u8).filter(|&byte| uart.push_input(byte)).count();
    assert_eq!((taken, uart.room()), (INPUT, 0));
    assert!(!uart.push_input(0));
    assert_ne!(read(&mut uart, FLAGS) & RECEIVE_FULL, 0);
    // A driver that starts clears the interrupts, and then reads what it thinks the FIFO holds.
    write(&mut uart, CLEAR, 0x7FF);
    assert_eq!(read(&mut uart, RAISED), 0);
    for byte in 0..64 {
        assert_eq!(read(&mut uart, DATA), byte);
    }
    assert_ne!(read(&mut uart, RAISED) & u32::from(RECEIVE_TIMEOUT), 0);
}

#[test]
fn without_fifos_one_byte_is_the_level() {
    let mut uart = Pl011::new();
    assert!(uart.push_input(1) && uart.push_input(2));
    let both = u32::from(RECEIVE | RECEIVE_TIMEOUT);
    assert_eq!(read(&mut uart, RAISED), both);
    write(&mut uart, CLEAR, both.into());
    // Switching the FIFO on lets the second byte in.
    write(&mut uart, LINE, FIFOS.into());
    assert_eq!(read(&mut uart, RAISED), u32::from(RECEIVE_TIMEOUT));
    assert_eq!((read(&mut uart, DATA), read(&mut uart, DATA)), (1, 2));
}

#[test]
fn loopback_sends_to_itself() {
    let mut uart = with_fifos();
    write(&mut uart, CONTROL, (LOOPBACK | CONTROL_AT_RESET).into());
    assert!(write(&mut uart, DATA, 7).is_empty());
    assert_eq!(read(&mut uart, DATA), 7);
}

#[test]
fn accesses_are_as_wide_as_they_say() {
    let mut uart = Pl011::new();
    uart.access(INTEGER_DIVISOR, 2, Some(0xF_1234), &mut |_| ());
    assert_eq!(uart.access(INTEGER_DIVISOR, 1, None, &mut |_| ()), 0x34);
    uart.access(INTEGER_DIVISOR, 1, Some(0xFF56), &mut |_| ());
    assert_eq!(read(&mut uart, INTEGER_DIVISOR), 0x56);
    for (offset, size) in [
        (INTEGER_DIVISOR, 8),
        (INTEGER_DIVISOR, 0),
        (INTEGER_DIVISOR + 1, 1),
    ] {
        uart.access(offset, size, Some(9), &mut |_| ());
        assert_eq!(uart.access(offset, size, None, &mut |_| ()), 0);
    }
    assert_eq!(read(&mut uart, INTEGER_DIVISOR), 0x56);
}

/// Sends `text` as Linux's driver does: fills the FIFO while it is not full, then half of it at
/// each interrupt, without looking. `drain` is what the far end takes between.
fn send_like_linux(uart: &mut Pl011, text: &[u8], mut drain: impl FnMut(&mut Pl011)) -> Vec<u8> {
    let mut sent = Vec::new();
    let mut rest = text.iter();
    while read(uart, FLAGS) & TRANSMIT_FULL == 0
        && let Some(&byte) = rest.next()
    {
        sent.extend(write(uart, DATA, byte.into()));
    }
    write(uart, MASK, TRANSMIT.into());
    while rest.len() > 0 {
        if !uart.interrupt() {
            drain(uart);
            continue;
        }
        for &byte in rest.by_ref().take(FIFO / 2) {
            sent.extend(write(uart, DATA, byte.into()));
        }
    }
    write(uart, MASK, 0);
    sent
}

#[test]
fn a_driver_that_waits_for_interrupts_loses_nothing() {
    let text: Vec<u8> = (0..1000).map(|n| n as u8).collect();
    let mut uart = with_fifos();
    let unlimited = send_like_linux(&mut uart, &text, |_| panic!("it never stops"));
    assert_eq!(unlimited, text);
    for step in [1, 5, 16, 40] {
        let mut uart = with_fifos();
        uart.limit_output(50);
        let limited = send_like_linux(&mut uart, &text, |uart| {
            let room = uart.output_room().unwrap();
            uart.limit_output((room + step).min(50));
        });
        assert_eq!(limited, text, "{step} bytes at a time");
    }
}

#[test]
fn a_limit_shows() {
    let mut uart = with_fifos();
    assert_eq!(uart.output_room(), None);
    uart.limit_output(17);
    assert_eq!(read(&mut uart, FLAGS) & (TRANSMIT_EMPTY | BUSY), BUSY);
    write(&mut uart, DATA, 1);
    // The FIFO holds 16 now: no more than its level.
    assert_eq!(read(&mut uart, RAISED), u32::from(TRANSMIT));
    write(&mut uart, DATA, 2);
    assert_eq!(read(&mut uart, RAISED), 0);
    uart.limit_output(0);
    assert_ne!(read(&mut uart, FLAGS) & TRANSMIT_FULL, 0);
    assert!(write(&mut uart, DATA, 3).is_empty());
    uart.limit_output(16);
    assert_eq!(read(&mut uart, RAISED), u32::from(TRANSMIT));
    assert_eq!(uart.output_room(), Some(16));
}

#[derive(Clone, Debug)]
enum Step {
    Access(u64, usize, Option<u64>),
    Input(u8),
    Limit(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let offset = prop_oneof![
        6 => (0..0x14u64).prop_map(|n| n * 4),
        1 => 0xFE0..0x1010u64,
        1 => any::<u64>(),
        3 => Just(DATA),
    ];
    let size = prop_oneof![8 => Just(4usize), 1 => any::<usize>(), 1 => 0..9usize];
    let step = prop_oneof![
        6 => (offset, size, any::<Option<u64>>()).prop_map(|(o, s, w)| Step::Access(o, s, w)),
        4 => any::<u8>().prop_map(Step::Input),
        1 => (0..70u32).prop_map(Step::Limit),
    ];
    proptest::collection::vec(step, 0..600)
}

proptest! {
    /// Whatever a guest does, the bytes come in order and the registers say so.
    #[test]
    fn no_access_harms(steps in steps()) {
        let mut uart = Pl011::new();
        let mut waiting = VecDeque::new();
        for step in steps {
            match step {
                Step::Access(offset, size, value) => {
                    let room = uart.output_room();
                    let loops = uart.control & LOOPBACK != 0;
                    let mut sent = Vec::new();
                    let read = uart.access(offset, size, value, &mut |byte| sent.push(byte));
                    let is_data = offset == DATA && matches!(size, 1 | 2 | 4);
                    match value {
                        Some(value) if is_data && loops => {
                            if waiting.len() < INPUT {
                                waiting.push_back(value as u8);
                            }
                        }
                        Some(value) if is_data && room != Some(0) => {
                            prop_assert_eq!(&sent[..], &[value as u8][..]);
                        }
                        None if is_data => {
                            prop_assert_eq!(read, u64::from(waiting.pop_front().unwrap_or(0)));
                        }
                        _ => prop_assert!(sent.is_empty()),
                    }
                    prop_assert!(size > 4 || read < 1 << (8 * size));
                }
                Step::Input(byte) => {
                    prop_assert_eq!(uart.push_input(byte), waiting.len() < INPUT);
                    if waiting.len() < INPUT {
                        waiting.push_back(byte);
                    }
                }
                Step::Limit(room) => uart.limit_output(room),
            }
            prop_assert_eq!(uart.room(), INPUT - waiting.len());
            let flags = read(&mut uart, FLAGS);
            prop_assert_eq!(flags & RECEIVE_EMPTY != 0, waiting.is_empty());
            prop_assert_eq!(flags & TRANSMIT_FULL != 0, uart.output_room() == Some(0));
            let masked = read(&mut uart, RAISED) & read(&mut uart, MASK);
            prop_assert_eq!(read(&mut uart, MASKED), masked);
            prop_assert_eq!(uart.interrupt(), masked != 0);
            // Nothing to read: no interrupt says so.
            prop_assert!(!waiting.is_empty() || read(&mut uart, RAISED) & u32::from(RECEIVE | RECEIVE_TIMEOUT) == 0);
        }
    }
}
