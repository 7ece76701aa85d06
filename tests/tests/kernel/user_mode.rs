//! Partitions on the host: what their threads may call. The memory that they may access needs a
//! processor to be tested.
//!
//! `TAKTOS_SEED` and `TAKTOS_OPERATIONS` choose another stress test than the usual one.
#![expect(
    unsafe_code,
    reason = "long messages lie in memory of partitions beside what the compiler knows of"
)]

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use taktos_abi::call::{Number, RELEASED, handle, kind, right};
use taktos_abi::{Error, Status};
use taktos_arch_host::Host;
use taktos_host::{Board, Outcome, leak, run};
use taktos_kernel::Kernel;
use taktos_kernel::user::{
    Data, Handle, Line, Memory, Partition, Pool, Queue, Registers, Rights, UserThread, call_as,
};
use taktos_kernel::{
    AnyThread, Condition, Duration, EventFlags, Mutex, OwnerEnd, Semaphore, Span, State, System,
    Thread, Timeout,
};
use taktos_workloads::user_mode::storm::{Attempt, Known, Storm, is_right};

#[repr(C, align(4096))]
struct Block([u8; 4096]);

/// The data of each partition: words that its threads write.
struct Words([AtomicU32; 64]);

impl Data for Words {
    const NEW: Self = Self([const { AtomicU32::new(0) }; 64]);
}

type User = UserThread<Board, Words>;
type Entry = extern "C" fn(&'static Words, usize) -> !;

thread_local! {
    /// The partition of the thread that runs, by the number of its thread's role: a coroutine has
    /// no other memory of its own.
    static PARTITIONS: Cell<[Option<&'static Partition<Board, Words>>; 2]> = const { Cell::new([None; 2]) };
}

/// The partition `number`.
fn partition(number: usize) -> &'static Partition<Board, Words> {
    PARTITIONS.get()[number].expect("the test has set its partitions")
}

/// A call of a thread of the partition `number`.
fn call(
    number: usize,
    call: Number,
    handle: usize,
    words: [usize; 2],
    timeout: Timeout,
) -> (Result<(), Error>, [usize; 3]) {
    let registers = Registers {
        number: call as usize,
        handle,
        words,
        timeout,
    };
    let [status, answer @ ..] = call_as::<Board>(partition(number), &registers);
    (Status::from_word(status).result(), answer)
}

fn exit(number: usize) -> ! {
    let _ = call(number, Number::Exit, usize::MAX, [0; 2], Timeout::NONE);
    unreachable!("a thread that has ended goes on")
}

const OWN: Rights = PARTNER.and(Rights::CONTROL);
const PARTNER: Rights = Rights::SEND
    .and(Rights::RECEIVE)
    .and(Rights::CALL)
    .and(Rights::GIVE)
    .and(Rights::TAKE);

/// The most urgent priority that threads of the partitions may have.
const MOST_URGENT: u8 = 6;

/// Threads that partitions are made of.
struct Threads {
    first: &'static [User; 2],
    second: &'static [User; 1],
}

fn threads(entries: [Entry; 3]) -> Threads {
    let [left, right, other] = entries;
    Threads {
        first: leak([
            UserThread::new("left", 512, left).priority(8),
            UserThread::new("right", 512, right).priority(8),
        ]),
        second: leak([UserThread::new("other", 512, other).priority(8)]),
    }
}

fn partitions(
    threads: &Threads,
    first: &'static [Handle<Board>],
    second: &'static [Handle<Board>],
) {
    let make = |name, threads, handles| {
        leak(
            Partition::new(name, leak(Memory::<Block>::new()), threads)
                .handles(handles)
                .most_urgent(MOST_URGENT),
        )
    };
    let first = make("first", &threads.first[..], first);
    let second = make("second", &threads.second[..], second);
    PARTITIONS.set([Some(first), Some(second)]);
}

fn passed(outcome: &Outcome) {
    assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
}

/// Runs a test in a world of its own.
fn world(test: impl FnOnce() + 'static) {
    passed(&run(|| {
        test();
        Board::exit(0)
    }));
}

extern "C" fn idle(_: &'static Words, _: usize) -> ! {
    exit(1)
}

/// A server of the second partition: echoes, but for one message, which it keeps.
extern "C" fn server(data: &'static Words, _: usize) -> ! {
    loop {
        let (received, [first, second, sender]) =
            call(1, Number::Receive, usize::MAX, [0; 2], Timeout::FOREVER);
        if received == Err(Error::Parameter) {
            // The next sender sends bytes, which no thread requested.
            let nowhere = [std::ptr::from_ref(data).expose_provenance(), 0];
            let _ = call(1, Number::ReceiveBytes, usize::MAX, nowhere, Timeout::NONE);
            continue;
        }
        assert_eq!(received, Ok(()));
        data.0[0].fetch_add(1, Relaxed);
        if [first, second] == [99, 7] {
            call(1, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
                .0
                .ok();
        }
        let answer = [first.wrapping_add(1), second.wrapping_add(1)];
        call(1, Number::Reply, sender, answer, Timeout::NONE).0.ok();
    }
}

extern "C" fn client(data: &'static Words, message: usize) -> ! {
    let (replied, [first, second, _]) = call(0, Number::Call, 0, [message, 7], Timeout::FOREVER);
    data.0[0].store(replied.map_or_else(|error| error as u32, |()| 100), Relaxed);
    data.0[1].store(first as u32, Relaxed);
    data.0[2].store(second as u32, Relaxed);
    exit(0)
}

fn word(number: usize, place: usize) -> u32 {
    partition(number)
        .look_at(|words| words.0[place].load(Relaxed))
        .expect("it was started")
}

fn pair(entries: [Entry; 3]) {
    let threads = threads(entries);
    let handles = leak([Handle::member(&threads.second[0], PARTNER)]);
    partitions(&threads, handles, &[]);
}

#[test]
fn a_call_across_partitions_brings_both_words_back() {
    world(|| {
        pair([client, idle, server]);
        partition(1).start().unwrap();
        partition(0).start_with(41).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(0, 0), word(0, 1), word(0, 2)], [100, 42, 8]);
    });
}

