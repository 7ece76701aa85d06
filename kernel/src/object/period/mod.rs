//! Periods: a thread that calls [`Period::next`] once a round becomes a periodic one: its releases
//! keep to a grid, and its jobs are counted and timed.
//!
//! Owns: the object, and how its owner sleeps until the next release.
//! Must never know: the rules of the grid (`taktos_schedule::smp::period` has them), a policy.
//!
//! No timer runs for a period. While its owner sleeps, the sleep's own time-out is the release.
//! While it does not, a release changes nothing visible but the return values of this object: the
//! scheduler gets a postponed job's deadline only when the owner takes that job up. So each call
//! first catches up with all releases that have passed, in a fixed number of steps. That also
//! settles a release that comes while the owner is about to sleep. The check whether it must, and
//! the beginning of its sleep, are one section. A release after the check finds a time-out that has
//! passed already, which ends the sleep at once.

mod list;
mod report;
mod scheduler;

pub use report::Report;
pub use taktos_schedule::smp::period::{Figures, Spread, State, Statistics, Status};

pub(crate) use list::Owned;

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::sched::{IntoResult, OutcomeOf, fail, hold, stay};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::wait::WaitQueue;
use crate::wait::transfer::{Lent, Transaction, transact};
use crate::{Error, Kernel, System, Timeout};
use core::marker::PhantomData;
use scheduler::Requests;
use taktos_abi::Status as Word;
use taktos_machine::Machine;
use taktos_schedule::smp;
use taktos_schedule::smp::period::{Period as Grid, Progress};
use taktos_time::{Duration, Instant};

/// The grid of a thread.
type ThreadGrid = Grid<ThreadRef>;

/// A period: the releases of one thread, its owner. Made to be a static; it exists once a thread
/// has created it, which owns it from then on, until it is deleted. A thread may own several. A
/// thread that ends leaves its periods as they are, and continues with them if it is started again.
pub struct Period<S> {
    core: PeriodCore,
    system: PhantomData<fn() -> S>,
}

/// A period, whatever the system.
pub(crate) struct PeriodCore {
    name: &'static str,
    constraint: Option<Duration>,
    budget: Option<Duration>,
    figures: Figures,
    /// None while the period does not exist.
    grid: Guarded<Option<ThreadGrid>>,
    /// The owner, while it sleeps for the next release.
    sleeper: WaitQueue,
    number: Guarded<u32>,
    /// The next of its owner's periods.
    following: Guarded<Option<&'static Self>>,
}

/// The word with which the owner comes back that has slept.
const SLEPT: usize = 1;

impl<S: System> Period<S> {
    /// A period that does not exist yet.
    pub const fn new(name: &'static str) -> Self {
        Self {
            core: PeriodCore {
                name,
                constraint: None,
                budget: None,
                figures: Figures::Own,
                grid: Guarded::new(None),
                sleeper: WaitQueue::new(),
                number: Guarded::new(0),
                following: Guarded::new(None),
            },
            system: PhantomData,
        }
    }

    /// Sets deadlines at this time after the releases, instead of at the next release. A deadline
    /// never comes after the next release. A job that is concluded between the two counts as
    /// missed, but its owner sleeps on the grid as ever.
    #[must_use]
    pub const fn with_deadline(mut self, deadline: Duration) -> Self {
        self.core.constraint = Some(deadline);
        self
    }

    /// Sets a budget of processor time for each job. A job that takes more is counted as an
    /// overrun; it is not stopped: that is what servers do (`AnyThread::set_server`). On one
    /// processor, where the kernel does not know threads' processor time, nothing is counted.
    #[must_use]
    pub const fn with_budget(mut self, budget: Duration) -> Self {
        self.core.budget = Some(budget);
        self
    }

    /// Sets how jobs count that were released while their predecessor still ran: [`Figures::Own`]
    /// without this call.
    #[must_use]
    pub const fn with_figures(mut self, figures: Figures) -> Self {
        self.core.figures = figures;
        self
    }

    /// Creates the period: it is inactive, and the caller owns it.
    ///
    /// Bound: the threads and the periods that exist. Errors: `State` if it exists; `Context` in an
    /// interrupt handler.
    pub fn create(&'static self) -> Result<(), Error> {
        self.create_with(self.core.constraint, self.core.budget)
    }

