//! Owns: servers at work: who is charged, when a timer is asked for, what follows when a budget is used up.
//! Must never know: the rules by which budgets are refilled; they are in `policy/cbs.rs`.

use super::System;
use crate::{
    Branch, Branches, Cpu, Heap,
    smp::{
        Effects, Error, Instance, PolicyKind, Reasons, ServerRecord, Thread,
        closed::{LATEST, WAITS},
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
        self.check_server(thread, budget, period)?;
        self.give_server(thread, budget, period, false, Duration::ZERO)
    }

    /// As [`System::set_server`], but hard: when the budget is used up, the thread is blocked, with
    /// [`Reasons::BUDGET`], until its deadline. It keeps its locks then: give no hard server
    /// to a thread whose locks others want. Where instances close it is given by
    /// [`Router::set_hard_server`](crate::smp::closed::Router::set_hard_server). A fixed number of steps.
    ///
    /// # Errors
    /// Those of [`System::set_server`].
    pub fn set_hard_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        self.check_server(thread, budget, period)?;
        self.give_server(thread, budget, period, true, Duration::ZERO)
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
        Ok((server.left(self.used(id, now, &())), server.deadline))
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
        while let Some(first) = self.due_refill(now) {
            self.release(first, now, effects);
        }
        let spent = core::mem::replace(&mut self.processors[cpu.index()].spent, NONE);
        for id in [spent, self.processors[cpu.index()].heir] {
            if self.has_spent_all(id, now, effects) {
                self.exhaust(id, now, effects);
            }
        }
        self.arm(cpu, now, effects);
        Ok(())
    }

    /// If a thread lost `cpu` having used up its budget, that is looked at now.
    pub(crate) fn look_at_spent(&mut self, cpu: Cpu, now: Instant, effects: &mut impl Effects) {
        let spent = core::mem::replace(&mut self.processors[cpu.index()].spent, NONE);
        if self.has_spent_all(spent, now, effects) {
            self.exhaust(spent, now, effects);
        }
    }

    /// Whether `id` is a ready thread whose budget is used up.
    fn has_spent_all(&self, id: u16, now: Instant, effects: &impl Effects) -> bool {
        self.serves(id)
            && self.thread(id).presence != Presence::Blocked
            && self.servers[id as usize].left(self.used(id, now, effects)) == Duration::ZERO
    }

    /// If the heir of `cpu`, which is about to lose it, has used up its budget, [`System::expire`]
    /// will see to it. A processor notes one thread, the last: if an alarm is so late that a second
    /// budget is used up meanwhile, the first thread keeps its deadline until it is an heir again,
    /// when an alarm is asked for at once.
    pub(crate) fn note_spent(&mut self, cpu: Cpu, now: Instant, effects: &impl Effects) {
        let heir = self.processors[cpu.index()].heir;
        if self.has_spent_all(heir, now, effects) {
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

    /// The deadline of the server that the thread `id` has, and when its budget is used up; see [`Effects::serve`].
    pub(super) fn budget_of(&self, id: u16) -> (Level, Duration) {
        let server = &self.servers[id as usize];
        let limit = server.limit.saturating_sub(self.thread(id).cpu_time);
        (Self::level_of_server(server), limit)
    }

    /// The world hears what the server of the thread `id` says, which stands in its rings, if it has one.
    pub(super) fn tell_budget(&self, id: u16, effects: &mut impl Effects) {
        if self.serves(id) {
            let (deadline, limit) = self.budget_of(id);
            let home = Instance(self.thread(id).home);
            effects.serve(home, Thread(id), deadline, limit);
        }
    }

    /// By what the thread of `server` is ordered.
    fn level_of_server(server: &ServerRecord) -> Level {
        Level(server.deadline.as_nanos().min(LATEST))
    }

    /// `thread`, whose home is closed and which has a server, wakes, having been charged for so long. What the server says
    /// then; where nothing is left of its budget, it is throttled. A fixed number of steps.
    pub(crate) fn renew(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> (Level, Duration) {
        let used = self.thread(thread.0).cpu_time.saturating_add(charged);
        self.servers[thread.index()].wake(used, now);
        self.note_budget(thread)
    }

    /// `thread`, whose home is closed, may have used up the budget of the server that it has. What the server says then, if it
    /// has; where nothing is left of its budget even so, it is throttled.
    pub(crate) fn refill(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> Option<(Level, Duration)> {
        let used = self.thread(thread.0).cpu_time.saturating_add(charged);
        let server = &mut self.servers[thread.index()];
        if server.left(used) > Duration::ZERO {
            return None;
        }
        server.settle(used, now);
        Some(self.note_budget(thread))
    }

    /// When the first of the threads that are throttled gets its budget.
    #[inline(always)]
    pub(crate) fn next_refill(&self) -> Option<Instant> {
        let first = self.throttled?;
        Some(self.servers[first.id() as usize].deadline)
    }

    /// The first of the threads that are throttled, if it is due.
    pub(crate) fn due_refill(&self, now: Instant) -> Option<Thread> {
        let is_due = self.next_refill().is_some_and(|at| at <= now);
        self.throttled
            .filter(|_| is_due)
            .map(|first| Thread(first.id()))
    }

    /// Whether `thread` is throttled.
    pub(crate) fn is_throttled(&self, thread: Thread) -> bool {
        self.known(thread)
            .is_ok_and(|id| self.serves(id) && self.servers[id as usize].throttled)
    }

    /// `thread`, which is in no ring and no queue, is throttled. At most 2·log₂(n + 1) steps with n servers throttled.
    pub(crate) fn throttle(&mut self, thread: Thread) {
        if let Some(member) = Member::new(thread.0) {
            self.servers[thread.index()].throttled = true;
            self.throttled = Throttled(self.servers).insert(self.throttled, member);
        }
    }

    /// The thread `id`, which has a server, is not throttled any more, if it was, whatever its budget says. At most 2·log₂(n + 1) steps.
    fn release_from_list(&mut self, id: u16) {
        let was = core::mem::take(&mut self.servers[id as usize].throttled);
        if let Some(member) = Member::new(id).filter(|_| was) {
            self.throttled = Throttled(self.servers).remove(self.throttled, member);
        }
    }

    /// `thread`, whose home is closed and which is throttled, having been charged for so long, gets its budget. What the server
    /// says then; where nothing is left of its budget even so, it is throttled again.
    pub(crate) fn end_throttling(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> (Level, Duration) {
        self.release_from_list(thread.0);
        let used = self.thread(thread.0).cpu_time.saturating_add(charged);
        self.servers[thread.index()].settle(used, now);
        self.note_budget(thread)
    }

    /// `thread`, whose row was behind and which is throttled, waits for its budget, and `waits` for something else, too.
    pub(crate) fn note_throttled(&mut self, thread: Thread, waits: bool) {
        let others = if waits { WAITS } else { Reasons::NONE };
        self.thread_mut(thread.0).reasons = others.or(Reasons::BUDGET);
    }

    /// The server's deadline is that of `thread`, whose home is closed: nothing follows.
    fn note_budget(&mut self, thread: Thread) -> (Level, Duration) {
        let (deadline, limit) = self.budget_of(thread.0);
        let home = self.thread(thread.0).home;
        self.node_mut(home, thread.0).deadline = deadline;
        (deadline, limit)
    }

    /// The CPU time of the thread `id` up to `now`.
    fn used(&self, id: u16, now: Instant, effects: &impl Effects) -> Duration {
        let record = self.thread(id);
        let time = record.cpu_time.saturating_add(effects.charged(Thread(id)));
        let processor = &self.processors[Cpu::masked(record.cpu).index()];
        if processor.heir == id {
            time.saturating_add(now.since(processor.since))
        } else {
            time
        }
    }

    fn check_blocked(&self, id: u16) -> Result<(), Error> {
        if self.thread(id).reasons.minus(Reasons::BUDGET).is_empty() {
            return Err(Error::IncorrectState);
        }
        Ok(())
    }

    /// Whether `thread` can have such a server.
    pub(crate) fn check_server(
        &self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        let home = self.thread(id).home;
        if self.instances[home as usize].kind != PolicyKind::Cbs {
            return Err(Error::NotDefined);
        }
        if budget == Duration::ZERO || budget > period {
            return Err(Error::InvalidNumber);
        }
        Ok(())
    }

    /// Gives `thread`, which was charged for so long beside what the tables count, a server that it can have.
    pub(crate) fn give_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
        charged: Duration,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.check_blocked(id)?;
        self.drop_server(id);
        let used = self.thread(id).cpu_time.saturating_add(charged);
        self.servers[id as usize] = ServerRecord::new(budget, period, hard, used);
        Ok(())
    }

    /// The thread `id`, which is blocked, has no server any longer.
    pub(crate) fn drop_server(&mut self, id: u16) {
        if !self.serves(id) {
            return;
        }
        let record = self.thread_mut(id);
        record.reasons = record.reasons.minus(Reasons::BUDGET);
        self.release_from_list(id);
        self.servers[id as usize] = ServerRecord::EMPTY;
    }

    /// The last reason for which the thread `id`, which has a server, was blocked is over. Whether it may be unblocked now.
    pub(crate) fn wake_server(
        &mut self,
        id: u16,
        now: Instant,
        effects: &mut impl Effects,
    ) -> bool {
        let used = self.used(id, now, effects);
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
        let used = self.used(id, now, effects);
        if self.servers[id as usize].settle(used, now) {
            self.follow_deadline(id, now, effects);
        } else {
            self.add_reasons(id, Reasons::BUDGET, now, effects);
            self.follow_deadline(id, now, effects);
            self.wait_for_refill(id, now, effects);
        }
    }

    /// Seats have refilled the budget of `thread` before its home was opened: its key follows, and it is
    /// throttled if the budget is used up even so. Its row is true.
    pub(crate) fn take_over_refill(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        if self.servers[thread.index()].throttled {
            self.add_reasons(thread.0, Reasons::BUDGET, now, effects);
        }
        self.follow_deadline(thread.0, now, effects);
    }

    /// `thread`, which waits by its row, is ready: seats have refilled its budget before its home was
    /// opened.
    pub(crate) fn enter_refilled(
        &mut self,
        thread: Thread,
        now: Instant,
        effects: &mut impl Effects,
    ) {
        self.thread_mut(thread.0).reasons = Reasons::NONE;
        self.make_unblocked(thread.0, now, effects);
    }

    /// The refill of `thread`, the first of those that are throttled, is due. Its row is true.
    pub(crate) fn release(&mut self, thread: Thread, now: Instant, effects: &mut impl Effects) {
        let id = thread.0;
        self.release_from_list(id);
        let used = self.used(id, now, effects);
        let may_run = self.servers[id as usize].settle(used, now);
        self.follow_deadline(id, now, effects);
        if may_run {
            effects.throttle(thread, false);
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
        let deadline = Self::level_of_server(&self.servers[id as usize]);
        self.node_mut(home, id).deadline = deadline;
        self.priority_changed(Thread(id), Order::Append, now, effects);
    }

    fn wait_for_refill(&mut self, id: u16, now: Instant, effects: &mut impl Effects) {
        self.throttle(Thread(id));
        effects.throttle(Thread(id), true);
        if let Some(keeper) = self.keeper() {
            self.arm(keeper, now, effects);
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
            let left = self.servers[heir as usize].left(self.used(heir, now, effects));
            at = Some(now.saturating_add(left));
        }
        if let Some(refill) = self.next_refill()
            && self.keeper() == Some(cpu)
        {
            at = Some(at.map_or(refill, |at| at.min(refill)));
        }
        let processor = &mut self.processors[cpu.index()];
        if processor.armed != at {
            processor.armed = at;
            effects.arm(cpu, at);
        }
    }
}
