//! Owns: what is done to the workers of a stress test, and to the processors. Must never know: what
//! workers do.

use super::objects::{CEILING, WORKERS};
use super::work::{level, life};
use super::{StormBoard, nap};
use crate::chance::Chance;
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, Cpu, CpuSet, Error, Instance, Kernel, Priority, State};

/// Brings a worker that has ended to life.
pub(super) fn revive<S: StormBoard>(index: usize) {
    let storm = S::storm();
    let worker = &storm.workers[index];
    if worker.thread.state() == State::NonExistent {
        let mut chance = Chance::draw(&worker.chance);
        let created = worker.thread.create_as("worker", level(&mut chance));
        if let Err(error) = created {
            storm.fail::<S>(format_args!("worker {index} cannot be created: {error:?}"));
            return;
        }
    }
    if worker.thread.state() == State::Dormant
        && let Err(error) = worker.thread.start_with(life::<S>, worker)
    {
        storm.fail::<S>(format_args!("worker {index} cannot be started: {error:?}"));
    }
}

/// How many acts there are, and how many of them, the first ones, concern one instance alone.
const ACTS: u64 = 10;
const WITHIN: u64 = 6;

/// Does something to a worker or a processor, and gives the workers time.
pub(super) fn act<S: StormBoard>(chance: &mut Chance) {
    let storm = S::storm();
    let index = chance.below(WORKERS as u64) as usize;
    let worker = &storm.workers[index];
    let thread: &'static AnyThread<S> = &worker.thread;
    let numbers = &storm.numbers;
    let spans = chance.one_in(storm.calm());
    let result = match chance.below(if spans { ACTS } else { WITHIN }) {
        0 => {
            numbers.suspensions.fetch_add(1, Relaxed);
            thread.suspend()
        }
        1 | 2 => {
            for worker in &storm.workers {
                // Those that are not suspended say so.
                let _ = worker.thread.resume();
            }
            Ok(())
        }
        3 => {
            numbers.deletions.fetch_add(1, Relaxed);
            // Odd until it begins again: its processor may still be on the way from it.
            worker.life.fetch_or(1, Relaxed);
            let deleted = thread.delete();
            revive::<S>(index);
            deleted
        }
        4 => thread.set_priority(level(chance)),
        5 => thread.cancel_wait(),
        6 => thread.set_affinity(CpuSet::from_bits(chance.next())),
        7 => thread.set_affinity(CpuSet::ALL),
        8 => {
            numbers.moves.fetch_add(1, Relaxed);
            instance_of_chance::<S>(chance).map_or(Ok(()), |to| thread.move_to(to, level(chance)))
        }
        _ => remove_for_a_while::<S>(chance),
    };
    if let Err(error) = result
        && !matches!(
            error,
            Error::State | Error::Parameter | Error::InUse | Error::WouldBlock | Error::Deleted
        )
    {
        storm.fail::<S>(format_args!("the controlling thread was told {error:?}"));
    }
    nap::<S>(chance);
}

/// The processors that some instance has.
fn processors<S: StormBoard>() -> CpuSet {
    let of = |index| Kernel::<S>::processors(Instance::new(index)?).ok();
    (0..Cpu::COUNT)
        .map_while(of)
        .fold(CpuSet::EMPTY, CpuSet::or)
}

fn instance_of_chance<S: StormBoard>(chance: &mut Chance) -> Option<Instance> {
    let all = processors::<S>();
    let wanted = Cpu::new(chance.below(Cpu::COUNT as u64) as usize % (all.highest()?.index() + 1))?;
    Kernel::<S>::instance_with(wanted).ok()
}

/// Takes a processor away, lets the others continue without it, and gives it back.
fn remove_for_a_while<S: StormBoard>(chance: &mut Chance) -> Result<(), Error> {
    let storm = S::storm();
    let Some(highest) = processors::<S>().highest() else {
        return Ok(());
    };
    let Some(cpu) = Cpu::new(chance.below(highest.index() as u64 + 1) as usize) else {
        return Ok(());
    };
    let instance = Kernel::<S>::instance_with(cpu)?;
    Kernel::<S>::remove_processor(instance, cpu)?;
    storm.numbers.removals.fetch_add(1, Relaxed);
    for _ in 0..1 + chance.below(4) {
        nap::<S>(chance);
    }
    if let Err(error) = Kernel::<S>::add_processor(instance, cpu) {
        storm.fail::<S>(format_args!("{cpu:?} is not taken back: {error:?}"));
    }
    Ok(())
}

/// Stops all workers, and checks what they leave.
pub(super) fn end<S: StormBoard>() {
    let storm = S::storm();
    storm.stop();
    for worker in &storm.workers {
        worker.life.fetch_add(1, Relaxed);
        let _ = worker.thread.delete();
    }
    for (index, mutex) in storm.mutexes.iter().enumerate() {
        if let Err(error) = mutex.delete() {
            storm.fail::<S>(format_args!(
                "mutex {index} cannot be deleted in the end: {error:?}"
            ));
        }
    }
    for (index, lock) in storm.locks.iter().enumerate() {
        if let Err(error) = lock.delete() {
            storm.fail::<S>(format_args!(
                "lock {index} cannot be deleted in the end: {error:?}"
            ));
        }
    }
    for semaphore in &storm.semaphores {
        if semaphore.count() > WORKERS as u32 + 4 {
            storm.fail::<S>(format_args!(
                "a semaphore has {} permits",
                semaphore.count()
            ));
        }
    }
    if let Err(violation) = Kernel::<S>::check() {
        storm.fail::<S>(format_args!(
            "the scheduler's state in the end: {violation:?}"
        ));
    }
}

/// Makes the locks known, with a ceiling in each instance.
pub(super) fn make_locks<S: StormBoard>() {
    let storm = S::storm();
    let ceiling = Priority::from_stored(CEILING);
    for lock in &storm.locks {
        if let Err(error) = lock.make() {
            storm.fail::<S>(format_args!("a lock cannot be made: {error:?}"));
        }
        for instance in (0..Cpu::COUNT).map_while(Instance::new) {
            // Those without a ceiling there say so.
            let _ = lock.set_ceiling(instance, ceiling);
        }
    }
}
