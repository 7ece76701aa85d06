//! The controller under test, the interfaces of the VCPUs' processors and the naive controller,
//! driven side by side: what happens is done to both, and the guests must not see a difference.
//!
//! VCPUs run all the time. One is left when it does something that the hypervisor must see, when
//! the controller requests it (a kick, a maintenance interrupt), and never else.
//!
//! An event is on its way for a while, as between real processors. No VCPU is kicked for an event
//! if its interrupt is in a list register that gives notice of its end. It arrives when the VCPU is
//! left the next time.

use super::interface::Interface;
use super::naive::Naive;
use crate::vgic::{Effects, Frame, VirtualGic};
use std::vec;
use std::vec::Vec;

/// The assigned physical interrupt.
pub const PHYSICAL: u32 = 40;
const TIMER: u32 = 27;

/// Actions of a guest on interrupts by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Enable,
    Disable,
    Pend,
    Unpend,
    Activate,
    Deactivate,
    Edge(bool),
    Priority(u8),
}

/// Event of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// Interrupt .1, of VCPU .0 if it is private.
    Raise(usize, u32),
    Level(usize, u32, bool),
    Timer(usize),
    /// VCPU .0 looks whether its timer and the device still ask: this one does not any more.
    Withdraw(usize, bool),
    /// The physical interrupt.
    Device,
    /// VCPU .0 does it to interrupt .2 (of VCPU .1, if it is private).
    Act(usize, usize, u32, Act),
    /// VCPU .0 routes .1 to .2, which there may be none of.
    Route(usize, u32, usize),
    Group(usize, bool),
    Wake(usize, usize, bool),
    Send(usize, u64),
    /// The guest acknowledges.
    Acknowledge(usize),
    /// The guest ends what it acknowledged last.
    End(usize),
    /// The guest takes the second step of an end, of an interrupt with a priority that it has
    /// dropped.
    Deactivate(usize, usize),
    /// An exit for some other reason.
    Exit(usize),
    /// Off and on.
    ResetVcpu(usize),
    /// All VCPUs exit, and all registers are compared.
    Compare,
}

pub struct System {
    pub gic: VirtualGic,
    pub cpus: Vec<Interface>,
    pub naive: Naive,
    /// Interrupts that each guest acknowledged and has not ended.
    pub stacks: Vec<Vec<u32>>,
    /// The interrupts that each has ended in the first of two steps.
    pub dropped: Vec<Vec<u32>>,
    pub timers: Vec<bool>,
    pub device: bool,
    /// A VCPU ended one of hardware's since it was left the last time.
    ended: Vec<bool>,
    /// The events that are on their way to each VCPU.
    coming: Vec<Vec<u32>>,
}

impl System {
    /// Creates a system with nothing enabled and no VCPU awake.
    pub fn new(vcpus: usize, registers: usize) -> Self {
        let mut gic = VirtualGic::new();
        gic.assign_physical(PHYSICAL);
        assert_eq!(gic.reset(vcpus).ended, 0);
        Self {
            gic,
            cpus: vec![Interface::new(registers); vcpus],
            naive: Naive::new(vcpus),
            stacks: vec![Vec::new(); vcpus],
            dropped: vec![Vec::new(); vcpus],
            timers: vec![false; vcpus],
            device: false,
            ended: vec![false; vcpus],
            coming: vec![Vec::new(); vcpus],
        }
    }

    /// Its guests end in two steps, of which the second one can be trapped alone, or not.
    pub fn in_two_steps(mut self, traps: bool) -> Self {
        for cpu in &mut self.cpus {
            (cpu.split, cpu.traps) = (true, traps);
        }
        self
    }

    /// All of `intids` enabled, all awake.
    pub fn ready(vcpus: usize, registers: usize, intids: &[u32]) -> Self {
        let mut system = Self::new(vcpus, registers);
        system.step(Event::Group(0, true));
        for vcpu in 0..vcpus {
            system.step(Event::Wake(vcpu, vcpu, true));
            for &intid in intids {
                system.step(Event::Act(vcpu, vcpu, intid, Act::Enable));
                system.step(Event::Act(vcpu, vcpu, intid, Act::Priority(0x80)));
            }
        }
        system
    }