#[test]
fn a_restart_ends_the_calls_of_partners_and_raises_the_generation() {
    world(|| {
        pair([client, idle, server]);
        partition(1).start().unwrap();
        assert_eq!(partition(1).generation(), 1);
        partition(0).start_with(99).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(0, 0), word(1, 0)], [0, 1], "it waits for the reply");
        partition(1).restart().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(word(0, 0), Error::Deleted as u32);
        assert_eq!(
            (partition(1).generation(), word(1, 0)),
            (2, 0),
            "the data are new"
        );
        assert_eq!(partition(1).start(), Err(Error::State));
        partition(0).restart_with(1).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(0, 0), word(0, 1)], [100, 2]);
    });
}

/// Sends by a handle that says the generation 1, then by one that says any.
extern "C" fn stale(data: &'static Words, _: usize) -> ! {
    let of_first = 1 << handle::GENERATION;
    for (place, handle) in [of_first, 0].into_iter().enumerate() {
        let (sent, _) = call(0, Number::Call, handle, [3, 0], Timeout::FOREVER);
        data.0[place].store(sent.map_or_else(|error| error as u32, |()| 100), Relaxed);
    }
    let (told, [generation, ..]) = call(0, Number::Generation, 0, [0; 2], Timeout::NONE);
    data.0[2].store(told.map_or(0, |()| generation as u32), Relaxed);
    exit(0)
}

#[test]
fn a_stale_generation_is_refused() {
    world(|| {
        pair([stale, idle, server]);
        partition(1).start().unwrap();
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(0, 0), word(0, 1), word(0, 2)], [100, 100, 1]);
        partition(1).restart().unwrap();
        partition(0).restart().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(
            [word(0, 0), word(0, 1), word(0, 2)],
            [Error::Deleted as u32, 100, 2]
        );
    });
}

/// Replies to words that name no caller of its own, then to the one that there is, twice.
extern "C" fn forger(data: &'static Words, _: usize) -> ! {
    let (_, [.., sender]) = call(1, Number::Receive, usize::MAX, [0; 2], Timeout::FOREVER);
    for (place, token) in [0, 1, sender + 8, sender ^ 1, sender, sender]
        .into_iter()
        .enumerate()
    {
        let (replied, _) = call(1, Number::Reply, token, [5, 6], Timeout::NONE);
        data.0[place].store(replied.map_or_else(|error| error as u32, |()| 100), Relaxed);
    }
    exit(1)
}

#[test]
fn only_the_caller_that_waits_can_be_replied_to_and_once() {
    world(|| {
        pair([client, idle, forger]);
        partition(1).start().unwrap();
        partition(0).start_with(4).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let state = Error::State as u32;
        let told: Vec<u32> = (0..6).map(|place| word(1, place)).collect();
        assert_eq!(told, [state, state, state, state, 100, state]);
        assert_eq!([word(0, 0), word(0, 1)], [100, 5]);
    });
}

/// Locks the mutex and keeps it.
extern "C" fn owner(_: &'static Words, _: usize) -> ! {
    call(0, Number::MutexLock, 0, [0; 2], Timeout::NONE)
        .0
        .unwrap();
    call(0, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(0)
}

#[test]
fn a_mutex_of_a_partition_that_stops_is_handed_on() {
    world(|| {
        let threads = threads([owner, idle, idle]);
        let mutex: &'static Mutex<Board> = leak(Mutex::new());
        partitions(&threads, leak([Handle::mutex(mutex)]), &[]);
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(mutex.lock(Timeout::NONE), Err(Error::WouldBlock));
        partition(0).stop();
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));
    });
}

/// Locks the mutex as soon as it can, says that all is whole if its argument says so, and unlocks
/// it; then again.
extern "C" fn heir(data: &'static Words, repairs: usize) -> ! {
    let call = |number, timeout| told(call(1, number, 0, [0; 2], timeout).0);
    let repair = || call(Number::MutexMakeConsistent, Timeout::NONE);
    let mut results = vec![repair(), call(Number::MutexLock, Timeout::FOREVER)];
    if repairs != 0 {
        results.push(repair());
    }
    results.push(call(Number::MutexUnlock, Timeout::NONE));
    results.push(call(Number::MutexLock, Timeout::NONE));
    results.push(repair());
    for (place, result) in results.into_iter().enumerate() {
        data.0[place].store(result, Relaxed);
    }
    exit(1)
}

#[test]
fn a_robust_mutex_tells_that_its_owners_partition_stopped() {
    let [owner_error, died, state, gone] = [
        Error::NotOwner,
        Error::OwnerDied,
        Error::State,
        Error::NotRecoverable,
    ]
    .map(|error| error as u32);
    let repaired = vec![owner_error, died, 100, 100, 100, state];
    let left = vec![owner_error, died, 100, gone, owner_error];
    for (repairs, expected) in [(1, repaired), (0, left)] {
        world(move || {
            let threads = threads([owner, idle, heir]);
            let mutex = leak(Mutex::new().when_owner_ends(OwnerEnd::Tell));
            let handles = leak([Handle::mutex(mutex)]);
            partitions(&threads, handles, handles);
            partition(0).start().unwrap();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            partition(1).start_with(repairs).unwrap();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            partition(0).stop();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            assert_eq!(some_words(1, 0..expected.len()), expected);
        });
    }
}

/// Waits in each way that fails, then for the signal; its argument says how long before.
extern "C" fn waiter(data: &'static Words, micros: usize) -> ! {
    let mut place = 0;
    let mut say = |word: u32| {
        data.0[place].store(word, Relaxed);
        place += 1;
    };
    let wait = |mutex, timeout| call(0, Number::ConditionWait, 0, [0, mutex], timeout);
    let lock = |number| told(call(0, number, 1, [0; 2], Timeout::FOREVER).0);
    say(told(wait(1, Timeout::FOREVER).0));
    say(lock(Number::MutexLock));
    say(told(wait(0, Timeout::FOREVER).0));
    say(told(wait(2, Timeout::FOREVER).0));
    say(told(wait(1 | 1 << handle::GENERATION, Timeout::FOREVER).0));
    for number in [Number::ConditionSignal, Number::ConditionBroadcast] {
        say(told(call(0, number, 0, [0; 2], Timeout::NONE).0));
    }
    let (refused, [value, ..]) = wait(1, Timeout::NONE);
    say(told(refused));
    say(u32::from(value == RELEASED));
    let (late, [value, ..]) = wait(1, Timeout::after(Duration::from_micros(micros as u64)));
    say(told(late));
    say(u32::from(value == RELEASED));
    say(lock(Number::MutexUnlock));
    say(lock(Number::MutexLock));
    say(told(wait(1, Timeout::FOREVER).0));
    say(lock(Number::MutexUnlock));
    exit(0)
}

