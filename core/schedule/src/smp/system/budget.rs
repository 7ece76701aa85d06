//! Owns: servers at work: the charged threads, the requests for timers, the effects of a used-up
//! budget. Must never know: the rules by which budgets are refilled; they are in `policy/cbs.rs`.

use super::System;
use crate::{
    Branch, Branches, Heap,
    smp::{Error, PolicyKind, ServerRecord, Thread, order::Level, policy::Member, seats::LATEST},
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
    /// Takes its server, if it has one, from `thread`, which must be blocked; from its next wake-up
    /// on its priority counts. At most 2·log₂(n + 1) steps with n servers throttled.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is ready, or only waits for its budget.
    pub(crate) fn remove_server(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.serves(id) {
            self.drop_server(id);
            let home = self.thread(id).home;
            self.node_mut(home, id).deadline = Level::NONE;
        }
        Ok(())
    }

    /// Returns the rest of the budget of `thread` at `now`, and the deadline of its server.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: it has no server.
    pub fn server(&self, thread: Thread) -> Result<(Duration, Instant), Error> {
        let id = self.known(thread)?;
        if !self.serves(id) {
            return Err(Error::NotDefined);
        }
        let server = &self.servers[id as usize];
        Ok((server.left(Duration::ZERO), server.deadline))
    }

    /// Whether the thread `id` has a server.
    #[inline(always)]
    pub(crate) fn serves(&self, id: u16) -> bool {
        self.servers
            .get(id as usize)
            .is_some_and(ServerRecord::exists)
    }

    /// The deadline of the server that the thread `id` has, and for how much charged time its
    /// budget lasts.
    pub(super) fn budget_of(&self, id: u16) -> (Level, Duration) {
        let server = &self.servers[id as usize];
        (Self::level_of_server(server), server.limit)
    }

    /// By what the thread of `server` is ordered.
    fn level_of_server(server: &ServerRecord) -> Level {
        Level(server.deadline.as_nanos().min(LATEST))
    }

    /// Renews the budget of `thread`, which has a server and wakes, at the time `charged` that it
    /// was charged for. Returns what the server says then; if nothing is left of its budget, it is
    /// throttled. A fixed number of steps.
    pub(crate) fn renew(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> (Level, Duration) {
        self.servers[thread.index()].wake(charged, now);
        self.note_budget(thread)
    }

    /// `thread` may have used up the budget of the server that it has. Returns what the server says
    /// then, if it has; if nothing is left of its budget even so, it is throttled.
    pub(crate) fn refill(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> Option<(Level, Duration)> {
        let server = &mut self.servers[thread.index()];
        if server.left(charged) > Duration::ZERO {
            return None;
        }
        server.settle(charged, now);
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
    pub fn is_throttled(&self, thread: Thread) -> bool {
        self.known(thread)
            .is_ok_and(|id| self.serves(id) && self.servers[id as usize].throttled)
    }

    /// `thread`, which is in no ring and no queue, is throttled. At most 2·log₂(n + 1) steps with n
    /// servers throttled.
    pub(crate) fn throttle(&mut self, thread: Thread) {
        if let Some(member) = Member::new(thread.0) {
            self.servers[thread.index()].throttled = true;
            self.throttled = Throttled(self.servers).insert(self.throttled, member);
        }
    }

    /// The thread `id`, which has a server, is not throttled any more, if it was, whatever its
    /// budget says. At most 2·log₂(n + 1) steps.
    fn release_from_list(&mut self, id: u16) {
        let was = core::mem::take(&mut self.servers[id as usize].throttled);
        if let Some(member) = Member::new(id).filter(|_| was) {
            self.throttled = Throttled(self.servers).remove(self.throttled, member);
        }
    }

    /// Gives `thread`, which is throttled, its budget, at the time `charged` that it was charged
    /// for. Returns what the server says then; if nothing is left of its budget even so, it is
    /// throttled again.
    pub(crate) fn end_throttling(
        &mut self,
        thread: Thread,
        charged: Duration,
        now: Instant,
    ) -> (Level, Duration) {
        self.release_from_list(thread.0);
        self.servers[thread.index()].settle(charged, now);
        self.note_budget(thread)
    }

    /// The server's deadline is that of `thread`: nothing follows.
    fn note_budget(&mut self, thread: Thread) -> (Level, Duration) {
        let (deadline, limit) = self.budget_of(thread.0);
        let home = self.thread(thread.0).home;
        self.node_mut(home, thread.0).deadline = deadline;
        (deadline, limit)
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

    /// Gives `thread`, at the time that it was charged for, a server that it can have.
    pub(crate) fn give_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
        charged: Duration,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.drop_server(id);
        self.servers[id as usize] = ServerRecord::new(budget, period, hard, charged);
        Ok(())
    }

    /// The thread `id`, which is blocked, has no server any longer.
    pub(crate) fn drop_server(&mut self, id: u16) {
        if !self.serves(id) {
            return;
        }
        self.release_from_list(id);
        self.servers[id as usize] = ServerRecord::EMPTY;
    }
}
