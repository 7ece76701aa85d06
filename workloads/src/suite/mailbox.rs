//! Owns: the cases of mailboxes.

use super::case::Tally;
use super::{Case, HIGH, LOW, SuiteBoard, UNIT};
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
                o.log.add(char::from_digit(digit, 10).unwrap_or('?'));
            }
        }
        Err(_) => {
            let _ = o.log.result(result);
        }
    }
}

fn send<S: SuiteBoard>(message: u32, to: Partner<S>, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.mailbox.send(&message, to, timeout);
    o.log.add(name);
    let _ = o.log.result(result);
}

fn post<S: SuiteBoard>(message: u32, to: Partner<S>, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.mailbox.post(&message, to, timeout);
    o.log.add(name);
    let _ = o.log.result(result);
}

/// Receives in the main thread: message and sender.
fn got<S: SuiteBoard>(from: Partner<S>) -> Result<(u32, u32), Error> {
    let letter = S::objects().mailbox.receive(from, Timeout::NONE)?;
    Ok((letter.message, sender_of(&letter)))
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    plain(tally);
    synchronous(tally);
    asynchronous(tally);
    partners(tally);
    ends(tally);
}

fn plain<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("mailbox: calls that do not wait", |c| {
        let mailbox = &c.objects().mailbox;
        let any = Partner::Any;
        c.expect(
            "send",
            mailbox.send(&1, any, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "send",
            mailbox.send(&1, any, UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect("receive", got::<S>(any), Err(Error::WouldBlock));
        c.expect(
            "receive",
            mailbox.receive(any, UNIT.into()).err(),
            Some(Error::Timeout),
        );
        for message in 1..=SLOTS as u32 {
            c.expect("post", mailbox.post(&message, any, Timeout::NONE), Ok(()));
        }
        c.expect("length", mailbox.len(), SLOTS);
        c.expect(
            "post",
            mailbox.post(&3, any, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "post",
            mailbox.post(&3, any, UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect("receive", got::<S>(any), Ok((1, 9)));
        c.expect("receive", got::<S>(any), Ok((2, 9)));
        c.expect_true("empty", mailbox.is_empty());
        c.expect("renewal", mailbox.renew(), Err(Error::State));
        c.expect("deletion", mailbox.delete(), Ok(()));
        c.expect("deletion", mailbox.delete(), Err(Error::Deleted));
        c.expect(
            "send",
            mailbox.send(&1, any, Timeout::FOREVER),
            Err(Error::Deleted),
        );
        c.expect(
            "post",
            mailbox.post(&1, any, Timeout::FOREVER),
            Err(Error::Deleted),
        );
        c.expect(
            "receive",
            mailbox.receive(any, Timeout::FOREVER).err(),
            Some(Error::Deleted),
        );
        c.expect("renewal", mailbox.renew(), Ok(()));
        c.expect("length", mailbox.len(), 0);
    });
    tally.case(
        "mailbox: nobody writes to itself, or to one that does not exist",
        |c| {
            let mailbox = &c.objects().mailbox;
            let own = Partner::Only(AnyThread::<S>::current());
            c.expect(
                "send",
                mailbox.send(&1, own, Timeout::FOREVER),
                Err(Error::Deadlock),
            );
            c.expect(
                "receive",
                mailbox.receive(own, Timeout::FOREVER).err(),
                Some(Error::Deadlock),
            );
            c.expect(
                "send",
                mailbox.send(&1, only(0), Timeout::FOREVER),
                Err(Error::Deleted),
            );
            c.expect(
                "receive",
                mailbox.receive(only(0), Timeout::FOREVER).err(),
                Some(Error::Deleted),
            );
        },
    );
}

fn synchronous<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "mailbox: a send is over when a receiver has the message",
        |c| {
            c.start(0, HIGH, || {
                send::<S>(5, Partner::Any, Timeout::FOREVER, 'a')
            });
            c.expect_state(0, State::Blocked);
            c.expect("length", c.objects().mailbox.len(), 0);
            c.expect("receive", got::<S>(Partner::Any), Ok((5, 0)));
            c.expect_log("a.");
        },
    );
    tally.case("mailbox: a receiver that waits gets it at once", |c| {
        c.start(0, HIGH, || {
            receive::<S>(Partner::Any, Timeout::FOREVER, 'a')
        });
        let sent = c.objects().mailbox.send(&4, Partner::Any, Timeout::NONE);
        c.expect("send", sent, Ok(()));
        c.expect_log("a49");
    });
    tally.case(
        "mailbox: receivers get letters by priority, equals in their order",
        |c| {
            c.start(0, 9, || receive::<S>(Partner::Any, Timeout::FOREVER, 'a'));
            c.start(1, 7, || receive::<S>(Partner::Any, Timeout::FOREVER, 'b'));
            c.start(2, 9, || receive::<S>(Partner::Any, Timeout::FOREVER, 'c'));
            for message in 1..=3 {
                let posted = c
                    .objects()
                    .mailbox
                    .post(&message, Partner::Any, Timeout::NONE);
                c.expect("post", posted, Ok(()));
            }
            c.expect_log("b19a29c39");
        },
    );
    tally.case(
        "mailbox: senders are heard by priority, equals in their order",
        |c| {
            c.start(0, 9, || send::<S>(1, Partner::Any, Timeout::FOREVER, 'a'));
            c.start(1, 7, || send::<S>(2, Partner::Any, Timeout::FOREVER, 'b'));
            c.start(2, 9, || send::<S>(3, Partner::Any, Timeout::FOREVER, 'c'));
            for letter in [(2, 1), (1, 0), (3, 2)] {
                c.expect("receive", got::<S>(Partner::Any), Ok(letter));
            }
            c.expect_log("b.a.c.");
        },
    );
}

fn fill<S: SuiteBoard>(c: &mut Case<S>) {
    for message in 1..=SLOTS as u32 {
        let posted = c
            .objects()
            .mailbox
            .post(&message, Partner::Any, Timeout::NONE);
        c.expect("post", posted, Ok(()));
    }
}

fn asynchronous<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("mailbox: a post waits for a slot only", |c| {
        fill(c);
        c.start(0, HIGH, || {
            post::<S>(3, Partner::Any, Timeout::FOREVER, 'a')
        });
        c.expect_state(0, State::Blocked);
        c.expect("receive", got::<S>(Partner::Any), Ok((1, 9)));
        c.expect_log("a.");
        c.expect("length", c.objects().mailbox.len(), SLOTS);
        c.expect("receive", got::<S>(Partner::Any), Ok((2, 9)));
        c.expect("receive", got::<S>(Partner::Any), Ok((3, 0)));
    });
    tally.case(
        "mailbox: letters in slots come before those of threads that post or send",
        |c| {
            fill(c);
            c.start(0, HIGH, || {
                send::<S>(4, Partner::Any, Timeout::FOREVER, 'a')
            });
            c.start(1, HIGH, || {
                post::<S>(3, Partner::Any, Timeout::FOREVER, 'b')
            });
            for letter in [(1, 9), (2, 9), (3, 1), (4, 0)] {
                c.expect("receive", got::<S>(Partner::Any), Ok(letter));
            }
            c.expect_log("b.a.");
        },
    );
    tally.case("mailbox: a handler posts, and does not wait", |c| {
        c.start(0, HIGH, || {
            receive::<S>(Partner::Any, Timeout::FOREVER, 'a')
        });
        S::trigger_interrupt(|| {
            let o = S::objects();
            for message in 1..=4 {
                let _ = o
                    .log
                    .result(o.mailbox.post(&message, Partner::Any, Timeout::NONE));
            }
            let _ = o
                .log
                .result(o.mailbox.send(&5, Partner::Any, Timeout::NONE));
            let _ = o.log.result(o.mailbox.receive(Partner::Any, Timeout::NONE));
        });
        c.expect_log("...CCCa18");
        c.expect("receive", got::<S>(Partner::Any), Ok((2, 8)));
    });
}

fn partners<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "mailbox: a letter for one thread is not given to another",
        |c| {
            c.start(0, 7, || receive::<S>(Partner::Any, Timeout::FOREVER, 'a'));
            c.start(1, 9, || receive::<S>(Partner::Any, Timeout::FOREVER, 'b'));
            let sent = c.objects().mailbox.send(&1, only(1), Timeout::NONE);
            c.expect("send", sent, Ok(()));
            c.expect_log("b19");
            c.expect(
                "post",
                c.objects().mailbox.post(&2, only(1), Timeout::NONE),
                Ok(()),
            );
            c.expect_log("");
            c.expect("length", c.objects().mailbox.len(), 1);
            c.expect("not mine", got::<S>(Partner::Any), Err(Error::WouldBlock));
        },
    );
    tally.case(
        "mailbox: a receiver that names its sender hears no other",
        |c| {
            c.start(1, LOW, || {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
                send::<S>(7, Partner::Any, Timeout::FOREVER, 'b');
            });
            c.start(0, HIGH, || receive::<S>(only(1), Timeout::FOREVER, 'a'));
            let sent = c.objects().mailbox.send(&1, Partner::Any, Timeout::NONE);
            c.expect("not for it", sent, Err(Error::WouldBlock));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.let_others_run();
            c.expect_log("a71b.");
        },
    );
    tally.case(
        "mailbox: of the letters in slots the oldest that suits is taken",
        |c| {
            c.start(0, HIGH, || post::<S>(3, Partner::Any, Timeout::NONE, 'a'));
            let posted = c.objects().mailbox.post(&4, Partner::Any, Timeout::NONE);
            c.expect("post", posted, Ok(()));
            c.start(1, HIGH, || {
                let _ = S::objects().semaphore.take(Timeout::FOREVER);
            });
            c.expect("of another", got::<S>(only(1)), Err(Error::WouldBlock));
            c.expect("of the first helper", got::<S>(only(0)), Ok((3, 0)));
            c.expect("of any", got::<S>(Partner::Any), Ok((4, 9)));
            c.expect_log("a.");
        },
    );
}

