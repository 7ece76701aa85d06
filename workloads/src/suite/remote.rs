//! Owns: the cases of remote calls.

use super::case::{Case, Tally};
use super::{
    FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_error, log_result, wait_for_permit,
};
use taktos_kernel::{AnyThread, Error, Message, RemoteCall, RemoteFunction, State};

/// The most bytes of a call.
pub(super) const BYTES: usize = 8;

/// Turns the bytes around.
const REVERSE: usize = 0;
/// Fails.
const FAIL: usize = 1;
/// Waits for a permit.
const SLOW: usize = 2;
/// Reports the server's priority.
const PRIORITY: usize = 3;
/// Says that there are more bytes than there is room for.
const BOAST: usize = 4;
/// None.
const ABSENT: usize = 5;

/// The server's functions.
pub(super) struct Functions<S>(core::marker::PhantomData<S>);

impl<S: SuiteBoard> Functions<S> {
    pub(super) const TABLE: &'static [RemoteFunction] = &[
        |bytes, length| {
            bytes[..length].reverse();
            Ok(length)
        },
        |_, _| Err(Error::Limit),
        |bytes, length| {
            S::objects()
                .log
                .add(bytes.first().map_or('-', |byte| *byte as char));
            wait_for_permit::<S>();
            S::objects().log.add('e');
            Ok(length)
        },
        |bytes, _| {
            let (_, effective) = AnyThread::<S>::current().priorities();
            bytes[0] = effective.level();
            Ok(1)
        },
        |bytes, _| {
            bytes.fill(b'!');
            Ok(usize::MAX)
        },
    ];
}

/// The call `index`.
fn of<S: SuiteBoard>(index: usize) -> &'static RemoteCall<S, BYTES> {
    &S::objects().served().calls[index]
}

/// Makes the helper 0 serve.
fn serve<S: SuiteBoard>(c: &mut Case<S>, level: u8) {
    c.start(0, level, || {
        let error = S::objects().dependents().server.serve();
        log_error::<S>(error);
    });
}

/// Calls by `index`, and expects `answer`.
fn expect<S: SuiteBoard>(
    c: &mut Case<S>,
    index: usize,
    (function, input): (usize, &str),
    answer: Result<&str, Error>,
) {
    let mut output = [0; BYTES];
    let called = of::<S>(index).call(function, input.as_bytes(), &mut output, FOREVER);
    c.expect("call", called, answer.map(str::len));
    if let (Ok(length), Ok(answer)) = (called, answer) {
        c.expect("answer", &output[..length.min(BYTES)], answer.as_bytes());
    }
}

/// The slow function by `index`, and its result.
fn call_slowly<S: SuiteBoard>(index: usize, letter: &str) {
    let called = of::<S>(index).call(SLOW, letter.as_bytes(), &mut [], FOREVER);
    log_result::<S>(called);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("remote");
    calls(tally);
    ends(tally);
}

fn calls<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("functions by number, with a server that waits", |c| {
        all_functions(c, HIGH);
    });
    tally.case("functions by number, with a server that comes later", |c| {
        all_functions(c, LOW);
    });
    tally.case("what is longer than the room", |c| {
        serve(c, HIGH);
        let long = of::<S>(0).call(REVERSE, &[0; BYTES + 1], &mut [], FOREVER);
        c.expect_error("input", long, Error::Parameter);
        let mut short = [0; 2];
        let cut = of::<S>(0).call(REVERSE, b"abcd", &mut short, FOREVER);
        c.expect("length", cut, Ok(4));
        c.expect("output", short, *b"dc");
        expect(c, 0, (BOAST, "abc"), Ok("!!!!!!!!"));
    });
    tally.case("the server has its client's priority", |c| {
        serve(c, LOW);
        let mut level = [0];
        let called = of::<S>(0).call(PRIORITY, &[], &mut level, FOREVER);
        c.expect("call", called, Ok(1));
        c.expect("priority", level, [MAIN]);
        c.expect_priority(0, LOW);
    });
    tally.case(
        "the most urgent client first, each with its own bytes",
        |c| {
            serve(c, MAIN + 1);
            c.start(1, LOW, || call_slowly::<S>(0, "x"));
            c.let_others_run();
            c.start(2, LOW, || call_slowly::<S>(1, "y"));
            c.start(3, MAIN - 1, || call_slowly::<S>(2, "z"));
            c.let_others_run();
            c.expect_log("x");
            for _ in 0..3 {
                c.ok("give", c.objects().semaphore.give());
                c.let_others_run();
            }
            c.expect_log("ez.e.ye.");
        },
    );
}

