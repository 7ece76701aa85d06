//! Owns: direct notification of a thread: one word in its control block, without any other object.
//! Must never know: what the word means.

use crate::critical_section::{CriticalSection, Held, Operation};
use crate::object::poll::{Alternative, Answers, Branch, Done};
use crate::sched::{
    IntoResult, OutcomeOf, answer, compiler_barrier, fail, hold, refuse_to_wait, stay,
};
use crate::thread::AnyThread;
use crate::thread::operations::operation;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use crate::wait::transfer::Lent;
use crate::wait::{Place, stand_in};
use crate::{Error, Kernel, Status, System, Timeout};
use core::hint::cold_path;
use core::marker::PhantomData;
use taktos_machine::Machine;

/// The change that a notification makes to the thread's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notify {
    /// Sets these bits, in addition to those that are set.
    SetBits(u32),
    /// Adds one.
    Increment,
    /// Makes it this, whatever it was.
    Overwrite(u32),
    /// Makes it this, unless there is a notification that the thread has not taken.
    SetWithoutOverwrite(u32),
}

impl<S: System> AnyThread<S> {
    /// Notifies this thread: changes its word as `action` says, and wakes it if it waits for that.
    /// Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// A thread that waits gets the word as it is after this very notification. For one that does
    /// not, the word is kept, and the fact that there is a notification; starting a thread
    /// forgets both.
    ///
    /// Bound: fixed (and the removal of the thread's time-out, if it has one). Errors, nothing
    /// being changed: `State` if the thread was not started; `Limit` where the word cannot be
    /// incremented, or must not be overwritten.
    #[inline(always)]
    pub fn notify(&'static self, action: Notify) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        let wait = thread.wait.get(cs);
        if matches!(action, Notify::Increment) && wait == Wait::COUNT {
            return held.enter::<WakeByOne<S>>(self, 0, Timeout::NONE).done();
        }
        let word = changed(cs, thread, action)?;
        if wait == Wait::COUNT && word != 0 {
            return held
                .enter::<Wake<S, true>>(self, word as usize, Timeout::NONE)
                .done();
        }
        // The comparison above is to come first.
        compiler_barrier();
        if wait == Wait::NOTIFICATION {
            return held
                .enter::<Wake<S, false>>(self, word as usize, Timeout::NONE)
                .done();
        }
        cold_path();
        if wait == Wait::COUNT {
            // Its word was 0 and is 0.
            return Ok(());
        }
        if wait.is_apart() {
            return self.notify_apart(held, word);
        }
        thread.keep_notification(cs, word as usize);
        Ok(())
    }

    /// [`AnyThread::notify`] of a thread with a wait that [is apart](Wait::is_apart).
    #[cold]
    #[inline(never)]
    fn notify_apart(&'static self, held: Held<S>, word: u32) -> Result<(), Error> {
        let cs = held.section();
        let thread = self.reference();
        if !thread.was_started(cs) {
            return Err(Error::State);
        }
        thread.keep_notification(cs, word as usize);
        if thread.wait.get(cs) == Wait::POLL {
            held.enter::<WakePoll<S>>(self, 0, Timeout::NONE);
        }
        Ok(())
    }

