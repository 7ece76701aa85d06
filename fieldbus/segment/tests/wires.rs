//! The wires: time, cuts, a ring, lost frames; and what distributed clocks make of the time.

mod bench;

use bench::{APRD, BRD, BWR, Bench, FRMW, OP, at_position, at_station};
use taktos_segment::{Fault, Segment, State, standard};

const DIGITAL: u16 = 1;
const DRIVE: u16 = 3;

/// Returns how many devices process a broadcast; `None` if it is lost.
fn reached(bench: &mut Bench<'_>) -> Option<u16> {
    Some(bench.send(&[(BRD, 0, &[0; 2])])?[0].1)
}

/// Returns how many devices process a broadcast from the second port; `None` if it is lost.
fn reached_second(bench: &mut Bench<'_>) -> Option<u16> {
    let mut bytes = bench::frame(&[(BRD, 0, &[0; 2])]);
    let left = bench.segment.pass_second(&mut bytes, bench.now)?;
    bench.now = left;
    Some(bench::answers(&bytes)[0].1)
}

#[test]
fn a_frame_takes_its_bytes_and_its_hops() {
    let mut devices = standard(0);
    let mut segment = Segment::new(&mut devices);
    let mut long = bench::frame(&[(BRD, 0, &[0; 102])]);
    assert_eq!(long.len(), 130);
    let left = segment.pass(&mut long, 7_000);
    assert_eq!(left, Some(7_000 + 80 * (130 + 24) + 5 * (480 + 360)));
    let mut short = bench::frame(&[(BRD, 0, &[0; 1])]);
    let left = segment.pass(&mut short, 100_000);
    assert_eq!(left, Some(100_000 + 80 * (60 + 24) + 5 * (480 + 360)));
}

#[test]
fn what_is_no_frame_of_ethercat_is_none() {
    let mut devices = standard(0);
    let mut segment = Segment::new(&mut devices);
    let good = bench::frame(&[(BRD, 0, &[0; 2])]);
    for (at, value) in [(12, 0x08), (15, 0x40), (14, 0xFF)] {
        let mut frame = good.clone();
        frame[at] = value;
        assert_eq!(segment.pass(&mut frame, 0), None);
    }
    assert_eq!(segment.pass(&mut [], 0), None);
    assert_eq!(segment.devices()[0].statistics().frames, 0);
}

#[test]
fn frames_are_lost_as_many_as_asked() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.segment.inject(Fault::LoseFrames(2));
    let seen: Vec<_> = (0..4).map(|_| reached(&mut bench)).collect();
    assert_eq!(seen, [None, None, Some(5), Some(5)]);
}

#[test]
fn a_cut_turns_frames_and_shows_in_the_status() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, OP);
    bench.segment.inject(Fault::Cut { before: 3 });
    assert_eq!(reached(&mut bench), Some(3));
    let status = bench.read(2, 0x0110, 2);
    assert_eq!(status[0] & 0x30, 0x10, "no link downstream");
    assert_eq!(status[1] & 0x0C, 0x04, "the loop is closed");
    assert_eq!(bench.read(2, 0x0311, 1), [1], "a lost link");
    bench.wait(200_000_000);
    assert_eq!(
        bench.segment.devices()[3].state(),
        State::SafeOp,
        "its watchdog"
    );
    bench.segment.inject(Fault::Mend { before: 3 });
    assert_eq!(reached(&mut bench), Some(5));
    assert_eq!(bench.ask(DRIVE, OP | 0x10), (OP, 0));
    bench.segment.inject(Fault::Cut { before: 0 });
    assert_eq!(reached(&mut bench), None);
}

#[test]
fn a_loop_that_is_held_waits_for_the_main_device() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    // Port 1: auto close.
    bench.write(1, 0x0101, &[0x04]);
    bench.segment.inject(Fault::Cut { before: 2 });
    bench.segment.inject(Fault::Mend { before: 2 });
    assert_eq!(reached(&mut bench), Some(2));
    bench.write(1, 0x0101, &[0x04]);
    assert_eq!(reached(&mut bench), Some(5));
    // Port 1: open, whatever the cable.
    bench.write(1, 0x0101, &[0x08]);
    bench.segment.inject(Fault::Cut { before: 2 });
    assert_eq!(reached(&mut bench), None);
}

