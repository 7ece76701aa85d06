//! Owns: the cases of event flags.

use super::case::Tally;
use super::{Case, HIGH, LOW, SuiteBoard, UNIT};
use taktos_kernel::{Error, EventFlags, Timeout};

/// Flags before (none: deleted), call, result, flags after; nobody waits.
struct Row<S: SuiteBoard> {
    name: &'static str,
    before: Option<u32>,
    call: fn(&'static EventFlags<S>) -> Result<u32, Error>,
    result: Result<u32, Error>,
    after: u32,
}

fn check<S: SuiteBoard>(c: &mut Case<S>, rows: &[Row<S>]) {
    let events = &S::objects().events;
    for row in rows {
        let _ = events.delete();
        if let Some(flags) = row.before {
            c.expect(row.name, events.renew(flags), Ok(()));
        }
        c.expect(row.name, (row.call)(events), row.result);
        c.expect(row.name, events.get(), row.after);
    }
}

type Call<S> = fn(&'static EventFlags<S>, u32, Timeout) -> Result<u32, Error>;

/// Waits by `call`, and notes the letter and what is told.
fn wait<S: SuiteBoard>(call: Call<S>, flags: u32, timeout: Timeout, name: char) {
    let result = call(&S::objects().events, flags, timeout);
    S::objects().log.add(name);
    match result {
        Ok(flags) => S::objects()
            .log
            .add(char::from_digit(flags & 0xF, 16).unwrap_or('?')),
        Err(_) => {
            let _ = S::objects().log.result(result);
        }
    }
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    const ALL: u32 = u32::MAX;
    tally.case("events: calls that do not wait", |c| {
        let row = |name, before, call, result, after| Row {
            name,
            before,
            call,
            result,
            after,
        };
        check(
            c,
            &[
                row(
                    "set",
                    Some(0),
                    |e: &'static EventFlags<S>| e.set(5).map(|()| 0),
                    Ok(0),
                    5,
                ),
                row(
                    "set, beside others",
                    Some(6),
                    |e| e.set(5).map(|()| 0),
                    Ok(0),
                    7,
                ),
                row(
                    "set, the highest",
                    Some(0),
                    |e| e.set(1 << 31).map(|()| 0),
                    Ok(0),
                    1 << 31,
                ),
                row("set none", Some(3), |e| e.set(0).map(|()| 0), Ok(0), 3),
                row(
                    "set, deleted",
                    None,
                    |e| e.set(1).map(|()| 0),
                    Err(Error::Deleted),
                    0,
                ),
                row("clear", Some(7), |e| e.clear(2), Ok(7), 5),
                row("clear all", Some(ALL), |e| e.clear(ALL), Ok(ALL), 0),
                row(
                    "clear, deleted",
                    None,
                    |e| e.clear(1),
                    Err(Error::Deleted),
                    0,
                ),
                row(
                    "any, one is set",
                    Some(2),
                    |e| e.wait_any(3, Timeout::NONE),
                    Ok(2),
                    2,
                ),
                row(
                    "any, and others",
                    Some(0xA),
                    |e| e.wait_any(3, Timeout::FOREVER),
                    Ok(0xA),
                    0xA,
                ),
                row(
                    "any, none is set",
                    Some(4),
                    |e| e.wait_any(3, Timeout::NONE),
                    Err(Error::WouldBlock),
                    4,
                ),
                row(
                    "any, some time",
                    Some(4),
                    |e| e.wait_any(3, UNIT.into()),
                    Err(Error::Timeout),
                    4,
                ),
                row(
                    "any of none",
                    Some(4),
                    |e| e.wait_any(0, Timeout::FOREVER),
                    Err(Error::Parameter),
                    4,
                ),
                row(
                    "any, deleted",
                    None,
                    |e| e.wait_any(3, Timeout::FOREVER),
                    Err(Error::Deleted),
                    0,
                ),
                row(
                    "all, all are set",
                    Some(7),
                    |e| e.wait_all(3, Timeout::NONE),
                    Ok(7),
                    7,
                ),
                row(
                    "all, one is missing",
                    Some(5),
                    |e| e.wait_all(3, Timeout::NONE),
                    Err(Error::WouldBlock),
                    5,
                ),
                row(
                    "all, some time",
                    Some(1),
                    |e| e.wait_all(3, UNIT.into()),
                    Err(Error::Timeout),
                    1,
                ),
                row(
                    "all of none",
                    Some(4),
                    |e| e.wait_all(0, Timeout::FOREVER),
                    Err(Error::Parameter),
                    4,
                ),
                row(
                    "take any",
                    Some(0xA),
                    |e| e.take_any(3, Timeout::NONE),
                    Ok(0xA),
                    8,
                ),
                row(
                    "take any, none is set",
                    Some(8),
                    |e| e.take_any(3, Timeout::NONE),
                    Err(Error::WouldBlock),
                    8,
                ),
                row(
                    "take all",
                    Some(0xB),
                    |e| e.take_all(3, Timeout::NONE),
                    Ok(0xB),
                    8,
                ),
                row(
                    "take all, one is missing",
                    Some(9),
                    |e| e.take_all(3, Timeout::NONE),
                    Err(Error::WouldBlock),
                    9,
                ),
                row(
                    "take all, deleted",
                    None,
                    |e| e.take_all(3, Timeout::NONE),
                    Err(Error::Deleted),
                    0,
                ),
                row("delete", Some(3), |e| e.delete().map(|()| 0), Ok(0), 0),
                row(
                    "delete, deleted",
                    None,
                    |e| e.delete().map(|()| 0),
                    Err(Error::Deleted),
                    0,
                ),
                row(
                    "renew, not deleted",
                    Some(3),
                    |e| e.renew(1).map(|()| 0),
                    Err(Error::State),
                    3,
                ),
            ],
        );
    });
    waits(tally);
    many(tally);
    meets(tally);
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "events: one who waits for any is woken by the first of them",
        |c| {
            c.start(0, HIGH, || {
                wait::<S>(EventFlags::wait_any, 6, Timeout::FOREVER, 'a')
            });
            c.expect("set", c.objects().events.set(1), Ok(()));
            c.expect_log("");
            c.expect("set", c.objects().events.set(4), Ok(()));
            c.expect_log("a5");
            c.expect("flags", c.objects().events.get(), 5);
        },
    );
    tally.case(
        "events: one who waits for all is woken by the last of them",
        |c| {
            c.start(0, HIGH, || {
                wait::<S>(EventFlags::take_all, 6, Timeout::FOREVER, 'a')
            });
            c.expect("set", c.objects().events.set(3), Ok(()));
            c.expect_log("");
            c.expect("set", c.objects().events.set(4), Ok(()));
            c.expect_log("a7");
            c.expect("flags", c.objects().events.get(), 1);
        },
    );
    tally.case(
        "events: flags set one after the other, and cleared meanwhile, are not all set",
        |c| {
            c.start(0, HIGH, || {
                wait::<S>(EventFlags::wait_all, 3, Timeout::FOREVER, 'a')
            });
            c.expect("set", c.objects().events.set(1), Ok(()));
            c.expect("clear", c.objects().events.clear(1), Ok(1));
            c.expect("set", c.objects().events.set(2), Ok(()));
            c.expect_log("");
            c.expect("set", c.objects().events.set(1), Ok(()));
            c.expect_log("a3");
        },
    );
    tally.case("events: a wait ends by time, request and deletion", |c| {
        c.start(0, HIGH, || {
            wait::<S>(EventFlags::wait_any, 1, UNIT.into(), 'a')
        });
        c.start(1, HIGH, || {
            wait::<S>(EventFlags::wait_all, 2, Timeout::FOREVER, 'b')
        });
        c.start(2, HIGH, || {
            wait::<S>(EventFlags::take_any, 4, Timeout::FOREVER, 'c')
        });
        c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect("deletion", c.objects().events.delete(), Ok(()));
        c.expect_log("bXaTcD");
    });
    tally.case(
        "events: a handler sets, clears and looks, but does not wait",
        |c| {
            c.start(0, HIGH, || {
                wait::<S>(EventFlags::wait_any, 1, Timeout::FOREVER, 'a')
            });
            S::trigger_interrupt(|| {
                let o = S::objects();
                let _ = o.log.result(o.events.wait_any(8, Timeout::FOREVER));
                let _ = o.log.result(o.events.set(3));
                let _ = o.log.result(o.events.clear(1));
                let _ = o.log.result(o.events.take_any(2, Timeout::NONE));
            });
            c.expect_log("C...a3");
            c.expect("flags", c.objects().events.get(), 0);
        },
    );
}

fn many<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "events: all whose condition holds are woken, the most urgent first",
        |c| {
            c.start(0, 9, || {
                wait::<S>(EventFlags::wait_any, 1, Timeout::FOREVER, 'a')
            });
            c.start(1, 7, || {
                wait::<S>(EventFlags::wait_all, 3, Timeout::FOREVER, 'b')
            });
            c.start(2, 9, || {
                wait::<S>(EventFlags::wait_any, 4, Timeout::FOREVER, 'c')
            });
            c.start(3, 9, || {
                wait::<S>(EventFlags::wait_any, 2, Timeout::FOREVER, 'd')
            });
            c.expect("set", c.objects().events.set(3), Ok(()));
            c.expect_log("b3a3d3");
            c.expect("set", c.objects().events.set(4), Ok(()));
            c.expect_log("c7");
        },
    );
    tally.case(
        "events: each condition is judged by the same flags; then they are taken",
        |c| {
            c.start(0, 9, || {
                wait::<S>(EventFlags::take_any, 1, Timeout::FOREVER, 'a')
            });
            c.start(1, 9, || {
                wait::<S>(EventFlags::take_any, 1, Timeout::FOREVER, 'b')
            });
            c.expect("set", c.objects().events.set(3), Ok(()));
            c.expect_log("a3b3");
            c.expect("flags", c.objects().events.get(), 2);
        },
    );
    tally.case("events: a less urgent one keeps what it was told", |c| {
        c.start(0, LOW, || {
            wait::<S>(EventFlags::wait_any, 1, Timeout::FOREVER, 'a')
        });
        c.let_others_run();
        c.expect("set", c.objects().events.set(1), Ok(()));
        c.expect("clear", c.objects().events.clear(1), Ok(1));
        c.let_others_run();
        c.expect_log("a1");
    });
}

