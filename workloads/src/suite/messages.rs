//! Owns: the cases of messages from thread to thread, among them the three scenarios of "Fixed Time
//! Synchronous IPC in Zephyr Kernel".

use super::case::Tally;
use super::log::letter;
use super::{
    Case, FOREVER, HIGH, LOW, MAIN, NONE, SuiteBoard, UNIT, log_number, log_result, wait_for_permit,
};
use taktos_kernel::{
    AnyThread, Duration, Error, Kernel, LONGEST_MESSAGE, Message, Received, Rule, State, Timeout,
};

/// Returns the first word: the greatest number if it is no `u32`.
fn first_word(message: Message) -> u32 {
    u32::try_from(message.0[0]).unwrap_or(u32::MAX)
}

/// Notes the letter and the first word of the message, or the error.
fn note<S: SuiteBoard>(name: char, result: Result<Message, Error>) {
    log_number::<S>(name, result.map(first_word));
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
    if let Some(received) = receive::<S>(FOREVER, name) {
        let answer = Message::word(received.message.0[0] + 1);
        log_result::<S>(received.sender.reply(answer));
    }
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("messages");
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
        "the receiver waits first: it goes on before all others",
        |c| {
            c.start(0, LOW, || receive_from::<S>(1, FOREVER, 'r'));
            c.start(1, LOW, || send::<S>(0, 5, FOREVER, 's'));
            c.start(2, LOW, || S::objects().log.add('c'));
            c.start(3, LOW, || S::objects().log.add('d'));
            c.let_others_run();
            c.expect_log("r5cds.");
        },
    );
    tally.case("the sender waits first: the receiver just goes on", |c| {
        c.start(1, LOW, || send::<S>(0, 5, FOREVER, 's'));
        c.start(0, LOW, || receive_from::<S>(1, FOREVER, 'r'));
        c.start(2, LOW, || S::objects().log.add('c'));
        c.start(3, LOW, || S::objects().log.add('d'));
        c.let_others_run();
        c.expect_log("r5cds.");
    });
    tally.case("the turns and the order of the others stay the same", |c| {
        fn turns<S: SuiteBoard>(name: char) {
            for _ in 0..3 {
                S::objects().log.add(name);
                AnyThread::<S>::yield_now();
            }
        }
        c.start(0, LOW, || {
            for _ in 0..3 {
                let _ = S::objects().thread(1).receive_from(FOREVER);
                S::objects().log.add('r');
            }
        });
        c.start(1, LOW, || {
            for _ in 0..3 {
                let _ = S::objects().thread(0).send(Message::word(1), FOREVER);
                S::objects().log.add('s');
            }
        });
        c.start(2, LOW, || turns::<S>('c'));
        c.start(3, LOW, || turns::<S>('d'));
        c.start(4, LOW, || turns::<S>('e'));
        c.let_others_run();
        c.expect_log("rcdesrcdesrcdes");
    });
}

