//! Owns: the cases of direct notification.

use super::case::Tally;
use super::{
    Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_number, log_result, wait_for_permit,
};
use taktos_kernel::{AnyThread, Error, Notify, State, Timeout};

fn note<S: SuiteBoard>(name: char, result: Result<u32, Error>) {
    log_number::<S>(name, result.map(|word| word & 0xF));
}

fn wait<S: SuiteBoard>(clear: u32, timeout: Timeout, name: char) {
    note::<S>(name, AnyThread::<S>::notify_wait(clear, timeout));
}

fn take<S: SuiteBoard>(timeout: Timeout, name: char) {
    note::<S>(name, AnyThread::<S>::notify_take(timeout));
}

/// Takes what the main thread was notified of before.
fn forget<S: SuiteBoard>() {
    let _ = AnyThread::<S>::notify_wait(u32::MAX, NONE);
    while AnyThread::<S>::notify_take(NONE).is_ok() {}
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("notify");
    words(tally);
    waits(tally);
    states(tally);
}

/// Word before, action, result, word after; the thread does not wait.
fn check<S: SuiteBoard>(c: &mut Case<S>, rows: &[(u32, Notify, Result<(), Error>, u32)]) {
    let main = AnyThread::<S>::current();
    for (before, action, result, after) in rows {
        forget::<S>();
        c.ok("word before", main.notify(Notify::Overwrite(*before)));
        c.expect("action", main.notify(*action), *result);
        let word = AnyThread::<S>::notify_wait(u32::MAX, NONE);
        c.expect(
            "word after",
            (*before, *action, word),
            (*before, *action, Ok(*after)),
        );
        let none = AnyThread::<S>::notify_wait(0, NONE);
        c.expect_error("taken", none, Error::WouldBlock);
    }
}

