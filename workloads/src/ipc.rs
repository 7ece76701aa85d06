//! Owns: the experiment on synchronous messages: a sender, a receiver and n busy threads, all of
//! one priority. Must never know: how it is counted.
//!
//! The intervals reach from the call of send in the sender to the return of receive in the
//! receiver; the message has four bytes. The receiver always waits before the sender sends. Each of
//! the others is busy for [`BUSY_CYCLES`] and then yields.
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "labels at the ends of intervals, and a busy loop of known length"
    )
)]

use crate::mark::{begin, end, point};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::{
    AnyThread, Mailbox, Message, MessageQueue, Partner, Pipe, System, Thread, Timeout,
};

/// How long each of the other threads is busy before it yields, in modelled Cortex-M4 cycles.
pub const BUSY_CYCLES: u32 = 5_000;
/// The numbers of other threads, in turn.
const ROUNDS: [usize; 12] = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, OTHERS];
/// The most other threads.
const OTHERS: usize = 1_000;
/// Messages in a round of the direct switch without other threads: as many as in the paper.
const MANY: usize = 100_000;
/// The stack of sender and receiver, and that of the others, in bytes.
const STACK: usize = 256 * size_of::<usize>();
const SMALL_STACK: usize = 96 * size_of::<usize>();

/// Objects of the experiment. A board has them in a static.
pub struct Objects<S: System> {
    sender: Thread<S, STACK>,
    receiver: Thread<S, STACK>,
    others: [Thread<S, SMALL_STACK>; OTHERS],
    mailbox: Mailbox<S, u32, 1>,
    pipe: Pipe<S, 16>,
    queue: MessageQueue<S, u32, 4>,
    /// How many messages this round has.
    messages: AtomicUsize,
    /// Makes the other threads end.
    done: AtomicBool,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            sender: Thread::new("sender").priority(8),
            receiver: Thread::new("receiver").priority(8),
            others: [const { Thread::new("other").priority(8) }; OTHERS],
            mailbox: Mailbox::new(),
            pipe: Pipe::new(),
            queue: MessageQueue::new(),
            messages: AtomicUsize::new(0),
            done: AtomicBool::new(false),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

type Entry<S> = fn(&'static Objects<S>);

/// A mechanism: its name, its receiver, its sender.
type Series<S> = (&'static str, Entry<S>, Entry<S>);

/// Runs all rounds of all mechanisms. Called by a thread more urgent than 8.
pub fn run<S: System>(objects: &'static Objects<S>) {
    let all: [Series<S>; 4] = [
        ("direct-switch", receive_direct, send_direct),
        ("mailbox", receive_mail, send_mail),
        ("pipe", read_pipe, write_pipe),
        ("message-queue", receive_queue, send_queue),
    ];
    for series in all {
        for others in ROUNDS {
            round(objects, series, others);
        }
    }
}

/// Fewer messages where each costs a turn of all the others.
fn messages(series: &str, others: usize) -> usize {
    match others {
        0 if series == "direct-switch" => MANY,
        0 => 1_000,
        1..=100 => 100,
        _ => 20,
    }
}

fn round<S: System>(objects: &'static Objects<S>, series: Series<S>, others: usize) {
    let (name, receive, send) = series;
    objects.messages.store(messages(name, others), Relaxed);
    objects.done.store(false, Relaxed);
    taktos_kernel::fault::print::<S>(format_args!("@round threads={others} series={name}\n"));
    begin_round();
    let others = &objects.others[..others];
    expect(objects.receiver.start_with(receive, objects));
    expect(objects.sender.start_with(send, objects));
    for other in others {
        expect(other.start_with(keep_busy::<S>, objects));
    }
    expect(objects.receiver.join(Timeout::FOREVER));
    expect(objects.sender.join(Timeout::FOREVER));
    for other in others {
        expect(other.join(Timeout::FOREVER));
    }
}

#[inline(never)]
fn begin_round() {
    point!("round");
}

#[inline(always)]
fn expect<T, E>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(_) => failed(),
    }
}

#[cold]
#[inline(never)]
fn failed() -> ! {
    panic!("a call of the experiment failed")
}

fn keep_busy<S: System>(objects: &'static Objects<S>) {
    while !objects.done.load(Relaxed) {
        busy(BUSY_CYCLES);
        AnyThread::<S>::yield_now();
    }
}

/// Is busy for about `cycles` modelled Cortex-M4 cycles: a loop of two instructions and four
/// cycles, and on other processors as many turns of a loop of two instructions.
#[inline(never)]
fn busy(cycles: u32) {
    let turns = cycles / 4;
    #[cfg(target_arch = "arm")]
    // SAFETY: counts a register down.
    unsafe {
        core::arch::asm!("2:", "subs {0}, {0}, #1", "bne 2b", inout(reg) turns => _, options(nomem, nostack));
    }
    #[cfg(all(target_arch = "aarch64", target_os = "none"))]
    // SAFETY: counts a register down.
    unsafe {
        core::arch::asm!("2:", "subs {0:w}, {0:w}, #1", "b.ne 2b", inout(reg) turns => _, options(nomem, nostack));
    }
    #[cfg(target_arch = "riscv64")]
    // SAFETY: counts a register down.
    unsafe {
        core::arch::asm!("2:", "addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) turns => _, options(nomem, nostack));
    }
    #[cfg(not(target_os = "none"))]
    core::hint::black_box(turns);
}

#[inline(never)]
fn receive_direct<S: System>(objects: &'static Objects<S>) {
    for _ in 0..objects.messages.load(Relaxed) {
        let received = objects.sender.receive_from(Timeout::FOREVER);
        end!("direct-switch");
        expect(received);
    }
}

#[inline(never)]
fn send_direct<S: System>(objects: &'static Objects<S>) {
    for message in 0..objects.messages.load(Relaxed) {
        begin!("direct-switch");
        expect(
            objects
                .receiver
                .send(Message::word(message), Timeout::FOREVER),
        );
    }
    objects.done.store(true, Relaxed);
}

#[inline(never)]
fn receive_mail<S: System>(objects: &'static Objects<S>) {
    for _ in 0..objects.messages.load(Relaxed) {
        let received = objects.mailbox.receive(Partner::Any, Timeout::FOREVER);
        end!("mailbox");
        expect(received);
    }
}

#[inline(never)]
fn send_mail<S: System>(objects: &'static Objects<S>) {
    for message in 0..objects.messages.load(Relaxed) {
        begin!("mailbox");
        expect(
            objects
                .mailbox
                .send(&(message as u32), Partner::Any, Timeout::FOREVER),
        );
        AnyThread::<S>::yield_now();
    }
    objects.done.store(true, Relaxed);
}

#[inline(never)]
fn read_pipe<S: System>(objects: &'static Objects<S>) {
    for _ in 0..objects.messages.load(Relaxed) {
        let mut message = [0; 4];
        let received = objects.pipe.read(&mut message, 4, Timeout::FOREVER);
        end!("pipe");
        expect(received);
    }
}

#[inline(never)]
fn write_pipe<S: System>(objects: &'static Objects<S>) {
    for message in 0..objects.messages.load(Relaxed) {
        let bytes = (message as u32).to_le_bytes();
        begin!("pipe");
        expect(objects.pipe.write(&bytes, 4, Timeout::FOREVER));
        AnyThread::<S>::yield_now();
    }
    objects.done.store(true, Relaxed);
}

#[inline(never)]
fn receive_queue<S: System>(objects: &'static Objects<S>) {
    for _ in 0..objects.messages.load(Relaxed) {
        let received = objects.queue.receive(Timeout::FOREVER);
        end!("message-queue");
        expect(received);
    }
}

#[inline(never)]
fn send_queue<S: System>(objects: &'static Objects<S>) {
    for message in 0..objects.messages.load(Relaxed) {
        begin!("message-queue");
        expect(objects.queue.send(&(message as u32), Timeout::FOREVER));
        AnyThread::<S>::yield_now();
    }
    objects.done.store(true, Relaxed);
}
