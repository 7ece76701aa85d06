//! Data that calls carry beyond words, from memory to memory: messages of queues, blocks of pools.
//!
//! Owns: what the threads of partitions do with them, and what must come of it. Must never know:
//! other attacks, a board.

use super::outside::{load, store};
use super::{
    AttackBoard, FILLS, Objects, Told, begin, calls_of, checked, common, failed, life, role,
    wait_until,
};
use crate::user_mode::{LEFT, OTHER, expect};
use taktos_abi::Timeout;
use taktos_abi::call::Number;
use taktos_kernel::user::{Partition, Pool, Queue};
use taktos_kernel::{AnyThread, Duration, Error, Span};
use taktos_user::{Request, call, sleep};

/// Message of the queue.
pub type Letter = [u32; 2];
/// How many there is room for.
pub const LETTERS: usize = 4;
/// How many blocks the pool has.
pub const BLOCKS: usize = 8;

taktos_kernel::partition_memory!(
    /// The pool's blocks, which both partitions may write.
    pub static BLOCK_MEMORY: 4096
);

/// The objects.
pub struct Carried<S: AttackBoard> {
    /// Both partitions may send and receive.
    pub queue: &'static Queue<S, Letter, LETTERS>,
    /// Both may take and give.
    pub pool: &'static Pool<S>,
}

/// The first partition's handles of them.
const QUEUE: taktos_user::Queue = taktos_user::Queue::at(8);
const POOL: taktos_user::Pool = taktos_user::Pool::at(9);
/// The second one's handle of the queue.
const QUEUE_OF_SECOND: usize = 5;

/// Runs all, and says whether all was as it must be.
pub(super) fn check<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    queue_fills_what_is_only_read(objects)
        & one_partition_takes_all(objects)
        & long_messages(objects)
        & ends_in_the_middle(objects)
}

/// A message comes into memory that its sender may only read.
fn queue_fills_what_is_only_read<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let _ = life(objects, role::NOTHING);
    store(common(), 0);
    begin(objects.second, role::QUEUED);
    let _ = AnyThread::<S>::sleep(100.micros());
    let came = life(objects, role::QUEUE);
    let calls = calls_of(objects.first);
    objects.second.stop();
    checked::<S>("who sends by a queue goes on", came.is_none())
        & checked::<S>(
            "each message comes",
            calls == Ok(FILLS) && !failed(objects.first),
        )
}

/// One partition takes all blocks and fills the queue. The blocks come back when it is stopped,
/// also the one that it passed on to a thread that did not ask for it.
fn one_partition_takes_all<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let Carried { queue, pool } = objects.carried;
    begin(objects.second, role::NOTHING);
    let came = life(objects, role::EXHAUST);
    let mut passed = checked::<S>("blocks can be written", came.is_none());
    passed &= checked::<S>("all is used, and no more", !failed(objects.first));
    let used = (pool.free_blocks(), queue.len());
    passed &= checked::<S>("all is used", used == (0, LETTERS));
    objects.first.stop();
    let rest = (pool.free_blocks(), queue.len());
    passed &= checked::<S>("its blocks come back", rest == (BLOCKS, LETTERS));
    objects.second.stop();
    for number in 0..LETTERS as u32 {
        let letter = queue.receive(Timeout::NONE);
        passed &= checked::<S>("letters are those sent", letter == Ok([number, !number]));
    }
    passed
}

/// Long messages of all lengths come whole.
fn long_messages<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    begin(objects.second, role::LONG_RECEIVED);
    let came = life(objects, role::LONG);
    let calls = |partition: &'static Partition<S, Told>| calls_of(partition) == Ok(LONG_MESSAGES);
    checked::<S>("who sends much goes on", came.is_none())
        & checked::<S>(
            "all is sent",
            calls(objects.first) && !failed(objects.first),
        )
        & checked::<S>(
            "all is received",
            // It checks the last one while the sender continues.
            wait_until::<S>(|| calls(objects.second)) && !failed(objects.second),
        )
}

/// Either partner is stopped at any moment of such a transfer, and the other one continues.
fn ends_in_the_middle<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    const LIVES: u64 = 100;
    begin(objects.second, role::LONG_RECEIVED);
    let mut passed = true;
    for life in 0..LIVES {
        begin(objects.first, role::LONG | 1);
        let _ = AnyThread::<S>::sleep(Timeout::after(Duration::from_nanos(20_000 + 977 * life)));
        passed &= checked::<S>("who receives goes on", !failed(objects.second));
        if life % 8 == 0 {
            begin(objects.second, role::LONG_RECEIVED);
            let _ = AnyThread::<S>::sleep(20.micros());
            passed &= checked::<S>("who sends goes on", !failed(objects.first));
        }
        objects.first.stop();
    }
    let received = calls_of(objects.second);
    passed
        & checked::<S>(
            "what is whole is received",
            received.is_ok_and(|number| number > 0),
        )
}