    pub fn step(&mut self, event: Event) {
        // A VCPU that does something that is seen is left first: what its guest has ended may
        // concern others, before anything changes.
        match event {
            Event::Act(by, ..)
            | Event::Route(by, ..)
            | Event::Group(by, _)
            | Event::Wake(by, ..)
            | Event::Send(by, _) => self.sync(by),
            _ => {}
        }
        match event {
            Event::Raise(vcpu, intid) if !is_physical(intid) => {
                let kick = self.gic.raise(vcpu, intid);
                self.event(vcpu, intid, kick);
                self.kick(kick);
            }
            Event::Level(vcpu, intid, high) if !is_physical(intid) => self.level(vcpu, intid, high),
            Event::Raise(..) | Event::Level(..) => {}
            Event::Timer(vcpu) => self.timer(vcpu),
            Event::Withdraw(vcpu, timer) => self.withdraw(vcpu, timer),
            Event::Device => self.device(),
            Event::Act(by, vcpu, intid, act) => self.act(by, vcpu, intid, act),
            Event::Route(by, intid, vcpu) => {
                self.naive.get(0, intid).route = vcpu;
                let offset = 0x6000 + 8 * u64::from(intid);
                self.write(by, Frame::Distributor, offset, 8, vcpu as u64);
            }
            Event::Group(by, on) => {
                self.naive.group = on;
                let value = if on { 0x12 } else { 0x10 };
                self.write(by, Frame::Distributor, 0, 4, value);
            }
            Event::Wake(by, vcpu, on) => {
                self.naive.awake[vcpu] = on;
                let value = if on { 0 } else { 2 };
                self.write(by, Frame::Redistributor(vcpu), 0x14, 4, value);
            }
            Event::Send(from, value) => {
                self.sync(from);
                let kick = self.gic.send(from, value);
                let (intid, targets) = self.naive.sent(from, value);
                for target in targets {
                    self.event(target, intid, kick);
                }
                self.kick(kick);
                self.flush(from);
            }
            Event::Acknowledge(vcpu) => self.acknowledge(vcpu),
            Event::End(vcpu) => self.end(vcpu),
            Event::Deactivate(vcpu, which) => self.deactivate(vcpu, which),
            Event::Exit(vcpu) => self.exit(vcpu),
            Event::ResetVcpu(vcpu) => self.reset_vcpu(vcpu),
            Event::Compare => self.compare(),
        }
    }

    /// Handles an event of an interrupt, for which the controller has returned `kick`.
    fn event(&mut self, vcpu: usize, intid: u32, kick: u16) {
        let watches = |&cpu: &usize| {
            let its = intid >= 32 || cpu == vcpu;
            its && kick >> cpu & 1 == 0 && self.cpus[cpu].is_watched(intid)
        };
        match (0..self.cpus.len()).find(watches) {
            Some(cpu) => self.coming[cpu].push(intid),
            None => self.naive.get(vcpu, intid).latch = true,
        }
    }

    fn level(&mut self, vcpu: usize, intid: u32, high: bool) {
        let kick = self.gic.set_level(vcpu, intid, high);
        let state = self.naive.get(vcpu, intid);
        let rose = !core::mem::replace(&mut state.line, high) && high;
        if rose && state.edge {
            self.event(vcpu, intid, kick);
        }
        self.kick(kick);
    }

    /// Makes the events on their way to `vcpu` arrive.
    fn arrive(&mut self, vcpu: usize) {
        for intid in core::mem::take(&mut self.coming[vcpu]) {
            self.naive.get(vcpu, intid).latch = true;
        }
    }

    pub fn sync(&mut self, vcpu: usize) {
        self.arrive(vcpu);
        let effects = self.gic.sync(vcpu, &mut self.cpus[vcpu]);
        for intid in core::mem::take(&mut self.cpus[vcpu].deactivated) {
            if intid == TIMER {
                self.timers[vcpu] = false;
            } else {
                assert_eq!(intid, PHYSICAL);
                self.device = false;
            }
        }
        self.effects(effects);
    }

    pub fn flush(&mut self, vcpu: usize) {
        self.sync(vcpu);
        let effects = self.gic.flush(vcpu, &mut self.cpus[vcpu]);
        self.ended[vcpu] = false;
        self.cpus[vcpu].check();
        self.check_choice(vcpu);
        self.effects(effects);
        assert!(!self.cpus[vcpu].maintenance(), "it would never get on");
    }

    /// An exit, and the return from it.
    pub fn exit(&mut self, vcpu: usize) {
        self.sync(vcpu);
        self.flush(vcpu);
    }

    fn effects(&mut self, effects: Effects) {
        if effects.ended >> (PHYSICAL - 32) & 1 != 0 {
            self.device = false;
        }
        for vcpu in 0..self.cpus.len() {
            if effects.timers >> vcpu & 1 != 0 {
                self.timers[vcpu] = self.gic.timer_is_active(vcpu);
            }
        }
        self.kick(effects.kick);
    }

