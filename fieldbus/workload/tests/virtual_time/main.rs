//! The controller against the segment in virtual time, on the host: what each does when something
//! goes wrong.
//!
//! Time passes only where the controller waits, so a run gives the same figures each time, and a
//! million cycles take seconds.

mod bus;
mod wire;

use bus::{Bus, CYCLE};
use taktos_segment::{Fault, State};

/// The watchdog's time of the devices, in cycles.
const WATCHDOG: usize = (100_000_000 / CYCLE) as usize;

/// The drives are the last two devices.
const DRIVE: usize = 3;
const LAST: usize = 4;

#[test]
fn a_hundred_thousand_cycles_lose_nothing() {
    Bus::with(|bus| {
        let begun = bus.now();
        for _ in 0..100_000 {
            assert_eq!(bus.cycle(), Some(bus.whole()));
        }
        assert!(bus.now() - begun > 99_000 * CYCLE);
        for statistics in bus.statistics() {
            assert_eq!(statistics.sync0_without_new_outputs, 0);
            assert_eq!(statistics.watchdog, 0);
            assert!(statistics.max_difference_ns < 3_000, "{statistics:?}");
        }
        let sync0: u64 = bus.statistics().iter().map(|device| device.sync0).sum();
        assert!(sync0 > 4 * 100_000, "{sync0}");
    });
}

#[test]
fn a_lost_frame_costs_one_cycle() {
    Bus::with(|bus| {
        bus.inject(Fault::LoseFrames(1));
        assert_eq!(bus.cycle(), None);
        for _ in 0..100 {
            assert_eq!(bus.cycle(), Some(bus.whole()));
        }
        assert!(bus.all_in(State::Op));
    });
}

#[test]
fn behind_a_cut_wire_devices_are_safe_within_the_watchdogs_time_and_come_back() {
    Bus::with(|bus| {
        bus.inject(Fault::Cut { before: DRIVE });
        for _ in 0..WATCHDOG + 20 {
            let counter = bus.cycle().expect("the frame turns before the cut");
            assert!(counter < bus.whole(), "{counter}");
        }
        assert_eq!(
            [DRIVE, LAST].map(|device| bus.state(device)),
            [State::SafeOp; 2]
        );
        assert_eq!(bus.state(1), State::Op);
        bus.inject(Fault::Mend { before: DRIVE });
        bus.until(200, |bus| bus.all_in(State::Op));
        assert_eq!(bus.cycle(), Some(bus.whole()));
    });
}

#[test]
fn with_the_first_wire_cut_every_device_is_safe_and_comes_back() {
    Bus::with(|bus| {
        bus.inject(Fault::Cut { before: 0 });
        for _ in 0..30 {
            assert_eq!(bus.cycle(), None);
        }
        assert!((1..=LAST).all(|device| bus.state(device) == State::SafeOp));
        bus.inject(Fault::Mend { before: 0 });
        bus.until(400, |bus| bus.all_in(State::Op));
        assert_eq!(bus.cycle(), Some(bus.whole()));
    });
}

#[test]
fn a_device_that_leaves_op_is_brought_back() {
    Bus::with(|bus| {
        bus.inject(Fault::Leave {
            device: DRIVE,
            to: State::SafeOp,
            code: 0x001A,
        });
        assert_eq!(bus.state(DRIVE), State::SafeOp);
        bus.until(100, |bus| bus.all_in(State::Op));
        assert_eq!(bus.state(LAST), State::Op);
    });
}

#[test]
fn a_clock_that_goes_off_by_40_ppm_is_held() {
    Bus::with(|bus| {
        bus.cycles(2_000);
        for drift_ppb in [80_000, -40_000] {
            bus.inject(Fault::Drift {
                device: LAST,
                drift_ppb,
            });
            bus.cycles(4_000);
            let difference = bus.difference(LAST);
            assert!(difference.abs() < 2_000, "{drift_ppb}: {difference} ns");
        }
        let missed = bus.statistics();
        assert!(
            missed
                .iter()
                .all(|device| device.sync0_without_new_outputs == 0)
        );
    });
}

#[test]
fn a_controller_that_stops_leaves_the_devices_safe_and_finds_them_again() {
    Bus::with(|bus| {
        bus.pause(2 * 100_000_000);
        assert!((1..=LAST).all(|device| bus.state(device) == State::SafeOp));
        assert!(
            bus.statistics()[1..]
                .iter()
                .all(|device| device.watchdog == 1)
        );
        bus.until(400, |bus| bus.all_in(State::Op));
        assert_eq!(bus.cycle(), Some(bus.whole()));
    });
}

#[test]
fn a_late_cycle_is_an_event_without_new_outputs() {
    Bus::with(|bus| {
        bus.pause(CYCLE * 8 / 5);
        bus.cycles(10);
        let all = bus.statistics();
        let missed = all[1..]
            .iter()
            .map(|device| device.sync0_without_new_outputs);
        assert!(missed.eq([1; 4]));
        assert!(bus.all_in(State::Op));
    });
}
