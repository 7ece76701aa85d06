//! Owns: the cases of threads that wait for several objects at once.

use super::case::{Tally, at};
use super::objects::renew_semaphore;
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_error, log_number, log_result};
use taktos_kernel::{AnyThread, Error, Kernel, MOST_POLLED, Notify, Pollable, State, Timeout};

/// The flags that [`poll`] takes, all of them.
const FLAGS: u32 = 0b11;

/// Waits for a permit, a message and both flags at once, and notes it: the name, the number of what
/// came, or the error's letter; then what came of that.
fn poll<S: SuiteBoard>(timeout: Timeout, name: char) {
    let o = S::objects();
    let mut permit = o.semaphore.taking();
    let mut message = o.queue.receiving();
    let mut flags = o.events.taking_all(FLAGS);
    o.log.add(name);
    match Kernel::<S>::poll([&mut permit, &mut message, &mut flags], timeout) {
        Ok(number) => o.log.digit(number as u32),
        Err(error) => log_error::<S>(error),
    }
    o.log.add(name);
    log_outcome::<S>(permit.outcome());
    log_answer::<S>('q', message.outcome());
    log_answer::<S>('f', flags.outcome());
}

/// Notes what came of a branch, if it ended the poll.
fn log_outcome<S: SuiteBoard>(outcome: Option<Result<impl Sized, Error>>) {
    if let Some(outcome) = outcome {
        log_result::<S>(outcome);
    }
}

/// Notes a name, and what came of a branch of this name, if it ended the poll.
fn log_answer<S: SuiteBoard>(name: char, outcome: Option<Result<u32, Error>>) {
    if let Some(outcome) = outcome {
        log_number::<S>(name, outcome);
    }
}

/// Waits for a permit alone.
fn take<S: SuiteBoard>(name: char) {
    let taken = S::objects().semaphore.take(FOREVER);
    S::objects().log.add(name);
    log_result::<S>(taken);
}

/// Demands that nothing which is given now goes to a thread.
fn expect_nobody<S: SuiteBoard>(c: &mut Case<S>) {
    let o = c.objects();
    let (permits, messages) = (o.semaphore.count(), o.queue.len());
    c.ok("give", o.semaphore.give());
    c.expect("permits", o.semaphore.count(), permits + 1);
    c.ok("send", o.queue.send(&9, NONE));
    c.expect("messages", o.queue.len(), messages + 1);
    c.ok("set", o.events.set(FLAGS));
    c.expect("flags", o.events.get(), FLAGS);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("poll");
    at_once(tally);
    waits(tally);
    order(tally);
    priorities(tally);
    ends(tally);
    deletion(tally);
    others(tally);
    notifications(tally);
    handlers(tally);
}

