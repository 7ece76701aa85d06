//! Single interrupts through their lives.

use super::interface::Interface;
use super::system::place;
use crate::vgic::{Effects, Frame, VirtualGic};

const D: Frame = Frame::Distributor;
const SGI: u64 = 0x1_0000;
const ISENABLER: u64 = 0x100;
const ICENABLER: u64 = 0x180;
const ISPENDR: u64 = 0x200;

fn write(gic: &mut VirtualGic, frame: Frame, offset: u64, value: u64) -> Effects {
    gic.write(frame, offset, 4, value)
}

fn read(gic: &mut VirtualGic, frame: Frame, offset: u64) -> u64 {
    gic.read(frame, offset, 4)
}

/// Returns a controller with a guest that has enabled and woken everything.
pub fn open(vcpus: usize) -> VirtualGic {
    let mut gic = VirtualGic::new();
    let _ = gic.reset(vcpus);
    let _ = write(&mut gic, D, 0, 0x12);
    for vcpu in 0..vcpus {
        let r = Frame::Redistributor(vcpu);
        let _ = write(&mut gic, r, 0x14, 0);
        let _ = write(&mut gic, r, SGI + ISENABLER, u64::MAX);
        for intid in (0..32).step_by(4) {
            let _ = write(&mut gic, r, SGI + 0x400 + intid, 0x8080_8080);
        }
    }
    for word in 1..3 {
        let _ = write(&mut gic, D, ISENABLER + 4 * word, u64::MAX);
    }
    for intid in (32..96).step_by(4) {
        let _ = write(&mut gic, D, 0x400 + intid, 0x8080_8080);
    }
    gic
}

#[test]
fn the_timer_comes_and_its_end_is_the_physical_one_s() {
    let (mut gic, mut cpu) = (open(1), Interface::new(4));
    for _ in 0..3 {
        let _ = gic.sync(0, &mut cpu);
        assert!(!gic.timer_is_active(0));
        assert_eq!(gic.raise_timer(0), 1);
        assert!(gic.timer_is_active(0));
        let effects = gic.flush(0, &mut cpu);
        assert_eq!((effects.ended, effects.kick), (0, 0));
        cpu.check();
        assert_eq!(cpu.acknowledge(), Some(27));
        assert!(cpu.end(27));
        assert_eq!(cpu.deactivated.pop(), Some(27));
        assert_eq!(cpu.acknowledge(), None);
    }
}

/// Lets a guest handle all that comes, with no exit but those that the interface requests. Returns
/// the interrupts that it acknowledged.
fn drain(gic: &mut VirtualGic, vcpu: usize, cpu: &mut Interface) -> std::vec::Vec<u32> {
    let mut seen = std::vec::Vec::new();
    loop {
        while let Some(intid) = cpu.acknowledge() {
            seen.push(intid);
            assert!(seen.len() < 1000, "it does not end");
            assert!(cpu.end(intid));
        }
        if !cpu.maintenance() {
            return seen;
        }
        let _ = gic.sync(vcpu, cpu);
        let _ = gic.flush(vcpu, cpu);
    }
}

#[test]
fn more_than_there_are_registers_come_all_and_in_order() {
    for count in [2, 4, 16] {
        let (mut gic, mut cpu) = (open(1), Interface::new(count));
        for intid in 0..96 {
            assert_eq!(gic.raise(0, intid), 1);
        }
        let _ = gic.write(D, 0x400 + 95, 1, 0x20);
        let _ = gic.flush(0, &mut cpu);
        assert_eq!(cpu.pending()[0], (0x20, 95));
        assert_eq!(cpu.pending().len(), count);
        assert!(cpu.notices.underflow);
        let mut expected = std::vec![95];
        expected.extend(0..95);
        assert_eq!(drain(&mut gic, 0, &mut cpu), expected);
        let _ = gic.sync(0, &mut cpu);
        assert!(!cpu.notices.underflow && !gic.is_deliverable(0));
    }
}

#[test]
fn what_is_disabled_stays_pending_until_it_is_enabled() {
    let (mut gic, mut cpu) = (open(1), Interface::new(4));
    let frame = Frame::Redistributor(0);
    gic.raise(0, 5);
    let _ = gic.flush(0, &mut cpu);
    let _ = gic.sync(0, &mut cpu);
    let _ = write(&mut gic, frame, SGI + ICENABLER, 1 << 5);
    let _ = gic.flush(0, &mut cpu);
    assert_eq!(cpu.acknowledge(), None);
    assert!(!gic.is_deliverable(0));
    assert_eq!(read(&mut gic, frame, SGI + ISPENDR), 1 << 5);
    assert_eq!(write(&mut gic, frame, SGI + ISENABLER, 1 << 5).kick, 1);
    let _ = gic.flush(0, &mut cpu);
    assert_eq!(drain(&mut gic, 0, &mut cpu), [5]);
}

#[test]
fn a_timer_that_goes_off_while_its_handler_is_interrupted_is_told_of_by_its_line() {
    let (mut gic, mut cpu) = (open(1), Interface::new(4));
    gic.raise_timer(0);
    let _ = gic.flush(0, &mut cpu);
    assert_eq!(cpu.acknowledge(), Some(27));
    // It does not run for a while; the hypervisor sees its timer go off.
    let _ = gic.sync(0, &mut cpu);
    assert_eq!(gic.raise_timer(0), 0);
    assert!(gic.timer_is_active(0) && !gic.is_deliverable(0));
    let _ = gic.flush(0, &mut cpu);
    // The handler has set the timer again by now: nothing is left over.
    assert!(cpu.end(27));
    assert_eq!(drain(&mut gic, 0, &mut cpu), []);
    let _ = gic.sync(0, &mut cpu);
    assert!(!gic.timer_is_active(0));
}

