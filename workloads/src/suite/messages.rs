//! Owns: the cases of messages from thread to thread, among them the three scenarios of "Fixed Time
//! Synchronous IPC in Zephyr Kernel".

use super::case::Tally;
use super::log::letter;
use super::{Case, HIGH, LOW, MAIN, SuiteBoard, UNIT};
use taktos_kernel::{
    AnyThread, Duration, Error, Kernel, LONGEST_MESSAGE, Message, Received, Rule, State, Timeout,
};

fn digit<S: SuiteBoard>(number: usize) {
    let digit = u32::try_from(number)
        .ok()
        .and_then(|number| char::from_digit(number, 10));
    S::objects().log.add(digit.unwrap_or('?'));
}

/// Notes the letter and the first word of the message, or the error.
fn note<S: SuiteBoard>(name: char, result: Result<Message, Error>) {
    S::objects().log.add(name);
    match result {
        Ok(message) => digit::<S>(message.0[0]),
        Err(_) => S::objects().log.add(letter(&result)),
    }
}

fn send<S: SuiteBoard>(to: usize, word: usize, timeout: Timeout, name: char) {
    let result = S::objects().thread(to).send(Message::word(word), timeout);
    S::objects().log.add(name);
    S::objects().log.add(letter(&result));
}

fn receive_from<S: SuiteBoard>(from: usize, timeout: Timeout, name: char) {
    note::<S>(name, S::objects().thread(from).receive_from(timeout));
}

/// Receives from anyone; notes the letter, the word, and a q if a reply is wanted.
fn receive<S: SuiteBoard>(timeout: Timeout, name: char) -> Option<Received<S>> {
    let received = AnyThread::<S>::receive(timeout);
    let text = match &received {
        Ok(received) => Ok(received.message),
        Err(error) => Err(*error),
    };
    note::<S>(name, text);
    let received = received.ok()?;
    if received.wants_reply {
        S::objects().log.add('q');
    }
    Some(received)
}

/// Receives from anyone, and does not reply.
fn hear<S: SuiteBoard>(timeout: Timeout, name: char) {
    let _ = receive::<S>(timeout, name);
}

fn call<S: SuiteBoard>(to: usize, word: usize, timeout: Timeout, name: char) {
    note::<S>(
        name,
        S::objects().thread(to).call(Message::word(word), timeout),
    );
}

/// Receives one call and answers with the word plus one.
fn serve<S: SuiteBoard>(name: char) {
    if let Some(received) = receive::<S>(Timeout::FOREVER, name) {
        let answer = Message::word(received.message.0[0] + 1);
        let _ = S::objects().log.result(received.sender.reply(answer));
    }
}

fn wait_for_permit<S: SuiteBoard>() {
    let _ = S::objects().semaphore.take(Timeout::FOREVER);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    scenarios(tally);
    rules(tally);
    errors(tally);
    any(tally);
    calls(tally);
    inheritance(tally);
    failures(tally);
    rings(tally);
    bytes(tally);
}

/// The paper's three scenarios; all threads have one priority.
fn scenarios<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "messages: the receiver waits first: it goes on before all others",
        |c| {
            c.start(0, LOW, || receive_from::<S>(1, Timeout::FOREVER, 'r'));
            c.start(1, LOW, || send::<S>(0, 5, Timeout::FOREVER, 's'));
            c.start(2, LOW, || S::objects().log.add('c'));
            c.start(3, LOW, || S::objects().log.add('d'));
            c.let_others_run();
            c.expect_log("r5cds.");
        },
    );
    tally.case(
        "messages: the sender waits first: the receiver just goes on",
        |c| {
            c.start(1, LOW, || send::<S>(0, 5, Timeout::FOREVER, 's'));
            c.start(0, LOW, || receive_from::<S>(1, Timeout::FOREVER, 'r'));
            c.start(2, LOW, || S::objects().log.add('c'));
            c.start(3, LOW, || S::objects().log.add('d'));
            c.let_others_run();
            c.expect_log("r5cds.");
        },
    );
    tally.case(
        "messages: the turns and the order of the others stay the same",
        |c| {
            fn turns<S: SuiteBoard>(name: char) {
                for _ in 0..3 {
                    S::objects().log.add(name);
                    AnyThread::<S>::yield_now();
                }
            }
            c.start(0, LOW, || {
                for _ in 0..3 {
                    let _ = S::objects().thread(1).receive_from(Timeout::FOREVER);
                    S::objects().log.add('r');
                }
            });
            c.start(1, LOW, || {
                for _ in 0..3 {
                    let _ = S::objects()
                        .thread(0)
                        .send(Message::word(1), Timeout::FOREVER);
                    S::objects().log.add('s');
                }
            });
            c.start(2, LOW, || turns::<S>('c'));
            c.start(3, LOW, || turns::<S>('d'));
            c.start(4, LOW, || turns::<S>('e'));
            c.let_others_run();
            c.expect_log("rcdesrcdesrcdes");
        },
    );
}

