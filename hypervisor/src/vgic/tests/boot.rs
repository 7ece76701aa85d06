//! Accesses of the guests' drivers at boot, in order: Linux 6.12's (drivers/irqchip/irq-gic-v3.c
//! and irq-gic-common.c), and that of the crate arm-gic 0.10, which this project's kernel uses.

use super::interface::Interface;
use crate::vgic::{Frame, VirtualGic};
use std::vec;
use std::vec::Vec;

const D: Frame = Frame::Distributor;
const SGI_BASE: u64 = 0x1_0000;
const VCPUS: usize = 4;
const TIMER: u32 = 27;
const CONSOLE: u32 = 33;

/// A machine of four, with guests that access it the way they do in the hypervisor.
struct Machine {
    gic: VirtualGic,
    cpus: Vec<Interface>,
}

impl Machine {
    fn new() -> Self {
        let mut gic = VirtualGic::new();
        let _ = gic.reset(VCPUS);
        let cpus = vec![Interface::new(4); VCPUS];
        Self { gic, cpus }
    }

    fn access(&mut self, by: usize, frame: Frame, at: u64, size: usize, write: Option<u64>) -> u64 {
        assert_eq!(self.gic.sync(by, &mut self.cpus[by]).kick, 0);
        let (value, effects) = super::access(&mut self.gic, frame, at, size, write);
        assert_eq!(effects.ended, 0);
        self.kick(effects.kick);
        self.enter(by);
        value
    }

    fn read(&mut self, by: usize, frame: Frame, at: u64) -> u64 {
        self.access(by, frame, at, 4, None)
    }

    fn write(&mut self, by: usize, frame: Frame, at: u64, value: u64) {
        self.access(by, frame, at, 4, Some(value));
    }

    fn enter(&mut self, vcpu: usize) {
        assert_eq!(self.gic.flush(vcpu, &mut self.cpus[vcpu]).kick, 0);
    }

    fn kick(&mut self, kick: u16) {
        for vcpu in (0..VCPUS).filter(|vcpu| kick >> vcpu & 1 != 0) {
            self.enter(vcpu);
        }
    }

    /// Linux waits a second for this.
    fn no_write_is_pending(&mut self, by: usize, frame: Frame) {
        let bit = if frame == D { 31 } else { 3 };
        assert_eq!(self.read(by, frame, 0) >> bit & 1, 0);
    }

    /// gic_of_init, gic_init_bases, gic_dist_init.
    fn linux_distributor(&mut self) {
        assert_eq!(self.read(0, D, 0xFFE8) & 0xF0, 0x30, "not a GICv3");
        let typer = self.read(0, D, 0x0004);
        assert_eq!((typer & 0x1F) * 32 + 32, 96, "lines");
        assert_eq!((typer >> 19 & 0x1F) + 1, 10, "bits of numbers");
        // Neither extended ranges, message-based interrupts, LPIs nor a range selector.
        assert_eq!(typer & (1 << 8 | 1 << 16 | 1 << 17 | 1 << 26), 0);
        assert!(
            ![0, 0x0204_043B, 0xA000_034C].contains(&self.read(0, D, 8)),
            "a quirk"
        );
        assert_eq!(self.read(0, D, 0xC), 0, "TYPER2");
        self.write(0, D, 0, 0);
        self.no_write_is_pending(0, D);
        for intid in (32..96u64).step_by(32) {
            self.write(0, D, 0x80 + intid / 8, u64::from(u32::MAX));
        }
        for intid in (32..96u64).step_by(16) {
            self.write(0, D, 0xC00 + intid / 4, 0);
        }
        for intid in (32..96u64).step_by(4) {
            self.write(0, D, 0x400 + intid, 0xC0C0_C0C0);
        }
        for intid in (32..96u64).step_by(32) {
            self.write(0, D, 0x380 + intid / 8, u64::from(u32::MAX));
            self.write(0, D, 0x180 + intid / 8, u64::from(u32::MAX));
        }
        self.no_write_is_pending(0, D);
        self.write(0, D, 0, 1 << 4 | 1 << 1 | 1);
        assert_eq!(
            self.read(0, D, 0) & 0x52,
            0x52,
            "one security state, routing, group 1"
        );
        for intid in 32..96u64 {
            self.access(0, D, 0x6000 + 8 * intid, 8, Some(0));
        }
    }