fn at_once<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("the first that need not wait is done, and it alone", |c| {
        let o = c.objects();
        poll::<S>(NONE, 'a');
        c.expect_log("aWa");
        poll::<S>(UNIT.into(), 'b');
        c.expect_log("bTb");
        c.ok("set", o.events.set(1));
        poll::<S>(NONE, 'c');
        c.expect_log("cWc");
        c.ok("set", o.events.set(2));
        c.ok("send", o.queue.send(&5, NONE));
        c.ok("give", o.semaphore.give());
        poll::<S>(NONE, 'd');
        c.expect_log("d0d.");
        c.expect("messages", o.queue.len(), 1);
        poll::<S>(FOREVER, 'e');
        c.expect_log("e1eq5");
        c.expect("flags", o.events.get(), FLAGS);
        poll::<S>(UNIT.into(), 'f');
        c.expect_log("f2ff3");
        c.expect("flags", o.events.get(), 0);
    });
    tally.case("sets that make no sense are refused", |c| {
        let o = c.objects();
        let mut permits = [const { None }; MOST_POLLED + 1];
        for permit in &mut permits {
            *permit = Some(o.semaphore.taking());
        }
        let [Some(first), Some(second), ..] = &mut permits else {
            return;
        };
        let twice = Kernel::<S>::poll([first, second], NONE);
        c.expect_error("twice", twice, Error::Parameter);
        let none = Kernel::<S>::poll_among(&[], NONE);
        c.expect_error("none", none, Error::Parameter);
        let none = Kernel::<S>::poll_among(&[None, None], NONE);
        c.expect_error("none", none, Error::Parameter);
        let all = permits.each_mut().map(|permit| {
            let permit = permit.as_mut();
            permit.map(|permit| permit as &mut dyn Pollable<S>)
        });
        let many = Kernel::<S>::poll_among(&all, NONE);
        c.expect_error("too many", many, Error::Parameter);
        let mut flags = o.events.awaiting_any(0);
        let ended = Kernel::<S>::poll_among(&[None, Some(&mut flags), None], FOREVER);
        c.expect("no flags", ended, Ok(1));
        c.expect("no flags", flags.outcome(), Some(Err(Error::Parameter)));
        c.expect("once", flags.outcome(), None);
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("what is given goes to the thread, and ends its wait", |c| {
        let o = c.objects();
        c.start(0, HIGH, || {
            for name in ['a', 'b', 'c', 'd'] {
                poll::<S>(FOREVER, name);
            }
        });
        c.expect_state(0, State::Blocked);
        c.ok("give", o.semaphore.give());
        c.expect_log("a0a.b");
        c.ok("send", o.queue.send(&7, NONE));
        c.expect_log("1bq7c");
        c.ok("set", o.events.set(1));
        c.expect_log("");
        c.ok("set", o.events.set(2));
        c.expect_log("2cf3d");
        c.expect("permits", o.semaphore.count(), 0);
        c.expect("messages", o.queue.len(), 0);
        c.expect("flags", o.events.get(), 0);
        c.ok("give", o.semaphore.give());
        c.expect_log("0d.");
        expect_nobody(c);
    });
    tally.case(
        "one is given while the thread has its turn still to come",
        |c| {
            let o = c.objects();
            c.start(0, LOW, || poll::<S>(FOREVER, 'a'));
            c.let_others_run();
            c.ok("give", o.semaphore.give());
            c.expect_state(0, State::Ready);
            expect_nobody(c);
            c.let_others_run();
            c.expect_log("a0a.");
        },
    );
    tally.case(
        "a message of a thread that waits to send is taken, too",
        |c| {
            let o = c.objects();
            while o.queue.send(&4, NONE).is_ok() {}
            c.start(0, HIGH, || {
                log_result::<S>(S::objects().queue.send(&6, FOREVER));
            });
            let messages = o.queue.len();
            poll::<S>(FOREVER, 'a');
            c.expect("messages", o.queue.len(), messages);
            c.expect_log("a.1aq4");
        },
    );
}

fn order<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a thread has its place in the queue of each object", |c| {
        let o = c.objects();
        c.start(0, 9, || poll::<S>(FOREVER, 'a'));
        c.start(1, 7, || take::<S>('b'));
        c.start(2, 8, || poll::<S>(FOREVER, 'c'));
        c.start(3, 9, || take::<S>('d'));
        c.start(4, 9, || poll::<S>(FOREVER, 'e'));
        c.expect_log("ace");
        c.ok("give", o.semaphore.give());
        c.expect_log("b.");
        c.ok("send", o.queue.send(&2, NONE));
        c.expect_log("1cq2");
        for _ in 0..3 {
            c.ok("give", o.semaphore.give());
        }
        c.expect_log("0a.d.0e.");
        expect_nobody(c);
    });
    tally.case("flags wake all that they are enough for", |c| {
        let o = c.objects();
        c.start(0, 9, || poll::<S>(FOREVER, 'a'));
        c.start(1, 8, || {
            log_number::<S>('w', S::objects().events.wait_any(1, FOREVER));
        });
        c.start(2, 7, || poll::<S>(FOREVER, 'c'));
        c.ok("set", o.events.set(1));
        c.expect_log("acw1");
        c.ok("set", o.events.set(FLAGS));
        c.expect_log("2cf32af3");
        expect_nobody(c);
    });
    tally.case("two threads that poll hand a turn to and fro", |c| {
        for (index, level) in [(0, 9), (1, 9)] {
            c.start(index, level, || {
                let o = S::objects();
                for _ in 0..2 {
                    poll::<S>(FOREVER, 'p');
                    let _ = o.other_semaphore.give();
                }
            });
        }
        for _ in 0..4 {
            c.ok("give", c.objects().semaphore.give());
            c.ok("answer", c.objects().other_semaphore.take(NONE));
        }
        c.expect_log("pp0p.p0p.p0p.0p.");
        expect_nobody(c);
    });
}

