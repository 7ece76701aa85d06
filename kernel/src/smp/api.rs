//! Owns: the calls that only a kernel for several processors has. Must never know: how they are
//! carried out.
//!
//! They do not compile for a system with one processor.

use super::View;
use super::place::{Carry, Request, error_of};
use crate::sched::{IntoResult, hold, is_smp};
use crate::thread::AnyThread;
use crate::wait::transfer::transact;
use crate::{Error, Kernel, Priority, System, Timeout};
use taktos_machine::Machine;
use taktos_schedule::smp::seats::Sight;
use taktos_schedule::smp::{self, Instance, Violation};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

const fn only_on_smp<S: System>() {
    assert!(is_smp::<S>(), "a call for a system with several processors");
}

impl<S: System> AnyThread<S> {
    fn request(&'static self, request: Request) -> Result<(), Error> {
        transact::<S, Carry<S>>(hold(), self, &request, Timeout::NONE).into_result::<S>()
    }

    fn of_row<R>(
        &'static self,
        question: impl FnOnce(&smp::System<'static>, smp::Thread) -> Result<R, smp::Error>,
    ) -> Result<R, Error> {
        let held = hold::<S>();
        let cs = held.section();
        let row = self.reference().row(cs).ok_or(Error::Deleted)?;
        S::smp()
            .ask(cs, |system| question(system, row))
            .ok_or(Error::Context)?
            .map_err(error_of)
    }

    /// The processors on which the thread may run. They are at once what decides; if it runs
    /// elsewhere, it moves. It goes behind its equals. Allowed in interrupt handlers. Bound:
    /// that of the instance's policy.
    ///
    /// Errors: `Deleted` if it does not exist; `Parameter` where its instance has none of them, or
    /// its policy does not accept them: some allow one processor or all.
    pub fn set_affinity(&'static self, processors: CpuSet) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        self.request(Request::Affinity(processors))
    }

    /// The processors on which the thread may run. Bound: fixed. Errors: `Deleted` if it does not
    /// exist.
    pub fn affinity(&'static self) -> Result<CpuSet, Error> {
        const { only_on_smp::<S>() };
        self.of_row(|system, row| system.affinity(row))
    }

    /// Moves the thread to another scheduler instance, with a priority of its own there. A thread
    /// that moves itself resumes on a processor of that instance before this returns. A thread that
    /// runs on a processor of another instance is ready there once that processor, which is
    /// interrupted for it, has released its registers. Allowed in interrupt handlers. Bound: those
    /// of both policies.
    ///
    /// Errors: `Deleted` if it does not exist; `Parameter` if there is no such instance, or for
    /// [`Priority::IDLE`]; `InUse` if its priority counts for more than itself: it waits in a
    /// queue, owns a mutex, inherits, has a deadline or a server, is helped or pinned; `WouldBlock`
    /// if the instance has no processor for it.
    pub fn move_to(&'static self, instance: Instance, priority: Priority) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        if priority >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        self.request(Request::Move(instance, priority))
    }

    /// The instance in which the thread is at home. Bound: fixed. Errors: `Deleted` if it does not
    /// exist.
    pub fn instance(&'static self) -> Result<Instance, Error> {
        const { only_on_smp::<S>() };
        self.of_row(|system, row| system.scheduler(row))
    }

    /// The time that the thread has had on processors since it was created: from decision to
    /// decision. Bound: fixed. Errors: `Deleted` if it does not exist.
    pub fn cpu_time(&'static self) -> Result<Duration, Error> {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        let thread = self.reference();
        thread.row(held.section()).ok_or(Error::Deleted)?;
        Ok(Kernel::<S>::lifetime(held.section(), thread))
    }

    /// Returns the scheduler's row of the thread; none if it does not exist. For tests and tools,
    /// in addition to [`Kernel::look`]. Bound: fixed.
    pub fn scheduler_row(&'static self) -> Option<smp::Thread> {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        self.reference().row(held.section())
    }

    /// The caller stays on the processor that it runs on. Pins nest. Bound: fixed. Errors:
    /// `Context` in an interrupt handler; `Parameter` where the instance of the processor
    /// cannot pin.
    pub fn pin() -> Result<(), Error> {
        const { only_on_smp::<S>() };
        Self::request_for_caller(Request::Pin)
    }

    /// Takes one [`AnyThread::pin`] back. Bound: that of the policy. Errors: `Context` in an
    /// interrupt handler; `State` where the caller is not pinned.
    pub fn unpin() -> Result<(), Error> {
        const { only_on_smp::<S>() };
        Self::request_for_caller(Request::Unpin)
    }

    fn request_for_caller(request: Request) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        Self::current().request(request)
    }

