//! Owns: the cases of semaphores.

use super::case::Tally;
use super::log::letter;
use super::objects::renew_semaphore;
use super::{HIGH, LOW, MAIN, SuiteBoard, UNIT};
use taktos_kernel::{AnyThread, Error, Semaphore, State, Timeout};

/// State before, call, result, state after; nobody waits. A limit of 0 stands for a deleted one.
struct Row<S: SuiteBoard> {
    name: &'static str,
    before: (u32, u32),
    call: fn(&'static Semaphore<S>) -> Result<(), Error>,
    result: char,
    after: u32,
}

fn check<S: SuiteBoard>(c: &mut super::Case<S>, rows: &[Row<S>]) {
    let semaphore = &S::objects().semaphore;
    for row in rows {
        let (count, limit) = row.before;
        renew_semaphore(semaphore, count, limit.max(1));
        if limit == 0 {
            c.expect(row.name, semaphore.delete(), Ok(()));
        }
        c.expect(row.name, letter(&(row.call)(semaphore)), row.result);
        c.expect(row.name, semaphore.count(), row.after);
    }
}

fn wait<S: SuiteBoard>(timeout: Timeout, letter: char) {
    let _ = S::objects()
        .log
        .result(S::objects().semaphore.take(timeout));
    S::objects().log.add(letter);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tables(tally);
    waits(tally);
    deletion(tally);
    interrupts(tally);
}

fn tables<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("semaphore: calls that do not wait", |c| {
        const ALL: u32 = u32::MAX;
        check(
            c,
            &[
                Row {
                    name: "give, from none",
                    before: (0, ALL),
                    call: |s| s.give(),
                    result: '.',
                    after: 1,
                },
                Row {
                    name: "give, up to the limit",
                    before: (2, 3),
                    call: |s| s.give(),
                    result: '.',
                    after: 3,
                },
                Row {
                    name: "give, at the limit",
                    before: (3, 3),
                    call: |s| s.give(),
                    result: 'L',
                    after: 3,
                },
                Row {
                    name: "give, binary",
                    before: (0, 1),
                    call: |s| s.give(),
                    result: '.',
                    after: 1,
                },
                Row {
                    name: "give, binary and given",
                    before: (1, 1),
                    call: |s| s.give(),
                    result: 'L',
                    after: 1,
                },
                Row {
                    name: "give, at the counter's end",
                    before: (ALL, ALL),
                    call: |s| s.give(),
                    result: 'L',
                    after: ALL,
                },
                Row {
                    name: "give, deleted",
                    before: (0, 0),
                    call: |s| s.give(),
                    result: 'D',
                    after: 0,
                },
                Row {
                    name: "take, one of one",
                    before: (1, ALL),
                    call: |s| s.take(Timeout::NONE),
                    result: '.',
                    after: 0,
                },
                Row {
                    name: "take, one of many",
                    before: (ALL, ALL),
                    call: |s| s.take(Timeout::FOREVER),
                    result: '.',
                    after: ALL - 1,
                },
                Row {
                    name: "take, none, no wait",
                    before: (0, 1),
                    call: |s| s.take(Timeout::NONE),
                    result: 'W',
                    after: 0,
                },
                Row {
                    name: "take, none, some time",
                    before: (0, 1),
                    call: |s| s.take(UNIT.into()),
                    result: 'T',
                    after: 0,
                },
                Row {
                    name: "take, deleted",
                    before: (0, 0),
                    call: |s| s.take(Timeout::FOREVER),
                    result: 'D',
                    after: 0,
                },
                Row {
                    name: "take, deleted, no wait",
                    before: (0, 0),
                    call: |s| s.take(Timeout::NONE),
                    result: 'D',
                    after: 0,
                },
                Row {
                    name: "delete",
                    before: (2, 2),
                    call: |s| s.delete(),
                    result: '.',
                    after: 0,
                },
                Row {
                    name: "delete, deleted",
                    before: (0, 0),
                    call: |s| s.delete(),
                    result: 'D',
                    after: 0,
                },
                Row {
                    name: "renew",
                    before: (0, 0),
                    call: |s| s.renew(2, 2),
                    result: '.',
                    after: 2,
                },
                Row {
                    name: "renew, not deleted",
                    before: (1, 2),
                    call: |s| s.renew(2, 2),
                    result: 'S',
                    after: 1,
                },
                Row {
                    name: "renew, above the limit",
                    before: (0, 0),
                    call: |s| s.renew(3, 2),
                    result: 'P',
                    after: 0,
                },
                Row {
                    name: "renew, no limit",
                    before: (0, 0),
                    call: |s| s.renew(0, 0),
                    result: 'P',
                    after: 0,
                },
            ],
        );
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "semaphore: a permit goes to the waiter, not to the count",
        |c| {
            c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
            c.expect_state(0, State::Blocked);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.objects().log.add('m');
            c.expect("permits", c.objects().semaphore.count(), 0);
            c.expect_log(".am");
        },
    );
    tally.case(
        "semaphore: a less urgent waiter has its permit and waits for its turn",
        |c| {
            c.start(0, LOW, || wait::<S>(Timeout::FOREVER, 'a'));
            c.let_others_run();
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_state(0, State::Ready);
            c.expect(
                "nothing left",
                c.objects().semaphore.take(Timeout::NONE),
                Err(Error::WouldBlock),
            );
            c.let_others_run();
            c.expect_log(".a");
        },
    );
    tally.case(
        "semaphore: waiters are served by priority, equals in their order",
        |c| {
            c.start(0, 9, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(Timeout::FOREVER, 'c'));
            c.start(3, 8, || wait::<S>(Timeout::FOREVER, 'd'));
            c.start(4, 7, || wait::<S>(Timeout::FOREVER, 'e'));
            c.start(5, 9, || wait::<S>(Timeout::FOREVER, 'f'));
            for _ in 0..6 {
                c.expect("give", c.objects().semaphore.give(), Ok(()));
            }
            c.expect_log(".b.e.d.a.c.f");
        },
    );
    tally.case(
        "semaphore: one whose time has passed no longer stands in the queue",
        |c| {
            c.start(0, 7, || wait::<S>(UNIT.into(), 'a'));
            c.start(1, 8, || wait::<S>(Timeout::FOREVER, 'b'));
            c.let_others_run();
            c.let_others_run();
            c.expect_log("Ta");
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log(".b");
        },
    );
    tally.case(
        "semaphore: one whose wait is ended no longer stands in the queue",
        |c| {
            c.start(0, 8, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 8, || wait::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 8, || wait::<S>(Timeout::FOREVER, 'c'));
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.expect("end of wait", c.objects().thread(2).cancel_wait(), Ok(()));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("XaXc.b");
            c.expect("permits", c.objects().semaphore.count(), 1);
        },
    );
    tally.case("semaphore: two threads hand a turn to and fro", |c| {
        c.start(0, MAIN, || {
            for _ in 0..3 {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                S::objects().log.add('a');
                let _ = S::objects().other_semaphore.give();
            }
        });
        for _ in 0..3 {
            c.objects().log.add('m');
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect(
                "take",
                c.objects().other_semaphore.take(Timeout::FOREVER),
                Ok(()),
            );
        }
        c.expect_log("mamama");
    });
}

fn deletion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "semaphore: its deletion ends all waits, the most urgent first",
        |c| {
            c.start(0, 8, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(UNIT.into(), 'b'));
            c.start(2, 8, || wait::<S>(Timeout::FOREVER, 'c'));
            c.expect("deletion", c.objects().semaphore.delete(), Ok(()));
            c.objects().log.add('m');
            c.expect_log("DbDaDcm");
            c.let_others_run();
            c.let_others_run();
            c.expect_log("");
        },
    );
}

