//! Owns: the kernel's state as a whole, its start, and the upcalls of the machine.
#![expect(unsafe_code, reason = "shares the processor's two cells")]

use crate::critical_section::{CriticalSection, Guarded};
#[cfg(feature = "budgets")]
use crate::sched::Budgets;
use crate::sched::{hold, is_smp};
use crate::thread::registry::Registry;
use crate::thread::special::Acts;
use crate::thread::tcb::{Running, ThreadRef};
use crate::thread::{Begin, Thread, begin, begin_endless};
use crate::wait::stand_in::PollActs;
use crate::wait::timeout_queue::TimeoutQueue;
use crate::{Error, Priority, System};
use core::marker::PhantomData;
use taktos_machine::{Context, Fault, Machine, Processor, Upcalls};
use taktos_schedule::ReadyQueue;
use taktos_time::{Duration, Instant};

/// The bytes of the idle thread's stack: it never calls anything that blocks.
const IDLE_STACK: usize = 64 * size_of::<usize>();

/// The kernel's state on one processor. A board has one, in a static.
///
/// It begins with the current thread and the heir. A machine that keeps no processor of its own
/// uses these, and everything that a switch needs is reached from one address.
#[repr(C)]
pub struct Kernel<S: System> {
    processor: Processor,
    pub(crate) ready: Guarded<ReadyQueue<ThreadRef>>,
    pub(crate) timeouts: TimeoutQueue,
    #[cfg(feature = "budgets")]
    pub(crate) budgets: Budgets,
    pub(crate) threads: Registry,
    pub(crate) always_direct: Guarded<bool>,
    pub(crate) special: Guarded<Option<&'static Acts<S>>>,
    /// The thread that resumed at the last switch, while slices are on, for a machine with one
    /// processor that does not name the thread from which it switches.
    in_slice: Guarded<Option<ThreadRef>>,
    pub(crate) polls: Guarded<Option<&'static PollActs<S>>>,
    idle: Thread<S, IDLE_STACK>,
}

// SAFETY: the processor's two cells are read and written in sections and by the machine's switch.
unsafe impl<S: System> Sync for Kernel<S> {}

impl<S: System> Kernel<S> {
    /// Where the thread that was created last is named, for tools that look at an image from
    /// outside.
    pub const THREADS_OFFSET: usize = core::mem::offset_of!(Self, threads);

    /// The kernel before its start.
    pub const fn new() -> Self {
        Self {
            processor: Processor::EMPTY,
            ready: Guarded::new(ReadyQueue::EMPTY),
            timeouts: TimeoutQueue::new(),
            #[cfg(feature = "budgets")]
            budgets: Budgets::new(),
            threads: Registry::new(),
            always_direct: Guarded::new(false),
            special: Guarded::new(None),
            in_slice: Guarded::new(None),
            polls: Guarded::new(None),
            // SAFETY: the kernel is a static, and `create_idle` settles the thread.
            idle: unsafe { Thread::zeroed() },
        }
    }

