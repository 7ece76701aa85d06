//! Random events by the hundred thousand, against the model after each of them.

use super::{
    Dice, NOW, cpu, instance,
    model::{Member, Model},
    system,
};
use crate::System;
use crate::rows::Order;
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{Error, Level, PolicyKind, Priority, Reasons};

struct Storm {
    system: System,
    model: Model,
    dice: Dice,
    cpus: usize,
    threads: usize,
}

impl Storm {
    fn new(threads: usize, cpus: usize, seed: u64, shares: &[CpuSet]) -> Self {
        Self {
            system: system(threads, cpus, PolicyKind::StrongAffinity, shares),
            model: Model::new(shares.to_vec()),
            dice: Dice(seed),
            cpus,
            threads,
        }
    }

    fn event(&mut self) {
        match self.dice.roll(24) {
            0 => self.create(),
            1 => self.delete(),
            2 => self.lend(),
            3 => self.change_processors(),
            4 => self.move_home(),
            5 | 6 => self.set_affinity(),
            7 | 8 => self.set_priority(),
            9 | 10 => self.yield_now(),
            11 | 12 => self.suspend_or_resume(),
            13 => self.pin(),
            14 => self.unpin(),
            15..=17 => self.dispatch(),
            _ => self.block_or_unblock(),
        }
    }

    fn any(&mut self) -> Option<usize> {
        let count = self.model.members.len();
        (count > 0).then(|| self.dice.roll(count))
    }

    fn create(&mut self) {
        // The row of a deleted thread is not free before the processor that executes it is
        // dispatched.
        let executing = (0..self.cpus).filter_map(|at| self.system.executing(cpu(at)));
        let ghosts = executing.filter(|&id| !self.system.is_idle(id) && !self.system.exists(id));
        if self.model.members.len() + ghosts.count() == self.threads {
            return;
        }
        let home = self.dice.roll(self.model.owned.len());
        let own = self.dice.roll(6) as u32;
        let affinity = self.dice.mask(self.cpus);
        let result = self
            .system
            .create(instance(home), Priority(own), Some(affinity));
        let owned = self.model.owned[home];
        let expected = match affinity.and(owned).is_empty() {
            true if owned.is_empty() => Some(Error::Unsatisfied),
            true => Some(Error::InvalidNumber),
            false => None,
        };
        assert_eq!(result.err(), expected);
        let Ok(thread) = result else { return };
        self.model.members.push(Member {
            thread,
            home,
            own,
            lent: None,
            affinity,
            pins: 0,
            pinned_to: None,
            started: true,
            suspended: false,
            waits: false,
            turn: 0,
        });
        self.system.start(thread, NOW, &mut ()).unwrap();
        self.model.append(self.model.members.len() - 1);
    }

    fn delete(&mut self) {
        let Some(at) = self.any() else { return };
        let member = self.model.members.swap_remove(at);
        self.system.delete(member.thread, NOW, &mut ()).unwrap();
    }

    fn block_or_unblock(&mut self) {
        let Some(at) = self.any() else { return };
        let member = &mut self.model.members[at];
        let blocked = !member.ready();
        member.waits = !member.waits;
        if member.waits {
            self.system
                .block(member.thread, Reasons::WAIT, NOW, &mut ())
                .unwrap();
        } else {
            self.system
                .unblock(member.thread, Reasons::WAIT, NOW, &mut ())
                .unwrap();
        }
        self.append_if_woken(at, blocked);
    }

    fn suspend_or_resume(&mut self) {
        let Some(at) = self.any() else { return };
        let member = &mut self.model.members[at];
        let blocked = !member.ready();
        member.suspended = !member.suspended;
        if member.suspended {
            self.system.suspend(member.thread, NOW, &mut ()).unwrap();
        } else {
            self.system.resume(member.thread, NOW, &mut ()).unwrap();
        }
        self.append_if_woken(at, blocked);
    }

