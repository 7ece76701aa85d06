//! Owns: the cases of threads on different processors that hand each other data: messages, queues,
//! pipes, pools, heaps.

use super::case::Tally;
use super::{Helper, SeveralBoard};
use core::alloc::Layout;
use taktos_kernel::{AnyThread, Error, Message, State, Timeout};

/// How many messages go.
const COUNT: u32 = 100;

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("ipc");
    messages(tally);
    servers(tally);
    stores(tally);
}

/// Answers each message with its first word and one more than its second, for ever.
fn serve<S: SeveralBoard>(helper: &'static Helper<S>) {
    while let Ok(received) = AnyThread::<S>::receive(Timeout::FOREVER) {
        helper.tick();
        let [first, second] = received.message.0;
        let _ = received.sender.reply(Message([first, second + 1]));
    }
}

fn messages<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("messages go from one processor to another, in order", |c| {
        c.start(0, 10, |h| {
            for number in 0..COUNT as usize {
                match AnyThread::<S>::receive(Timeout::FOREVER) {
                    Ok(received) if received.message.0 == [number, number + 1] => h.tick(),
                    _ => return h.tell(99),
                }
            }
            h.tell(1);
        });
        c.start(1, 10, |h| {
            for number in 0..COUNT as usize {
                let message = Message([number, number + 1]);
                let _ = S::objects()
                    .helper(0)
                    .thread()
                    .send(message, Timeout::FOREVER);
                h.tick();
            }
        });
        c.expect_told("all as they were sent", 0, Ok(()));
    });
    tally.case("a sender is deleted while its receiver is elsewhere", |c| {
        c.start(0, 10, |h| {
            h.spin_until(1);
            h.tell_result(AnyThread::<S>::receive(Timeout::NONE));
        });
        c.start(1, 10, |h| {
            h.tick();
            let _ = S::objects()
                .helper(0)
                .thread()
                .send(Message([1, 2]), Timeout::FOREVER);
        });
        let sender = c.helper(1);
        c.soon("it waits", || {
            sender.thread().state() == State::Blocked && sender.ticks() == 1
        });
        c.ok("deletion", sender.thread().delete());
        S::objects().set_number(1);
        c.expect_told("nothing is there", 0, Err::<(), _>(Error::WouldBlock));
    });
}

fn servers<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("three clients on their processors call one server", |c| {
        c.start(0, 9, serve);
        c.start_each(1..4, 10, |h| {
            for round in 0..COUNT as usize {
                let server = S::objects().helper(0).thread();
                match server.call(Message([h.index(), round]), Timeout::FOREVER) {
                    Ok(Message(reply)) if reply == [h.index(), round + 1] => h.tick(),
                    _ => return h.tell(99),
                }
            }
            h.tell(1);
        });
        c.expect_all_told("all answers as they should be", 1..4);
        c.expect("calls", c.helper(0).ticks(), 3 * COUNT);
    });
    tally.case("main calls a server elsewhere", |c| {
        c.start(0, 9, serve);
        for round in 0..COUNT as usize {
            let reply = c.thread(0).call(Message([7, round]), Timeout::FOREVER);
            c.expect(
                "reply",
                reply.map(|Message(words)| words),
                Ok([7, round + 1]),
            );
        }
    });
    tally.case(
        "a less urgent server has its caller's priority, wherever it runs",
        |c| {
            c.start(0, 25, |h| {
                h.spin_until(1);
                serve(h);
            });
            c.start_spinning(1, [15; 3]);
            c.expect_running("the server waits", &[1, 2, 3]);
            c.start(4, 8, |h| {
                let server = S::objects().helper(0).thread();
                h.tell_result(server.call(Message([1, 2]), Timeout::FOREVER));
            });
            let server = c.helper(0);
            let effective = || server.thread().priorities().1.level();
            c.soon("its priority", || effective() == 8);
            let ticks = server.ticks();
            c.soon("it runs now", || server.ticks() > ticks + 2);
            S::objects().set_number(1);
            c.expect_told("call", 4, Ok(()));
            c.expect("its own again", effective(), 25);
        },
    );
    tally.case(
        "a server is deleted while others wait for its reply elsewhere",
        |c| {
            c.start(0, 9, |h| {
                let _ = AnyThread::<S>::receive(Timeout::FOREVER);
                h.spin();
            });
            c.start_each(1..3, 10, |h| {
                let server = S::objects().helper(0).thread();
                h.tell_result(server.call(Message([0, 0]), Timeout::FOREVER));
            });
            let server = c.helper(0);
            c.soon("it has received", || server.ticks() > 0);
            let blocked = |index| S::objects().helper(index).thread().state() == State::Blocked;
            c.soon("both wait", || (1..3).all(blocked));
            c.ok("deletion", server.thread().delete());
            for index in 1..3 {
                c.expect_told("its call", index, Err::<(), _>(Error::Deleted));
            }
        },
    );
}

