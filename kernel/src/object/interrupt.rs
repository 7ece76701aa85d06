//! Owns: what interrupt handlers do most often, without the cost of what threads need.
//! Must never know: which interrupt.
#![expect(unsafe_code, reason = "stands for the context that it is made in")]

use crate::critical_section::CriticalSection;
use crate::sched::{is_smp, slow_path};
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::{Kernel, System};
use core::marker::PhantomData;
use taktos_machine::Machine;

/// The proof of being in an interrupt handler at the kernel's level. Boards hand it to handlers.
///
/// All that is allowed in handlers can be called without it too; what takes it is quicker, because
/// it neither masks, as handlers at the kernel's level do not interrupt each other, nor is prepared
/// to switch threads where it is called: that happens at the end of the interrupt.
pub struct Interrupt<S>(PhantomData<NeverSent<S>>);

/// The marker of a value that belongs to a system, and to the handler alone.
type NeverSent<S> = (*mut (), fn() -> S);

impl<S: System> Interrupt<S> {
    /// The proof, asserted.
    ///
    /// # Safety
    /// The caller is an interrupt handler at the kernel's level, and drops the value before it
    /// ends.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(PhantomData)
    }

    /// Calls `act` with the proof and returns its result, if the caller is such a handler: for
    /// functions that handlers and threads call.
    #[inline(always)]
    pub fn here<R>(act: impl FnOnce(&Self) -> R) -> Option<R> {
        let is_here = S::Machine::in_interrupt() && S::Machine::may_call();
        is_here.then(|| act(&Self(PhantomData)))
    }

    /// The section that the handler is; none on several processors, where it has to take the lock.
    #[inline(always)]
    pub(crate) fn section(&self) -> Option<CriticalSection<'_>> {
        if is_smp::<S>() {
            return None;
        }
        // SAFETY: the maker of `self` guaranteed to be a handler at the kernel's level: no other
        // kernel-level interrupt comes in between, and threads do not run meanwhile. The proof
        // borrows `self`, which the handler drops.
        Some(unsafe { CriticalSection::assume() })
    }
}

impl<S: System> Kernel<S> {
    /// Wakes `thread`, which has been taken out of its queue; the switch, if there is one, comes at
    /// the end of the interrupt.
    #[inline(always)]
    pub(crate) fn wake_in_interrupt(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.urgency.get(cs).is_special() {
            self.wake_special_in_interrupt(cs, thread);
            return slow_path(());
        }
        thread.wait.set(cs, Wait::NOTHING);
        if self.make_ready(cs, thread) {
            S::Machine::pend_switch();
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_special_in_interrupt(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        self.wake_special(cs, thread);
        Self::conclude_upcall(cs);
    }
}
