//! Owns: the cases of condition variables.

use super::case::Tally;
use super::{HIGH, LOW, MAIN, SuiteBoard, UNIT};
use taktos_kernel::{AnyThread, Error, Timeout};

/// Locks the first mutex, waits at the condition, notes result and letter, unlocks.
fn wait<S: SuiteBoard>(timeout: Timeout, name: char) {
    let o = S::objects();
    let _ = o.mutexes[0].lock(Timeout::FOREVER);
    let result = o.condition.wait(&o.mutexes[0], timeout);
    o.log.add(name);
    let _ = o.log.result(result);
    let _ = o.log.result(o.mutexes[0].unlock());
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    errors(tally);
    signals(tally);
    ends(tally);
}

fn errors<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("condition: calls that do not wait", |c| {
        let o = c.objects();
        let mutex = &o.mutexes[0];
        c.expect("signal to none", o.condition.signal(), Ok(()));
        c.expect("broadcast to none", o.condition.broadcast(), Ok(()));
        c.expect(
            "not locked",
            o.condition.wait(mutex, Timeout::FOREVER),
            Err(Error::NotOwner),
        );
        c.expect("lock", mutex.lock(Timeout::NONE), Ok(()));
        c.expect(
            "no wait",
            o.condition.wait(mutex, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "some time",
            o.condition.wait(mutex, UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect("renewal", o.condition.renew(), Err(Error::State));
        c.expect("deletion", o.condition.delete(), Ok(()));
        c.expect(
            "deleted",
            o.condition.wait(mutex, Timeout::FOREVER),
            Err(Error::Deleted),
        );
        c.expect("signal", o.condition.signal(), Err(Error::Deleted));
        c.expect("broadcast", o.condition.broadcast(), Err(Error::Deleted));
        c.expect("deletion", o.condition.delete(), Err(Error::Deleted));
        c.expect("renewal", o.condition.renew(), Ok(()));
        c.expect("signal", o.condition.signal(), Ok(()));
        c.expect("still locked", mutex.unlock(), Ok(()));
    });
    tally.case(
        "condition: one who has locked the mutex twice may not wait",
        |c| {
            let o = c.objects();
            for _ in 0..2 {
                c.expect("lock", o.recursive.lock(Timeout::NONE), Ok(()));
            }
            c.expect(
                "wait",
                o.condition.wait(&o.recursive, Timeout::FOREVER),
                Err(Error::State),
            );
            for _ in 0..2 {
                c.expect("unlock", o.recursive.unlock(), Ok(()));
            }
        },
    );
    tally.case("condition: all wait with one mutex", |c| {
        let o = c.objects();
        c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
        c.expect("lock", o.mutexes[1].lock(Timeout::NONE), Ok(()));
        let refused = o.condition.wait(&o.mutexes[1], UNIT.into());
        c.expect("another mutex", refused, Err(Error::Parameter));
        c.expect("unlock", o.mutexes[1].unlock(), Ok(()));
        c.expect("signal", o.condition.signal(), Ok(()));
        c.expect_log("a..");
    });
    tally.case("condition: a handler signals, but does not wait", |c| {
        c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            let _ = o
                .log
                .result(o.condition.wait(&o.mutexes[0], Timeout::FOREVER));
            let _ = o.log.result(o.condition.signal());
            o.log.add('i');
        });
        c.objects().log.add('m');
        c.expect_log("C.ia..m");
    });
}

fn signals<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("condition: the mutex is free while one waits", |c| {
        c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
        c.expect("lock", c.objects().mutexes[0].lock(Timeout::NONE), Ok(()));
        c.expect("unlock", c.objects().mutexes[0].unlock(), Ok(()));
        c.expect("signal", c.objects().condition.signal(), Ok(()));
        c.expect_log("a..");
    });
    tally.case(
        "condition: a signal wakes one, the most urgent, equals in their order",
        |c| {
            c.start(0, 9, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(Timeout::FOREVER, 'c'));
            for log in ["b..", "a..", "c..", ""] {
                c.expect("signal", c.objects().condition.signal(), Ok(()));
                c.expect_log(log);
            }
        },
    );
    tally.case(
        "condition: a broadcast wakes all; each has the mutex in its turn",
        |c| {
            c.start(0, 9, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(Timeout::FOREVER, 'c'));
            c.expect("broadcast", c.objects().condition.broadcast(), Ok(()));
            c.expect_log("b..a..c..");
        },
    );
    tally.case(
        "condition: one signalled under the mutex runs when that is unlocked",
        |c| {
            let o = c.objects();
            c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, HIGH, || wait::<S>(Timeout::FOREVER, 'b'));
            c.expect("lock", o.mutexes[0].lock(Timeout::NONE), Ok(()));
            c.expect("broadcast", o.condition.broadcast(), Ok(()));
            o.log.add('m');
            let (_, effective) = AnyThread::<S>::current().priorities();
            c.expect("it lends its priority", effective.level(), HIGH);
            c.expect("unlock", o.mutexes[0].unlock(), Ok(()));
            c.expect_log("ma..b..");
        },
    );
    tally.case(
        "condition: a less urgent one is signalled and runs in its turn",
        |c| {
            c.start(0, LOW, || wait::<S>(Timeout::FOREVER, 'a'));
            c.let_others_run();
            c.expect("signal", c.objects().condition.signal(), Ok(()));
            c.objects().log.add('m');
            c.let_others_run();
            c.expect_log("ma..");
            c.expect(
                "own",
                AnyThread::<S>::current().priorities().1.level(),
                MAIN,
            );
        },
    );
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "condition: one whose time has passed owns the mutex again",
        |c| {
            c.start(0, HIGH, || wait::<S>(UNIT.into(), 'a'));
            c.let_others_run();
            c.let_others_run();
            c.expect_log("aT.");
            c.expect("signal to none", c.objects().condition.signal(), Ok(()));
            c.expect_log("");
        },
    );
    tally.case(
        "condition: time passes while another has the mutex: it is waited for",
        |c| {
            let o = c.objects();
            c.start(0, HIGH, || wait::<S>(UNIT.into(), 'a'));
            c.expect("lock", o.mutexes[0].lock(Timeout::NONE), Ok(()));
            S::busy_until(super::units::<S>(3));
            c.expect_log("");
            c.expect("unlock", o.mutexes[0].unlock(), Ok(()));
            c.expect_log("aT.");
        },
    );
    tally.case(
        "condition: its deletion, and the end of a wait, give the mutex back",
        |c| {
            c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, HIGH, || wait::<S>(Timeout::FOREVER, 'b'));
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect("deletion", c.objects().condition.delete(), Ok(()));
            c.expect_log("aX.bD.");
        },
    );
    tally.case("condition: a deleted waiter is not signalled", |c| {
        c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
        c.start(1, HIGH, || wait::<S>(Timeout::FOREVER, 'b'));
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        c.expect("signal", c.objects().condition.signal(), Ok(()));
        c.expect_log("b..");
    });
}
