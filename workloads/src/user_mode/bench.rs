//! Owns: one small scenario for each operation that is measured in user mode. Must never know: how
//! it is counted.
//!
//! Where an operation wakes a thread, the interval reaches from the call in the one thread to the
//! return in the other, as in [`crate::bench`].

use super::{LEFT, OTHER, PERMITS, RIGHT, expect, finish};
use crate::mark::{begin, end};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_abi::call::{LONGEST_BYTES, Number};
use taktos_kernel::user::Partition;
use taktos_kernel::{AnyThread, Error, Semaphore, System, Timeout};
use taktos_machine::Isolation;
use taktos_user::{Request, call, receive};

/// The messages of the queue that is measured; only the first partition has its handle.
pub type Letter = [u32; 2];
const QUEUE: taktos_user::Queue = taktos_user::Queue::at(5);

/// Budget of each partition and its period, if they have budgets: enough for each scenario, so that
/// none is used up.
#[cfg(feature = "budgets")]
pub const BUDGET: taktos_kernel::Duration = taktos_kernel::Duration::from_secs(1);

/// How often each operation is done.
const REPETITIONS: usize = 1001;
/// How often a thread faults: each time its partition is restarted.
const FAULTS: usize = 101;

/// The scenarios, as threads get them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
enum Scenario {
    Uncontended,
    Refused,
    WakeBeside,
    WakeAcross,
    SendBeside,
    SendAcross,
    CallBeside,
    CallAcross,
    Queue,
    PiecesAcross,
    Fault,
}

/// The scenario and the partners' parts are in the order of the enumeration.
const SCENARIOS: [Scenario; 10] = [
    Scenario::Uncontended,
    Scenario::Refused,
    Scenario::WakeBeside,
    Scenario::WakeAcross,
    Scenario::SendBeside,
    Scenario::SendAcross,
    Scenario::CallBeside,
    Scenario::CallAcross,
    Scenario::Queue,
    Scenario::PiecesAcross,
];

/// Whether a partner of another partition plays a part.
const fn is_across(scenario: Scenario) -> bool {
    matches!(
        scenario,
        Scenario::WakeAcross | Scenario::SendAcross | Scenario::CallAcross | Scenario::PiecesAcross
    )
}

/// Whether one of the same partition does.
const fn is_beside(scenario: Scenario) -> bool {
    matches!(
        scenario,
        Scenario::WakeBeside | Scenario::SendBeside | Scenario::CallBeside
    )
}

/// Runs all scenarios. Called by a privileged thread more urgent than those of the partitions, of
/// which `left` is the first one's first.
pub fn run<S: System<Machine: Isolation>>(
    first: &'static Partition<S, ()>,
    second: &'static Partition<S, ()>,
    left: &'static AnyThread<S>,
    done: &'static Semaphore<S>,
) {
    for scenario in SCENARIOS {
        certain(first.start_with(scenario as usize));
        if is_across(scenario) {
            certain(second.start_with(scenario as usize));
        }
        let parts = 1 + usize::from(is_across(scenario) || is_beside(scenario));
        for _ in 0..parts {
            certain(done.take(Timeout::FOREVER));
        }
        first.stop();
        second.stop();
    }
    for _ in 0..FAULTS {
        certain(first.restart_with(Scenario::Fault as usize));
        supervise(left);
        assert!(
            first.take_incident().is_some() && OUTSIDE.load(Relaxed) == 0,
            "the thread ended, and not by its fault"
        );
    }
    first.stop();
}

/// Waits for the end of a thread that faults.
#[inline(never)]
fn supervise<S: System>(left: &'static AnyThread<S>) {
    let ended = left.join(Timeout::FOREVER);
    end!("user-fault-until-supervisor");
    certain(ended);
}

fn certain(result: Result<(), Error>) {
    assert!(result.is_ok(), "the scenario cannot be set up");
}

/// The part of the first thread of the first partition.
pub extern "C" fn left(_: &'static (), scenario: usize) -> ! {
    match SCENARIOS.get(scenario) {
        Some(Scenario::Uncontended) => uncontended(),
        Some(Scenario::Refused) => refused(),
        Some(Scenario::WakeBeside) => {
            expect(RIGHT.start(scenario));
            expect(LEFT.set_priority(4));
            taker_beside();
        }
        Some(Scenario::WakeAcross) => {
            expect(LEFT.set_priority(4));
            taker_across();
        }
        Some(Scenario::SendBeside) => {
            expect(RIGHT.start(scenario));
            receiver_beside();
        }
        Some(Scenario::SendAcross) => receiver_across(),
        Some(Scenario::CallBeside) => {
            expect(RIGHT.start(scenario));
            server();
        }
        Some(Scenario::CallAcross) => server(),
        Some(Scenario::Queue) => queue(),
        Some(Scenario::PiecesAcross) => fetcher(),
        _ => faulty(),
    }
    finish()
}

/// The part of the second thread of the first partition.
pub extern "C" fn right(_: &'static (), scenario: usize) -> ! {
    match SCENARIOS.get(scenario) {
        Some(Scenario::WakeBeside) => giver_beside(),
        Some(Scenario::SendBeside) => sender_beside(),
        _ => caller_beside(),
    }
    finish()
}