/// Meets others by the flag `flag`, of three; and notes it.
fn meet<S: SuiteBoard, const FLAG: u32>(name: char, timeout: Timeout) {
    let call: Call<S> = |events, all, timeout| events.set_and_take_all(FLAG, all, timeout);
    wait::<S>(call, 7, timeout, name);
}

fn meets<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "events: threads meet, and all come through with the last one",
        |c| {
            c.start(0, LOW, || meet::<S, 1>('a', Timeout::FOREVER));
            c.let_others_run();
            c.start(1, HIGH, || meet::<S, 2>('b', Timeout::FOREVER));
            c.expect_log("");
            let last = c.objects().events.set_and_take_all(4, 7, Timeout::FOREVER);
            c.expect("the last one", last, Ok(7));
            c.let_others_run();
            c.expect_log("b7a7");
            c.expect("flags", c.objects().events.get(), 0);
        },
    );
    tally.case(
        "events: who is less urgent is not left behind by those who meet again",
        |c| {
            c.start(0, LOW, || meet::<S, 1>('a', Timeout::FOREVER));
            c.let_others_run();
            c.start(1, HIGH, || {
                meet::<S, 6>('b', Timeout::FOREVER);
                meet::<S, 6>('c', UNIT.into());
            });
            c.let_others_run();
            c.let_others_run();
            c.expect_log("b7a7cT");
            c.expect("flags", c.objects().events.get(), 6);
        },
    );
    tally.case(
        "events: who does not wait at a meeting has woken others",
        |c| {
            c.start(0, HIGH, || {
                wait::<S>(EventFlags::take_any, 2, Timeout::FOREVER, 'a')
            });
            let events = &c.objects().events;
            let at_once = events.set_and_take_all(10, 7, Timeout::NONE);
            c.expect("at once", at_once, Err(Error::WouldBlock));
            c.expect_log("aa");
            c.expect("flags", events.get(), 8);
            let none = events.set_and_take_all(1, 0, Timeout::NONE);
            c.expect("none awaited", none, Err(Error::Parameter));
            c.expect(
                "and beyond",
                events.set_and_take_all(4, 12, Timeout::NONE),
                Ok(12),
            );
            c.expect("flags", events.get(), 0);
        },
    );
    tally.case(
        "events: a meeting ends by request and deletion, and is not for handlers",
        |c| {
            c.start(0, HIGH, || meet::<S, 1>('a', Timeout::FOREVER));
            c.start(1, HIGH, || meet::<S, 2>('b', Timeout::FOREVER));
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            S::trigger_interrupt(|| {
                let o = S::objects();
                let _ = o.log.result(o.events.set_and_take_all(4, 7, Timeout::NONE));
            });
            c.expect("flags", c.objects().events.get(), 3);
            c.expect("deletion", c.objects().events.delete(), Ok(()));
            let deleted = c.objects().events.set_and_take_all(4, 7, Timeout::FOREVER);
            c.expect("deleted", deleted, Err(Error::Deleted));
            c.expect_log("aXCbD");
        },
    );
}
