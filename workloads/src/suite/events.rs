//! Owns: the cases of event flags.

use super::case::Tally;
use super::log::refused::{D, P, S, T, W};
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_number, log_result};
use taktos_kernel::{Error, EventFlags, Timeout};

type Call<S> = fn(&'static EventFlags<S>, u32, Timeout) -> Result<u32, Error>;

/// Name, flags before (none: deleted), call with its flags and time-out, result, flags after; no
/// thread waits.
struct Row<S: SuiteBoard>(
    &'static str,
    Option<u32>,
    Call<S>,
    u32,
    Timeout,
    Result<u32, Error>,
    u32,
);

fn check<S: SuiteBoard>(c: &mut Case<S>, rows: &[Row<S>]) {
    let events = &S::objects().events;
    for Row(name, before, call, flags, timeout, result, after) in rows {
        let _ = events.delete();
        if let Some(flags) = before {
            c.ok(name, events.renew(*flags));
        }
        c.expect(name, call(events, *flags, *timeout), *result);
        c.expect(name, events.get(), *after);
    }
}

/// Waits by `call`, and notes the letter and the result.
fn wait<S: SuiteBoard>(call: Call<S>, flags: u32, timeout: Timeout, name: char) {
    let result = call(&S::objects().events, flags, timeout);
    log_number::<S>(name, result.map(|flags| flags & 0xF));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("events");
    const ALL: u32 = u32::MAX;
    const TOP: u32 = 1 << 31;
    tally.case("calls that do not wait", |c| {
        let soon = UNIT.into();
        let set: Call<S> = |e, flags, _| e.set(flags).map(|()| 0);
        let clear: Call<S> = |e, flags, _| e.clear(flags);
        let [any, all, take_any, take_all]: [Call<S>; 4] = [
            EventFlags::wait_any,
            EventFlags::wait_all,
            EventFlags::take_any,
            EventFlags::take_all,
        ];
        let delete: Call<S> = |e, _, _| e.delete().map(|()| 0);
        let renew: Call<S> = |e, flags, _| e.renew(flags).map(|()| 0);
        check(
            c,
            &[
                Row("set", Some(0), set, 5, NONE, Ok(0), 5),
                Row("set, beside others", Some(6), set, 5, NONE, Ok(0), 7),
                Row("set, the highest", Some(0), set, TOP, NONE, Ok(0), TOP),
                Row("set none", Some(3), set, 0, NONE, Ok(0), 3),
                Row("set, deleted", None, set, 1, NONE, D, 0),
                Row("clear", Some(7), clear, 2, NONE, Ok(7), 5),
                Row("clear all", Some(ALL), clear, ALL, NONE, Ok(ALL), 0),
                Row("clear, deleted", None, clear, 1, NONE, D, 0),
                Row("any, one is set", Some(2), any, 3, NONE, Ok(2), 2),
                Row("any, and others", Some(0xA), any, 3, FOREVER, Ok(0xA), 0xA),
                Row("any, none is set", Some(4), any, 3, NONE, W, 4),
                Row("any, some time", Some(4), any, 3, soon, T, 4),
                Row("any of none", Some(4), any, 0, FOREVER, P, 4),
                Row("any, deleted", None, any, 3, FOREVER, D, 0),
                Row("all, all are set", Some(7), all, 3, NONE, Ok(7), 7),
                Row("all, one is missing", Some(5), all, 3, NONE, W, 5),
                Row("all, some time", Some(1), all, 3, soon, T, 1),
                Row("all of none", Some(4), all, 0, FOREVER, P, 4),
                Row("take any", Some(0xA), take_any, 3, NONE, Ok(0xA), 8),
                Row("take any, none is set", Some(8), take_any, 3, NONE, W, 8),
                Row("take all", Some(0xB), take_all, 3, NONE, Ok(0xB), 8),
                Row("take all, one is missing", Some(9), take_all, 3, NONE, W, 9),
                Row("take all, deleted", None, take_all, 3, NONE, D, 0),
                Row("delete", Some(3), delete, 0, NONE, Ok(0), 0),
                Row("delete, deleted", None, delete, 0, NONE, D, 0),
                Row("renew, not deleted", Some(3), renew, 1, NONE, S, 3),
            ],
        );
    });
    waits(tally);
    many(tally);
    meets(tally);
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one who waits for any is woken by the first of them", |c| {
        c.start(0, HIGH, || wait::<S>(EventFlags::wait_any, 6, FOREVER, 'a'));
        c.ok("set", c.objects().events.set(1));
        c.expect_log("");
        c.ok("set", c.objects().events.set(4));
        c.expect_log("a5");
        c.expect("flags", c.objects().events.get(), 5);
    });
    tally.case("one who waits for all is woken by the last of them", |c| {
        c.start(0, HIGH, || wait::<S>(EventFlags::take_all, 6, FOREVER, 'a'));
        c.ok("set", c.objects().events.set(3));
        c.expect_log("");
        c.ok("set", c.objects().events.set(4));
        c.expect_log("a7");
        c.expect("flags", c.objects().events.get(), 1);
    });
    tally.case(
        "flags set one after the other, and cleared meanwhile, are not all set",
        |c| {
            c.start(0, HIGH, || wait::<S>(EventFlags::wait_all, 3, FOREVER, 'a'));
            c.ok("set", c.objects().events.set(1));
            c.expect("clear", c.objects().events.clear(1), Ok(1));
            c.ok("set", c.objects().events.set(2));
            c.expect_log("");
            c.ok("set", c.objects().events.set(1));
            c.expect_log("a3");
        },
    );
    tally.case("a wait ends by time, request and deletion", |c| {
        c.start(0, HIGH, || {
            wait::<S>(EventFlags::wait_any, 1, UNIT.into(), 'a')
        });
        c.start(1, HIGH, || wait::<S>(EventFlags::wait_all, 2, FOREVER, 'b'));
        c.start(2, HIGH, || wait::<S>(EventFlags::take_any, 4, FOREVER, 'c'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().events.delete());
        c.expect_log("bXaTcD");
    });
    tally.case("a handler sets, clears and looks, but does not wait", |c| {
        c.start(0, HIGH, || wait::<S>(EventFlags::wait_any, 1, FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            log_result::<S>(o.events.wait_any(8, FOREVER));
            log_result::<S>(o.events.set(3));
            log_result::<S>(o.events.clear(1));
            log_result::<S>(o.events.take_any(2, NONE));
        });
        c.expect_log("C...a3");
        c.expect("flags", c.objects().events.get(), 0);
    });
}