#[test]
fn a_line_that_stays_high_comes_again_and_a_low_one_does_not() {
    let (mut gic, mut cpu) = (open(1), Interface::new(4));
    assert_eq!(gic.set_level(0, 33, true), 1);
    let _ = gic.flush(0, &mut cpu);
    for _ in 0..3 {
        assert_eq!(cpu.acknowledge(), Some(33));
        assert!(cpu.end(33));
        assert!(cpu.maintenance());
        let _ = gic.flush(0, &mut cpu);
        assert!(!cpu.maintenance());
    }
    assert_eq!(cpu.acknowledge(), Some(33));
    // Its handler reads from the device what it has: an exit.
    let _ = gic.sync(0, &mut cpu);
    gic.set_level(0, 33, false);
    let _ = gic.flush(0, &mut cpu);
    assert!(cpu.end(33));
    assert!(!cpu.maintenance());
    assert_eq!(cpu.acknowledge(), None);
}

#[test]
fn with_one_register_each_end_is_noticed_and_no_underflow_is_asked_for() {
    let (mut gic, mut cpu) = (open(1), Interface::new(1));
    for intid in [3, 48, 95] {
        assert_eq!(gic.raise(0, intid), 1);
    }
    let _ = gic.flush(0, &mut cpu);
    // At most one of one register is in use always: the maintenance interrupt would come for ever.
    assert!(!cpu.notices.underflow && !cpu.maintenance());
    assert_eq!(drain(&mut gic, 0, &mut cpu), [3, 48, 95]);
    let _ = gic.sync(0, &mut cpu);
    assert!(!gic.is_deliverable(0));
}

/// Interrupts that others may send: software's, and those of channels.
const SENT: [u32; 9] = [0, 15, 48, 49, 50, 51, 52, 53, 55];

/// Sends all interrupts from all senders. Returns how often the VCPU is kicked, and left for it.
fn flood(gic: &mut VirtualGic, cpu: &mut Interface) -> usize {
    let mut kicks = 0;
    for intid in SENT {
        if gic.raise(0, intid) != 0 {
            kicks += 1;
            let _ = gic.sync(0, cpu);
            let _ = gic.flush(0, cpu);
        }
    }
    kicks
}

#[test]
fn a_guest_that_takes_no_interrupt_is_left_twice_for_each_at_most() {
    for count in [1, 2, 4, 16] {
        let (mut gic, mut cpu) = (open(1), Interface::new(count));
        let kicks: usize = (0..100).map(|_| flood(&mut gic, &mut cpu)).sum();
        assert!(kicks <= 2 * SENT.len(), "{kicks} kicks");
        let more: usize = (0..1000).map(|_| flood(&mut gic, &mut cpu)).sum();
        assert_eq!(more, 0, "{count} registers");
        // Nothing of it is lost.
        let mut seen = drain(&mut gic, 0, &mut cpu);
        seen.sort_unstable();
        seen.dedup();
        assert!(SENT.iter().all(|intid| seen.contains(intid)), "{seen:?}");
    }
}

#[test]
fn a_guest_that_takes_interrupts_without_end_is_left_once_for_each() {
    let (mut gic, mut cpu) = (open(1), Interface::new(4));
    let (mut exits, mut taken) = (0, 0);
    for _ in 0..1000 {
        // The sender is faster than the handler.
        for _ in 0..3 {
            if gic.raise(0, 48) != 0 {
                exits += 1;
                let _ = gic.sync(0, &mut cpu);
                let _ = gic.flush(0, &mut cpu);
            }
        }
        taken += 1;
        assert_eq!(cpu.acknowledge(), Some(48));
        assert_eq!(gic.raise(0, 48), 0);
        assert!(cpu.end(48));
        if cpu.maintenance() {
            exits += 1;
            let _ = gic.sync(0, &mut cpu);
            let _ = gic.flush(0, &mut cpu);
        }
    }
    assert!(exits <= taken + 2, "{exits} exits for {taken} interrupts");
}

#[test]
fn as_many_handlers_run_inside_each_other_as_there_are_priorities() {
    for count in [1, 2, 4, 16] {
        let (mut gic, mut cpu) = (open(1), Interface::new(count));
        let all: std::vec::Vec<u32> = (0..16).chain([27, 30, 33, 40, 95]).collect();
        for (urgency, &intid) in (0u64..).zip(&all) {
            let (frame, base) = place(0, intid);
            let at = base + 0x400 + u64::from(intid);
            let _ = gic.write(frame, at, 1, 0xF0 - 8 * urgency);
            gic.raise(0, intid);
            let _ = gic.flush(0, &mut cpu);
            assert_eq!(cpu.acknowledge(), Some(intid), "{count} registers");
            let _ = gic.sync(0, &mut cpu);
        }
        let _ = gic.flush(0, &mut cpu);
        for &intid in all.iter().rev() {
            let active = |gic: &mut VirtualGic| {
                let (frame, base) = place(0, intid);
                let word = read(gic, frame, base + 0x300 + u64::from(intid / 32 * 4));
                word >> (intid % 32) & 1
            };
            let _ = gic.sync(0, &mut cpu);
            assert_eq!(active(&mut gic), 1, "{intid} with {count} registers");
            let _ = gic.flush(0, &mut cpu);
            cpu.end(intid);
            // Nothing is requested but the notice of an end.
            if cpu.maintenance() {
                let _ = gic.flush(0, &mut cpu);
                assert!(!cpu.maintenance());
            }
            let _ = gic.sync(0, &mut cpu);
            assert_eq!(active(&mut gic), 0, "{intid} with {count} registers");
        }
        assert!(!gic.timer_is_active(0));
        let _ = gic.flush(0, &mut cpu);
        assert!(!cpu.notices.away);
    }
}
