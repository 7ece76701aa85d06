//! Kicks that come late: a VCPU runs on, ends and acknowledges, while others send it interrupts. No
//! event is lost and none comes twice, however late it is left.

use super::interface::Interface;
use super::lists::open;
use crate::vgic::VirtualGic;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec;

const VCPUS: usize = 3;
const INTIDS: [u32; 6] = [0, 3, 15, 33, 48, 95];

#[derive(Clone, Copy, Debug)]
enum Step {
    Raise(usize, usize),
    Acknowledge(usize),
    End(usize),
    /// The VCPU is left, because of a kick or for no reason.
    Exit(usize),
    /// Another one routes the shared interrupt to this VCPU.
    Route(usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..VCPUS, 0..INTIDS.len()).prop_map(|(v, i)| Step::Raise(v, i)),
        6 => (0..VCPUS).prop_map(Step::Acknowledge),
        6 => (0..VCPUS).prop_map(Step::End),
        3 => (0..VCPUS).prop_map(Step::Exit),
        1 => (0..VCPUS, 3..INTIDS.len()).prop_map(|(v, i)| Step::Route(v, i)),
    ]
}

struct Machine {
    gic: VirtualGic,
    cpus: Vec<Interface>,
    stacks: Vec<Vec<u32>>,
    kicked: u16,
    /// For each private interrupt of each VCPU and each shared one: events, and acknowledgements.
    counts: Vec<(usize, usize)>,
    /// There was an event since the last acknowledgement.
    owed: Vec<bool>,
}

/// Where an interrupt is counted.
fn slot(vcpu: usize, index: usize) -> usize {
    let vcpu = if INTIDS[index] < 32 { vcpu } else { 0 };
    vcpu * INTIDS.len() + index
}

impl Machine {
    fn new(registers: usize) -> Self {
        Self {
            gic: open(VCPUS),
            cpus: vec![Interface::new(registers); VCPUS],
            stacks: vec![Vec::new(); VCPUS],
            kicked: 0,
            counts: vec![(0, 0); VCPUS * INTIDS.len()],
            owed: vec![false; VCPUS * INTIDS.len()],
        }
    }

    fn exit(&mut self, vcpu: usize) {
        self.kicked &= !(1 << vcpu);
        let effects = self.gic.sync(vcpu, &mut self.cpus[vcpu]);
        self.kicked |= effects.kick & !(1 << vcpu);
        let effects = self.gic.flush(vcpu, &mut self.cpus[vcpu]);
        self.kicked |= effects.kick;
        self.cpus[vcpu].check();
    }

    fn acknowledge(&mut self, vcpu: usize) -> bool {
        let Some(intid) = self.cpus[vcpu].acknowledge() else {
            return false;
        };
        let index = INTIDS.iter().position(|&other| other == intid);
        let slot = slot(vcpu, index.expect("nobody raised it"));
        self.counts[slot].1 += 1;
        self.owed[slot] = false;
        assert!(
            self.counts[slot].1 <= self.counts[slot].0,
            "{intid} came twice"
        );
        self.stacks[vcpu].push(intid);
        true
    }

    fn end(&mut self, vcpu: usize) {
        let Some(intid) = self.stacks[vcpu].pop() else {
            return;
        };
        let found = self.cpus[vcpu].end(intid);
        assert!(
            found || self.cpus[vcpu].notices.away,
            "{intid} was active, and nobody knew"
        );
        if self.cpus[vcpu].maintenance() {
            self.exit(vcpu);
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Raise(vcpu, index) => {
                let slot = slot(vcpu, index);
                self.counts[slot].0 += 1;
                self.owed[slot] = true;
                self.kicked |= self.gic.raise(vcpu, INTIDS[index]);
            }
            Step::Acknowledge(vcpu) => {
                self.acknowledge(vcpu);
            }
            Step::End(vcpu) => self.end(vcpu),
            Step::Exit(vcpu) => self.exit(vcpu),
            Step::Route(vcpu, index) => {
                let at = 0x6000 + 8 * u64::from(INTIDS[index]);
                let frame = crate::vgic::Frame::Distributor;
                self.kicked |= self.gic.write(frame, at, 8, vcpu as u64).kick;
            }
        }
    }

    /// All kicks arrive, and the guests take what there is; nothing else leads to an exit.
    fn settle(&mut self) {
        for _ in 0..10_000 {
            let mut idle = true;
            for vcpu in 0..VCPUS {
                if self.kicked >> vcpu & 1 != 0 {
                    self.exit(vcpu);
                    idle = false;
                }
                while !self.stacks[vcpu].is_empty() || self.acknowledge(vcpu) {
                    self.end(vcpu);
                    idle = false;
                }
            }
            if idle {
                return;
            }
        }
        panic!("it does not end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_event_is_lost_and_none_comes_twice(
        steps in prop::collection::vec(step(), 1..150),
        registers in prop::sample::select(&[1usize, 2, 4, 16][..]),
    ) {
        let mut machine = Machine::new(registers);
        for step in steps {
            machine.step(step);
        }
        machine.settle();
        for (slot, owed) in machine.owed.iter().enumerate() {
            let intid = INTIDS[slot % INTIDS.len()];
            assert!(!owed, "{intid} was lost: {:?}", machine.counts);
        }
    }
}

/// A shared interrupt that is active in no list register, routed elsewhere meanwhile, goes there
/// when a write makes it inactive.
#[test]
fn a_shared_interrupt_moves_when_its_active_state_is_cleared_by_a_write() {
    const INTID: u32 = 48;
    const SET_ACTIVE: u64 = 0x304;
    const CLEAR_ACTIVE: u64 = 0x384;
    let mut machine = Machine::new(4);
    let distributor = |machine: &mut Machine, at, bytes, value| {
        let frame = crate::vgic::Frame::Distributor;
        let _ = machine.gic.write(frame, at, bytes, value);
    };
    distributor(&mut machine, SET_ACTIVE, 4, 1 << (INTID - 32));
    distributor(&mut machine, 0x6000 + 8 * u64::from(INTID), 8, 1);
    distributor(&mut machine, CLEAR_ACTIVE, 4, 1 << (INTID - 32));
    assert_eq!(machine.gic.raise(0, INTID), 1 << 1, "its new place is told");
    machine.exit(0);
    machine.exit(1);
    let came = [0, 1].map(|vcpu: usize| machine.cpus[vcpu].acknowledge());
    assert_eq!(came, [None, Some(INTID)]);
}
