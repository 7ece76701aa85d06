//! Owns: the cases of semaphores.

use super::case::Tally;
use super::log::letter;
use super::objects::renew_semaphore;
use super::{FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_result, wait_for_permit};
use taktos_kernel::{AnyThread, Error, Semaphore, State, Timeout};

/// Name, state before, call, result, state after; no thread waits. A limit of 0 means a deleted
/// one.
struct Row<S: SuiteBoard>(&'static str, (u32, u32), Call<S>, char, u32);

type Call<S> = fn(&'static Semaphore<S>) -> Result<(), Error>;

fn check<S: SuiteBoard>(c: &mut super::Case<S>, rows: &[Row<S>]) {
    let semaphore = &S::objects().semaphore;
    for Row(name, (count, limit), call, result, after) in rows {
        renew_semaphore(semaphore, *count, (*limit).max(1));
        if *limit == 0 {
            c.ok(name, semaphore.delete());
        }
        c.expect(name, letter(&call(semaphore)), *result);
        c.expect(name, semaphore.count(), *after);
    }
}

fn wait<S: SuiteBoard>(timeout: Timeout, letter: char) {
    log_result::<S>(S::objects().semaphore.take(timeout));
    S::objects().log.add(letter);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("semaphore");
    tables(tally);
    waits(tally);
    deletion(tally);
    interrupts(tally);
}

fn tables<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("calls that do not wait", |c| {
        const ALL: u32 = u32::MAX;
        let give: Call<S> = |s| s.give();
        let [take, try_take, wait]: [Call<S>; 3] = [
            |s| s.take(FOREVER),
            |s| s.take(NONE),
            |s| s.take(UNIT.into()),
        ];
        let delete: Call<S> = |s| s.delete();
        check(
            c,
            &[
                Row("give, from none", (0, ALL), give, '.', 1),
                Row("give, up to the limit", (2, 3), give, '.', 3),
                Row("give, at the limit", (3, 3), give, 'L', 3),
                Row("give, binary", (0, 1), give, '.', 1),
                Row("give, binary and given", (1, 1), give, 'L', 1),
                Row("give, at the counter's end", (ALL, ALL), give, 'L', ALL),
                Row("give, deleted", (0, 0), give, 'D', 0),
                Row("take, one of one", (1, ALL), try_take, '.', 0),
                Row("take, one of many", (ALL, ALL), take, '.', ALL - 1),
                Row("take, none, no wait", (0, 1), try_take, 'W', 0),
                Row("take, none, some time", (0, 1), wait, 'T', 0),
                Row("take, deleted", (0, 0), take, 'D', 0),
                Row("take, deleted, no wait", (0, 0), try_take, 'D', 0),
                Row("delete", (2, 2), delete, '.', 0),
                Row("delete, deleted", (0, 0), delete, 'D', 0),
                Row("renew", (0, 0), |s| s.renew(2, 2), '.', 2),
                Row("renew, not deleted", (1, 2), |s| s.renew(2, 2), 'S', 1),
                Row("renew, above the limit", (0, 0), |s| s.renew(3, 2), 'P', 0),
                Row("renew, no limit", (0, 0), |s| s.renew(0, 0), 'P', 0),
            ],
        );
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a permit goes to the waiter, not to the count", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        c.expect_state(0, State::Blocked);
        c.ok("give", c.objects().semaphore.give());
        c.objects().log.add('m');
        c.expect("permits", c.objects().semaphore.count(), 0);
        c.expect_log(".am");
    });
    tally.case(
        "a less urgent waiter has its permit and waits for its turn",
        |c| {
            c.start(0, LOW, || wait::<S>(FOREVER, 'a'));
            c.let_others_run();
            c.ok("give", c.objects().semaphore.give());
            c.expect_state(0, State::Ready);
            c.expect_error(
                "nothing left",
                c.objects().semaphore.take(NONE),
                Error::WouldBlock,
            );
            c.let_others_run();
            c.expect_log(".a");
        },
    );
    tally.case(
        "waiters are served by priority, equals in their order",
        |c| {
            c.start(0, 9, || wait::<S>(FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(FOREVER, 'b'));
            c.start(2, 9, || wait::<S>(FOREVER, 'c'));
            c.start(3, 8, || wait::<S>(FOREVER, 'd'));
            c.start(4, 7, || wait::<S>(FOREVER, 'e'));
            c.start(5, 9, || wait::<S>(FOREVER, 'f'));
            for _ in 0..6 {
                c.ok("give", c.objects().semaphore.give());
            }
            c.expect_log(".b.e.d.a.c.f");
        },
    );
    tally.case(
        "one whose time has passed no longer stands in the queue",
        |c| {
            c.start(0, 7, || wait::<S>(UNIT.into(), 'a'));
            c.start(1, 8, || wait::<S>(FOREVER, 'b'));
            c.let_time_outs_pass();
            c.expect_log("Ta");
            c.ok("give", c.objects().semaphore.give());
            c.expect_log(".b");
        },
    );
    tally.case(
        "one whose wait is ended no longer stands in the queue",
        |c| {
            c.start(0, 8, || wait::<S>(FOREVER, 'a'));
            c.start(1, 8, || wait::<S>(FOREVER, 'b'));
            c.start(2, 8, || wait::<S>(FOREVER, 'c'));
            c.ok("end of wait", c.thread(0).cancel_wait());
            c.ok("end of wait", c.thread(2).cancel_wait());
            c.ok("give", c.objects().semaphore.give());
            c.ok("give", c.objects().semaphore.give());
            c.expect_log("XaXc.b");
            c.expect("permits", c.objects().semaphore.count(), 1);
        },
    );
    tally.case("two threads hand a turn to and fro", |c| {
        c.start(0, MAIN, || {
            for _ in 0..3 {
                wait_for_permit::<S>();
                S::objects().log.add('a');
                let _ = S::objects().other_semaphore.give();
            }
        });
        for _ in 0..3 {
            c.objects().log.add('m');
            c.ok("give", c.objects().semaphore.give());
            c.ok("take", c.objects().other_semaphore.take(FOREVER));
        }
        c.expect_log("mamama");
    });
}

fn deletion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("its deletion ends all waits, the most urgent first", |c| {
        c.start(0, 8, || wait::<S>(FOREVER, 'a'));
        c.start(1, 7, || wait::<S>(UNIT.into(), 'b'));
        c.start(2, 8, || wait::<S>(FOREVER, 'c'));
        c.ok("deletion", c.objects().semaphore.delete());
        c.objects().log.add('m');
        c.expect_log("DbDaDcm");
        c.let_time_outs_pass();
        c.expect_log("");
    });
}

fn interrupts<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("given from an interrupt, it wakes after the handler", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        S::trigger_interrupt(|| {
            log_result::<S>(S::objects().semaphore.give());
            S::objects().log.add('i');
        });
        c.objects().log.add('m');
        c.expect_log(".i.am");
    });
    tally.case(
        "given thrice from an interrupt, it wakes by priority",
        |c| {
            c.start(0, 9, || wait::<S>(FOREVER, 'a'));
            c.start(1, 7, || wait::<S>(FOREVER, 'b'));
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
        "a handler takes a permit that is there, and cannot wait",
        |c| {
            c.ok("give", c.objects().semaphore.give());
            S::trigger_interrupt(|| {
                log_result::<S>(S::objects().semaphore.take(NONE));
                log_result::<S>(S::objects().semaphore.take(FOREVER));
                log_result::<S>(S::objects().semaphore.take(NONE));
            });
            c.expect_log(".CC");
            c.expect("state", AnyThread::<S>::current().state(), State::Executing);
        },
    );
    tally.case("deleted from an interrupt, its waiters learn it", |c| {
        c.start(0, HIGH, || wait::<S>(FOREVER, 'a'));
        S::trigger_interrupt(|| {
            log_result::<S>(S::objects().semaphore.delete());
        });
        c.expect_log(".Da");
    });
}
