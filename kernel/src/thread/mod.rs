//! Owns: the life of threads: memory, creation, start, suspension, sleep, end, priority.
//! Must never know: how threads talk to each other.
#![expect(
    unsafe_code,
    reason = "stack memory, and entry points that travel as machine words"
)]

pub mod fault;
pub(crate) mod info;
pub(crate) mod registry;
pub(crate) mod special;
pub(crate) mod tcb;
pub(crate) mod urgency;
pub mod usage;

use crate::critical_section::{CriticalSection, Guarded, Operation, hold};
use crate::kernel::DEFAULT_PRIORITY;
use crate::sched::{OutcomeOf, Told, fail, refuse_to_wait, seldom, stay};
use crate::smp::{View, several};
use crate::thread::info::Info;
use crate::thread::tcb::{Running, Tcb, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::inherit::{Place, closes_ring};
use crate::wait::{Target, Wait};
use crate::{Kernel, Priority, System};
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::mem::offset_of;
use core::{ptr, slice, str};
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{Machine, Outcome, StackRegion};
use taktos_schedule::Ring;

/// The five states of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// Not created, or deleted.
    NonExistent,
    /// Created and not started, or ended.
    Dormant,
    /// Waiting for its turn on the processor.
    Ready,
    /// On the processor.
    Executing,
    /// Waiting for something, or suspended.
    Blocked,
}

#[repr(C, align(8))]
struct Stack<const N: usize>(MaybeUninit<[u8; N]>);

/// A thread with its memory: control block, guard and a stack of `N` bytes. Made to be a static.
///
/// Everything that can be done with it is a method of [`AnyThread`], as which it can be used.
#[repr(C)]
pub struct Thread<S: System, const N: usize> {
    any: AnyThread<S>,
    guard: Guarded<<S::Machine as Machine>::Guard>,
    stack: Guarded<Stack<N>>,
    info: Info,
    name: Guarded<&'static str>,
    priority: Guarded<Priority>,
}

/// A thread, whatever the size of its stack: the handle by which threads name each other.
#[repr(transparent)]
pub struct AnyThread<S> {
    tcb: Tcb,
    system: PhantomData<fn() -> S>,
}

// SAFETY: all of it is reached only in a section, but for the stack, which only its thread touches.
unsafe impl<S: System, const N: usize> Sync for Thread<S, N> {}
// SAFETY: as for `Thread`; the pointers in the control block name statics.
unsafe impl<S> Sync for AnyThread<S> {}

impl<S: System, const N: usize> core::ops::Deref for Thread<S, N> {
    type Target = AnyThread<S>;
    fn deref(&self) -> &AnyThread<S> {
        &self.any
    }
}

impl<S: System, const N: usize> Thread<S, N> {
    /// A thread that does not exist yet, of priority 16.
    pub const fn new(name: &'static str) -> Self {
        Self {
            any: AnyThread {
                tcb: Tcb::new(),
                system: PhantomData,
            },
            guard: Guarded::new(<S::Machine as Machine>::GUARD),
            stack: Guarded::new(Stack(MaybeUninit::uninit())),
            info: Info::new(),
            name: Guarded::new(name),
            priority: Guarded::new(DEFAULT_PRIORITY),
        }
    }

    /// The same thread with the priority `level`.
    ///
    /// # Panics
    /// If `level` is above 31: for a static, when it is compiled.
    pub const fn priority(mut self, level: u8) -> Self {
        assert!(
            level < Priority::COUNT as u8,
            "priorities are 0 (most urgent) to 31"
        );
        self.priority = Guarded::new(Priority::from_stored(level));
        self
    }

