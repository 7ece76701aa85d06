//! Owns: direct notification of a thread: one word in its control block, without any other object.
//! Must never know: what the word means.

use crate::block::{OutcomeOf, refuse_to_wait, stay};
use crate::section::{Section, hold, in_decision};
use crate::tcb::ThreadRef;
use crate::thread::AnyThread;
use crate::urgency::Urgency;
use crate::wait::Wait;
use crate::{Error, Kernel, Status, System, Timeout};
use core::marker::PhantomData;
use taktos_machine::{Decision, Machine};

/// What a notification does to the thread's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notify {
    /// Sets these bits, beside those that are set.
    SetBits(u32),
    /// Adds one.
    Increment,
    /// Makes it this, whatever it was.
    Overwrite(u32),
    /// Makes it this, unless there is a notification that the thread has not taken.
    SetWithoutOverwrite(u32),
}

/// The kinds of waiting; kept in the value that the thread is to be resumed with.
/// The bits that it clears are its argument.
const FOR_ANY: usize = 0;
/// For a word that is not 0, of which one is taken.
const FOR_COUNT: usize = 1;

impl<S: System> AnyThread<S> {
    /// Notifies this thread: changes its word as `action` says, and wakes it if it waits for that.
    /// Never waits; allowed in interrupt handlers at the kernel's level.
    ///
    /// A thread that waits gets the word as it is after this very notification. For one that does not, the word is kept, and
    /// the fact that there is a notification; starting a thread forgets both.
    ///
    /// Bound: fixed (and the removal of the thread's time-out, if it has one). Errors, nothing being changed: `State` if
    /// the thread was not started; `Limit` where the word cannot be incremented, or must not be overwritten.
    #[inline(always)]
    pub fn notify(&'static self, action: Notify) -> Result<(), Error> {
        let held = hold::<S>();
        let s = held.section();
        let thread = self.reference();
        let word = changed(s, thread, action)?;
        if thread.wait.get(s) == Wait::NOTIFICATION {
            held.hand_over();
            S::Machine::enter::<Wake<S>>(self, word as usize, Timeout::NONE);
            return Ok(());
        }
        if !thread.was_started(s) {
            return Err(Error::State);
        }
        keep(s, thread, word);
        Ok(())
    }

    /// Waits, as long as `timeout` says, until the calling thread has a notification; one that it has not taken ends
    /// the wait at once. The answer is the word; of the word, the bits `clear` are cleared afterwards.
    ///
    /// Bound without waiting: fixed. Errors: `Timeout`, `WouldBlock`, `Cancelled`; `Context` in an interrupt handler.
    #[inline(always)]
    pub fn notify_wait(clear: u32, timeout: Timeout) -> Result<u32, Error> {
        let pending = |s, thread: ThreadRef| thread.urgency.get(s).has(Urgency::NOTIFIED);
        Self::wait_for_word::<FOR_ANY>(clear, pending, timeout)
    }

    /// Waits, as long as `timeout` says, until the calling thread's word is not 0. The answer is the word;
    /// it is decremented afterwards. So the word is a semaphore that only its thread can take.
    ///
    /// Bound without waiting: fixed. Errors: as [`AnyThread::notify_wait`].
    #[inline(always)]
    pub fn notify_take(timeout: Timeout) -> Result<u32, Error> {
        let available = |s, thread: ThreadRef| thread.notification.get(s) != 0;
        Self::wait_for_word::<FOR_COUNT>(0, available, timeout)
    }

    #[inline(always)]
    fn wait_for_word<const KIND: usize>(
        clear: u32,
        is_there: impl FnOnce(Section, ThreadRef) -> bool,
        timeout: Timeout,
    ) -> Result<u32, Error> {
        let held = hold::<S>();
        let s = held.section();
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let current = Kernel::<S>::running().current(s);
        if is_there(s, current) {
            let word = current.notification.get(s);
            current.notification.set(s, (word & !(clear as usize)) - KIND);
            current.urgency.set(s, current.urgency.get(s).without(Urgency::NOTIFIED));
            return Ok(word as u32);
        }
        held.hand_over();
        let answer = S::Machine::enter::<Await<S, KIND>>(Self::of(current), clear as usize, timeout);
        answer.status.result()?;
        Ok(answer.value as u32)
    }
}

/// What `thread`'s word becomes.
#[inline(always)]
fn changed(s: Section, thread: ThreadRef, action: Notify) -> Result<u32, Error> {
    let word = thread.notification.get(s) as u32;
    match action {
        Notify::SetBits(bits) => Ok(word | bits),
        Notify::Increment => word.checked_add(1).ok_or(Error::Limit),
        Notify::Overwrite(new) => Ok(new),
        Notify::SetWithoutOverwrite(_) if thread.urgency.get(s).has(Urgency::NOTIFIED) => Err(Error::Limit),
        Notify::SetWithoutOverwrite(new) => Ok(new),
    }
}

/// Keeps `word` for `thread` until it asks.
#[inline(always)]
fn keep(s: Section, thread: ThreadRef, word: u32) {
    thread.notification.set(s, word as usize);
    thread.urgency.set(s, thread.urgency.get(s).with(Urgency::NOTIFIED));
}

struct Wake<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for Wake<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = false;

    extern "C" fn decide(thread: &'static AnyThread<S>, word: usize, _: Timeout) -> OutcomeOf<S> {
        let s = in_decision();
        let thread = thread.reference();
        let kind = thread.value(s);
        if word < kind {
            keep(s, thread, 0);
            return stay::<S>(Status::OK);
        }
        thread.notification.set(s, (word & !thread.argument.get(s)) - kind);
        thread.set_value(s, word);
        S::kernel().conclude_by_waking(s, thread)
    }
}

struct Await<S, const KIND: usize>(PhantomData<S>);

impl<S: System, const KIND: usize> Decision<S::Machine> for Await<S, KIND> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    extern "C" fn decide(
        current: &'static AnyThread<S>,
        clear: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let s = in_decision();
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let current = current.reference();
        current.argument.set(s, clear);
        current.set_value(s, KIND);
        S::kernel().block(s, current, Wait::NOTIFICATION, timeout)
    }
}
