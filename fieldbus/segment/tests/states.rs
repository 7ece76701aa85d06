//! The state machine as the MainDevice sees it: legal and illegal requests, what is checked, how
//! errors go away.

mod bench;

use bench::{BOOT, BWR, Bench, FPRD, INIT, OP, PREOP, SAFEOP, at_station};
use taktos_segment::{
    Device, Direction, Entry, Fault, Model, Oscillator, Pdo, State, SyncManager, SyncManagerKind,
    Table, standard,
};

const COUPLER: u16 = 0;
const DIGITAL: u16 = 1;
const DRIVE: u16 = 3;
const ERROR: u8 = 0x10;

#[test]
fn a_coupler_needs_nothing() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    for state in [PREOP, SAFEOP, OP, SAFEOP, PREOP, INIT] {
        assert_eq!(bench.ask(COUPLER, state), (state, 0));
    }
}

#[test]
fn each_illegal_request_is_refused_with_its_code() {
    type Refused<'a> = &'a [(u8, u16)];
    let way: [(&[u8], Refused<'_>); 4] = [
        (
            &[],
            &[
                (SAFEOP, 0x11),
                (OP, 0x11),
                (BOOT, 0x13),
                (0, 0x12),
                (5, 0x12),
            ],
        ),
        (&[PREOP], &[(OP, 0x11), (BOOT, 0x11), (7, 0x12)]),
        (&[PREOP, SAFEOP], &[(BOOT, 0x11), (15, 0x12)]),
        (&[PREOP, SAFEOP, OP], &[(BOOT, 0x11), (9, 0x12)]),
    ];
    for (steps, refused) in way {
        for (request, code) in refused {
            let mut devices = standard(0);
            let mut bench = Bench::new(&mut devices);
            for step in steps {
                bench.ask(COUPLER, *step);
            }
            let is = steps.last().copied().unwrap_or(INIT);
            assert_eq!(bench.ask(COUPLER, *request), (is | ERROR, *code));
            assert_eq!(bench.segment.devices()[0].statistics().al_errors, 1);
        }
    }
}

#[test]
fn an_error_is_acknowledged_before_the_way_up_is_open() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    assert_eq!(bench.ask(COUPLER, OP), (INIT | ERROR, 0x11));
    assert_eq!(bench.ask(COUPLER, PREOP), (INIT | ERROR, 0x11), "not yet");
    assert_eq!(bench.ask(COUPLER, INIT | 0x10), (INIT, 0));
    assert_eq!(bench.ask(COUPLER, PREOP), (PREOP, 0));
    assert_eq!(bench.ask(COUPLER, OP), (PREOP | ERROR, 0x11));
    assert_eq!(
        bench.ask(COUPLER, INIT),
        (INIT | ERROR, 0x11),
        "down, in error"
    );
    assert_eq!(bench.ask(COUPLER, PREOP | 0x10), (PREOP, 0), "both at once");
}

#[test]
fn mailboxes_are_checked_for_preop() {
    let wrong: [(u16, u16, u16, u8); 5] = [
        (0, 0x1000, 0, 0x26),
        (0, 0x1000, 128, 0x24),
        (0, 0x1000, 128, 0x22),
        (0, 0x0F00, 128, 0x26),
        (1, 0x1080, 8, 0x22),
    ];
    for (number, start, length, control) in wrong {
        let mut devices = standard(0);
        let mut bench = Bench::new(&mut devices);
        bench.mailboxes(DRIVE);
        bench.sync_manager(DRIVE, number, start, length, control);
        assert_eq!(bench.ask(DRIVE, PREOP), (INIT | ERROR, 0x16));
    }
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.mailboxes(DRIVE);
    bench.sync_manager(DRIVE, 1, 0x1040, 128, 0x22);
    assert_eq!(
        bench.ask(DRIVE, PREOP),
        (INIT | ERROR, 0x17),
        "they overlap"
    );
}

#[test]
fn process_data_are_checked_for_safeop() {
    let wrong: [(u16, u16, u16, u8, u16); 7] = [
        (2, 0x1100, 5, 0x64, 0x1D),
        (2, 0x1100, 0, 0x64, 0x1D),
        (2, 0x1100, 6, 0x20, 0x1D),
        (2, 0x1100, 6, 0x26, 0x1D),
        (3, 0x1200, 7, 0x20, 0x1E),
        (3, 0x1200, 6, 0x64, 0x1E),
        (3, 0x1108, 6, 0x20, 0x17),
    ];
    for (number, start, length, control, code) in wrong {
        let mut devices = standard(0);
        let mut bench = Bench::new(&mut devices);
        bench.drive_to(DRIVE, PREOP);
        bench.sync_manager(DRIVE, number, start, length, control);
        assert_eq!(bench.ask(DRIVE, SAFEOP), (PREOP | ERROR, code));
    }
}

#[test]
fn sync0_needs_a_cycle() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, PREOP);
    bench.write(DRIVE, 0x0981, &[3]);
    assert_eq!(bench.ask(DRIVE, SAFEOP), (PREOP | ERROR, 0x36));
}

#[test]
fn what_is_in_use_must_stay() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, OP);
    bench.write(DRIVE, 0x0800 + 8 * 2 + 6, &[0]);
    assert_eq!(
        bench.read(DRIVE, 0x0130, 6),
        [PREOP | ERROR, 0, 0, 0, 0x1D, 0]
    );
}