    fn kick(&mut self, kick: u16) {
        assert_eq!(u32::from(kick) >> self.cpus.len(), 0);
        for vcpu in 0..self.cpus.len() {
            if kick >> vcpu & 1 != 0 {
                self.exit(vcpu);
            }
        }
    }

    /// It fires physically, in the middle of whatever the guest does.
    fn timer(&mut self, vcpu: usize) {
        let state = self.naive.get(vcpu, TIMER);
        // While the guest's handler is at it, the physical one is active and does not fire; if the
        // guest itself has brought about that it is not, whether it comes again depends on
        // a line that is not modelled here.
        if self.timers[vcpu] || state.active.is_some() {
            return;
        }
        self.timers[vcpu] = true;
        state.latch = true;
        let kick = self.gic.raise_timer(vcpu);
        assert!(self.gic.timer_is_active(vcpu));
        self.kick(kick);
        self.flush(vcpu);
    }

    fn withdraw(&mut self, vcpu: usize, timer: bool) {
        self.sync(vcpu);
        let (of_timer, of_shared) = self.gic.doubtful(vcpu);
        let (intid, doubtful) = match timer {
            true => (TIMER, of_timer),
            false => (PHYSICAL, of_shared >> (PHYSICAL - 32) & 1 != 0),
        };
        let state = self.naive.get(vcpu, intid);
        let pending = state.latch && state.active.is_none();
        // A value that a guest has written stays; that it has may be remembered for longer than it
        // is so.
        let written = state.written || state.was_written && !doubtful;
        assert!(
            !(doubtful && pending && state.written),
            "{intid} was asked for"
        );
        assert!(doubtful || !pending || written, "{intid} is not asked for");
        state.latch &= !(pending && doubtful);
        let shared = match timer {
            true => 0,
            false => of_shared,
        };
        let effects = self.gic.withdraw(vcpu, timer && doubtful, shared);
        self.effects(effects);
        self.flush(vcpu);
    }

    fn device(&mut self) {
        if !self.device {
            self.device = true;
            self.naive.get(0, PHYSICAL).latch = true;
            let kick = self.gic.raise(0, PHYSICAL);
            self.kick(kick);
        }
    }

    fn write(&mut self, by: usize, frame: Frame, offset: u64, size: usize, value: u64) {
        self.sync(by);
        let effects = self.gic.write(frame, offset, size, value);
        self.effects(effects);
        self.flush(by);
    }

    fn act(&mut self, by: usize, vcpu: usize, intid: u32, act: Act) {
        let target = self.naive.target(vcpu, intid);
        let state = self.naive.get(vcpu, intid);
        let (frame, base) = place(vcpu, intid);
        let word = base + u64::from(intid / 32 * 4);
        let bit = 1 << (intid % 32);
        let (offset, size, value) = match act {
            Act::Enable => {
                state.enabled = true;
                (0x100 + word, 4, bit)
            }
            Act::Disable => {
                state.enabled = false;
                (0x180 + word, 4, bit)
            }
            Act::Pend => {
                (state.latch, state.written, state.was_written) = (true, true, true);
                (0x200 + word, 4, bit)
            }
            Act::Unpend => {
                (state.latch, state.written) = (false, false);
                // Also what is on its way: it might as well have arrived before.
                let is_other = |&other: &u32| other != intid;
                match intid {
                    ..32 => self.coming[vcpu].retain(is_other),
                    _ => self.coming.iter_mut().for_each(|all| all.retain(is_other)),
                }
                (0x280 + word, 4, bit)
            }
            Act::Activate => {
                state.active = state.active.or(Some(target));
                (0x300 + word, 4, bit)
            }
            Act::Deactivate => {
                state.active = None;
                state.acknowledged = false;
                (0x380 + word, 4, bit)
            }
            Act::Edge(edge) => {
                state.edge = edge || intid < 16;
                let offset = base + 0xC00 + u64::from(intid / 16 * 4);
                let old = self.gic.read(frame, offset, 4);
                let bit = 2 << (intid % 16 * 2);
                (offset, 4, if edge { old | bit } else { old & !bit })
            }
            Act::Priority(priority) => {
                state.priority = priority & 0xF8;
                (base + 0x400 + u64::from(intid), 1, priority.into())
            }
        };
        self.write(by, frame, offset, size, value);
    }

