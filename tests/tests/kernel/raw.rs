//! Objects with sizes known at run time, against plain lists; mutexes of owners that end; threads
//! on given stacks.

#![expect(
    unsafe_code,
    reason = "blocks of a pool are written, as their users do"
)]

use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::{
    Duration, Error, Kernel, OwnerEnd, Priority, Protocol, RawPool, RawQueue, RawThread, Span,
    State, System, Timeout,
};
use taktos_tests::{AnyThread, HostSystem, Mutex, leak, run, spawn};

type Queue = RawQueue<HostSystem>;
type Pool = RawPool<HostSystem>;

fn words(count: Option<usize>) -> &'static mut [MaybeUninit<usize>] {
    vec![MaybeUninit::uninit(); count.expect("it exists")].leak()
}

fn queue(size: usize, count: usize) -> &'static Queue {
    leak(Queue::new(words(Queue::words(size, count)), size, count).unwrap())
}

fn pool(size: usize, count: usize) -> &'static Pool {
    leak(Pool::new(words(Pool::words(size, count)), size, count).unwrap())
}

/// Runs `body` in a world that ends with it.
fn world(body: impl FnOnce() + 'static) {
    let outcome = run(move || {
        body();
        HostSystem::exit(0)
    });
    assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
}

#[derive(Clone, Debug)]
enum Act {
    Send(u8),
    SendFirst,
    Replace,
    Receive,
    Peek,
    Reset,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        6 => prop::sample::select(vec![0u8, 1, 7, 255]).prop_map(Act::Send),
        2 => Just(Act::SendFirst),
        1 => Just(Act::Replace),
        5 => Just(Act::Receive),
        2 => Just(Act::Peek),
        1 => Just(Act::Reset),
    ];
    prop::collection::vec(act, 0..200)
}

/// Model of a queue: by falling priority, each first in first out; before them the messages that
/// were sent first.
#[derive(Default)]
struct Model(BTreeMap<u16, VecDeque<Vec<u8>>>);

/// Order of the message that was sent first, and its order as a receiver gets it.
const FIRST: u16 = 256;
const OF_FIRST: u8 = 254;

impl Model {
    fn len(&self) -> usize {
        self.0.values().map(VecDeque::len).sum()
    }

    fn put(&mut self, order: u16, message: Vec<u8>, count: usize) -> Result<(), Error> {
        if self.len() == count {
            return Err(Error::WouldBlock);
        }
        let all = self.0.entry(order).or_default();
        match order {
            FIRST => all.push_front(message),
            _ => all.push_back(message),
        }
        Ok(())
    }

    fn replace(&mut self, message: Vec<u8>, count: usize) {
        if self.put(0, message.clone(), count).is_err() {
            let last = self.0.values_mut().find_map(VecDeque::back_mut);
            *last.expect("it is full") = message;
        }
    }

    fn take(&mut self) -> Option<(u8, Vec<u8>)> {
        let (order, all) = self.0.iter_mut().rev().find(|(_, all)| !all.is_empty())?;
        Some((told(*order), all.pop_front()?))
    }

    fn first(&self) -> Option<(u8, Vec<u8>)> {
        let (order, all) = self.0.iter().rev().find(|(_, all)| !all.is_empty())?;
        Some((told(*order), all.front()?.clone()))
    }
}

fn told(order: u16) -> u8 {
    u8::try_from(order).unwrap_or(OF_FIRST)
}

proptest! {
    #[test]
    fn a_queue_is_a_bounded_list_by_priority(acts in acts(), size in 1usize..40, count in 1usize..6) {
        world(move || follow(&acts, size, count));
    }

    #[test]
    fn a_pool_hands_out_each_block_once(
        acts in prop::collection::vec((any::<bool>(), 0usize..12), 0..200),
        size in 1usize..40,
        count in 1usize..6,
    ) {
        world(move || use_blocks(&acts, size, count));
    }
}

fn follow(acts: &[Act], size: usize, count: usize) {
    let (queue, mut model) = (queue(size, count), Model::default());
    for (number, act) in acts.iter().enumerate() {
        let message: Vec<u8> = (0..size).map(|byte| (number * 31 + byte) as u8).collect();
        let mut found = vec![0; size];
        match act {
            Act::Send(priority) => {
                let sent = queue.send(&message, *priority, Timeout::NONE);
                assert_eq!(sent, model.put((*priority).into(), message, count));
            }
            Act::SendFirst => {
                let sent = queue.send_first(&message, Timeout::NONE);
                assert_eq!(sent, model.put(FIRST, message, count));
            }
            Act::Replace => {
                assert_eq!(queue.replace(&message), Ok(()));
                model.replace(message, count);
            }
            Act::Receive => {
                let received = queue.receive(&mut found, Timeout::NONE);
                let expected = model.take();
                assert_eq!(received.ok().map(|priority| (priority, found)), expected);
            }
            Act::Peek => {
                let seen = queue.peek(&mut found, Timeout::NONE);
                assert_eq!(seen.ok().map(|priority| (priority, found)), model.first());
            }
            Act::Reset => {
                assert_eq!(queue.reset(), Ok(()));
                model.0.clear();
            }
        }
        assert_eq!(queue.len(), model.len());
    }
}

