//! Owns: a partition with virtual processors that do one act after another, and what they saw after
//! each. Must never know: what they should have seen.

use std::cell::RefCell;
use std::rc::Rc;

use taktos_abi::vm::{self, Description, OnStop, Wait, layout};

use super::rig::{Costs, Guest, Rig, View};
use super::{Act, REGISTER};

/// MRS of the system register op0, op1, CRn, CRm, op2: the [`View`] after it shows the value that
/// was read as x5.
pub fn read(register: [u64; 5]) -> Act {
    Act::Exception(access(register) | 1, 0, 0, 0)
}

/// MSR of a system register.
pub fn write(register: [u64; 5], value: u64) -> Act {
    Act::Exception(access(register), 0, 0, value)
}

/// ESR_EL2 of an MRS or MSR with x5 (Arm DDI 0487, section D24.2.40), written.
fn access([op0, op1, n, m, op2]: [u64; 5]) -> u64 {
    REGISTER | op0 << 20 | op2 << 17 | op1 << 14 | n << 10 | 5 << 5 | m << 1
}

/// View of a program after each of its acts.
type Seen = Rc<RefCell<Vec<View>>>;

/// A program that does its acts in turn, from the first one after a reset, and then nothing for
/// ever.
struct Program {
    acts: Vec<Act>,
    next: usize,
    seen: Seen,
}

impl Guest for Program {
    fn begin(&mut self) {
        self.next = 0;
        self.seen.borrow_mut().clear();
    }

    fn next(&mut self, view: View) -> Act {
        if self.next > 0 && self.next <= self.acts.len() {
            self.seen.borrow_mut().push(view);
        }
        self.next += 1;
        let act = self.acts.get(self.next - 1).copied();
        act.unwrap_or(Act::Run(1 << 62))
    }
}

/// A machine with one partition, a processor for each of its virtual ones.
pub struct Script {
    /// The machine.
    pub rig: Rig,
    seen: Vec<Seen>,
}

impl Script {
    /// One virtual processor for each of the programs; the first one begins, the others are off.
    /// Each exit takes `exit` nanoseconds.
    ///
    /// # Panics
    /// Panics when there are more than four programs.
    pub fn new(programs: Vec<Vec<Act>>, exit: u64) -> Self {
        let description = description(programs.len());
        let seen: Vec<Seen> = programs.iter().map(|_| Seen::default()).collect();
        let guests = programs.into_iter().zip(&seen).map(|(acts, seen)| {
            let seen = seen.clone();
            let next = 0;
            Box::new(Program { acts, next, seen }) as Box<dyn Guest>
        });
        let costs = Costs { exit, call: exit };
        Self {
            rig: Rig::new(&description, guests.collect(), costs),
            seen,
        }
    }

    /// Runs to `end`, in nanoseconds.
    pub fn run(mut self, end: u64) -> Self {
        self.rig.run(end);
        self
    }

    /// Returns the views of the virtual processor after each act since it was reset last.
    pub fn seen(&self, vcpu: usize) -> Vec<View> {
        self.seen[vcpu].borrow().clone()
    }

    /// Returns the values of x0 after each act.
    pub fn answers(&self, vcpu: usize) -> Vec<u64> {
        let seen = self.seen(vcpu);
        seen.iter().map(|view| view.answer[0]).collect()
    }

    /// Returns the values of x5 after each act.
    pub fn read(&self, vcpu: usize) -> Vec<u64> {
        let seen = self.seen(vcpu);
        seen.iter().map(|view| view.answer[1]).collect()
    }
}

fn description(vcpus: usize) -> Description {
    let mut made = Description::EMPTY;
    made.cpus = vcpus as u8;
    made.pool_count = 1;
    made.pools[0] = vm::Pool {
        cpus: (1 << vcpus) - 1,
        policy: vm::Policy::Null,
    };
    made.partition_count = 1;
    made.vcpu_count = vcpus as u8;
    made.partitions[0] = vm::Partition {
        vcpus: vcpus as u8,
        memory: layout::PARTITIONS,
        bytes: 0x20_0000,
        entry: layout::MEMORY,
        on_reset: OnStop::Restart(u32::MAX),
        wait: Wait::Trapped,
        ..vm::Partition::EMPTY
    };
    made.partitions[0].name[0] = b'p';
    for record in &mut made.vcpus[..vcpus] {
        record.hard = u64::MAX;
        record.soft = u64::MAX;
    }
    made.check().expect("a good description");
    made
}