    pub fn acknowledge(&mut self, vcpu: usize) {
        let mut expected = self.expected(vcpu);
        let mut taken = self.cpus[vcpu].acknowledge();
        if let Some((priority, intid)) = expected
            && taken.is_none_or(|taken| self.naive.get(vcpu, taken).priority > priority)
            && !self.cpus[vcpu].is_stuck()
        {
            // Of the ends of hardware's interrupts there is no notice: one that was pending again
            // before its end, and what waits for a register while two others hold
            // active ones, or where there is but one, wait for the next exit.
            let crowd = self.cpus[vcpu].actives() >= 2 || self.cpus[vcpu].registers.len() == 1;
            let crowded = self.ended[vcpu] && crowd;
            let excused = is_physical(intid) || crowded;
            assert!(excused, "{intid} should have come, not {taken:?}");
            if taken.is_none() {
                for other in 0..self.cpus.len() {
                    self.exit(other);
                }
                expected = self.expected(vcpu);
                taken = self.cpus[vcpu].acknowledge();
                assert!(taken.is_some() || self.cpus[vcpu].is_stuck());
            }
        }
        let Some(intid) = taken else {
            return;
        };
        assert!(expected.is_some(), "{intid} came for nothing");
        let deliverable = self.naive.deliverable(vcpu);
        assert!(
            deliverable.iter().any(|&(_, other)| other == intid),
            "{intid} came for nothing"
        );
        self.naive.acknowledge(vcpu, intid);
        self.stacks[vcpu].push(intid);
        if self.cpus[vcpu].maintenance() {
            self.exit(vcpu);
        }
    }

    /// Returns the interrupt that the naive controller would deliver.
    pub fn expected(&mut self, vcpu: usize) -> Option<(u8, u32)> {
        let running = self.cpus[vcpu].running_priority();
        let awake = self.naive.awake[vcpu];
        let first = self.naive.deliverable(vcpu).first().copied();
        first.filter(|&(priority, _)| awake && priority < running)
    }

    pub fn end(&mut self, vcpu: usize) {
        let Some(intid) = self.stacks[vcpu].pop() else {
            return;
        };
        if self.cpus[vcpu].split {
            self.cpus[vcpu].drop_priority();
            return self.dropped[vcpu].push(intid);
        }
        let found = self.cpus[vcpu].end(intid);
        self.ended(vcpu, intid, found, self.cpus[vcpu].notices.away);
    }

    /// A guest has ended `intid`: a list register has `found` it, or some are `away`.
    fn ended(&mut self, vcpu: usize, intid: u32, found: bool, away: bool) {
        self.ended[vcpu] |= is_physical(intid);
        let state = *self.naive.get(vcpu, intid);
        if state.active == Some(vcpu) && (found || state.acknowledged) {
            assert!(found || away, "{intid} was active, and nobody knew");
            self.naive.deactivate(vcpu, intid);
        }
        if self.cpus[vcpu].maintenance() {
            self.exit(vcpu);
        }
    }

    pub fn deactivate(&mut self, vcpu: usize, which: usize) {
        let Some(which) = which.checked_rem(self.dropped[vcpu].len()) else {
            return;
        };
        let intid = self.dropped[vcpu].remove(which);
        if !(self.cpus[vcpu].notices.away && self.cpus[vcpu].traps) {
            let found = self.cpus[vcpu].end_in_second_step(intid);
            return self.ended(vcpu, intid, found, false);
        }
        self.sync(vcpu);
        self.naive.deactivate(vcpu, intid);
        let effects = self.gic.deactivate(vcpu, intid.into(), &self.cpus[vcpu]);
        self.effects(effects);
        self.flush(vcpu);
    }

    fn reset_vcpu(&mut self, vcpu: usize) {
        self.sync(vcpu);
        self.naive.reset_vcpu(vcpu);
        self.stacks[vcpu].clear();
        self.dropped[vcpu].clear();
        let old = &self.cpus[vcpu];
        let (split, traps) = (old.split, old.traps);
        self.cpus[vcpu] = Interface {
            split,
            traps,
            ..Interface::new(old.registers.len())
        };
        let effects = self.gic.reset_vcpu(vcpu);
        assert!(!self.gic.timer_is_active(vcpu));
        self.effects(effects);
        self.flush(vcpu);
    }
}

fn is_physical(intid: u32) -> bool {
    intid == TIMER || intid == PHYSICAL
}

/// Where an interrupt's registers are.
pub fn place(vcpu: usize, intid: u32) -> (Frame, u64) {
    if intid < 32 {
        (Frame::Redistributor(vcpu), 0x1_0000)
    } else {
        (Frame::Distributor, 0)
    }
}
