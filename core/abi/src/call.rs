//! Owns: the calls of threads in partitions: their numbers and names, the kind of object that each
//! is about, and the right that it takes. The kernel's dispatch and the stubs of user programs come
//! from this one table. Must never know: how a call is carried out, or by which instruction it is
//! made.
//!
//! A call carries six words: its number, a handle, two words and a time-out of 64 bits. Its answer
//! is a [`Status`](crate::Status) and up to three words.

/// The kinds of objects that handles name: one bit each, in the upper half of what a handle allows.
pub mod kind {
    /// A call that takes no handle.
    pub const NONE: u32 = 0;
    /// A semaphore.
    pub const SEMAPHORE: u32 = 1 << 16;
    /// A mutex.
    pub const MUTEX: u32 = 1 << 17;
    /// A group of event flags.
    pub const FLAGS: u32 = 1 << 18;
    /// A thread.
    pub const THREAD: u32 = 1 << 19;
    /// A thread of a partition, which is a thread besides.
    pub const MEMBER: u32 = 1 << 20;
    /// A queue of messages.
    pub const QUEUE: u32 = 1 << 21;
    /// A pool of blocks.
    pub const POOL: u32 = 1 << 22;
    /// The interrupt of a device.
    pub const INTERRUPT: u32 = 1 << 23;
    /// A condition variable.
    pub const CONDITION: u32 = 1 << 24;
}

/// The rights of handles: one bit each, in the lower half of what a handle allows.
pub mod right {
    /// A call that takes none.
    pub const NONE: u32 = 0;
    /// To give permits, set flags, notify, signal, give blocks back and pass them on.
    pub const GIVE: u32 = 1 << 0;
    /// To take permits and blocks, acknowledge interrupts, wait for flags and clear them, lock and
    /// unlock, wait for signals and for a thread's end.
    pub const TAKE: u32 = 1 << 1;
    /// To send messages to a thread or a queue.
    pub const SEND: u32 = 1 << 2;
    /// To receive messages from this thread or queue.
    pub const RECEIVE: u32 = 1 << 3;
    /// To call a thread and wait for its reply.
    pub const CALL: u32 = 1 << 4;
    /// To start, stop, suspend and resume a thread, to end its wait, to change its priority.
    pub const CONTROL: u32 = 1 << 5;
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The name, as the stub has it.
    pub name: &'static str,
    /// The kind of object that the handle must name.
    pub kind: u32,
    /// The right that the handle must give.
    pub right: u32,
    /// Whether a thread that is switched to continues with the caller's time slice.
    pub keeps_slice: bool,
}

/// The bit of [`Call::needs`] for [`Call::keeps_slice`].
pub const KEEPS_SLICE: u32 = 1 << 31;

impl Call {
    /// Returns the bits that a handle must allow for the call: its kind and its right. All handles
    /// allow [`KEEPS_SLICE`].
    #[must_use]
    pub const fn needs(self) -> u32 {
        self.kind | self.right | if self.keeps_slice { KEEPS_SLICE } else { 0 }
    }
}

