//! Owns: what is asked of the library about threads: of a cluster's decider, or of the tables where that does not decide.
//! Must never know: why a job waits.

use taktos_schedule::Cpu;
use taktos_schedule::smp::closed::{Place, Rows, WAITS};
use taktos_schedule::smp::{Error, Reasons, System};

use super::board::{Board, Decider, Kept, Sink};
use super::{Engine, instant, thread_of};
use crate::{Observer, SimError};

impl<'r, O: Observer> Engine<'r, O> {
    /// Who decides about the task, unless the tables do.
    #[inline(always)]
    fn decider(&self, task: usize) -> Option<Decider<'r>> {
        self.router.home(self.board.home(task))?.closed()
    }

    /// Whether a decider says who runs on `cpu`, and who that is.
    #[inline(always)]
    pub(super) fn decided(&self, cpu: Cpu) -> Option<u16> {
        let row = self.board.processors.row(cpu);
        let home = self.router.home(row.home?)?;
        home.closed().map(|_| row.heir.get())
    }

    /// Asks the tables something, while `acting` executes them.
    #[inline(always)]
    pub(super) fn ask<R>(
        &mut self,
        acting: Cpu,
        question: impl FnOnce(&mut System<'r>, &mut Kept<'_, '_>) -> R,
    ) -> R {
        let board: &Board = &self.board;
        board.processors.act_on(acting, self.now);
        let sink = &mut Sink(&board.processors);
        self.router
            .ask(board, instant(self.now), sink, |system, effects| {
                system.act_on(acting);
                question(system, effects)
            })
    }

    /// The thread of `task` does not wait for `reasons` any more.
    #[inline(always)]
    pub(super) fn unblock(&mut self, task: usize, reasons: Reasons) -> Result<(), SimError> {
        if !self.board.clear_reasons(task, reasons) {
            return Ok(());
        }
        let acting = self.progress[task].last;
        if let Some(decider) = self.decider(task) {
            self.board.processors.act_on(acting, self.now);
            decider.ready(&self.board, task as u16, Place::Last, |_| {});
            return Ok(());
        }
        let now = instant(self.now);
        let done = self.ask(acting, |system, effects| {
            system.unblock(thread_of(task), WAITS, now, effects)
        });
        done.map_err(|error| self.broken("who is blocked can be unblocked", error))
    }

    /// The thread of `task` waits for `reasons`.
    #[inline(always)]
    pub(super) fn block(&mut self, task: usize, reasons: Reasons) -> Result<(), SimError> {
        if !self.board.add_reasons(task, reasons) {
            return Ok(());
        }
        let acting = self.progress[task].last;
        if let Some(decider) = self.decider(task) {
            self.board.processors.act_on(acting, self.now);
            decider.remove(&self.board, task as u16);
            return Ok(());
        }
        let now = instant(self.now);
        let done = self.ask(acting, |system, effects| {
            system.block(thread_of(task), WAITS, now, effects)
        });
        done.map_err(|error| self.broken("who is ready can be blocked", error))
    }

    /// The thread of `task`, whose registers are on `cpu`, goes behind its equals, if it is ready.
    pub(super) fn yields(&mut self, task: usize, cpu: Cpu) -> Result<(), Error> {
        if let Some(decider) = self.decider(task) {
            if self.board.is_ready(task as u16) {
                self.board.processors.act_on(cpu, self.now);
                decider.requeue(&self.board, task as u16, Place::Last);
            }
            return Ok(());
        }
        let now = instant(self.now);
        self.ask(cpu, |system, effects| {
            system.yield_now(thread_of(task), now, effects)
        })
    }

    /// The present job of `task` has this deadline.
    #[inline(always)]
    pub(super) fn release_job(&mut self, task: usize, deadline: u64) -> Result<(), SimError> {
        let acting = self.progress[task].last;
        let board: &Board = &self.board;
        board.processors.act_on(acting, self.now);
        self.router.system_mut().act_on(acting);
        let (id, now) = (task as u16, instant(self.now));
        let sink = &mut Sink(&board.processors);
        let released = self
            .router
            .set_job(board, id, Some(instant(deadline)), now, sink);
        released.map_err(|error| self.refused(task, "releasing a job", error))
    }
}
