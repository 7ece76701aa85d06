//! The rate-monotonic manager: a thread that calls [`Period::call`] once a round
//! becomes a periodic one (spec 01, section 6).
//!
//! Owns: the release grid of one thread, its postponed jobs, the figures of its jobs.
//! Must never know: a timer, a scheduler, how a thread is put to sleep; it requests all of them
//! through [`Effects`].
//!
//! Every operation takes a fixed number of steps.

mod statistics;
#[cfg(test)]
mod tests;

pub use statistics::{Line, Spread, Statistics};

use super::Error;
use taktos_time::{Duration, Instant};

/// The effects that a period requests from its world.
pub trait Effects {
    /// Call [`Period::expire`] at `at`, on the processor of the owner; none: no more.
    fn arm(&mut self, at: Option<Instant>);
    /// The owner has a job with this deadline (`System::release_job`).
    fn release(&mut self, deadline: Instant);
    /// The owner has no job any more (`System::cancel_job`).
    fn cancel(&mut self);
    /// The owner, which sleeps for this period, runs again.
    fn wake(&mut self);
}

/// Where a period is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// No call yet, or cancelled: no timer runs.
    Inactive,
    /// A job is on, or the owner waits for the next.
    Active,
    /// The owner did not conclude its job before the next release.
    Expired,
}

/// The owner's next step after a call that succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It continues: the grid begins here, or only the status was requested.
    Continues,
    /// It goes to sleep, unless [`Period::falls_asleep`] says that it is too late for that.
    Waits,
}

/// The start of the figures of a job that was released while its predecessor still ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Figures {
    /// From the end of its predecessor: each job has its own.
    #[default]
    Own,
    /// From the last release that the owner waited for: the predecessors count again, as
    /// in the reference.
    Accumulated,
}

/// How far the owner is on its way to sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wait {
    No,
    /// It has called, but does not sleep yet: a timer that fires now must not wake it,
    /// and it must not sleep afterwards.
    Intends,
    Sleeps,
}

/// The result of [`Period::status`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status<Owner> {
    /// The thread that made it.
    pub owner: Owner,
    /// Where it is.
    pub state: State,
    /// Releases that the owner has not answered yet.
    pub postponed: u32,
    /// Time since the start of the present job; zero when inactive.
    pub wall: Duration,
    /// Processor time since then; zero when inactive.
    pub cpu: Duration,
}

/// The period of one thread.
#[derive(Clone, Copy, Debug)]
pub struct Period<Owner> {
    owner: Owner,
    figures: Figures,
    /// From a release to its deadline, where that comes before the next release.
    constraint: Option<Duration>,
    /// The processor time that a job may take.
    budget: Option<Duration>,
    state: State,
    wait: Wait,
    /// Acts when the timer fires the next time.
    length: Duration,
    /// The last release of the grid.
    released: Instant,
    /// When the timer fires: the next release of the grid.
    expiry: Instant,
    /// That of the job under way.
    deadline: Instant,
    postponed: u32,
    /// Since when the figures of the present job count.
    start: Instant,
    /// The owner's lifetime processor time then; a reset of usage reports leaves it alone.
    cpu_at_start: Duration,
    statistics: Statistics,
}

impl<Owner: Copy + Eq> Period<Owner> {
    /// A period of the thread `owner`, inactive.
    pub const fn new(owner: Owner, figures: Figures) -> Self {
        Self {
            owner,
            figures,
            constraint: None,
            budget: None,
            state: State::Inactive,
            wait: Wait::No,
            length: Duration::ZERO,
            released: Instant::START,
            expiry: Instant::START,
            deadline: Instant::START,
            postponed: 0,
            start: Instant::START,
            cpu_at_start: Duration::ZERO,
            statistics: Statistics::EMPTY,
        }
    }

    /// Returns the period with deadlines at `constraint` after the releases: constrained ones. A
    /// deadline that would come after the next release is the next release; without this call all
    /// deadlines are. A job that is concluded after a constrained deadline has missed it, though
    /// the owner still waits for its next release and succeeds.
    #[must_use]
    pub const fn with_deadline(mut self, constraint: Duration) -> Self {
        self.constraint = Some(constraint);
        self
    }

