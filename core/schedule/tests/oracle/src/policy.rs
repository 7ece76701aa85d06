//! Owns: the decisions of each policy: the READY node that gets a processor, the node that makes
//! way, the nodes that shift.
//! Must never know: threads, helping, time.
//!
//! The idle threads are none of these READY nodes: the instance keeps them in a pool.

use crate::System;
use crate::matching::{arrival, departure, shortest};
use crate::rows::{Key, Order, State};
use taktos_schedule::smp::{Error, Level, PolicyKind};
use taktos_schedule::{Cpu, CpuSet};

impl System {
    /// Whether a thread may have the affinity `mask` in `instance`.
    pub(crate) fn check_mask(&self, instance: usize, mask: CpuSet) -> Result<(), Error> {
        let record = &self.instances[instance];
        let accepts = match record.kind {
            PolicyKind::Simple | PolicyKind::Priority => mask.covers(self.online),
            PolicyKind::Edf | PolicyKind::Cbs => {
                mask.covers(self.online) || mask.count() == 1 && record.owned.covers(mask)
            }
            PolicyKind::PriorityAffinity | PolicyKind::StrongAffinity => {
                !mask.and(record.owned).is_empty()
            }
        };
        if accepts {
            Ok(())
        } else {
            Err(Error::InvalidNumber)
        }
    }

    pub(crate) fn key(&self, instance: usize, id: usize) -> Key {
        self.node(instance, id).key
    }

    /// The most urgent READY node of `instance` that `will_do`.
    fn first_where(&self, instance: usize, will_do: impl Fn(usize) -> bool) -> Option<usize> {
        let is_ready = |id: &usize| self.node(instance, *id).state == State::Ready;
        let ready = (0..self.idle_from).filter(is_ready);
        let ready = ready.filter(|id| will_do(*id));
        ready.min_by_key(|id| self.key(instance, *id))
    }

    /// The least urgent SCHEDULED node of `instance` that `will_do`.
    fn last_where(&self, instance: usize, will_do: impl Fn(usize) -> bool) -> Option<usize> {
        let holders = self.instances[instance].holders.iter().flatten().copied();
        let holders = holders.filter(|id| will_do(*id));
        holders.max_by_key(|id| self.key(instance, *id))
    }

    /// Under deadlines: the processor that a node is bound to.
    fn bound(&self, instance: usize, id: usize) -> Option<Cpu> {
        let mask = self.node(instance, id).mask;
        mask.lowest().filter(|_| !mask.covers(self.online))
    }

    /// Under deadlines: whether a SCHEDULED node is bound to `cpu`. It holds that processor.
    fn is_taken(&self, instance: usize, cpu: Cpu) -> bool {
        let holder = self.instances[instance].holder(cpu);
        holder.is_some_and(|holder| self.bound(instance, holder) == Some(cpu))
    }

    /// Returns the key of the holder of `cpu`, and where that may run, unless it is an idle
    /// thread.
    fn seat(&self, instance: usize, cpu: Cpu) -> Option<(Key, CpuSet)> {
        let node = self.node(instance, self.instances[instance].holder(cpu)?);
        (node.key.level != Level::NONE).then_some((node.key, node.mask))
    }

    /// Returns the READY node that shall have the processor `freed`, which no node holds.
    pub(crate) fn highest(&mut self, instance: usize, freed: Cpu) -> Option<usize> {
        let mask = |id: usize| self.node(instance, id).mask;
        let record = &self.instances[instance];
        match record.kind {
            PolicyKind::Simple | PolicyKind::Priority => self.first_where(instance, |_| true),
            // A node bound to a processor may be chosen only while no holder of that processor is
            // bound to it, too.
            PolicyKind::Edf | PolicyKind::Cbs => self.first_where(instance, |id| {
                let bound = self.bound(instance, id);
                bound.is_none_or(|cpu| !self.is_taken(instance, cpu))
            }),
            PolicyKind::PriorityAffinity => {
                let highest = self.first_where(instance, |id| mask(id).contains(freed));
                self.instances[instance].arrives = None;
                highest
            }
            PolicyKind::StrongAffinity => {
                let paths = departure(|cpu| self.seat(instance, cpu), record.owned, freed);
                let way = |id| shortest(&paths, mask(id));
                let highest = self.first_where(instance, |id| way(id).is_some());
                let route = highest.and_then(way).cloned().unwrap_or_default();
                let record = &mut self.instances[instance];
                (record.newcomer, record.route) = (highest, route);
                highest
            }
        }
    }

    /// Returns the SCHEDULED node that `newcomer` has to displace, should the newcomer's key be
    /// before its own.
    fn lowest(&mut self, instance: usize, newcomer: usize) -> Option<usize> {
        let (lowest, route) = self.lowest_and_way(instance, newcomer);
        let record = &mut self.instances[instance];
        match record.kind {
            PolicyKind::PriorityAffinity => {
                (record.arrives, record.leaves) = (Some(newcomer), None);
            }
            PolicyKind::StrongAffinity => {
                record.newcomer = lowest.and(Some(newcomer));
                record.route = route;
            }
            _ => {}
        }
        lowest
    }