fn rules<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn send_to_waiting<S: SuiteBoard>(c: &mut Case<S>) {
        let main = AnyThread::<S>::current();
        c.ok("send", c.thread(0).send(Message([3, 4]), NONE));
        c.objects().log.add('m');
        c.expect("state", main.state(), State::Executing);
    }
    tally.case("a more urgent receiver runs at once", |c| {
        c.start(0, HIGH, || hear::<S>(FOREVER, 'r'));
        send_to_waiting(c);
        c.expect_log("r3m");
    });
    tally.case(
        "by the sound rule a less urgent receiver waits for its turn",
        |c| {
            c.start(0, LOW, || hear::<S>(FOREVER, 'r'));
            c.let_others_run();
            send_to_waiting(c);
            c.expect_state(0, State::Ready);
            c.let_others_run();
            c.expect_log("mr3");
        },
    );
    tally.case(
        "by the paper's rule it runs at once, in the sender's turn",
        |c| {
            c.start(0, LOW, || {
                hear::<S>(FOREVER, 'r');
                hear::<S>(FOREVER, 'r');
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
        "a lent turn ends where the receiver waits: in a queue its own priority counts",
        |c| {
            c.start(0, LOW, || {
                hear::<S>(FOREVER, 'r');
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
                c.ok("give", c.objects().semaphore.give());
                c.let_others_run();
            }
        },
    );
    tally.case(
        "an equal's turn is taken, and given back by its next wait",
        |c| {
            c.start(0, MAIN, || {
                hear::<S>(FOREVER, 'r');
                hear::<S>(FOREVER, 'r');
            });
            AnyThread::<S>::yield_now();
            send_to_waiting(c);
            c.expect_log("r3m");
        },
    );
}

fn errors<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("to one that does not exist, or does not run", |c| {
        let thread = c.thread(0);
        let message = Message::word(1);
        for _ in 0..2 {
            c.expect_error("send", thread.send(message, FOREVER), Error::Deleted);
            c.expect_error("call", thread.call(message, FOREVER), Error::Deleted);
            c.expect_error("receive", thread.receive_from(FOREVER), Error::Deleted);
            c.expect_error("reply", thread.reply(message), Error::State);
            let refused = thread.reply_and_receive(message, FOREVER);
            c.expect("reply and receive", refused.err(), Some(Error::State));
            // The second time it exists and is dormant.
            let _ = thread.create();
        }
    });
    tally.case("to one that does not wait for one", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        let thread = c.thread(0);
        let message = Message::word(1);
        c.expect_error("send", thread.send(message, NONE), Error::WouldBlock);
        c.expect_error("send", thread.send(message, UNIT.into()), Error::Timeout);
        c.expect_error("call", thread.call(message, NONE), Error::WouldBlock);
        c.expect_error("call", thread.call(message, UNIT.into()), Error::Timeout);
        c.expect_error("receive", thread.receive_from(NONE), Error::WouldBlock);
        c.expect_error("receive", thread.receive_from(UNIT.into()), Error::Timeout);
        c.expect_error("reply", thread.reply(message), Error::State);
        let none = AnyThread::<S>::receive(NONE).err();
        c.expect("receive any", none, Some(Error::WouldBlock));
        let late = AnyThread::<S>::receive(UNIT.into()).err();
        c.expect("receive any", late, Some(Error::Timeout));
        c.expect_priority(0, HIGH);
    });
    tally.case("to oneself", |c| {
        let main = AnyThread::<S>::current();
        c.expect_error(
            "send",
            main.send(Message::word(1), FOREVER),
            Error::Deadlock,
        );
        c.expect_error(
            "call",
            main.call(Message::word(1), FOREVER),
            Error::Deadlock,
        );
        c.expect_error("reply", main.reply(Message::word(1)), Error::State);
    });
    tally.case("in a handler", |c| {
        c.start(0, HIGH, || hear::<S>(FOREVER, 'r'));
        S::trigger_interrupt(|| {
            let o = S::objects();
            let message = Message::word(1);
            log_result::<S>(o.thread(0).send(message, NONE));
            log_result::<S>(o.thread(0).call(message, FOREVER));
            log_result::<S>(o.thread(0).reply(message));
            log_result::<S>(o.thread(0).receive_from(FOREVER));
            log_result::<S>(AnyThread::<S>::receive(FOREVER));
        });
        c.expect_log("CCCCC");
        c.expect_state(0, State::Blocked);
    });
    tally.case(
        "an error that one was told does not come back with the next send",
        |c| {
            c.start(0, MAIN, || {
                log_result::<S>(AnyThread::<S>::receive(UNIT.into()));
                send::<S>(1, 4, FOREVER, 's');
            });
            c.start(1, MAIN, || receive_from::<S>(0, FOREVER, 'r'));
            c.let_time_outs_pass();
            c.expect_log("Tr4s.");
        },
    );
}

fn any<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("from any, the most urgent sender is heard first", |c| {
        c.start(0, HIGH, || {
            wait_for_permit::<S>();
            for _ in 0..3 {
                hear::<S>(FOREVER, 'r');
            }
        });
        c.start(1, 9, || send::<S>(0, 1, FOREVER, 'a'));
        c.start(2, 7, || send::<S>(0, 2, FOREVER, 'b'));
        c.start(3, 9, || call::<S>(0, 3, FOREVER, 'c'));
        c.ok("give", c.objects().semaphore.give());
        // The first sender has a priority above the receiver's own, the others wait for their
        // turn.
        c.expect_log("b.r2r1r3qa.cD");
    });
    tally.case("the receiver learns who sent, and both words", |c| {
        c.start(0, HIGH, || {
            let _ = AnyThread::<S>::receive(FOREVER).map(|received| {
                let from_second = core::ptr::eq(received.sender, &**S::objects().thread(1));
                S::objects().set_number(from_second.into());
                received
                    .message
                    .0
                    .into_iter()
                    .for_each(|word| S::objects().log.digit(word as u32));
            });
        });
        c.start(1, HIGH, || {
            let _ = S::objects().thread(0).send(Message([6, 7]), NONE);
        });
        c.expect("sender", c.objects().number(), 1);
        c.expect_log("67");
    });
    tally.case("a wait for one sender ends only by that one", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send::<S>(0, 8, FOREVER, 'b');
        });
        c.start(0, HIGH, || receive_from::<S>(1, FOREVER, 'r'));
        let refused = c.thread(0).send(Message::word(1), NONE);
        c.expect_error("send", refused, Error::WouldBlock);
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("r8b.");
    });
}

