//! Owns: the table of calls, by number: for each the function that does it, whole, and what its
//! handle must allow. Must never know: by which instruction it was called, which handle was given.
//!
//! Each is called in a section of the kernel's, for the thread that runs, which is one of a
//! partition.
#![expect(
    unsafe_code,
    reason = "an object is known by its kind, which its handle was compared with"
)]

use super::dispatch::object;
use super::pool::Holder;
use super::queue::PortRef;
use super::thread::Member;
use super::{AnyPartition, Line, Pool};
use crate::critical_section::{CriticalSection, Operation};
use crate::ipc::{fetch_entered, go_on, reply_and_receive_entered, reply_entered};
use crate::object::Notify;
use crate::sched::{OutcomeOf, answer, fail};
use crate::thread::operations::{
    CancelWait, End, Join, Resume, SetPriority, Sleep, Suspend, Yield,
};
use crate::{
    AnyThread, Condition, Error, EventFlags, Kernel, Mutex, Priority, Semaphore, System, Timeout,
};
use taktos_abi::Status;
use taktos_abi::call::{CALLS, LONGEST_BYTES, Number, action, kind, right};
use taktos_machine::{Isolation, Machine};

/// A call. It gets its object, or the handle's word where it takes none; the first word; the
/// time-out; the second word.
pub type Run<S> = unsafe extern "C" fn(*const (), usize, Timeout, usize) -> OutcomeOf<S>;

/// A row of the table: two words, as the machines' paths read them.
#[repr(C)]
pub struct Row<S: System> {
    run: Run<S>,
    needs: u32,
}

impl<S: System> Clone for Row<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System> Copy for Row<S> {}

impl<S: System> Row<S> {
    /// Returns the kind and the rights that a handle must have; 0 if the call takes none.
    pub(super) fn needs(&self) -> u32 {
        self.needs
    }

    /// Does the call.
    ///
    /// # Safety
    /// In a section, for a thread of a partition that runs; the object is of the kind that the row
    /// needs.
    pub(super) unsafe fn run(
        &self,
        object: *const (),
        words: [usize; 2],
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        // SAFETY: the caller's contract.
        unsafe { (self.run)(object, words[0], timeout, words[1]) }
    }
}

/// How many calls there are.
pub const COUNT: usize = CALLS.len();

/// The calls, by number.
#[must_use]
pub const fn table<S: System<Machine: Isolation>>() -> [Row<S>; COUNT] {
    let mut rows = [Row {
        run: semaphore_give::<S> as Run<S>,
        needs: u32::MAX,
    }; COUNT];
    let mut place = 0;
    while place < COUNT {
        rows[place] = Row {
            run: run_of::<S>(Number::ALL[place]),
            needs: CALLS[place].needs(),
        };
        place += 1;
    }
    rows
}

/// Defines the functions, each from its body over the section, the object, the two words and the
/// time-out, and the one that finds them.
macro_rules! calls {
    ($($number:ident = $name:ident |$cs:ident, $object:ident: $kind:ty, $words:pat, $timeout:pat_param| $body:expr;)*) => {
        const fn run_of<S: System<Machine: Isolation>>(number: Number) -> Run<S> {
            match number {
                $(Number::$number => $name::<S>),*
            }
        }

        $(
            /// [`Number`] says what this is.
            unsafe extern "C" fn $name<S: System<Machine: Isolation>>(
                object: *const (),
                first: usize,
                timeout: Timeout,
                second: usize,
            ) -> OutcomeOf<S> {
                // SAFETY: as `Row::run` demands.
                let ($cs, $object) = unsafe { (CriticalSection::assume(), <$kind as Named>::named(object)) };
                let ($words, $timeout) = ([first, second], timeout);
                $body
            }
        )*
    };
}

/// The object of a call.
trait Named: Copy {
    /// The object at `place`.
    ///
    /// # Safety
    /// It is of this kind.
    unsafe fn named(place: *const ()) -> Self;
}