fn ends<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("mailbox: waits end by time, request and deletion", |c| {
        c.start(0, HIGH, || receive::<S>(Partner::Any, UNIT.into(), 'a'));
        c.start(1, HIGH, || {
            receive::<S>(Partner::Any, Timeout::FOREVER, 'b')
        });
        c.start(2, HIGH, || {
            receive::<S>(Partner::Any, Timeout::FOREVER, 'c')
        });
        c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect("deletion", c.objects().mailbox.delete(), Ok(()));
        c.expect_log("bXaTcD");
    });
    tally.case("mailbox: waits to send and to post end by deletion", |c| {
        fill(c);
        c.start(0, HIGH, || {
            send::<S>(4, Partner::Any, Timeout::FOREVER, 'a')
        });
        c.start(1, HIGH, || {
            post::<S>(3, Partner::Any, Timeout::FOREVER, 'b')
        });
        c.start(2, HIGH, || send::<S>(4, Partner::Any, UNIT.into(), 'c'));
        c.let_others_run();
        c.let_others_run();
        c.expect("deletion", c.objects().mailbox.delete(), Ok(()));
        c.expect_log("cTbDaD");
    });
    tally.case("mailbox: the letter of a deleted sender is gone", |c| {
        c.start(0, HIGH, || {
            send::<S>(4, Partner::Any, Timeout::FOREVER, 'a')
        });
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        c.expect("receive", got::<S>(Partner::Any), Err(Error::WouldBlock));
    });
}
