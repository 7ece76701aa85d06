//! Owns: one small scenario for each operation that reaches from one processor to another: from 0
//! to 1 if threads are given their processors. Must never know: how it is counted.

use super::{BenchBoard, Objects, REPETITIONS, SETTLE, alone, begin_on, end_of, expect, failed};
use super::{home, keep_busy, pair, put, reach, same};
use crate::mark::{begin, end};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{AnyThread, Kernel, Message, Timeout};
use taktos_machine::Machine;

/// All but the wakes.
pub(super) fn others<S: BenchBoard>(objects: &'static Objects<S>) {
    pair(objects, sender, receiver);
    pair(objects, caller, server);
    pair(objects, ping, pong);
    pair(objects, suspender, keep_busy);
    objects.done.store(false, Relaxed);
    alone(objects, starter);
}

/// Those that wake a thread that waits there: the processor is idle, or busy with a thread that is
/// less urgent. Then the other processors of a cluster are busy with more urgent ones.
pub(super) fn wakes<S: BenchBoard>(objects: &'static Objects<S>) {
    pair(objects, giver, taker);
    objects.done.store(false, Relaxed);
    let hogs = expect(Kernel::<S>::processors(home::<S>(0))).count();
    let hogs = hogs.saturating_sub(2);
    same::occupy(objects, hogs, same::until_released, |_| ());
    begin_on(objects, &objects.bystander, 1, keep_busy);
    begin_on(objects, &objects.far, 1, taker_from_busy);
    S::busy(SETTLE);
    alone(objects, giver_to_busy);
    end_of(&objects.far);
    objects.done.store(true, Relaxed);
    end_of(&objects.bystander);
    same::release(objects, hogs);
}

#[inline(never)]
fn giver<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let given = reach!("remote-wake", objects.first.give());
        expect(given);
    }
}

#[inline(never)]
fn taker<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let taken = objects.first.take(Timeout::FOREVER);
        end!("remote-wake");
        expect(taken);
    }
}

#[inline(never)]
fn giver_to_busy<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let given = reach!("remote-wake-busy", objects.second.give());
        expect(given);
    }
}

#[inline(never)]
fn taker_from_busy<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let taken = objects.second.take(Timeout::FOREVER);
        end!("remote-wake-busy");
        expect(taken);
    }
}

/// The call of another processor, and nothing else: without a new heir, or anything to do.
pub(super) fn call_alone<S: BenchBoard>(objects: &'static Objects<S>) {
    alone(objects, call_processor);
}

#[inline(never)]
fn call_processor<S: BenchBoard>(_: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let mask = S::Machine::mask();
        reach!("remote-call", S::Machine::call(1));
        S::Machine::unmask(mask);
    }
}

#[inline(never)]
fn sender<S: BenchBoard>(objects: &'static Objects<S>) {
    for message in 0..REPETITIONS {
        S::busy(SETTLE);
        let message = Message::word(message);
        let sent = reach!("remote-send", objects.far.send(message, Timeout::FOREVER));
        expect(sent);
    }
}

#[inline(never)]
fn receiver<S: BenchBoard>(_: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let received = AnyThread::<S>::receive(Timeout::FOREVER);
        end!("remote-send");
        if received.is_err() {
            failed();
        }
    }
}

#[inline(never)]
fn caller<S: BenchBoard>(objects: &'static Objects<S>) {
    for message in 0..REPETITIONS {
        S::busy(SETTLE);
        let message = Message::word(message);
        begin!("remote-call-reply");
        let reply = objects.far.call(message, Timeout::FOREVER);
        end!("remote-call-reply");
        expect(reply);
    }
}

#[inline(never)]
fn server<S: BenchBoard>(_: &'static Objects<S>) {
    let mut request = expect(AnyThread::<S>::receive(Timeout::FOREVER));
    for _ in 1..REPETITIONS {
        let reply = request.message;
        request = expect(request.sender.reply_and_receive(reply, Timeout::FOREVER));
    }
    expect(request.sender.reply(request.message));
}

#[inline(never)]
fn ping<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        begin!("remote-semaphore-round-trip");
        let given = objects.first.give();
        let taken = objects.second.take(Timeout::FOREVER);
        end!("remote-semaphore-round-trip");
        expect(given);
        expect(taken);
    }
}

#[inline(never)]
fn pong<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        expect(objects.first.take(Timeout::FOREVER));
        expect(objects.second.give());
    }
}

/// The other thread runs; it is stopped, and resumes.
#[inline(never)]
fn suspender<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        S::busy(SETTLE);
        let suspended = reach!("remote-suspend", objects.far.suspend());
        expect(suspended);
        S::busy(SETTLE);
        let resumed = reach!("remote-resume", objects.far.resume());
        expect(resumed);
    }
    objects.done.store(true, Relaxed);
}

/// A dormant thread is started on an idle processor; a busy one is deleted there.
#[inline(never)]
fn starter<S: BenchBoard>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        expect(objects.far.create());
        put(objects, &objects.far, 1);
        S::busy(SETTLE);
        let started = reach!("remote-start", objects.far.start_with(started, objects));
        expect(started);
        S::busy(SETTLE);
        let deleted = reach!("remote-delete", objects.far.delete());
        expect(deleted);
    }
}

#[inline(never)]
fn started<S: BenchBoard>(objects: &'static Objects<S>) {
    end!("remote-start");
    keep_busy(objects);
}
