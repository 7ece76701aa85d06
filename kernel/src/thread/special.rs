//! Owns: what is done to threads about which something is special: a time-out that runs, a
//! suspension, a turn that was lent. Must never know: how threads become so.
//!
//! The fast paths check only whether anything is special, and call what is here through words that
//! the first time-out, suspension or lent turn sets: a program without these does not carry what
//! belongs to them.

use crate::critical_section::CriticalSection;
use crate::thread::tcb::ThreadRef;
use crate::{Kernel, System};

type Act<S> = fn(&'static Kernel<S>, CriticalSection<'_>, ThreadRef);

/// The acts that may be due for a special thread.
pub(crate) struct Acts<S: System> {
    wake: Act<S>,
    rotate: Act<S>,
    leave: Act<S>,
}

impl<S: System> Kernel<S> {
    const ACTS: &'static Acts<S> = &Acts {
        wake: Self::wake,
        rotate: Self::rotate,
        leave: Self::take_back_turn,
    };

    /// There may be special threads from now on.
    #[inline(always)]
    pub(crate) fn expect_special(&self, cs: CriticalSection<'_>) {
        self.special.set(cs, Some(Self::ACTS));
    }

    /// [`Kernel::wake`] for a special thread.
    #[cold]
    pub(crate) fn wake_special(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if let Some(acts) = self.special.get(cs) {
            (acts.wake)(self, cs, thread);
        }
    }

    /// Does the acts due when a special thread, which is about to wait, has left the ready ones.
    #[cold]
    pub(crate) fn leave_special(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if let Some(acts) = self.special.get(cs) {
            (acts.leave)(self, cs, thread);
        }
    }

    /// [`Kernel::rotate`] for a special thread. The idle thread, which is special and in no ring,
    /// needs none.
    #[cold]
    pub(crate) fn rotate_special(&'static self, cs: CriticalSection<'_>, current: ThreadRef) {
        if let Some(acts) = self.special.get(cs) {
            (acts.rotate)(self, cs, current);
        }
    }
}