    fn append_if_woken(&mut self, at: usize, was_blocked: bool) {
        if was_blocked && self.model.members[at].ready() {
            self.model.append(at);
        }
    }

    fn append_if_ready(&mut self, at: usize) {
        if self.model.members[at].ready() {
            self.model.append(at);
        }
    }

    fn yield_now(&mut self) {
        let Some(at) = self.any() else { return };
        let thread = self.model.members[at].thread;
        self.system.yield_now(thread, NOW, &mut ()).unwrap();
        self.append_if_ready(at);
    }

    fn set_priority(&mut self) {
        let Some(at) = self.any() else { return };
        let own = self.dice.roll(6) as u32;
        let member = &mut self.model.members[at];
        let before = member.effective();
        let former = self
            .system
            .set_priority(member.thread, Priority(own), NOW, &mut ());
        assert_eq!(former, Ok(Priority(member.own)));
        member.own = own;
        if member.effective() != before {
            self.append_if_ready(at);
        }
    }

    /// Lends as a lock does: a priority is gained after its equals, and lost in front of them.
    fn lend(&mut self) {
        let Some(at) = self.any() else { return };
        let lent = self.dice.roll(4) as u32;
        let member = &mut self.model.members[at];
        let (id, home) = (member.thread.index(), member.home);
        let before = member.effective();
        let order = if member.lent.take().is_some() {
            self.system.node_mut(home, id).deadline = Level::NONE;
            Order::Prepend
        } else {
            member.lent = Some(lent);
            let level = self.system.level(home, Priority(lent));
            self.system.node_mut(home, id).deadline = level;
            Order::Append
        };
        self.system.at(NOW, &mut (), |system| {
            system.update_priority(id, order);
        });
        if member.effective() != before && member.ready() {
            match order {
                Order::Append => self.model.append(at),
                Order::Prepend => self.model.prepend(at),
            }
        }
    }

    fn set_affinity(&mut self) {
        let Some(at) = self.any() else { return };
        let mask = self.dice.mask(self.cpus);
        let member = &mut self.model.members[at];
        let fits = !mask.and(self.model.owned[member.home]).is_empty();
        let result = self.system.set_affinity(member.thread, mask, NOW, &mut ());
        assert_eq!(result.is_ok(), fits);
        if !fits || member.affinity == mask {
            return;
        }
        member.affinity = mask;
        if member.pinned_to.is_none() {
            self.append_if_ready(at);
        }
    }

    fn move_home(&mut self) {
        let Some(at) = self.any() else { return };
        let target = self.dice.roll(self.model.owned.len());
        let own = self.dice.roll(6) as u32;
        let member = &mut self.model.members[at];
        let result =
            self.system
                .set_scheduler(member.thread, instance(target), Priority(own), NOW, &mut ());
        let free = member.lent.is_none() && member.pins == 0 && !member.waits;
        let fits = !member.affinity.and(self.model.owned[target]).is_empty();
        assert_eq!(result.is_ok(), free && fits);
        if result.is_err() {
            return;
        }
        let changed = member.home != target || member.own != own;
        (member.home, member.own) = (target, own);
        if changed {
            self.append_if_ready(at);
        }
    }

    fn change_processors(&mut self) {
        let cpu = cpu(self.dice.roll(self.cpus));
        match self
            .model
            .owned
            .iter()
            .position(|owned| owned.contains(cpu))
        {
            None => {
                let target = self.dice.roll(self.model.owned.len());
                self.system
                    .add_processor(instance(target), cpu, NOW, &mut ())
                    .unwrap();
                self.model.owned[target] = self.model.owned[target].with(cpu);
            }
            Some(owner) => {
                let (holder, executing) = (self.system.heir(cpu), self.system.executing(cpu));
                let result = self
                    .system
                    .remove_processor(instance(owner), cpu, NOW, &mut ());
                assert_eq!(result.is_err(), self.model.needs(owner, cpu));
                if result.is_err() {
                    return;
                }
                self.model.owned[owner] = self.model.owned[owner].without(cpu);
                let members = &self.model.members;
                let place = |row| members.iter().position(|m| Some(m.thread) == row);
                let left_over = place(executing.filter(|row| Some(*row) != holder));
                let left_over = left_over.filter(|at| members[*at].home == owner);
                if let Some(at) = place(holder) {
                    self.model.append(at);
                }
                if let Some(at) = left_over {
                    self.append_if_ready(at);
                }
            }
        }
    }

