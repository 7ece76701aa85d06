//! The library's System that scripts see, and, where that is wanted, one whose instances close beside it.
//!
//! Owns: that whatever is done to the one is done to the other.
//! Must never know: which operation a command is.

use std::ops::Deref;

use taktos_schedule::smp::{
    Dispatch, Error, Instance, Lock, Obtained, Priority, Protocol, Reasons, System, Thread,
};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::beside::{About, Beside};
use super::effects::Noted;

/// The System, to be asked by what it derefs to, and to be told by the methods, which are the System's.
pub(super) struct Scheduler<'m> {
    plain: System<'m>,
    beside: Option<Beside<'m>>,
    /// Whether a priority was none of a kernel's: since then there is nothing beside it.
    beyond: bool,
}

impl<'m> Deref for Scheduler<'m> {
    type Target = System<'m>;

    fn deref(&self) -> &System<'m> {
        &self.plain
    }
}

/// Asks both the same, having told the one beside what it is about, and has it see whether it answers the same.
macro_rules! both {
    ($self:ident, $about:expr, $noted:expr, |$system:ident, $effects:ident| $question:expr) => {{
        let theirs = {
            let ($system, $effects) = (&mut $self.plain, &mut *$noted);
            $question
        };
        if let Some(beside) = &mut $self.beside {
            let ours = beside.ask($about, |$system, $effects| $question);
            beside.answered(&$self.plain, &theirs, &ours);
        }
        theirs
    }};
    ($self:ident, $about:expr, |$system:ident| $question:expr) => {{
        let theirs = {
            let $system = &mut $self.plain;
            $question
        };
        if let Some(beside) = &mut $self.beside {
            let ours = beside.ask($about, |$system, _| $question);
            beside.answered(&$self.plain, &theirs, &ours);
        }
        theirs
    }};
}

impl<'m> Scheduler<'m> {
    pub fn new(plain: System<'m>, beside: Option<Beside<'m>>) -> Self {
        Self {
            plain,
            beside,
            beyond: false,
        }
    }

    /// From where and when the next thing is asked.
    pub fn act_on(&mut self, cpu: Cpu, now: Instant) {
        self.plain.act_on(cpu);
        if let Some(beside) = &mut self.beside {
            beside.act_on(cpu, now);
        }
    }

    /// These processors do not dispatch.
    pub fn hold(&mut self, held: CpuSet) {
        if let Some(beside) = &mut self.beside {
            beside.let_close(held.is_empty());
        }
    }

    /// All processors but the `held` ones have dispatched until nothing was left to do. Whether both are alike.
    ///
    /// # Errors
    /// How they differ.
    pub fn settled(&mut self, held: CpuSet, now: Instant) -> Result<(), String> {
        let Some(beside) = &mut self.beside else {
            return Ok(());
        };
        beside.at(now);
        beside.settle(held);
        let like = beside.check(&self.plain);
        like.map_err(|how| format!("where instances close, {how} where they never do"))
    }

    /// How often an act was decided in a closed instance; none where none was beside all the time.
    pub fn decided(&self) -> Option<usize> {
        let beside = self.beside.as_ref().filter(|_| !self.beyond);
        beside.map(Beside::decided)
    }

    /// A priority that no kernel has: there is nothing to compare with.
    fn go_beyond(&mut self, priority: Priority) {
        if self.beside.is_some() && !Beside::knows(priority) {
            self.beside = None;
            self.beyond = true;
        }
    }

    pub fn create(
        &mut self,
        home: Instance,
        priority: Priority,
        affinity: Option<CpuSet>,
    ) -> Result<Thread, Error> {
        let made = self.plain.create(home, priority, affinity)?;
        self.go_beyond(priority);
        if let Some(beside) = &mut self.beside {
            beside.create(&self.plain, home, priority, affinity, made);
        }
        Ok(made)
    }

    /// Whether a thread waits, or is suspended, or was never started; locks and budgets are the library's own business.
    fn waits(&self, thread: Thread) -> bool {
        let others = Reasons::LOCK.or(Reasons::BUDGET);
        let reasons = self.plain.reasons(thread);
        reasons.is_ok_and(|reasons| !reasons.minus(others).is_empty())
    }

