//! A controller without any cleverness: a record for each interrupt, and nothing between it and the
//! guest (Arm IHI 0069, the chapters on the life of an interrupt and on the registers).

use std::vec;
use std::vec::Vec;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub enabled: bool,
    pub edge: bool,
    pub latch: bool,
    pub line: bool,
    pub priority: u8,
    /// Active, on this VCPU.
    pub active: Option<usize>,
    /// It is active since a guest acknowledged it (and not since a guest wrote it so).
    pub acknowledged: bool,
    /// A guest has made it pending, and it is still for that; and whether one ever has.
    pub written: bool,
    pub was_written: bool,
    /// A shared one's target.
    pub route: usize,
}

impl State {
    pub fn pending(&self) -> bool {
        self.latch || self.line && !self.edge
    }
}

#[derive(Clone, Debug)]
pub struct Naive {
    pub group: bool,
    pub awake: Vec<bool>,
    private: Vec<[State; 32]>,
    shared: [State; 64],
}

/// A private one after a reset.
fn private() -> [State; 32] {
    core::array::from_fn(|intid| State {
        edge: intid < 16,
        ..State::default()
    })
}

impl Naive {
    pub fn new(vcpus: usize) -> Self {
        Self {
            group: false,
            awake: vec![false; vcpus],
            private: vec![private(); vcpus],
            shared: [State::default(); 64],
        }
    }

    pub fn vcpus(&self) -> usize {
        self.private.len()
    }

    pub fn get(&mut self, vcpu: usize, intid: u32) -> &mut State {
        if intid < 32 {
            &mut self.private[vcpu][intid as usize]
        } else {
            &mut self.shared[intid as usize - 32]
        }
    }

    /// The VCPU that an interrupt goes to.
    pub fn target(&mut self, vcpu: usize, intid: u32) -> usize {
        if intid < 32 {
            vcpu
        } else {
            self.get(vcpu, intid).route
        }
    }

    /// Returns the interrupts that end `vcpu`'s wait, with priorities, the most urgent first.
    pub fn deliverable(&mut self, vcpu: usize) -> Vec<(u8, u32)> {
        let mut found = Vec::new();
        for intid in 0..96 {
            let state = *self.get(vcpu, intid);
            let here = self.target(vcpu, intid) == vcpu;
            if self.group && here && state.enabled && state.pending() && state.active.is_none() {
                found.push((state.priority, intid));
            }
        }
        found.sort_unstable();
        found
    }

    pub fn acknowledge(&mut self, vcpu: usize, intid: u32) {
        let state = self.get(vcpu, intid);
        (state.latch, state.written) = (false, false);
        state.active = Some(vcpu);
        state.acknowledged = true;
    }

    pub fn deactivate(&mut self, vcpu: usize, intid: u32) {
        let state = self.get(vcpu, intid);
        state.active = None;
        state.acknowledged = false;
    }

    /// Returns what a write of ICC_SGI1R_EL1 sends: the number, and the receivers.
    pub fn sent(&self, from: usize, value: u64) -> (u32, Vec<usize>) {
        let field = |low: u32, bits: u32| value >> low & ((1 << bits) - 1);
        let affinity = field(16, 8) + field(32, 8) + field(48, 8) + field(44, 4);
        let everyone = field(40, 1) == 1;
        let is_meant = |vcpu: &usize| match everyone {
            true => *vcpu != from,
            false => affinity == 0 && field(0, 16) >> vcpu & 1 == 1,
        };
        let targets = (0..self.vcpus()).filter(is_meant).collect();
        (field(24, 4) as u32, targets)
    }

    /// The VCPU is switched off and on.
    pub fn reset_vcpu(&mut self, vcpu: usize) {
        for intid in 0..96 {
            let state = self.get(vcpu, intid);
            if intid < 32 || state.active == Some(vcpu) {
                state.active = None;
                state.acknowledged = false;
            }
        }
        let timer = self.get(vcpu, 27);
        (timer.latch, timer.written) = (false, false);
    }
}