fn use_blocks(acts: &[(bool, usize)], size: usize, count: usize) {
    let pool = pool(size, count);
    let mut used = Vec::new();
    let mut all = std::collections::BTreeSet::new();
    for (allocates, index) in acts {
        if *allocates {
            match pool.allocate(Timeout::NONE) {
                Ok(block) => {
                    assert!(!used.contains(&block), "a block is in use once");
                    // SAFETY: the block is this test's. The bytes that are written look like the
                    // pool's own mark.
                    unsafe { block.write_bytes(b'E', size) };
                    used.push(block);
                    all.insert(block);
                }
                Err(error) => assert_eq!((error, used.len()), (Error::WouldBlock, count)),
            }
        } else if let Some(block) = used.get(index % count).copied() {
            used.retain(|other| *other != block);
            assert_eq!(pool.free(block.as_ptr()), Ok(()));
            if size >= 8 {
                assert_eq!(pool.free(block.as_ptr()), Err(Error::State), "freed twice");
            }
        }
        assert_eq!(pool.used(), used.len());
        assert!(all.len() <= count, "there are no other blocks");
    }
}

#[test]
fn sizes_out_of_range_are_refused() {
    for (size, count) in [(0, 1), (1, 0), (usize::MAX, 16), (8, usize::MAX)] {
        assert_eq!(Queue::words(size, count), None);
        assert_eq!(
            Queue::new(&mut [], size, count).err(),
            Some(Error::Parameter)
        );
        assert_eq!(
            Pool::new(&mut [], size, count).err(),
            Some(Error::Parameter)
        );
    }
    assert_eq!(Queue::new(&mut [], 4, 1).err(), Some(Error::NoMemory));
    assert_eq!(Pool::new(&mut [], 4, 1).err(), Some(Error::NoMemory));
    world(|| {
        let queue = queue(4, 1);
        assert_eq!(
            queue.send(&[1, 2, 3], 0, Timeout::NONE),
            Err(Error::Parameter)
        );
        assert_eq!(
            queue.receive(&mut [0; 5], Timeout::NONE),
            Err(Error::Parameter)
        );
        let pool = pool(16, 2);
        let block = pool.allocate(Timeout::NONE).unwrap().as_ptr();
        for wrong in [
            block.wrapping_add(1),
            block.wrapping_sub(16),
            block.wrapping_add(32),
        ] {
            assert_eq!(pool.free(wrong), Err(Error::Parameter));
        }
    });
}

#[test]
fn a_message_goes_straight_to_the_most_urgent_receiver_and_a_waiting_one_into_the_room() {
    static SUM: AtomicU64 = AtomicU64::new(0);
    world(|| {
        let queue = queue(4, 1);
        for (level, weight) in [(5, 100), (3, 1), (5, 10_000)] {
            spawn("receiver", level, move || {
                let mut message = [0; 4];
                let priority = queue.receive(&mut message, Timeout::FOREVER).unwrap();
                assert_eq!(priority, message[0]);
                SUM.fetch_add(weight * u64::from(message[0]), Relaxed);
            });
        }
        for number in 1..=3 {
            assert_eq!(queue.send(&[number; 4], number, Timeout::NONE), Ok(()));
        }
        assert_eq!((SUM.load(Relaxed), queue.len()), (1 + 200 + 30_000, 0));
        assert_eq!(queue.send(&[9; 4], 1, Timeout::NONE), Ok(()));
        for level in [6, 4] {
            spawn("sender", level, move || {
                let sent = queue.send(&[level; 4], 2, Timeout::after(1.millis()));
                assert_eq!(
                    sent,
                    if level == 4 {
                        Ok(())
                    } else {
                        Err(Error::Timeout)
                    }
                );
            });
        }
        let mut message = [0; 4];
        assert_eq!(
            (queue.receive(&mut message, Timeout::NONE), message[0]),
            (Ok(1), 9)
        );
        assert_eq!(queue.len(), 1, "the most urgent sender's");
        AnyThread::sleep(2.millis()).unwrap();
        assert_eq!(
            (queue.receive(&mut message, Timeout::NONE), message[0]),
            (Ok(2), 4)
        );
    });
}

