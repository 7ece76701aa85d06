//! The rate-monotonic manager: a thread that calls [`Period::call`] once a round
//! becomes a periodic one (spec 01, section 6).
//!
//! Owns: the release grid of one thread, its postponed jobs, the figures of its jobs.
//! Must never know: a timer, a scheduler, how a thread is put to sleep; it asks for
//! all of them through [`Effects`].
//!
//! Every operation takes a fixed number of steps.

mod statistics;
#[cfg(test)]
mod tests;

pub use statistics::{Line, Spread, Statistics};

use super::Error;
use taktos_time::{Duration, Instant};

/// What a period asks of its world.
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

/// What the owner does after a call that succeeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// It goes on: the grid begins here, or only the status was asked.
    Continues,
    /// It goes to sleep, unless [`Period::falls_asleep`] says that it is too late for that.
    Waits,
}

/// What the figures of a job count that was released while its predecessor still ran.
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

/// What [`Period::status`] tells.
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
#[derive(Clone, Debug)]
pub struct Period<Owner> {
    owner: Owner,
    figures: Figures,
    state: State,
    wait: Wait,
    /// Acts when the timer fires the next time.
    length: Duration,
    /// When the timer fires: the latest deadline.
    expiry: Instant,
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
            state: State::Inactive,
            wait: Wait::No,
            length: Duration::ZERO,
            expiry: Instant::START,
            postponed: 0,
            start: Instant::START,
            cpu_at_start: Duration::ZERO,
            statistics: Statistics::EMPTY,
        }
    }

    /// `caller` has concluded its job, if it had one, and asks for the next: one period of
    /// `length` after this release. `cpu` is the caller's lifetime processor time.
    ///
    /// The first call begins the grid and never waits. A length of zero asks for the status
    /// and changes nothing. A new length acts when the timer fires the next time, also while
    /// jobs are postponed. Postponed jobs are answered one a call, each with the latest deadline.
    ///
    /// # Errors
    /// - [`Error::NotOwner`]: `caller` is not the thread that made the period.
    /// - [`Error::NotDefined`]: the status of an inactive period was asked.
    /// - [`Error::Timeout`]: the job was concluded too late, the next one is on already;
    ///   or the status of an expired period was asked.
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
                self.conclude(false, now, cpu);
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
                effects.release(self.expiry);
                Err(Error::Timeout)
            }
        }
    }

    /// Asked by the owner between a call that said [`Progress::Waits`] and its sleep:
    /// whether it still has to. If not, the release has come in between, and it goes on.
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
            self.state = State::Expired;
            self.postponed = self.postponed.saturating_add(1);
            self.expiry = self.expiry.saturating_add(self.length);
            effects.arm(Some(self.expiry));
            return;
        }
        self.begin(self.expiry, cpu, effects);
        if wait == Wait::Sleeps {
            effects.wake();
        }
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

    /// The present job's figures so far; anyone may ask.
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

    /// The figures of all concluded jobs; anyone may ask.
    pub const fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Counts from nothing again; anyone may ask. The job under way is not cut.
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
        self.expiry = at.saturating_add(self.length);
        effects.arm(Some(self.expiry));
        effects.release(self.expiry);
    }

    fn conclude(&mut self, missed: bool, now: Instant, cpu: Duration) {
        let (wall, cpu) = self.spent(now, cpu);
        self.statistics.conclude(missed, cpu, wall);
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