fn interrupts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "semaphore: given from an interrupt, it wakes after the handler",
        |c| {
            c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
            S::trigger_interrupt(|| {
                let _ = S::objects().log.result(S::objects().semaphore.give());
                S::objects().log.add('i');
            });
            c.objects().log.add('m');
            c.expect_log(".i.am");
        },
    );
    tally.case(
        "semaphore: given thrice from an interrupt, it wakes by priority",
        |c| {
            c.start(0, 9, || wait::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(Timeout::FOREVER, 'b'));
            S::trigger_interrupt(|| {
                for _ in 0..3 {
                    let _ = S::objects().semaphore.give();
                }
            });
            c.expect_log(".b.a");
            c.expect("permits", c.objects().semaphore.count(), 1);
        },
    );
    tally.case(
        "semaphore: a handler takes a permit that is there, and cannot wait",
        |c| {
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            S::trigger_interrupt(|| {
                let _ = S::objects()
                    .log
                    .result(S::objects().semaphore.take(Timeout::NONE));
                let _ = S::objects()
                    .log
                    .result(S::objects().semaphore.take(Timeout::FOREVER));
                let _ = S::objects()
                    .log
                    .result(S::objects().semaphore.take(Timeout::NONE));
            });
            c.expect_log(".CC");
            c.expect("state", AnyThread::<S>::current().state(), State::Executing);
        },
    );
    tally.case(
        "semaphore: deleted from an interrupt, its waiters learn it",
        |c| {
            c.start(0, HIGH, || wait::<S>(Timeout::FOREVER, 'a'));
            S::trigger_interrupt(|| {
                let _ = S::objects().log.result(S::objects().semaphore.delete());
            });
            c.expect_log(".Da");
        },
    );
}