    /// Gives the thread a name and a priority, and creates it: for threads that are made at run time.
    /// Bound: fixed. Errors: as [`Thread::create`].
    pub fn create_as(&'static self, name: &'static str, priority: Priority) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.any.tcb.wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        self.name.set(cs, name);
        self.priority.set(cs, priority);
        self.create_in(cs)
    }

    /// Creates the thread: it becomes dormant. Bound: fixed.
    /// Errors: `State` if it exists; `NoMemory` if its stack is too small for the machine.
    pub fn create(&'static self) -> Result<(), Error> {
        self.create_in(hold::<S>().section())
    }

    /// Creates the thread, if it does not exist, and starts it: it becomes ready and runs `entry`.
    /// Bound: fixed. Errors: `State` if it has been started and has not ended; `NoMemory` as [`Thread::create`].
    pub fn start(&'static self, entry: fn()) -> Result<(), Error> {
        self.start_at(begin::<S>, entry as usize, 0)
    }

    /// Like [`Thread::start_with`], with an entry that never comes back. A program all of whose threads are such does
    /// not carry what ends threads.
    pub fn start_endless<T: Sync>(
        &'static self,
        entry: fn(&'static T) -> !,
        argument: &'static T,
    ) -> Result<(), Error> {
        let argument = ptr::from_ref(argument).expose_provenance();
        self.start_at(begin_endless_with::<T>, entry as usize, argument)
    }

    /// Like [`Thread::start`], with an entry that is given `argument`.
    pub fn start_with<T: Sync>(
        &'static self,
        entry: fn(&'static T),
        argument: &'static T,
    ) -> Result<(), Error> {
        self.start_at(
            begin_with::<S, T>,
            entry as usize,
            ptr::from_ref(argument).expose_provenance(),
        )
    }

    fn start_at(&'static self, begin: Begin, entry: usize, argument: usize) -> Result<(), Error> {
        let held = self.any.hold_off_processors()?;
        let cs = held.section();
        if self.any.tcb.wait.get(cs) == Wait::NON_EXISTENT {
            self.create_in(cs)?;
        }
        // A handler may have ended the thread that it interrupted, whose stack is still in use.
        if self.reference() == Kernel::<S>::running().current(cs) {
            return Err(Error::State);
        }
        self.prepare(cs, begin, entry, argument)?;
        held.enter::<Ready<S>>(&self.any, 0, Timeout::NONE)
            .told::<S>()
    }

    /// Creates and starts the thread before any processor runs.
    pub(crate) fn start_main(
        &'static self,
        cs: CriticalSection<'_>,
        begin: Begin,
        entry: usize,
    ) -> Result<(), Error> {
        self.create_in(cs)?;
        self.prepare(cs, begin, entry, 0)?;
        self.reference().wait.set(cs, Wait::NOTHING);
        S::kernel().admit_first(cs, self.reference());
        Ok(())
    }

    /// Creates and starts the thread before the machine runs; it becomes the heir.
    pub(crate) fn start_first(&'static self, cs: CriticalSection<'_>, begin: Begin, entry: usize) {
        if self.create_in(cs).is_ok() && self.prepare(cs, begin, entry, 0).is_ok() {
            self.reference().wait.set(cs, Wait::NOTHING);
            S::kernel().make_ready(cs, self.reference());
        }
    }

    fn prepare(
        &'static self,
        cs: CriticalSection<'_>,
        begin: Begin,
        entry: usize,
        argument: usize,
    ) -> Result<(), Error> {
        let thread = self.reference();
        if thread.wait.get(cs) != Wait::DORMANT {
            return Err(Error::State);
        }
        let stack = self.info.stack.get(cs);
        S::Machine::prepare(thread.machine_part(cs), stack, begin, entry, argument);
        let base = thread.urgency.get(cs).base();
        thread.urgency.set(cs, Urgency::new(base));
        thread.notification.set(cs, 0);
        thread.set_ok(cs);
        Ok(())
    }

    pub(crate) fn create_in(&'static self, cs: CriticalSection<'_>) -> Result<(), Error> {
        if N < S::Machine::SMALLEST_STACK {
            return Err(Error::NoMemory);
        }
        self.create_with(cs, self.priority.get(cs))
    }

    /// Creates the idle thread, dormant no more: it runs whenever no other thread is ready.
    pub(crate) fn create_idle(&'static self, cs: CriticalSection<'_>) {
        if self.create_with(cs, Priority::IDLE).is_ok() && self.prepare(cs, idle::<S>, 0, 0).is_ok()
        {
            let idle = self.reference();
            idle.wait.set(cs, Wait::NOTHING);
            idle.urgency
                .set(cs, idle.urgency.get(cs).with(Urgency::IN_NO_RING));
        }
    }

    fn create_with(
        &'static self,
        cs: CriticalSection<'_>,
        priority: Priority,
    ) -> Result<(), Error> {
        let thread = self.reference();
        if thread.wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        if several::<S>() && priority != Priority::IDLE {
            S::kernel().enrol(cs, thread, priority)?;
        }
        self.describe(cs);
        thread.info.set(cs, Some(&self.info));
        S::kernel().threads.add(cs, thread);
        cs.make_alone(thread);
        thread.urgency.set(cs, Urgency::new(priority));
        thread.notification.set(cs, 0);
        thread.wait.set(cs, Wait::DORMANT);
        Ok(())
    }

    fn describe(&'static self, cs: CriticalSection<'_>) {
        let name = self.name.get(cs);
        self.info.name.set(cs, name.as_ptr());
        self.info.name_length.set(cs, name.len());
        let stack = StackRegion {
            guard: ptr::from_ref(&self.guard).expose_provenance(),
            base: ptr::from_ref(&self.stack).expose_provenance(),
            size: N & !15,
        };
        self.info.stack.set(cs, stack);
    }
}

/// Where a thread begins: gets the entry and the argument as words.
pub(crate) type Begin = extern "C" fn(usize, usize) -> !;

/// Calls an entry without argument, and ends the thread.
pub(crate) extern "C" fn begin<S: System>(entry: usize, _: usize) -> ! {
    // SAFETY: `start` and `run` got the word from a function of this type.
    let entry = unsafe { core::mem::transmute::<usize, fn()>(entry) };
    entry();
    AnyThread::<S>::exit()
}

/// Calls an entry with its argument, and ends the thread.
extern "C" fn begin_with<S: System, T: 'static>(entry: usize, argument: usize) -> ! {
    // SAFETY: `start_with` got the words from a function of this type and from a `&'static T`.
    let (entry, argument) = unsafe {
        (
            core::mem::transmute::<usize, fn(&'static T)>(entry),
            &*ptr::with_exposed_provenance::<T>(argument),
        )
    };
    entry(argument);
    AnyThread::<S>::exit()
}

/// Calls an entry that never comes back.
extern "C" fn begin_endless_with<T: 'static>(entry: usize, argument: usize) -> ! {
    // SAFETY: `start_endless` got the words from a function of this type and from a `&'static T`.
    let (entry, argument) = unsafe {
        (
            core::mem::transmute::<usize, fn(&'static T) -> !>(entry),
            &*ptr::with_exposed_provenance::<T>(argument),
        )
    };
    entry(argument)
}

/// Calls an entry without argument that never comes back.
pub(crate) extern "C" fn begin_endless(entry: usize, _: usize) -> ! {
    // SAFETY: `run_endless` got the word from a function of this type.
    let entry = unsafe { core::mem::transmute::<usize, fn() -> !>(entry) };
    entry()
}

extern "C" fn idle<S: System>(_: usize, _: usize) -> ! {
    loop {
        if several::<S>() {
            // Others may have decided before the interrupt by which they tell could come.
            drop(hold::<S>());
        }
        S::Machine::idle();
    }
}

impl<S: System> AnyThread<S> {
    #[inline(always)]
    pub(crate) fn reference(&'static self) -> ThreadRef {
        ThreadRef(&self.tcb)
    }

    #[inline(always)]
    pub(crate) fn of(thread: ThreadRef) -> &'static Self {
        // SAFETY: `AnyThread` is a transparent wrapper of `Tcb`, and all threads of one image are
        // of one system.
        unsafe { &*ptr::from_ref(thread.0).cast() }
    }

    /// The calling thread; in an interrupt handler, the thread that was interrupted. Bound: fixed.
    #[inline(always)]
    pub fn current() -> &'static Self {
        // The processor is asked for behind the mask: before, the thread can move.
        let held = hold::<S>();
        Self::of(Kernel::<S>::running().current(held.section()))
    }

    /// The calling thread's `argument`, in which the second word of a message that it has received lies: read without the lock.
    #[inline(always)]
    pub(crate) fn own_argument() -> usize {
        let mask = several::<S>().then(S::Machine::mask_here);
        // SAFETY: others touch the word only while its thread waits, and this one calls; it stays on this processor: there is
        // one, or its interrupts are masked.
        let word = unsafe { Kernel::<S>::running().caller().argument.get_own() };
        if let Some(mask) = mask {
            S::Machine::unmask_here(mask);
        }
        word
    }

    /// Lets the next of the caller's equals run; the caller goes behind them all. In an interrupt handler
    /// it is the thread that is to run after it that yields. Bound: fixed.
    #[inline(always)]
    pub fn yield_now() {
        hold::<S>().enter::<Yield<S>>(S::kernel(), 0, Timeout::NONE);
    }

    /// The thread's state. Bound: fixed. Allowed everywhere.
    pub fn state(&'static self) -> State {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        match thread.wait.get(cs).target() {
            Target::NonExistent => State::NonExistent,
            Target::Dormant => State::Dormant,
            Target::Nothing if thread.urgency.get(cs).has(Urgency::SUSPENDED) => State::Blocked,
            Target::Nothing if Kernel::<S>::is_running(cs, thread) => State::Executing,
            Target::Nothing => State::Ready,
            _ => State::Blocked,
        }
    }

    /// The thread's name; empty if it does not exist. Bound: fixed.
    pub fn name(&'static self) -> &'static str {
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        if thread.exists(cs) {
            thread.name(cs)
        } else {
            ""
        }
    }

    /// Keeps the thread from running until it is resumed, whatever else it waits for. Suspending
    /// twice is as good as once. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it was not started.
    pub fn suspend(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Suspend<S>>(self, 0, Timeout::NONE)
            .told::<S>()
    }

    /// Lets a suspended thread run again. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it is not suspended.
    #[inline(always)]
    pub fn resume(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<Resume<S>>(self, 0, Timeout::NONE)
            .told::<S>()
    }

    /// The thread's own priority, and the one it has now, by what it inherited. Bound: fixed.
    pub fn priorities(&'static self) -> (Priority, Priority) {
        let held = hold::<S>();
        let urgency = self.reference().urgency.get(held.section());
        (urgency.base(), urgency.effective())
    }

    /// Gives the thread another priority of its own. Its effective priority follows, and that of those
    /// it waits for. A ready thread whose effective priority changes goes behind its new equals.
    ///
    /// Bound: the chain of threads that it waits for. Errors: `Deleted` if it does not exist,
    /// `Parameter` for [`Priority::IDLE`].
    pub fn set_priority(&'static self, priority: Priority) -> Result<(), Error> {
        if priority >= Priority::IDLE {
            return Err(Error::Parameter);
        }
        hold::<S>()
            .enter::<SetPriority<S>>(self, priority.level().into(), Timeout::NONE)
            .told::<S>()
    }

    /// Waits until the thread has ended; at once if it has, or was never started.
    ///
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if it does not exist or is deleted meanwhile;
    /// `Deadlock` if it waits for the caller; `Context` in an interrupt handler.
    pub fn join(&'static self, timeout: Timeout) -> Result<(), Error> {
        hold::<S>().enter::<Join<S>>(self, 0, timeout).told::<S>()
    }

    /// Ends the wait of the thread: its call fails with `Cancelled`. Allowed in interrupt handlers.
    /// Bound: that of the wait queue. Errors: `State` if it does not wait.
    pub fn cancel_wait(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<CancelWait<S>>(self, 0, Timeout::NONE)
            .told::<S>()
    }

    /// Ends the thread wherever it is; it no longer exists. What it owned is unlocked, those who wait for it get
    /// `Deleted`. A thread may delete itself; then this does not return.
    ///
    /// Bound: the mutexes it owns, the threads that wait for it. Errors: `Deleted` if it does not exist.
    pub fn delete(&'static self) -> Result<(), Error> {
        hold::<S>()
            .enter::<End<S, true>>(self, 0, Timeout::NONE)
            .told::<S>()
    }

    /// Ends the calling thread: it becomes dormant and can be started again. What it owned is unlocked; those who
    /// join it go on, others who wait for it get `Deleted`. The same as to return from the entry.
    /// Bound: as [`AnyThread::delete`].
    ///
    /// # Panics
    /// In an interrupt handler.
    pub fn exit() -> ! {
        assert!(
            !S::Machine::in_interrupt(),
            "a handler is no thread that could end"
        );
        loop {
            let current = Self::current();
            hold::<S>().enter::<End<S, false>>(current, 0, Timeout::NONE);
        }
    }

    /// Does nothing for `timeout`: a span or until an instant; for ever until its wait is cancelled.
    /// A time that is none or past lets the caller's equals run, like [`AnyThread::yield_now`].
    /// Errors: `Cancelled`; `Context` in an interrupt handler.
    pub fn sleep(timeout: impl Into<Timeout>) -> Result<(), Error> {
        let current = Self::current();
        let answer = hold::<S>().enter::<Sleep<S>>(current, 0, timeout.into());
        match answer.told::<S>() {
            Err(Error::Timeout) => Ok(()),
            other => other,
        }
    }
}