    /// Creates the period with a deadline and a budget that are known only now, or with none: as
    /// [`Period::with_deadline`], [`Period::with_budget`] and [`Period::create`].
    pub fn create_with(
        &'static self,
        deadline: Option<Duration>,
        budget: Option<Duration>,
    ) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        if self.core.grid.get(cs).is_some() {
            return Err(Error::State);
        }
        let owner = Kernel::<S>::running().current(cs);
        let mut grid = Grid::new(owner, self.core.figures);
        if let Some(deadline) = deadline {
            grid = grid.with_deadline(deadline);
        }
        if let Some(budget) = budget {
            grid = grid.with_budget(budget);
        }
        self.core.grid.set(cs, Some(grid));
        list::add::<S>(cs, owner, &self.core);
        Ok(())
    }

    /// Concludes the owner's job, if one is on, and begins the next, which lasts one period of
    /// `length` from its release.
    ///
    /// The first call begins the grid and does not wait. Later ones sleep until the next release:
    /// the former one and a length, however late anything was, so the grid does not drift. If
    /// releases have passed already, the job that was concluded has missed its deadline; the call
    /// does not wait and says `Timeout`: the job of the oldest unanswered release is on, with the
    /// latest one's deadline. A new length acts from the next release on. A length of zero queries
    /// the state, and changes nothing.
    ///
    /// Bound: fixed, and that of the scheduler. Errors: `Timeout`, as said, or if the state of an
    /// expired period was queried; `State` if that of an inactive one was; `Deleted` if it does not
    /// exist, or is deleted meanwhile; `NotOwner`; `Cancelled`: the owner does not wait any longer,
    /// the next release is postponed; `Context` in an interrupt handler.
    pub fn next(&'static self, length: Duration) -> Result<(), Error> {
        self.go_on(Asked {
            first: None,
            length,
        })
    }

    /// Begins the grid with a first release at `first`, and sleeps until then; at once if it has
    /// passed. From then on a job is on, as after [`Period::next`]. So the releases of several
    /// threads can be laid out exactly.
    ///
    /// Bound: fixed, and that of the scheduler. Errors: `State` where the period is not inactive;
    /// `Parameter` for a length of zero; `Deleted`, `NotOwner`, `Cancelled`, `Context` as for
    /// [`Period::next`].
    pub fn begin_at(&'static self, first: Instant, length: Duration) -> Result<(), Error> {
        if length == Duration::ZERO {
            return Err(Error::Parameter);
        }
        self.go_on(Asked {
            first: Some(first),
            length,
        })
    }

    fn go_on(&'static self, asked: Asked) -> Result<(), Error> {
        let answer = transact::<S, Next<S>>(hold(), self, &asked, Timeout::NONE);
        let slept = answer.value == SLEPT;
        match answer.into_result::<S>() {
            Err(Error::Timeout) if slept => {
                self.change(|grid, asked, cs| {
                    let owner = Kernel::<S>::running().current(cs);
                    grid.catch_up(S::Machine::now(), Kernel::<S>::time_of(cs, owner), asked);
                });
                Ok(())
            }
            Err(Error::Cancelled) if slept => {
                self.change(|grid, _, _| grid.forget_wait());
                Err(Error::Cancelled)
            }
            result => result,
        }
    }

    /// Makes a change of the owner's own after its sleep. The scheduler knows of the job since
    /// before the sleep.
    fn change(
        &'static self,
        change: impl FnOnce(&mut ThreadGrid, &mut Requests, CriticalSection<'_>),
    ) {
        let held = hold::<S>();
        let cs = held.section();
        if let Some(mut grid) = self.core.grid.get(cs) {
            change(&mut grid, &mut Requests::default(), cs);
            self.core.grid.set(cs, Some(grid));
        }
    }

    /// Ends the grid: the period is inactive, no job is on or postponed. The statistics stay. The
    /// next call of [`Period::next`] begins another grid.
    ///
    /// Bound: fixed, and that of the scheduler. Errors: `Deleted` if it does not exist; `NotOwner`;
    /// `Context` in an interrupt handler.
    pub fn cancel(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Cancel<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Deletes the period, on anyone's behalf; an owner that sleeps for it gets `Deleted`. Allowed
    /// in interrupt handlers. Bound: the owner's periods, and that of the scheduler. Errors:
    /// `Deleted` if it does not exist.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// How matters stand: the owner, the state, the postponed jobs, and what wall and processor
    /// time the present job has had. Anyone may ask, in interrupt handlers too. Bound: fixed.
    /// Errors: `Deleted` if it does not exist.
    pub fn status(&'static self) -> Result<Status<&'static AnyThread<S>>, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let mut grid = self.core.grid.get(cs).ok_or(Error::Deleted)?;
        let now = S::Machine::now();
        let cpu = Kernel::<S>::time_of(cs, grid.owner());
        // Only a copy: the owner enters the releases that have passed, since it alone knows how its
        // sleep ended.
        grid.catch_up(now, cpu, &mut Requests::default());
        let status = grid.status(now, cpu);
        Ok(Status {
            owner: AnyThread::of(status.owner),
            state: status.state,
            postponed: status.postponed,
            wall: status.wall,
            cpu: status.cpu,
        })
    }

    /// Returns the statistics of the jobs concluded since the creation or the last reset. Processor
    /// time is zero if the kernel does not know it, on one processor. Any caller may ask, in
    /// interrupt handlers too. Bound: fixed. Errors: `Deleted` if it does not exist.
    pub fn statistics(&'static self) -> Result<Statistics, Error> {
        let held = hold::<S>();
        let grid = self.core.grid.get(held.section()).ok_or(Error::Deleted)?;
        Ok(*grid.statistics())
    }

    /// Resets the statistics; the job under way is not cut. Any caller may do so, in interrupt
    /// handlers too. Bound: fixed. Errors: `Deleted` if it does not exist.
    pub fn reset(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let mut grid = self.core.grid.get(cs).ok_or(Error::Deleted)?;
        grid.reset();
        self.core.grid.set(cs, Some(grid));
        Ok(())
    }
}

/// The kernel's word for what the library says.
const fn error_of(error: smp::Error) -> Error {
    match error {
        smp::Error::NotOwner => Error::NotOwner,
        smp::Error::Timeout => Error::Timeout,
        _ => Error::State,
    }
}

/// The request of an owner: the next job, or a grid with this first release.
#[derive(Clone, Copy)]
struct Asked {
    first: Option<Instant>,
    length: Duration,
}

/// Concludes the caller's job and begins the next.
struct Next<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Next<S> {
    type Object = Period<S>;
    type Record = Asked;
    const BLOCKS: bool = true;
    const USES_TIMEOUT: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        period: &'static Period<S>,
        record: Lent<'_, Asked>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Some(mut grid) = period.core.grid.get(cs) else {
            return fail::<S>(Error::Deleted);
        };
        let caller = Kernel::<S>::running().current(cs);
        if grid.owner() != caller {
            return fail::<S>(Error::NotOwner);
        }
        let (now, cpu) = (S::Machine::now(), Kernel::<S>::time_of(cs, caller));
        // A caller does not sleep: if the grid thinks so, the owner's sleep ended by its restart.
        grid.forget_wait();
        grid.catch_up(now, cpu, &mut Requests::default());
        let mut asked = Requests::default();
        let progress = match record.first {
            Some(first) => grid.begin_at(caller, first, record.length, cpu),
            None => grid.call(caller, record.length, now, cpu, &mut asked),
        };
        let waits = progress == Ok(Progress::Waits) && grid.falls_asleep();
        period.core.grid.set(cs, Some(grid));
        if waits {
            return period.sleep(cs, caller, &grid);
        }
        asked.carry_out::<S>(cs, caller);
        let word = progress.map_or_else(|error| Word::failed(error_of(error)), |_| Word::OK);
        Kernel::<S>::conclude(cs, word, 0)
    }
}