    /// The processor that runs the caller. It may be another one when this returns, but for a
    /// caller that cannot move. Bound: fixed. Allowed everywhere.
    pub fn processor() -> Cpu {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        let number = S::Machine::number();
        drop(held);
        match Cpu::new(number) {
            Some(cpu) => cpu,
            None => panic!("the machine has more processors than there are numbers"),
        }
    }

    /// A job of the thread with this deadline is released. It replaces the former one and counts
    /// until the next, or [`AnyThread::cancel_job`]; where the instance's policy knows no
    /// deadlines, nothing changes. Allowed in interrupt handlers. Bound: that of the policy.
    /// Errors: `Deleted` if it does not exist.
    pub fn release_job(&'static self, deadline: Instant) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        self.request(Request::Job(Some(deadline)))
    }

    /// The thread has no deadline any more. Otherwise as [`AnyThread::release_job`].
    pub fn cancel_job(&'static self) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        self.request(Request::Job(None))
    }

    /// Gives the thread, which waits or was not started, a constant-bandwidth server: `budget` of
    /// the processors' time in each `period`. Bound: that of the policy. Errors: `Deleted` if
    /// it does not exist; `Parameter` where its instance has no servers, or for a budget that
    /// is none or longer than the period; `State` where it is ready.
    pub fn set_server(&'static self, budget: Duration, period: Duration) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        self.request(Request::Server(Some((budget, period))))
    }

    /// Takes the thread's server away. Otherwise as [`AnyThread::set_server`].
    pub fn remove_server(&'static self) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        self.request(Request::Server(None))
    }
}

impl<S: System> Kernel<S> {
    fn of_system<R>(question: impl FnOnce(&smp::System<'static>) -> R) -> Result<R, Error> {
        let held = hold::<S>();
        S::smp()
            .ask(held.section(), |system| question(system))
            .ok_or(Error::Context)
    }

    /// Gives `processor`, which no instance has, to `instance`. Allowed in interrupt handlers.
    /// Bound: that of the policy.
    ///
    /// Errors: `Parameter` where there is no such instance, or no instance was given the processor
    /// at the start; `InUse` where one has it; `State` where it does not run.
    pub fn add_processor(instance: Instance, processor: Cpu) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        AnyThread::<S>::current().request(Request::Add(instance, processor))
    }

    /// Takes `processor` from `instance`; it is idle then. The thread that runs there moves
    /// elsewhere. Allowed in interrupt handlers. Bound: as many steps as threads.
    ///
    /// Errors: `Parameter` if the instance does not have it; `InUse` if a thread could run nowhere
    /// without it.
    pub fn remove_processor(instance: Instance, processor: Cpu) -> Result<(), Error> {
        const { only_on_smp::<S>() };
        AnyThread::<S>::current().request(Request::Remove(instance, processor))
    }

    /// The instance of this name. Bound: the number of instances. Errors: `Parameter` where there
    /// is none.
    pub fn instance_named(name: [u8; 4]) -> Result<Instance, Error> {
        const { only_on_smp::<S>() };
        Self::of_system(|system| system.identify(name))?.map_err(error_of)
    }

    /// The instance that has `processor`. Bound: fixed. Errors: `Parameter` where none has.
    pub fn instance_with(processor: Cpu) -> Result<Instance, Error> {
        const { only_on_smp::<S>() };
        Self::of_system(|system| system.instance_of_cpu(processor))?.map_err(error_of)
    }

    /// The processors of `instance`. Bound: fixed. Errors: `Parameter` where there is no such
    /// instance.
    pub fn processors(instance: Instance) -> Result<CpuSet, Error> {
        const { only_on_smp::<S>() };
        Self::of_system(|system| system.processors(instance))?.map_err(error_of)
    }

    /// Returns the thread that is to run on `processor` by the scheduler's decision; none for an
    /// idle one. For tests and tools. Bound: fixed.
    pub fn scheduled_on(processor: Cpu) -> Option<&'static AnyThread<S>> {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        let cs = held.section();
        S::smp().scheduled(cs, processor).map(AnyThread::of)
    }

    /// Shows what is decided to `question`, which cannot call the kernel meanwhile. Nothing changes
    /// by it. For tests and tools. Allowed everywhere. Bound: as many steps as threads, and that of
    /// the question. Errors: `Context` before the start.
    pub fn look<R>(question: impl FnOnce(&dyn Sight) -> R) -> Result<R, Error> {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        let cs = held.section();
        S::smp()
            .with(cs, |scheduler| {
                let view = View::<S>::new(cs);
                question(&scheduler.look(&view))
            })
            .ok_or(Error::Context)
    }

    /// Checks the invariants of the scheduler's state. For tests: it takes long. Allowed
    /// everywhere.
    pub fn check() -> Result<(), Violation> {
        const { only_on_smp::<S>() };
        let held = hold::<S>();
        let cs = held.section();
        let checked = S::smp().with(cs, |scheduler| scheduler.check(&View::<S>::new(cs)));
        checked.unwrap_or(Ok(()))
    }
}