    /// Returns the period with a budget. A job that took more processor time has overrun, which is
    /// counted.
    #[must_use]
    pub const fn with_budget(mut self, budget: Duration) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Concludes the job of `caller`, if it had one, and requests the next: one period of `length`
    /// after this release. `cpu` is the caller's lifetime processor time.
    ///
    /// The first call begins the grid and never waits. A length of zero requests the status and
    /// changes nothing. A new length acts when the timer fires the next time, also while jobs are
    /// postponed. Postponed jobs are answered one a call, each with the latest deadline.
    ///
    /// # Errors
    /// - [`Error::NotOwner`]: `caller` is not the thread that made the period.
    /// - [`Error::NotDefined`]: the status of an inactive period was requested.
    /// - [`Error::Timeout`]: the job was concluded too late, the next one is on already; or the
    ///   status of an expired period was requested.
    pub fn call(
        &mut self,
        caller: Owner,
        length: Duration,
        now: Instant,
        cpu: Duration,
        effects: &mut impl Effects,
    ) -> Result<Progress, Error> {
        self.check(caller)?;
        if length == Duration::ZERO {
            return self.ask();
        }
        match self.state {
            State::Inactive => {
                self.state = State::Active;
                self.length = length;
                self.begin(now, cpu, effects);
                Ok(Progress::Continues)
            }
            State::Active if self.postponed == 0 => {
                let late = self.constraint.is_some() && now > self.deadline;
                self.conclude(late, now, cpu);
                self.length = length;
                self.wait = Wait::Intends;
                Ok(Progress::Waits)
            }
            State::Active | State::Expired => {
                self.conclude(true, now, cpu);
                self.length = length;
                self.postponed -= 1;
                self.state = State::Active;
                if self.figures == Figures::Own {
                    self.start = now;
                    self.cpu_at_start = cpu;
                }
                self.release(effects);
                Err(Error::Timeout)
            }
        }
    }

    /// Requests a grid for `caller` with the first release at `first`. `caller` waits for that
    /// release as for the next one of a running grid. If the release has passed already, the wait
    /// is over.
    ///
    /// # Errors
    /// - [`Error::NotOwner`]: `caller` is not the thread that made the period.
    /// - [`Error::NotDefined`]: a length of zero.
    /// - [`Error::IncorrectState`]: the period is not inactive.
    pub fn begin_at(
        &mut self,
        caller: Owner,
        first: Instant,
        length: Duration,
        cpu: Duration,
    ) -> Result<Progress, Error> {
        self.check(caller)?;
        if length == Duration::ZERO {
            return Err(Error::NotDefined);
        }
        if self.state != State::Inactive {
            return Err(Error::IncorrectState);
        }
        self.state = State::Active;
        self.wait = Wait::Intends;
        self.length = length;
        self.start = first;
        self.cpu_at_start = cpu;
        self.expiry = first;
        Ok(Progress::Waits)
    }

    /// Returns whether the owner still has to sleep. The owner calls it between a call that said
    /// [`Progress::Waits`] and its sleep. If the result is false, the release has come in between,
    /// and the owner continues.
    #[must_use]
    pub fn falls_asleep(&mut self) -> bool {
        let sleeps = self.wait == Wait::Intends;
        if sleeps {
            self.wait = Wait::Sleeps;
        }
        sleeps
    }

    /// The sleep for this period ended for another reason (the owner was restarted):
    /// releases are postponed again instead of waking it.
    pub fn forget_wait(&mut self) {
        self.wait = Wait::No;
    }

    /// The timer has fired. `cpu` is the owner's lifetime processor time.
    ///
    /// The next release is one length after this one's appointed time, however late the
    /// timer was served: the grid does not drift.
    pub fn expire(&mut self, cpu: Duration, effects: &mut impl Effects) {
        if self.state == State::Inactive {
            return;
        }
        let wait = core::mem::replace(&mut self.wait, Wait::No);
        if wait == Wait::No {
            self.postpone(1, effects);
            return;
        }
        self.begin(self.expiry, cpu, effects);
        if wait == Wait::Sleeps {
            effects.wake();
        }
    }

    /// Brings a period that has no timer to `now`: all that [`Period::expire`] would have done by
    /// then, in as many steps as once. For a world in which the owner's sleep ends by itself at
    /// [`Period::expiry`].
    ///
    /// The result cannot be distinguished from a timer's work: while the owner does not wait, a
    /// release changes nothing but what calls of this period say.
    pub fn catch_up(&mut self, now: Instant, cpu: Duration, effects: &mut impl Effects) {
        if self.state == State::Inactive || now < self.expiry {
            return;
        }
        if self.wait != Wait::No {
            self.expire(cpu, effects);
        }
        if now >= self.expiry {
            let behind = now.since(self.expiry).as_nanos();
            let more = behind.checked_div(self.length.as_nanos()).unwrap_or(0);
            self.postpone(more.saturating_add(1), effects);
        }
    }

