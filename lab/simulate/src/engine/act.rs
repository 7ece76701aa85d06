//! Owns: what is asked of the library about threads: of a cluster's decider, or of the tables where that does not decide.
//! Must never know: why a job waits.

use taktos_schedule::Cpu;
use taktos_schedule::smp::closed::{Place, Rows, WAITS};
use taktos_schedule::smp::{Error, Reasons, System};

use super::board::{Board, Decider, Home, Kept, Sink};
use super::{Engine, instant, thread_of};
use crate::{Observer, SimError};

/// An act of the seats of a home that decide, and another one where threads have servers: none where the tables do.
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
    /// The home that may decide about the task, while `acting` asks.
    #[inline(always)]
    fn home(&self, task: usize, acting: Cpu) -> Option<&'r Home> {
        self.board.processors.act_on(acting);
        self.router.home(self.board.home(task))
    }

    /// Asks the tables something, while `acting` executes them.
    #[inline(always)]
    pub(super) fn ask<R>(
        &mut self,
        acting: Cpu,
        question: impl FnOnce(&mut System<'r>, &mut Kept<'_, '_>) -> R,
    ) -> R {
        let board: &Board = &self.board;
        board.processors.act_on(acting);
        let sink = &mut Sink(&board.processors);
        self.router
            .ask(board, instant(self.now()), sink, |system, effects| {
                system.act_on(acting);
                question(system, effects)
            })
    }

    /// The thread of `task` does not wait for `reasons` any more.
    #[inline(always)]
    pub(super) fn unblock(&mut self, task: usize, reasons: Reasons) -> Result<(), SimError> {
        let acting = self.progress[task].last;
        self.unblock_at(self.home(task, acting), task, acting, reasons)
    }

    /// [`Engine::unblock`] where the task's `home` may decide, while `acting` asks.
    #[inline(always)]
    fn unblock_at(
        &mut self,
        home: Option<&Home>,
        task: usize,
        acting: Cpu,
        reasons: Reasons,
    ) -> Result<(), SimError> {
        if !self.board.clear_reasons(task, reasons) {
            return Ok(());
        }
        let id = task as u16;
        by_seats!(home, seats => {
            let urgency = seats.urgency(&self.board, id);
            seats.enter(&self.board, id, urgency, Place::Last);
            return Ok(());
        }, served => {
            self.enter_served(Decider::Served(served), id);
            return Ok(());
        });
        let now = instant(self.now());
        let done = self.ask(acting, |system, effects| {
            system.unblock(thread_of(task), WAITS, now, effects)
        });
        done.map_err(|error| self.broken("who is blocked can be unblocked", error))
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
    pub(super) fn block(&mut self, task: usize, reasons: Reasons) -> Result<(), SimError> {
        if !self.board.add_reasons(task, reasons) {
            return Ok(());
        }
        let acting = self.progress[task].last;
        by_seats!(self.home(task, acting), seats => {
            seats.remove(&self.board, task as u16);
            return Ok(());
        });
        let now = instant(self.now());
        let done = self.ask(acting, |system, effects| {
            system.block(thread_of(task), WAITS, now, effects)
        });
        done.map_err(|error| self.broken("who is ready can be blocked", error))
    }

    /// The thread of `task`, whose registers are on `cpu`, goes behind its equals, if it is ready.
    pub(super) fn yields(&mut self, task: usize, cpu: Cpu) -> Result<(), Error> {
        let id = task as u16;
        by_seats!(self.home(task, cpu), seats => {
            if self.board.is_ready(id) {
                seats.requeue(&self.board, id, Place::Last);
            }
            return Ok(());
        });
        let now = instant(self.now());
        self.ask(cpu, |system, effects| {
            system.yield_now(thread_of(task), now, effects)
        })
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
        self.unblock_at(home, task, acting, Reasons::PERIOD)
    }

    /// [`Engine::release_job`] where the task's `home` may decide, while `acting` asks.
    #[inline(always)]
    fn release_job_at(
        &mut self,
        home: Option<&Home>,
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
        let board: &Board = &self.board;
        self.router.system_mut().act_on(acting);
        let (deadline, now) = (Some(instant(deadline)), instant(self.now()));
        let sink = &mut Sink(&board.processors);
        let released = self.router.set_job(board, id, deadline, now, sink);
        released.map_err(|error| self.refused(task, "releasing a job", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::processor::NOTHING;
    use crate::generate::SPEED_SIZES;
    use crate::{
        Arrival, Budget, Doing, JobId, LockSpec, Outcome, Plan, Policy, Protocol, Setup, Step,
        Tables, Task,
    };
    use taktos_time::{Duration, Instant};

    /// The task that executed where, from when on.
    #[derive(Default)]
    struct Switches(Vec<(Instant, Cpu, Doing)>);

    impl Observer for Switches {
        fn switch(&mut self, at: Instant, cpu: Cpu, doing: Doing, _: Duration) {
            self.0.push((at, cpu, doing));
        }
        fn migrate(&mut self, at: Instant, job: JobId, _: Cpu, to: Cpu) {
            self.0.push((at, to, Doing::Job(job)));
        }
    }

    /// Runs `plan`; whether its clusters are decided about by seats as is said.
    fn run(plan: &Plan, by_seats: bool) -> (Vec<(Instant, Cpu, Doing)>, Outcome) {
        let mut tables = Tables::new(plan);
        let mut switches = Switches::default();
        let mut engine = Engine::new(plan, &mut tables, 0, &mut switches).unwrap();
        for cpu in plan.cpus() {
            let known = engine.board.processors.row(cpu).heir.get() != NOTHING;
            assert_eq!(known, by_seats, "who decides about {cpu:?}");
        }
        engine.advance(plan.horizon()).unwrap();
        engine.check_laws().unwrap();
        let mut outcome = engine.finish();
        // By seats, alarms come for budgets of threads that have lost their processors.
        if plan.serves() {
            outcome.events = 0;
        }
        (switches.0, outcome)
    }

    /// Gives three of four tasks a budget, two of them a hard one, of which one is too small.
    fn limit((number, task): (usize, &mut Task)) {
        let (Arrival::Periodic { period, .. }, [Step::Run(time)]) = (&task.arrival, &task.body[..])
        else {
            panic!("a periodic task of one step");
        };
        let share = time.longest().as_nanos() * [0, 5, 6, 4][number % 4] / 5;
        let budget = Budget {
            runtime: Duration::from_nanos(share.max(1)),
            period: *period,
            hard: number % 4 > 1,
        };
        task.budget = Some(budget).filter(|_| !number.is_multiple_of(4));
    }

    /// A lock that no task uses leaves the decisions to the tables, and changes none of them: with a thousand priorities and 64
    /// processors, too, and with slices.
    #[test]
    fn seats_decide_as_the_tables_do() {
        for (size, millis) in SPEED_SIZES.into_iter().zip([1_000, 40]) {
            let mut workload = size.workload().unwrap();
            workload.tasks.iter_mut().enumerate().for_each(limit);
            for (policy, slice) in [
                (Policy::Edf, None),
                (Policy::Priority, None),
                (Policy::Simple, Some(Duration::from_micros(300))),
                (Policy::Cbs, None),
                (Policy::Cbs, Some(Duration::from_micros(300))),
            ] {
                let horizon = Duration::from_millis(millis);
                let mut setup = Setup::global(policy, size.processors, horizon);
                setup.slice = slice;
                workload.locks.clear();
                let seats = run(&Plan::new(&workload, &setup).unwrap(), true);
                workload.locks.push(LockSpec {
                    name: "unused".to_owned(),
                    protocol: Protocol::None,
                    ceilings: Vec::new(),
                });
                let tables = run(&Plan::new(&workload, &setup).unwrap(), false);
                assert!(
                    seats.0.len() > 1_000,
                    "{size:?} {policy:?}: too little happens"
                );
                assert!(seats == tables, "{size:?} {policy:?}: others were chosen");
            }
        }
    }
}
