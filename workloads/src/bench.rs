//! Owns: one small scenario for each kernel operation that is measured.
//! Must never know: how it is counted.
//!
//! "High" is more urgent than "low"; "left" and "right" are equals. Where an operation wakes a
//! thread, the interval reaches from the call in the one thread to the return in the other.

use crate::mark::{begin, end};
use taktos_kernel::{
    AnyThread, Duration, EventFlags, Interrupt, Kernel, Message, MessageQueue, Mutex, Notify,
    Semaphore, System, Thread, Timeout,
};

/// How often each operation is done.
const REPETITIONS: usize = 1001;
/// The stack of each thread, in bytes.
const STACK: usize = 256 * size_of::<usize>();

/// Objects of the scenarios. A board has them in a static.
#[repr(C)]
pub struct Objects<S: System> {
    first: Semaphore<S>,
    second: Semaphore<S>,
    high: Thread<S, STACK>,
    low: Thread<S, STACK>,
    left: Thread<S, STACK>,
    right: Thread<S, STACK>,
    mutex: Mutex<S>,
    words: MessageQueue<S, u32, 4>,
    words_back: MessageQueue<S, u32, 4>,
    quads: MessageQueue<S, [u32; 4], 4>,
    flags: EventFlags<S>,
    /// Pends the board's spare interrupt.
    pend_interrupt: fn(),
}

impl<S: System> Objects<S> {
    /// Everything unused. `pend_interrupt` pends the board's spare interrupt; its handler calls
    /// [`interrupt`].
    pub const fn new(pend_interrupt: fn()) -> Self {
        Self {
            high: Thread::new("high").priority(4),
            low: Thread::new("low").priority(8),
            left: Thread::new("left").priority(8),
            right: Thread::new("right").priority(8),
            first: Semaphore::new(0),
            second: Semaphore::new(0),
            mutex: Mutex::new(),
            words: MessageQueue::new(),
            words_back: MessageQueue::new(),
            quads: MessageQueue::new(),
            flags: EventFlags::new(0),
            pend_interrupt,
        }
    }
}

