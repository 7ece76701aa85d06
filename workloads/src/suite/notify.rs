//! Owns: the cases of direct notification.

use super::case::Tally;
use super::{Case, HIGH, LOW, SuiteBoard, UNIT};
use taktos_kernel::{AnyThread, Error, Notify, State, Timeout};

fn note<S: SuiteBoard>(name: char, result: Result<u32, Error>) {
    S::objects().log.add(name);
    match result {
        Ok(word) => S::objects()
            .log
            .add(char::from_digit(word & 0xF, 16).unwrap_or('?')),
        Err(_) => {
            let _ = S::objects().log.result(result);
        }
    }
}

fn wait<S: SuiteBoard>(clear: u32, timeout: Timeout, name: char) {
    note::<S>(name, AnyThread::<S>::notify_wait(clear, timeout));
}

fn take<S: SuiteBoard>(timeout: Timeout, name: char) {
    note::<S>(name, AnyThread::<S>::notify_take(timeout));
}

/// Takes what the main thread was notified of before.
fn forget<S: SuiteBoard>() {
    let _ = AnyThread::<S>::notify_wait(u32::MAX, Timeout::NONE);
    while AnyThread::<S>::notify_take(Timeout::NONE).is_ok() {}
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    words(tally);
    waits(tally);
    states(tally);
}

/// Word before, action, result, word after; the thread does not wait.
fn check<S: SuiteBoard>(c: &mut Case<S>, rows: &[(u32, Notify, Result<(), Error>, u32)]) {
    let main = AnyThread::<S>::current();
    for (before, action, result, after) in rows {
        forget::<S>();
        c.expect(
            "word before",
            main.notify(Notify::Overwrite(*before)),
            Ok(()),
        );
        c.expect("action", main.notify(*action), *result);
        let word = AnyThread::<S>::notify_wait(u32::MAX, Timeout::NONE);
        c.expect(
            "word after",
            (*before, *action, word),
            (*before, *action, Ok(*after)),
        );
        let none = AnyThread::<S>::notify_wait(0, Timeout::NONE);
        c.expect("taken", none, Err(Error::WouldBlock));
    }
}