/// A thread of a partition.
struct MemberOf<S: System<Machine: Isolation>>(&'static Member<S>);

impl<S: System<Machine: Isolation>> Clone for MemberOf<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: System<Machine: Isolation>> Copy for MemberOf<S> {}

impl<S: System<Machine: Isolation>> Named for MemberOf<S> {
    unsafe fn named(place: *const ()) -> Self {
        // SAFETY: the caller's contract: a handle of a thread of a partition names its control
        // block.
        Self(unsafe { Member::at(place) })
    }
}

impl<T: 'static> Named for &'static T {
    unsafe fn named(place: *const ()) -> Self {
        // SAFETY: the caller's contract; objects are statics.
        unsafe { &*place.cast() }
    }
}

impl<S: System> Named for PortRef<S> {
    unsafe fn named(place: *const ()) -> Self {
        Self::at(place)
    }
}

/// A call without handle: the word itself.
impl Named for usize {
    unsafe fn named(place: *const ()) -> Self {
        place.addr()
    }
}

calls! {
    SemaphoreGive = semaphore_give |cs, semaphore: &'static Semaphore<S>, _, _| semaphore.give_entered(cs);
    SemaphoreTake = semaphore_take |cs, semaphore: &'static Semaphore<S>, _, timeout| semaphore.take_entered(cs, timeout);
    MutexLock = mutex_lock |cs, mutex: &'static Mutex<S>, _, timeout| mutex.lock_entered(cs, timeout);
    MutexUnlock = mutex_unlock |cs, mutex: &'static Mutex<S>, _, _| mutex.unlock_entered(cs);
    FlagsSet = flags_set |cs, flags: &'static EventFlags<S>, [set, _], _| flags.set_entered(cs, set as u32);
    FlagsClear = flags_clear |cs, flags: &'static EventFlags<S>, [cleared, _], _| flags.clear_entered(cs, cleared as u32);
    FlagsWait = flags_wait |cs, flags: &'static EventFlags<S>, words, timeout| flags.wait_entered(cs, words, timeout);
    Notify = notify |cs, thread: &'static AnyThread<S>, words, _| match action_of(words) {
        Some(action) => thread.notify_entered(cs, action),
        None => fail::<S>(Error::Parameter),
    };
    NotifyWait = notify_wait |cs, _object: usize, [clear, _], timeout| AnyThread::<S>::notify_wait_entered(cs, clear, timeout);
    NotifyTake = notify_take |cs, _object: usize, _, timeout| AnyThread::<S>::notify_take_entered(cs, timeout);
    Sleep = sleep |cs, _object: usize, _, timeout| Sleep::<S>::run(cs, caller(cs), 0, timeout);
    YieldNow = yield_now |cs, _object: usize, _, _| Yield::<S>::run(cs, S::kernel(), 0, Timeout::NONE);
    Now = now |cs, _object: usize, _, _| tell_time::<S>(cs);
    Send = send |cs, receiver: &'static AnyThread<S>, words, timeout| receiver.send_entered(cs, words, timeout);
    ReceiveFrom = receive_from |cs, sender: &'static AnyThread<S>, _, timeout| sender.receive_entered(cs, timeout);
    Receive = receive |cs, _object: usize, _, timeout| caller::<S>(cs).receive_entered(cs, timeout);
    Call = call |cs, server: &'static AnyThread<S>, words, timeout| server.call_entered(cs, words, timeout);
    Reply = reply |cs, caller: usize, words, _| reply_entered::<S>(cs, caller, words);
    ReplyAndReceive = reply_and_receive |cs, caller: usize, words, timeout| reply_and_receive_entered::<S>(cs, caller, words, timeout);
    SendBytes = send_bytes |cs, receiver: &'static AnyThread<S>, bytes, timeout| match may_use::<S>(cs, bytes, false) {
        // The receiver's memory may be the caller's too, to be read.
        true => S::Machine::with_writes(|| receiver.send_bytes_entered(cs, bytes, timeout)),
        false => fail::<S>(Error::Parameter),
    };
    ReceiveBytes = receive_bytes |cs, _object: usize, room, timeout| match may_use::<S>(cs, room, true) {
        true => AnyThread::<S>::receive_bytes_entered(cs, room, timeout),
        false => fail::<S>(Error::Parameter),
    };
    ThreadStart = thread_start |cs, member: MemberOf<S>, [argument, _], _| member.0.start_entered(cs, argument);
    ThreadStop = thread_stop |cs, thread: &'static AnyThread<S>, _, _| End::<S, false>::run(cs, thread, 0, Timeout::NONE);
    ThreadSuspend = thread_suspend |cs, thread: &'static AnyThread<S>, _, _| Suspend::<S>::run(cs, thread, 0, Timeout::NONE);
    ThreadResume = thread_resume |cs, thread: &'static AnyThread<S>, _, _| Resume::<S>::run(cs, thread, 0, Timeout::NONE);
    ThreadCancelWait = thread_cancel_wait |cs, thread: &'static AnyThread<S>, _, _| CancelWait::<S>::run(cs, thread, 0, Timeout::NONE);
    ThreadSetPriority = thread_set_priority |cs, member: MemberOf<S>, [level, _], _| set_priority(cs, member.0, level);
    ThreadJoin = thread_join |cs, thread: &'static AnyThread<S>, _, timeout| Join::<S>::run(cs, thread, 0, timeout);
    Generation = generation |cs, member: MemberOf<S>, _, _| match generation_of(cs, member.0) {
        Some(generation) => answer::<S>(Status::OK, generation.into()),
        None => fail::<S>(Error::Deleted),
    };
    Exit = exit |cs, _object: usize, _, _| End::<S, false>::run(cs, caller(cs), 0, Timeout::NONE);
    QueueSend = queue_send |cs, queue: PortRef<S>, place, timeout| {
        // SAFETY: the handle's kind says that it is a queue; what it reads is looked at before.
        unsafe {
            match queue.fits(place) && may_use::<S>(cs, place, false) {
                true => queue.send(cs, place[0], timeout),
                false => fail::<S>(Error::Parameter),
            }
        }
    };
    QueueReceive = queue_receive |cs, queue: PortRef<S>, place, timeout| {
        // SAFETY: the same of what it writes.
        unsafe {
            match queue.fits(place) && may_use::<S>(cs, place, true) {
                true => queue.receive(cs, place[0], timeout),
                false => fail::<S>(Error::Parameter),
            }
        }
    };
    PoolTake = pool_take |cs, pool: &'static Pool<S>, _, timeout| pool.take_entered(cs, Holder::partition(partition::<S>(cs)), timeout);
    PoolGive = pool_give |cs, pool: &'static Pool<S>, [block, _], _| pool.give_entered(cs, Holder::partition(partition::<S>(cs)), block);
    PoolPass = pool_pass |cs, pool: &'static Pool<S>, [block, thread], _| match next_holder(cs, pool, thread) {
        Ok(next) => pool.pass_entered(cs, Holder::partition(partition::<S>(cs)), block, Holder::partition(next)),
        Err(error) => fail::<S>(error),
    };
    SendLong = send_long |cs, receiver: &'static AnyThread<S>, bytes, timeout| match partition::<S>(cs).may_use(bytes[0], bytes[1], false) {
        true => S::Machine::with_writes(|| receiver.send_long_entered(cs, bytes, timeout)),
        false => fail::<S>(Error::Parameter),
    };
    ReceiveLong = receive_long |cs, _object: usize, room, timeout| match may_use::<S>(cs, room, true) {
        true => AnyThread::<S>::receive_long_entered(cs, room, timeout),
        false => fail::<S>(Error::Parameter),
    };
    FetchBytes = fetch_bytes |cs, sender: usize, room, _| match room[1] == 0 || may_use::<S>(cs, room, true) {
        true => fetch_entered::<S>(cs, sender, room),
        false => fail::<S>(Error::Parameter),
    };
    InterruptAcknowledge = interrupt_acknowledge |cs, line: &'static Line<S>, _, _| line.acknowledge_entered(cs);
    MutexMakeConsistent = mutex_make_consistent |cs, mutex: &'static Mutex<S>, _, _| mutex.make_consistent_entered(cs);
    ConditionWait = condition_wait |cs, condition: &'static Condition<S>, [_, mutex], timeout| match mutex_of::<S>(cs, mutex) {
        Ok(mutex) => condition.wait_entered(cs, mutex.core(), timeout),
        Err(error) => fail::<S>(error),
    };
    ConditionSignal = condition_signal |cs, condition: &'static Condition<S>, _, _| condition.signal_entered(cs);
    ConditionBroadcast = condition_broadcast |cs, condition: &'static Condition<S>, _, _| condition.broadcast_entered(cs);
    PoolAccept = pool_accept |cs, pool: &'static Pool<S>, [block, _], _| pool.accept_entered(cs, Holder::partition(partition::<S>(cs)), block);
}