fn calls<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a call to a server that waits", |c| {
        c.start(0, HIGH, || serve::<S>('r'));
        let answer = c.thread(0).call(Message::word(4), FOREVER);
        c.expect("answer", answer, Ok(Message::word(5)));
        c.expect_log("r4q.");
    });
    tally.case(
        "a call to a less urgent server runs in the caller's turn",
        |c| {
            c.start(0, LOW, || serve::<S>('r'));
            c.let_others_run();
            c.start(1, MAIN, || S::objects().log.add('e'));
            c.start(2, MAIN + 1, || S::objects().log.add('l'));
            let answer = c.thread(0).call(Message([4, 9]), FOREVER);
            c.objects().log.add('m');
            c.expect("answer", answer, Ok(Message::word(5)));
            c.expect_priority(0, LOW);
            AnyThread::<S>::yield_now();
            c.expect_log("r4qme");
        },
    );
    tally.case("a call to a server that comes later", |c| {
        c.start(1, HIGH, || call::<S>(0, 1, FOREVER, 'c'));
        // It has not been started yet.
        c.start(0, LOW, || serve::<S>('r'));
        c.start(2, HIGH, || call::<S>(0, 2, FOREVER, 'd'));
        c.let_others_run();
        c.expect_log("cDr2qd3.");
    });
    tally.case("a server's loop answers and receives in one call", |c| {
        c.start(0, LOW, || {
            let mut received = receive::<S>(FOREVER, 'r');
            while let Some(request) = received {
                let answer = Message::word(request.message.0[0] + 1);
                received = request.sender.reply_and_receive(answer, FOREVER).ok();
            }
            S::objects().log.add('e');
        });
        c.let_others_run();
        for word in 0..5 {
            let answer = c.thread(0).call(Message::word(word), FOREVER);
            c.expect("answer", answer, Ok(Message::word(word + 1)));
        }
        c.expect_state(0, State::Blocked);
        c.ok("end of wait", c.thread(0).cancel_wait());
        c.let_others_run();
        c.expect_log("r0qe");
    });
    tally.case(
        "a reply that is not waited for is refused, and nothing received",
        |c| {
            c.start(0, HIGH, || {
                let caller = S::objects().thread(1);
                log_result::<S>(caller.reply(Message::word(1)));
                let result = caller.reply_and_receive(Message::word(1), FOREVER);
                log_result::<S>(result);
            });
            c.expect_log("SS");
        },
    );
    tally.case("a reply that wakes, and no message: both are told", |c| {
        c.start(0, LOW, || {
            if let Some(request) = receive::<S>(FOREVER, 'r') {
                let result = request.sender.reply_and_receive(Message::word(7), NONE);
                log_result::<S>(result);
            }
        });
        c.let_others_run();
        let answer = c.thread(0).call(Message::word(1), FOREVER);
        c.objects().log.add('m');
        c.expect("answer", answer, Ok(Message::word(7)));
        c.let_others_run();
        c.expect_log("r1qmW");
    });
}

