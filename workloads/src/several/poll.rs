//! Owns: the cases of threads on different processors that wait for several objects at once.

use super::case::Tally;
use super::{Helper, SeveralBoard};
use taktos_kernel::{Duration, Error, Kernel, Timeout};

/// How often things are given.
const ROUNDS: u32 = 100;
/// The semaphore that all pollers wait for, and the message.
const COMMON: usize = 2;
const MESSAGE: u32 = 77;

/// Waits for the own semaphore, the common one and the queue at once, and counts what comes: it is
/// the outcome of one branch, or nothing after a cancelled wait. Ends when its own permit comes.
fn poll_all<S: SeveralBoard>(helper: &'static Helper<S>) {
    let o = S::objects();
    let mut own = o.semaphores[helper.index()].taking();
    let mut common = o.semaphores[COMMON].taking();
    let mut message = o.queue.receiving();
    loop {
        let ended = Kernel::<S>::poll([&mut common, &mut message, &mut own], Timeout::FOREVER);
        let came = [
            common.outcome().map(|got| got.is_ok()),
            message.outcome().map(|got| got == Ok(MESSAGE)),
            own.outcome().map(|got| got.is_ok()),
        ];
        let number = match ended {
            Ok(number) if came[number] == Some(true) => Some(number),
            Err(Error::Cancelled) => None,
            _ => return helper.tell(99),
        };
        if came.iter().flatten().count() != usize::from(number.is_some()) {
            return helper.tell(98);
        }
        match number {
            Some(2) => return helper.tell(1),
            Some(_) => o.count(),
            None => helper.tick(),
        }
    }
}

/// Gives permits and messages to the threads that poll.
fn give_both<S: SeveralBoard>(helper: &'static Helper<S>) {
    for _ in 0..ROUNDS {
        let _ = S::objects().semaphores[COMMON].give();
        let sent = S::objects().queue.send(&MESSAGE, Timeout::FOREVER);
        if sent.is_err() {
            return helper.tell_result(sent);
        }
    }
    helper.tell(1);
}

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("poll");
    tally.case(
        "threads that poll on all processors lose nothing, and get nothing twice",
        |c| {
            c.start_each(0..2, 10, poll_all);
            c.start_each(2..4, 11, give_both);
            c.start(4, 9, |h| {
                for _ in 0..ROUNDS {
                    for index in 0..2 {
                        let _ = S::objects().helper(index).thread().cancel_wait();
                    }
                    S::pause();
                }
                h.tell(1);
            });
            c.expect_all_told("all is given, and waits were ended", 2..5);
            c.soon("all is taken", || S::objects().number() == 4 * ROUNDS);
            for index in 0..2 {
                c.ok("own permit", S::objects().semaphores[index].give());
            }
            c.expect_all_told("each had one at a time", 0..2);
            c.expect("no more", S::objects().number(), 4 * ROUNDS);
            let left = S::objects().semaphores[COMMON].count();
            c.expect("permits", left, 0);
            c.expect("messages", S::objects().queue.len(), 0);
        },
    );
    tally.case(
        "a poll ends at its time, whatever is given meanwhile",
        |c| {
            c.start_each(0..3, 10, |h| {
                let o = S::objects();
                let mut common = o.semaphores[COMMON].taking();
                let mut message = o.queue.receiving();
                for _ in 0..ROUNDS {
                    let time = Timeout::after(Duration::from_micros(20));
                    match Kernel::<S>::poll([&mut message, &mut common], time) {
                        Ok(_) => o.count(),
                        Err(Error::Timeout) => h.tick(),
                        Err(error) => return h.tell_result::<()>(Err(error)),
                    }
                }
                h.tell(1);
            });
            let mut given = 0;
            c.soon("all rounds", || {
                given += u32::from(S::objects().semaphores[COMMON].give().is_ok());
                given += u32::from(S::objects().queue.send(&MESSAGE, Timeout::NONE).is_ok());
                (0..3).all(|index| S::objects().helper(index).value() != 0)
            });
            c.expect_all_told("each", 0..3);
            let left = S::objects().semaphores[COMMON].count() + S::objects().queue.len() as u32;
            c.expect("what was given", S::objects().number() + left, given);
        },
    );
}
