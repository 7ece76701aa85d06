//! Owns: the effects of locks and servers on jobs.
//! Must never know: how a protocol decides which job waits, and which is next.

use taktos_schedule::Cpu;
use taktos_schedule::smp::{self, Error, Instance, Lock, Obtained, Priority};

use super::job::Stage;
use super::plan::LockPlan;
use super::{Engine, instant, processor};
use crate::{Observer, Protocol, SimError};

impl<O: Observer> Engine<'_, O> {
    /// Makes the plan's locks, all of them free.
    pub(super) fn make_locks(&mut self) -> Result<(), SimError> {
        for (index, plan) in self.plan.locks.iter().enumerate() {
            let made = self.make_lock(index as u16, plan);
            made.map_err(|error| SimError::SetUp {
                what: format!("lock `{}`", plan.name),
                error,
            })?;
        }
        Ok(())
    }

    fn make_lock(&mut self, index: u16, plan: &LockPlan) -> Result<(), Error> {
        let home = self
            .plan
            .entries
            .get(usize::from(plan.creator))
            .map(|task| task.cluster);
        let of_home = plan
            .ceilings
            .iter()
            .find(|(cluster, _)| Some(*cluster) == home);
        let (creator, ceiling) = (plan.creator, of_home.map(|(_, ceiling)| Priority(*ceiling)));
        let lock = self.drive(processor::FIRST, |driver| {
            driver.create_lock(protocol(plan.protocol), creator, ceiling, false)
        })?;
        // Rows of the library's table and of the plan's correspond.
        if lock != id(index) {
            return Err(Error::InvalidId);
        }
        if plan.protocol == Protocol::MrsP {
            for (cluster, ceiling) in &plan.ceilings {
                let instance = Instance::new((*cluster).into()).ok_or(Error::InvalidId)?;
                self.drive(processor::FIRST, |driver| {
                    driver.set_ceiling(lock, instance, Priority(*ceiling))
                })?;
            }
        }
        Ok(())
    }

    /// Requests `lock` for the job of `task`. Returns whether the job may continue at this instant.
    pub(super) fn obtain(&mut self, task: usize, lock: u16, cpu: Cpu) -> Result<bool, SimError> {
        let obtained = self.drive(cpu, |driver| driver.obtain(id(lock), task as u16, true));
        let obtained =
            obtained.map_err(|error| self.refused_lock(task, "obtaining", lock, error))?;
        if obtained == Obtained::Owned {
            self.owns(task, lock);
            return Ok(true);
        }
        let progress = &mut self.progress[task];
        progress.stage = if obtained == Obtained::Spinning {
            Stage::Spinning
        } else {
            Stage::Waiting
        };
        let job = self.job(task);
        self.observer.wait(
            instant(self.now()),
            job,
            self.plan.locks[usize::from(lock)].resource,
        );
        if obtained == Obtained::Spinning {
            self.proceed(cpu);
            self.tell_switch(cpu, self.now(), 0);
        }
        Ok(false)
    }

    fn owns(&mut self, task: usize, lock: u16) {
        self.rare[task].held.push(lock);
        let job = self.job(task);
        self.observer.lock(
            instant(self.now()),
            job,
            self.plan.locks[usize::from(lock)].resource,
        );
    }

    /// Gives `lock` back for the job of `task`, and grants it to the next waiter, if there is one.
    pub(super) fn surrender(&mut self, task: usize, lock: u16) -> Result<(), SimError> {
        self.rare[task].held.retain(|held| *held != lock);
        let acting = self.progress[task].last;
        let next = self.drive(acting, |driver| driver.surrender(id(lock), task as u16));
        let next = next.map_err(|error| self.refused_lock(task, "surrendering", lock, error))?;
        let job = self.job(task);
        self.observer.unlock(
            instant(self.now()),
            job,
            self.plan.locks[usize::from(lock)].resource,
        );
        if let Some(next) = next {
            self.granted(next.into(), lock);
        }
        Ok(())
    }

    /// `lock`, which the job of `task` waited for, is its own.
    fn granted(&mut self, task: usize, lock: u16) {
        if let Some(cpu) = self.progress[task].on {
            self.settle(cpu);
        }
        let spun =
            core::mem::replace(&mut self.progress[task].stage, Stage::Ready) == Stage::Spinning;
        self.owns(task, lock);
        if let Some(cpu) = self.progress[task].on {
            self.proceed(cpu);
            self.park(cpu);
            if spun {
                self.tell_switch(cpu, self.now(), 0);
            }
        }
    }

    /// The job of `task` waits no longer for the lock that it wants.
    pub(super) fn stop_waiting(&mut self, task: usize) -> Result<(), SimError> {
        self.progress[task].stage = Stage::Ready;
        let acting = self.progress[task].last;
        let stopped = self.drive(acting, |driver| driver.time_out(task as u16));
        stopped.map_err(|error| self.broken("who waits for a lock can be timed out", error))
    }

    #[cold]
    fn refused_lock(&self, task: usize, act: &str, lock: u16, error: Error) -> SimError {
        let name = &self.plan.locks[usize::from(lock)].name;
        self.refused(task, &format!("{act} `{name}`"), error)
    }
}

fn protocol(protocol: Protocol) -> smp::Protocol {
    match protocol {
        Protocol::None => smp::Protocol::None,
        Protocol::Inheritance => smp::Protocol::Inheritance,
        Protocol::Omip => smp::Protocol::Omip,
        Protocol::Ceiling => smp::Protocol::Ceiling,
        Protocol::MrsP => smp::Protocol::MrsP,
    }
}

/// The lock in this row of the plan's table, and of the library's.
fn id(lock: u16) -> Lock {
    // The plan has at most 65,000 locks.
    Lock::new(lock.into()).unwrap_or(FIRST)
}

const FIRST: Lock = match Lock::new(0) {
    Some(lock) => lock,
    None => panic!("there is a first row"),
};