#[test]
fn the_watchdog_takes_a_device_out_of_op() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, OP);
    // 2 ms.
    bench.write(DRIVE, 0x0420, &[20, 0]);
    for _ in 0..50 {
        bench.one(bench::LWR, 0, &[0; 6]);
        bench.wait(1_500_000);
    }
    assert_eq!(bench.segment.devices()[3].state(), State::Op);
    assert_eq!(bench.read(DRIVE, 0x0440, 1), [1]);
    bench.wait(600_000);
    assert_eq!(
        bench.read(DRIVE, 0x0130, 6),
        [SAFEOP | ERROR, 0, 0, 0, 0x1B, 0]
    );
    assert_eq!(bench.read(DRIVE, 0x0440, 3), [0, 0, 1]);
    assert_eq!(bench.segment.devices()[3].statistics().watchdog, 1);
    assert_eq!(bench.ask(DRIVE, OP | 0x10), (OP, 0), "and back");
}

#[test]
fn outputs_count_in_op_only() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.sync_manager(DIGITAL, 0, 0x1100, 1, 0x64);
    bench.sync_manager(DIGITAL, 1, 0x1200, 1, 0x20);
    bench.ask(DIGITAL, PREOP);
    let outputs = bench::at_position(DIGITAL, 0x1100);
    assert_eq!(bench.one(bench::APWR, outputs, &[0x0F]).1, 0, "PREOP");
    bench.ask(DIGITAL, SAFEOP);
    bench.write(DIGITAL, 0x1100, &[0x0F]);
    assert_eq!(bench.read(DIGITAL, 0x1200, 1), [0xFF], "safe");
    bench.ask(DIGITAL, OP);
    bench.write(DIGITAL, 0x1100, &[0x0F]);
    assert_eq!(bench.read(DIGITAL, 0x1200, 1), [0xF0]);
}

#[test]
fn a_device_that_leaves_op_says_so_and_comes_back() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, OP);
    bench.segment.inject(Fault::Leave {
        device: 3,
        to: State::SafeOp,
        code: 0x001A,
    });
    let device = &bench.segment.devices()[3];
    assert_eq!(
        (device.state(), device.status_code()),
        (State::SafeOp, 0x1A)
    );
    assert_eq!(bench.ask(DRIVE, SAFEOP | 0x10), (SAFEOP, 0));
    assert_eq!(bench.ask(DRIVE, OP), (OP, 0));
}

#[test]
fn a_device_that_restarts_has_lost_its_address() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.write(DRIVE, 0x0010, &[0x03, 0x10]);
    bench.drive_to(DRIVE, OP);
    bench.segment.inject(Fault::Restart { device: 3 });
    assert_eq!(bench.one(FPRD, at_station(0x1003, 0x0130), &[0; 2]).1, 0);
    assert_eq!(bench.read(DRIVE, 0x0130, 1), [INIT]);
    bench.drive_to(DRIVE, OP);
}

#[test]
fn a_broadcast_resets_all() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    bench.drive_to(DRIVE, OP);
    assert_eq!(bench.one(BWR, 0x0120 << 16, &[INIT | 0x10, 0]).1, 5);
    bench.wait(1_000_000);
    let states: Vec<State> = bench
        .segment
        .devices()
        .iter()
        .map(|one| one.state())
        .collect();
    assert_eq!(states, [State::Init; 5]);
}

#[test]
fn two_sync_managers_may_carry_the_outputs() {
    // As a digital terminal of 16 channels has them: one byte each at 0x0F00 and 0x0F01, and a few
    // bits of each used.
    let manager = |start| SyncManager {
        start,
        length: 0,
        control: 0x44,
        enable: 1,
        kind: SyncManagerKind::Outputs,
    };
    let managers = [manager(0x0F00), manager(0x0F01)];
    let pdo = |index, number| Pdo {
        index,
        direction: Direction::Outputs,
        sync_manager: Some(number),
        entries: 1,
        name: "",
    };
    let pdos = [pdo(0x1600, 0), pdo(0x1601, 1)];
    let entry = |index| Entry {
        index,
        subindex: 1,
        bits: 5,
        data_type: 0,
        name: "",
    };
    let entries = [entry(0x7000), entry(0x7010)];
    let model = Model {
        sync_managers: Table::of(&managers),
        pdos: Table::of(&pdos),
        entries: Table::of(&entries),
        ..*standard(0)[1].model()
    };
    let oscillator = Oscillator {
        drift_ppb: 0,
        start_ns: 0,
    };
    let mut devices = [Device::new(&model, oscillator)];
    let mut bench = Bench::new(&mut devices);
    bench.ask(0, PREOP);
    bench.sync_manager(0, 0, 0x0F00, 1, 0x44);
    assert_eq!(
        bench.ask(0, SAFEOP),
        (PREOP | ERROR, 0x1D),
        "one is not set"
    );
    bench.sync_manager(0, 1, 0x0F01, 1, 0x44);
    assert_eq!(bench.ask(0, SAFEOP | 0x10), (SAFEOP, 0));
    assert_eq!(bench.ask(0, OP), (OP, 0));
    bench.write(0, 0x0F00, &[0x15]);
    bench.write(0, 0x0F01, &[0x0A]);
    assert_eq!(bench.segment.devices()[0].outputs()[..3], [0x15, 0x0A, 0]);
}