    /// Waits, as long as `timeout` says, until the calling thread has a notification; one that it
    /// has not taken ends the wait at once. The answer is the word; of the word, the bits
    /// `clear` are cleared afterwards.
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Cancelled`; `Context` in an
    /// interrupt handler.
    #[inline(always)]
    pub fn notify_wait(clear: u32, timeout: Timeout) -> Result<u32, Error> {
        Self::wait_for_word::<false>(clear, is_pending, timeout)
    }

    /// As [`AnyThread::notify_wait`]; where there is no notification yet, the bits `before` of the
    /// word are cleared before the wait for one.
    ///
    /// Bound and errors: as [`AnyThread::notify_wait`].
    pub fn notify_wait_cleared(before: u32, clear: u32, timeout: Timeout) -> Result<u32, Error> {
        let pending = |cs: CriticalSection<'_>, thread: ThreadRef| {
            let there = is_pending(cs, thread);
            if !there {
                thread.clear_word(cs, before as usize);
            }
            there
        };
        Self::wait_for_word::<false>(clear, pending, timeout)
    }

    /// The thread's word, of which the bits `clear` are cleared afterwards. Whether there is a
    /// notification stays as it is. Never waits; allowed in interrupt handlers at the kernel's
    /// level.
    ///
    /// Bound: fixed. Errors: `State` if the thread was not started.
    pub fn notify_clear(&'static self, clear: u32) -> Result<u32, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        if !thread.was_started(cs) {
            return Err(Error::State);
        }
        Ok(thread.clear_word(cs, clear as usize) as u32)
    }

    /// Forgets the notification that the thread has not taken, if there is one, and says whether
    /// there was. The word stays. Never waits; allowed in interrupt handlers at the kernel's
    /// level.
    ///
    /// Bound: fixed. Errors: `State` if the thread was not started.
    pub fn notify_forget(&'static self) -> Result<bool, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        if !thread.was_started(cs) {
            return Err(Error::State);
        }
        let there = is_pending(cs, thread);
        thread
            .urgency
            .set(cs, thread.urgency.get(cs).without(Urgency::NOTIFIED));
        Ok(there)
    }

    /// Waits, as long as `timeout` says, until the calling thread's word is not 0. The answer is
    /// the word; it is decremented afterwards. So the word is a semaphore that only its thread
    /// can take. A thread that waits here forgets notifications that left the word 0, and does
    /// not notice further ones.
    ///
    /// Bound without waiting: fixed. Errors: as [`AnyThread::notify_wait`].
    #[inline(always)]
    pub fn notify_take(timeout: Timeout) -> Result<u32, Error> {
        let available =
            |cs: CriticalSection<'_>, thread: ThreadRef| thread.notification.get(cs) != 0;
        Self::wait_for_word::<true>(0, available, timeout)
    }

    #[inline(always)]
    fn wait_for_word<const COUNTS: bool>(
        clear: u32,
        is_there: impl FnOnce(CriticalSection<'_>, ThreadRef) -> bool,
        timeout: Timeout,
    ) -> Result<u32, Error> {
        let held = hold::<S>();
        let cs = held.section();
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let current = Kernel::<S>::running().current(cs);
        if is_there(cs, current) {
            return Ok(current.take_word::<COUNTS>(cs, clear as usize) as u32);
        }
        let thread = Self::of(current);
        // A time-out that the compiler knows leaves one of the two ways.
        let answer = if timeout.is_forever() {
            held.enter::<Await<S, COUNTS, true>>(thread, clear as usize, timeout)
        } else {
            held.enter::<Await<S, COUNTS, false>>(thread, clear as usize, timeout)
        };
        answer.into_result::<S>()?;
        Ok(answer.value as u32)
    }
}

/// The whole of an operation, as calls of partitions do it.
impl<S: System> AnyThread<S> {
    /// [`AnyThread::notify`].
    pub(crate) fn notify_entered(
        &'static self,
        cs: CriticalSection<'_>,
        action: Notify,
    ) -> OutcomeOf<S> {
        let thread = self.reference();
        if !thread.was_started(cs) {
            return fail::<S>(Error::State);
        }
        let word = match changed(cs, thread, action) {
            Ok(word) => word as usize,
            Err(error) => return fail::<S>(error),
        };
        match thread.wait.get(cs) {
            // Its word was 0 and is 0.
            Wait::COUNT if word == 0 => stay::<S>(Status::OK),
            Wait::COUNT => Wake::<S, true>::run(cs, self, word, Timeout::NONE),
            Wait::NOTIFICATION => Wake::<S, false>::run(cs, self, word, Timeout::NONE),
            Wait::POLL => {
                thread.keep_notification(cs, word);
                WakePoll::<S>::run(cs, self, 0, Timeout::NONE)
            }
            _ => {
                thread.keep_notification(cs, word);
                stay::<S>(Status::OK)
            }
        }
    }

    /// [`AnyThread::notify_wait`].
    pub(crate) fn notify_wait_entered(
        cs: CriticalSection<'_>,
        clear: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if current.urgency.get(cs).has(Urgency::NOTIFIED) {
            return answer::<S>(Status::OK, current.take_word::<false>(cs, clear));
        }
        Await::<S, false, false>::run(cs, Self::of(current), clear, timeout)
    }

    /// [`AnyThread::notify_take`].
    pub(crate) fn notify_take_entered(cs: CriticalSection<'_>, timeout: Timeout) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if current.notification.get(cs) != 0 {
            return answer::<S>(Status::OK, current.take_word::<true>(cs, 0));
        }
        Await::<S, true, false>::run(cs, Self::of(current), 0, timeout)
    }
}

/// Whether there is a notification that `thread` has not taken.
#[inline(always)]
fn is_pending(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
    thread.urgency.get(cs).has(Urgency::NOTIFIED)
}

impl ThreadRef {
    /// Clears bits of the word, and says what it was.
    fn clear_word(self, cs: CriticalSection<'_>, clear: usize) -> usize {
        let word = self.notification.get(cs);
        self.notification.set(cs, word & !clear);
        word
    }

    /// The notification `word` waits for the thread to take it.
    #[inline(always)]
    fn keep_notification(self, cs: CriticalSection<'_>, word: usize) {
        self.notification.set(cs, word);
        self.urgency
            .set(cs, self.urgency.get(cs).with(Urgency::NOTIFIED));
    }

    /// Takes the notification that there is: where the word `COUNTS` it is decremented, else its
    /// bits `clear` are cleared.
    #[inline(always)]
    fn take_word<const COUNTS: bool>(self, cs: CriticalSection<'_>, clear: usize) -> usize {
        let word = self.notification.get(cs);
        let rest = if COUNTS { word - 1 } else { word & !clear };
        self.notification.set(cs, rest);
        self.urgency
            .set(cs, self.urgency.get(cs).without(Urgency::NOTIFIED));
        word
    }
}

/// Returns the new word of `thread`.
#[inline(always)]
fn changed(cs: CriticalSection<'_>, thread: ThreadRef, action: Notify) -> Result<u32, Error> {
    let word = thread.notification.get(cs) as u32;
    match action {
        Notify::SetBits(bits) => Ok(word | bits),
        Notify::Increment => word.checked_add(1).ok_or(Error::Limit),
        Notify::Overwrite(new) => Ok(new),
        Notify::SetWithoutOverwrite(_) if thread.urgency.get(cs).has(Urgency::NOTIFIED) => {
            Err(Error::Limit)
        }
        Notify::SetWithoutOverwrite(new) => Ok(new),
    }
}

operation!(
    /// Gives a thread that waits for a count the one that it gets. Its word is 0, or it would not
    /// wait, and stays so.
    WakeByOne, blocks: false, words: false, |cs, thread, _, _| {
        thread.set_value(cs, 1);
        compiler_barrier();
        S::kernel().conclude_by_waking(cs, thread)
    }
);

/// Gives a thread that waits the word that it is now.
struct Wake<S, const COUNTS: bool>(PhantomData<S>);

impl<S: System, const COUNTS: bool> Operation<S> for Wake<S, COUNTS> {
    type Object = AnyThread<S>;
    const USES_TIMEOUT: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        thread: &'static AnyThread<S>,
        word: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let thread = thread.reference();
        let rest = if COUNTS {
            word - 1
        } else {
            word & !thread.argument.get(cs)
        };
        thread.wait.set(cs, Wait::NOTHING);
        thread.set_value(cs, word);
        thread.notification.set(cs, rest);
        compiler_barrier();
        S::kernel().conclude_by_waking_from_nothing(cs, thread)
    }
}

operation!(
    /// Wakes a thread that waits for several objects and has a notification, if that is among them.
    WakePoll, blocks: false, words: false, |cs, thread, _, _| {
        S::kernel().notify_poll(cs, thread);
        Kernel::<S>::conclude_unanswered(cs)
    }
);

impl<S: System> Kernel<S> {
    /// Gives the notification that `owner` has to the first of its stand-ins that waits for one, if
    /// there is one, and wakes that.
    pub(crate) fn notify_stand_in(&'static self, cs: CriticalSection<'_>, owner: ThreadRef) {
        let mut first = None;
        stand_in::each(cs, owner, |stand_in, wait| {
            let is_enough = match wait {
                Wait::NOTIFICATION => true,
                Wait::COUNT => owner.notification.get(cs) != 0,
                _ => false,
            };
            if is_enough {
                first.get_or_insert((stand_in, wait));
            }
        });
        let Some((stand_in, wait)) = first else {
            return;
        };
        let word = match wait {
            Wait::COUNT => owner.take_word::<true>(cs, 0),
            _ => owner.take_word::<false>(cs, stand_in.argument.get(cs)),
        };
        stand_in.set_value(cs, word);
        self.wake(cs, stand_in);
    }
}

/// A notification of the calling thread, as one of several things that it waits for; where it
/// `COUNTS`, one that makes the word another than 0.
pub struct Notified<const COUNTS: bool> {
    clear: usize,
}

impl<S: System> AnyThread<S> {
    /// Returns [`AnyThread::notify_wait`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`]. The answer is the word.
    pub fn notified(clear: u32) -> Branch<S, Notified<false>> {
        let clear = clear as usize;
        Branch::new(Notified { clear })
    }

    /// Returns [`AnyThread::notify_take`] as one of several things that a thread waits for: see
    /// [`Kernel::poll`]. The answer is the word.
    pub fn counted() -> Branch<S, Notified<true>> {
        Branch::new(Notified { clear: 0 })
    }
}