type Entry<S> = fn(&'static Objects<S>);

/// Runs all scenarios, one after the other. Called by a thread less urgent than 8.
pub fn run<S: System>(objects: &'static Objects<S>) {
    single(objects, yield_alone);
    equals(objects, yield_left, yield_right);
    single(objects, semaphore_uncontended);
    urgent(objects, semaphore_taker, semaphore_giver);
    equals(objects, semaphore_ping, semaphore_pong);
    urgent(objects, queue_4_receiver, queue_4_sender);
    urgent(objects, queue_16_receiver, queue_16_sender);
    equals(objects, queue_ping, queue_pong);
    single(objects, mutex_uncontended);
    urgent(objects, mutex_waiter, mutex_owner);
    urgent(objects, event_waiter, event_setter);
    urgent(objects, interrupt_taker, interrupt_pender);
    urgent(objects, notified, notifier);
    single(objects, thread_starter);
    equals(objects, direct_receiver, direct_sender);
    equals(objects, reply_server, reply_caller);
    // Longer than all of what follows.
    expect(Kernel::<S>::set_time_slice(Some(Duration::from_secs(1))));
    equals(objects, sliced_left, sliced_right);
    urgent(objects, sliced_taker, sliced_giver);
    expect(Kernel::<S>::set_time_slice(None));
    S::write("all operations done\n");
}

#[cfg(target_has_atomic = "32")]
/// Creates the threads, which do not exist, so that each can be configured before it runs.
pub(crate) fn create<S: System>(
    objects: &'static Objects<S>,
    tell: impl Fn(&'static AnyThread<S>),
) {
    for thread in threads(objects) {
        expect(thread.create());
        tell(thread);
    }
}

#[cfg(target_has_atomic = "32")]
fn threads<S: System>(objects: &'static Objects<S>) -> [&'static Thread<S, STACK>; 4] {
    [&objects.high, &objects.low, &objects.left, &objects.right]
}

#[cfg(target_has_atomic = "32")]
/// Deletes the threads, which have ended: so nothing is at home where they were.
pub(crate) fn clear<S: System>(objects: &'static Objects<S>) {
    for thread in threads(objects) {
        // One that does not exist is as good as one that is deleted.
        let _ = thread.delete();
    }
}

/// Runs one thread to its end.
fn single<S: System>(objects: &'static Objects<S>, entry: Entry<S>) {
    expect(objects.low.start_with(entry, objects));
    expect(objects.low.join(Timeout::FOREVER));
    done::<S>();
}

/// A scenario is done.
#[inline(always)]
fn done<S: System>() {
    #[cfg(feature = "counted")]
    crate::counted::report::<S>();
}

/// Runs a more urgent thread, started first, and a less urgent one to their ends.
fn urgent<S: System>(objects: &'static Objects<S>, high: Entry<S>, low: Entry<S>) {
    expect(objects.high.start_with(high, objects));
    expect(objects.low.start_with(low, objects));
    expect(objects.low.join(Timeout::FOREVER));
    expect(objects.high.join(Timeout::FOREVER));
    done::<S>();
}

/// Runs two threads of one priority to their ends.
fn equals<S: System>(objects: &'static Objects<S>, left: Entry<S>, right: Entry<S>) {
    expect(objects.left.start_with(left, objects));
    expect(objects.right.start_with(right, objects));
    expect(objects.left.join(Timeout::FOREVER));
    expect(objects.right.join(Timeout::FOREVER));
    done::<S>();
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
    panic!("a benchmark's call failed")
}

/// With no other thread to yield to, the scenario only checks that the call returns.
fn yield_alone<S: System>(_: &'static Objects<S>) {
    AnyThread::<S>::yield_now();
}

#[inline(never)]
fn yield_left<S: System>(objects: &'static Objects<S>) {
    // Lets the main thread start the other one.
    expect(objects.first.take(Timeout::FOREVER));
    for _ in 0..REPETITIONS {
        begin!("yield");
        AnyThread::<S>::yield_now();
    }
}

#[inline(never)]
fn yield_right<S: System>(objects: &'static Objects<S>) {
    expect(objects.first.give());
    for _ in 0..REPETITIONS {
        AnyThread::<S>::yield_now();
        end!("yield");
    }
}

/// A yield while there are time slices.
#[inline(never)]
fn sliced_left<S: System>(objects: &'static Objects<S>) {
    expect(objects.first.take(Timeout::FOREVER));
    for _ in 0..REPETITIONS {
        begin!("yield-in-slices");
        AnyThread::<S>::yield_now();
    }
}

#[inline(never)]
fn sliced_right<S: System>(objects: &'static Objects<S>) {
    expect(objects.first.give());
    for _ in 0..REPETITIONS {
        AnyThread::<S>::yield_now();
        end!("yield-in-slices");
    }
}

/// One less, computed here: the compiler may move what it knows of a loop's counter to between the
/// marks.
#[inline(always)]
fn count_down(left: usize) -> usize {
    core::hint::black_box(left - 1)
}

#[inline(never)]
fn semaphore_uncontended<S: System>(objects: &'static Objects<S>) {
    let mut left = REPETITIONS;
    while left > 0 {
        left = count_down(left);
        begin!("semaphore-give");
        let given = objects.first.give();
        end!("semaphore-give");
        expect(given);
        begin!("semaphore-take");
        let taken = objects.first.take(Timeout::FOREVER);
        end!("semaphore-take");
        expect(taken);
    }
}

#[inline(never)]
fn semaphore_taker<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let taken = objects.first.take(Timeout::FOREVER);
        end!("semaphore-wake");
        expect(taken);
    }
}

#[inline(never)]
fn semaphore_giver<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("semaphore-wake");
        expect(objects.first.give());
    }
}

/// A thread is preempted while there are time slices, and keeps what is left of its own.
#[inline(never)]
fn sliced_taker<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let taken = objects.first.take(Timeout::FOREVER);
        end!("preemption-in-slices");
        expect(taken);
    }
}

#[inline(never)]
fn sliced_giver<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("preemption-in-slices");
        expect(objects.first.give());
    }
}

#[inline(never)]
fn semaphore_ping<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("semaphore-round-trip");
        let given = objects.first.give();
        let taken = objects.second.take(Timeout::FOREVER);
        end!("semaphore-round-trip");
        expect(given);
        expect(taken);
    }
}

#[inline(never)]
fn semaphore_pong<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        expect(objects.first.take(Timeout::FOREVER));
        expect(objects.second.give());
    }
}

#[inline(never)]
fn queue_4_receiver<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let received = objects.words.receive(Timeout::FOREVER);
        end!("queue-wake-4");
        expect(received);
    }
}

#[inline(never)]
fn queue_4_sender<S: System>(objects: &'static Objects<S>) {
    for message in 0..REPETITIONS {
        begin!("queue-wake-4");
        expect(objects.words.send(&(message as u32), Timeout::FOREVER));
    }
}

#[inline(never)]
fn queue_16_receiver<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let received = objects.quads.receive(Timeout::FOREVER);
        end!("queue-wake-16");
        expect(received);
    }
}

#[inline(never)]
fn queue_16_sender<S: System>(objects: &'static Objects<S>) {
    let message = [1, 2, 3, 4];
    for _ in 0..REPETITIONS {
        begin!("queue-wake-16");
        expect(objects.quads.send(&message, Timeout::FOREVER));
    }
}

