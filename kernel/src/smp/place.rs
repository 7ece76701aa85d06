//! Owns: where threads may run, on their way to the library: affinity, pins, instances, processors
//! that come and go; and deadlines and servers. Must never know: how a policy uses that.

use super::alarm::Asked;
use super::turn::level;
use super::{Scheduler, Smp, View};
use crate::critical_section::CriticalSection;
use crate::sched::{OutcomeOf, fail};
use crate::thread::AnyThread;
use crate::thread::tcb::{Decider, Home, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::inherit::Place;
use crate::wait::transfer::{Lent, Transaction};
use crate::wait::{Target, Wait};
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_machine::Machine;
use taktos_schedule::smp::seats::Rows;
use taktos_schedule::smp::{self, Instance};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

/// Converts an error of the library to one of the kernel.
pub(super) fn error_of(error: smp::Error) -> Error {
    match error {
        smp::Error::InvalidName
        | smp::Error::InvalidId
        | smp::Error::InvalidNumber
        | smp::Error::NotConfigured
        | smp::Error::NotDefined => Error::Parameter,
        smp::Error::InvalidPriority => Error::Ceiling,
        smp::Error::ResourceInUse => Error::InUse,
        smp::Error::Unsatisfied => Error::WouldBlock,
        smp::Error::TooMany => Error::NoMemory,
        smp::Error::NotOwner => Error::NotOwner,
        smp::Error::Timeout => Error::Timeout,
        _ => Error::State,
    }
}

/// A request to change where threads run.
#[derive(Clone, Copy)]
pub(super) enum Request {
    Affinity(CpuSet),
    Move(Instance, Priority),
    Pin,
    Unpin,
    Add(Instance, Cpu),
    Remove(Instance, Cpu),
    /// A job with this deadline, or none.
    Job(Option<Instant>),
    /// A server with this budget and period, or none.
    Server(Option<(Duration, Duration)>),
}

/// Carries a [`Request`] out.
pub(super) struct Carry<S>(PhantomData<S>);

impl<S: System> Transaction<S> for Carry<S> {
    type Object = AnyThread<S>;
    type Record = Request;
    const BLOCKS: bool = false;
    const USES_TIMEOUT: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        thread: &'static AnyThread<S>,
        request: Lent<'_, Request>,
        _: Timeout,
    ) -> OutcomeOf<S> {
        match S::kernel().carry_out(cs, thread.reference(), *request) {
            Ok(()) => Kernel::<S>::conclude_several(cs, Status::OK, 0),
            Err(error) => fail::<S>(error),
        }
    }
}

impl<S: System> Kernel<S> {
    pub(super) fn carry_out(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        request: Request,
    ) -> Result<(), Error> {
        let several = S::smp();
        let row = thread.row(cs);
        match (request, row) {
            // A request about a processor concerns no thread: the caller may be an idle one, which
            // has no row.
            (Request::Add(..), _) => several.place(cs, thread, request),
            (Request::Remove(instance, cpu), _) => self.take_processor(cs, instance, cpu),
            (_, None) => Err(Error::Deleted),
            (Request::Move(instance, priority), Some(_)) => {
                self.move_thread(cs, thread, instance, priority)
            }
            _ => several.place(cs, thread, request),
        }
    }

    /// Moves `thread`. If another processor has its registers, or this one in a handler, it is
    /// ready in its new home once that one has let go of them: it is called twice for that, and no
    /// thread waits for it.
    fn move_thread(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        instance: Instance,
        priority: Priority,
    ) -> Result<(), Error> {
        may_move(cs, thread)?;
        let (several, view) = (S::smp(), View::<S>::new(cs));
        let moved = several
            .with(cs, |scheduler| {
                scheduler.change_home(&view, thread, instance, level(priority))
            })
            .ok_or(Error::Context)?
            .map_err(error_of)?;
        let home = moved.home;
        if thread.home(cs).is_some_and(|old| core::ptr::eq(old, home)) {
            let new = with_own(cs, thread, priority);
            if thread.urgency.get(cs) != new {
                self.change_urgency(cs, thread, new, Place::Last);
            }
            return Ok(());
        }
        let is_ready = view.is_ready(thread);
        if is_ready {
            self.leave_ready(cs, thread);
        }
        move_home(cs, thread, home, priority);
        home.receive_moved(&view, thread, &moved);
        self.leave_processor_of(cs, thread);
        if is_ready && thread.wait.get(cs) == Wait::NOTHING {
            self.enter_ready(cs, thread, Place::Last);
        }
        Ok(())
    }

    /// Takes `cpu` away from `instance`. The thread that was to run there is ready elsewhere at
    /// once. If its registers are there still, it is ready once `cpu` has released them: `cpu` is
    /// called twice for that, and no processor waits for it. If seats are lent, the thread is ready
    /// at once, and another processor that is to run it waits for its registers.
    /// processor that is to run it waits for its registers.
    fn take_processor(
        &self,
        cs: CriticalSection<'_>,
        instance: Instance,
        cpu: Cpu,
    ) -> Result<(), Error> {
        let (several, view) = (S::smp(), View::<S>::new(cs));
        let who = several.decide(cs, |scheduler, now| {
            scheduler.remove_processor(&view, instance, cpu, now)
        })?;
        for thread in who.into_iter().flatten() {
            self.leave_processor_of(cs, thread);
            if view.is_ready(thread) {
                match thread.decider(cs) {
                    Some(decider) => decider.come_back(&view, thread),
                    None => several.come_back(cs, thread),
                }
            }
        }
        Ok(())
    }
}

