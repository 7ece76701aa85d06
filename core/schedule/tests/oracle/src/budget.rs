//! Owns: servers at work: the thread that is charged, the instants of timers, the effects of a
//! budget that is used up.
//! Must never know: the rules by which budgets are refilled; they are in `server.rs`.

use crate::Effects;
use crate::rows::Order;
use crate::server::Server;
use crate::{System, Told};
use taktos_schedule::Cpu;
use taktos_schedule::smp::{Error, Level, PolicyKind, Reasons, Thread};
use taktos_time::{Duration, Instant};

/// The last deadline that counts, before threads that have none.
const LATEST: u64 = Level::BACKGROUND - 1;

impl System {
    /// Gives `thread`, which must be blocked, a soft server instead of the one that it has. Of the
    /// processors' time it gets `budget` every `period`; when that is used up it continues with a
    /// deadline one period later, after all with earlier ones. It counts from the thread's next
    /// wake-up on. While a thread has a server, the deadlines of its jobs do not count.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: its home instance has no servers;
    /// [`Error::InvalidNumber`]: the budget is zero or longer than the period;
    /// [`Error::IncorrectState`]: it is ready, or only waits for its budget.
    pub fn set_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        self.give_server(thread, budget, period, false)
    }

    /// As [`System::set_server`], but hard: when the budget is used up, the thread is blocked, with
    /// [`Reasons::BUDGET`], until its deadline.
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

    fn give_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
    ) -> Result<(), Error> {
        let id = self.known(thread)?;
        if self.instances[self.threads[id].home].kind != PolicyKind::Cbs {
            return Err(Error::NotDefined);
        }
        if budget == Duration::ZERO || budget > period {
            return Err(Error::InvalidNumber);
        }
        self.check_waits(id)?;
        self.drop_server(id);
        let used = self.threads[id].cpu_time;
        self.threads[id].server = Some(Server::new(budget, period, hard, used));
        Ok(())
    }

    /// Takes its server, if it has one, from `thread`, which must be blocked; from its next wake-up
    /// on its priority counts.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::IncorrectState`]: it is ready, or only waits for its budget.
    pub fn remove_server(&mut self, thread: Thread) -> Result<(), Error> {
        let id = self.known(thread)?;
        self.check_waits(id)?;
        if self.serves(id) {
            self.drop_server(id);
            let home = self.threads[id].home;
            self.node_mut(home, id).deadline = Level::NONE;
        }
        Ok(())
    }

    fn check_waits(&self, id: usize) -> Result<(), Error> {
        let waits = !self.threads[id].reasons.minus(Reasons::BUDGET).is_empty();
        waits.then_some(()).ok_or(Error::IncorrectState)
    }

    /// The thread `id`, which is blocked, has no server any longer.
    pub(crate) fn drop_server(&mut self, id: usize) {
        let record = &mut self.threads[id];
        if record.server.take().is_some() {
            record.reasons = record.reasons.minus(Reasons::BUDGET);
        }
    }

    /// The rest of the budget of `thread` at `now`, and the deadline of its server.
    ///
    /// # Errors
    /// [`Error::InvalidId`]; [`Error::NotDefined`]: it has no server.
    pub fn server(&self, thread: Thread, now: Instant) -> Result<(Duration, Instant), Error> {
        let id = self.known(thread)?;
        let server = self.threads[id].server.as_ref().ok_or(Error::NotDefined)?;
        Ok((server.left(self.used(id, now)), server.deadline))
    }

    /// Handles on `cpu` the time that was requested by [`Effects::arm`]: budgets are refilled,
    /// threads throttled and released.
    ///
    /// Of what happens at the same instant, call this after threads that have ended their jobs were
    /// blocked, and before others wake. Coming too early does nothing; coming too late lets a
    /// thread run on, which it then owes.
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
        self.at(now, effects, |system| {
            system.processor_mut(cpu).armed = None;
            while let Some(first) = system.next_refill().filter(|(at, _)| *at <= now) {
                system.release(first.1);
            }
            let heir = system.processor(cpu).heir;
            system.look_at_spent(cpu);
            system.look_at(heir);
            system.arm(cpu);
        });
        Ok(())
    }

    /// Checks the budget of a thread that lost `cpu` having used it up, if there is one.
    pub(crate) fn look_at_spent(&mut self, cpu: Cpu) {
        let spent = self.processor_mut(cpu).spent.take();
        self.look_at(spent);
    }

    /// If the budget of `id` is used up, the server decides how it continues.
    fn look_at(&mut self, id: Option<usize>) {
        let Some(id) = id.filter(|id| self.has_spent_all(*id)) else {
            return;
        };
        if self.settle_server(id) {
            self.follow_deadline(id);
        } else {
            self.add_reasons(id, Reasons::BUDGET);
            self.follow_deadline(id);
            self.wait_for_refill(id);
        }
    }

    /// Returns whether `id` is a ready thread with a budget that is used up.
    fn has_spent_all(&self, id: usize) -> bool {
        let used = self.used(id, self.now);
        let server = self.threads[id].server.as_ref();
        server.is_some_and(|server| server.left(used) == Duration::ZERO) && !self.is_blocked(id)
    }

    /// If the heir of `cpu`, which is about to lose it, has used up its budget, [`System::expire`]
    /// will see to it. A processor notes one thread, the last.
    pub(crate) fn note_spent(&mut self, cpu: Cpu) {
        let heir = self.processor(cpu).heir;
        if let Some(heir) = heir.filter(|heir| self.has_spent_all(*heir)) {
            self.processor_mut(cpu).spent = Some(heir);
        }
    }

    /// Whether the thread `id` has a server.
    pub(crate) fn serves(&self, id: usize) -> bool {
        self.threads[id].server.is_some()
    }

    fn settle_server(&mut self, id: usize) -> bool {
        let (used, now) = (self.used(id, self.now), self.now);
        let server = self.threads[id].server.as_mut();
        server.is_some_and(|server| server.settle(used, now))
    }

    /// When the first of the threads that are throttled gets its budget, and which that is.
    fn next_refill(&self) -> Option<(Instant, usize)> {
        let servers = self.threads.iter().enumerate();
        let servers = servers.filter_map(|(id, record)| Some((record.server.as_ref()?, id)));
        let throttled = servers.filter(|(server, _)| server.throttled);
        throttled.map(|(server, id)| (server.deadline, id)).min()
    }

    /// The CPU time of the thread `id` up to `now`.
    pub(crate) fn used(&self, id: usize, now: Instant) -> Duration {
        let record = &self.threads[id];
        let runs_on = record.cpu.map(|cpu| self.processor(cpu));
        let runs_on = runs_on.filter(|processor| processor.heir == Some(id));
        let span = runs_on.map_or(Duration::ZERO, |processor| now.since(processor.since));
        record.cpu_time.saturating_add(span)
    }

    /// The last reason for which the thread `id` was blocked is over. Whether it may be unblocked
    /// now.
    pub(crate) fn wake_server(&mut self, id: usize) -> bool {
        let (used, now) = (self.used(id, self.now), self.now);
        let Some(server) = &mut self.threads[id].server else {
            return true;
        };
        let may_run = server.wake(used, now);
        self.follow_deadline(id);
        if !may_run {
            let reasons = &mut self.threads[id].reasons;
            *reasons = reasons.or(Reasons::BUDGET);
            self.wait_for_refill(id);
        }
        may_run
    }

    /// The refill of the thread `id` is due.
    fn release(&mut self, id: usize) {
        if let Some(server) = &mut self.threads[id].server {
            server.throttled = false;
        }
        let may_run = self.settle_server(id);
        self.follow_deadline(id);
        if !may_run {
            return self.wait_for_refill(id);
        }
        let reasons = &mut self.threads[id].reasons;
        *reasons = reasons.minus(Reasons::BUDGET);
        if reasons.is_empty() {
            self.make_ready(id, Order::Append);
        }
    }

    /// Makes the server's deadline that of the thread `id`, after its equals.
    fn follow_deadline(&mut self, id: usize) {
        let record = &self.threads[id];
        if let Some(server) = &record.server {
            let deadline = Level(server.deadline.as_nanos().min(LATEST));
            let home = record.home;
            self.node_mut(home, id).deadline = deadline;
            self.priority_changed(id, Order::Append);
        }
    }

    fn wait_for_refill(&mut self, id: usize) {
        if let Some(server) = &mut self.threads[id].server {
            server.throttled = true;
        }
        if let Some(keeper) = self.online.lowest() {
            self.arm(keeper);
        }
    }

    /// Requests the time at which something is to be done on `cpu`, if it is not requested
    /// already. The timer of the lowest processor is that of refills too.
    pub(crate) fn arm(&mut self, cpu: Cpu) {
        let processor = self.processor(cpu);
        let left = |heir: usize| {
            let server = self.threads[heir].server.as_ref()?;
            Some(server.left(self.used(heir, self.now)))
        };
        let of_heir = match processor.spent {
            Some(_) => Some(self.now),
            None => processor
                .heir
                .and_then(left)
                .map(|left| self.now.saturating_add(left)),
        };
        let is_keeper = self.online.lowest() == Some(cpu);
        let refill = self.next_refill().filter(|_| is_keeper).map(|(at, _)| at);
        let at = of_heir.into_iter().chain(refill).min();
        if processor.armed != at {
            self.processor_mut(cpu).armed = at;
            self.told.push(Told::Arm(cpu, at));
        }
    }
}