    /// gic_cpu_init: gic_populate_rdist, gic_enable_redist, gic_cpu_config.
    fn linux_cpu(&mut self, vcpu: usize) {
        let mut found = None;
        for other in 0..VCPUS {
            let frame = Frame::Redistributor(other);
            assert_eq!(self.read(vcpu, frame, 0xFFE8) & 0xF0, 0x30);
            let typer = self.access(vcpu, frame, 8, 8, None);
            assert_eq!(typer & 0xF800_000B, 0, "16 private ones, no LPIs");
            assert_eq!(typer >> 4 & 1 != 0, other == VCPUS - 1, "the last one");
            if typer >> 32 == vcpu as u64 {
                found = Some(frame);
            }
        }
        let frame = found.expect("no redistributor for this one");
        let waker = self.read(vcpu, frame, 0x14);
        assert_eq!(waker, 6, "asleep after a reset");
        self.write(vcpu, frame, 0x14, waker & !2);
        assert_eq!(self.read(vcpu, frame, 0x14) & 4, 0, "ChildrenAsleep");
        self.write(vcpu, frame, SGI_BASE + 0x80, u64::from(u32::MAX));
        self.write(vcpu, frame, SGI_BASE + 0x380, u64::from(u32::MAX));
        self.write(vcpu, frame, SGI_BASE + 0x180, 0xFFFF_0000);
        self.write(vcpu, frame, SGI_BASE + 0x100, 0x0000_FFFF);
        for intid in (0..32).step_by(4) {
            self.write(vcpu, frame, SGI_BASE + 0x400 + intid, 0xC0C0_C0C0);
        }
        self.no_write_is_pending(vcpu, frame);
    }

    /// gic_set_type for the timer's level, gic_unmask_irq.
    fn linux_timer(&mut self, vcpu: usize) {
        let frame = Frame::Redistributor(vcpu);
        let old = self.read(vcpu, frame, SGI_BASE + 0xC04);
        let level = old & !(2 << ((TIMER % 16) * 2));
        self.write(vcpu, frame, SGI_BASE + 0xC04, level);
        assert_eq!(self.read(vcpu, frame, SGI_BASE + 0xC04), level);
        self.write(vcpu, frame, SGI_BASE + 0x100, 1 << TIMER);
        assert_eq!(
            self.read(vcpu, frame, SGI_BASE + 0x100),
            0xFFFF | 1 << TIMER
        );
    }

    fn serve(&mut self, vcpu: usize, intid: u32) {
        assert_eq!(self.cpus[vcpu].acknowledge(), Some(intid));
        assert!(self.cpus[vcpu].end(intid));
        assert_eq!(self.cpus[vcpu].acknowledge(), None);
    }

    fn send(&mut self, from: usize, value: u64) {
        let _ = self.gic.sync(from, &mut self.cpus[from]);
        let kick = self.gic.send(from, value);
        self.kick(kick);
        self.enter(from);
    }
}

#[test]
fn linux_boots_on_four() {
    let mut machine = Machine::new();
    machine.linux_distributor();
    for vcpu in 0..VCPUS {
        machine.linux_cpu(vcpu);
        machine.linux_timer(vcpu);
    }
    // Each to each, as gic_ipi_send_mask does; then one to a mask; then one to itself (an
    // irq_work).
    for from in 0..VCPUS {
        for to in 0..VCPUS {
            machine.send(from, 1 << to | 2 << 24);
            machine.serve(to, 2);
        }
    }
    machine.send(1, 0b1101 | 1 << 24);
    for to in [0, 2, 3] {
        machine.serve(to, 1);
    }
    assert_eq!(machine.cpus[1].acknowledge(), None);
    for vcpu in 0..VCPUS {
        let _ = machine.gic.sync(vcpu, &mut machine.cpus[vcpu]);
        machine.gic.raise_timer(vcpu);
        machine.enter(vcpu);
        machine.serve(vcpu, TIMER);
        assert_eq!(machine.cpus[vcpu].deactivated, [TIMER]);
    }
}