impl<S: System> Smp<S> {
    /// [`Smp::doing`], in the kernel's words.
    fn decide<R>(
        &self,
        cs: CriticalSection<'_>,
        question: impl FnOnce(&mut Scheduler, Instant) -> Result<R, smp::Error>,
    ) -> Result<R, Error> {
        let decided = self.doing(cs, question);
        decided.ok_or(Error::Context)?.map_err(error_of)
    }

    /// Carries out what concerns `thread` in its own instance, or gives an instance a processor.
    fn place(
        &self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        request: Request,
    ) -> Result<(), Error> {
        let here = Cpu::new(S::Machine::number()).ok_or(Error::Context)?;
        let view = View::<S>::new(cs);
        self.decide(cs, |scheduler, now| match request {
            Request::Affinity(cpus) => scheduler.set_affinity(&view, thread, cpus),
            Request::Pin => scheduler.pin(&view, thread, here),
            Request::Unpin => scheduler.unpin(&view, thread),
            Request::Job(deadline) => scheduler.set_job(&view, thread, deadline, now),
            Request::Server(server) => {
                scheduler.set_server(&view, thread, server)?;
                scheduler.settle(&view);
                Ok(())
            }
            Request::Add(instance, cpu) => scheduler.add_processor(&view, instance, cpu, now),
            Request::Move(..) | Request::Remove(..) => Ok(()),
        })?;
        // If no thread is shifted, the heir is the same.
        let home = thread.home(cs).map(Home::decider);
        let shifts = !matches!(home, Some(Decider::Solo(_) | Decider::Cluster(_)));
        if matches!(request, Request::Pin) && shifts {
            // It takes effect with a dispatch: now, before the processor can be taken away.
            S::Machine::processor().heir.set(core::ptr::null());
        }
        Ok(())
    }
}

impl<S: System> Kernel<S> {
    /// If a processor has the registers of `thread`, which is in no ring, and still has them when
    /// this section ends, the thread waits until it lets go of them.
    fn leave_processor_of(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if Self::running().current(cs) == thread && !S::Machine::in_interrupt() {
            return;
        }
        let wait = thread.wait.get(cs);
        let Some(number) = Self::holder_of(thread) else {
            return;
        };
        if wait != Wait::NOTHING && wait != Wait::MOVING {
            return;
        }
        thread.wait.set(cs, Wait::MOVING);
        let several = S::smp();
        if let Some(former) = several.moving[number].get(cs) {
            self.enter_moved(cs, former);
        }
        several.moving[number].set(cs, Some(thread));
        several.ask_of(cs, number, Asked::LEAVE);
        S::Machine::call(number);
    }

    /// This processor, which was called, has the registers of a thread that was moved, or had them.
    /// In the first case it switches away at the end of this interrupt, and the next one finds
    /// that.
    pub(super) fn let_go_here(&self, cs: CriticalSection<'_>) {
        let (several, here) = (S::smp(), S::Machine::number());
        let Some(thread) = several.moving[here].get(cs) else {
            return;
        };
        if Self::running().current(cs) == thread {
            several.ask_of(cs, here, Asked::LEAVE);
            return S::Machine::call(here);
        }
        several.moving[here].set(cs, None);
        self.enter_moved(cs, thread);
        Self::request_switch_on_exit();
    }

    /// Whether `thread` could run, but for the processor that has its registers.
    pub(crate) fn is_moving(cs: CriticalSection<'_>, thread: ThreadRef) -> bool {
        thread.wait.get(cs) == Wait::MOVING && !thread.urgency.get(cs).has(Urgency::HELD)
    }

    /// `thread` was moved, or its processor taken away, and the processor that had its registers
    /// has let go of them: it is ready where it is at home now. Nothing if it ended meanwhile,
    /// or has gone on to a further processor.
    fn enter_moved(&self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if thread.wait.get(cs) != Wait::MOVING || Self::holder_of(thread).is_some() {
            return;
        }
        thread.wait.set(cs, Wait::NOTHING);
        if View::<S>::new(cs).is_ready(thread) {
            match thread.decider(cs) {
                // A server's budget is as it was: the thread waited for nothing.
                Some(decider) => decider.ready(&View::<S>::new(cs), thread, Place::Last, |_| {}),
                None => S::smp().come_back(cs, thread),
            }
        }
    }
}

/// `thread` is at home in the instance of `home` from now on, at `priority`.
fn move_home(cs: CriticalSection<'_>, thread: ThreadRef, home: &'static Home, priority: Priority) {
    thread.urgency.set(cs, with_own(cs, thread, priority));
    thread.set_home(cs, Some(home));
}

/// Returns the priorities of `thread`, without those of other threads, with another one of its own.
fn with_own(cs: CriticalSection<'_>, thread: ThreadRef, priority: Priority) -> Urgency {
    let urgency = thread.urgency.get(cs);
    urgency.with_base(priority).with_effective(priority)
}

/// Checks that `thread` may be moved: no thread counts on its priority, since it is in no queue,
/// and has only its own.
fn may_move(cs: CriticalSection<'_>, thread: ThreadRef) -> Result<(), Error> {
    let urgency = thread.urgency.get(cs);
    let alone = thread.owned.get(cs).is_none() && urgency.effective() == urgency.base();
    match thread.wait.get(cs).target() {
        Target::NonExistent => Err(Error::Deleted),
        Target::Nothing | Target::Sleep | Target::Dormant | Target::Notification if alone => Ok(()),
        _ => Err(Error::InUse),
    }
}
