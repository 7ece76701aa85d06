//! Owns: the acts that concern one instance: its decider's where it is closed, the System's where it is open.
//! Must never know: why a thread waits.

use taktos_schedule::CpuSet;
use taktos_schedule::smp::closed::{Decider, WAITS};
use taktos_schedule::smp::{Error, Instance, Priority as Level, System, Thread};

use super::{About, Beside, kernels};

impl<'m> Beside<'m> {
    /// Who decides about the thread, which is about to act: an instance that can be is closed first.
    fn closed_now(&mut self, thread: Thread) -> Option<Decider<'m, usize, usize>> {
        self.try_close(self.board.home(thread));
        let decider = self.closed(thread);
        self.decided += usize::from(decider.is_some());
        decider
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
            home.begin_with(&self.board, theirs.index(), cpus);
        }
    }

    /// The thread, which waited, waits no more.
    pub fn ready(&mut self, thread: Thread) {
        let (id, priority) = (thread.index(), self.board.priority_of(thread));
        match self.closed_now(thread) {
            Some(Decider::Solo(solo)) => {
                self.board.set_ready(thread, true);
                if let Some(seat) = solo.closed() {
                    solo.append(&self.board, seat, id, priority);
                }
            }
            Some(Decider::Cluster(cluster)) => {
                self.board.set_ready(thread, true);
                cluster.append(&self.board, id, priority);
            }
            Some(Decider::Masked(masked)) => {
                self.board.set_ready(thread, true);
                masked.append(&self.board, id, priority);
            }
            None => {
                let now = self.now;
                let done = self.ask(About::Row(thread), |system, effects| {
                    system.unblock(thread, WAITS, now, effects)
                });
                self.must(done, "a thread cannot be made ready");
            }
        }
    }

    /// The thread, which was ready, waits.
    pub fn block(&mut self, thread: Thread) {
        let (id, priority) = (thread.index(), self.board.priority_of(thread));
        let here = self.runs_here(thread);
        match self.closed_now(thread) {
            Some(Decider::Solo(solo)) => match (solo.closed(), here) {
                (Some(seat), Some(here)) if self.is_heir(thread, here) => {
                    solo.retire(&self.board, seat, id, priority);
                }
                (Some(seat), _) => solo.remove(&self.board, seat, id, priority),
                (None, _) => {}
            },
            Some(Decider::Cluster(cluster)) => match here {
                Some(here) => {
                    cluster.retire(&self.board, here, id, priority);
                }
                None => cluster.remove(&self.board, id, priority),
            },
            Some(Decider::Masked(masked)) => masked.remove(&self.board, id, priority),
            None => {
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
        let (id, old) = (thread.index(), self.board.priority_of(thread));
        let new = kernels(level)?;
        let is_ready = self.board.is_ready_now(thread);
        let decider = match old == new {
            // A kernel leaves such a one where it is, the library puts it behind its equals.
            true => None,
            false => self.closed_now(thread),
        };
        let set = || self.board.set_priority(thread, new);
        match decider {
            Some(_) if !is_ready => set(),
            Some(Decider::Solo(solo)) => {
                let seat = solo.closed()?;
                solo.change(&self.board, seat, id, old, set, false);
            }
            Some(Decider::Cluster(cluster)) => cluster.change(&self.board, id, old, set, false),
            Some(Decider::Masked(masked)) => masked.change(&self.board, id, old, set, false),
            None => {
                let now = self.now;
                self.reach(About::Thread(thread));
                // Before it stands in the rings.
                self.board.set_priority(thread, new);
                return Some(self.ask(About::Nobody, |system, effects| {
                    system.set_priority(thread, level, now, effects)
                }));
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
        let now = self.now;
        let ours = self.ask(About::Nobody, |system, effects| {
            system.restart(thread, now, effects)
        });
        self.answered(plain, &Ok(()), &ours);
    }

    /// The thread goes behind its equals. What the System answers, if it decides.
    pub fn yields(&mut self, thread: Thread) -> Option<Result<(), Error>> {
        let (id, priority) = (thread.index(), self.board.priority_of(thread));
        let here = self.runs_here(thread);
        match self.closed_now(thread) {
            Some(_) if !self.board.is_ready_now(thread) => None,
            // The turn of one that does not have it cannot be given away there.
            Some(Decider::Solo(solo)) if !solo.is_first(id, priority) => self.yields_open(thread),
            Some(Decider::Solo(solo)) => {
                let seat = solo.closed()?;
                match here.filter(|here| self.is_heir(thread, *here)) {
                    Some(_) => {
                        solo.advance(&self.board, seat, id, priority);
                    }
                    None => solo.rotate(&self.board, seat, id, priority),
                }
                None
            }
            Some(Decider::Cluster(cluster)) => {
                match here {
                    Some(here) => {
                        cluster.advance(&self.board, here, id, priority);
                    }
                    None => cluster.rotate(&self.board, id, priority),
                }
                None
            }
            Some(Decider::Masked(masked)) => {
                masked.rotate(&self.board, id, priority);
                None
            }
            None => self.yields_open(thread),
        }
    }

    fn yields_open(&mut self, thread: Thread) -> Option<Result<(), Error>> {
        let now = self.now;
        Some(self.ask(About::Thread(thread), |system, effects| {
            system.yield_now(thread, now, effects)
        }))
    }

    fn must(&mut self, done: Result<(), Error>, what: &str) {
        if let Err(error) = done {
            self.differ(format!("{what}: {error}"));
        }
    }
}