    /// Returns the current thread and the heir, for a machine that keeps them here.
    #[inline(always)]
    pub const fn processor(&'static self) -> &'static Processor {
        &self.processor
    }

    pub(crate) fn idle_thread(&'static self) -> ThreadRef {
        self.idle.reference()
    }

    /// The present time. Allowed everywhere. Bound: that of the machine.
    pub fn now() -> Instant {
        S::Machine::now()
    }

    /// Returns when the next time-out of those that began on this processor is over, if any runs.
    /// Until then a system with only waiting threads has nothing to do. Allowed in interrupt
    /// handlers. Bound: fixed.
    pub fn next_timeout() -> Option<Instant> {
        S::kernel().first_timeout(hold::<S>().section())
    }

    /// Sets the time forward, after the processor has slept with the clock stopped. Time-outs that
    /// are over then end now.
    ///
    /// Bound: that of the time-outs. Errors: `State` if the machine's time continues by itself and
    /// cannot be set.
    pub fn advance(by: Duration) -> Result<(), Error> {
        S::kernel().advance_in(hold::<S>().section(), by)
    }

    /// [`Kernel::advance`], in a section.
    pub(crate) fn advance_in(
        &'static self,
        cs: CriticalSection<'_>,
        by: Duration,
    ) -> Result<(), Error> {
        #[cfg(feature = "budgets")]
        self.settle_accounts(cs);
        if !S::Machine::advance(by) {
            return Err(Error::State);
        }
        #[cfg(feature = "budgets")]
        self.skip_accounts(cs);
        self.set_alarm(cs);
        Ok(())
    }

    /// Sets the length of the time slices by which threads of equal priority take turns; none, as
    /// at the start, lets each run until it blocks or yields. A slice is processor time of its
    /// thread. A thread that is preempted keeps the rest, be it preempted by a thread or by the end
    /// of the slice in the instant in which another one was chosen. A thread has a whole slice
    /// again when it has waited, yielded, or used it up. After a direct switch the receiver runs on
    /// the sender's slice. The rest of a preempted thread's slice is kept while slices are off.
    /// With the feature `c-library` a thread can be set to take no turns.
    ///
    /// A thread that is preempted is charged what its slice ran to within a tick of the timer, and
    /// in addition what the switch takes.
    ///
    /// Bound: fixed. Errors: `Parameter` for a slice of no length.
    pub fn set_time_slice(length: Option<Duration>) -> Result<(), Error> {
        if length == Some(Duration::ZERO) {
            return Err(Error::Parameter);
        }
        let held = hold::<S>();
        let current = Self::running().current(held.section());
        S::kernel().in_slice.set(held.section(), Some(current));
        S::Machine::set_slice(length, <Upcall<S> as Upcalls>::switch_slice);
        drop(held);
        Ok(())
    }
}

impl<S: System> Default for Kernel<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Starts the kernel with one thread, `main`, which runs `entry` at its priority and starts the
/// others. Called once, by the board, with interrupts masked. Never comes back: a board ends by
/// [`System::exit`].
pub fn run<S: System, const N: usize>(main: &'static Thread<S, N>, entry: fn()) -> ! {
    run_at(main, begin::<S>, entry as usize)
}

/// Like [`run`], with an entry that never returns. A program with only such threads does not
/// contain the code that ends threads.
pub fn run_endless<S: System, const N: usize>(main: &'static Thread<S, N>, entry: fn() -> !) -> ! {
    run_at(main, begin_endless, entry as usize)
}

fn run_at<S: System, const N: usize>(main: &'static Thread<S, N>, begin: Begin, entry: usize) -> ! {
    let kernel = S::kernel();
    // SAFETY: called once, with interrupts masked, before any thread runs; it does not come back.
    let cs = unsafe { CriticalSection::assume() };
    kernel.idle.create_idle(cs);
    kernel.ready.borrow(cs).set_idle(kernel.idle_thread());
    let running = Running(S::processor_of(kernel));
    running.set_heir(cs, kernel.idle_thread());
    running.0.current.set(kernel.idle_thread().context());
    main.start_first(cs, begin, entry);
    running.0.current.set(running.heir(cs).context());
    S::Machine::start()
}

/// The machine's calls to the kernel of the system `S`; for the board to wire to its vectors.
pub struct Upcall<S>(PhantomData<S>);

impl<S: System> Upcall<S> {
    /// The section that an upcall is on one processor; on several it is none, and the lock is to be
    /// taken.
    #[inline(always)]
    pub(crate) fn section(&self) -> CriticalSection<'_> {
        assert!(!is_smp::<S>(), "the lock is not held");
        // SAFETY: `self` was made by one of the upcalls below. Their caller guarantees that no
        // thread and no other kernel-level handler runs on the processor meanwhile, which is the
        // only one. The proof borrows `self`, which the upcall drops.
        unsafe { CriticalSection::assume() }
    }
}

impl<S: System> Upcalls for Upcall<S> {
    unsafe fn alarm() {
        S::kernel().expire(&Self(PhantomData));
    }

    unsafe fn slice_end() {
        S::kernel().end_slice(&Self(PhantomData));
    }

    unsafe extern "C" fn switch_slice(
        from: *const Context,
        to: *const Context,
        taker: *const Context,
    ) {
        // SAFETY: by the contract of this call, the caller has masked interrupts and holds the
        // lock, if there is one, until this returns; the proof does not outlive the call.
        let cs = unsafe { CriticalSection::assume() };
        let kernel = S::kernel();
        let next = ThreadRef::from_context(to);
        let before = kernel.in_slice.get(cs);
        kernel.in_slice.set(cs, Some(next));
        let from = match before {
            Some(before) if from.is_null() => before,
            _ => ThreadRef::from_context(from),
        };
        kernel.switch_slice(cs, from, next, to == taker);
    }

    unsafe fn called() {
        Kernel::<S>::called();
    }

    unsafe fn choose() -> *const Context {
        // SAFETY: by the contract of this call, the caller has masked interrupts and holds the lock
        // until this returns; the proof does not outlive the call.
        let cs = unsafe { CriticalSection::assume() };
        S::kernel().heir(cs).context()
    }

    fn fault(fault: &Fault<'_>) -> ! {
        crate::thread::fault::report::<S>(fault)
    }
}

/// The priority at which a thread runs that was given none: the middle.
pub(crate) const DEFAULT_PRIORITY: Priority = Priority::from_stored(16);
