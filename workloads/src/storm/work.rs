//! Owns: the operations of a stress test's worker. Must never know: the thread that ends it, and
//! when.

use super::objects::{LEVELS, LOCKS, MOST_URGENT, MUTEXES, SEMAPHORES, WORKERS, Worker};
use super::{StormBoard, nap};
use crate::chance::Chance;
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{
    AnyThread, CpuSet, Duration, Error, Kernel, Message, Notify, Priority, Timeout,
};

/// State of a worker during one operation.
struct Doing<'a> {
    me: usize,
    chance: &'a mut Chance,
}

type Operation = fn(&mut Doing<'_>) -> Result<(), Error>;

/// How many operations there are, and how many of them, the first ones, concern one instance alone.
const OPERATIONS: u64 = 14;
const WITHIN: u64 = 12;

/// Each operation, with the errors that it may have; the numbers say which one a worker is in.
fn operations<S: StormBoard>() -> [(Operation, &'static [Error]); OPERATIONS as usize] {
    use Error::{
        Cancelled, Ceiling, Deadlock, Deleted, InUse, Limit, NotOwner, Parameter, State,
        Timeout as Late, WouldBlock,
    };
    [
        (semaphore::<S>, &[Late, WouldBlock, Cancelled]),
        (mutex::<S>, &[Late, WouldBlock, Cancelled, Deadlock]),
        (nested::<S>, &[Late, WouldBlock, Cancelled, Deadlock]),
        (
            send::<S>,
            &[Late, WouldBlock, Cancelled, Deleted, Deadlock, Parameter],
        ),
        (
            receive::<S>,
            &[
                Late, WouldBlock, Cancelled, Deleted, Deadlock, State, Parameter,
            ],
        ),
        (
            call::<S>,
            &[Late, WouldBlock, Cancelled, Deleted, Deadlock, Parameter],
        ),
        (queue::<S>, &[Late, WouldBlock, Cancelled]),
        (events::<S>, &[Late, WouldBlock, Cancelled]),
        (
            notify::<S>,
            &[Late, WouldBlock, Cancelled, Deleted, Limit, State],
        ),
        (
            condition::<S>,
            &[Late, WouldBlock, Cancelled, Deadlock, NotOwner, Parameter],
        ),
        (priority::<S>, &[]),
        (rest::<S>, &[Cancelled]),
        (
            lock::<S>,
            &[Late, WouldBlock, Cancelled, Parameter, State, Ceiling],
        ),
        (place::<S>, &[Parameter, InUse, WouldBlock, State]),
    ]
}

/// A worker's life.
pub(super) fn life<S: StormBoard>(worker: &'static Worker<S>) {
    let storm = S::storm();
    let me = worker.index.load(Relaxed) as usize;
    worker
        .life
        .fetch_add(worker.life.load(Relaxed) & 1, Relaxed);
    while !storm.stops() {
        let mut chance = Chance::draw(&worker.chance);
        let spans = chance.one_in(storm.calm());
        let number = chance.below(if spans { OPERATIONS } else { WITHIN }) as usize;
        worker.at.store(number as u32, Relaxed);
        let (operation, errors) = operations::<S>()[number];
        let mut doing = Doing {
            me,
            chance: &mut chance,
        };
        if let Err(error) = operation(&mut doing) {
            if !errors.contains(&error) {
                storm.fail::<S>(format_args!("operation {number} said {error:?}"));
            }
            let numbers = &storm.numbers;
            match error {
                Error::Timeout => numbers.timeouts.fetch_add(1, Relaxed),
                _ => numbers.refused.fetch_add(1, Relaxed),
            };
        }
        worker.operations.fetch_add(1, Relaxed);
    }
}

impl Doing<'_> {
    /// A time to wait: none, a little, or some; never for ever, for the partner may be gone.
    fn timeout(&mut self) -> Timeout {
        match self.chance.below(4) {
            0 => Timeout::NONE,
            1 => Duration::from_micros(1 + self.chance.below(20)).into(),
            _ => Duration::from_micros(20 + self.chance.below(400)).into(),
        }
    }

    fn partner<S: StormBoard>(&mut self) -> &'static AnyThread<S> {
        let other = (self.me + 1 + self.chance.below(WORKERS as u64 - 1) as usize) % WORKERS;
        &S::storm().workers[other].thread
    }

    /// Works where it must be alone.
    fn alone<S: StormBoard>(&mut self, place: usize) {
        let storm = S::storm();
        if let Some(other) = storm.enter(place, self.me) {
            storm.fail::<S>(format_args!(
                "workers {} and {other} are both in place {place}",
                self.me
            ));
        }
        self.spend::<S>();
        if !storm.leave(place, self.me) {
            storm.fail::<S>(format_args!(
                "somebody was with worker {} in place {place}",
                self.me
            ));
        }
    }

    /// Takes some time: mostly none.
    fn spend<S: StormBoard>(&mut self) {
        match self.chance.below(8) {
            0 => S::busy(Duration::from_micros(1 + self.chance.below(20))),
            1 => AnyThread::<S>::yield_now(),
            _ => {}
        }
    }
}

fn semaphore<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let semaphore = &S::storm().semaphores[doing.chance.below(SEMAPHORES as u64) as usize];
    if doing.chance.one_in(2) {
        // Workers that are ended take permits with them: now and then there is one more.
        if semaphore.count() < 3 {
            semaphore.give()?;
        }
    }
    let timeout = doing.timeout();
    semaphore.take(timeout)?;
    doing.spend::<S>();
    semaphore.give()
}