impl ThreadRef {
    /// The thread's name.
    pub(crate) fn name(self, cs: CriticalSection<'_>) -> &'static str {
        self.info.get(cs).map_or("", |info| {
            // SAFETY: `describe` took both from a `&'static str`.
            unsafe {
                str::from_utf8_unchecked(slice::from_raw_parts(
                    info.name.get(cs),
                    info.name_length.get(cs),
                ))
            }
        })
    }

    /// What is fixed of the thread, if the control block still leads there, and that tells the same of where both lie. For
    /// reports of faults, which may have overwritten either.
    pub(crate) fn intact_info<S: System>(self, cs: CriticalSection<'_>) -> Option<&'static Info> {
        if cfg!(feature = "brief-reports") {
            return self.info.get(cs);
        }
        let block = ptr::from_ref::<Tcb>(&self).addr();
        // SAFETY: a word of the control block, which may hold anything, as a number.
        let place = unsafe { (&raw const self.info).cast::<usize>().read_volatile() };
        // It lies behind the stack, and no stack is as large.
        let is_near = place.wrapping_sub(block) < 16 << 20 && place % align_of::<usize>() == 0;
        let info = self.info.get(cs).filter(|_| is_near)?;
        let guard = block + offset_of!(Thread<S, 0>, guard);
        (info.stack.get(cs).guard == guard).then_some(info)
    }

    fn exists(self, cs: CriticalSection<'_>) -> bool {
        self.wait.get(cs) != Wait::NON_EXISTENT
    }

    pub(crate) fn was_started(self, cs: CriticalSection<'_>) -> bool {
        self.exists(cs) && self.wait.get(cs) != Wait::DORMANT
    }
}

/// Defines a decision about a thread.
macro_rules! decision {
    ($name:ident, blocks: $blocks:expr, $body:expr) => {
        struct $name<S>(PhantomData<S>);

        impl<S: System> Operation<S> for $name<S> {
            type Object = AnyThread<S>;
            const BLOCKS: bool = $blocks;

            fn run(
                cs: CriticalSection<'_>,
                thread: &'static AnyThread<S>,
                argument: usize,
                timeout: Timeout,
            ) -> OutcomeOf<S> {
                let body: fn(CriticalSection<'_>, ThreadRef, usize, Timeout) -> OutcomeOf<S> =
                    $body;
                body(cs, thread.reference(), argument, timeout)
            }
        }
    };
}

struct Yield<S>(PhantomData<S>);

impl<S: System> Operation<S> for Yield<S> {
    type Object = Kernel<S>;
    const USES_WORDS: bool = false;
    const ALWAYS_SWITCHES: bool = true;
    const BLOCKS: bool = false;

    /// The heir is the first of its ring, and no other ring is more urgent: the next of the ring follows it,
    /// be it the heir itself. In a thread the heir is the thread; in a handler, whoever is to run after it.
    fn run(
        cs: CriticalSection<'_>,
        kernel: &'static Kernel<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let running = Running(S::processor_of(kernel));
        if several::<S>() {
            return yield_on_several::<S>(cs, running);
        }
        let heir = running.heir(cs);
        let urgency = heir.urgency.get(cs);
        if urgency.is_special() {
            return seldom(yield_special::<S>(cs, heir));
        }
        let next = kernel
            .ready
            .borrow(cs)
            .advance(&cs, heir, urgency.effective());
        running.set_heir(cs, next);
        // In a handler nobody looks at the outcome: the switch is from whoever runs then.
        OutcomeOf::<S>::switch(heir.context(), next.context())
    }
}

/// As on one processor where the heir's instance is closed; the heir is unknown where it is open, and a decision is due.
#[inline(always)]
fn yield_on_several<S: System>(cs: CriticalSection<'_>, running: Running) -> OutcomeOf<S> {
    if running.0.heir.get().is_null() {
        return seldom(yield_open::<S>(cs, running));
    }
    let heir = running.heir(cs);
    let urgency = heir.urgency.get(cs);
    if let Some((solo, seat)) = heir.solo(cs)
        && !urgency.is_special()
    {
        let next = solo.advance(&View::<S>::new(cs), seat, heir, urgency.effective());
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    seldom(yield_elsewhere::<S>(cs, running, heir))
}

/// The same where the heir's instance has several processors, or is open.
#[inline(never)]
fn yield_elsewhere<S: System>(
    cs: CriticalSection<'_>,
    running: Running,
    heir: ThreadRef,
) -> OutcomeOf<S> {
    let urgency = heir.urgency.get(cs);
    if let Some(cluster) = heir.cluster(cs)
        && !urgency.is_special()
    {
        let (view, here) = (View::<S>::new(cs), S::Machine::number());
        let next = cluster.advance(&view, here, heir, urgency.effective());
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    seldom(yield_open::<S>(cs, running))
}

#[cold]
#[inline(never)]
fn yield_open<S: System>(cs: CriticalSection<'_>, running: Running) -> OutcomeOf<S> {
    S::kernel().give_turn_away(cs, running.current(cs))
}

/// The idle thread is special and in no ring: an interrupt came while all others wait.
#[cold]
#[inline(never)]
fn yield_special<S: System>(cs: CriticalSection<'_>, heir: ThreadRef) -> OutcomeOf<S> {
    S::kernel().rotate_special(cs, heir);
    let next = Kernel::<S>::running().heir(cs);
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

decision!(Ready, blocks: false, |cs, thread, _, _| {
    thread.wait.set(cs, Wait::NOTHING);
    S::kernel().make_ready(cs, thread);
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

decision!(Suspend, blocks: false, |cs, thread, _, _| {
    let urgency = thread.urgency.get(cs);
    if !thread.was_started(cs) || urgency.effective() == Priority::IDLE {
        return fail::<S>(Error::State);
    }
    if !urgency.has(Urgency::SUSPENDED) {
        thread.urgency.set(cs, urgency.with(Urgency::SUSPENDED));
        S::kernel().expect_special(cs);
        if thread.wait.get(cs) == Wait::NOTHING {
            S::kernel().unready(cs, thread);
            S::kernel().reselect(cs);
        }
    }
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

decision!(Resume, blocks: false, |cs, thread, _, _| {
    let urgency = thread.urgency.get(cs);
    if !urgency.has(Urgency::SUSPENDED) {
        return fail::<S>(Error::State);
    }
    thread.urgency.set(cs, urgency.without(Urgency::SUSPENDED));
    if thread.wait.get(cs) == Wait::NOTHING {
        S::kernel().make_ready(cs, thread);
    }
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

decision!(SetPriority, blocks: false, |cs, thread, level, _| {
    if !thread.exists(cs) {
        return fail::<S>(Error::Deleted);
    }
    let priority = Priority::from_stored(level as u8);
    thread.urgency.set(cs, thread.urgency.get(cs).with_base(priority));
    S::kernel().settle(cs, thread, Place::Last);
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

decision!(Join, blocks: true, |cs, thread, _, timeout| {
    if !thread.exists(cs) {
        return fail::<S>(Error::Deleted);
    }
    if !thread.was_started(cs) {
        return stay::<S>(Status::OK);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    let current = Kernel::<S>::running().current(cs);
    if closes_ring(cs, current, thread) {
        return fail::<S>(Error::Deadlock);
    }
    let outcome = S::kernel().block(cs, current, Wait::join(thread), timeout);
    thread.waiters.insert(cs, current);
    outcome
});

decision!(CancelWait, blocks: false, |cs, thread, _, _| {
    if !thread.was_started(cs) || thread.wait.get(cs) == Wait::NOTHING {
        return fail::<S>(Error::State);
    }
    S::kernel().abort(cs, thread, Error::Cancelled);
    Kernel::<S>::conclude(cs, Status::OK, 0)
});

decision!(Sleep, blocks: true, |cs, thread, _, timeout| {
    let kernel = S::kernel();
    let now = S::Machine::now();
    if timeout.deadline(now).is_some_and(|deadline| deadline <= now) {
        kernel.rotate(cs, thread);
        return Kernel::<S>::conclude(cs, Status::OK, 0);
    }
    kernel.block(cs, thread, Wait::SLEEP, timeout)
});

struct End<S, const DELETE: bool>(PhantomData<S>);

impl<S: System, const DELETE: bool> Operation<S> for End<S, DELETE> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        thread: &'static AnyThread<S>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let thread = thread.reference();
        if !thread.exists(cs) {
            return fail::<S>(Error::Deleted);
        }
        let urgency = thread.urgency.get(cs);
        if urgency.base() == Priority::IDLE {
            return fail::<S>(Error::State);
        }
        S::kernel().end(
            cs,
            thread,
            if DELETE {
                Wait::NON_EXISTENT
            } else {
                Wait::DORMANT
            },
        );
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

impl<S: System> Kernel<S> {
    /// Takes `thread`, which is ready, from the ready ones.
    #[inline(always)]
    fn unready(&'static self, cs: CriticalSection<'_>, thread: ThreadRef) {
        if several::<S>() {
            return self.dismiss(cs, thread);
        }
        let priority = thread.urgency.get(cs).effective();
        self.ready.borrow(cs).remove(&cs, thread, priority);
    }

    /// Takes `thread` out of everything and leaves it in the state `after`.
    fn end(&'static self, cs: CriticalSection<'_>, thread: ThreadRef, after: Wait) {
        if thread.was_started(cs) {
            if thread.wait.get(cs) == Wait::NOTHING {
                if !thread.urgency.get(cs).has(Urgency::SUSPENDED) {
                    self.unready(cs, thread);
                }
                if several::<S>() {
                    // That of one that spins for a lock.
                    self.stop_timeout(cs, thread);
                }
            } else {
                self.stop_timeout(cs, thread);
                let lent_to = self.withdraw(cs, thread);
                thread.wait.set(cs, Wait::SLEEP);
                if let Some(other) = lent_to {
                    self.settle(cs, other, Place::First);
                }
            }
        }
        thread.wait.set(cs, after);
        if after == Wait::NON_EXISTENT {
            self.threads.remove(cs, thread);
        }
        if several::<S>() {
            thread.set_leaving(cs, Self::is_running(cs, thread));
            self.surrender_all(cs, thread);
            if after == Wait::NON_EXISTENT {
                self.strike_off(cs, thread);
            }
        }
        self.release_all(cs, thread);
        self.wake_those_who_wait_for(cs, thread, after);
        let base = thread.urgency.get(cs).base();
        thread.urgency.set(cs, Urgency::new(base));
        self.reselect(cs);
    }

    fn wake_those_who_wait_for(
        &'static self,
        cs: CriticalSection<'_>,
        thread: ThreadRef,
        after: Wait,
    ) {
        while let Some(waiter) = thread.waiters.first(cs) {
            thread.waiters.pop(cs, waiter);
            let joins = matches!(waiter.wait.get(cs).target(), Target::Join(_));
            if !(joins && after == Wait::DORMANT) {
                waiter.set_error(cs, Error::Deleted);
            }
            self.wake(cs, waiter);
        }
        if thread.urgency.get(cs).has(Urgency::RECEIVED_FROM) {
            self.threads.for_each(cs, |other| {
                if other.wait.get(cs) == Wait::receive(thread) {
                    self.wake_with(cs, other, Error::Deleted);
                }
            });
        }
    }
}