fn inheritance<S: SuiteBoard>(tally: &mut Tally<S>) {
    /// Receives when a permit comes, replies when another one does.
    fn slow_server<S: SuiteBoard>() {
        wait_for_permit::<S>();
        let request = receive::<S>(FOREVER, 'r');
        wait_for_permit::<S>();
        if let Some(request) = request {
            log_result::<S>(request.sender.reply(Message::word(0)));
        }
        S::objects().log.add('e');
    }
    tally.case(
        "a server has its callers' priority from call to reply",
        |c| {
            c.start(0, LOW, slow_server::<S>);
            c.let_others_run();
            c.start(1, 5, || call::<S>(0, 1, FOREVER, 'c'));
            c.expect_priority(0, 5);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, 5);
            c.ok("give", c.objects().semaphore.give());
            c.expect_priority(0, LOW);
            c.let_others_run();
            c.expect_log("r1qc0.e");
        },
    );
    tally.case("a suspended server inherits too", |c| {
        c.start(0, LOW, || serve::<S>('r'));
        c.let_others_run();
        c.ok("suspension", c.thread(0).suspend());
        c.start(1, 5, || call::<S>(0, 1, FOREVER, 'c'));
        c.expect_priority(0, 5);
        c.ok("resumption", c.thread(0).resume());
        c.let_others_run();
        c.expect_log("r1qc2.");
    });
    tally.case("what is lent ends with the caller's time", |c| {
        c.start(0, LOW, slow_server::<S>);
        c.let_others_run();
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.start(1, 5, || call::<S>(0, 1, UNIT.into(), 'c'));
        c.expect_priority(0, 5);
        c.let_time_outs_pass();
        c.expect_priority(0, LOW);
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("r1qcTSe");
    });
    tally.case("a sender lends its priority until it is received", |c| {
        c.start(0, LOW, slow_server::<S>);
        c.let_others_run();
        c.start(1, 5, || send::<S>(0, 1, FOREVER, 's'));
        c.expect_priority(0, 5);
        c.ok("give", c.objects().semaphore.give());
        c.expect_priority(0, LOW);
        c.let_others_run();
        c.expect_log("s.r1");
    });
    tally.case(
        "a server that waits for a mutex passes on what it inherits",
        |c| {
            c.start(0, LOW, || {
                let _ = S::objects().mutexes[0].lock(FOREVER);
                wait_for_permit::<S>();
                let _ = S::objects().mutexes[0].unlock();
            });
            c.let_others_run();
            c.start(1, LOW, || {
                let _ = S::objects().mutexes[0].lock(FOREVER);
                let _ = S::objects().mutexes[0].unlock();
                serve::<S>('r');
            });
            c.let_others_run();
            c.start(2, 5, || call::<S>(1, 1, FOREVER, 'c'));
            c.expect_priority(0, 5);
            c.expect_priority(1, 5);
            c.ok("give", c.objects().semaphore.give());
            c.let_others_run();
            c.expect_priority(0, LOW);
            c.expect_log("r1qc2.");
        },
    );
}