fn priorities<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("another priority is another place in each queue", |c| {
        let o = c.objects();
        c.start(0, 9, || poll::<S>(FOREVER, 'a'));
        c.start(1, 8, || poll::<S>(FOREVER, 'b'));
        c.start(2, 8, || take::<S>('c'));
        c.ok("priority", c.thread(0).set_priority(at(7)));
        c.ok("send", o.queue.send(&1, NONE));
        c.expect_log("ab1aq1");
        c.ok("priority", c.thread(1).set_priority(at(9)));
        c.ok("give", o.semaphore.give());
        c.ok("give", o.semaphore.give());
        c.expect_log("c.0b.");
        expect_nobody(c);
    });
    tally.case("an owner that polls inherits in each queue", |c| {
        let o = c.objects();
        c.start(0, 10, || {
            let mutex = &S::objects().mutexes[0];
            log_result::<S>(mutex.lock(FOREVER));
            poll::<S>(FOREVER, 'a');
            log_result::<S>(mutex.unlock());
        });
        c.start(1, 9, || take::<S>('b'));
        c.start(2, 8, || {
            log_result::<S>(S::objects().mutexes[0].lock(FOREVER))
        });
        c.expect_priority(0, 8);
        c.ok("give", o.semaphore.give());
        c.expect_log(".a0a...");
        c.expect_priority(0, 10);
        c.ok("give", o.semaphore.give());
        c.expect_log("b.");
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("after its time a thread is in no queue", |c| {
        c.start(0, HIGH, || poll::<S>(UNIT.into(), 'a'));
        c.let_time_outs_pass();
        c.expect_log("aTa");
        expect_nobody(c);
    });
    tally.case("one whose object comes in time has no time-out left", |c| {
        c.start(0, HIGH, || {
            poll::<S>(UNIT.into(), 'a');
            log_result::<S>(S::objects().other_semaphore.take(FOREVER));
        });
        c.ok("give", c.objects().semaphore.give());
        c.let_time_outs_pass();
        c.expect_log("a0a.");
        c.ok("give", c.objects().other_semaphore.give());
        c.expect_log(".");
    });
    tally.case("a wait that is ended leaves no queue behind", |c| {
        c.start(0, HIGH, || poll::<S>(FOREVER, 'a'));
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.expect_log("aXa");
        expect_nobody(c);
    });
    tally.case(
        "a thread that is stopped or deleted leaves no queue behind",
        |c| {
            c.start(0, HIGH, || poll::<S>(FOREVER, 'a'));
            c.ok("stop", c.thread(0).stop());
            expect_nobody(c);
            poll::<S>(NONE, 'm');
            poll::<S>(NONE, 'm');
            poll::<S>(NONE, 'm');
            c.expect_log("am0m.m1mq9m2mf3");
            c.start_again(0, || poll::<S>(FOREVER, 'b'));
            c.start(1, HIGH, || take::<S>('c'));
            c.ok("deletion", c.thread(0).delete());
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("bc.");
            expect_nobody(c);
        },
    );
    tally.case("a suspended thread gets what it waits for", |c| {
        let o = c.objects();
        c.start(0, HIGH, || poll::<S>(FOREVER, 'a'));
        c.ok("suspension", c.thread(0).suspend());
        c.ok("give", o.semaphore.give());
        c.expect_state(0, State::Blocked);
        expect_nobody(c);
        c.ok("resumption", c.thread(0).resume());
        c.expect_log("a0a.");
    });
}

fn deletion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a branch is used again after an error", |c| {
        let o = c.objects();
        c.start(0, HIGH, || {
            let o = S::objects();
            let mut message = o.queue.receiving();
            for _ in 0..2 {
                let _ = Kernel::<S>::poll([&mut message], FOREVER);
                log_answer::<S>('q', message.outcome());
                let _ = o.queue.renew();
            }
        });
        c.ok("deletion", o.queue.delete());
        c.ok("send", o.queue.send(&4, NONE));
        c.expect_log("qDq4");
    });
    tally.case("a deleted object ends the wait, with its number", |c| {
        let o = c.objects();
        c.start(0, 8, || poll::<S>(FOREVER, 'a'));
        c.start(1, 9, || poll::<S>(FOREVER, 'b'));
        c.ok("deletion", o.queue.delete());
        c.expect_log("ab1aqD1bqD");
        poll::<S>(FOREVER, 'm');
        c.expect_log("m1mqD");
        c.ok("deletion", o.semaphore.delete());
        poll::<S>(NONE, 'n');
        c.expect_log("n0nD");
        renew_semaphore(&o.semaphore, 0, u32::MAX);
        c.ok("renewal", o.queue.renew());
        c.start_again(0, || poll::<S>(FOREVER, 'a'));
        c.ok("deletion", o.events.delete());
        c.expect_log("a2afD");
        c.ok("renewal", o.events.renew(0));
        expect_nobody(c);
    });
}