impl<const COUNTS: bool> Answers for Notified<COUNTS> {
    type Answer = u32;

    fn answer(&self, done: Done) -> u32 {
        done.value() as u32
    }
}

impl<S: System, const COUNTS: bool> Alternative<S> for Notified<COUNTS> {
    fn place(this: Lent<'_, Self>) -> Place {
        Place {
            wait: if COUNTS {
                Wait::COUNT
            } else {
                Wait::NOTIFICATION
            },
            argument: this.clear,
            value: 0,
        }
    }

    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        let current = Kernel::<S>::running().current(cs);
        if COUNTS {
            current.notification.get(cs) != 0
        } else {
            is_pending(cs, current)
        }
    }

    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        if COUNTS {
            AnyThread::<S>::notify_take_entered(cs, Timeout::NONE)
        } else {
            AnyThread::<S>::notify_wait_entered(cs, this.clear, Timeout::NONE)
        }
    }
}

/// Makes the caller wait for a notification; where that is not `COUNTS`, the argument is what to
/// clear of the word.
struct Await<S, const COUNTS: bool, const FOREVER: bool>(PhantomData<S>);

impl<S: System, const COUNTS: bool, const FOREVER: bool> Operation<S>
    for Await<S, COUNTS, FOREVER>
{
    type Object = AnyThread<S>;
    const USES_TIMEOUT: bool = !FOREVER;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        current: &'static AnyThread<S>,
        clear: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if !FOREVER && timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let current = current.reference();
        current.argument.set(cs, clear);
        if COUNTS {
            let urgency = current.urgency.get(cs);
            current.urgency.set(cs, urgency.without(Urgency::NOTIFIED));
        }
        let wait = if COUNTS {
            Wait::COUNT
        } else {
            Wait::NOTIFICATION
        };
        let timeout = if FOREVER { Timeout::FOREVER } else { timeout };
        S::kernel().block(cs, current, wait, timeout)
    }
}