/// The partition of the thread that calls.
fn partition<S: System<Machine: Isolation>>(cs: CriticalSection<'_>) -> &'static AnyPartition<S> {
    AnyPartition::of_thread(cs, Kernel::<S>::running().current(cs))
}

/// The partition that a block of `pool` can be passed on to: that of the thread that the handle
/// `word` names, which the caller may send to. Errors: `Parameter` where it names none, or none
/// that has the pool; `Deleted` where the thread does not exist.
fn next_holder<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    pool: &'static Pool<S>,
    word: usize,
) -> Result<&'static AnyPartition<S>, Error> {
    let table = partition::<S>(cs).table();
    let found = object(cs, table, word, kind::MEMBER | right::SEND)?;
    // SAFETY: what the handle's kind says.
    let member = unsafe { Member::<S>::at(found) };
    let thread = member.thread().reference();
    if !thread.exists(cs) {
        return Err(Error::Deleted);
    }
    let next = AnyPartition::of_thread(cs, thread);
    next.has_pool(pool).then_some(next).ok_or(Error::Parameter)
}

/// The mutex that the handle `word` names, which the caller may lock. Errors: `Parameter` where it
/// names none.
fn mutex_of<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    word: usize,
) -> Result<&'static Mutex<S>, Error> {
    let table = partition::<S>(cs).table();
    let found = object(cs, table, word, kind::MUTEX | right::TAKE)?;
    // SAFETY: what the handle's kind says; objects are statics.
    Ok(unsafe { &*found.cast::<Mutex<S>>() })
}

