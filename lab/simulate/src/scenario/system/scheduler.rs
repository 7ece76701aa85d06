//! The scheduling library with the threads of a script.
//!
//! Owns: the reasons that make a thread wait, and the requests to the library then.
//! Must never know: which operation a command is.

use std::cell::RefCell;

use taktos_schedule::smp::seats::{Decider, Driver, Home, Place, Router, Rows, Sight, World};
use taktos_schedule::smp::{
    Error, Instance, Lock, Obtained, Priority, Protocol, Reasons, System, Thread, Violation,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::board::Board;
use crate::engine::Ranked;

/// The decider of an instance.
pub(super) type AnyHome = Home<u16, usize, Ranked, { Cpu::COUNT }>;
type AnyRouter<'m> = Router<'m, u16, usize, Ranked, { Cpu::COUNT }>;
type Driving<'d, 'm> = Driver<'d, 'm, Board, Ranked, { Cpu::COUNT }>;

/// Callers name threads by their rows in the library's table. Each operation happens at the time
/// that was set last.
pub(super) struct Scheduler<'m> {
    router: RefCell<AnyRouter<'m>>,
    board: Board,
    online: CpuSet,
}

impl<'m> Scheduler<'m> {
    /// Creates a scheduler. Each instance has one of `homes`; there are at most `threads` threads.
    pub fn new(system: System<'m>, homes: &'m [AnyHome], threads: usize) -> Self {
        let board = Board::new(threads);
        let online = system.online();
        let mut router = AnyRouter::new(system, homes);
        router.begin(&board, Instant::START);
        Self {
            router: RefCell::new(router),
            board,
            online,
        }
    }

    /// The next operations happen at `now`.
    pub fn set_time(&self, now: Instant) {
        self.board.set_time(now);
    }

    /// Those of `cpus` that are to be dispatched.
    pub fn due(&self, cpus: CpuSet) -> CpuSet {
        self.board.due(cpus)
    }

    /// The next time at which [`Scheduler::expire`] is to be called for a processor.
    pub fn next_alarm(&self) -> Option<(Instant, Cpu)> {
        self.board.next_alarm(self.online)
    }

    fn drive<R>(&self, operate: impl FnOnce(&mut Driving<'_, 'm>) -> R) -> R {
        let mut router = self.router.borrow_mut();
        operate(&mut router.drive(&self.board, self.board.time()))
    }

