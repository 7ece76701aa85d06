//! Owns: which thread's time slice runs on, and the rest of the slices that do not. The machine
//! measures; the order in a ring is not decided here. Must never know: how a processor is
//! scheduled, but for whether a thread keeps its place.
//!
//! Nothing of this is in the way of a switch while slices are off: the machine calls
//! [`Kernel::switch_slice`] by a pointer that [`Kernel::set_time_slice`] hands it.

#![expect(unsafe_code, reason = "calls what the machine was handed")]

use super::{is_smp, smp};
use crate::critical_section::CriticalSection;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::{Kernel, System};
use taktos_machine::Machine;

/// The rest of a slice that is over: it ends without an interrupt of its own.
const OVER: usize = 1;

impl<S: System> Kernel<S> {
    /// Notes a switch from `from`, with the slice that runs on this processor, to `to`. The rest of
    /// the slice stays with a thread that is ready still and has kept its place in front of its
    /// equals. A thread that switches to itself has yielded. If `from` has not kept its place, and
    /// `to` takes its turn, the slice continues.
    pub(crate) fn switch_slice(
        &'static self,
        cs: CriticalSection<'_>,
        from: ThreadRef,
        to: ThreadRef,
        takes_turn: bool,
    ) {
        let is_preempted = from != to && self.keeps_place(cs, from);
        if is_preempted {
            from.replace_slice_left(cs, S::Machine::slice_left());
        } else if takes_turn {
            return;
        }
        let left = to.replace_slice_left(cs, 0);
        // A thread with an expired slice switches to its equals as soon as it resumes.
        S::Machine::begin_slice(if left == OVER { OVER + 1 } else { left });
    }

    /// Whether `thread`, which ran until now, is ready, and none of its equals that waits for a
    /// processor comes before it.
    fn keeps_place(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        let urgency = thread.urgency.get(cs);
        if urgency.has(Urgency::IN_NO_RING) {
            return false;
        }
        if is_smp::<S>() {
            return smp::keeps_place::<S>(cs, thread);
        }
        self.ready.borrow(cs).head(urgency.effective()) == Some(thread)
    }
}

/// Notes a switch from the running thread to `heir`, which is another one, in a decision that keeps
/// the slice. The slice continues for `taker` if that is the heir and has got the turn; otherwise
/// it is as at any switch.
#[inline(always)]
pub(crate) fn is_kept_for<S: System>(
    current: ThreadRef,
    heir: ThreadRef,
    taker: Option<ThreadRef>,
) {
    if let Some(switch) = S::Machine::at_switch() {
        let taker = taker.map_or(core::ptr::null(), ThreadRef::context);
        // SAFETY: in a section, and all are threads of the kernel.
        unsafe { switch(current.context(), heir.context(), taker) };
    }
}

/// Ends the slice of `current`, which runs here; says whether its equals have their turn now. If
/// another thread `is_chosen` already, nothing is left to `current`, and its turn ends when it
/// resumes.
pub(crate) fn ends<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    is_chosen: bool,
) -> bool {
    S::Machine::begin_slice(if is_chosen { OVER } else { 0 });
    !is_chosen && !current.keeps_turn(cs)
}