fn rules<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn send_to_waiting<S: SuiteBoard>(c: &mut Case<S>) {
        let main = AnyThread::<S>::current();
        c.expect(
            "send",
            c.objects().thread(0).send(Message([3, 4]), Timeout::NONE),
            Ok(()),
        );
        c.objects().log.add('m');
        c.expect("state", main.state(), State::Executing);
    }
    tally.case("messages: a more urgent receiver runs at once", |c| {
        c.start(0, HIGH, || hear::<S>(Timeout::FOREVER, 'r'));
        send_to_waiting(c);
        c.expect_log("r3m");
    });
    tally.case(
        "messages: by the sound rule a less urgent receiver waits for its turn",
        |c| {
            c.start(0, LOW, || hear::<S>(Timeout::FOREVER, 'r'));
            c.let_others_run();
            send_to_waiting(c);
            c.expect_state(0, State::Ready);
            c.let_others_run();
            c.expect_log("mr3");
        },
    );
    tally.case(
        "messages: by the paper's rule it runs at once, in the sender's turn",
        |c| {
            c.start(0, LOW, || {
                hear::<S>(Timeout::FOREVER, 'r');
                hear::<S>(Timeout::FOREVER, 'r');
            });
            c.start(1, MAIN + 1, || S::objects().log.add('b'));
            c.let_others_run();
            Kernel::<S>::set_send_rule(Rule::Always);
            send_to_waiting(c);
            c.expect_state(0, State::Blocked);
            Kernel::<S>::set_send_rule(Rule::Sound);
            send_to_waiting(c);
            c.expect_priority(0, LOW);
            c.let_others_run();
            c.expect_log("br3mmr3");
        },
    );
    tally.case(
        "messages: a lent turn ends where the receiver waits: in a queue its own priority counts",
        |c| {
            c.start(0, LOW, || {
                hear::<S>(Timeout::FOREVER, 'r');
                wait_for_permit::<S>();
                S::objects().log.add('l');
            });
            c.let_others_run();
            Kernel::<S>::set_send_rule(Rule::Always);
            send_to_waiting(c);
            Kernel::<S>::set_send_rule(Rule::Sound);
            c.expect_priority(0, LOW);
            c.start(1, MAIN + 1, || {
                wait_for_permit::<S>();
                S::objects().log.add('h');
            });
            c.let_others_run();
            for log in ["r3m", "h", "l"] {
                c.expect_log(log);
                c.expect("give", c.objects().semaphore.give(), Ok(()));
                c.let_others_run();
            }
        },
    );
    tally.case(
        "messages: an equal's turn is taken, and given back by its next wait",
        |c| {
            c.start(0, MAIN, || {
                hear::<S>(Timeout::FOREVER, 'r');
                hear::<S>(Timeout::FOREVER, 'r');
            });
            AnyThread::<S>::yield_now();
            send_to_waiting(c);
            c.expect_log("r3m");
        },
    );
}