fn all_functions<S: SuiteBoard>(c: &mut Case<S>, level: u8) {
    serve(c, level);
    for _ in 0..2 {
        expect(c, 0, (REVERSE, "abcdefgh"), Ok("hgfedcba"));
        expect(c, 1, (REVERSE, ""), Ok(""));
        expect(c, 0, (FAIL, "abc"), Err(Error::Limit));
        expect(c, 0, (ABSENT, "abc"), Err(Error::Parameter));
        expect(c, 1, (REVERSE, "xy"), Ok("yx"));
    }
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a client whose time is over leaves the bytes to the server",
        |c| {
            serve(c, HIGH);
            let none = of::<S>(0).call(REVERSE, b"ab", &mut [], NONE);
            c.expect_error("no time", none, Error::WouldBlock);
            let called = of::<S>(0).call(SLOW, b"x", &mut [], UNIT.into());
            c.expect_error("call", called, Error::Timeout);
            let again = of::<S>(0).call(REVERSE, b"ab", &mut [], UNIT.into());
            c.expect_error("bytes", again, Error::InUse);
            // The server is busy: this one is never begun.
            let other = of::<S>(1).call(REVERSE, b"ab", &mut [], UNIT.into());
            c.expect_error("call", other, Error::Timeout);
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("xe");
            expect(c, 0, (REVERSE, "ab"), Ok("ba"));
            expect(c, 1, (REVERSE, "cd"), Ok("dc"));
        },
    );
    tally.case("one client at a time has a call", |c| {
        serve(c, HIGH);
        c.start(1, HIGH, || call_slowly::<S>(0, "x"));
        expect(c, 0, (REVERSE, "ab"), Err(Error::InUse));
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("xe.");
        expect(c, 0, (REVERSE, "ab"), Ok("ba"));
    });
    tally.case("without a server, and when it ends", |c| {
        expect(c, 0, (REVERSE, "ab"), Err(Error::Deleted));
        serve(c, HIGH);
        c.start(1, HIGH, || call_slowly::<S>(0, "x"));
        c.ok("end", c.thread(0).delete());
        c.expect_log("xD");
        expect(c, 1, (REVERSE, "ab"), Err(Error::Deleted));
        c.start(2, HIGH, || {
            S::objects().dependents().server.serve();
        });
        expect(c, 0, (REVERSE, "ab"), Ok("ba"));
        c.expect(
            "a second server",
            c.objects().dependents().server.serve(),
            Error::State,
        );
    });
    tally.case("a client that ends leaves its call to others", |c| {
        serve(c, HIGH);
        c.start(1, HIGH, || call_slowly::<S>(0, "x"));
        c.ok("end", c.thread(1).delete());
        expect(c, 0, (REVERSE, "ab"), Err(Error::InUse));
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("xe");
        expect(c, 0, (REVERSE, "ab"), Ok("ba"));
    });
    tally.case("a wait of either side that is ended", |c| {
        serve(c, HIGH);
        c.ok("end of the wait", c.thread(0).cancel_wait());
        c.expect_log("X");
        c.expect_state(0, State::Dormant);
        expect(c, 0, (REVERSE, "ab"), Err(Error::Deleted));
        c.start_again(0, || {
            S::objects().dependents().server.serve();
        });
        c.start(1, HIGH, || call_slowly::<S>(0, "x"));
        c.ok("end of the wait", c.thread(1).cancel_wait());
        c.expect_log("xX");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("e");
        expect(c, 0, (REVERSE, "ab"), Ok("ba"));
    });
    tally.case(
        "messages that are no calls are answered, and handlers turned away",
        |c| {
            serve(c, HIGH);
            let answer = c.thread(0).call(Message([7, 8]), FOREVER);
            c.expect(
                "answer",
                answer,
                Ok(Message([Error::Parameter as usize; 2])),
            );
            c.ok("send", c.thread(0).send(Message([7, 8]), FOREVER));
            expect(c, 0, (REVERSE, "ab"), Ok("ba"));
            S::trigger_interrupt(|| {
                let called = of::<S>(0).call(REVERSE, &[], &mut [], NONE);
                log_result::<S>(called);
                let error = S::objects().dependents().server.serve();
                log_error::<S>(error);
            });
            c.expect_log("CC");
        },
    );
}