/// Defines the numbers, in the order of the rows, and the table.
macro_rules! calls {
    (@ keeps_slice) => { true };
    (@) => { false };
    ($($(#[$documentation:meta])* $number:ident = $name:ident ($kind:ident, $right:ident $(, $keeps:ident)?);)*) => {
        /// The numbers of the calls, as the order of the table has them.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub enum Number {
            $($(#[$documentation])* $number),*
        }

        impl Number {
            /// All numbers, in order.
            pub const ALL: &[Self] = &[$(Self::$number),*];
        }

        /// The table: the row of the call `number` is the one at that place.
        pub const CALLS: &[Call] = &[
            $(Call {
                name: stringify!($name),
                kind: kind::$kind,
                right: right::$right,
                keeps_slice: calls!(@ $($keeps)?),
            }),*
        ];
    };
}

calls! {
    /// Gives a permit.
    SemaphoreGive = semaphore_give(SEMAPHORE, GIVE);
    /// Takes a permit, within the time-out.
    SemaphoreTake = semaphore_take(SEMAPHORE, TAKE);
    /// Locks a mutex, within the time-out.
    MutexLock = mutex_lock(MUTEX, TAKE);
    /// Unlocks a mutex that the caller owns.
    MutexUnlock = mutex_unlock(MUTEX, TAKE);
    /// Sets the flags of the first word.
    FlagsSet = flags_set(FLAGS, GIVE);
    /// Clears the flags of the first word; the answer is those that were set before.
    FlagsClear = flags_clear(FLAGS, TAKE);
    /// Waits for flags of the first word, within the time-out. The second word is the condition:
    /// [`flags`].
    FlagsWait = flags_wait(FLAGS, TAKE);
    /// Notifies a thread with the first word; the second is an [`action`].
    Notify = notify(THREAD, GIVE);
    /// Waits for the caller's notification, within the time-out; then clears the bits of the first
    /// word.
    NotifyWait = notify_wait(NONE, NONE);
    /// Waits until the caller's notification word is not 0, and decrements it, within the time-out.
    NotifyTake = notify_take(NONE, NONE);
    /// Sleeps for the time-out.
    Sleep = sleep(NONE, NONE);
    /// Lets the caller's equals run.
    YieldNow = yield_now(NONE, NONE);
    /// The present time in nanoseconds: lower half, upper half.
    Now = now(NONE, NONE);
    /// Sends two words to a thread, within the time-out.
    Send = send(THREAD, SEND, keeps_slice);
    /// Receives two words from a thread, within the time-out.
    ReceiveFrom = receive_from(THREAD, RECEIVE);
    /// Receives two words from any thread, within the time-out; the third word names the sender.
    Receive = receive(NONE, NONE);
    /// Sends two words to a thread and waits for its reply, both within the time-out.
    Call = call(THREAD, CALL, keeps_slice);
    /// Replies with two words to the caller that the handle's word names, as [`Number::Receive`]
    /// named it.
    Reply = reply(NONE, NONE);
    /// Does what [`Number::Reply`] does, then what [`Number::Receive`] does, within the time-out,
    /// which must not be none.
    ReplyAndReceive = reply_and_receive(NONE, NONE, keeps_slice);
    /// Sends bytes to a thread, within the time-out. The first word is their address, the second
    /// their number, at most [`LONGEST_BYTES`].
    SendBytes = send_bytes(THREAD, SEND, keeps_slice);
    /// Receives bytes from any thread, within the time-out. The first word is the address of the
    /// buffer, the second its size, at most [`LONGEST_BYTES`]. The results are the number of bytes
    /// stored, the number sent, and the sender.
    ReceiveBytes = receive_bytes(NONE, NONE);
    /// Starts a thread of a partition that does not run; the first word is its argument.
    ThreadStart = thread_start(MEMBER, CONTROL);
    /// Ends a thread wherever it is.
    ThreadStop = thread_stop(MEMBER, CONTROL);
    /// Suspends a thread.
    ThreadSuspend = thread_suspend(MEMBER, CONTROL);
    /// Resumes a suspended thread.
    ThreadResume = thread_resume(MEMBER, CONTROL);
    /// Ends the wait of a thread.
    ThreadCancelWait = thread_cancel_wait(MEMBER, CONTROL);
    /// Gives a thread the priority of the first word, which must not be above the partition's
    /// limit.
    ThreadSetPriority = thread_set_priority(MEMBER, CONTROL);
    /// Waits for a thread's end, within the time-out.
    ThreadJoin = thread_join(THREAD, TAKE);
    /// How often the thread's partition was started: what goes into the upper half of a handle.
    Generation = generation(MEMBER, NONE);
    /// Ends the caller.
    Exit = exit(NONE, NONE);
    /// Sends a message to a queue, within the time-out. The first word is the address of the
    /// message. The second is its size, which is that of the queue's messages.
    QueueSend = queue_send(QUEUE, SEND);
    /// Receives the oldest message of a queue, within the time-out. The two words name the buffer
    /// in the same way.
    QueueReceive = queue_receive(QUEUE, RECEIVE);
    /// Takes a block of a pool, within the time-out; the answer is its address.
    PoolTake = pool_take(POOL, TAKE);
    /// Gives back the block at the address in the first word, which the caller's partition holds.
    PoolGive = pool_give(POOL, GIVE);
    /// Passes such a block on to the partition of a thread, which holds it when it has accepted it:
    /// the second word is a handle of that thread, which allows to send to it.
    PoolPass = pool_pass(POOL, GIVE);
    /// Sends bytes to a thread of a partition, within the time-out. The first word is their
    /// address, the second their number. The call ends when the receiver has fetched all bytes, or
    /// wants no more. At most [`LONGEST_BYTES`] go as [`Number::SendBytes`] sends them; so do as
    /// many to a receiver that waits by [`Number::ReceiveBytes`].
    SendLong = send_long(MEMBER, SEND);
    /// Receives as [`Number::ReceiveBytes`], but stores nothing of a longer message. The results
    /// then are the number of bytes and the sender; the sending thread waits until they were
    /// fetched.
    ReceiveLong = receive_long(NONE, NONE);
    /// Fetches the next piece from the sender that the handle's word names, as
    /// [`Number::ReceiveLong`] named it. The words name the buffer as there; without space: no more
    /// is wanted. The results are the number of bytes fetched and the number left.
    FetchBytes = fetch_bytes(NONE, NONE);
    /// Lets an interrupt come again, which has notified a thread, or never came.
    InterruptAcknowledge = interrupt_acknowledge(INTERRUPT, TAKE);
    /// Declares what a mutex protects consistent again, after the lock call reported that the owner
    /// died.
    MutexMakeConsistent = mutex_make_consistent(MUTEX, TAKE);
    /// Unlocks the mutex that the second word names, a handle that allows to lock it, and waits for
    /// a signal, within the time-out. The caller owns the mutex when the call returns. The
    /// exception is an error with the word [`RELEASED`]: the caller then no longer owns it.
    ConditionWait = condition_wait(CONDITION, TAKE);
    /// Signals the most urgent thread that waits.
    ConditionSignal = condition_signal(CONDITION, GIVE);
    /// Signals all that wait.
    ConditionBroadcast = condition_broadcast(CONDITION, GIVE);
    /// Accepts the block at the address in the first word, which was passed on to the caller's
    /// partition: the partition holds it from now on.
    PoolAccept = pool_accept(POOL, TAKE);
}

/// The word of an error of [`Number::ConditionWait`] after which the mutex is to be locked again:
/// it was unlocked for the wait.
pub const RELEASED: usize = 1;

/// The longest message of bytes: it is copied in one piece, while interrupts that may call the
/// kernel wait.
pub const LONGEST_BYTES: usize = 64;

/// Values of the second word of [`Number::FlagsWait`]: the sum of the conditions.
pub mod flags {
    /// All of the flags are wanted, not any of them.
    pub const ALL: usize = 1;
    /// The flags are cleared when they were waited for.
    pub const TAKE: usize = 2;
}

/// Values of the second word of [`Number::Notify`].
pub mod action {
    /// Sets the bits of the word.
    pub const SET_BITS: usize = 0;
    /// Adds one.
    pub const INCREMENT: usize = 1;
    /// Makes it the word.
    pub const OVERWRITE: usize = 2;
    /// Makes it the word, unless there is a notification already.
    pub const SET_WITHOUT_OVERWRITE: usize = 3;
}

/// A handle as calls carry it: its place in the partition's table, and in the upper half a
/// generation: that of the partition of the thread that it names, or 0 for any.
pub mod handle {
    /// Where the generation begins.
    pub const GENERATION: u32 = 16;
    /// The bits of the place.
    pub const PLACE: usize = (1 << GENERATION) - 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_the_place_of_its_row() {
        let row = |number: Number| CALLS[number as usize];
        assert_eq!(row(Number::SemaphoreGive).name, "semaphore_give");
        assert_eq!(
            row(Number::Call).needs(),
            kind::THREAD | right::CALL | KEEPS_SLICE
        );
        assert_eq!(row(Number::Exit).name, "exit");
        assert_eq!(Number::ALL.len(), CALLS.len());
        for (place, number) in Number::ALL.iter().enumerate() {
            assert_eq!(*number as usize, place);
        }
    }

    #[test]
    fn a_call_without_a_handle_needs_no_right_and_each_other_one_names_one_kind() {
        for call in CALLS {
            assert!(
                (call.kind == kind::NONE) <= (call.right == right::NONE),
                "{}",
                call.name
            );
            assert!(call.kind.count_ones() <= 1 && call.right.count_ones() <= 1);
            assert!(call.kind & 0xFFFF == 0 && call.right >> 16 == 0);
        }
    }
}