    /// The thread that made it.
    pub const fn owner(&self) -> Owner {
        self.owner
    }

    /// When the next release of the grid is; of no meaning while inactive.
    pub const fn expiry(&self) -> Instant {
        self.expiry
    }

    /// The deadline of the job that is released at [`Period::expiry`], by the present length.
    pub fn upcoming_deadline(&self) -> Instant {
        self.deadline_of(self.expiry, self.expiry.saturating_add(self.length))
    }

    /// Ends the grid: no postponed jobs, no deadline; the statistics stay.
    ///
    /// # Errors
    /// [`Error::NotOwner`]: `caller` is not the thread that made the period.
    pub fn cancel(&mut self, caller: Owner, effects: &mut impl Effects) -> Result<(), Error> {
        self.check(caller)?;
        self.end(effects);
        Ok(())
    }

    /// Ends the grid for good, on anyone's behalf. An owner that sleeps for it wakes: its
    /// call ends because the period is no more.
    pub fn delete(&mut self, effects: &mut impl Effects) {
        let wait = core::mem::replace(&mut self.wait, Wait::No);
        self.end(effects);
        if wait == Wait::Sleeps {
            effects.wake();
        }
    }

    /// Returns the present job's figures so far; any thread may call this.
    pub fn status(&self, now: Instant, cpu: Duration) -> Status<Owner> {
        let (wall, cpu) = match self.state {
            State::Inactive => (Duration::ZERO, Duration::ZERO),
            State::Active | State::Expired => self.spent(now, cpu),
        };
        Status {
            owner: self.owner,
            state: self.state,
            postponed: self.postponed,
            wall,
            cpu,
        }
    }

    /// Returns the figures of all concluded jobs; any thread may call this.
    pub const fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Counts from nothing again; any thread may call this. The job under way is not cut.
    pub fn reset(&mut self) {
        self.statistics = Statistics::EMPTY;
    }

    fn check(&self, caller: Owner) -> Result<(), Error> {
        if caller == self.owner {
            Ok(())
        } else {
            Err(Error::NotOwner)
        }
    }

    fn ask(&self) -> Result<Progress, Error> {
        match self.state {
            State::Inactive => Err(Error::NotDefined),
            State::Active => Ok(Progress::Continues),
            State::Expired => Err(Error::Timeout),
        }
    }

    /// A regular release at `at`.
    fn begin(&mut self, at: Instant, cpu: Duration, effects: &mut impl Effects) {
        self.start = at;
        self.cpu_at_start = cpu;
        self.released = at;
        self.expiry = at.saturating_add(self.length);
        effects.arm(Some(self.expiry));
        self.release(effects);
    }

    /// The owner has a job of the latest release.
    fn release(&mut self, effects: &mut impl Effects) {
        self.deadline = self.deadline_of(self.released, self.expiry);
        effects.release(self.deadline);
    }

    fn deadline_of(&self, released: Instant, next: Instant) -> Instant {
        self.constraint.map_or(next, |constraint| {
            next.min(released.saturating_add(constraint))
        })
    }

    /// Postpones `releases` releases, at least one, that the owner does not wait for.
    fn postpone(&mut self, releases: u64, effects: &mut impl Effects) {
        let further = Duration::from_nanos(self.length.as_nanos().saturating_mul(releases - 1));
        self.state = State::Expired;
        let postponed = u64::from(self.postponed).saturating_add(releases);
        self.postponed = u32::try_from(postponed).unwrap_or(u32::MAX);
        self.released = self.expiry.saturating_add(further);
        self.expiry = self.released.saturating_add(self.length);
        effects.arm(Some(self.expiry));
    }

    fn conclude(&mut self, missed: bool, now: Instant, cpu: Duration) {
        let (wall, cpu) = self.spent(now, cpu);
        let overrun = self.budget.is_some_and(|budget| cpu > budget);
        self.statistics.conclude(missed, overrun, cpu, wall);
    }

    /// Wall and processor time since the start of the present job.
    fn spent(&self, now: Instant, cpu: Duration) -> (Duration, Duration) {
        (now.since(self.start), cpu.saturating_sub(self.cpu_at_start))
    }

    fn end(&mut self, effects: &mut impl Effects) {
        self.state = State::Inactive;
        self.postponed = 0;
        self.wait = Wait::No;
        effects.arm(None);
        effects.cancel();
    }
}