#[test]
fn linux_moves_the_console_s_interrupt() {
    let mut machine = Machine::new();
    machine.linux_distributor();
    for vcpu in 0..VCPUS {
        machine.linux_cpu(vcpu);
    }
    machine.write(0, D, 0x100 + 4, 1 << (CONSOLE - 32));
    let kick = machine.gic.set_level(0, CONSOLE, true);
    assert_eq!(kick, 1);
    machine.kick(kick);
    // gic_set_affinity, called on VCPU 2 while it is pending on VCPU 0: masked, routed, unmasked.
    assert_eq!(machine.read(2, D, 0x104), 1 << (CONSOLE - 32));
    machine.write(2, D, 0x184, 1 << (CONSOLE - 32));
    machine.no_write_is_pending(2, D);
    assert_eq!(machine.cpus[0].acknowledge(), None);
    machine.access(2, D, 0x6000 + 8 * u64::from(CONSOLE), 8, Some(3));
    machine.write(2, D, 0x104, 1 << (CONSOLE - 32));
    assert_eq!(machine.cpus[3].acknowledge(), Some(CONSOLE));
    // Its handler empties the console.
    let _ = machine.gic.sync(3, &mut machine.cpus[3]);
    machine.gic.set_level(3, CONSOLE, false);
    machine.enter(3);
    assert!(machine.cpus[3].end(CONSOLE));
    for vcpu in 0..VCPUS {
        machine.enter(vcpu);
        assert_eq!(machine.cpus[vcpu].acknowledge(), None);
    }
}

/// GicV3::setup by VCPU `vcpu`, then set_interrupt_priority, set_group and enable_interrupt as the
/// kernel does for a handler.
fn arm_gic(machine: &mut Machine, vcpu: usize, intid: u64) {
    let own = Frame::Redistributor(vcpu);
    // The stride between redistributors follows from these two.
    assert_eq!(
        machine.read(vcpu, Frame::Redistributor(0), 0xFFE8) >> 4 & 0xF,
        3
    );
    assert_eq!(
        machine.access(vcpu, Frame::Redistributor(0), 8, 8, None) >> 1 & 1,
        0
    );
    assert_ne!(machine.read(vcpu, own, 0x14) & 4, 0, "it must be asleep");
    machine.write(vcpu, own, 0x14, 4);
    assert_eq!(machine.read(vcpu, own, 0x14) & 4, 0);
    for other in 0..VCPUS {
        let frame = Frame::Redistributor(other);
        machine.write(vcpu, frame, SGI_BASE + 0x180, u64::from(u32::MAX));
        machine.no_write_is_pending(vcpu, frame);
        machine.write(vcpu, frame, SGI_BASE + 0x80, u64::from(u32::MAX));
        for word in 0..8 {
            machine.write(vcpu, frame, SGI_BASE + 0x400 + 4 * word, 0x8080_8080);
        }
        machine.write(vcpu, frame, SGI_BASE + 0xC04, 0);
    }
    for bit in [4, 1] {
        let old = machine.read(vcpu, D, 0);
        machine.write(vcpu, D, 0, old | 1 << bit);
        machine.no_write_is_pending(vcpu, D);
    }
    for other in 0..VCPUS {
        let frame = Frame::Redistributor(other);
        let at = SGI_BASE + 0x400 + intid;
        machine.access(vcpu, frame, at, 1, Some(0x80));
        assert_eq!(machine.access(vcpu, frame, at, 1, None), 0x80);
        let group = machine.read(vcpu, frame, SGI_BASE + 0x80);
        machine.write(vcpu, frame, SGI_BASE + 0x80, group | 1 << intid);
        let modifier = machine.read(vcpu, frame, SGI_BASE + 0xD00);
        machine.write(vcpu, frame, SGI_BASE + 0xD00, modifier & !(1 << intid));
        machine.write(vcpu, frame, SGI_BASE + 0x100, 1 << intid);
    }
}

#[test]
fn arm_gic_sets_it_up() {
    let mut machine = Machine::new();
    arm_gic(&mut machine, 0, 3);
    machine.send(0, 1 | 3 << 24);
    machine.serve(0, 3);
    // Another one is switched on; what was set up for it is there. It gets what was sent when its
    // redistributor wakes (init_cpu).
    assert_eq!(machine.gic.reset_vcpu(2).kick, 0);
    machine.send(0, 1 << 2 | 3 << 24);
    assert_eq!(machine.cpus[2].acknowledge(), None);
    machine.write(2, Frame::Redistributor(2), 0x14, 4);
    machine.serve(2, 3);
    // To all others.
    machine.send(2, 1 << 40 | 3 << 24);
    machine.serve(0, 3);
    assert_eq!(machine.cpus[2].acknowledge(), None);
}
