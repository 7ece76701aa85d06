//! Owns: the acts that concern one instance: its decider's where it is closed, the System's where it is open.
//! Must never know: why a thread waits.

use taktos_schedule::smp::closed::{Act, Deadlines, Decider, Place, WAITS, Waiting};
use taktos_schedule::smp::{Error, Instance, Priority as Level, System, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::board::{Board, Forgotten};
use super::{About, AnyHome, Beside, kernels};

impl<'m> Beside<'m> {
    /// Who decides about the thread, which is about to act: an instance that can be is closed first.
    fn closed_now(&mut self, thread: Thread) -> Option<Decider<'m, usize, usize>> {
        self.try_close(self.board.home(thread));
        let decider = self.closed(thread);
        self.decided += usize::from(decider.is_some());
        decider
    }

    /// Does `act` with the thread, whose priority `set` changes, if only the slow ways find what
    /// decides about it. Whether that is done.
    fn acts(&mut self, thread: Thread, act: Act, set: &dyn Fn(&Board)) -> bool {
        let Some(home) = self.home(thread).filter(|home| home.is_watched()) else {
            return false;
        };
        self.act_in_tables();
        let (board, now) = (&self.board, self.now);
        let act: (Act, &dyn Fn()) = (act, &|| set(board));
        let whom = (thread.index(), home);
        self.router
            .act(board, whom, act, now, &mut Forgotten(board))
    }

    /// Whether the thread runs where is asked from, and is to run on there.
    fn runs_here(&self, thread: Thread) -> Option<usize> {
        let cpu = self.acting?;
        (self.board.runs(cpu) == thread.index()).then_some(cpu.index())
    }

    /// A new thread waits, in a kernel, until it is started.
    pub fn create(
        &mut self,
        plain: &System<'_>,
        home: Instance,
        priority: Level,
        affinity: Option<CpuSet>,
        theirs: Thread,
    ) {
        let now = self.now;
        let ours = self.ask(About::Nobody, |system, effects| {
            let made = system.create(home, priority, affinity)?;
            system.block(made, WAITS, now, effects)?;
            system.start(made, now, effects)?;
            Ok::<_, Error>(made)
        });
        self.answered(plain, &Ok(theirs), &ours);
        if let (Some(home), Ok(cpus)) = (self.router.home(home), plain.affinity(theirs)) {
            let cpus = affinity.map_or(CpuSet::ALL, |_| cpus);
            home.begin_with(&self.board, theirs.index(), cpus);
        }
    }

    /// The thread, which waited, waits no more.
    pub fn ready(&mut self, thread: Thread) {
        if let Some(decider) = self.closed_now(thread) {
            self.board.set_ready(thread, true);
            if self.acts(thread, Act::Enter(Place::Last), &|_| {}) {
                return;
            }
            let (board, router, now) = (&self.board, &mut self.router, self.now);
            let renew = |served: &_| router.renew(board, served, thread.index(), now);
            return decider.ready(board, thread.index(), Place::Last, renew);
        }
        let now = self.now;
        let done = self.ask(About::Row(thread), |system, effects| {
            system.unblock(thread, WAITS, now, effects)
        });
        self.must(done, "a thread cannot be made ready");
    }

    /// The thread, which was ready, waits.
    pub fn block(&mut self, thread: Thread) {
        let (id, priority) = (thread.index(), self.board.priority_of(thread));
        let here = self.runs_here(thread);
        let is_heir = here.is_some_and(|here| self.is_heir(thread, here));
        let decider = self.closed_now(thread);
        if self.acts(thread, Act::Leave, &|_| {}) {
            return;
        }
        let board = &self.board;
        match (decider, here) {
            (Some(Decider::Solo(solo)), Some(here)) if is_heir => {
                solo.retire(board, here, id, priority);
            }
            (Some(Decider::Cluster(cluster)), Some(here)) => {
                cluster.retire(board, here, id, priority);
            }
            (Some(Decider::Edf(edf)), Some(here)) => {
                edf.retire(board, here, id, Deadlines::urgency(board, id));
            }
            (Some(Decider::Served(served)), Some(here)) => {
                served.retire(board, here, id, Deadlines::urgency(board, id));
            }
            (Some(decider), _) => decider.remove(board, id),
            (None, _) => {
                let now = self.now;
                let done = self.ask(About::Row(thread), |system, effects| {
                    system.block(thread, WAITS, now, effects)
                });
                self.must(done, "a thread cannot be blocked");
            }
        }
    }

    fn is_heir(&self, thread: Thread, here: usize) -> bool {
        let cpu = self.acting.filter(|cpu| cpu.index() == here);
        cpu.is_some_and(|cpu| self.board.heir_of(cpu) == Some(thread.index()))
    }

    /// The thread has another priority, behind its equals. What the System answers, if it decides.
    pub fn set_priority(&mut self, thread: Thread, level: Level) -> Option<Result<Level, Error>> {
        let old = self.board.priority_of(thread);
        let new = kernels(level)?;
        let is_ready = self.board.is_ready_now(thread);
        let decider = match old == new {
            // A kernel leaves such a one where it is, the library puts it behind its equals.
            true => None,
            false => self.closed_now(thread),
        };
        let Some(decider) = decider else {
            let now = self.now;
            self.reach(About::Thread(thread));
            // Before it stands in the rings.
            self.board.set_priority(thread, new);
            return Some(self.ask(About::Nobody, |system, effects| {
                system.set_priority(thread, level, now, effects)
            }));
        };
        let set = |board: &Board| board.set_priority(thread, new);
        if self.acts(thread, Act::Change(new, Place::Last), &set) {
            return None;
        }
        let set = || set(&self.board);
        match is_ready {
            true => decider.change(&self.board, thread.index(), set, Place::Last),
            false => {
                set();
                decider.waiting_has_changed(&self.board);
            }
        }
        None
    }

    /// The thread began anew in the `plain` one.
    pub fn restart(&mut self, plain: &System<'_>, thread: Thread) {
        self.reach(About::Thread(thread));
        if let Some(priority) = plain.own_priority(thread).ok().and_then(kernels) {
            self.board.set_priority(thread, priority);
        }
        self.forget_job(thread);
        let now = self.now;
        let ours = self.ask(About::Nobody, |system, effects| {
            system.restart(thread, now, effects)
        });
        self.answered(plain, &Ok(()), &ours);
    }

    /// The thread goes behind its equals. What the System answers, if it decides.
    pub fn yields(&mut self, thread: Thread) -> Option<Result<(), Error>> {
        let (id, priority) = (thread.index(), self.board.priority_of(thread));
        match self.closed_now(thread) {
            Some(_) if !self.board.is_ready_now(thread) => None,
            // The turn of one that does not have it cannot be given away there.
            Some(Decider::Solo(solo)) if !solo.is_first(id, priority) => self.yields_open(thread),
            Some(_) if self.acts(thread, Act::Requeue(Place::Last), &|_| {}) => None,
            Some(decider) => {
                self.yields_closed(decider, thread);
                None
            }
            None => self.yields_open(thread),
        }
    }

    fn yields_closed(&self, decider: Decider<'m, usize, usize>, thread: Thread) {
        let (id, board) = (thread.index(), &self.board);
        let priority = board.priority_of(thread);
        match (decider, self.runs_here(thread)) {
            (Decider::Solo(solo), Some(here)) if self.is_heir(thread, here) => {
                solo.advance(board, here, id, priority);
            }
            (Decider::Cluster(cluster), Some(here)) => {
                cluster.advance(board, here, id, priority);
            }
            (Decider::Edf(edf), Some(here)) => {
                edf.advance(board, here, id, Deadlines::urgency(board, id));
            }
            (Decider::Served(served), Some(here)) => {
                served.advance(board, here, id, Deadlines::urgency(board, id));
            }
            _ => decider.requeue(board, id, Place::Last),
        }
    }

    fn yields_open(&mut self, thread: Thread) -> Option<Result<(), Error>> {
        let now = self.now;
        Some(self.ask(About::Thread(thread), |system, effects| {
            system.yield_now(thread, now, effects)
        }))
    }

    /// The thread may run on `cpus` alone.
    pub fn set_affinity(&mut self, thread: Thread, cpus: CpuSet) -> Result<(), Error> {
        self.act_in_tables();
        let (board, now) = (&self.board, self.now);
        self.router
            .set_affinity(board, thread.index(), cpus, now, &mut Forgotten(board))
    }

    /// The thread has a job with this deadline, or none.
    pub fn set_job(&mut self, thread: Thread, deadline: Option<Instant>) -> Result<(), Error> {
        self.try_close(self.board.home(thread));
        self.decided += usize::from(self.closed(thread).is_some());
        self.act_in_tables();
        let (board, now) = (&self.board, self.now);
        self.router
            .set_job(board, thread.index(), deadline, now, &mut Forgotten(board))
    }

    /// The thread has a server with this budget and period.
    pub fn set_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        let server = Some((budget, period));
        self.router.set_server(&self.board, thread.index(), server)
    }

    /// The thread has a server that throttles it.
    pub fn set_hard_server(
        &mut self,
        thread: Thread,
        budget: Duration,
        period: Duration,
    ) -> Result<(), Error> {
        let id = thread.index();
        self.router.set_hard_server(&self.board, id, budget, period)
    }

    /// The time has come at which budgets on the processor are to be looked at.
    pub fn expire(&mut self, cpu: Cpu) -> Result<(), Error> {
        self.act_in_tables();
        let (board, now) = (&self.board, self.now);
        self.router.expire(board, cpu, now, &mut Forgotten(board))
    }

    /// The System is asked from where this is.
    fn act_in_tables(&mut self) {
        if let Some(cpu) = self.acting {
            self.router.system_mut().act_on(cpu);
        }
    }

    /// The home of the thread, as deciders know it.
    fn home(&self, thread: Thread) -> Option<&'m AnyHome> {
        self.router.home(self.board.home(thread)?)
    }

    /// The thread came from another instance.
    pub fn receive(&self, thread: Thread) {
        if let Some(home) = self.home(thread) {
            home.receive(&self.board, thread.index());
        }
    }

    /// The thread has no job, nor has it in the tables.
    fn forget_job(&self, thread: Thread) {
        if let Some(home) = self.home(thread) {
            home.forget_job(&self.board, thread.index());
        }
    }

    fn must(&mut self, done: Result<(), Error>, what: &str) {
        if let Err(error) = done {
            self.differ(format!("{what}: {error}"));
        }
    }
}
