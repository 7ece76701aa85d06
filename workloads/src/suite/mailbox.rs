//! Owns: the cases of mailboxes.

use super::case::Tally;
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_result, wait_for_permit};
use taktos_kernel::Partner::Any;
use taktos_kernel::{AnyThread, Error, Letter, Partner, State, Timeout};

/// How many slots the suite's mailbox has.
pub(super) const SLOTS: usize = 2;

fn only<S: SuiteBoard>(index: usize) -> Partner<S> {
    Partner::Only(S::objects().thread(index))
}

/// The number of the helper that sent the letter; 9 for the main thread, 8 for a handler.
fn sender_of<S: SuiteBoard>(letter: &Letter<S, u32>) -> u32 {
    match letter.sender {
        None => 8,
        Some(sender) => (0..super::THREADS)
            .find(|index| core::ptr::eq(sender, &**S::objects().thread(*index)))
            .map_or(9, |index| index as u32),
    }
}

/// Receives; notes the letter, and then message and sender as digits, or the error.
fn receive<S: SuiteBoard>(from: Partner<S>, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.mailbox.receive(from, timeout);
    o.log.add(name);
    match &result {
        Ok(letter) => {
            for digit in [letter.message, sender_of(letter)] {
                o.log.digit(digit);
            }
        }
        Err(_) => {
            log_result::<S>(result);
        }
    }
}

fn send<S: SuiteBoard>(message: u32, to: Partner<S>, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.mailbox.send(&message, to, timeout);
    o.log.add(name);
    log_result::<S>(result);
}

fn post<S: SuiteBoard>(message: u32, to: Partner<S>, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.mailbox.post(&message, to, timeout);
    o.log.add(name);
    log_result::<S>(result);
}

/// Receives in the main thread: message and sender.
fn got<S: SuiteBoard>(from: Partner<S>) -> Result<(u32, u32), Error> {
    let letter = S::objects().mailbox.receive(from, NONE)?;
    Ok((letter.message, sender_of(&letter)))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("mailbox");
    plain(tally);
    synchronous(tally);
    asynchronous(tally);
    partners(tally);
    ends(tally);
}

fn plain<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("calls that do not wait", |c| {
        let mailbox = &c.objects().mailbox;
        c.expect_error("send", mailbox.send(&1, Any, NONE), Error::WouldBlock);
        c.expect_error("send", mailbox.send(&1, Any, UNIT.into()), Error::Timeout);
        c.expect_error("receive", got::<S>(Any), Error::WouldBlock);
        c.expect_error("receive", mailbox.receive(Any, UNIT.into()), Error::Timeout);
        for message in 1..=SLOTS as u32 {
            c.ok("post", mailbox.post(&message, Any, NONE));
        }
        c.expect("length", mailbox.len(), SLOTS);
        c.expect_error("post", mailbox.post(&3, Any, NONE), Error::WouldBlock);
        c.expect_error("post", mailbox.post(&3, Any, UNIT.into()), Error::Timeout);
        c.expect("receive", got::<S>(Any), Ok((1, 9)));
        c.expect("receive", got::<S>(Any), Ok((2, 9)));
        c.expect_true("empty", mailbox.is_empty());
        c.expect_error("renewal", mailbox.renew(), Error::State);
        c.ok("deletion", mailbox.delete());
        c.expect_error("deletion", mailbox.delete(), Error::Deleted);
        c.expect_error("send", mailbox.send(&1, Any, FOREVER), Error::Deleted);
        c.expect_error("post", mailbox.post(&1, Any, FOREVER), Error::Deleted);
        c.expect_error("receive", mailbox.receive(Any, FOREVER), Error::Deleted);
        c.ok("renewal", mailbox.renew());
        c.expect("length", mailbox.len(), 0);
    });
    tally.case(
        "nobody writes to itself, or to one that does not exist",
        |c| {
            let mailbox = &c.objects().mailbox;
            let own = Partner::Only(AnyThread::<S>::current());
            c.expect_error("send", mailbox.send(&1, own, FOREVER), Error::Deadlock);
            c.expect_error("receive", mailbox.receive(own, FOREVER), Error::Deadlock);
            c.expect_error("send", mailbox.send(&1, only(0), FOREVER), Error::Deleted);
            c.expect_error("receive", mailbox.receive(only(0), FOREVER), Error::Deleted);
        },
    );
}

fn synchronous<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a send is over when a receiver has the message", |c| {
        c.start(0, HIGH, || send::<S>(5, Any, FOREVER, 'a'));
        c.expect_state(0, State::Blocked);
        c.expect("length", c.objects().mailbox.len(), 0);
        c.expect("receive", got::<S>(Any), Ok((5, 0)));
        c.expect_log("a.");
    });
    tally.case("a receiver that waits gets it at once", |c| {
        c.start(0, HIGH, || receive::<S>(Any, FOREVER, 'a'));
        let sent = c.objects().mailbox.send(&4, Any, NONE);
        c.ok("send", sent);
        c.expect_log("a49");
    });
    tally.case(
        "receivers get letters by priority, equals in their order",
        |c| {
            c.start(0, 9, || receive::<S>(Any, FOREVER, 'a'));
            c.start(1, 7, || receive::<S>(Any, FOREVER, 'b'));
            c.start(2, 9, || receive::<S>(Any, FOREVER, 'c'));
            for message in 1..=3 {
                let posted = c.objects().mailbox.post(&message, Any, NONE);
                c.ok("post", posted);
            }
            c.expect_log("b19a29c39");
        },
    );
    tally.case(
        "senders are heard by priority, equals in their order",
        |c| {
            c.start(0, 9, || send::<S>(1, Any, FOREVER, 'a'));
            c.start(1, 7, || send::<S>(2, Any, FOREVER, 'b'));
            c.start(2, 9, || send::<S>(3, Any, FOREVER, 'c'));
            for letter in [(2, 1), (1, 0), (3, 2)] {
                c.expect("receive", got::<S>(Any), Ok(letter));
            }
            c.expect_log("b.a.c.");
        },
    );
}