/// Signals while it owns the mutex.
extern "C" fn signaller(data: &'static Words, _: usize) -> ! {
    let numbers = [
        Number::MutexLock,
        Number::ConditionSignal,
        Number::MutexUnlock,
        Number::ConditionSignal,
        Number::ConditionBroadcast,
    ];
    for (place, number) in numbers.into_iter().enumerate() {
        let on = usize::from(number as u8 <= Number::MutexUnlock as u8);
        data.0[place].store(
            told(call(1, number, on, [0; 2], Timeout::FOREVER).0),
            Relaxed,
        );
        if place == 1 {
            let a_while = Timeout::after(100.micros());
            let _ = call(1, Number::Sleep, usize::MAX, [0; 2], a_while);
            // The one that was signalled has the mutex only when it is unlocked.
            data.0[9].store(word(0, 14), Relaxed);
        }
    }
    exit(1)
}

#[test]
fn a_condition_is_waited_at_with_a_mutex_and_signalled_from_another_partition() {
    world(|| {
        let threads = threads([waiter, idle, signaller]);
        let condition: &'static Condition<Board> = leak(Condition::new());
        let mutex: &'static Mutex<Board> = leak(Mutex::new());
        let handles = |rights| leak([Handle::condition(condition, rights), Handle::mutex(mutex)]);
        partitions(&threads, handles(Rights::TAKE), handles(Rights::GIVE));
        partition(0).start_with(50).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert!(condition.has_waiters());
        partition(1).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let [done, parameter] = [100, Error::Parameter as u32];
        let expected = [
            Error::NotOwner as u32,
            done,
            parameter,
            parameter,
            parameter,
            parameter,
            parameter,
            Error::WouldBlock as u32,
            0,
            Error::Timeout as u32,
            1,
            Error::NotOwner as u32,
            done,
            done,
            done,
        ];
        assert_eq!(some_words(0, 0..expected.len()), expected);
        assert_eq!(some_words(1, 0..5), [done; 5]);
        assert_eq!(word(1, 9), 0);
    });
}

/// Waits for the signal, and says that it came.
extern "C" fn listener(data: &'static Words, _: usize) -> ! {
    let lock = |number| call(0, number, 1, [0; 2], Timeout::FOREVER).0.unwrap();
    lock(Number::MutexLock);
    // The first one starts the second.
    let _ = call(0, Number::ThreadStart, 2, [0; 2], Timeout::NONE);
    let waited = call(0, Number::ConditionWait, 0, [0, 1], Timeout::FOREVER).0;
    data.0[usize::from(data.0[0].load(Relaxed) != 0)].store(told(waited), Relaxed);
    if waited.is_err() {
        lock(Number::MutexLock);
    }
    lock(Number::MutexUnlock);
    exit(0)
}

#[test]
fn a_thread_that_waits_at_a_condition_is_woken_by_a_broadcast_and_by_its_end() {
    for end in 0..3 {
        world(move || {
            let threads = threads([listener, listener, idle]);
            let condition: &'static Condition<Board> = leak(Condition::new());
            let mutex: &'static Mutex<Board> = leak(Mutex::new());
            let handles = leak([
                Handle::condition(condition, Rights::TAKE),
                Handle::mutex(mutex),
                Handle::member(&threads.first[1], OWN),
            ]);
            partitions(&threads, handles, &[]);
            partition(0).start().unwrap();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            assert!(condition.has_waiters());
            match end {
                0 => condition.broadcast().unwrap(),
                1 => condition.delete().unwrap(),
                _ => partition(0).stop(),
            }
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            assert!(!condition.has_waiters());
            assert_eq!(mutex.lock(Timeout::NONE), Ok(()));
            let told = [100, Error::Deleted as u32, 0][end];
            assert!(end == 2 || some_words(0, 0..2) == [told; 2]);
        });
    }
}

const INTERRUPT: u32 = 5;

thread_local! {
    static LINE: Cell<Option<&'static Line<Board>>> = const { Cell::new(None) };
    /// How often the handler came.
    static HANDLED: Cell<u32> = const { Cell::new(0) };
}

fn handler() {
    HANDLED.set(HANDLED.get() + 1);
    LINE.get().expect("the test has a line").arrived();
}

/// Counts the requests of its device, and acknowledges them a while later.
extern "C" fn driver(data: &'static Words, bits: usize) -> ! {
    let a_while = Timeout::after(100.micros());
    loop {
        let done = call(0, Number::InterruptAcknowledge, 0, [0; 2], Timeout::NONE);
        assert_eq!(done.0, Ok(()));
        let all = [u32::MAX as usize, 0];
        let (waited, [word, ..]) = call(0, Number::NotifyWait, usize::MAX, all, Timeout::FOREVER);
        assert_eq!((waited, word), (Ok(()), bits));
        data.0[0].fetch_add(1, Relaxed);
        let _ = call(0, Number::Sleep, usize::MAX, [0; 2], a_while);
    }
}

#[test]
fn an_interrupt_comes_once_for_each_acknowledgement() {
    const BITS: u32 = 6;
    world(|| {
        let threads = threads([driver, idle, idle]);
        let line = leak(Line::new(
            &threads.first[0],
            BITS,
            || Host::disable_interrupt(INTERRUPT),
            || Host::set_handler(INTERRUPT, handler),
        ));
        LINE.set(Some(line));
        partitions(&threads, leak([Handle::interrupt(line)]), &[]);
        let pend = |expected: u32| {
            Host::pend_interrupt(INTERRUPT);
            assert_eq!(HANDLED.get(), expected);
        };
        let wait = || AnyThread::<Board>::sleep(1.millis()).unwrap();
        pend(0);
        partition(0).start_with(BITS as usize).unwrap();
        wait();
        assert_eq!(
            [HANDLED.get(), word(0, 0)],
            [1, 1],
            "it waited to be let through"
        );
        pend(2);
        AnyThread::<Board>::sleep(50.micros()).unwrap();
        // One that comes though it is masked is not reported.
        handler();
        wait();
        assert_eq!([HANDLED.get(), word(0, 0)], [3, 2]);
        for _ in 0..100 {
            pend(4);
        }
        wait();
        assert_eq!(
            [HANDLED.get(), word(0, 0)],
            [5, 4],
            "once, and once for all that came since"
        );
        partition(0).stop();
        assert!(!line.is_open());
        pend(5);
        partition(0).start_with(BITS as usize).unwrap();
        wait();
        assert_eq!(
            [HANDLED.get(), word(0, 0)],
            [6, 1],
            "the new life is told of what waits"
        );
    });
}

