//! Owns: the requests to the library about threads: to a cluster's decider, or by whole operations
//! if the usual ways do not find that. Must never know: why a job waits.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Reasons;
use taktos_schedule::smp::seats::{Place, Rows};

use super::board::{Decider, Driver, Home};
use super::{Engine, instant};
use crate::{Observer, SimError};

/// An act of the seats of a home that decide, and another one where threads have servers: none
/// where the usual ways do not find them.
macro_rules! by_seats {
    ($home:expr, $seats:ident => $act:block) => {
        by_seats!($home, $seats => $act, $seats => $act);
    };
    ($home:expr, $seats:ident => $act:block, $served:ident => $other:block) => {
        let home = $home;
        if let Some($seats) = home.and_then(Home::edf) {
            $act
        }
        if let Some($seats) = home.and_then(Home::cluster) {
            $act
        }
        if let Some($served) = home.and_then(Home::served) {
            $other
        }
    };
}

impl<'r, O: Observer> Engine<'r, O> {
    /// Returns the home that may decide about the task, while `acting` executes the library.
    #[inline(always)]
    fn home(&self, task: usize, acting: Cpu) -> Option<&'r Home> {
        self.board.processors.act_on(acting);
        self.router.home(self.board.home(task))
    }

    /// The library carries out an operation, while `acting` executes it.
    #[inline(always)]
    pub(super) fn drive<R>(
        &mut self,
        acting: Cpu,
        operate: impl FnOnce(&mut Driver<'_, 'r>) -> R,
    ) -> R {
        self.board.processors.act_on(acting);
        let now = instant(self.board.processors.now);
        operate(&mut self.router.drive(&self.board, now))
    }

    /// The thread of `task` does not wait for `reasons` any more.
    #[inline(always)]
    pub(super) fn unblock(&mut self, task: usize, reasons: Reasons) {
        let acting = self.progress[task].last;
        self.unblock_at(self.home(task, acting), task, acting, reasons);
    }

    /// [`Engine::unblock`] if the task's `home` may decide, while `acting` executes the library.
    #[inline(always)]
    fn unblock_at(&mut self, home: Option<&'r Home>, task: usize, acting: Cpu, reasons: Reasons) {
        if !self.board.clear_reasons(task, reasons) {
            return;
        }
        let id = task as u16;
        by_seats!(home, seats => {
            let urgency = seats.urgency(&self.board, id);
            seats.enter(&self.board, id, urgency, Place::Last);
            return;
        }, served => {
            return self.enter_served(Decider::Served(served), id);
        });
        self.drive(acting, |driver| driver.ready(id, Place::Last));
    }

    /// The thread `id` is ready where threads have servers, about which `seats` decide.
    #[inline(never)]
    fn enter_served(&mut self, seats: Decider<'_>, id: u16) {
        let (board, router) = (&self.board, &mut self.router);
        let now = instant(board.processors.now);
        let renew = |served: &_| router.renew(board, served, id, now);
        seats.ready(board, id, Place::Last, renew);
    }

    /// The thread of `task` waits for `reasons`.
    #[inline(always)]
    pub(super) fn block(&mut self, task: usize, reasons: Reasons) {
        if !self.board.add_reasons(task, reasons) {
            return;
        }
        let acting = self.progress[task].last;
        let home = self.home(task, acting);
        by_seats!(home, seats => {
            return seats.remove(&self.board, task as u16);
        });
        self.drive(acting, |driver| driver.block(task as u16));
    }

    /// Moves the thread of `task`, with its registers on `cpu`, after its equals, if it is ready.
    pub(super) fn yields(&mut self, task: usize, cpu: Cpu) {
        let (id, home) = (task as u16, self.home(task, cpu));
        if !self.board.is_ready(id) {
            return;
        }
        by_seats!(home, seats => {
            return seats.requeue(&self.board, id, Place::Last);
        });
        self.drive(cpu, |driver| driver.requeue(id, Place::Last));
    }

    /// The present job of `task` has this deadline.
    #[inline(always)]
    pub(super) fn release_job(&mut self, task: usize, deadline: u64) -> Result<(), SimError> {
        let acting = self.progress[task].last;
        self.release_job_at(self.home(task, acting), task, acting, deadline)
    }

    /// The present job of `task` has this deadline, if it has one, and its thread does not wait
    /// for its period any more.
    #[inline(always)]
    pub(super) fn release_and_unblock(
        &mut self,
        task: usize,
        deadline: Option<u64>,
    ) -> Result<(), SimError> {
        let acting = self.progress[task].last;
        let home = self.home(task, acting);
        if let Some(deadline) = deadline {
            self.release_job_at(home, task, acting, deadline)?;
        }
        self.unblock_at(home, task, acting, Reasons::PERIOD);
        Ok(())
    }

    /// [`Engine::release_job`] if the task's `home` may decide, while `acting` executes the
    /// library.
    #[inline(always)]
    fn release_job_at(
        &mut self,
        home: Option<&'r Home>,
        task: usize,
        acting: Cpu,
        deadline: u64,
    ) -> Result<(), SimError> {
        let id = task as u16;
        if let Some(home) = home
            && home.set_job(&self.board, id, Some(deadline))
        {
            return Ok(());
        }
        let deadline = Some(instant(deadline));
        let released = self.drive(acting, |driver| driver.set_job(id, deadline));
        released.map_err(|error| self.refused(task, "releasing a job", error))
    }
}