fn errors<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "messages: to one that does not exist, or does not run",
        |c| {
            let thread = c.objects().thread(0);
            let message = Message::word(1);
            for _ in 0..2 {
                c.expect(
                    "send",
                    thread.send(message, Timeout::FOREVER),
                    Err(Error::Deleted),
                );
                c.expect(
                    "call",
                    thread.call(message, Timeout::FOREVER),
                    Err(Error::Deleted),
                );
                c.expect(
                    "receive",
                    thread.receive_from(Timeout::FOREVER),
                    Err(Error::Deleted),
                );
                c.expect("reply", thread.reply(message), Err(Error::State));
                let refused = thread.reply_and_receive(message, Timeout::FOREVER);
                c.expect("reply and receive", refused.err(), Some(Error::State));
                // The second time it exists and is dormant.
                let _ = thread.create();
            }
        },
    );
    tally.case("messages: to one that does not wait for one", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        let thread = c.objects().thread(0);
        let message = Message::word(1);
        c.expect(
            "send",
            thread.send(message, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "send",
            thread.send(message, UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect(
            "call",
            thread.call(message, Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "call",
            thread.call(message, UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect(
            "receive",
            thread.receive_from(Timeout::NONE),
            Err(Error::WouldBlock),
        );
        c.expect(
            "receive",
            thread.receive_from(UNIT.into()),
            Err(Error::Timeout),
        );
        c.expect("reply", thread.reply(message), Err(Error::State));
        let none = AnyThread::<S>::receive(Timeout::NONE).err();
        c.expect("receive any", none, Some(Error::WouldBlock));
        let late = AnyThread::<S>::receive(UNIT.into()).err();
        c.expect("receive any", late, Some(Error::Timeout));
        c.expect_priority(0, HIGH);
    });
    tally.case("messages: to oneself", |c| {
        let main = AnyThread::<S>::current();
        c.expect(
            "send",
            main.send(Message::word(1), Timeout::FOREVER),
            Err(Error::Deadlock),
        );
        c.expect(
            "call",
            main.call(Message::word(1), Timeout::FOREVER),
            Err(Error::Deadlock),
        );
        c.expect("reply", main.reply(Message::word(1)), Err(Error::State));
    });
    tally.case("messages: in a handler", |c| {
        c.start(0, HIGH, || hear::<S>(Timeout::FOREVER, 'r'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            let message = Message::word(1);
            let _ = o.log.result(o.thread(0).send(message, Timeout::NONE));
            let _ = o.log.result(o.thread(0).call(message, Timeout::FOREVER));
            let _ = o.log.result(o.thread(0).reply(message));
            let _ = o.log.result(o.thread(0).receive_from(Timeout::FOREVER));
            let _ = o.log.result(AnyThread::<S>::receive(Timeout::FOREVER));
        });
        c.expect_log("CCCCC");
        c.expect_state(0, State::Blocked);
    });
    tally.case(
        "messages: an error that one was told does not come back with the next send",
        |c| {
            c.start(0, MAIN, || {
                let _ = S::objects()
                    .log
                    .result(AnyThread::<S>::receive(UNIT.into()));
                send::<S>(1, 4, Timeout::FOREVER, 's');
            });
            c.start(1, MAIN, || receive_from::<S>(0, Timeout::FOREVER, 'r'));
            c.let_others_run();
            c.let_others_run();
            c.expect_log("Tr4s.");
        },
    );
}

fn any<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "messages: from any, the most urgent sender is heard first",
        |c| {
            c.start(0, HIGH, || {
                wait_for_permit::<S>();
                for _ in 0..3 {
                    hear::<S>(Timeout::FOREVER, 'r');
                }
            });
            c.start(1, 9, || send::<S>(0, 1, Timeout::FOREVER, 'a'));
            c.start(2, 7, || send::<S>(0, 2, Timeout::FOREVER, 'b'));
            c.start(3, 9, || call::<S>(0, 3, Timeout::FOREVER, 'c'));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            // The first sender has a priority above the receiver's own, the others wait for their turn.
            c.expect_log("b.r2r1r3qa.cD");
        },
    );
    tally.case(
        "messages: the receiver learns who sent, and both words",
        |c| {
            c.start(0, HIGH, || {
                let _ = AnyThread::<S>::receive(Timeout::FOREVER).map(|received| {
                    let from_second = core::ptr::eq(received.sender, &**S::objects().thread(1));
                    S::objects().set_number(from_second.into());
                    received.message.0.into_iter().for_each(digit::<S>);
                });
            });
            c.start(1, HIGH, || {
                let _ = S::objects().thread(0).send(Message([6, 7]), Timeout::NONE);
            });
            c.expect("sender", c.objects().number(), 1);
            c.expect_log("67");
        },
    );
    tally.case(
        "messages: a wait for one sender ends only by that one",
        |c| {
            c.start(1, LOW, || {
                wait_for_permit::<S>();
                send::<S>(0, 8, Timeout::FOREVER, 'b');
            });
            c.start(0, HIGH, || receive_from::<S>(1, Timeout::FOREVER, 'r'));
            let refused = c.objects().thread(0).send(Message::word(1), Timeout::NONE);
            c.expect("send", refused, Err(Error::WouldBlock));
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.let_others_run();
            c.expect_log("r8b.");
        },
    );
}

fn calls<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("messages: a call to a server that waits", |c| {
        c.start(0, HIGH, || serve::<S>('r'));
        let answer = c
            .objects()
            .thread(0)
            .call(Message::word(4), Timeout::FOREVER);
        c.expect("answer", answer, Ok(Message::word(5)));
        c.expect_log("r4q.");
    });
    tally.case(
        "messages: a call to a less urgent server runs in the caller's turn",
        |c| {
            c.start(0, LOW, || serve::<S>('r'));
            c.let_others_run();
            c.start(1, MAIN, || S::objects().log.add('e'));
            c.start(2, MAIN + 1, || S::objects().log.add('l'));
            let answer = c
                .objects()
                .thread(0)
                .call(Message([4, 9]), Timeout::FOREVER);
            c.objects().log.add('m');
            c.expect("answer", answer, Ok(Message::word(5)));
            c.expect_priority(0, LOW);
            AnyThread::<S>::yield_now();
            c.expect_log("r4qme");
        },
    );
    tally.case("messages: a call to a server that comes later", |c| {
        c.start(1, HIGH, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        // It has not been started yet.
        c.start(0, LOW, || serve::<S>('r'));
        c.start(2, HIGH, || call::<S>(0, 2, Timeout::FOREVER, 'd'));
        c.let_others_run();
        c.expect_log("cDr2qd3.");
    });
    tally.case(
        "messages: a server's loop answers and receives in one call",
        |c| {
            c.start(0, LOW, || {
                let mut received = receive::<S>(Timeout::FOREVER, 'r');
                while let Some(request) = received {
                    let answer = Message::word(request.message.0[0] + 1);
                    received = request
                        .sender
                        .reply_and_receive(answer, Timeout::FOREVER)
                        .ok();
                }
                S::objects().log.add('e');
            });
            c.let_others_run();
            for word in 0..5 {
                let answer = c
                    .objects()
                    .thread(0)
                    .call(Message::word(word), Timeout::FOREVER);
                c.expect("answer", answer, Ok(Message::word(word + 1)));
            }
            c.expect_state(0, State::Blocked);
            c.expect("end of wait", c.objects().thread(0).cancel_wait(), Ok(()));
            c.let_others_run();
            c.expect_log("r0qe");
        },
    );
    tally.case(
        "messages: a reply that is not waited for is refused, and nothing received",
        |c| {
            c.start(0, HIGH, || {
                let caller = S::objects().thread(1);
                let _ = S::objects().log.result(caller.reply(Message::word(1)));
                let result = caller.reply_and_receive(Message::word(1), Timeout::FOREVER);
                let _ = S::objects().log.result(result);
            });
            c.expect_log("SS");
        },
    );
    tally.case(
        "messages: a reply that wakes, and no message: both are told",
        |c| {
            c.start(0, LOW, || {
                if let Some(request) = receive::<S>(Timeout::FOREVER, 'r') {
                    let result = request
                        .sender
                        .reply_and_receive(Message::word(7), Timeout::NONE);
                    let _ = S::objects().log.result(result);
                }
            });
            c.let_others_run();
            let answer = c
                .objects()
                .thread(0)
                .call(Message::word(1), Timeout::FOREVER);
            c.objects().log.add('m');
            c.expect("answer", answer, Ok(Message::word(7)));
            c.let_others_run();
            c.expect_log("r1qmW");
        },
    );
}

fn inheritance<S: SuiteBoard>(tally: &mut Tally<S>) {
    /// Receives when a permit comes, replies when another one does.
    fn slow_server<S: SuiteBoard>() {
        wait_for_permit::<S>();
        let request = receive::<S>(Timeout::FOREVER, 'r');
        wait_for_permit::<S>();
        if let Some(request) = request {
            let _ = S::objects()
                .log
                .result(request.sender.reply(Message::word(0)));
        }
        S::objects().log.add('e');
    }
    tally.case(
        "messages: a server has its callers' priority from call to reply",
        |c| {
            c.start(0, LOW, slow_server::<S>);
            c.let_others_run();
            c.start(1, 5, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
            c.expect_priority(0, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, LOW);
            c.let_others_run();
            c.expect_log("r1qc0.e");
        },
    );
    tally.case("messages: a suspended server inherits too", |c| {
        c.start(0, LOW, || serve::<S>('r'));
        c.let_others_run();
        c.expect("suspension", c.objects().thread(0).suspend(), Ok(()));
        c.start(1, 5, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        c.expect_priority(0, 5);
        c.expect("resumption", c.objects().thread(0).resume(), Ok(()));
        c.let_others_run();
        c.expect_log("r1qc2.");
    });
    tally.case("messages: what is lent ends with the caller's time", |c| {
        c.start(0, LOW, slow_server::<S>);
        c.let_others_run();
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.start(1, 5, || call::<S>(0, 1, UNIT.into(), 'c'));
        c.expect_priority(0, 5);
        c.let_others_run();
        c.let_others_run();
        c.expect_priority(0, LOW);
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log("r1qcTSe");
    });
    tally.case(
        "messages: a sender lends its priority until it is received",
        |c| {
            c.start(0, LOW, slow_server::<S>);
            c.let_others_run();
            c.start(1, 5, || send::<S>(0, 1, Timeout::FOREVER, 's'));
            c.expect_priority(0, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_priority(0, LOW);
            c.let_others_run();
            c.expect_log("s.r1");
        },
    );
    tally.case(
        "messages: a server that waits for a mutex passes on what it inherits",
        |c| {
            c.start(0, LOW, || {
                let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
                wait_for_permit::<S>();
                let _ = S::objects().mutexes[0].unlock();
            });
            c.let_others_run();
            c.start(1, LOW, || {
                let _ = S::objects().mutexes[0].lock(Timeout::FOREVER);
                let _ = S::objects().mutexes[0].unlock();
                serve::<S>('r');
            });
            c.let_others_run();
            c.start(2, 5, || call::<S>(1, 1, Timeout::FOREVER, 'c'));
            c.expect_priority(0, 5);
            c.expect_priority(1, 5);
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.let_others_run();
            c.expect_priority(0, LOW);
            c.expect_log("r1qc2.");
        },
    );
}

fn failures<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("messages: the receiver is deleted, or ends", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(1, HIGH, || send::<S>(0, 1, Timeout::FOREVER, 's'));
        c.start(2, HIGH, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        c.expect_log("sDcD");
        c.start(0, HIGH, wait_for_permit::<S>);
        c.expect(
            "start",
            c.objects()
                .thread(1)
                .start(|| send::<S>(0, 1, Timeout::FOREVER, 's')),
            Ok(()),
        );
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log("sD");
    });
    tally.case("messages: the sender is deleted, or ends", |c| {
        c.start(1, HIGH, wait_for_permit::<S>);
        c.start(0, HIGH, || receive_from::<S>(1, Timeout::FOREVER, 'r'));
        c.start(2, HIGH, || receive_from::<S>(1, Timeout::FOREVER, 'q'));
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        let text = c.objects().log.take();
        // Who of the two comes first is not specified.
        let both = text.as_str() == "rDqD" || text.as_str() == "qDrD";
        c.expect(
            "both learn it",
            (both, text.as_str()),
            (true, text.as_str()),
        );
    });
    tally.case("messages: the server is deleted before it replies", |c| {
        c.start(0, HIGH, || {
            hear::<S>(Timeout::FOREVER, 'r');
            wait_for_permit::<S>();
        });
        c.start(1, HIGH, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        c.expect_log("r1qcD");
    });
    tally.case("messages: the caller is deleted before the reply", |c| {
        c.start(0, HIGH, || {
            let request = receive::<S>(Timeout::FOREVER, 'r');
            wait_for_permit::<S>();
            let reply = request.map(|request| request.sender.reply(Message::word(1)));
            let _ = S::objects().log.result(reply.unwrap_or(Ok(())));
        });
        c.start(1, HIGH - 1, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        c.expect_priority(0, HIGH - 1);
        c.expect("deletion", c.objects().thread(1).delete(), Ok(()));
        c.expect_priority(0, HIGH);
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.expect_log("r1qS");
    });
    tally.case("messages: waits end by request", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(1, HIGH, || send::<S>(0, 1, Timeout::FOREVER, 's'));
        c.start(2, HIGH, || call::<S>(0, 1, Timeout::FOREVER, 'c'));
        c.start(3, HIGH, || receive_from::<S>(0, Timeout::FOREVER, 'f'));
        c.start(4, HIGH, || hear::<S>(Timeout::FOREVER, 'a'));
        for index in 1..5 {
            c.expect(
                "end of wait",
                c.objects().thread(index).cancel_wait(),
                Ok(()),
            );
        }
        c.expect_log("sXcXfXaX");
    });
}

fn rings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("messages: two that send to each other", |c| {
        c.start(0, LOW, || {
            wait_for_permit::<S>();
            send::<S>(1, 1, Timeout::FOREVER, 'a');
        });
        c.start(1, HIGH, || send::<S>(0, 1, UNIT.into(), 'b'));
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect_log("aRbD");
    });
    tally.case("messages: three that call each other in a ring", |c| {
        c.start(2, LOW, || {
            wait_for_permit::<S>();
            call::<S>(0, 1, Timeout::FOREVER, 'c');
        });
        c.start(1, HIGH, || call::<S>(2, 1, Timeout::FOREVER, 'b'));
        c.start(0, HIGH, || call::<S>(1, 1, Timeout::FOREVER, 'a'));
        c.let_others_run();
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log("cRbDaD");
    });
    tally.case("messages: two that receive from each other", |c| {
        c.start(1, HIGH, wait_for_permit::<S>);
        c.start(0, HIGH, || receive_from::<S>(1, Timeout::FOREVER, 'a'));
        c.expect("deletion", c.objects().thread(1).delete(), Ok(()));
        c.expect_log("aD");
        c.start(1, LOW, || {
            receive_from::<S>(0, Timeout::FOREVER, 'b');
            send::<S>(0, 5, Timeout::FOREVER, 'b');
        });
        let started = c
            .objects()
            .thread(0)
            .start(|| receive_from::<S>(1, Timeout::FOREVER, 'a'));
        c.expect("second start", started, Ok(()));
        c.let_others_run();
        c.expect_log("bRa5b.");
    });
}

fn bytes<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn receive_bytes<S: SuiteBoard>(room: usize, name: char) {
        let mut buffer = [0; 16];
        let result = S::objects()
            .thread(1)
            .receive_bytes_from(&mut buffer[..room], Timeout::FOREVER);
        S::objects().log.add(name);
        match result {
            Ok(length) => buffer[..length]
                .iter()
                .for_each(|byte| S::objects().log.add(char::from(*byte))),
            Err(_) => S::objects().log.add(letter(&result)),
        }
    }
    fn send_bytes<S: SuiteBoard>(name: char) {
        let result = S::objects().thread(0).send_bytes(b"hello", UNIT.into());
        S::objects().log.add(name);
        S::objects().log.add(letter(&result));
    }
    tally.case("messages: bytes are copied, whoever comes first", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send_bytes::<S>('s');
        });
        c.start(0, HIGH, || receive_bytes::<S>(16, 'r'));
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log("rhellos.");
        c.start(2, HIGH, || ());
        let started = c.objects().thread(0).start(|| {
            wait_for_permit::<S>();
            receive_bytes::<S>(16, 'r');
        });
        c.expect("receiver", started, Ok(()));
        c.expect(
            "sender",
            c.objects().thread(1).start(|| send_bytes::<S>('s')),
            Ok(()),
        );
        AnyThread::<S>::yield_now();
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect(
            "shown once more",
            c.objects().log.take().as_str().len(),
            "s.rhello".len(),
        );
    });
    tally.case("messages: bytes that do not fit are cut off", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send_bytes::<S>('s');
        });
        c.start(0, HIGH, || receive_bytes::<S>(2, 'r'));
        c.expect("give", c.objects().semaphore.give(), Ok(()));
        c.let_others_run();
        c.expect_log("rhes.");
    });
    fn give<S: SuiteBoard, T>(result: Result<T, Error>) {
        S::objects().log.add(letter(&result));
        let given = S::objects().semaphore.give();
        S::objects().log.add(letter(&given));
    }
    fn wait_and_tell<S: SuiteBoard>() {
        wait_for_permit::<S>();
        S::objects().log.add('l');
    }
    tally.case(
        "messages: who waits for bytes in vain keeps its priority",
        |c| {
            c.start(1, LOW, wait_and_tell::<S>);
            c.start(0, HIGH, || {
                let a_while = Timeout::after(Duration::from_millis(1));
                give::<S, _>(AnyThread::<S>::receive_bytes(&mut [0; 16], a_while));
            });
            c.let_others_run();
            c.expect_log("T.l");
        },
    );
    tally.case(
        "messages: who sends bytes in vain keeps its priority",
        |c| {
            c.start(1, LOW, wait_and_tell::<S>);
            c.start(0, HIGH, wait_for_permit::<S>);
            c.start(2, HIGH, || {
                let sent = S::objects()
                    .thread(0)
                    .send_bytes(b"hello", Timeout::FOREVER);
                give::<S, _>(sent);
            });
            c.let_others_run();
            c.expect("delete", c.objects().thread(0).delete(), Ok(()));
            c.let_others_run();
            c.expect_log("D.l");
        },
    );
    tally.case("messages: bytes from any, with their sender", |c| {
        c.start(0, HIGH, || {
            let mut buffer = [0; 16];
            if let Ok((sender, length)) =
                AnyThread::<S>::receive_bytes(&mut buffer, Timeout::FOREVER)
            {
                let from_second = core::ptr::eq(sender, &**S::objects().thread(1));
                S::objects().set_number(u32::from(from_second) * 100 + length as u32);
            }
        });
        c.start(1, LOW, || send_bytes::<S>('s'));
        c.let_others_run();
        c.expect("sender and length", c.objects().number(), 105);
        c.expect_log("s.");
    });
    tally.case("messages: words and bytes do not mix", |c| {
        c.start(1, LOW, || {
            send_bytes::<S>('s');
            send::<S>(0, 1, UNIT.into(), 't');
        });
        c.start(0, HIGH, || {
            hear::<S>(Timeout::FOREVER, 'r');
            receive_bytes::<S>(16, 'q');
        });
        c.let_others_run();
        // The sender has ended before the receiver waits for bytes.
        c.expect_log("sPr1t.qD");
    });
    tally.case("messages: a message of bytes has its limit", |c| {
        static LONG: [u8; LONGEST_MESSAGE + 1] = [0; LONGEST_MESSAGE + 1];
        c.start(0, HIGH, wait_for_permit::<S>);
        let thread = c.objects().thread(0);
        c.expect(
            "too long",
            thread.send_bytes(&LONG, Timeout::NONE),
            Err(Error::Parameter),
        );
        let just = thread.send_bytes(&LONG[1..], Timeout::NONE);
        c.expect("just not", just, Err(Error::WouldBlock));
    });
}