fn words<S: SuiteBoard>(tally: &mut Tally<S>) {
    const ALL: u32 = u32::MAX;
    tally.case("notify: what each action does to the word", |c| {
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
        "notify: a word that was taken may be set without overwriting",
        |c| {
            let main = AnyThread::<S>::current();
            forget::<S>();
            c.expect("set", main.notify(Notify::SetWithoutOverwrite(5)), Ok(()));
            c.expect(
                "set again",
                main.notify(Notify::SetWithoutOverwrite(6)),
                Err(Error::Limit),
            );
            c.expect(
                "word",
                AnyThread::<S>::notify_wait(1, Timeout::FOREVER),
                Ok(5),
            );
            c.expect("set", main.notify(Notify::SetBits(0)), Ok(()));
            c.expect(
                "what was not cleared",
                AnyThread::<S>::notify_wait(ALL, Timeout::NONE),
                Ok(4),
            );
        },
    );
    tally.case("notify: a word is cleared, a notification forgotten", |c| {
        let main = AnyThread::<S>::current();
        forget::<S>();
        c.expect("none", main.notify_forget(), Ok(false));
        c.expect("set", main.notify(Notify::Overwrite(7)), Ok(()));
        c.expect("word before", main.notify_clear(2), Ok(7));
        c.expect("still there", main.notify_forget(), Ok(true));
        c.expect("forgotten", main.notify_forget(), Ok(false));
        c.expect(
            "no notification",
            AnyThread::<S>::notify_wait(0, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect("the word stayed", main.notify_clear(ALL), Ok(5));
        c.expect("the word is none", main.notify_clear(0), Ok(0));
        c.expect("set", main.notify(Notify::Overwrite(6)), Ok(()));
        c.expect(
            "there is one: nothing is cleared before",
            AnyThread::<S>::notify_wait_cleared(ALL, 2, Timeout::NONE),
            Ok(6),
        );
        c.expect(
            "there is none",
            AnyThread::<S>::notify_wait_cleared(ALL, 0, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect("cleared before the wait", main.notify_clear(0), Ok(0));
    });
    tally.case("notify: the word counts", |c| {
        let main = AnyThread::<S>::current();
        forget::<S>();
        for _ in 0..3 {
            c.expect("increment", main.notify(Notify::Increment), Ok(()));
        }
        for word in [3, 2, 1] {
            c.expect(
                "word",
                AnyThread::<S>::notify_take(Timeout::FOREVER),
                Ok(word),
            );
        }
        c.expect(
            "no wait",
            AnyThread::<S>::notify_take(Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "some time",
            AnyThread::<S>::notify_take(UNIT.into()),
            Err(Error::Timeout),
        );
        forget::<S>();
        c.expect(
            "some time",
            AnyThread::<S>::notify_wait(0, UNIT.into()),
            Err(Error::Timeout),
        );
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("notify: one that waits is woken with the word", |c| {
        c.start(0, HIGH, || {
            wait::<S>(u32::MAX, Timeout::FOREVER, 'a');
            wait::<S>(u32::MAX, Timeout::FOREVER, 'b');
        });
        c.expect(
            "notify",
            c.objects().thread(0).notify(Notify::SetBits(5)),
            Ok(()),
        );
        c.expect_log("a5");
        c.expect(
            "notify",
            c.objects().thread(0).notify(Notify::Increment),
            Ok(()),
        );
        c.expect_log("b1");
    });
    tally.case(
        "notify: a less urgent one runs in its turn, with the word of its wake",
        |c| {
            c.start(0, LOW, || {
                wait::<S>(0, Timeout::FOREVER, 'a');
                wait::<S>(0, Timeout::FOREVER, 'b');
            });
            c.let_others_run();
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::Overwrite(3)),
                Ok(()),
            );
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::Overwrite(9)),
                Ok(()),
            );
            c.expect_state(0, State::Ready);
            c.let_others_run();
            c.expect_log("a3b9");
        },
    );
    tally.case(
        "notify: one that takes waits until the word is not 0",
        |c| {
            c.start(0, HIGH, || take::<S>(Timeout::FOREVER, 'a'));
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::SetBits(0)),
                Ok(()),
            );
            c.expect_log("");
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::Increment),
                Ok(()),
            );
            c.expect_log("a1");
        },
    );
    tally.case("notify: waits end by time and by request", |c| {
        c.start(0, HIGH, || wait::<S>(0, UNIT.into(), 'a'));
        c.start(1, HIGH, || take::<S>(Timeout::FOREVER, 'b'));
        c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect_log("bXaT");
    });
    tally.case("notify: from a handler; which does not wait itself", |c| {
        c.start(0, HIGH, || wait::<S>(0, Timeout::FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            let _ = o.log.result(o.thread(0).notify(Notify::SetBits(2)));
            let _ = o
                .log
                .result(AnyThread::<S>::notify_wait(0, Timeout::FOREVER));
            o.log.add('i');
        });
        c.objects().log.add('m');
        c.expect_log(".Cia2m");
    });
}

fn states<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("notify: one that was not started is refused", |c| {
        let thread = c.objects().thread(0);
        c.expect(
            "non-existent",
            thread.notify(Notify::Increment),
            Err(Error::State),
        );
        c.start(0, HIGH, || ());
        c.expect("ended", thread.notify(Notify::Increment), Err(Error::State));
    });
    tally.case(
        "notify: what waits for something else keeps it for later",
        |c| {
            c.start(0, HIGH, || {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                wait::<S>(0, Timeout::NONE, 'a');
            });
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::Overwrite(6)),
                Ok(()),
            );
            c.expect_log("");
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("a6");
        },
    );
    tally.case("notify: a start forgets what came before", |c| {
        c.start(0, HIGH, || {
            let _ = S::objects().semaphore.take(Timeout::FOREVER);
        });
        c.expect(
            "notify",
            c.objects().thread(0).notify(Notify::Overwrite(6)),
            Ok(()),
        );
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        let started = c.objects().thread(0).start(|| {
            wait::<S>(0, Timeout::NONE, 'a');
            take::<S>(Timeout::NONE, 'b');
        });
        c.expect("second start", started, Ok(()));
        c.expect_log("aWbW");
    });
    tally.case(
        "notify: a suspended one is woken and waits for its resumption",
        |c| {
            c.start(0, HIGH, || wait::<S>(0, Timeout::FOREVER, 'a'));
            c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
            c.expect(
                "notify",
                c.objects().thread(0).notify(Notify::Overwrite(6)),
                Ok(()),
            );
            c.expect_log("");
            c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
            c.expect_log("a6");
        },
    );
}