fn others<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("items and bytes, over and over by the same branches", |c| {
        let o = c.objects();
        c.start(0, HIGH, || {
            let o = S::objects();
            let mut buffer = [0; 4];
            let mut newest = o.lifo.popping();
            let mut oldest = o.fifo.popping();
            let mut bytes = o.pipe.reading(&mut buffer);
            for _ in 0..4 {
                let set: [&mut dyn Pollable<S>; 3] = [&mut newest, &mut oldest, &mut bytes];
                if let Ok(number) = Kernel::<S>::poll(set, FOREVER) {
                    o.log.digit(number as u32);
                }
                log_answer::<S>('n', newest.outcome());
                log_answer::<S>('o', oldest.outcome());
                let read = bytes.outcome();
                let read = read.map(|got| got.map(|count| count as u32));
                log_answer::<S>('r', read);
            }
            for byte in buffer {
                o.log.digit(byte.into());
            }
        });
        c.ok("push", o.fifo.push(3));
        c.expect("write", o.pipe.write(&[1, 2], 2, NONE), Ok(2));
        c.ok("push", o.lifo.push(4));
        c.expect_log("1o32r20n4");
        c.expect("write", o.pipe.write(&[5, 6, 7], 3, NONE), Ok(3));
        c.expect_log("2r35670");
        c.expect("write", o.pipe.write(&[8], 1, NONE), Ok(1));
        c.expect("bytes", o.pipe.len(), 1);
        let mut buffer = [0; 4];
        let mut bytes = o.pipe.reading(&mut buffer);
        c.expect("not asked", Kernel::<S>::poll([&mut bytes], NONE), Ok(0));
        c.expect("write", o.pipe.write(&[2, 3], 2, NONE), Ok(2));
        c.expect("asked", Kernel::<S>::poll([&mut bytes], NONE), Ok(0));
        c.expect("bytes read", bytes.outcome(), Some(Ok(2)));
        c.expect("the last bytes", buffer, [2, 3, 0, 0]);
        let mut none = [];
        let mut bytes = o.pipe.reading(&mut none);
        c.expect("no room", Kernel::<S>::poll([&mut bytes], NONE), Ok(0));
        c.expect("no room", bytes.outcome(), Some(Err(Error::Parameter)));
    });
}

/// Waits for a notification, of which it clears 1, and for a permit.
fn be_told<S: SuiteBoard>(name: char) {
    let o = S::objects();
    let mut word = AnyThread::<S>::notified(1);
    let mut permit = o.semaphore.taking();
    o.log.add(name);
    let _ = Kernel::<S>::poll([&mut word, &mut permit], FOREVER);
    log_answer::<S>('w', word.outcome());
    log_outcome::<S>(permit.outcome());
}

fn notifications<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a notification is one of the things to wait for", |c| {
        c.start(0, HIGH, || {
            be_told::<S>('a');
            be_told::<S>('b');
            log_number::<S>('n', AnyThread::<S>::notify_wait(0, NONE));
            be_told::<S>('c');
            be_told::<S>('d');
        });
        c.ok("word", c.thread(0).notify(Notify::SetBits(3)));
        c.expect_log("aw3b");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log(".nWc");
        c.ok("word", c.thread(0).notify(Notify::SetWithoutOverwrite(0)));
        c.expect_log("w0d");
        c.ok("word", c.thread(0).notify(Notify::Increment));
        c.expect_log("w1");
        c.expect_error("ended", c.thread(0).notify(Notify::Increment), Error::State);
        expect_nobody(c);
    });
    tally.case("a count is waited for until it is another than 0", |c| {
        c.start(0, HIGH, || {
            let o = S::objects();
            let mut count = AnyThread::<S>::counted();
            let mut permit = o.semaphore.taking();
            for _ in 0..3 {
                let _ = Kernel::<S>::poll([&mut permit, &mut count], FOREVER);
                log_answer::<S>('w', count.outcome());
                log_outcome::<S>(permit.outcome());
            }
        });
        c.ok("word", c.thread(0).notify(Notify::Overwrite(0)));
        c.expect_log("");
        c.ok("word", c.thread(0).notify(Notify::Overwrite(2)));
        c.expect_log("w2w1");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log(".");
    });
    tally.case("a notification is kept where it is not waited for", |c| {
        c.start(0, HIGH, || {
            poll::<S>(FOREVER, 'a');
            log_number::<S>('w', AnyThread::<S>::notify_wait(0, NONE));
        });
        c.ok("word", c.thread(0).notify(Notify::Overwrite(6)));
        c.expect_log("a");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("0a.w6");
    });
}

fn handlers<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a handler gives to a thread that polls, and may not itself",
        |c| {
            c.start(0, HIGH, || {
                for name in ['a', 'b', 'c'] {
                    poll::<S>(FOREVER, name);
                }
            });
            S::trigger_interrupt(|| log_result::<S>(S::objects().semaphore.give()));
            c.expect_log("a.0a.b");
            S::trigger_interrupt(|| log_result::<S>(S::objects().queue.send(&8, NONE)));
            c.expect_log(".1bq8c");
            S::trigger_interrupt(|| log_result::<S>(S::objects().events.set(FLAGS)));
            c.expect_log(".2cf3");
            expect_nobody(c);
            S::trigger_interrupt(|| poll::<S>(NONE, 'h'));
            c.expect_log("hCh");
        },
    );
}