/// The thread that calls.
fn caller<S: System>(cs: CriticalSection<'_>) -> &'static AnyThread<S> {
    AnyThread::of(Kernel::<S>::running().current(cs))
}

fn action_of([word, number]: [usize; 2]) -> Option<Notify> {
    let word = word as u32;
    match number {
        action::SET_BITS => Some(Notify::SetBits(word)),
        action::INCREMENT => Some(Notify::Increment),
        action::OVERWRITE => Some(Notify::Overwrite(word)),
        action::SET_WITHOUT_OVERWRITE => Some(Notify::SetWithoutOverwrite(word)),
        _ => None,
    }
}

/// The time as two words of at least 32 bits.
fn tell_time<S: System>(cs: CriticalSection<'_>) -> OutcomeOf<S> {
    let now = S::Machine::now().as_nanos();
    let current = Kernel::<S>::running().current(cs);
    current.set_value(cs, now as u32 as usize);
    current.argument.set(cs, (now >> 32) as usize);
    go_on::<S>(cs, current)
}

/// Whether the caller may read the memory `[address, length]`, or write it where that is wanted,
/// and it is a message's.
fn may_use<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    [address, length]: [usize; 2],
    writes: bool,
) -> bool {
    length <= LONGEST_BYTES && partition::<S>(cs).may_use(address, length, writes)
}

fn set_priority<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    member: &'static Member<S>,
    level: usize,
) -> OutcomeOf<S> {
    let thread = member.thread();
    if !thread.reference().exists(cs) {
        return fail::<S>(Error::Deleted);
    }
    let most = AnyPartition::<S>::of_thread(cs, thread.reference()).most_urgent_level();
    if level >= Priority::COUNT || level < most.level().into() {
        return fail::<S>(Error::Parameter);
    }
    SetPriority::<S>::run(cs, thread, level, Timeout::NONE)
}

/// The generation of the partition of a thread; none while the thread does not exist.
pub(super) fn generation_of<S: System<Machine: Isolation>>(
    cs: CriticalSection<'_>,
    member: &'static Member<S>,
) -> Option<u16> {
    let thread = member.thread().reference();
    let partition = thread
        .exists(cs)
        .then(|| AnyPartition::<S>::of_thread(cs, thread))?;
    Some(partition.generation_in(cs))
}