#[test]
fn a_thread_that_only_looks_gets_the_message_before_its_receiver_and_leaves_it() {
    static SEEN: AtomicU64 = AtomicU64::new(0);
    world(|| {
        let queue = queue(4, 1);
        let look = move |level: u8, weight: u64| {
            spawn("looker", level, move || {
                let mut message = [0; 4];
                assert!(queue.peek(&mut message, Timeout::FOREVER).is_ok());
                SEEN.fetch_add(weight * u64::from(message[0]), Relaxed);
            });
        };
        look(3, 1);
        look(4, 10);
        assert_eq!(queue.send(&[2; 4], 7, Timeout::NONE), Ok(()));
        assert_eq!((SEEN.load(Relaxed), queue.len()), (22, 1));
        assert_eq!(queue.reset(), Ok(()));
        look(3, 100);
        spawn("receiver", 4, move || {
            let mut message = [0; 4];
            assert_eq!(queue.receive(&mut message, Timeout::FOREVER), Ok(7));
            SEEN.fetch_add(1_000 * u64::from(message[0]), Relaxed);
        });
        look(5, 10_000);
        assert_eq!(queue.send(&[3; 4], 7, Timeout::NONE), Ok(()));
        assert_eq!(
            (SEEN.load(Relaxed), queue.len()),
            (3_322, 0),
            "who is less urgent than the receiver looks on"
        );
        assert_eq!(queue.send_first(&[4; 4], Timeout::NONE), Ok(()));
        assert_eq!((SEEN.load(Relaxed), queue.len()), (43_322, 1));
        assert_eq!(
            queue.peek(&mut [0; 3], Timeout::NONE),
            Err(Error::Parameter)
        );
        assert_eq!(queue.replace(&[0; 3]), Err(Error::Parameter));
        assert_eq!(queue.delete(), Ok(()));
        assert_eq!(queue.replace(&[0; 4]), Err(Error::Deleted));
        assert_eq!(queue.peek(&mut [0; 4], Timeout::NONE), Err(Error::Deleted));
    });
}

#[test]
fn a_thread_that_waits_at_what_is_deleted_is_told() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    world(|| {
        let (queue, pool) = (queue(4, 1), pool(8, 1));
        pool.allocate(Timeout::NONE).unwrap();
        spawn("receiver", 3, move || {
            let received = queue.receive(&mut [0; 4], Timeout::FOREVER);
            assert_eq!(received, Err(Error::Deleted));
            TOLD.fetch_add(1, Relaxed);
        });
        spawn("user", 3, move || {
            assert_eq!(pool.allocate(Timeout::FOREVER), Err(Error::Deleted));
            TOLD.fetch_add(1, Relaxed);
        });
        assert_eq!((queue.delete(), pool.delete()), (Ok(()), Ok(())));
        assert_eq!(TOLD.load(Relaxed), 2);
        assert_eq!(queue.delete(), Err(Error::Deleted));
        assert_eq!(queue.send(&[0; 4], 0, Timeout::NONE), Err(Error::Deleted));
        assert_eq!(queue.reset(), Err(Error::Deleted));
        assert_eq!(pool.allocate(Timeout::NONE), Err(Error::Deleted));
    });
}

/// A mutex that its owner has ended with, `recursive` or not, with this thread's wait for it.
fn left_locked(end: OwnerEnd) -> &'static Mutex {
    let mutex = leak(Mutex::with_protocol(Protocol::Inheritance).when_owner_ends(end));
    spawn("owner", 3, move || {
        assert_eq!(mutex.lock(Timeout::FOREVER), Ok(()));
        assert!(core::ptr::eq(mutex.owner().unwrap(), AnyThread::current()));
    });
    mutex
}