/// Sends bytes from its data, and from where it has none.
extern "C" fn sender_of_bytes(data: &'static Words, _: usize) -> ! {
    let address = std::ptr::from_ref(data).expose_provenance();
    data.0[8].store(0x1234_5678, Relaxed);
    let own = address + 32;
    let foreign = std::ptr::from_ref(partition(1)).expose_provenance();
    let tries = [
        [foreign, 4],
        [own, 65],
        [usize::MAX - 1, 4],
        [own, usize::MAX],
        [own, 4],
    ];
    for (place, bytes) in tries.into_iter().enumerate() {
        let (sent, _) = call(0, Number::SendBytes, 0, bytes, Timeout::FOREVER);
        data.0[place].store(sent.map_or_else(|error| error as u32, |()| 100), Relaxed);
    }
    exit(0)
}

/// Receives bytes into its data.
extern "C" fn receiver_of_bytes(data: &'static Words, _: usize) -> ! {
    let room = std::ptr::from_ref(data).expose_provenance() + 32;
    let (received, [count, sent, _]) = call(
        1,
        Number::ReceiveBytes,
        usize::MAX,
        [room, 3],
        Timeout::FOREVER,
    );
    let told = [received.map_or(0, |()| 100), count as u32, sent as u32];
    for (place, told) in told.into_iter().enumerate() {
        data.0[place].store(told, Relaxed);
    }
    exit(1)
}

#[test]
fn bytes_come_from_own_memory_into_own_memory() {
    world(|| {
        pair([sender_of_bytes, idle, receiver_of_bytes]);
        partition(1).start().unwrap();
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let refused = Error::Parameter as u32;
        let told: Vec<u32> = (0..5).map(|place| word(0, place)).collect();
        assert_eq!(told, [refused, refused, refused, refused, 100]);
        assert_eq!([word(1, 0), word(1, 1), word(1, 2)], [100, 3, 4]);
        assert_eq!(word(1, 8), 0x0034_5678, "three bytes fit");
    });
}

/// Returns the result of a call as a number: 100, or an error's number.
fn told(result: Result<(), Error>) -> u32 {
    result.map_or_else(|error| error as u32, |()| 100)
}

fn some_words(number: usize, places: std::ops::Range<usize>) -> Vec<u32> {
    places.map(|place| word(number, place)).collect()
}

/// The message of the tests' queues, and where a thread has it: in its data.
type Pair = [u32; 2];
const AT: usize = 32;

fn address(data: &'static Words) -> usize {
    std::ptr::from_ref(data).expose_provenance()
}

/// Sends to a queue from places and with sizes that are wrong, then thrice as is right: the third
/// time there is no room for some time.
extern "C" fn sender_to_queue(data: &'static Words, _: usize) -> ! {
    let place = address(data) + AT;
    let foreign = std::ptr::from_ref(partition(1)).expose_provenance();
    let tries = [
        [foreign & !7, 8],
        [place, 4],
        [place, 12],
        [place + 1, 8],
        [place, usize::MAX],
        [place, 8],
        [place, 8],
        [place, 8],
    ];
    for (number, words) in tries.into_iter().enumerate() {
        data.0[AT / 4].store(number as u32, Relaxed);
        let sent = call(0, Number::QueueSend, 0, words, Timeout::FOREVER);
        data.0[number].store(told(sent.0), Relaxed);
    }
    let sent = call(0, Number::QueueReceive, 0, [place, 8], Timeout::NONE);
    data.0[16].store(told(sent.0), Relaxed);
    exit(0)
}

/// Receives from a queue what comes, after a while; then waits in vain, then until something comes.
extern "C" fn receiver_from_queue(data: &'static Words, _: usize) -> ! {
    let a_while = Timeout::after(100.micros());
    let sleep = || call(1, Number::Sleep, usize::MAX, [0; 2], a_while).0;
    sleep().ok();
    let place = address(data) + AT;
    let wrong = call(1, Number::QueueReceive, 0, [place + 2, 8], Timeout::NONE);
    data.0[0].store(told(wrong.0), Relaxed);
    for (number, timeout) in [a_while, a_while, a_while, a_while, Timeout::FOREVER]
        .into_iter()
        .enumerate()
    {
        let received = call(1, Number::QueueReceive, 0, [place, 8], timeout);
        data.0[number + 1].store(told(received.0), Relaxed);
        data.0[number + 16].store(data.0[AT / 4].load(Relaxed), Relaxed);
    }
    exit(1)
}

fn queue_between_partitions() -> &'static Queue<Board, Pair, 2> {
    let threads = threads([sender_to_queue, idle, receiver_from_queue]);
    let queue = leak(Queue::new());
    partitions(
        &threads,
        leak([Handle::queue(queue, Rights::SEND)]),
        leak([Handle::queue(queue, Rights::RECEIVE)]),
    );
    partition(1).start().unwrap();
    partition(0).start().unwrap();
    queue
}

#[test]
fn messages_of_a_queue_are_copied_between_the_memories_of_partitions() {
    world(|| {
        let queue = queue_between_partitions();
        AnyThread::<Board>::sleep(50.micros()).unwrap();
        assert_eq!(queue.len(), 2, "the third waits for room");
        assert_eq!(word(0, 7), 0);
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let refused = Error::Parameter as u32;
        let expected = [refused, refused, refused, refused, refused, 100, 100, 100];
        assert_eq!(some_words(0, 0..8), expected);
        assert_eq!(word(0, 16), refused, "it has no right to receive");
        let expected = [refused, 100, 100, 100, Error::Timeout as u32, 0];
        assert_eq!(some_words(1, 0..6), expected);
        assert_eq!(some_words(1, 16..19), [5, 6, 7]);
        // The receiver waits, for a thread with privilege, too.
        queue.send(&[9, 1], Timeout::NONE).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(1, 5), word(1, 20)], [100, 9]);
    });
}