fn stores<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a queue with two senders and two receivers loses and doubles nothing",
        |c| {
            c.start_each(0..2, 10, |h| {
                for number in 0..COUNT {
                    let message = number * 2 + h.index() as u32;
                    if S::objects().queue.send(&message, Timeout::FOREVER).is_err() {
                        return h.tell(99);
                    }
                }
                h.tell(1);
            });
            c.start_each(2..4, 10, |h| {
                while let Ok(number) = S::objects().queue.receive(Timeout::FOREVER) {
                    h.tell(h.value() + number);
                    S::objects().count();
                }
            });
            c.soon("all have come", || S::objects().number() == 2 * COUNT);
            let (first, second) = (c.helper(2), c.helper(3));
            let sum = (0..2 * COUNT).sum::<u32>();
            c.soon("their sum", || first.value() + second.value() == sum);
        },
    );
    tally.case(
        "bytes go through a pipe from one processor to another",
        |c| {
            c.start(0, 10, |h| {
                for number in 0..COUNT {
                    let bytes = (number * 0x0101_0101).to_le_bytes();
                    let mut written = 0;
                    while written < bytes.len() {
                        match S::objects()
                            .pipe
                            .write(&bytes[written..], 1, Timeout::FOREVER)
                        {
                            Ok(count) => written += count,
                            Err(_) => return h.tell(99),
                        }
                    }
                }
                h.tell(1);
            });
            c.start(1, 10, |h| {
                for number in 0..4 * COUNT {
                    let mut byte = [0];
                    let read = S::objects().pipe.read(&mut byte, 1, Timeout::FOREVER);
                    if read.is_err() || u32::from(byte[0]) != number / 4 {
                        return h.tell(99);
                    }
                }
                h.tell(1);
            });
            c.expect_all_told("all bytes in order", 0..2);
        },
    );
    tally.case("blocks of a pool go round among processors", |c| {
        c.start_each(0..4, 10, |h| {
            for _ in 0..COUNT {
                match S::objects().pool.allocate(Timeout::FOREVER) {
                    Ok(block) => drop(block),
                    Err(_) => return h.tell(99),
                }
                h.tick();
            }
            h.tell(1);
        });
        c.expect_all_told("each had its blocks", 0..4);
    });
    tally.case("memory of a heap goes round among processors", |c| {
        let free = S::objects().heap.available();
        c.start_each(0..4, 10, |h| {
            for round in 0..COUNT {
                if let Err(value) = use_memory::<S>(h.index() as u8, round as usize) {
                    return h.tell(value);
                }
                h.tick();
            }
            h.tell(1);
        });
        c.expect_all_told("each had its memory to itself", 0..4);
        c.expect("free", S::objects().heap.available(), free);
    });
}

/// Allocates, writes `mark` everywhere, and looks for it a moment later. Four at a time do not fit.
fn use_memory<S: SeveralBoard>(mark: u8, round: usize) -> Result<(), u32> {
    let size = (round % 7 + 1) * size_of::<usize>() * 3;
    let layout = Layout::from_size_align(size, 8).map_err(|_| 97u32)?;
    let mut block = S::objects()
        .heap
        .allocate(layout, Timeout::FOREVER)
        .map_err(|_| 98u32)?;
    block.fill(mark);
    S::pause();
    if block.iter().all(|byte| *byte == mark) {
        Ok(())
    } else {
        Err(99)
    }
}
