//! Owns: threads of which the image holds no memory, but a line in a table: their statics are all
//! zeros until the start. Must never know: the place of the table.
#![expect(unsafe_code, reason = "memory that is no thread yet")]

use super::AnyThread;
use super::create::{Stack, Thread};
use super::info::{self, Info};
use crate::critical_section::{CriticalSection, Guarded};
use crate::{Priority, System};
use core::mem::MaybeUninit;
use core::ptr;
use taktos_machine::Machine;

/// The name and the priority of a thread with a static that is all zeros.
#[repr(C)]
pub struct Plan<S: System> {
    /// The thread, whatever its stack.
    thread: &'static Thread<S, 0>,
    info: &'static Info,
    name: &'static str,
    priority: Priority,
}

impl<S: System> Plan<S> {
    /// The line for `thread`, which becomes as `model` is.
    pub const fn new<const N: usize>(thread: &'static Thread<S, N>, model: &Thread<S, N>) -> Self {
        let (name, priority) = model.info().initial();
        Self {
            // SAFETY: a thread without a stack is the beginning of each thread, up to the guard; no
            // code reaches what follows through it.
            thread: unsafe { &*ptr::from_ref(thread).cast() },
            info: thread.info(),
            name,
            priority,
        }
    }

    /// Makes each thread of the table one that does not exist yet. Called once, by the board,
    /// before the kernel starts.
    ///
    /// # Safety
    /// No thread and no handler runs.
    pub unsafe fn settle_all(table: &[Self]) {
        // SAFETY: the caller's contract.
        let cs = unsafe { CriticalSection::assume() };
        for plan in table {
            plan.thread
                .settle(cs, (plan.info, plan.name, plan.priority));
        }
    }
}

impl<S: System, const N: usize> Thread<S, N> {
    /// Memory that is all zeros, so that an image does not hold it.
    ///
    /// # Safety
    /// It is a static, and the first use of it is that of its [`Plan`].
    pub const unsafe fn zeroed() -> Self {
        Self {
            aligned: [],
            front: info::placed(Info::empty()),
            any: AnyThread::zeroed(),
            guard: Guarded::new(<S::Machine as Machine>::ZEROED_GUARD),
            stack: Guarded::new(Stack(MaybeUninit::uninit())),
            back: info::placed(Info::empty()),
        }
    }

    /// Makes memory that is all zeros a thread that does not exist yet.
    pub(super) fn settle(
        &self,
        cs: CriticalSection<'_>,
        (info, name, priority): (&Info, &'static str, Priority),
    ) {
        info.set_name(cs, name);
        info.priority.set(cs, priority);
        self.any.tcb.settle(cs);
        S::Machine::mark_guard(ptr::from_ref(&self.guard).expose_provenance());
    }
}
