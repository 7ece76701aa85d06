//! Owns: an idle thread with a function of the program's, by which the processor sleeps.
//! Must never know: how it sleeps.
#![expect(
    unsafe_code,
    reason = "a function that travels as a machine word, and the section in which it is called"
)]

use super::Thread;
use crate::critical_section::CriticalSection;
use crate::sched::{hold, is_smp};
use crate::wait::Wait;
use crate::{Error, Kernel, System};
use core::marker::PhantomData;
use taktos_machine::Machine;
use taktos_time::{Duration, Instant};

/// The time in which no thread is ready, for the function of [`Thread::start_idle`].
pub struct Idle<'a, S: System> {
    cs: CriticalSection<'a>,
    system: PhantomData<S>,
}

impl<S: System> Idle<'_, S> {
    /// Returns when the next time-out is over; none if no time-out runs. Bound: fixed.
    pub fn until(&self) -> Option<Instant> {
        S::kernel().first_timeout(self.cs)
    }

    /// Returns the span until the next time-out is over, which is zero if it is over already; none
    /// if no time-out runs. Bound: fixed, and a reading of the clock.
    pub fn left(&self) -> Option<Duration> {
        Some(self.until()?.since(Kernel::<S>::now()))
    }

    /// Waits for an interrupt as an idle thread without a function does, while the clock runs. An
    /// interrupt that is pending ends the wait at once; its handler runs after the function.
    pub fn wait(&self) {
        S::Machine::idle();
    }

    /// Sets the time forward by the span in which the clock stood: as [`Kernel::advance`], which
    /// has the bound and the errors.
    pub fn slept(&self, span: Duration) -> Result<(), Error> {
        S::kernel().advance_in(self.cs, span)
    }
}

impl<S: System, const N: usize> Thread<S, N> {
    /// Makes the thread the idle thread, in the place of the one before, which exists no more. It
    /// calls `function` again and again while no other thread is ready.
    ///
    /// During a call no handler runs. An interrupt that comes meanwhile stays pending and ends the
    /// wait of the processor, so no wake-up is lost. On a Cortex-M this includes interrupts above
    /// the kernel's level. The function calls nothing of the kernel but the methods of [`Idle`] and
    /// [`Kernel::now`].
    ///
    /// Bound: fixed, and a step for each thread that was created after the idle thread before.
    /// Allowed in threads. Errors: `State` if the thread exists, and on a machine with several
    /// processors; `NoMemory` if its stack is too small for the machine; `Context` in an interrupt
    /// handler.
    pub fn start_idle(&'static self, function: fn(&Idle<'_, S>)) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        if is_smp::<S>() {
            return Err(Error::State);
        }
        let held = hold::<S>();
        let cs = held.section();
        self.create_idle_at(cs, sleep_by::<S>, function as usize)?;
        let kernel = S::kernel();
        if let Some(before) = kernel.ready.borrow(cs).set_idle(self.reference()) {
            kernel.threads.remove(cs, before);
            before.wait.set(cs, Wait::NON_EXISTENT);
        }
        Ok(())
    }
}

/// Calls a function again and again, each time without handlers.
extern "C" fn sleep_by<S: System>(function: usize, _: usize) -> ! {
    // SAFETY: `start_idle` got the word from a function of this type.
    let function = unsafe { core::mem::transmute::<usize, fn(&Idle<'_, S>)>(function) };
    loop {
        S::Machine::while_idle(|| {
            // SAFETY: `start_idle` admits one processor. Until `while_idle` returns, this thread
            // runs there and no handler does; the proof does not outlive the call.
            let cs = unsafe { CriticalSection::assume() };
            function(&Idle {
                cs,
                system: PhantomData,
            });
        });
    }
}
