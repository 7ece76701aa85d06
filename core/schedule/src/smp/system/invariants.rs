//! Owns: the laws that hold after every operation. For tests and the simulator.

use super::System;
use crate::{
    Cpu,
    smp::{
        Instance, PolicyKind, Thread,
        ids::NONE,
        node::State,
        policy::Queues,
        thread::{Presence, ThreadRecord},
    },
};

/// A law that is broken, and by whom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The law.
    pub law: &'static str,
    /// Who breaks it.
    pub thread: Option<Thread>,
    /// Where.
    pub instance: Option<Instance>,
    /// On which processor.
    pub cpu: Option<Cpu>,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.law)?;
        if let Some(thread) = self.thread {
            write!(f, "; thread {}", thread.index())?;
        }
        if let Some(instance) = self.instance {
            write!(f, "; instance {}", instance.index())?;
        }
        if let Some(cpu) = self.cpu {
            write!(f, "; processor {}", cpu.index())?;
        }
        Ok(())
    }
}

impl core::error::Error for Violation {}

const fn broken(law: &'static str) -> Violation {
    Violation {
        law,
        thread: None,
        instance: None,
        cpu: None,
    }
}

fn law(holds: bool, law: &'static str) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(broken(law)) }
}

impl System<'_> {
    /// Checks every law; as many steps as nodes, squared at worst.
    ///
    /// # Errors
    /// The first law that is found broken.
    pub fn check_invariants(&self) -> Result<(), Violation> {
        self.check_scheduling()?;
        self.check_locks()
    }

    /// The laws that hold whatever the locks do.
    pub(crate) fn check_scheduling(&self) -> Result<(), Violation> {
        for instance in 0..self.instances.len() as u8 {
            self.check_places(instance).map_err(|violation| Violation {
                instance: Some(Instance(instance)),
                ..violation
            })?;
        }
        for id in 0..self.threads.len() as u16 {
            self.check_thread(id).map_err(|violation| Violation {
                thread: Some(Thread(id)),
                ..violation
            })?;
        }
        for cpu in self.online {
            self.check_processor(cpu).map_err(|violation| Violation {
                cpu: Some(cpu),
                ..violation
            })?;
        }
        Ok(())
    }

    fn check_places(&self, instance: u8) -> Result<(), Violation> {
        let record = &self.instances[instance as usize];
        let mut id = record.places.scheduled.first;
        let mut count = 0;
        while id != NONE {
            let node = self.node(instance, id);
            let cpu = node.processor();
            law(
                node.state == State::Scheduled,
                "who is in the list of SCHEDULED nodes is SCHEDULED",
            )?;
            law(
                record.places.owned.contains(cpu),
                "a SCHEDULED node holds a processor of its instance",
            )?;
            law(
                record.places.holder(cpu) == id,
                "a SCHEDULED node is the holder of its processor",
            )?;
            law(
                self.processors[cpu.index()].heir == self.user(instance, id),
                "the heir of a processor is the user of the node that holds it",
            )?;
            // Where seats decide all are idle threads, whose order means nothing.
            if node.next != NONE && !record.closed {
                law(
                    node.key.before(self.node(instance, node.next).key),
                    "the SCHEDULED nodes are in the order of their keys",
                )?;
            }
            count += 1;
            law(count <= Cpu::COUNT, "the list of SCHEDULED nodes ends")?;
            id = node.next;
        }
        law(
            count == record.places.owned.count(),
            "there are as many SCHEDULED nodes as processors",
        )?;
        // Policies that shift nobody leave one waiting now and then; theirs is the comparison, not the law.
        if record.kind == PolicyKind::PriorityAffinity {
            return Ok(());
        }
        let mut queues = record.queues.clone();
        for id in 0..self.idle_from {
            self.check_ready(instance, id, &mut queues)
                .map_err(|violation| Violation {
                    thread: Some(Thread(id)),
                    ..violation
                })?;
        }
        Ok(())
    }

    /// No READY node that could use a processor is before the SCHEDULED one that would have to give way to it.
    fn check_ready(&self, instance: u8, id: u16, queues: &mut Queues) -> Result<(), Violation> {
        let node = self.node(instance, id);
        if node.state != State::Ready || !self.could_run(instance, id) {
            return Ok(());
        }
        let rows = self.threads.len();
        let nodes = &self.nodes[instance as usize * rows..][..rows];
        let places = &self.instances[instance as usize].places;
        let lowest = queues.lowest(nodes, places, id);
        law(
            lowest.is_none_or(|lowest| !node.key.before(self.node(instance, lowest).key)),
            "no READY node is before the SCHEDULED one that it may replace",
        )
    }

    fn could_run(&self, instance: u8, id: u16) -> bool {
        self.can_use(instance, id) || self.keeps_its_place(instance, id)
    }

    fn check_thread(&self, id: u16) -> Result<(), Violation> {
        let record = self.thread(id);
        let mut scheduled = 0;
        for instance in 0..self.instances.len() as u8 {
            let node = self.node(instance, id);
            if node.state == State::Scheduled && node.idle == NONE {
                scheduled += 1;
                law(
                    record.pinned_to == ThreadRecord::NOWHERE || record.pinned_to == node.cpu,
                    "a pinned thread runs where it is pinned",
                )?;
            }
            law(
                node.state != State::Scheduled
                    || node.idle == NONE
                    || record.asks_on != ThreadRecord::NOWHERE
                    || self.keeps_its_place(instance, id),
                "an idle thread stands in only where the owner cannot run and keeps its place, or will ask",
            )?;
            law(
                node.state != State::Ready && node.state != State::Scheduled || record.exists,
                "who does not exist is in no queue",
            )?;
        }
        if self.is_idle_row(id) {
            return law(scheduled <= 1, "an idle thread is SCHEDULED at most once");
        }
        law(
            scheduled == usize::from(record.presence == Presence::Scheduled),
            "a thread is SCHEDULED by exactly one of its nodes, or it is not",
        )?;
        law(
            !record.exists || record.reasons.is_empty() == (record.presence != Presence::Blocked),
            "a thread is blocked exactly while there is a reason",
        )?;
        if record.presence != Presence::Ready || record.asks_on != ThreadRecord::NOWHERE {
            return Ok(());
        }
        let pinned = record.pinned_to != ThreadRecord::NOWHERE;
        law(
            (0..self.instances.len() as u8).all(|instance| {
                let node = self.node(instance, id);
                let waits = instance == record.first || node.helps > 0;
                node.state == State::Ready || !waits || pinned && instance != record.first
            }),
            "a thread that is ready without a processor waits wherever it may get one, or will ask there",
        )
    }

    fn check_processor(&self, cpu: Cpu) -> Result<(), Violation> {
        let processor = &self.processors[cpu.index()];
        law(processor.heir != NONE, "a processor online has an heir")?;
        let heir = self.thread(processor.heir);
        law(
            heir.presence == Presence::Scheduled && heir.cpu == cpu.index() as u8,
            "an heir is SCHEDULED on its processor, and on no other",
        )?;
        if processor.executing != NONE {
            law(
                self.thread(processor.executing).live_on == cpu.index() as u8,
                "who executes has its registers where it executes",
            )?;
        }
        law(
            self.threads.iter().enumerate().all(|(id, thread)| {
                thread.live_on == ThreadRecord::NOWHERE
                    || self.processors[Cpu::masked(thread.live_on).index()].executing == id as u16
            }),
            "registers are on a processor exactly while it executes their thread",
        )
    }
}
