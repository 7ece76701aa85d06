//! Owns: what interrupt handlers do most often, without the cost of what threads need.
//! Must never know: which interrupt.
#![expect(unsafe_code, reason = "stands for the context that it is made in")]

use crate::critical_section::{Section, in_upcall};
use crate::sched::seldom;
use crate::thread::tcb::ThreadRef;
use crate::wait::Wait;
use crate::{Kernel, System};
use core::marker::PhantomData;
use taktos_machine::Machine;

/// The proof of being in an interrupt handler at the kernel's level. Boards hand it to handlers.
///
/// All that is allowed in handlers can be called without it too; what takes it is quicker, because it
/// neither masks, as handlers at the kernel's level do not interrupt each other, nor is prepared to
/// switch threads where it is called: that happens at the end of the interrupt.
pub struct Interrupt<S>(PhantomData<NeverSent<S>>);

/// Belongs to a system, and to nobody but the handler.
type NeverSent<S> = (*mut (), fn() -> S);

impl<S: System> Interrupt<S> {
    /// The proof, asserted.
    ///
    /// # Safety
    /// The caller is an interrupt handler at the kernel's level, and drops the value before it ends.
    #[inline(always)]
    pub const unsafe fn assume() -> Self {
        Self(PhantomData)
    }

    /// The section that the handler is.
    #[inline(always)]
    pub(crate) fn section(&self) -> Section {
        in_upcall()
    }
}

impl<S: System> Kernel<S> {
    /// Wakes `thread`, which has been taken out of its queue; the switch, if there is one, comes at the
    /// end of the interrupt.
    #[inline(always)]
    pub(crate) fn wake_in_interrupt(&'static self, s: Section, thread: ThreadRef) {
        if thread.urgency.get(s).is_special() {
            self.wake_special_in_interrupt(s, thread);
            return seldom(());
        }
        thread.wait.set(s, Wait::NOTHING);
        if self.make_ready(s, thread) {
            S::Machine::pend_switch();
        }
    }

    #[cold]
    #[inline(never)]
    fn wake_special_in_interrupt(&'static self, s: Section, thread: ThreadRef) {
        self.wake_special(s, thread);
        Self::conclude_upcall(s);
    }
}