fn fill<S: SuiteBoard>(c: &mut Case<S>) {
    for message in 1..=SLOTS as u32 {
        let posted = c.objects().mailbox.post(&message, Any, NONE);
        c.ok("post", posted);
    }
}

fn asynchronous<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a post waits for a slot only", |c| {
        fill(c);
        c.start(0, HIGH, || post::<S>(3, Any, FOREVER, 'a'));
        c.expect_state(0, State::Blocked);
        c.expect("receive", got::<S>(Any), Ok((1, 9)));
        c.expect_log("a.");
        c.expect("length", c.objects().mailbox.len(), SLOTS);
        c.expect("receive", got::<S>(Any), Ok((2, 9)));
        c.expect("receive", got::<S>(Any), Ok((3, 0)));
    });
    tally.case(
        "letters in slots come before those of threads that post or send",
        |c| {
            fill(c);
            c.start(0, HIGH, || send::<S>(4, Any, FOREVER, 'a'));
            c.start(1, HIGH, || post::<S>(3, Any, FOREVER, 'b'));
            for letter in [(1, 9), (2, 9), (3, 1), (4, 0)] {
                c.expect("receive", got::<S>(Any), Ok(letter));
            }
            c.expect_log("b.a.");
        },
    );
    tally.case("a handler posts, and does not wait", |c| {
        c.start(0, HIGH, || receive::<S>(Any, FOREVER, 'a'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            for message in 1..=4 {
                log_result::<S>(o.mailbox.post(&message, Any, NONE));
            }
            log_result::<S>(o.mailbox.send(&5, Any, NONE));
            log_result::<S>(o.mailbox.receive(Any, NONE));
        });
        c.expect_log("...CCCa18");
        c.expect("receive", got::<S>(Any), Ok((2, 8)));
    });
}

fn partners<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a letter for one thread is not given to another", |c| {
        c.start(0, 7, || receive::<S>(Any, FOREVER, 'a'));
        c.start(1, 9, || receive::<S>(Any, FOREVER, 'b'));
        let sent = c.objects().mailbox.send(&1, only(1), NONE);
        c.ok("send", sent);
        c.expect_log("b19");
        c.ok("post", c.objects().mailbox.post(&2, only(1), NONE));
        c.expect_log("");
        c.expect("length", c.objects().mailbox.len(), 1);
        c.expect_error("not mine", got::<S>(Any), Error::WouldBlock);
    });
    tally.case("a receiver that names its sender hears no other", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send::<S>(7, Any, FOREVER, 'b');
        });
        c.start(0, HIGH, || receive::<S>(only(1), FOREVER, 'a'));
        let sent = c.objects().mailbox.send(&1, Any, NONE);
        c.expect_error("not for it", sent, Error::WouldBlock);
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("a71b.");
    });
    tally.case(
        "of the letters in slots the oldest that suits is taken",
        |c| {
            c.start(0, HIGH, || post::<S>(3, Any, NONE, 'a'));
            let posted = c.objects().mailbox.post(&4, Any, NONE);
            c.ok("post", posted);
            c.start(1, HIGH, wait_for_permit::<S>);
            c.expect_error("of another", got::<S>(only(1)), Error::WouldBlock);
            c.expect("of the first helper", got::<S>(only(0)), Ok((3, 0)));
            c.expect("of any", got::<S>(Any), Ok((4, 9)));
            c.expect_log("a.");
        },
    );
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("waits end by time, request and deletion", |c| {
        c.start(0, HIGH, || receive::<S>(Any, UNIT.into(), 'a'));
        c.start(1, HIGH, || receive::<S>(Any, FOREVER, 'b'));
        c.start(2, HIGH, || receive::<S>(Any, FOREVER, 'c'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().mailbox.delete());
        c.expect_log("bXaTcD");
    });
    tally.case("waits to send and to post end by deletion", |c| {
        fill(c);
        c.start(0, HIGH, || send::<S>(4, Any, FOREVER, 'a'));
        c.start(1, HIGH, || post::<S>(3, Any, FOREVER, 'b'));
        c.start(2, HIGH, || send::<S>(4, Any, UNIT.into(), 'c'));
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().mailbox.delete());
        c.expect_log("cTbDaD");
    });
    tally.case("the letter of a deleted sender is gone", |c| {
        c.start(0, HIGH, || send::<S>(4, Any, FOREVER, 'a'));
        c.ok("deletion", c.thread(0).delete());
        c.expect_error("receive", got::<S>(Any), Error::WouldBlock);
    });
}