fn words<S: SuiteBoard>(tally: &mut Tally<S>) {
    const ALL: u32 = u32::MAX;
    tally.case("what each action does to the word", |c| {
        check(
            c,
            &[
                (1, Notify::SetBits(6), Ok(()), 7),
                (7, Notify::SetBits(0), Ok(()), 7),
                (1, Notify::Increment, Ok(()), 2),
                (ALL, Notify::Increment, Err(Error::Limit), ALL),
                (1, Notify::Overwrite(0), Ok(()), 0),
                (1, Notify::SetWithoutOverwrite(5), Err(Error::Limit), 1),
            ],
        );
    });
    tally.case(
        "a word that was taken may be set without overwriting",
        |c| {
            let main = AnyThread::<S>::current();
            forget::<S>();
            c.ok("set", main.notify(Notify::SetWithoutOverwrite(5)));
            c.expect_error(
                "set again",
                main.notify(Notify::SetWithoutOverwrite(6)),
                Error::Limit,
            );
            c.expect("word", AnyThread::<S>::notify_wait(1, FOREVER), Ok(5));
            c.ok("set", main.notify(Notify::SetBits(0)));
            c.expect(
                "what was not cleared",
                AnyThread::<S>::notify_wait(ALL, NONE),
                Ok(4),
            );
        },
    );
    tally.case("a word is cleared, a notification forgotten", |c| {
        let main = AnyThread::<S>::current();
        forget::<S>();
        c.expect("none", main.notify_forget(), Ok(false));
        c.ok("set", main.notify(Notify::Overwrite(7)));
        c.expect("word before", main.notify_clear(2), Ok(7));
        c.expect("still there", main.notify_forget(), Ok(true));
        c.expect("forgotten", main.notify_forget(), Ok(false));
        c.expect_error(
            "no notification",
            AnyThread::<S>::notify_wait(0, NONE),
            Error::WouldBlock,
        );
        c.expect("the word stayed", main.notify_clear(ALL), Ok(5));
        c.expect("the word is none", main.notify_clear(0), Ok(0));
        c.ok("set", main.notify(Notify::Overwrite(6)));
        c.expect(
            "there is one: nothing is cleared before",
            AnyThread::<S>::notify_wait_cleared(ALL, 2, NONE),
            Ok(6),
        );
        c.expect_error(
            "there is none",
            AnyThread::<S>::notify_wait_cleared(ALL, 0, NONE),
            Error::WouldBlock,
        );
        c.expect("cleared before the wait", main.notify_clear(0), Ok(0));
    });
    tally.case("the word counts", |c| {
        let main = AnyThread::<S>::current();
        forget::<S>();
        for _ in 0..3 {
            c.ok("increment", main.notify(Notify::Increment));
        }
        for word in [3, 2, 1] {
            c.expect("word", AnyThread::<S>::notify_take(FOREVER), Ok(word));
        }
        c.expect_error(
            "no wait",
            AnyThread::<S>::notify_take(NONE),
            Error::WouldBlock,
        );
        c.expect_error(
            "some time",
            AnyThread::<S>::notify_take(UNIT.into()),
            Error::Timeout,
        );
        forget::<S>();
        c.expect_error(
            "some time",
            AnyThread::<S>::notify_wait(0, UNIT.into()),
            Error::Timeout,
        );
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one that waits is woken with the word", |c| {
        c.start(0, HIGH, || {
            wait::<S>(u32::MAX, FOREVER, 'a');
            wait::<S>(u32::MAX, FOREVER, 'b');
        });
        c.ok("notify", c.thread(0).notify(Notify::SetBits(5)));
        c.expect_log("a5");
        c.ok("notify", c.thread(0).notify(Notify::Increment));
        c.expect_log("b1");
    });
    tally.case(
        "a less urgent one runs in its turn, with the word of its wake",
        |c| {
            c.start(0, LOW, || {
                wait::<S>(0, FOREVER, 'a');
                wait::<S>(0, FOREVER, 'b');
            });
            c.let_others_run();
            c.ok("notify", c.thread(0).notify(Notify::Overwrite(3)));
            c.ok("notify", c.thread(0).notify(Notify::Overwrite(9)));
            c.expect_state(0, State::Ready);
            c.let_others_run();
            c.expect_log("a3b9");
        },
    );
    tally.case("one that takes waits until the word is not 0", |c| {
        c.start(0, HIGH, || take::<S>(FOREVER, 'a'));
        c.ok("notify", c.thread(0).notify(Notify::SetBits(0)));
        c.expect_log("");
        c.ok("notify", c.thread(0).notify(Notify::Increment));
        c.expect_log("a1");
    });
    tally.case("waits end by time and by request", |c| {
        c.start(0, HIGH, || wait::<S>(0, UNIT.into(), 'a'));
        c.start(1, HIGH, || take::<S>(FOREVER, 'b'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.expect_log("bXaT");
    });
    tally.case("from a handler; which does not wait itself", |c| {
        c.start(0, HIGH, || wait::<S>(0, FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            log_result::<S>(o.thread(0).notify(Notify::SetBits(2)));
            log_result::<S>(AnyThread::<S>::notify_wait(0, FOREVER));
            o.log.add('i');
        });
        c.objects().log.add('m');
        c.expect_log(".Cia2m");
    });
}

fn states<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("one that was not started is refused", |c| {
        let thread = c.thread(0);
        c.expect_error(
            "non-existent",
            thread.notify(Notify::Increment),
            Error::State,
        );
        c.start(0, HIGH, || ());
        c.expect_error("ended", thread.notify(Notify::Increment), Error::State);
    });
    tally.case("what waits for something else keeps it for later", |c| {
        c.start(0, HIGH, || {
            wait_for_permit::<S>();
            wait::<S>(0, NONE, 'a');
        });
        c.ok("notify", c.thread(0).notify(Notify::Overwrite(6)));
        c.expect_log("");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("a6");
    });
    tally.case("a start forgets what came before", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.ok("notify", c.thread(0).notify(Notify::Overwrite(6)));
        c.ok("give", c.objects().semaphore.give());
        c.start_again(0, || {
            wait::<S>(0, NONE, 'a');
            take::<S>(NONE, 'b');
        });
        c.expect_log("aWbW");
    });
    tally.case(
        "a suspended one is woken and waits for its resumption",
        |c| {
            c.start(0, HIGH, || wait::<S>(0, FOREVER, 'a'));
            c.ok("suspension", c.thread(0).suspend());
            c.ok("notify", c.thread(0).notify(Notify::Overwrite(6)));
            c.expect_log("");
            c.ok("resumption", c.thread(0).resume());
            c.expect_log("a6");
        },
    );
}