#[test]
fn a_handler_sends_to_a_partition_by_a_queue() {
    world(|| {
        let queue = queue_between_partitions();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        Host::interrupt(|| queue.send(&[3, 4], Timeout::NONE).unwrap());
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(1, 5), word(1, 20)], [100, 3]);
    });
}

#[test]
fn a_partition_that_stops_waits_at_no_queue_any_more() {
    world(|| {
        let queue = queue_between_partitions();
        AnyThread::<Board>::sleep(50.micros()).unwrap();
        partition(0).stop();
        assert_eq!(queue.receive(Timeout::NONE), Ok([5, 0]));
        assert_eq!(queue.receive(Timeout::NONE), Ok([6, 0]));
        assert_eq!(
            queue.receive(Timeout::NONE),
            Err(Error::WouldBlock),
            "the message of a thread that is no more does not come"
        );
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(queue.delete(), Ok(()));
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(word(1, 5), Error::Deleted as u32);
    });
}

/// Place of a long message in a partition, after its data; and its length.
const LONG_AT: usize = 512;
const LONG: usize = 1500;

fn byte_at(place: usize) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(place)
}

/// Returns the byte at that place of a long message.
const fn pattern(number: usize) -> u8 {
    (number * 7 + number / 256) as u8
}

fn fill(place: usize) {
    for number in 0..LONG {
        // SAFETY: after the data of the thread's partition, which has 4,096 bytes of memory.
        unsafe { byte_at(place + number).write(pattern(number)) };
    }
}

/// Returns whether `length` bytes of the message are there, and no more.
fn is_filled(place: usize, length: usize) -> bool {
    (0..LONG).all(|number| {
        // SAFETY: as above.
        let byte = unsafe { byte_at(place + number).read() };
        byte == if number < length { pattern(number) } else { 0 }
    })
}

/// Sends a long message, within the time that the argument says in microseconds, and again.
extern "C" fn sender_of_much(data: &'static Words, micros: usize) -> ! {
    let place = address(data) + LONG_AT;
    fill(place);
    let within = match micros {
        0 => Timeout::FOREVER,
        micros => Timeout::after(Duration::from_micros(micros as u64)),
    };
    for at in 0..2 {
        let sent = call(0, Number::SendLong, 0, [place, LONG], within);
        data.0[at].store(told(sent.0), Relaxed);
    }
    exit(0)
}

/// Number that is added to the argument of a receiver that comes late.
const LATE: usize = 1 << 16;