#[test]
fn a_mutex_whose_owner_ends_is_unlocked_or_stays_locked_or_tells() {
    world(|| {
        let mutex = left_locked(OwnerEnd::Unlock);
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));
        assert_eq!(mutex.make_consistent(), Err(Error::State));

        let mutex = left_locked(OwnerEnd::StayLocked);
        assert!(mutex.owner().is_none());
        assert_eq!(mutex.lock(Timeout::NONE), Err(Error::WouldBlock));
        assert_eq!(mutex.lock(Timeout::after(1.millis())), Err(Error::Timeout));
        assert_eq!(mutex.unlock(), Err(Error::NotOwner));
        assert_eq!(mutex.delete(), Err(Error::InUse));
        assert_eq!(mutex.abandon(), Ok(()));
        assert_eq!(mutex.renew(), Ok(()));
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));

        let mutex = left_locked(OwnerEnd::Tell);
        assert_eq!(mutex.lock(Timeout::NONE), Err(Error::OwnerDied));
        assert!(mutex.owner().is_some(), "it is this thread's");
        assert_eq!(mutex.make_consistent(), Ok(()));
        assert_eq!(mutex.unlock(), Ok(()));
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));

        let mutex = left_locked(OwnerEnd::Tell);
        assert_eq!(mutex.lock(Timeout::FOREVER), Err(Error::OwnerDied));
        assert_eq!(mutex.unlock(), Ok(()));
        assert_eq!(mutex.lock(Timeout::NONE), Err(Error::NotRecoverable));
        assert_eq!(mutex.renew(), Ok(()));
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));
        assert_eq!(mutex.unlock(), Ok(()));
    });
}

#[test]
fn a_thread_that_waits_when_the_owner_dies_gets_the_mutex_and_is_told() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    world(|| {
        let mutex = leak(Mutex::new().when_owner_ends(OwnerEnd::Tell));
        let owner = spawn("owner", 3, move || {
            mutex.lock(Timeout::FOREVER).unwrap();
            AnyThread::sleep(Timeout::FOREVER).unwrap();
        });
        for expected in [Error::OwnerDied, Error::NotRecoverable] {
            spawn("waiter", 4, move || {
                assert_eq!(mutex.lock(Timeout::FOREVER), Err(expected));
                let _ = mutex.unlock();
                TOLD.fetch_add(1, Relaxed);
            });
        }
        assert_eq!(owner.delete(), Ok(()));
        assert_eq!(TOLD.load(Relaxed), 2);
        assert_eq!(AnyThread::current().priorities().1.level(), 16);
    });
}

#[test]
fn a_locked_mutex_that_is_abandoned_lends_nothing_any_more() {
    world(|| {
        let mutex = leak(Mutex::new());
        mutex.lock(Timeout::NONE).unwrap();
        spawn("waiter", 3, move || {
            assert_eq!(mutex.lock(Timeout::FOREVER), Err(Error::Deleted));
        });
        assert_eq!(AnyThread::current().priorities().1.level(), 3);
        assert_eq!(mutex.abandon(), Ok(()));
        assert_eq!(AnyThread::current().priorities().1.level(), 16);
        assert_eq!(mutex.unlock(), Err(Error::Deleted));
        assert_eq!(mutex.abandon(), Err(Error::Deleted));
    });
}

static SEEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn see(first: usize, second: usize) -> ! {
    SEEN.store(first * second, Relaxed);
    AnyThread::exit()
}

#[test]
fn a_thread_runs_on_a_stack_that_is_given_and_can_be_made_anew() {
    world(|| {
        let thread = leak(RawThread::<HostSystem>::new());
        let priority = Priority::new(3).unwrap();
        let stack = || vec![MaybeUninit::<u8>::uninit(); 4096].leak();
        assert_eq!(thread.start(see, 6, 7), Err(Error::Deleted));
        assert_eq!(
            thread.create("small", priority, &mut []),
            Err(Error::NoMemory)
        );
        for (first, second) in [(6, 7), (2, 3)] {
            assert_eq!(thread.create("given", priority, stack()), Ok(()));
            assert_eq!(thread.create("given", priority, stack()), Err(Error::State));
            assert_eq!(thread.name(), "given");
            assert_eq!(thread.start(see, first, second), Ok(()));
            assert_eq!(
                (SEEN.load(Relaxed), thread.state()),
                (first * second, State::Dormant)
            );
            assert_eq!(thread.delete(), Ok(()));
        }
    });
}

#[test]
fn next_time_out_stays_when_time_is_set() {
    world(|| {
        assert_eq!(Kernel::<HostSystem>::next_timeout(), None);
        for millis in [7u32, 3] {
            spawn("sleeper", 3, move || {
                AnyThread::sleep(millis.millis()).unwrap()
            });
        }
        let next = Kernel::<HostSystem>::next_timeout().unwrap();
        assert_eq!(next.as_nanos(), 3_000_000);
        let set = Kernel::<HostSystem>::advance(Duration::from_millis(1));
        assert_eq!(set, Ok(()));
        assert_eq!(Kernel::<HostSystem>::now().as_nanos(), 1_000_000);
        assert_eq!(Kernel::<HostSystem>::next_timeout(), Some(next));
    });
}