impl<S: System> Period<S> {
    /// Lets the owner sleep until the next release. The scheduler gets the deadline of that job at
    /// once: no code reads the urgency of a thread that sleeps, and when it wakes it has its right
    /// place from the beginning.
    fn sleep(
        &'static self,
        cs: CriticalSection<'_>,
        owner: ThreadRef,
        grid: &ThreadGrid,
    ) -> OutcomeOf<S> {
        owner.set_value(cs, SLEPT);
        let timeout = Timeout::until(grid.expiry());
        let outcome = S::kernel().block_in(cs, &self.core.sleeper, timeout);
        Requests::release(grid.upcoming_deadline()).carry_out::<S>(cs, owner);
        outcome
    }
}

struct Cancel<S>(PhantomData<S>);

impl<S: System> Operation<S> for Cancel<S> {
    type Object = Period<S>;
    const USES_WORDS: bool = false;
    /// It never does: but a handler, which is no thread, owns nothing.
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        period: &'static Period<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let Some(mut grid) = period.core.grid.get(cs) else {
            return fail::<S>(Error::Deleted);
        };
        let caller = Kernel::<S>::running().current(cs);
        let mut asked = Requests::default();
        if let Err(error) = grid.cancel(caller, &mut asked) {
            return stay::<S>(Word::failed(error_of(error)));
        }
        period.core.grid.set(cs, Some(grid));
        asked.carry_out::<S>(cs, caller);
        Kernel::<S>::conclude(cs, Word::OK, 0)
    }
}

impl<S: System> Deletable for Period<S> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.core.grid.get(cs).is_none()
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        let Some(mut grid) = self.core.grid.get(cs) else {
            return;
        };
        let mut asked = Requests::default();
        grid.delete(&mut asked);
        self.core.grid.set(cs, None);
        list::remove(cs, grid.owner(), &self.core);
        asked.carry_out::<S>(cs, grid.owner());
        S::kernel().flush(cs, &self.core.sleeper, Error::Deleted);
    }
}
