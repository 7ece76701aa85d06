//! Owns: the invariants that hold after every operation.

use crate::System;
use crate::rows::{Presence, State};
use taktos_schedule::Cpu;
use taktos_schedule::smp::{PolicyKind, Violation};

/// Returns the violation of an invariant.
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

impl System {
    /// Checks every invariant.
    ///
    /// # Errors
    /// The first invariant that is found broken.
    pub fn check_invariants(&self) -> Result<(), Violation> {
        self.check_scheduling()?;
        self.check_locks()
    }

    /// Checks the invariants that hold whatever the locks do.
    pub(crate) fn check_scheduling(&self) -> Result<(), Violation> {
        for row in 0..self.instances.len() {
            self.check_places(row).map_err(|violation| Violation {
                instance: Some(crate::instance(row)),
                ..violation
            })?;
        }
        for id in 0..self.threads.len() {
            self.check_thread(id).map_err(|violation| Violation {
                thread: Some(crate::thread(id)),
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

    fn check_places(&self, instance: usize) -> Result<(), Violation> {
        let record = &self.instances[instance];
        for cpu in record.owned {
            let holder = record.holder(cpu);
            law(
                holder.is_some(),
                "each processor of an instance is held by a node",
            )?;
            let holds = |id: usize| {
                let node = self.node(instance, id);
                node.state == State::Scheduled && node.cpu == Some(cpu)
            };
            law(
                holder.is_some_and(holds),
                "the holder of a processor is SCHEDULED there",
            )?;
            law(
                self.processor(cpu).heir == holder.map(|id| self.user(instance, id)),
                "the heir of a processor is the user of the node that holds it",
            )?;
        }
        let nodes = self.nodes[instance].iter();
        law(
            nodes.filter(|node| node.state == State::Scheduled).count() == record.owned.count(),
            "there are as many SCHEDULED nodes as processors",
        )?;
        // Policies that shift no thread leave one waiting now and then; theirs is the comparison,
        // not the invariant.
        if record.kind == PolicyKind::PriorityAffinity {
            return Ok(());
        }
        for id in 0..self.idle_from {
            self.check_ready(instance, id)
                .map_err(|violation| Violation {
                    thread: Some(crate::thread(id)),
                    ..violation
                })?;
        }
        Ok(())
    }

    /// No READY node that could use a processor is before the SCHEDULED one that would have to give
    /// way to it.
    fn check_ready(&self, instance: usize, id: usize) -> Result<(), Violation> {
        let could_run = self.can_use(instance, id) || self.keeps_its_place(instance, id);
        if self.node(instance, id).state != State::Ready || !could_run {
            return Ok(());
        }
        let (lowest, _) = self.lowest_and_way(instance, id);
        let before = |lowest| self.key(instance, id) < self.key(instance, lowest);
        law(
            !lowest.is_some_and(before),
            "no READY node is before the SCHEDULED one that it may replace",
        )
    }

    fn check_thread(&self, id: usize) -> Result<(), Violation> {
        let record = &self.threads[id];
        let mut scheduled = 0;
        for instance in 0..self.instances.len() {
            let node = self.node(instance, id);
            if node.state == State::Scheduled && node.idle.is_none() {
                scheduled += 1;
                law(
                    record.pinned_to.is_none() || record.pinned_to == node.cpu,
                    "a pinned thread runs where it is pinned",
                )?;
            }
            law(
                node.state != State::Scheduled
                    || node.idle.is_none()
                    || record.asks_on.is_some()
                    || self.keeps_its_place(instance, id),
                "an idle thread stands in only where the owner cannot run and keeps its place, or will ask",
            )?;
            law(
                node.state == State::Blocked || record.exists,
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
            !record.exists || record.reasons.is_empty() != self.is_blocked(id),
            "a thread is blocked exactly while there is a reason",
        )?;
        if record.presence != Presence::Ready || record.asks_on.is_some() {
            return Ok(());
        }
        law(
            (0..self.instances.len()).all(|instance| {
                let node = self.node(instance, id);
                let is_first = instance == record.first;
                let waits = is_first || node.helps > 0 && record.pinned_to.is_none();
                node.state == State::Ready || !waits
            }),
            "a thread that is ready without a processor waits wherever it may get one, or will ask there",
        )
    }

    fn check_processor(&self, cpu: Cpu) -> Result<(), Violation> {
        let processor = self.processor(cpu);
        let heir = processor.heir.map(|heir| &self.threads[heir]);
        law(
            heir.is_some_and(|heir| heir.presence == Presence::Scheduled && heir.cpu == Some(cpu)),
            "a processor online has an heir, which is SCHEDULED there and nowhere else",
        )?;
        law(
            (self.threads.iter().enumerate()).all(|(id, thread)| {
                (thread.live_on == Some(cpu)) == (processor.executing == Some(id))
            }),
            "registers are on a processor exactly while it executes their thread",
        )
    }
}