fn many<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "all whose condition holds are woken, the most urgent first",
        |c| {
            c.start(0, 9, || wait::<S>(EventFlags::wait_any, 1, FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(EventFlags::wait_all, 3, FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(EventFlags::wait_any, 4, FOREVER, 'c'));
            c.start(3, 9, || wait::<S>(EventFlags::wait_any, 2, FOREVER, 'd'));
            c.ok("set", c.objects().events.set(3));
            c.expect_log("b3a3d3");
            c.ok("set", c.objects().events.set(4));
            c.expect_log("c7");
        },
    );
    tally.case(
        "each condition is judged by the same flags; then they are taken",
        |c| {
            c.start(0, 9, || wait::<S>(EventFlags::take_any, 1, FOREVER, 'a'));
            c.start(1, 9, || wait::<S>(EventFlags::take_any, 1, FOREVER, 'b'));
            c.ok("set", c.objects().events.set(3));
            c.expect_log("a3b3");
            c.expect("flags", c.objects().events.get(), 2);
        },
    );
    tally.case("a less urgent one keeps what it was told", |c| {
        c.start(0, LOW, || wait::<S>(EventFlags::wait_any, 1, FOREVER, 'a'));
        c.let_others_run();
        c.ok("set", c.objects().events.set(1));
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
        "threads meet, and all come through with the last one",
        |c| {
            c.start(0, LOW, || meet::<S, 1>('a', FOREVER));
            c.let_others_run();
            c.start(1, HIGH, || meet::<S, 2>('b', FOREVER));
            c.expect_log("");
            let last = c.objects().events.set_and_take_all(4, 7, FOREVER);
            c.expect("the last one", last, Ok(7));
            c.let_others_run();
            c.expect_log("b7a7");
            c.expect("flags", c.objects().events.get(), 0);
        },
    );
    tally.case(
        "who is less urgent is not left behind by those who meet again",
        |c| {
            c.start(0, LOW, || meet::<S, 1>('a', FOREVER));
            c.let_others_run();
            c.start(1, HIGH, || {
                meet::<S, 6>('b', FOREVER);
                meet::<S, 6>('c', UNIT.into());
            });
            c.let_time_outs_pass();
            c.expect_log("b7a7cT");
            c.expect("flags", c.objects().events.get(), 6);
        },
    );
    tally.case("who does not wait at a meeting has woken others", |c| {
        c.start(0, HIGH, || wait::<S>(EventFlags::take_any, 2, FOREVER, 'a'));
        let events = &c.objects().events;
        let at_once = events.set_and_take_all(10, 7, NONE);
        c.expect_error("at once", at_once, Error::WouldBlock);
        c.expect_log("aa");
        c.expect("flags", events.get(), 8);
        let none = events.set_and_take_all(1, 0, NONE);
        c.expect_error("none awaited", none, Error::Parameter);
        c.expect("and beyond", events.set_and_take_all(4, 12, NONE), Ok(12));
        c.expect("flags", events.get(), 0);
    });
    tally.case(
        "a meeting ends by request and deletion, and is not for handlers",
        |c| {
            c.start(0, HIGH, || meet::<S, 1>('a', FOREVER));
            c.start(1, HIGH, || meet::<S, 2>('b', FOREVER));
            c.ok("end of wait", c.thread(0).cancel_wait());
            S::trigger_interrupt(|| {
                let o = S::objects();
                log_result::<S>(o.events.set_and_take_all(4, 7, NONE));
            });
            c.expect("flags", c.objects().events.get(), 3);
            c.ok("deletion", c.objects().events.delete());
            let deleted = c.objects().events.set_and_take_all(4, 7, FOREVER);
            c.expect_error("deleted", deleted, Error::Deleted);
            c.expect_log("aXCbD");
        },
    );
}
