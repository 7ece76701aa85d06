//! Owns: the cases of condition variables.

use super::case::Tally;
use super::{FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_result};
use taktos_kernel::{AnyThread, Error, Timeout};

/// Locks the first mutex, waits at the condition, notes result and letter, unlocks.
fn wait<S: SuiteBoard>(timeout: Timeout, name: char) {
    let o = S::objects();
    let _ = o.mutexes[0].lock(FOREVER);
    let result = o.condition.wait(&o.mutexes[0], timeout);
    o.log.add(name);
    log_result::<S>(result);
    log_result::<S>(o.mutexes[0].unlock());
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("condition");
    errors(tally);
    signals(tally);
    ends(tally);
}

fn errors<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("calls that do not wait", |c| {
        let o = c.objects();
        let mutex = &o.mutexes[0];
        c.ok("signal to none", o.condition.signal());
        c.ok("broadcast to none", o.condition.broadcast());
        c.expect_error(
            "not locked",
            o.condition.wait(mutex, FOREVER),
            Error::NotOwner,
        );
        c.ok("lock", mutex.lock(NONE));
        c.expect_error("no wait", o.condition.wait(mutex, NONE), Error::WouldBlock);
        c.expect_error(
            "some time",
            o.condition.wait(mutex, UNIT.into()),
            Error::Timeout,
        );
        c.expect_error("renewal", o.condition.renew(), Error::State);
        c.ok("deletion", o.condition.delete());
        c.expect_error("deleted", o.condition.wait(mutex, FOREVER), Error::Deleted);
        c.expect_error("signal", o.condition.signal(), Error::Deleted);
        c.expect_error("broadcast", o.condition.broadcast(), Error::Deleted);
        c.expect_error("deletion", o.condition.delete(), Error::Deleted);
        c.ok("renewal", o.condition.renew());
        c.ok("signal", o.condition.signal());
        c.ok("still locked", mutex.unlock());
    });
    tally.case("one who has locked the mutex twice may not wait", |c| {
        let o = c.objects();
        for _ in 0..2 {
            c.ok("lock", o.recursive.lock(NONE));
        }
        c.expect_error(
            "wait",
            o.condition.wait(&o.recursive, FOREVER),
            Error::State,
        );
        for _ in 0..2 {
            c.ok("unlock", o.recursive.unlock());
        }
    });
    tally.case("all wait with one mutex", |c| {
        let o = c.objects();
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        c.ok("lock", o.mutexes[1].lock(NONE));
        let refused = o.condition.wait(&o.mutexes[1], UNIT.into());
        c.expect_error("another mutex", refused, Error::Parameter);
        c.ok("unlock", o.mutexes[1].unlock());
        c.ok("signal", o.condition.signal());
        c.expect_log("a..");
    });
    tally.case("a handler signals, but does not wait", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            log_result::<S>(o.condition.wait(&o.mutexes[0], FOREVER));
            log_result::<S>(o.condition.signal());
            o.log.add('i');
        });
        c.objects().log.add('m');
        c.expect_log("C.ia..m");
    });
}

fn signals<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("the mutex is free while one waits", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        c.ok("lock", c.objects().mutexes[0].lock(NONE));
        c.ok("unlock", c.objects().mutexes[0].unlock());
        c.ok("signal", c.objects().condition.signal());
        c.expect_log("a..");
    });
    tally.case(
        "a signal wakes one, the most urgent, equals in their order",
        |c| {
            c.start(0, 9, || wait::<S>(FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(FOREVER, 'c'));
            for log in ["b..", "a..", "c..", ""] {
                c.ok("signal", c.objects().condition.signal());
                c.expect_log(log);
            }
        },
    );
    tally.case(
        "a broadcast wakes all; each has the mutex in its turn",
        |c| {
            c.start(0, 9, || wait::<S>(FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(FOREVER, 'c'));
            c.ok("broadcast", c.objects().condition.broadcast());
            c.expect_log("b..a..c..");
        },
    );
    tally.case(
        "one signalled under the mutex runs when that is unlocked",
        |c| {
            let o = c.objects();
            c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
            c.start(1, HIGH, || wait::<S>(FOREVER, 'b'));
            c.ok("lock", o.mutexes[0].lock(NONE));
            c.ok("broadcast", o.condition.broadcast());
            o.log.add('m');
            let (_, effective) = AnyThread::<S>::current().priorities();
            c.expect("it lends its priority", effective.level(), HIGH);
            c.ok("unlock", o.mutexes[0].unlock());
            c.expect_log("ma..b..");
        },
    );
    tally.case("a less urgent one is signalled and runs in its turn", |c| {
        c.start(0, LOW, || wait::<S>(FOREVER, 'a'));
        c.let_others_run();
        c.ok("signal", c.objects().condition.signal());
        c.objects().log.add('m');
        c.let_others_run();
        c.expect_log("ma..");
        c.expect(
            "own",
            AnyThread::<S>::current().priorities().1.level(),
            MAIN,
        );
    });
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one whose time has passed owns the mutex again", |c| {
        c.start(0, HIGH, || wait::<S>(UNIT.into(), 'a'));
        c.let_time_outs_pass();
        c.expect_log("aT.");
        c.ok("signal to none", c.objects().condition.signal());
        c.expect_log("");
    });
    tally.case(
        "time passes while another has the mutex: it is waited for",
        |c| {
            let o = c.objects();
            c.start(0, HIGH, || wait::<S>(UNIT.into(), 'a'));
            c.ok("lock", o.mutexes[0].lock(NONE));
            S::busy_until(super::units::<S>(3));
            c.expect_log("");
            c.ok("unlock", o.mutexes[0].unlock());
            c.expect_log("aT.");
        },
    );
    tally.case(
        "its deletion, and the end of a wait, give the mutex back",
        |c| {
            c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
            c.start(1, HIGH, || wait::<S>(FOREVER, 'b'));
            c.ok("end of wait", c.thread(0).cancel_wait());
            c.ok("deletion", c.objects().condition.delete());
            c.expect_log("aX.bD.");
        },
    );
    tally.case("a deleted waiter is not signalled", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        c.start(1, HIGH, || wait::<S>(FOREVER, 'b'));
        c.ok("deletion", c.thread(0).delete());
        c.ok("signal", c.objects().condition.signal());
        c.expect_log("b..");
    });
}
