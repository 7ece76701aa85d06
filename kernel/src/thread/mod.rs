//! Owns: threads: the calls on them; a file each for how they are made, what is done to them, what
//! is kept of them. Must never know: how threads talk to each other.
#![expect(
    unsafe_code,
    reason = "a thread reads its own word, and its handle is its control block"
)]

mod create;
pub mod fault;
mod idle;
pub(crate) mod info;
mod last;
mod of_several;
pub(crate) mod operations;
mod plan;
#[cfg(feature = "processor-time")]
mod processor_time;
mod raw;
pub(crate) mod registry;
pub(crate) mod special;
mod stack;
pub mod table;
pub(crate) mod tcb;
pub(crate) mod urgency;
pub mod usage;

use crate::sched::{IntoResult, hold, is_smp, slow_path, without_migration};
use crate::wait::Target;
use crate::{Interrupt, Kernel, Priority, System};
pub use last::Told;

use core::hint::cold_path;
use core::marker::PhantomData;
use core::ptr;
use operations::{
    CancelWait, End, Join, Resume, ResumeOrCancel, SetPriority, Sleep, Suspend, Yield,
};
use taktos_abi::{Error, Timeout};
use taktos_machine::Machine;
use tcb::{Tcb, ThreadRef};
use urgency::Urgency;

pub use create::{Begin, Thread};
pub(crate) use create::{begin, begin_endless};
pub use idle::Idle;
pub use plan::Plan;
pub use raw::RawThread;

/// The five states of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not created, or deleted.
    NonExistent,
    /// Created and not started, or ended.
    Dormant,
    /// Waiting for its turn on the processor.
    Ready,
    /// On the processor.
    Executing,
    /// Waiting for something, or suspended.
    Blocked,
}

/// A thread, whatever the size of its stack: the handle by which threads name each other.
#[repr(transparent)]
pub struct AnyThread<S> {
    tcb: Tcb,
    system: PhantomData<fn() -> S>,
}

// SAFETY: as for `Thread`; the pointers in the control block name statics.
unsafe impl<S> Sync for AnyThread<S> {}

impl<S: System> AnyThread<S> {
    /// A thread that does not exist yet.
    pub(crate) const fn new() -> Self {
        Self {
            tcb: Tcb::new(),
            system: PhantomData,
        }
    }

    /// Memory of a thread that is all zeros.
    const fn zeroed() -> Self {
        Self {
            tcb: Tcb::zeroed(),
            system: PhantomData,
        }
    }

    #[inline(always)]
    pub(crate) fn reference(&'static self) -> ThreadRef {
        ThreadRef(&self.tcb)
    }