/// The part of the thread of the second partition.
pub extern "C" fn other(_: &'static (), scenario: usize) -> ! {
    match SCENARIOS.get(scenario) {
        Some(Scenario::WakeAcross) => giver_across(),
        Some(Scenario::SendAcross) => sender_across(),
        Some(Scenario::PiecesAcross) => sender_of_much(),
        _ => caller_across(),
    }
    finish()
}

#[inline(never)]
fn uncontended() {
    for _ in 0..REPETITIONS {
        begin!("user-semaphore-give");
        let given = PERMITS.give();
        end!("user-semaphore-give");
        expect(given);
        begin!("user-semaphore-take");
        let taken = PERMITS.take(Timeout::FOREVER);
        end!("user-semaphore-take");
        expect(taken);
    }
}

/// A handle that there is not.
#[inline(never)]
fn refused() {
    let nothing = taktos_user::Semaphore::at(77);
    for _ in 0..REPETITIONS {
        begin!("user-refused-handle");
        let given = nothing.give();
        end!("user-refused-handle");
        if given != Err(Error::Parameter) {
            expect(Err(()))
        }
    }
}

/// Defines a pair of threads each for waking and sending, with the marks `$wake` and `$send`.
macro_rules! pair {
    ($taker:ident, $giver:ident, $receiver:ident, $sender:ident, $caller:ident, $partner:ident, $wake:literal, $send:literal, $call:literal) => {
        #[inline(never)]
        fn $taker() {
            for _ in 0..REPETITIONS {
                let taken = PERMITS.take(Timeout::FOREVER);
                end!($wake);
                expect(taken);
            }
        }

        #[inline(never)]
        fn $giver() {
            for _ in 0..REPETITIONS {
                begin!($wake);
                expect(PERMITS.give());
            }
        }

        #[inline(never)]
        fn $receiver() {
            for _ in 0..REPETITIONS {
                let received = $partner.receive_from(Timeout::FOREVER);
                end!($send);
                expect(received);
            }
        }

        #[inline(never)]
        fn $sender() {
            for message in 0..REPETITIONS {
                begin!($send);
                expect(LEFT.send([message, 0], Timeout::FOREVER));
                // Lets the receiver wait again.
                taktos_user::yield_now();
            }
        }

        #[inline(never)]
        fn $caller() {
            for message in 0..REPETITIONS {
                begin!($call);
                let reply = LEFT.call_for([message, 1], Timeout::FOREVER);
                end!($call);
                if expect(reply) != [message, 1] {
                    expect(Err(()))
                }
            }
        }
    };
}

pair!(
    taker_beside,
    giver_beside,
    receiver_beside,
    sender_beside,
    caller_beside,
    RIGHT,
    "user-semaphore-wake",
    "user-direct-send",
    "user-call-reply"
);
pair!(
    taker_across,
    giver_across,
    receiver_across,
    sender_across,
    caller_across,
    OTHER,
    "user-semaphore-wake-across",
    "user-direct-send-across",
    "user-call-reply-across"
);

#[inline(never)]
fn server() {
    let mut request = expect(receive(Timeout::FOREVER));
    for _ in 1..REPETITIONS {
        request = expect(
            request
                .sender
                .reply_and_receive(request.message, Timeout::FOREVER),
        );
    }
    expect(request.sender.reply(request.message));
}

/// A message of two words that no thread waits for, and for which there is space.
#[inline(never)]
fn queue() {
    for number in 0..REPETITIONS as u32 {
        begin!("user-queue-send");
        let sent = QUEUE.send([number, 0], Timeout::NONE);
        end!("user-queue-send");
        expect(sent);
        begin!("user-queue-receive");
        let received = QUEUE.receive::<Letter>(Timeout::FOREVER);
        end!("user-queue-receive");
        if received != Ok([number, 0]) {
            expect(Err(()))
        }
    }
}

/// Length in bytes of the long messages that are fetched in pieces: the last piece lets the sender
/// continue.
const MUCH: usize = 8 * LONGEST_BYTES;
const MESSAGES: usize = 125;

#[inline(never)]
fn sender_of_much() {
    let bytes = [0x5A; MUCH];
    for _ in 0..MESSAGES {
        expect(LEFT.send_long(&bytes, Timeout::FOREVER));
    }
}

#[inline(never)]
fn fetcher() {
    let mut room = [0_u8; LONGEST_BYTES];
    let mut request = |number: Number, handle| Request {
        number: number as usize,
        handle,
        words: [room.as_mut_ptr().expose_provenance(), LONGEST_BYTES],
        timeout: Timeout::FOREVER,
    };
    for _ in 0..MESSAGES {
        let [_, _, sender] = call(request(Number::ReceiveLong, 0)).words;
        for _ in 0..MUCH / LONGEST_BYTES {
            let fetch = request(Number::FetchBytes, sender);
            begin!("user-bytes-piece-across");
            let fetched = call(fetch);
            end!("user-bytes-piece-across");
            if fetched.status.result().is_err() || fetched.words[0] != LONGEST_BYTES {
                expect(Err(()))
            }
        }
    }
}

/// Writes to where the partition has nothing.
#[inline(never)]
fn faulty() {
    begin!("user-fault-until-supervisor");
    OUTSIDE.store(1, Relaxed);
}

/// The program's, and no partition's.
static OUTSIDE: AtomicU32 = AtomicU32::new(0);
