//! Owns: servers at work: who is charged, when a timer is asked for, what follows when a budget is used up.
//! Must never know: the rules by which budgets are refilled; they are in `policy/cbs.rs`.

use super::System;
use crate::{
    Branch, Branches, Cpu, Heap,
    smp::{
        Effects, Error, PolicyKind, Reasons, ServerRecord, Thread,
        ids::NONE,
        order::{Level, Order},
        policy::Member,
        thread::Presence,
    },
};
use taktos_time::{Duration, Instant};

/// The servers that are throttled, ordered by the instants at which they are refilled.
struct Throttled<'a>(&'a mut [ServerRecord]);

impl Branches for Throttled<'_> {
    type Id = Member;

    fn branch(&self, id: Member) -> &Branch<Member> {
        &self.0[id.id() as usize].branch
    }

    fn branch_mut(&mut self, id: Member) -> &mut Branch<Member> {
        &mut self.0[id.id() as usize].branch
    }

    fn is_before(&mut self, a: Member, b: Member) -> bool {
        let key = |member: Member| (self.0[member.id() as usize].deadline, member.id());
        key(a) < key(b)
    }
}

impl System<'_> {
    /// Gives `thread`, which must be blocked, a soft server instead of the one that it has: of the processors' time it gets
    /// `budget` every `period`; when that is used up it goes on with a deadline one period later, behind all with earlier ones.
    /// It counts from the thread's next wake-up on. While a thread has a server, the deadlines of its jobs do not count.
    ///
    /// Budgets are spent while the thread is the heir of a processor, whichever instance owns it. A fixed number of steps.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: its home instance has no servers; [`Error::InvalidNumber`]: the budget is
    /// zero or longer than the period; [`Error::IncorrectState`]: it is ready, or only waits for its budget.
    pub fn set_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        self.give_server(thread, budget, period, false)
    }

    /// As [`System::set_server`], but hard: when the budget is used up, the thread is blocked, with [`Reasons::BUDGET`], until
    /// its deadline. What it holds then, it keeps: give no hard server to a thread that holds locks others wait for.
    ///
    /// # Errors
    /// Those of [`System::set_server`].
    pub fn set_hard_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        self.give_server(thread, budget, period, true)
    }

    /// Takes its server, if it has one, from `thread`, which must be blocked; from its next wake-up on its priority counts.
    /// At most 2·log₂(n + 1) steps with n servers throttled.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is ready, or only waits for its budget.
    pub fn remove_server(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.check_blocked(id)?;
        if self.serves(id) {
            self.drop_server(id);
            let home = self.thread(id).home;
            self.node_mut(home, id).deadline = Level::NONE;
        }
        Ok(())
    }

    /// What is left of the budget of `thread` at `now`, and the deadline of its server.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: it has no server.
    pub fn server(&self, thread: Thread, now: Instant) -> Result<(Duration, Instant), Error> {
        let id = self.known(thread)?;
        if !self.serves(id) {
            return Err(Error::NotDefined);
        }
        let server = &self.servers[id as usize];
        Ok((server.left(self.used(id, now)), server.deadline))
    }

    /// The time asked for by [`Effects::arm`] has come on `cpu`: budgets are refilled, threads throttled and released.
    ///
    /// Of what happens at the same instant, call this after threads that have ended their jobs were blocked, so that a job that
    /// takes just its budget is not throttled at its end, and before others wake, so that nobody is chosen by a deadline that
    /// is over. Coming too early does nothing; coming too late lets a thread run on, which it then owes. Steps: those of [`System::set_priority`] for
    /// the heir, and of [`System::unblock`] for each server whose time it is.
    ///
    /// # Errors
    /// [`Error::InvalidNumber`]: the processor is not online.
    pub fn expire(
        &mut self,
        cpu: Cpu,
        now: Instant,
        effects: &mut impl Effects,
    ) -> Result<(), Error> {
        if !self.online.contains(cpu) {
            return Err(Error::InvalidNumber);
        }
        self.processors[cpu.index()].armed = None;
        while let Some(first) = self.throttled
            && self.servers[first.id() as usize].deadline <= now
        {
            self.release(first, now, effects);
        }
        let spent = core::mem::replace(&mut self.processors[cpu.index()].spent, NONE);
        for id in [spent, self.processors[cpu.index()].heir] {
            if self.has_spent_all(id, now) {
                self.exhaust(id, now, effects);
            }
        }
        self.arm(cpu, now, effects);
        Ok(())
    }

    /// Whether `id` is a ready thread whose budget is used up.
    fn has_spent_all(&self, id: u16, now: Instant) -> bool {
        self.serves(id)
            && self.thread(id).presence != Presence::Blocked
            && self.servers[id as usize].left(self.used(id, now)) == Duration::ZERO
    }

    /// If the heir of `cpu`, which is about to lose it, has used up its budget just now, [`System::expire`] will see to it.
    pub(crate) fn note_spent(&mut self, cpu: Cpu, now: Instant) {
        let processor = &self.processors[cpu.index()];
        let (heir, ran) = (processor.heir, now > processor.since);
        if ran && self.has_spent_all(heir, now) {
            self.processors[cpu.index()].spent = heir;
        }
    }

    /// Whether the thread `id` has a server.
    #[inline(always)]
    pub(crate) fn serves(&self, id: u16) -> bool {
        self.servers
            .get(id as usize)
            .is_some_and(ServerRecord::exists)
    }

    /// The CPU time of the thread `id` up to `now`.
    fn used(&self, id: u16, now: Instant) -> Duration {
        let record = self.thread(id);
        let processor = &self.processors[Cpu::masked(record.cpu).index()];
        if processor.heir == id {
            record.cpu_time.saturating_add(now.since(processor.since))
        } else {
            record.cpu_time
        }
    }

    fn check_blocked(&self, id: u16) -> Result<(), Error> {
        if self.thread(id).reasons.minus(Reasons::BUDGET).is_empty() {
            return Err(Error::IncorrectState);
        }
        Ok(())
    }

    fn give_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        if self.instances[home as usize].kind != PolicyKind::Cbs {
            return Err(Error::NotDefined);
        }
        if budget == Duration::ZERO || budget > period {
            return Err(Error::InvalidNumber);
        }
        self.check_blocked(id)?;
        self.drop_server(id);
        self.instances[home as usize].involved += 1;
        let used = self.thread(id).cpu_time;
        self.servers[id as usize] = ServerRecord::new(budget, period, hard, used);
        Ok(())
    }

    /// The thread `id`, which is blocked, has no server any longer.
    pub(crate) fn drop_server(&mut self, id: u16) {
        if !self.serves(id) {
            return;
        }
        let home = self.thread(id).home;
        self.instances[home as usize].involved -= 1;
        let record = self.thread_mut(id);
        let waits = record.reasons.any_of(Reasons::BUDGET);
        record.reasons = record.reasons.minus(Reasons::BUDGET);
        if waits && let Some(member) = Member::new(id) {
            self.throttled = Throttled(self.servers).remove(self.throttled, member);
        }
        self.servers[id as usize] = ServerRecord::EMPTY;
    }

    /// The last reason for which the thread `id`, which has a server, was blocked is over. Whether it may be unblocked now.
    pub(crate) fn wake_server(
        &mut self,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) -> bool {
        let used = self.thread(id).cpu_time;
        let may_run = self.servers[id as usize].wake(used, now);
        self.follow_deadline(id, now, effects);
        if !may_run {
            let record = self.thread_mut(id);
            record.reasons = record.reasons.or(Reasons::BUDGET);
            self.wait_for_refill(id, now, effects);
        }
        may_run
    }

    /// The budget of the thread `id` is used up.
    fn exhaust(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        let used = self.used(id, now);
        if self.servers[id as usize].settle(used, now) {
            self.follow_deadline(id, now, effects);
        } else {
            self.add_reasons(id, Reasons::BUDGET, now, effects);
            self.follow_deadline(id, now, effects);
            self.wait_for_refill(id, now, effects);
        }
    }

    /// The refill of `member`, the first of those that are throttled, is due.
    fn release(&mut self, member: Member, now: Instant, effects: &mut impl Effects) {
        let id = member.id();
        self.throttled = Throttled(self.servers).remove(self.throttled, member);
        let used = self.thread(id).cpu_time;
        let may_run = self.servers[id as usize].settle(used, now);
        self.follow_deadline(id, now, effects);
        if may_run {
            let record = self.thread_mut(id);
            record.reasons = record.reasons.minus(Reasons::BUDGET);
            if record.reasons.is_empty() {
                self.make_unblocked(id, now, effects);
            }
        } else {
            self.wait_for_refill(id, now, effects);
        }
    }

    /// The server's deadline is that of the thread `id`, behind its equals.
    fn follow_deadline(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        let home = self.thread(id).home;
        let deadline = self.servers[id as usize].deadline;
        self.node_mut(home, id).deadline = Level(deadline.as_nanos());
        self.priority_changed(Thread(id), Order::Append, now, effects);
    }

    fn wait_for_refill(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        if let Some(member) = Member::new(id) {
            self.throttled = Throttled(self.servers).insert(self.throttled, member);
            if let Some(keeper) = self.keeper() {
                self.arm(keeper, now, effects);
            }
        }
    }

    /// The processor whose timer is that of refills too.
    #[inline(always)]
    fn keeper(&self) -> Option<Cpu> {
        self.online.lowest()
    }

    /// Asks for the time at which something is to be done on `cpu`, if that is not asked for already.
    pub(crate) fn arm(&mut self, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        let heir = self.processors[cpu.index()].heir;
        let mut at = None;
        if self.processors[cpu.index()].spent != NONE {
            at = Some(now);
        } else if self.serves(heir) {
            let left = self.servers[heir as usize].left(self.used(heir, now));
            at = Some(now.saturating_add(left));
        }
        if let Some(first) = self.throttled
            && self.keeper() == Some(cpu)
        {
            let refill = self.servers[first.id() as usize].deadline;
            at = Some(at.map_or(refill, |at| at.min(refill)));
        }
        let processor = &mut self.processors[cpu.index()];
        if processor.armed != at {
            processor.armed = at;
            effects.arm(cpu, at);
        }
    }
}
