//! Accesses of any kind: none panics, none goes where it must not; and what a register says of
//! itself.

use super::interface::Interface;
use crate::vgic::{Effects, Frame, VirtualGic};
use proptest::prelude::*;
use std::vec;

fn frame() -> impl Strategy<Value = Frame> {
    prop_oneof![
        Just(Frame::Distributor),
        (0usize..5).prop_map(Frame::Redistributor),
        any::<usize>().prop_map(Frame::Redistributor),
    ]
}

fn offset() -> impl Strategy<Value = u64> {
    let known = prop::sample::select(
        &[
            0u64, 4, 8, 0xC, 0x14, 0x80, 0x100, 0x180, 0x200, 0x280, 0x300, 0x380, 0x400, 0xC00,
            0x6100, 0x62F8, 0xFFE8,
        ][..],
    );
    prop_oneof![
        1 => any::<u64>(),
        3 => 0u64..0x2_0008,
        6 => (known, 0u64..16, any::<bool>()).prop_map(|(known, low, second)| {
            known + low + if second { 0x1_0000 } else { 0 }
        }),
    ]
}

type Raw = (Frame, u64, usize, Option<u64>);

fn access() -> impl Strategy<Value = Raw> {
    let size = prop_oneof![
        9 => prop::sample::select(&[1usize, 2, 4, 8][..]),
        1 => any::<usize>(),
    ];
    (frame(), offset(), size, any::<Option<u64>>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(
        accesses in prop::collection::vec(access(), 1..200),
        others in prop::collection::vec((any::<usize>(), any::<u32>(), any::<u64>(), 0u8..8), 1..50),
        vcpus in 0usize..20,
    ) {
        let mut gic = VirtualGic::new();
        let _ = gic.reset(vcpus);
        let mut cpu = Interface::new(4);
        for (n, &(frame, offset, size, write)) in accesses.iter().enumerate() {
            let (_, effects) = super::access(&mut gic, frame, offset, size, write);
            assert_eq!(u32::from(effects.kick) >> vcpus.min(16), 0);
            let (vcpu, intid, value, what) = others[n % others.len()];
            let _ = match what {
                0 => gic.raise(vcpu, intid),
                1 => gic.raise(0, intid % 96),
                2 => gic.set_level(0, intid % 100, value & 1 == 1),
                3 => gic.set_level(vcpu, intid, value & 1 == 1),
                4 => gic.send(0, value),
                5 => gic.raise_timer(vcpu),
                6 => gic.send(vcpu, value),
                _ => { gic.assign_physical(intid); 0 }
            };
            let _ = gic.sync(0, &mut cpu);
            let _ = gic.flush(0, &mut cpu);
            cpu.check();
            let _ = gic.sync(vcpu, &mut Interface::new(4));
            let _ = (gic.is_deliverable(vcpu), gic.timer_is_active(vcpu));
            if n % 50 == 49 {
                cpu = Interface::new(4);
                let _ = (gic.reset_vcpu(0), gic.reset_vcpu(vcpu.max(1)), gic.withdraw(vcpu, true, value));
            }
        }
    }

    /// A register of the wrong size, one that is not there, a VCPU that is not there: as if nothing
    /// had been done.
    #[test]
    fn what_is_not_there_reads_zero_and_takes_nothing((frame, offset, size, write) in access()) {
        let size_is_wrong = !matches!(size, 1 | 2 | 4 | 8) || offset % (size as u64) != 0;
        let outside = match frame {
            Frame::Distributor => offset >= 0x1_0000,
            Frame::Redistributor(vcpu) => vcpu >= 2 || offset >= 0x2_0000,
        };
        let mut gic = VirtualGic::new();
        let _ = gic.reset(2);
        let before = gic.clone();
        let accessed = super::access(&mut gic, frame, offset, size, write);
        if size_is_wrong || outside {
            assert_eq!(accessed, (0, Effects::NONE));
            assert_eq!(gic, before);
        }
    }
}

#[test]
fn routes_and_types_are_read_whole_and_by_halves() {
    let mut gic = VirtualGic::new();
    let _ = gic.reset(3);
    let at = 0x6000 + 8 * 50;
    let _ = gic.write(Frame::Distributor, at, 8, u64::MAX);
    let read = |frame, at, size| gic.read(frame, at, size);
    assert_eq!(read(Frame::Distributor, at, 8), 0x00FF_FFFF);
    assert_eq!(read(Frame::Distributor, at, 4), 0x00FF_FFFF);
    assert_eq!(read(Frame::Distributor, at + 4, 4), 0);
    assert_eq!(
        read(Frame::Redistributor(2), 8, 8),
        2 << 32 | 2 << 8 | 1 << 4
    );
    assert_eq!(read(Frame::Redistributor(2), 8, 4), 2 << 8 | 1 << 4);
    assert_eq!(read(Frame::Redistributor(1), 0xC, 4), 1);
    let _ = gic.write(Frame::Distributor, at, 4, 2);
    let _ = gic.write(Frame::Distributor, at + 4, 4, u64::MAX);
    assert_eq!(gic.read(Frame::Distributor, at, 8), 2);
}

#[test]
fn configurations_and_priorities_read_back() {
    let mut gic = VirtualGic::new();
    let _ = gic.reset(1);
    let frames = [
        (Frame::Distributor, 0, 32..96u64),
        (Frame::Redistributor(0), 0x1_0000, 16..32),
    ];
    for (frame, base, intids) in frames {
        for intid in intids {
            let config = base + 0xC00 + intid / 16 * 4;
            let edge = 2u64 << (intid % 16 * 2);
            let _ = gic.write(frame, config, 4, edge | 0x5555_5555);
            assert_eq!(gic.read(frame, config, 4), edge);
            let priority = base + 0x400 + intid;
            let expected = (intid * 8) & 0xF8;
            let _ = gic.write(frame, priority, 1, 0x100 | expected | 7);
            assert_eq!(gic.read(frame, priority, 1), expected);
            let word = gic.read(frame, priority & !3, 4);
            assert_eq!(word >> (intid % 4 * 8) & 0xFF, expected);
        }
    }
    // Software's interrupts are edge-triggered and stay so.
    let frame = Frame::Redistributor(0);
    let _ = gic.write(frame, 0x1_0C00, 4, 0);
    assert_eq!(gic.read(frame, 0x1_0C00, 4), 0xAAAA_AAAA);
}

#[test]
fn a_software_interrupt_goes_to_whom_it_names() {
    let vcpus = 5;
    let cases = vec![
        (1u64, 0b00001u16),
        (0b10110, 0b10110),
        // Targets that there are not.
        (0xFFE0, 0),
        (0xFFFF, 0b11111),
        // Other affinities and ranges.
        (1 | 1 << 16, 0),
        (1 | 1 << 32, 0),
        (1 | 1 << 44, 0),
        (1 | 1 << 48, 0),
        // To all but the sender, whatever else it says.
        (1 << 40, 0b11011),
        (1 << 40 | 0x00FF_00FF_00FF_FFFF & !(0xF << 24), 0b11011),
    ];
    for intid in [0u64, 7, 15] {
        for &(value, expected) in &cases {
            let mut gic = VirtualGic::new();
            let _ = gic.reset(vcpus);
            let _ = gic.write(Frame::Distributor, 0, 4, 2);
            for vcpu in 0..vcpus {
                let _ = gic.write(Frame::Redistributor(vcpu), 0x1_0100, 4, 1 << intid);
            }
            assert_eq!(gic.send(2, value | intid << 24), expected, "{value:#x}");
            for vcpu in 0..vcpus {
                let pending = gic.read(Frame::Redistributor(vcpu), 0x1_0200, 4);
                let sent = u64::from(expected) >> vcpu & 1;
                assert_eq!(pending, sent << intid);
            }
        }
    }
}