    fn pin(&mut self) {
        let Some(at) = self.any() else { return };
        let member = &mut self.model.members[at];
        let owned = self.model.owned[member.home];
        match self.system.executes_on(member.thread) {
            // It was moved to another instance and executes on. Pins there are those of helped
            // threads: no business of ours.
            Some(live) if !owned.contains(live) => {}
            live => {
                let result = self.system.pin(member.thread);
                assert_eq!(result.is_ok(), live.is_some());
                member.pins += u32::from(result.is_ok());
            }
        }
    }

    fn unpin(&mut self) {
        let Some(at) = self.any() else { return };
        let member = &mut self.model.members[at];
        let result = self.system.unpin(member.thread, NOW, &mut ());
        assert_eq!(result.is_ok(), member.pins > 0);
        member.pins = member.pins.saturating_sub(1);
        if member.pins == 0 && member.pinned_to.take().is_some() {
            self.append_if_ready(at);
        }
    }

    fn dispatch(&mut self) {
        let cpu = cpu(self.dice.roll(self.cpus));
        let executing = self.system.executing(cpu);
        let pinned = self.model.members.iter().position(|member| {
            Some(member.thread) == executing && member.pins > 0 && member.pinned_to.is_none()
        });
        if pinned.is_some_and(|at| !self.model.owned[self.model.members[at].home].contains(cpu)) {
            // The processor was taken away before the pin took effect.
            return;
        }
        let _ = self.system.dispatch(cpu, NOW, &mut ()).unwrap();
        let Some(at) = pinned else { return };
        self.model.members[at].pinned_to = Some(cpu);
        self.append_if_ready(at);
    }

    fn check(&self) {
        if let Err(violation) = self.system.check_invariants() {
            panic!("{violation}");
        }
        for index in 0..self.model.owned.len() {
            let mut found = Vec::new();
            self.system
                .for_each_scheduled(instance(index), |thread, _| {
                    if !self.system.is_idle(thread) {
                        found.push(thread);
                    }
                });
            found.sort_unstable();
            assert_eq!(found, self.model.scheduled(index));
        }
        for member in &self.model.members {
            if let Some(cpu) = self.system.processor_of(member.thread) {
                assert!(member.mask().contains(cpu));
                assert!(self.model.owned[member.home].contains(cpu));
            }
        }
    }
}

fn storm(seed: u64, cpus: usize, threads: usize, shares: &[CpuSet], events: u32) {
    let mut storm = Storm::new(threads, cpus, seed, shares);
    for number in 0..events {
        storm.event();
        let held = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| storm.check()));
        assert!(held.is_ok(), "seed {seed} event {number}");
    }
}

fn seeds(many: u64) -> u64 {
    if cfg!(miri) { 1 } else { many }
}

fn events(many: u32) -> u32 {
    if cfg!(miri) { 15 } else { many }
}

#[test]
fn one_cluster_of_four() {
    for seed in 0..seeds(4) {
        storm(seed << 32, 4, 12, &[CpuSet::first(4)], events(100_000));
    }
}

#[test]
#[cfg_attr(miri, ignore = "too many threads")]
fn thirty_two_processors_and_ninety_six_threads() {
    storm(7, 32, 96, &[CpuSet::first(32)], events(150_000));
}

#[test]
fn two_clusters_that_exchange_processors_and_threads() {
    let shares = [CpuSet::first(3), CpuSet::first(8).minus(CpuSet::first(3))];
    for seed in 0..seeds(3) {
        storm(seed << 32 | 1, 8, 24, &shares, events(100_000));
    }
}