#[test]
fn a_ring_survives_one_cut() {
    let mut devices = standard(0);
    let mut bench = Bench::of(Segment::ring(&mut devices));
    assert!(bench.segment.is_whole_ring());
    assert_eq!(
        (reached(&mut bench), reached_second(&mut bench)),
        (Some(5), Some(0))
    );
    bench.segment.inject(Fault::Cut { before: 2 });
    assert!(!bench.segment.is_whole_ring());
    assert_eq!(
        (reached(&mut bench), reached_second(&mut bench)),
        (Some(2), Some(3))
    );
    bench.segment.inject(Fault::Cut { before: 4 });
    assert_eq!(
        (reached(&mut bench), reached_second(&mut bench)),
        (Some(2), Some(1))
    );
    bench.segment.inject(Fault::Mend { before: 2 });
    bench.segment.inject(Fault::Mend { before: 4 });
    assert!(bench.segment.is_whole_ring());
    bench.segment.inject(Fault::Cut { before: 0 });
    assert_eq!(
        (reached(&mut bench), reached_second(&mut bench)),
        (None, Some(5))
    );
    bench.segment.inject(Fault::Cut { before: 5 });
    assert_eq!(reached_second(&mut bench), None);
}

#[test]
fn a_frame_that_goes_round_twice_is_destroyed() {
    let mut devices = standard(0);
    let mut segment = Segment::ring(&mut devices);
    segment.inject(Fault::Cut { before: 1 });
    let mut frame = bench::frame(&[(BRD, 0, &[0; 2])]);
    assert!(segment.pass_second(&mut frame, 0).is_some());
    assert_eq!(frame[23] & 0x40, 0x40);
    assert_eq!(segment.pass_second(&mut frame, 100_000), None);
}

/// Sets delay and offset of each clock as a MainDevice does, from the receive times, and answers
/// the delays.
fn align(bench: &mut Bench<'_>) -> Vec<u32> {
    assert_eq!(
        bench.one(BWR, 0x0900 << 16, &[0; 4]).1,
        5,
        "the coupler too"
    );
    let now = bench.now;
    let mut spans = Vec::new();
    for position in 1..5 {
        let times = bench.read(position, 0x0900, 8);
        let time = |at: usize| u32::from_le_bytes(times[at..at + 4].try_into().unwrap());
        let is_last = position == 4;
        spans.push(if is_last {
            0
        } else {
            time(4).wrapping_sub(time(0))
        });
        let unit = bench.read(position, 0x0918, 8);
        let local = u64::from_le_bytes(unit.try_into().unwrap());
        bench.write(position, 0x0920, &now.wrapping_sub(local).to_le_bytes());
        bench.write(position, 0x0930, &[0, 0x10]);
    }
    let delays: Vec<u32> = spans.iter().map(|span| (spans[0] - span) / 2).collect();
    for (position, delay) in (1..).zip(&delays) {
        bench.write(position, 0x0928, &delay.to_le_bytes());
    }
    delays
}

#[test]
fn clocks_come_together_and_stay() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.write(DIGITAL, 0x0010, &[1, 0x10]);
    let delays = align(&mut bench);
    for (delay, expected) in delays.iter().zip([0, 420, 840, 1260]) {
        assert!(delay.abs_diff(expected) <= 1, "{delay}");
    }
    let mut largest = 0;
    for cycle in 0..4_000 {
        let answer = bench.one(FRMW, at_station(0x1001, 0x0910), &[0; 8]);
        assert_eq!(answer.1, 4);
        bench.wait(250_000);
        if cycle > 2_000 {
            let devices = &bench.segment.devices()[2..];
            let off = devices
                .iter()
                .map(|one| one.statistics().last_difference_ns.abs());
            largest = largest.max(off.max().unwrap());
        }
    }
    assert!(largest <= 2, "off by {largest} ns");
    // The way there is longer than the way back by 120 ns at each hop, of which a MainDevice sees
    // the mean.
    let times: Vec<i64> = (bench.segment.devices().iter())
        .map(|one| one.system_time() as i64)
        .collect();
    for hop in 1..4 {
        let off = times[1 + hop] - times[1];
        assert!((off + 60 * hop as i64).abs() <= 4, "hop {hop}: {off}");
    }
}