fn mutex<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let which = doing.chance.below(MUTEXES as u64) as usize;
    let mutex = &S::storm().mutexes[which];
    mutex.lock(doing.timeout())?;
    doing.alone::<S>(which);
    mutex.unlock()
}

fn nested<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let outer = doing.chance.below(MUTEXES as u64) as usize;
    let inner = (outer + 1 + doing.chance.below(MUTEXES as u64 - 1) as usize) % MUTEXES;
    let [outer_mutex, inner_mutex] = [outer, inner].map(|which| &S::storm().mutexes[which]);
    outer_mutex.lock(doing.timeout())?;
    let result = inner_mutex.lock(doing.timeout());
    if result.is_ok() {
        doing.alone::<S>(inner);
        inner_mutex.unlock()?;
    }
    doing.alone::<S>(outer);
    outer_mutex.unlock()?;
    result
}

fn lock<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let which = doing.chance.below(LOCKS as u64) as usize;
    let lock = &S::storm().locks[which];
    lock.lock(doing.timeout())?;
    doing.alone::<S>(MUTEXES + which);
    lock.unlock()
}

/// Returns the content of a message, in which a receiver can detect a change.
fn words(sender: usize, number: u64) -> Message {
    let number = (number as u32 >> 8) as usize;
    Message([sender << 24 | number, !(sender << 24 | number)])
}

fn check_words<S: StormBoard>(message: Message) {
    let [first, second] = message.0;
    if first != !second {
        S::storm().fail::<S>(format_args!("a message arrived as {first:#x}, {second:#x}"));
    }
}

fn send<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let message = words(doing.me, doing.chance.next());
    let timeout = doing.timeout();
    doing.partner::<S>().send(message, timeout)
}

fn call<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let message = words(doing.me, doing.chance.next());
    let timeout = doing.timeout();
    check_words::<S>(doing.partner::<S>().call(message, timeout)?);
    Ok(())
}

fn receive<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let timeout = doing.timeout();
    if doing.chance.one_in(4) {
        let message = doing.partner::<S>().receive_from(timeout)?;
        check_words::<S>(message);
        return Ok(());
    }
    let mut received = AnyThread::<S>::receive(timeout)?;
    for _ in 0..4 {
        check_words::<S>(received.message);
        doing.spend::<S>();
        let answer = words(doing.me, doing.chance.next());
        if !received.wants_reply {
            return Ok(());
        }
        if doing.chance.one_in(2) {
            // The caller may have given up.
            return received.sender.reply(answer);
        }
        let timeout = doing.timeout();
        received = received.sender.reply_and_receive(answer, timeout)?;
    }
    if received.wants_reply {
        let answer = words(doing.me, doing.chance.next());
        return received.sender.reply(answer);
    }
    Ok(())
}

fn queue<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let queue = &S::storm().queue;
    let timeout = doing.timeout();
    if doing.chance.one_in(2) {
        let word = doing.chance.next() as u32;
        return queue.send(&[word, !word], timeout);
    }
    let [first, second] = queue.receive(timeout)?;
    if first != !second {
        S::storm().fail::<S>(format_args!("a queue gave {first:#x}, {second:#x}"));
    }
    Ok(())
}

fn events<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let events = &S::storm().events;
    let flags = 1 + doing.chance.below(7) as u32;
    match doing.chance.below(4) {
        0 => events.set(flags),
        1 => events.clear(flags).map(|_| ()),
        2 => events.take_any(flags, doing.timeout()).map(|_| ()),
        _ => events.wait_all(flags, doing.timeout()).map(|_| ()),
    }
}

fn notify<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    if doing.chance.one_in(2) {
        return AnyThread::<S>::notify_wait(u32::MAX, doing.timeout()).map(|_| ());
    }
    let bits = doing.chance.next() as u32;
    doing.partner::<S>().notify(Notify::SetBits(bits))
}

fn condition<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let storm = S::storm();
    if doing.chance.one_in(2) {
        return if doing.chance.one_in(3) {
            storm.condition.broadcast()
        } else {
            storm.condition.signal()
        };
    }
    let mutex = &storm.mutexes[0];
    mutex.lock(doing.timeout())?;
    let result = storm.condition.wait(mutex, doing.timeout());
    if matches!(result, Err(Error::NotOwner | Error::Deadlock)) {
        return result;
    }
    doing.alone::<S>(0);
    mutex.unlock()?;
    result
}

fn place<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    let me = AnyThread::<S>::current();
    match doing.chance.below(4) {
        0 => me.set_affinity(CpuSet::from_bits(doing.chance.next())),
        1 => me.set_affinity(CpuSet::ALL),
        2 => {
            AnyThread::<S>::pin()?;
            let before = AnyThread::<S>::processor();
            doing.spend::<S>();
            let after = AnyThread::<S>::processor();
            if before != after {
                S::storm().fail::<S>(format_args!(
                    "a pinned thread went from {before:?} to {after:?}"
                ));
            }
            AnyThread::<S>::unpin()
        }
        _ => {
            let instance = Kernel::<S>::instance_with(AnyThread::<S>::processor())?;
            me.move_to(instance, level(doing.chance))
        }
    }
}

pub(super) fn level(chance: &mut Chance) -> Priority {
    Priority::from_stored(MOST_URGENT + chance.below(LEVELS.into()) as u8)
}

fn priority<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    AnyThread::<S>::current().set_priority(level(doing.chance))
}

fn rest<S: StormBoard>(doing: &mut Doing<'_>) -> Result<(), Error> {
    match doing.chance.below(4) {
        0 => AnyThread::<S>::yield_now(),
        1 => S::busy(Duration::from_micros(1 + doing.chance.below(50))),
        _ => nap::<S>(doing.chance),
    }
    Ok(())
}
