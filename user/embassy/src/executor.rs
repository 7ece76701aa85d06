//! An executor: a thread that polls tasks, and blocks while none is ready.
//!
//! Owns: the thread's loop, and how embassy's pender finds it. Must never know: how tasks are kept;
//! what time it is.

#![expect(
    unsafe_code,
    reason = "embassy hands a pointer round, and wants its executor for ever"
)]

use crate::core::Core;
use crate::{Runtime, time};
use ::core::marker::PhantomData;
use embassy_executor::{Spawner, raw};

/// An executor of the runtime `R`. A program has it in a static.
pub struct Executor<R: Runtime> {
    core: Core<R::System>,
    runtime: PhantomData<fn() -> R>,
}

impl<R: Runtime> Executor<R> {
    /// One that does not run.
    pub const fn new() -> Self {
        Self {
            core: Core::new(),
            runtime: PhantomData,
        }
    }

    /// Runs tasks on this thread, for ever: `begin` spawns the first. The thread's priority is that
    /// of all tasks here.
    ///
    /// # Panics
    /// If it runs already: an executor has one thread.
    pub fn run(&'static self, begin: impl FnOnce(Spawner)) -> ! {
        R::section().add(&self.core);
        let context = ::core::ptr::from_ref(self).cast_mut().cast();
        let executor = raw::Executor::new(context);
        // SAFETY: this function never returns, so its frame is there as long as the thread.
        let executor: &'static raw::Executor = unsafe { ::core::mem::transmute(&executor) };
        begin(executor.spawner());
        loop {
            self.core.look();
            // SAFETY: this thread alone polls it, and not from within a task: a task is not given
            // the executor.
            unsafe { executor.poll() };
            let next = self.wake_due();
            if self.core.may_wait() && !self.core.wait(time::until(next)) {
                // A task that waited for this instant is ready before tasks are checked again.
                self.core.look();
                self.wake_due();
            }
        }
    }

    /// Wakes the tasks that wait for instants that have come. Returns the next instant.
    fn wake_due(&self) -> u64 {
        let now = time::now::<R::System>();
        critical_section::with(|cs| self.core.wake_due(cs, now))
    }

    /// A task has become ready: embassy's pender. In a thread, or a handler at the kernel's level;
    /// in a critical section, too.
    ///
    /// # Safety
    /// `context` is an executor of this runtime.
    pub unsafe fn pend(context: *mut ()) {
        // SAFETY: the caller says so, and `run` takes statics only.
        let executor: &'static Self = unsafe { &*context.cast() };
        executor.core.wake(R::section());
    }
}

impl<R: Runtime> Default for Executor<R> {
    fn default() -> Self {
        Self::new()
    }
}