    /// Reads the rows with `ask`.
    pub fn rows<R>(&self, ask: impl FnOnce(&System<'m>) -> R) -> R {
        ask(self.router.borrow().system())
    }

    /// Reads the decisions with `look`.
    pub fn look<R>(&self, look: impl FnOnce(&dyn Sight) -> R) -> R {
        look(&self.router.borrow_mut().look(&self.board))
    }

    /// Checks the invariants of the library.
    ///
    /// # Errors
    /// The first that does not hold.
    pub fn check(&self) -> Result<(), Violation> {
        self.router.borrow_mut().check(&self.board)
    }

    fn known(&self, thread: Thread) -> Result<(), Error> {
        match self.board.exists(thread) {
            true => Ok(()),
            false => Err(Error::InvalidId),
        }
    }

    /// Why the thread is not ready.
    pub fn reasons(&self, thread: Thread) -> Result<Reasons, Error> {
        self.known(thread)?;
        let budget = match self.rows(|system| system.is_throttled(thread)) {
            true => Reasons::BUDGET,
            false => Reasons::NONE,
        };
        Ok(self.board.reasons(thread).or(budget))
    }

    /// The time that the thread had on processors.
    pub fn cpu_time(&self, thread: Thread) -> Result<Duration, Error> {
        let router = self.router.borrow();
        let home = router.home(router.system().scheduler(thread)?);
        if let Some(home) = home {
            router.charge_all(&self.board, home);
        }
        Ok(self.board.charged_to(thread))
    }

    /// The processor that has the registers of the thread.
    pub fn executes_on(&self, thread: Thread) -> Option<Cpu> {
        let mut all = self.online.into_iter();
        all.find(|cpu| self.board.runs(*cpu) == id_of(thread))
    }

    /// A new thread, which is dormant.
    pub fn create(
        &self,
        home: Instance,
        priority: Priority,
        affinity: Option<CpuSet>,
    ) -> Result<Thread, Error> {
        let mut router = self.router.borrow_mut();
        let made = router.system_mut().create(home, priority, affinity)?;
        self.board.begin(made, home, priority);
        let cpus = router.system().affinity(made)?;
        if let Some(home) = router.home(home) {
            let cpus = affinity.map_or(CpuSet::ALL, |_| cpus);
            home.begin_with(&self.board, id_of(made), cpus);
        }
        Ok(made)
    }

    pub fn start(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        match self.board.reasons(thread).any_of(Reasons::DORMANT) {
            true => self.unblock(thread, Reasons::DORMANT),
            false => Err(Error::IncorrectState),
        }
    }

    pub fn block(&self, thread: Thread, reasons: Reasons) -> Result<(), Error> {
        self.known(thread)?;
        if self.board.add_reasons(thread, reasons) {
            self.drive(|driver| driver.block(id_of(thread)));
        }
        Ok(())
    }

    pub fn unblock(&self, thread: Thread, reasons: Reasons) -> Result<(), Error> {
        self.known(thread)?;
        if self.board.clear_reasons(thread, reasons) {
            self.drive(|driver| driver.ready(id_of(thread), Place::Last));
        }
        Ok(())
    }

    pub fn suspend(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        match self.board.reasons(thread).any_of(Reasons::SUSPENDED) {
            true => Err(Error::IncorrectState),
            false => self.block(thread, Reasons::SUSPENDED),
        }
    }

    pub fn resume(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        match self.board.reasons(thread).any_of(Reasons::SUSPENDED) {
            true => self.unblock(thread, Reasons::SUSPENDED),
            false => Err(Error::IncorrectState),
        }
    }

    /// Restarts the thread with its first priority, without a job, and waiting for nothing.
    pub fn restart(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        if self.board.reasons(thread).any_of(Reasons::DORMANT) {
            return Err(Error::IncorrectState);
        }
        let initial = self.rows(|system| system.initial_priority(thread))?;
        self.abandon_wait(thread);
        self.drive(|driver| driver.set_priority(id_of(thread), initial, Place::Last));
        self.set_job(thread, None)?;
        self.unblock(thread, self.board.reasons(thread))
    }

    /// The thread is no more.
    pub fn delete(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        if self.rows(|system| system.owns_any(thread)) {
            return Err(Error::ResourceInUse);
        }
        self.abandon_wait(thread);
        self.block(thread, Reasons::DORMANT)?;
        let mut router = self.router.borrow_mut();
        router.ask(&self.board, |system| system.delete(thread))?;
        self.board.end(thread);
        router.settle(&self.board);
        Ok(())
    }

    /// The wait of the thread for a lock, if it waits for one, ends without it.
    fn abandon_wait(&self, thread: Thread) {
        if self.rows(|system| system.waits_for(thread)) != Ok(None) {
            // It waits, so that cannot be refused.
            let _ = self.time_out(thread);
        }
    }

    pub fn yield_now(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        if self.reasons(thread)?.is_empty() && self.board.is_ready(id_of(thread)) {
            self.drive(|driver| driver.requeue(id_of(thread), Place::Last));
        }
        Ok(())
    }

    pub fn set_priority(&self, thread: Thread, priority: Priority) -> Result<(), Error> {
        self.known(thread)?;
        self.rows(|system| system.check_priority_of(thread, priority))?;
        self.drive(|driver| driver.set_priority(id_of(thread), priority, Place::Last));
        Ok(())
    }

    pub fn set_affinity(&self, thread: Thread, cpus: CpuSet) -> Result<(), Error> {
        let id = id_of(thread);
        let mut router = self.router.borrow_mut();
        router.set_affinity(&self.board, id, cpus)
    }

    pub fn set_scheduler(
        &self,
        thread: Thread,
        to: Instance,
        priority: Priority,
    ) -> Result<(), Error> {
        self.known(thread)?;
        if self.board.reasons(thread).any_of(Reasons::WAIT) {
            return Err(Error::ResourceInUse);
        }
        self.drive(|driver| driver.move_to(id_of(thread), to, priority))
    }

    /// The thread stays on the processor on which it executes.
    pub fn pin(&self, thread: Thread) -> Result<(), Error> {
        self.known(thread)?;
        let cpu = self.executes_on(thread).ok_or(Error::IncorrectState)?;
        let id = id_of(thread);
        let mut router = self.router.borrow_mut();
        if !self.board.is_ready(id) || self.board.heir(cpu.index()) != id {
            // It is about to leave the processor.
            return Err(Error::IncorrectState);
        }
        router.pin(&self.board, id, cpu)?;
        let home = router.home_of(cpu).map(Home::decider);
        if !matches!(home, Some(Decider::Solo(_) | Decider::Cluster(_))) {
            self.board.forget(cpu);
        }
        Ok(())
    }

    pub fn unpin(&self, thread: Thread) -> Result<(), Error> {
        let id = id_of(thread);
        let mut router = self.router.borrow_mut();
        router.unpin(&self.board, id)
    }

    /// The thread has a job with this deadline, or none.
    pub fn set_job(&self, thread: Thread, deadline: Option<Instant>) -> Result<(), Error> {
        let (id, now) = (id_of(thread), self.board.time());
        let mut router = self.router.borrow_mut();
        router.set_job(&self.board, id, deadline, now)
    }

    pub fn set_server(
        &self,
        thread: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
    ) -> Result<(), Error> {
        let id = id_of(thread);
        let mut router = self.router.borrow_mut();
        match hard {
            true => router.set_hard_server(&self.board, id, budget, period)?,
            false => router.set_server(&self.board, id, Some((budget, period)))?,
        }
        router.settle(&self.board);
        Ok(())
    }

    /// Checks the budgets on the processor, which has an alarm that is due.
    pub fn expire(&self, cpu: Cpu) -> Result<(), Error> {
        self.board.disarm(cpu);
        let now = self.board.time();
        let mut router = self.router.borrow_mut();
        router.expire(&self.board, cpu, now)
    }

    pub fn add_processor(&self, to: Instance, cpu: Cpu) -> Result<(), Error> {
        let now = self.board.time();
        let mut router = self.router.borrow_mut();
        router.add_processor(&self.board, to, cpu, now)
    }

    pub fn remove_processor(&self, from: Instance, cpu: Cpu) -> Result<(), Error> {
        self.drive(|driver| driver.remove_processor(from, cpu))
    }

    pub fn create_lock(
        &self,
        protocol: Protocol,
        creator: Thread,
        ceiling: Option<Priority>,
        locked: bool,
    ) -> Result<Lock, Error> {
        self.drive(|driver| driver.create_lock(protocol, id_of(creator), ceiling, locked))
    }

    pub fn delete_lock(&self, lock: Lock) -> Result<(), Error> {
        self.router.borrow_mut().system_mut().delete_lock(lock)
    }

    pub fn set_ceiling(
        &self,
        lock: Lock,
        instance: Instance,
        ceiling: Priority,
    ) -> Result<Priority, Error> {
        self.drive(|driver| driver.set_ceiling(lock, instance, ceiling))
    }

    pub fn obtain(&self, lock: Lock, thread: Thread, waits: bool) -> Result<Obtained, Error> {
        self.drive(|driver| driver.obtain(lock, id_of(thread), waits))
    }

    pub fn surrender(&self, lock: Lock, thread: Thread) -> Result<(), Error> {
        self.drive(|driver| driver.surrender(lock, id_of(thread)).map(drop))
    }

    pub fn flush(&self, lock: Lock) -> Result<(), Error> {
        self.drive(|driver| driver.flush(lock))
    }

    pub fn time_out(&self, thread: Thread) -> Result<(), Error> {
        self.drive(|driver| driver.time_out(id_of(thread)))
    }

    /// The processor executes its heir from now on.
    pub fn dispatch(&self, cpu: Cpu) {
        let former = self.board.runs(cpu);
        self.drive(|driver| {
            let next = driver.dispatch(cpu);
            self.board.set_runs(cpu, next);
            if next != former {
                // It may be ready by that, and come back here.
                driver.let_go(former);
                self.board.set_runs(cpu, driver.dispatch(cpu));
            }
        });
    }
}

/// Rows of the library's table and of the board correspond.
const fn id_of(thread: Thread) -> u16 {
    thread.index() as u16
}