fn failures<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("the receiver is deleted, or ends", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(1, HIGH, || send::<S>(0, 1, FOREVER, 's'));
        c.start(2, HIGH, || call::<S>(0, 1, FOREVER, 'c'));
        c.ok("deletion", c.thread(0).delete());
        c.expect_log("sDcD");
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start_again(1, || send::<S>(0, 1, FOREVER, 's'));
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("sD");
    });
    tally.case("the sender is deleted, or ends", |c| {
        c.start(1, HIGH, wait_for_permit::<S>);
        c.start(0, HIGH, || receive_from::<S>(1, FOREVER, 'r'));
        c.start(2, HIGH, || receive_from::<S>(1, FOREVER, 'q'));
        c.ok("give", c.objects().semaphore.give());
        let text = c.objects().log.take();
        // The order of the two is not specified.
        let both = text.as_str() == "rDqD" || text.as_str() == "qDrD";
        c.expect(
            "both learn it",
            (both, text.as_str()),
            (true, text.as_str()),
        );
    });
    tally.case("the server is deleted before it replies", |c| {
        c.start(0, HIGH, || {
            hear::<S>(FOREVER, 'r');
            wait_for_permit::<S>();
        });
        c.start(1, HIGH, || call::<S>(0, 1, FOREVER, 'c'));
        c.ok("deletion", c.thread(0).delete());
        c.expect_log("r1qcD");
    });
    tally.case("the caller is deleted before the reply", |c| {
        c.start(0, HIGH, || {
            let request = receive::<S>(FOREVER, 'r');
            wait_for_permit::<S>();
            let reply = request.map(|request| request.sender.reply(Message::word(1)));
            log_result::<S>(reply.unwrap_or(Ok(())));
        });
        c.start(1, HIGH - 1, || call::<S>(0, 1, FOREVER, 'c'));
        c.expect_priority(0, HIGH - 1);
        c.ok("deletion", c.thread(1).delete());
        c.expect_priority(0, HIGH);
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("r1qS");
    });
    tally.case("waits end by request", |c| {
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(1, HIGH, || send::<S>(0, 1, FOREVER, 's'));
        c.start(2, HIGH, || call::<S>(0, 1, FOREVER, 'c'));
        c.start(3, HIGH, || receive_from::<S>(0, FOREVER, 'f'));
        c.start(4, HIGH, || hear::<S>(FOREVER, 'a'));
        for index in 1..5 {
            c.ok("end of wait", c.thread(index).cancel_wait());
        }
        c.expect_log("sXcXfXaX");
    });
}

fn rings<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("two that send to each other", |c| {
        c.start(0, LOW, || {
            wait_for_permit::<S>();
            send::<S>(1, 1, FOREVER, 'a');
        });
        c.start(1, HIGH, || send::<S>(0, 1, UNIT.into(), 'b'));
        c.ok("give", c.objects().semaphore.give());
        c.let_time_outs_pass();
        c.expect_log("aRbD");
    });
    tally.case("three that call each other in a ring", |c| {
        c.start(2, LOW, || {
            wait_for_permit::<S>();
            call::<S>(0, 1, FOREVER, 'c');
        });
        c.start(1, HIGH, || call::<S>(2, 1, FOREVER, 'b'));
        c.start(0, HIGH, || call::<S>(1, 1, FOREVER, 'a'));
        c.let_others_run();
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("cRbDaD");
    });
    tally.case("two that receive from each other", |c| {
        c.start(1, HIGH, wait_for_permit::<S>);
        c.start(0, HIGH, || receive_from::<S>(1, FOREVER, 'a'));
        c.ok("deletion", c.thread(1).delete());
        c.expect_log("aD");
        c.start(1, LOW, || {
            receive_from::<S>(0, FOREVER, 'b');
            send::<S>(0, 5, FOREVER, 'b');
        });
        c.start_again(0, || receive_from::<S>(1, FOREVER, 'a'));
        c.let_others_run();
        c.expect_log("bRa5b.");
    });
}