/// Receives a long message in pieces, with a pause after each, into as much room as the argument
/// says.
extern "C" fn receiver_of_much(data: &'static Words, argument: usize) -> ! {
    let size = argument % LATE;
    let place = address(data) + LONG_AT;
    let nothing = [place, 64];
    let pause = || {
        let pause = Timeout::after(10.micros());
        call(1, Number::Sleep, usize::MAX, [0; 2], pause).0.ok();
    };
    if argument >= LATE {
        pause();
    }
    let (received, [count, sent, sender]) = call(
        1,
        Number::ReceiveLong,
        usize::MAX,
        nothing,
        Timeout::FOREVER,
    );
    let foreign = [std::ptr::from_ref(partition(0)).expose_provenance(), 8];
    let wrong = [
        (sender ^ 8, nothing),
        (0, nothing),
        (sender, [place, 65]),
        (sender, foreign),
    ]
    .map(|(sender, words)| call(1, Number::FetchBytes, sender, words, Timeout::NONE).0);
    for (at, result) in wrong.into_iter().enumerate() {
        data.0[at + 8].store(told(result), Relaxed);
    }
    for (at, number) in [told(received), count as u32, sent as u32]
        .into_iter()
        .enumerate()
    {
        data.0[at].store(number, Relaxed);
    }
    let (mut at, mut pieces) = (0, 0);
    let result = loop {
        pause();
        let words = [place + at, 64.min(size - at)];
        let (fetched, [count, left, _]) = call(1, Number::FetchBytes, sender, words, Timeout::NONE);
        pieces += 1;
        at += if fetched.is_ok() { count } else { 0 };
        data.0[4].store(pieces, Relaxed);
        data.0[5].store(at as u32, Relaxed);
        if fetched.is_err() || left == 0 || count == 0 {
            break fetched;
        }
    };
    data.0[3].store(told(result), Relaxed);
    data.0[6].store(u32::from(is_filled(place, at)), Relaxed);
    call(1, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(1)
}

fn much(within: usize, room: usize) {
    pair([sender_of_much, idle, receiver_of_much]);
    partition(1).start_with(room).unwrap();
    partition(0).start_with(within).unwrap();
}

/// The pieces of a whole message.
const PIECES: u32 = LONG.div_ceil(64) as u32;

#[test]
fn a_long_message_comes_in_pieces() {
    let [state, parameter] = [Error::State, Error::Parameter].map(|error| error as u32);
    for late in [0, LATE] {
        world(move || {
            much(0, LONG + late);
            AnyThread::<Board>::sleep(2.millis()).unwrap();
            assert_eq!(
                some_words(1, 0..7),
                [100, 0, LONG as u32, 100, PIECES, LONG as u32, 1]
            );
            assert_eq!(some_words(1, 8..12), [state, state, parameter, parameter]);
            assert_eq!(
                some_words(0, 0..2),
                [100, 0],
                "the second one is not received"
            );
        });
    }
}

#[test]
fn a_receiver_may_want_no_more() {
    world(|| {
        much(0, 130);
        AnyThread::<Board>::sleep(2.millis()).unwrap();
        assert_eq!(some_words(1, 3..7), [100, 4, 130, 1]);
        assert_eq!(some_words(0, 0..2), [100, 0]);
    });
}

#[test]
fn a_sender_that_goes_away_in_the_middle_is_told_of() {
    for (within, stops) in [(55, false), (0, true)] {
        world(move || {
            much(within, LONG);
            AnyThread::<Board>::sleep(45.micros()).unwrap();
            if stops {
                partition(0).restart().unwrap();
            }
            AnyThread::<Board>::sleep(2.millis()).unwrap();
            let [result, pieces, count, is_right] = some_words(1, 3..7).try_into().unwrap();
            assert_eq!([result, is_right], [Error::State as u32, 1]);
            assert!(pieces < PIECES && count == (pieces - 1) * 64);
            let sent = if stops { 0 } else { Error::Timeout as u32 };
            assert_eq!(word(0, 0), sent);
        });
    }
}

/// Sends a long message, then calls.
extern "C" fn sender_that_calls(data: &'static Words, _: usize) -> ! {
    let place = address(data) + LONG_AT;
    let sent = call(0, Number::SendLong, 0, [place, LONG], Timeout::FOREVER);
    data.0[0].store(told(sent.0), Relaxed);
    let called = call(0, Number::Call, 0, [1, 2], Timeout::FOREVER);
    data.0[1].store(told(called.0), Relaxed);
    data.0[2].store(called.1[0] as u32, Relaxed);
    exit(0)
}

/// Receives `pieces` pieces of a long message, and serves.
extern "C" fn server_of_much(data: &'static Words, pieces: usize) -> ! {
    let room = [address(data) + LONG_AT, 64];
    let (_, [.., sender]) = call(1, Number::ReceiveLong, usize::MAX, room, Timeout::FOREVER);
    for _ in 0..pieces {
        call(1, Number::FetchBytes, sender, room, Timeout::NONE)
            .0
            .unwrap();
    }
    if pieces < PIECES as usize {
        // The rest of the message is cut off, as from a message of bytes.
        let (_, [count, sent, _]) = call(1, Number::ReceiveBytes, usize::MAX, room, Timeout::NONE);
        assert_eq!([count, sent], [64, LONG - pieces * 64]);
    }
    // The call comes before any thread waits for it.
    let a_while = Timeout::after(20.micros());
    call(1, Number::Sleep, usize::MAX, [0; 2], a_while).0.ok();
    server(data, 0)
}

#[test]
fn a_thread_that_has_sent_a_long_message_can_call() {
    for pieces in [PIECES, 3] {
        world(move || {
            pair([sender_that_calls, idle, server_of_much]);
            partition(1).start_with(pieces as usize).unwrap();
            partition(0).start().unwrap();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            assert_eq!(some_words(0, 0..3), [100, 100, 2]);
        });
    }
}

#[test]
fn a_receiver_that_goes_away_in_the_middle_ends_the_wait_of_who_sends() {
    world(|| {
        much(0, LONG);
        AnyThread::<Board>::sleep(45.micros()).unwrap();
        partition(1).stop();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(some_words(0, 0..2), [Error::Deleted as u32; 2]);
        partition(1).start_with(LONG).unwrap();
        partition(0).restart().unwrap();
        AnyThread::<Board>::sleep(2.millis()).unwrap();
        assert_eq!(
            [word(0, 0), word(1, 6)],
            [100, 1],
            "it is as at the beginning"
        );
    });
}

/// Takes blocks until there is none, gives back what it has and has not, passes one on, which it
/// cannot accept itself, waits for another one.
extern "C" fn user_of_blocks(data: &'static Words, _: usize) -> ! {
    let take = |timeout| call(0, Number::PoolTake, 0, [0; 2], timeout);
    let give = |block| call(0, Number::PoolGive, 0, [block, 0], Timeout::NONE).0;
    let pass = |block, to| call(0, Number::PoolPass, 0, [block, to], Timeout::NONE).0;
    let accept = |block| call(0, Number::PoolAccept, 0, [block, 0], Timeout::NONE).0;
    let blocks = [(); 4].map(|()| take(Timeout::NONE).1[0]);
    let distances = [1, 2, 3].map(|number: usize| blocks[number] - blocks[0]);
    data.0[0].store(u32::from(distances == [1024, 2048, 3072]), Relaxed);
    let (of_second, of_own, of_none) = (1, 2, 3);
    let results = [
        take(Timeout::NONE).0,
        give(blocks[0] + 8),
        give(blocks[0].wrapping_sub(1024)),
        give(blocks[3] + 1024),
        give(blocks[0]),
        give(blocks[0]),
        pass(blocks[1], of_none),
        pass(blocks[1], of_own),
        pass(blocks[1], of_second),
        accept(blocks[1]),
        accept(blocks[1] + 8),
    ];
    for (place, result) in results.into_iter().enumerate() {
        data.0[place + 1].store(told(result), Relaxed);
    }
    let _ = take(Timeout::NONE);
    let got = take(Timeout::FOREVER);
    data.0[16].store(told(got.0), Relaxed);
    data.0[17].store(u32::from(got.1[0] == blocks[1]), Relaxed);
    call(0, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(0)
}

/// Accepts that block, twice, and keeps it.
extern "C" fn acceptor(data: &'static Words, block: usize) -> ! {
    for place in 0..2 {
        let accepted = call(1, Number::PoolAccept, 0, [block, 0], Timeout::NONE).0;
        data.0[place].store(told(accepted), Relaxed);
    }
    sleeper(data, 0)
}

/// Keeps the processor from nothing.
extern "C" fn sleeper(_: &'static Words, _: usize) -> ! {
    call(1, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(1)
}

#[test]
fn blocks_are_held_by_one_partition_and_come_back_when_it_stops() {
    world(|| {
        let threads = threads([user_of_blocks, idle, acceptor]);
        let pool: &'static Pool<Board> = leak(Pool::new(leak(Memory::<Block>::new()), 4));
        let all = Rights::GIVE.and(Rights::TAKE);
        let first = pool.take(Timeout::NONE).unwrap();
        pool.give(first).unwrap();
        partitions(
            &threads,
            leak([
                Handle::pool(pool, all),
                Handle::member(&threads.second[0], Rights::SEND),
                Handle::member(&threads.first[1], Rights::CALL),
            ]),
            leak([Handle::pool(pool, all)]),
        );
        // Its thread is to exist for what is passed to it.
        partition(1).start().unwrap();
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let [parameter, owner] = [Error::Parameter, Error::NotOwner].map(|error| error as u32);
        let expected = [
            1,
            Error::WouldBlock as u32,
            parameter,
            parameter,
            parameter,
            100,
            owner,
            parameter,
            parameter,
            100,
            owner,
            parameter,
        ];
        assert_eq!(some_words(0, 0..12), expected);
        assert_eq!(
            [pool.free_blocks(), word(0, 16) as usize],
            [0, 0],
            "one waits"
        );
        assert_eq!(some_words(1, 0..2), [parameter; 2], "not yet passed");
        let second = first.addr() + 1024;
        partition(1).restart_with(second).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(some_words(1, 0..2), [100, owner]);
        partition(1).stop();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!([word(0, 16), word(0, 17)], [100, 1], "the block passed on");
        assert_eq!(pool.free_blocks(), 0);
        partition(0).stop();
        assert_eq!(pool.free_blocks(), 4);
        let block = pool.take(Timeout::NONE).unwrap();
        assert_eq!(pool.give(block), Ok(()));
        assert_eq!(pool.give(block), Err(Error::State));
    });
}

/// Takes all blocks and passes them on.
extern "C" fn passer_of_all(data: &'static Words, _: usize) -> ! {
    for place in 0..4 {
        let (_, [block, ..]) = call(0, Number::PoolTake, 0, [0; 2], Timeout::NONE);
        let passed = call(0, Number::PoolPass, 0, [block, 1], Timeout::NONE);
        data.0[place].store(told(passed.0), Relaxed);
    }
    call(0, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(0)
}

#[test]
fn a_block_that_was_passed_and_not_accepted_comes_back_with_its_giver() {
    world(|| {
        let threads = threads([passer_of_all, idle, acceptor]);
        let pool: &'static Pool<Board> = leak(Pool::new(leak(Memory::<Block>::new()), 4));
        let all = Rights::GIVE.and(Rights::TAKE);
        let first = leak([
            Handle::pool(pool, all),
            Handle::member(&threads.second[0], Rights::SEND),
        ]);
        partitions(&threads, first, leak([Handle::pool(pool, all)]));
        partition(1).start().unwrap();
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(some_words(0, 0..4), [100; 4]);
        assert_eq!(pool.free_blocks(), 0);
        partition(0).stop();
        assert_eq!(pool.free_blocks(), 4, "the receiver did not ask for them");
        // No thread can accept a block that came back, nor one of another owner.
        let block = pool.take(Timeout::NONE).unwrap();
        partition(1).restart_with(block.addr()).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(some_words(1, 0..2), [Error::NotOwner as u32; 2]);
    });
}

/// Gives itself priorities.
extern "C" fn climber(data: &'static Words, _: usize) -> ! {
    for (place, level) in [MOST_URGENT - 1, 0, 32, MOST_URGENT, 31, MOST_URGENT]
        .into_iter()
        .enumerate()
    {
        let set = call(
            0,
            Number::ThreadSetPriority,
            0,
            [level.into(), 0],
            Timeout::NONE,
        );
        data.0[place].store(told(set.0), Relaxed);
    }
    call(0, Number::Sleep, usize::MAX, [0; 2], Timeout::FOREVER)
        .0
        .ok();
    exit(0)
}

#[test]
fn no_thread_becomes_more_urgent_than_its_partition_may_be() {
    world(|| {
        let threads = threads([climber, idle, idle]);
        partitions(
            &threads,
            leak([Handle::member(&threads.first[0], OWN)]),
            &[],
        );
        partition(0).start().unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let parameter = Error::Parameter as u32;
        let expected = [parameter, parameter, parameter, 100, 100, 100];
        assert_eq!(some_words(0, 0..6), expected);
        let (base, present) = threads.first[0].priorities();
        assert_eq!([base.level(), present.level()], [MOST_URGENT; 2]);
    });
}

/// Takes a block, and passes it on to a partition that has no pool.
extern "C" fn passer(data: &'static Words, _: usize) -> ! {
    let (_, [block, ..]) = call(0, Number::PoolTake, 0, [0; 2], Timeout::NONE);
    let passed = call(0, Number::PoolPass, 0, [block, 1], Timeout::NONE);
    data.0[0].store(told(passed.0), Relaxed);
    exit(0)
}

#[test]
fn a_thread_that_has_no_pool_gets_no_block() {
    world(|| {
        let threads = threads([passer, idle, sleeper]);
        let pool: &'static Pool<Board> = leak(Pool::new(leak(Memory::<Block>::new()), 4));
        let first = leak([
            Handle::pool(pool, Rights::GIVE.and(Rights::TAKE)),
            Handle::member(&threads.second[0], Rights::SEND),
        ]);
        partitions(&threads, first, &[]);
        for expected in [Error::Deleted, Error::Parameter] {
            partition(0).restart().unwrap();
            AnyThread::<Board>::sleep(1.millis()).unwrap();
            assert_eq!(word(0, 0), expected as u32);
            partition(1).restart().unwrap();
        }
    });
}

/// Sends bytes from a device's registers.
extern "C" fn sender_from_device(data: &'static Words, device: usize) -> ! {
    let sent = call(0, Number::SendBytes, 0, [device, 4], Timeout::FOREVER);
    data.0[0].store(told(sent.0), Relaxed);
    let room = call(0, Number::ReceiveBytes, 0, [device, 4], Timeout::NONE);
    data.0[1].store(told(room.0), Relaxed);
    exit(0)
}

#[test]
fn the_kernel_touches_no_device_for_a_partition() {
    const DEVICE: usize = 0x4000_1000;
    world(|| {
        let threads = threads([sender_from_device, idle, receiver_of_bytes]);
        let second = leak([Handle::member(&threads.second[0], PARTNER)]);
        partitions(&threads, second, &[]);
        let [_, other] = PARTITIONS.get();
        let first = Partition::new("first", leak(Memory::<Block>::new()), &threads.first[..])
            .handles(second)
            .device(DEVICE, 4096);
        PARTITIONS.set([Some(leak(first)), other]);
        partition(1).start().unwrap();
        partition(0).start_with(DEVICE).unwrap();
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        assert_eq!(some_words(0, 0..2), [Error::Parameter as u32; 2]);
    });
}

/// The thread next to that of the stress test. Calls take no time here, so it has to wait in each
/// round.
extern "C" fn companion(data: &'static Words, _: usize) -> ! {
    let nowhere = [std::ptr::from_ref(data).expose_provenance(), 0];
    loop {
        let a_while = Timeout::after(20.micros());
        let _ = call(0, Number::Receive, usize::MAX, [0; 2], a_while);
        let _ = call(0, Number::ReceiveBytes, usize::MAX, nowhere, Timeout::NONE);
        let _ = call(0, Number::Sleep, usize::MAX, [0; 2], a_while);
    }
}

/// Handles and rights in the table of the stress test's partition.
const ALLOWS: &[u32] = &[
    kind::SEMAPHORE | right::GIVE,
    kind::SEMAPHORE | right::TAKE,
    kind::MUTEX | right::TAKE,
    kind::FLAGS | right::GIVE | right::TAKE,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | right::CALL | right::SEND,
    kind::THREAD | right::GIVE,
    kind::QUEUE | right::SEND,
    kind::QUEUE | right::RECEIVE,
    kind::POOL | right::GIVE | right::TAKE,
    kind::CONDITION | right::GIVE | right::TAKE,
];

/// How many calls a thread of the stress test makes before it ends.
const A_LIFE: usize = 200;

extern "C" fn storm(data: &'static Words, seed: usize) -> ! {
    let known = Known {
        allows: ALLOWS,
        // The data follow the stacks.
        memory: std::ptr::from_ref(data).addr() - 1024,
        size: 4096,
        letter: size_of::<Pair>(),
        word: align_of::<Pair>(),
        most_urgent: MOST_URGENT.into(),
    };
    let mut storm = Storm::new(seed as u64, known);
    for _ in 0..A_LIFE {
        let attempt = storm.draw();
        if attempt.spoils(&known) {
            continue;
        }
        let Attempt {
            number,
            handle,
            words,
            timeout,
        } = attempt;
        data.0[0].fetch_add(1, Relaxed);
        let registers = Registers {
            number,
            handle,
            words,
            timeout,
        };
        let [status, ..] = call_as::<Board>(partition(0), &registers);
        if !is_right(&known, &attempt, Status::from_word(status)) {
            Board::write(&format!(
                "wrong answer {status} to {attempt:?} of seed {seed}\n"
            ));
            Board::exit(1);
        }
    }
    exit(0)
}

/// Everything that the stress test's table does not name.
struct Others {
    semaphore: &'static Semaphore<Board>,
    flags: &'static EventFlags<Board>,
    mutex: &'static Mutex<Board>,
    sleeper: &'static Thread<Board, 256>,
}

impl Others {
    fn new() -> Self {
        let others = Self {
            semaphore: leak(Semaphore::new(3)),
            flags: leak(EventFlags::new(0x55)),
            mutex: leak(Mutex::new()),
            sleeper: leak(Thread::new("sleeper").priority(20)),
        };
        others.mutex.lock(Timeout::NONE).unwrap();
        others
            .sleeper
            .start(|| AnyThread::<Board>::sleep(Timeout::FOREVER).unwrap())
            .unwrap();
        others
    }

    fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.semaphore.count(), self.flags.get()).hash(&mut hasher);
        let (own, present) = self.sleeper.priorities();
        (own.level(), present.level()).hash(&mut hasher);
        let blocked = self.sleeper.state() == State::Blocked;
        let locked = self.mutex.lock(Timeout::NONE) == Err(Error::Deadlock);
        (blocked, locked, self.sleeper.name()).hash(&mut hasher);
        partition(1)
            .look_at(|words| {
                // The number of requests apart.
                for word in &words.0[1..] {
                    word.load(Relaxed).hash(&mut hasher);
                }
            })
            .unwrap();
        partition(1).generation().hash(&mut hasher);
        hasher.finish()
    }
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

fn rage(calls: u64) {
    let (seed, calls) = (number("TAKTOS_SEED", 1), number("TAKTOS_OPERATIONS", calls));
    world(move || {
        let threads = threads([storm, companion, server]);
        let (given, taken, mutex) = (
            leak(Semaphore::with_limit(0, 5)),
            leak(Semaphore::new(2)),
            leak(Mutex::new()),
        );
        let (flags, notified): (_, &'static Thread<Board, 256>) =
            (leak(EventFlags::new(0)), leak(Thread::new("notified")));
        let queue: &'static Queue<Board, Pair, 3> = leak(Queue::new());
        let pool: &'static Pool<Board> = leak(Pool::new(leak(Memory::<Block>::new()), 4));
        let handles = leak([
            Handle::semaphore(given, Rights::GIVE),
            Handle::semaphore(taken, Rights::TAKE),
            Handle::mutex(mutex),
            Handle::flags(flags, Rights::GIVE.and(Rights::TAKE)),
            Handle::member(&threads.first[0], OWN),
            Handle::member(&threads.first[1], OWN),
            Handle::member(&threads.second[0], Rights::CALL.and(Rights::SEND)),
            Handle::thread(notified, Rights::GIVE),
            Handle::queue(queue, Rights::SEND),
            Handle::queue(queue, Rights::RECEIVE),
            Handle::pool(pool, Rights::GIVE.and(Rights::TAKE)),
            Handle::condition(leak(Condition::new()), Rights::GIVE.and(Rights::TAKE)),
        ]);
        partitions(&threads, handles, &[]);
        partition(1).start().unwrap();
        let others = Others::new();
        // Until all wait.
        AnyThread::<Board>::sleep(1.millis()).unwrap();
        let before = others.hash();
        let mut done = 0;
        let mut life = 0;
        while done < calls {
            let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(life);
            partition(0).restart_with(seed as usize).unwrap();
            // It may have suspended itself, or wait for ever.
            let begun = Kernel::<Board>::now();
            let _ = threads.first[0].join(Timeout::after(5.millis()));
            assert!(
                Kernel::<Board>::now().since(begun) <= 5.millis(),
                "the kernel is late"
            );
            done += u64::from(word(0, 0));
            life += 1;
            assert_eq!(
                others.hash(),
                before,
                "seed {seed}: something outside has changed"
            );
        }
        partition(0).stop();
        assert_eq!(others.hash(), before);
        assert_eq!(pool.free_blocks(), 4, "nothing is held by who is no more");
    });
}

#[test]
fn a_hundred_thousand_calls_at_random() {
    rage(100_000);
}

#[test]
#[ignore = "takes its time: in the release profile, by name"]
fn ten_million_calls_at_random() {
    rage(10_000_000);
}
