//! Owns: the cases of deferred work.

use super::case::{Case, Tally};
use super::{HIGH, LOW, SuiteBoard, log_error};
use taktos_kernel::{AnyThread, Error, State, Work};

/// The work `index`; that of 2 adds its word to the log and defers itself with the next smaller
/// one, down to 'a'.
fn work<S: SuiteBoard>(index: usize) -> &'static Work<S> {
    &S::objects().dependents().works[index]
}

/// Makes the helper 0 do the work.
fn serve<S: SuiteBoard>(c: &mut Case<S>, level: u8) {
    c.start(0, level, || {
        let error = S::objects().work.serve();
        log_error::<S>(error);
    });
}

fn defer<S: SuiteBoard>(c: &mut Case<S>, index: usize, letter: u8, is_new: bool) {
    let deferred = work::<S>(index).defer(letter.into());
    c.expect("deferred", deferred, Ok(is_new));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("work");
    tally.case("done in its order, with the priority of who does it", |c| {
        serve(c, LOW);
        c.let_others_run();
        c.expect_true("empty", c.objects().work.is_empty());
        defer(c, 0, b'x', true);
        defer(c, 1, b'y', true);
        defer(c, 3, b'z', true);
        c.expect_true("empty", !c.objects().work.is_empty());
        c.expect_log("");
        c.let_others_run();
        c.expect_log("xyz");
        c.expect_true("empty", c.objects().work.is_empty());
        c.expect("again", work::<S>(0).defer(b'w'.into()), Ok(true));
        c.let_others_run();
        c.expect_log("w");
    });
    tally.case("an urgent thread does it at once", |c| {
        serve(c, HIGH);
        defer(c, 0, b'x', true);
        c.expect_log("x");
        defer(c, 0, b'y', true);
        c.expect_log("y");
    });
    tally.case(
        "deferred twice it is done once, in its place, with the later word",
        |c| {
            serve(c, LOW);
            defer(c, 0, b'x', true);
            defer(c, 1, b'y', true);
            defer(c, 0, b'z', false);
            c.expect_true("waits", work::<S>(0).is_waiting());
            c.let_others_run();
            c.expect_log("zy");
            c.expect_true("waits", !work::<S>(0).is_waiting());
        },
    );
    tally.case("what defers itself is done again, behind the others", |c| {
        serve(c, LOW);
        defer(c, 2, b'c', true);
        defer(c, 0, b'x', true);
        c.let_others_run();
        c.expect_log("cxba");
    });
    tally.case("taken back, wherever it waits", |c| {
        serve(c, LOW);
        for taken in [0, 1, 3] {
            for (index, letter) in [(0, b'x'), (1, b'y'), (3, b'z')] {
                defer(c, index, letter, true);
            }
            c.expect_true("waited", work::<S>(taken).cancel());
            c.expect_true("waits", !work::<S>(taken).is_waiting());
            c.expect_true("waited", !work::<S>(taken).cancel());
            defer(c, 2, b'a', true);
            c.let_others_run();
            c.expect_log(["yza", "xza", "", "xya"][taken]);
        }
        defer(c, 0, b'x', true);
        c.expect_true("waited", work::<S>(0).cancel());
        c.expect_true("empty", c.objects().work.is_empty());
        c.let_others_run();
        c.expect_log("");
    });
    tally.case(
        "an interrupt handler defers, and a thread does it behind the handler",
        |c| {
            serve(c, HIGH);
            S::trigger_interrupt(|| {
                let log = &S::objects().log;
                let _ = work::<S>(0).defer(b'x'.into());
                let _ = work::<S>(0).defer(b'y'.into());
                let _ = work::<S>(1).defer(b'z'.into());
                log_error::<S>(S::objects().work.serve());
                log.add('h');
            });
            c.expect_log("Chyz");
        },
    );
    tally.case("of a deleted queue", |c| {
        serve(c, HIGH);
        c.ok("deletion", c.objects().work.delete());
        c.expect_log("D");
        c.expect_state(0, State::Dormant);
        c.expect_error("deletion", c.objects().work.delete(), Error::Deleted);
        c.expect_error("deferred", work::<S>(0).defer(0), Error::Deleted);
        c.expect_true("empty", c.objects().work.is_empty());
        c.ok("renewal", c.objects().work.renew());
        c.expect_error("renewal", c.objects().work.renew(), Error::State);
        defer(c, 0, b'x', true);
        c.expect_error("stop", AnyThread::<S>::current().resume(), Error::State);
        c.start_again(0, || {
            S::objects().work.serve();
        });
        c.expect_log("x");
    });
}