fn bytes<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn receive_bytes<S: SuiteBoard>(room: usize, name: char) {
        let mut buffer = [0; 16];
        let result = S::objects()
            .thread(1)
            .receive_bytes_from(&mut buffer[..room], FOREVER);
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
    tally.case("bytes are copied, whoever comes first", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send_bytes::<S>('s');
        });
        c.start(0, HIGH, || receive_bytes::<S>(16, 'r'));
        c.ok("give", c.objects().semaphore.give());
        c.let_others_run();
        c.expect_log("rhellos.");
        c.start(2, HIGH, || ());
        c.start_again(0, || {
            wait_for_permit::<S>();
            receive_bytes::<S>(16, 'r');
        });
        c.start_again(1, || send_bytes::<S>('s'));
        AnyThread::<S>::yield_now();
        c.ok("give", c.objects().semaphore.give());
        c.let_time_outs_pass();
        c.expect(
            "shown once more",
            c.objects().log.take().as_str().len(),
            "s.rhello".len(),
        );
    });
    tally.case("bytes that do not fit are cut off", |c| {
        c.start(1, LOW, || {
            wait_for_permit::<S>();
            send_bytes::<S>('s');
        });
        c.start(0, HIGH, || receive_bytes::<S>(2, 'r'));
        c.ok("give", c.objects().semaphore.give());
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
    tally.case("who waits for bytes in vain keeps its priority", |c| {
        c.start(1, LOW, wait_and_tell::<S>);
        c.start(0, HIGH, || {
            let a_while = Timeout::after(Duration::from_millis(1));
            give::<S, _>(AnyThread::<S>::receive_bytes(&mut [0; 16], a_while));
        });
        c.let_others_run();
        c.expect_log("T.l");
    });
    tally.case("who sends bytes in vain keeps its priority", |c| {
        c.start(1, LOW, wait_and_tell::<S>);
        c.start(0, HIGH, wait_for_permit::<S>);
        c.start(2, HIGH, || {
            let sent = S::objects().thread(0).send_bytes(b"hello", FOREVER);
            give::<S, _>(sent);
        });
        c.let_others_run();
        c.ok("delete", c.thread(0).delete());
        c.let_others_run();
        c.expect_log("D.l");
    });
    tally.case("bytes from any, with their sender", |c| {
        c.start(0, HIGH, || {
            let mut buffer = [0; 16];
            if let Ok((sender, length)) = AnyThread::<S>::receive_bytes(&mut buffer, FOREVER) {
                let from_second = core::ptr::eq(sender, &**S::objects().thread(1));
                S::objects().set_number(u32::from(from_second) * 100 + length as u32);
            }
        });
        c.start(1, LOW, || send_bytes::<S>('s'));
        c.let_others_run();
        c.expect("sender and length", c.objects().number(), 105);
        c.expect_log("s.");
    });
    tally.case("words and bytes do not mix", |c| {
        c.start(1, LOW, || {
            send_bytes::<S>('s');
            send::<S>(0, 1, UNIT.into(), 't');
        });
        c.start(0, HIGH, || {
            hear::<S>(FOREVER, 'r');
            receive_bytes::<S>(16, 'q');
        });
        c.let_others_run();
        // The sender has ended before the receiver waits for bytes.
        c.expect_log("sPr1t.qD");
    });
    tally.case("a message of bytes has its limit", |c| {
        static LONG: [u8; LONGEST_MESSAGE + 1] = [0; LONGEST_MESSAGE + 1];
        c.start(0, HIGH, wait_for_permit::<S>);
        let thread = c.thread(0);
        c.expect_error("too long", thread.send_bytes(&LONG, NONE), Error::Parameter);
        let just = thread.send_bytes(&LONG[1..], NONE);
        c.expect_error("just not", just, Error::WouldBlock);
    });
}