/// Whether both partitions, which are stopped, hold nothing.
pub(super) fn is_given_back<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    objects.first.stop();
    objects.second.stop();
    while objects.carried.queue.receive(Timeout::NONE).is_ok() {}
    checked::<S>(
        "nothing is held by who is no more",
        objects.carried.pool.free_blocks() == BLOCKS,
    )
}

/// Sends letters that the other partition receives where this one only reads.
pub(super) fn send(told: &'static Told) {
    for number in 0..FILLS {
        // With the receiver less urgent the call comes back at once.
        let _ = LEFT.set_priority(if number % 2 == 0 { 8 } else { 24 });
        let sent = QUEUE.send([number, 0], Timeout::FOREVER);
        let _ = sleep(20.micros());
        let is_there = sent.is_ok() && load(common()) == number;
        told.demand(is_there);
        told.count();
    }
}

pub(super) fn receive(told: &'static Told) -> ! {
    loop {
        // By its address: no reference to memory that others read.
        let request = Request {
            number: Number::QueueReceive as usize,
            handle: QUEUE_OF_SECOND,
            words: [common(), size_of::<Letter>()],
            timeout: Timeout::FOREVER,
        };
        let _ = call(request);
        told.count();
    }
}

/// Takes all blocks, and fills the queue.
pub(super) fn exhaust(told: &'static Told) {
    let mut right = true;
    for number in 0..BLOCKS {
        let block = expect(POOL.take(Timeout::NONE));
        store(block.addr(), number as u32);
        right &= load(block.addr()) == number as u32;
        if number == 0 {
            right &= POOL.pass(block, OTHER).is_ok();
            right &= POOL.accept(block) == Err(Error::NotOwner);
        }
    }
    right &= POOL.take(Timeout::NONE) == Err(Error::WouldBlock);
    right &= POOL.take(Timeout::after(10.micros())) == Err(Error::Timeout);
    for number in 0..LETTERS as u32 {
        right &= QUEUE.send([number, !number], Timeout::NONE).is_ok();
    }
    right &= QUEUE.send([0, 0], Timeout::NONE) == Err(Error::WouldBlock);
    right &= QUEUE.send([0, 0], Timeout::after(10.micros())) == Err(Error::Timeout);
    right &= QUEUE.send(0_u32, Timeout::NONE) == Err(Error::Parameter);
    told.demand(right);
}

/// How many long messages are sent to be received whole.
const LONG_MESSAGES: u32 = 24;
/// The longest of them, and a step of the lengths.
const LONGEST: usize = 320;
const LONGER: usize = LONGEST / LONG_MESSAGES as usize;

/// Returns the byte at that place of a message of that length.
const fn byte(length: usize, place: usize) -> u8 {
    (place / 4 * 7 + place + length) as u8
}

/// Sends messages of all lengths; for ever, if `endless` says so.
pub(super) fn send_long(told: &'static Told, endless: usize) {
    let mut message = [0; LONGEST];
    let mut sent = 0;
    while endless != 0 || sent < LONG_MESSAGES {
        let length = 1 + (sent as usize * LONGER) % message.len();
        for (place, at) in message[..length].iter_mut().enumerate() {
            *at = byte(length, place);
        }
        let result = OTHER.send_long(&message[..length], Timeout::FOREVER);
        let ended = endless != 0 && result == Err(Error::Deleted);
        told.demand(result.is_ok() || ended);
        told.count();
        sent += 1;
    }
}

/// Receives long messages, and checks whether they are whole. If the sender ends, its message does
/// not come.
pub(super) fn receive_long(told: &'static Told) -> ! {
    let mut room = [0; LONGEST];
    loop {
        match taktos_user::receive_long(&mut room, Timeout::FOREVER) {
            Ok(bytes) => {
                let mut places = room[..bytes.count].iter().enumerate();
                let is_whole = bytes.count == bytes.sent
                    && places.all(|(place, at)| *at == byte(bytes.count, place));
                told.demand(is_whole);
                told.count();
            }
            Err(error) => {
                let ended = error == Error::State;
                told.demand(ended);
            }
        }
    }
}