    /// [`System::lowest`], and along which processors others shift for `newcomer`.
    pub(crate) fn lowest_and_way(
        &self,
        instance: usize,
        newcomer: usize,
    ) -> (Option<usize>, Vec<Cpu>) {
        let record = &self.instances[instance];
        let mask = self.node(instance, newcomer).mask;
        let last = || self.last_where(instance, |_| true);
        let lowest = match record.kind {
            PolicyKind::Simple | PolicyKind::Priority => last(),
            PolicyKind::Edf | PolicyKind::Cbs => match self.bound(instance, newcomer) {
                Some(cpu) if self.is_taken(instance, cpu) => record.holder(cpu),
                _ => last(),
            },
            PolicyKind::PriorityAffinity => self.permitted_victim(instance, newcomer),
            PolicyKind::StrongAffinity => {
                let seat = |cpu| self.seat(instance, cpu);
                let route = arrival(seat, record.owned, mask, self.key(instance, newcomer));
                let route = route.unwrap_or_default();
                let last = route.last().and_then(|cpu| record.holder(*cpu));
                return (last, route);
            }
        };
        (lowest, Vec::new())
    }

    /// Returns, under weak affinity, the last holder of a processor on which `newcomer` may run.
    fn permitted_victim(&self, instance: usize, newcomer: usize) -> Option<usize> {
        let mask = self.node(instance, newcomer).mask;
        self.last_where(instance, |id| {
            let cpu = self.node(instance, id).cpu;
            cpu.is_some_and(|cpu| mask.contains(cpu))
        })
    }

    /// The node that would lose its processor to `id`, which is in no queue and has its key.
    pub(crate) fn victim(&mut self, instance: usize, id: usize) -> Option<usize> {
        let lowest = self.lowest(instance, id)?;
        (self.key(instance, id) < self.key(instance, lowest)).then_some(lowest)
    }

    /// Returns the most urgent READY node, if the policy tries it again after an arrival and a
    /// change of priority, and the SCHEDULED one that it displaces. Only weak affinity does not
    /// find its best choice at once.
    pub(crate) fn again(&mut self, instance: usize) -> Option<(usize, usize)> {
        if self.instances[instance].kind != PolicyKind::PriorityAffinity {
            return None;
        }
        self.instances[instance].arrives = None;
        let top = self.first_where(instance, |_| true)?;
        let victim = self.permitted_victim(instance, top)?;
        let level = |id| self.key(instance, id).level;
        (level(top) < level(victim)).then_some((top, victim))
    }

    /// Returns the processor of the holder that shall move first to `freed`, which has no holder,
    /// after `newcomer` was chosen to become SCHEDULED. The method is then called again for the
    /// processor that is free instead. None: `newcomer` itself takes `freed`.
    ///
    /// `live_on` is the processor of this instance, other than `freed`, that still has the
    /// newcomer's registers.
    pub(crate) fn shift(
        &self,
        instance: usize,
        newcomer: usize,
        freed: Cpu,
        live_on: Option<Cpu>,
    ) -> Option<Cpu> {
        let record = &self.instances[instance];
        match record.kind {
            // Lazily: a newcomer that has not left its processor yet stays there.
            PolicyKind::Simple | PolicyKind::Priority => live_on,
            PolicyKind::PriorityAffinity => None,
            PolicyKind::Edf | PolicyKind::Cbs => match self.bound(instance, newcomer) {
                Some(cpu) => Some(cpu).filter(|cpu| *cpu != freed),
                // Where nodes are bound, an idle thread goes where it is said: others may have
                // moved away.
                None if record.binds && self.key(instance, newcomer).level == Level::NONE => None,
                None => live_on.filter(|cpu| !self.is_taken(instance, *cpu)),
            },
            PolicyKind::StrongAffinity => {
                let mut route = record.route.iter();
                let is_for = record.newcomer == Some(newcomer);
                let at = route.position(|cpu| *cpu == freed).filter(|_| is_for)?;
                Some(record.route[at.checked_sub(1)?])
            }
        }
    }

    /// Notes that `id` has entered the set of SCHEDULED nodes. Under weak affinity it goes after
    /// its equals there.
    pub(crate) fn entered(&mut self, instance: usize, id: usize) {
        let record = &mut self.instances[instance];
        if record.kind == PolicyKind::PriorityAffinity {
            let keeps = [record.arrives.take(), record.leaves.take()].contains(&Some(id));
            if !keeps {
                self.draw_turn(instance, id, Order::Append);
            }
        }
    }

    /// `id` has left the set of SCHEDULED nodes. Under weak affinity it goes before its equals
    /// among those that are READY.
    pub(crate) fn left(&mut self, instance: usize, id: usize) {
        if self.instances[instance].kind == PolicyKind::PriorityAffinity {
            self.draw_turn(instance, id, Order::Prepend);
            self.instances[instance].leaves = Some(id);
        }
    }
}