    #[inline(always)]
    pub(crate) fn of(thread: ThreadRef) -> &'static Self {
        // SAFETY: `AnyThread` is a transparent wrapper of `Tcb`, and all threads of one image are
        // of one system.
        unsafe { &*ptr::from_ref(thread.0).cast() }
    }

    /// The calling thread; in an interrupt handler, the thread that was interrupted. Bound: fixed.
    #[inline(always)]
    pub fn current() -> &'static Self {
        // The processor is determined after the mask: before, the thread can move.
        let held = hold::<S>();
        Self::of(Kernel::<S>::running().current(held.section()))
    }

    /// Returns the calling thread's `argument`, in which the second word of a message that it has
    /// received is stored: read without the lock.
    #[inline(always)]
    pub(crate) fn own_argument() -> usize {
        // SAFETY: others touch the word only while its thread waits, and this one calls; it stays
        // on this processor.
        without_migration::<S, _>(|| unsafe { Kernel::<S>::running().caller().argument.get_own() })
    }

    /// Makes the calling thread, which received an error, resume with success again.
    #[inline(always)]
    pub(crate) fn clear_own_error() {
        // SAFETY: the caller's own, which stays on this processor.
        without_migration::<S, _>(|| unsafe { Kernel::<S>::running().caller().set_own_ok() });
    }

    /// Lets the next of the caller's equals run; the caller goes to the place after them all. In an
    /// interrupt handler it is the thread that is to run after it that yields. Bound: fixed.
    #[inline(always)]
    pub fn yield_now() {
        hold::<S>().enter::<Yield<S>>(S::kernel(), 0, Timeout::NONE);
    }

    /// The thread's state. Bound: fixed. Allowed everywhere.
    pub fn state(&'static self) -> State {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        match thread.wait.get(cs).target() {
            Target::NonExistent => State::NonExistent,
            Target::Dormant => State::Dormant,
            Target::Nothing if thread.urgency.get(cs).has(Urgency::HELD) => State::Blocked,
            Target::Nothing if Kernel::<S>::is_running(cs, thread) => State::Executing,
            Target::Nothing => State::Ready,
            Target::Notification if is_smp::<S>() && Kernel::<S>::is_moving(cs, thread) => {
                State::Ready
            }
            _ => State::Blocked,
        }
    }

    /// The thread's name; empty if it does not exist. Bound: fixed.
    pub fn name(&'static self) -> &'static str {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        if thread.exists(cs) {
            thread.name(cs)
        } else {
            ""
        }
    }

    /// Keeps the thread from running until it is resumed, whatever else it waits for. Suspending
    /// twice is as good as once. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it was not started.
    pub fn suspend(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Suspend<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Lets a suspended thread run again. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it is not suspended.
    #[inline(always)]
    pub fn resume(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Resume<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// [`AnyThread::resume`], or [`AnyThread::cancel_wait`] of a thread that is not suspended.
    /// Bound: fixed. Allowed in interrupt handlers. Errors: `State` if it neither is suspended
    /// nor waits.
    #[inline(always)]
    pub fn resume_or_cancel(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<ResumeOrCancel<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// [`AnyThread::resume`] from an interrupt handler, at less cost. Bound and errors are the
    /// same.
    #[inline(always)]
    pub fn resume_in(&'static self, interrupt: &Interrupt<S>) -> Result<(), Error> {
        let Some(cs) = interrupt.section() else {
            return self.resume();
        };
        let thread = self.reference();
        let urgency = thread.urgency.get(cs);
        // Fast path: it is suspended, nothing else is special about it, and it does not wait.
        let own = urgency.toggled(Urgency::SUSPENDED);
        if own.is_special_or(thread.wait.get(cs).word()) {
            return slow_path(self.resume_unusual_in(interrupt));
        }
        thread.urgency.set(cs, own);
        if S::kernel().make_ready(cs, thread) {
            S::Machine::pend_switch();
        } else {
            // Usually a handler resumes the thread that is to run next.
            cold_path();
        }
        Ok(())
    }

    /// [`AnyThread::resume_in`] of a thread about which more is special than its suspension, or
    /// that is not suspended, or waits.
    #[cold]
    #[inline(never)]
    fn resume_unusual_in(&'static self, _: &Interrupt<S>) -> Result<(), Error> {
        self.resume()
    }

    /// Whether the thread is suspended, whatever else it waits for. Allowed in interrupt handlers.
    /// Bound: fixed.
    pub fn is_suspended(&'static self) -> bool {
        let urgency = self.reference().urgency.get(hold::<S>().section());
        urgency.has(Urgency::SUSPENDED)
    }

    /// The thread's own priority, and the one it has now, by what it inherited. Bound: fixed.
    pub fn priorities(&'static self) -> (Priority, Priority) {
        let held = hold::<S>();
        let urgency = self.reference().urgency.get(held.section());
        (urgency.base(), urgency.effective())
    }

    /// Gives the thread another priority of its own. Its effective priority follows, and that of
    /// the threads it waits for. A ready thread moves after its new equals if its effective
    /// priority changes.
    ///
    /// Bound: the chain of threads that it waits for. Errors: `Deleted` if it does not exist,
    /// `Parameter` for [`Priority::IDLE`], `State` for the idle thread of one
    /// processor.
    pub fn set_priority(&'static self, priority: Priority) -> Result<(), Error> {
        if priority >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        hold::<S>()
            .enter::<SetPriority<S>>(self, priority.level().into(), Timeout::NONE)
            .into_result::<S>()
    }

    /// Sets whether the thread goes behind its equals at the end of a [time
    /// slice](Kernel::set_time_slice), as each created thread does by default. Allowed in interrupt
    /// handlers. Bound: fixed.
    #[cfg(feature = "c-library")]
    pub fn set_takes_turns(&'static self, takes: bool) {
        let held = hold::<S>();
        let cs = held.section();
        if let Some(info) = self.reference().info.get(cs) {
            info.keeps_turn.set(cs, !takes);
        }
    }

    /// Waits until the thread has ended; at once if it has, or was never started.
    ///
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if it does not exist or is deleted meanwhile;
    /// `Deadlock` if it waits for the caller; `Context` in an interrupt handler.
    pub fn join(&'static self, timeout: Timeout) -> Result<(), Error> {
        hold::<S>()
            .enter::<Join<S>>(self, 0, timeout)
            .into_result::<S>()
    }

    /// Ends the wait of the thread: its call fails with `Cancelled`. Allowed in interrupt handlers.
    /// Bound: that of the wait queue. Errors: `State` if it does not wait.
    pub fn cancel_wait(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<CancelWait<S>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Ends the thread wherever it is: it becomes dormant and can be started again. Its mutexes are
    /// unlocked; threads that join it resume, others that wait for it get `Deleted`. A thread may
    /// stop itself, as by [`AnyThread::exit`]; then this does not return. Nothing on its stack is
    /// dropped. Bound: as [`AnyThread::delete`]. Errors: `State` if it was not started or has
    /// ended; `Deleted` if it does not exist.
    pub fn stop(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<End<S, false>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Ends the thread wherever it is; it no longer exists. Its mutexes are unlocked; threads that
    /// wait for it get `Deleted`. A thread may delete itself; then this does not return.
    ///
    /// Bound: the mutexes it owns, the threads that wait for it. Errors: `Deleted` if it does not
    /// exist.
    pub fn delete(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<End<S, true>>(self, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// Ends the calling thread: it becomes dormant and can be started again. Its mutexes are
    /// unlocked; threads that join it resume, others that wait for it get `Deleted`. The effect is
    /// that of a return from the entry. Bound: as [`AnyThread::delete`].
    ///
    /// # Panics
    /// In an interrupt handler.
    pub fn exit() -> ! {
        assert!(
            !S::Machine::in_interrupt(),
            "a handler is no thread that could end"
        );
        Self::end()
    }

    /// [`AnyThread::exit`] of a caller that is a thread.
    pub(crate) fn end() -> ! {
        loop {
            let current = Self::current();
            hold::<S>().enter::<End<S, false>>(current, 0, Timeout::NONE);
        }
    }

    /// Does nothing for `timeout`: a span or until an instant; for ever until its wait is
    /// cancelled. A time that is none or past lets the caller's equals run, like
    /// [`AnyThread::yield_now`]. Errors: `Cancelled`; `Context` in an interrupt handler.
    pub fn sleep(timeout: impl Into<Timeout>) -> Result<(), Error> {
        let current = Self::current();
        let answer = hold::<S>().enter::<Sleep<S>>(current, 0, timeout.into());
        match answer.into_result::<S>() {
            Err(Error::Timeout) => Ok(()),
            other => other,
        }
    }
}