#[test]
fn a_clock_that_changes_its_pace_is_seen() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.write(DIGITAL, 0x0010, &[1, 0x10]);
    align(&mut bench);
    let cycles = |bench: &mut Bench<'_>, count| {
        let mut largest = 0;
        for _ in 0..count {
            bench.one(FRMW, at_station(0x1001, 0x0910), &[0; 8]);
            bench.wait(1_000_000);
            let off = bench.segment.devices()[3].statistics().last_difference_ns;
            largest = largest.max(off.abs());
        }
        largest
    };
    cycles(&mut bench, 1_000);
    bench.segment.inject(Fault::Drift {
        device: 3,
        drift_ppb: 80_000,
    });
    assert!(
        cycles(&mut bench, 50) > 100,
        "100 parts per million more at once"
    );
    cycles(&mut bench, 500);
    assert!(cycles(&mut bench, 100) <= 2);
    bench.segment.inject(Fault::Drift {
        device: 3,
        drift_ppb: 2_000_000,
    });
    cycles(&mut bench, 500);
    assert!(cycles(&mut bench, 100) > 1_000, "beyond the loop's reach");
    let (register, _) = bench.one(APRD, at_position(DRIVE, 0x092C), &[0; 4]);
    assert!(u32::from_le_bytes(register.try_into().unwrap()) > 1_000);
}

#[test]
fn sync0_without_outputs_is_counted() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    align(&mut bench);
    // In the middle of the cycles below; the clock is not followed here, but does not go far in 0.1
    // s.
    let start = bench.now / 1_000_000 * 1_000_000 + 10_500_000;
    bench.write(DRIVE, 0x0990, &start.to_le_bytes());
    bench.write(DRIVE, 0x09A0, &1_000_000_u32.to_le_bytes());
    bench.write(DRIVE, 0x0981, &[3]);
    bench.drive_to(DRIVE, OP);
    bench.wait(20_000_000);
    let before = *bench.segment.devices()[3].statistics();
    assert!(before.sync0 > 5);
    for cycle in 0..100 {
        // Each fifth cycle has none.
        if cycle % 5 != 0 {
            bench.one(bench::LWR, 0, &[0; 6]);
        }
        let next = bench.now / 1_000_000 * 1_000_000 + 1_000_000;
        bench.now = next;
        bench.segment.advance(next);
    }
    let after = bench.segment.devices()[3].statistics();
    assert_eq!(after.sync0 - before.sync0, 100);
    let missed = after.sync0_without_new_outputs - before.sync0_without_new_outputs;
    assert_eq!(missed, 20);
    assert_eq!(after.max_interval_ns, 2_000_000);
    assert_eq!(after.min_interval_ns, 1_000_000);
}

#[test]
fn a_device_without_a_clock_has_receive_times_and_no_more() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    // As EK1914 and EL2828 answer.
    for (register, length, counter) in [(0x0900, 16, 1), (0x0918, 8, 0), (0x0910, 8, 0)] {
        let zeros = vec![0; length];
        let address = at_position(0, register);
        assert_eq!(bench.one(APRD, address, &zeros).1, counter, "{register:#x}");
    }
    bench.write(0, 0x0010, &[0, 0x10]);
    let answer = bench.one(FRMW, at_station(0x1000, 0x0910), &[0; 8]);
    assert_eq!(answer.1, 4, "written by the others, read by none");
}