    /// Tells the plain one something by which the thread may begin or end to wait.
    fn changing<R>(
        &mut self,
        thread: Thread,
        change: impl FnOnce(&mut System<'m>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let before = self.waits(thread);
        let answer = change(&mut self.plain)?;
        let after = self.waits(thread);
        if let Some(beside) = &mut self.beside {
            match (before, after) {
                (true, false) => beside.ready(thread),
                (false, true) => beside.block(thread),
                _ => {}
            }
            beside.follow(&self.plain);
        }
        Ok(answer)
    }

    pub fn start(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        self.changing(id, |system| system.start(id, now, noted))
    }

    pub fn block(
        &mut self,
        id: Thread,
        reasons: Reasons,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        self.changing(id, |system| system.block(id, reasons, now, noted))
    }

    pub fn unblock(
        &mut self,
        id: Thread,
        reasons: Reasons,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        self.changing(id, |system| system.unblock(id, reasons, now, noted))
    }

    pub fn suspend(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        self.changing(id, |system| system.suspend(id, now, noted))
    }

    pub fn resume(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        self.changing(id, |system| system.resume(id, now, noted))
    }

    pub fn restart(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        self.plain.restart(id, now, noted)?;
        if let Some(beside) = &mut self.beside {
            beside.restart(&self.plain, id);
        }
        Ok(())
    }

    pub fn delete(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        both!(self, About::Thread(id), noted, |system, effects| system
            .delete(id, now, effects))
    }

    pub fn yield_now(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        let theirs = self.plain.yield_now(id, now, noted);
        if let Some(beside) = &mut self.beside {
            let ours = beside.yields(id).unwrap_or(theirs);
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn set_priority(
        &mut self,
        id: Thread,
        priority: Priority,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Priority, Error> {
        let theirs = self.plain.set_priority(id, priority, now, noted)?;
        self.go_beyond(priority);
        if let Some(beside) = &mut self.beside {
            let ours = beside.set_priority(id, priority);
            let theirs = Ok(theirs);
            beside.answered(&self.plain, &theirs, &ours.unwrap_or(theirs));
        }
        Ok(theirs)
    }

    pub fn set_affinity(
        &mut self,
        id: Thread,
        cpus: CpuSet,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        let theirs = self.plain.set_affinity(id, cpus, now, noted);
        if let Some(beside) = &mut self.beside {
            let ours = beside.set_affinity(id, cpus);
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn set_scheduler(
        &mut self,
        id: Thread,
        to: Instance,
        priority: Priority,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        let theirs = self.plain.set_scheduler(id, to, priority, now, noted);
        // Why a thread waits a kernel alone knows, and does not ask for one that may not be moved.
        if theirs == Err(Error::ResourceInUse) {
            return theirs;
        }
        self.go_beyond(priority);
        if let Some(beside) = &mut self.beside {
            let ours = beside.ask(About::Way(id, to), |system, effects| {
                system.set_scheduler(id, to, priority, now, effects)
            });
            beside.answered(&self.plain, &theirs, &ours);
            if theirs.is_ok() {
                beside.receive(id);
            }
        }
        theirs
    }

    pub fn pin(&mut self, id: Thread) -> Result<(), Error> {
        both!(self, About::Thread(id), |system| system.pin(id))
    }

    pub fn unpin(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        both!(self, About::Thread(id), noted, |system, effects| system
            .unpin(id, now, effects))
    }

    pub fn release_job(
        &mut self,
        id: Thread,
        deadline: Instant,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        let theirs = self.plain.release_job(id, deadline, now, noted);
        if let Some(beside) = &mut self.beside {
            let ours = beside.set_job(id, Some(deadline));
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn cancel_job(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        let theirs = self.plain.cancel_job(id, now, noted);
        if let Some(beside) = &mut self.beside {
            let ours = beside.set_job(id, None);
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn set_server(
        &mut self,
        id: Thread,
        budget: Duration,
        period: Duration,
        hard: bool,
    ) -> Result<(), Error> {
        let theirs = match hard {
            true => self.plain.set_hard_server(id, budget, period),
            false => self.plain.set_server(id, budget, period),
        };
        if let Some(beside) = &mut self.beside {
            let ours = match hard {
                true => beside.set_hard_server(id, budget, period),
                false => beside.set_server(id, budget, period),
            };
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn expire(&mut self, cpu: Cpu, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        let theirs = self.plain.expire(cpu, now, noted);
        if let Some(beside) = &mut self.beside {
            let ours = beside.expire(cpu);
            beside.answered(&self.plain, &theirs, &ours);
        }
        theirs
    }

    pub fn add_processor(
        &mut self,
        to: Instance,
        cpu: Cpu,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        both!(self, About::Instance(to), noted, |system, effects| system
            .add_processor(to, cpu, now, effects))
    }

    pub fn remove_processor(
        &mut self,
        from: Instance,
        cpu: Cpu,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<(), Error> {
        both!(self, About::Instance(from), noted, |system, effects| system
            .remove_processor(from, cpu, now, effects))
    }

    pub fn create_lock(
        &mut self,
        protocol: Protocol,
        creator: Thread,
        ceiling: Option<Priority>,
        locked: bool,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Lock, Error> {
        ceiling
            .into_iter()
            .for_each(|ceiling| self.go_beyond(ceiling));
        let about = match locked {
            true => About::Thread(creator),
            false => About::Nobody,
        };
        both!(self, about, noted, |system, effects| system
            .create_lock(protocol, creator, ceiling, locked, now, effects))
    }

    pub fn delete_lock(&mut self, lock: Lock) -> Result<(), Error> {
        both!(self, About::Nobody, |system| system.delete_lock(lock))
    }

    pub fn set_ceiling(
        &mut self,
        lock: Lock,
        instance: Instance,
        ceiling: Priority,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Priority, Error> {
        self.go_beyond(ceiling);
        both!(self, About::Nobody, noted, |system, effects| system
            .set_ceiling(lock, instance, ceiling, now, effects))
    }

    pub fn obtain(
        &mut self,
        lock: Lock,
        id: Thread,
        waits: bool,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Obtained, Error> {
        both!(self, About::Lock(lock, id), noted, |system, effects| system
            .obtain(lock, id, waits, now, effects))
    }

    pub fn surrender(
        &mut self,
        lock: Lock,
        id: Thread,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Option<Thread>, Error> {
        both!(self, About::Nobody, noted, |system, effects| system
            .surrender(lock, id, now, effects))
    }

    pub fn flush(&mut self, lock: Lock, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        both!(self, About::Nobody, noted, |system, effects| system
            .flush(lock, now, effects))
    }

    pub fn time_out(&mut self, id: Thread, now: Instant, noted: &mut Noted) -> Result<(), Error> {
        both!(self, About::Nobody, noted, |system, effects| system
            .time_out(id, now, effects))
    }

    pub fn dispatch(
        &mut self,
        cpu: Cpu,
        now: Instant,
        noted: &mut Noted,
    ) -> Result<Dispatch, Error> {
        let theirs = self.plain.dispatch(cpu, now, noted);
        if let Some(beside) = &mut self.beside {
            beside.dispatch(cpu, theirs);
        }
        theirs
    }
}