#[inline(never)]
fn queue_ping<S: System>(objects: &'static Objects<S>) {
    for message in 0..REPETITIONS {
        begin!("queue-round-trip-4");
        let sent = objects.words.send(&(message as u32), Timeout::FOREVER);
        let received = objects.words_back.receive(Timeout::FOREVER);
        end!("queue-round-trip-4");
        expect(sent);
        expect(received);
    }
}

#[inline(never)]
fn queue_pong<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let message = expect(objects.words.receive(Timeout::FOREVER));
        expect(objects.words_back.send(&message, Timeout::FOREVER));
    }
}

#[inline(never)]
fn mutex_uncontended<S: System>(objects: &'static Objects<S>) {
    let mut left = REPETITIONS;
    while left > 0 {
        left = count_down(left);
        begin!("mutex-lock");
        let locked = objects.mutex.lock(Timeout::FOREVER);
        end!("mutex-lock");
        expect(locked);
        begin!("mutex-unlock");
        let unlocked = objects.mutex.unlock();
        end!("mutex-unlock");
        expect(unlocked);
    }
}

/// The more urgent thread wants the mutex that the other one has.
#[inline(never)]
fn mutex_waiter<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        expect(objects.first.take(Timeout::FOREVER));
        begin!("mutex-block-boost");
        let locked = objects.mutex.lock(Timeout::FOREVER);
        end!("mutex-hand-over");
        expect(locked);
        expect(objects.mutex.unlock());
    }
}

#[inline(never)]
fn mutex_owner<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        expect(objects.mutex.lock(Timeout::FOREVER));
        let given = objects.first.give();
        end!("mutex-block-boost");
        expect(given);
        begin!("mutex-hand-over");
        expect(objects.mutex.unlock());
    }
}

#[inline(never)]
fn event_waiter<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let flags = objects.flags.take_any(1, Timeout::FOREVER);
        end!("event-wake");
        expect(flags);
    }
}

#[inline(never)]
fn event_setter<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("event-wake");
        expect(objects.flags.set(1));
    }
}

#[inline(never)]
fn notified<S: System>(_: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let word = AnyThread::<S>::notify_take(Timeout::FOREVER);
        end!("notify-wake");
        expect(word);
    }
}

#[inline(never)]
fn notifier<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("notify-wake");
        expect(objects.high.notify(Notify::Increment));
    }
}

#[inline(never)]
fn interrupt_taker<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        let taken = objects.second.take(Timeout::FOREVER);
        end!("interrupt-wake");
        expect(taken);
    }
}

#[inline(never)]
fn interrupt_pender<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        (objects.pend_interrupt)();
    }
}

/// The handler of the interrupt that the scenario pends; the board calls it, inlined into its
/// vector, and gives the vector's first instruction the mark `taktos.mark.interrupt-wake.begin`.
#[inline(always)]
pub fn interrupt<S: System>(objects: &'static Objects<S>, context: &Interrupt<S>) {
    #[cfg(feature = "counted")]
    crate::counted::begin(const { crate::counted::number("interrupt-wake") });
    let _ = objects.second.give_in(context);
}

#[inline(never)]
fn thread_starter<S: System>(objects: &'static Objects<S>) {
    for _ in 0..REPETITIONS {
        begin!("thread-start");
        expect(objects.high.start(started));
        expect(objects.high.delete());
    }
}

#[inline(never)]
fn started() {
    end!("thread-start");
}

#[inline(never)]
fn direct_receiver<S: System>(objects: &'static Objects<S>) {
    // Lets the main thread start the sender.
    expect(objects.first.take(Timeout::FOREVER));
    for _ in 0..REPETITIONS {
        let received = objects.right.receive_from(Timeout::FOREVER);
        end!("direct-send");
        expect(received);
    }
}

#[inline(never)]
fn direct_sender<S: System>(objects: &'static Objects<S>) {
    expect(objects.first.give());
    AnyThread::<S>::yield_now();
    for message in 0..REPETITIONS {
        begin!("direct-send");
        expect(objects.left.send(Message::word(message), Timeout::FOREVER));
        // Lets the receiver wait again.
        AnyThread::<S>::yield_now();
    }
}

#[inline(never)]
fn reply_server<S: System>(_: &'static Objects<S>) {
    let mut request = expect(AnyThread::<S>::receive(Timeout::FOREVER));
    for _ in 1..REPETITIONS {
        request = expect(
            request
                .sender
                .reply_and_receive(request.message, Timeout::FOREVER),
        );
    }
    expect(request.sender.reply(request.message));
}

#[inline(never)]
fn reply_caller<S: System>(objects: &'static Objects<S>) {
    for message in 0..REPETITIONS {
        begin!("call-reply");
        let reply = objects.left.call(Message::word(message), Timeout::FOREVER);
        end!("call-reply");
        expect(reply);
    }
}
