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

use crate::critical_section::{Guarded, Section, hold, in_decision};
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
use taktos_machine::{Decision, Machine, Outcome, StackRegion};
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
        let s = held.section();
        if self.any.tcb.wait.get(s) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        self.name.set(s, name);
        self.priority.set(s, priority);
        self.create_in(s)
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
        let s = held.section();
        if self.any.tcb.wait.get(s) == Wait::NON_EXISTENT {
            self.create_in(s)?;
        }
        // A handler may have ended the thread that it interrupted, whose stack is still in use.
        if self.reference() == Kernel::<S>::running().current(s) {
            return Err(Error::State);
        }
        self.prepare(s, begin, entry, argument)?;
        held.hand_over();
        S::Machine::enter::<Ready<S>>(&self.any, 0, Timeout::NONE).told::<S>()
    }

    /// Creates and starts the thread before any processor runs.
    pub(crate) fn start_main(
        &'static self,
        s: Section,
        begin: Begin,
        entry: usize,
    ) -> Result<(), Error> {
        self.create_in(s)?;
        self.prepare(s, begin, entry, 0)?;
        self.reference().wait.set(s, Wait::NOTHING);
        S::kernel().admit_first(s, self.reference());
        Ok(())
    }

    /// Creates and starts the thread before the machine runs; it becomes the heir.
    pub(crate) fn start_first(&'static self, s: Section, begin: Begin, entry: usize) {
        if self.create_in(s).is_ok() && self.prepare(s, begin, entry, 0).is_ok() {
            self.reference().wait.set(s, Wait::NOTHING);
            S::kernel().make_ready(s, self.reference());
        }
    }

    fn prepare(
        &'static self,
        s: Section,
        begin: Begin,
        entry: usize,
        argument: usize,
    ) -> Result<(), Error> {
        let thread = self.reference();
        if thread.wait.get(s) != Wait::DORMANT {
            return Err(Error::State);
        }
        let stack = self.info.stack.get(s);
        S::Machine::prepare(thread.machine_part(s), stack, begin, entry, argument);
        let base = thread.urgency.get(s).base();
        thread.urgency.set(s, Urgency::new(base));
        thread.notification.set(s, 0);
        thread.set_ok(s);
        Ok(())
    }

    pub(crate) fn create_in(&'static self, s: Section) -> Result<(), Error> {
        if N < S::Machine::SMALLEST_STACK {
            return Err(Error::NoMemory);
        }
        self.create_with(s, self.priority.get(s))
    }

    /// Creates the idle thread, dormant no more: it runs whenever no other thread is ready.
    pub(crate) fn create_idle(&'static self, s: Section) {
        if self.create_with(s, Priority::IDLE).is_ok() && self.prepare(s, idle::<S>, 0, 0).is_ok() {
            let idle = self.reference();
            idle.wait.set(s, Wait::NOTHING);
            idle.urgency
                .set(s, idle.urgency.get(s).with(Urgency::IN_NO_RING));
        }
    }

    fn create_with(&'static self, s: Section, priority: Priority) -> Result<(), Error> {
        let thread = self.reference();
        if thread.wait.get(s) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        if several::<S>() && priority != Priority::IDLE {
            S::kernel().enrol(s, thread, priority)?;
        }
        self.describe(s);
        thread.info.set(s, Some(&self.info));
        S::kernel().threads.add(s, thread);
        s.make_alone(thread);
        thread.urgency.set(s, Urgency::new(priority));
        thread.notification.set(s, 0);
        thread.wait.set(s, Wait::DORMANT);
        Ok(())
    }

    fn describe(&'static self, s: Section) {
        let name = self.name.get(s);
        self.info.name.set(s, name.as_ptr());
        self.info.name_length.set(s, name.len());
        let stack = StackRegion {
            guard: ptr::from_ref(&self.guard).expose_provenance(),
            base: ptr::from_ref(&self.stack).expose_provenance(),
            size: N & !15,
        };
        self.info.stack.set(s, stack);
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

    /// Lets the next of the caller's equals run; the caller goes behind them all. In an interrupt handler
    /// it is the thread that is to run after it that yields. Bound: fixed.
    #[inline(always)]
    pub fn yield_now() {
        hold::<S>().hand_over();
        S::Machine::enter::<Yield<S>>(S::kernel(), 0, Timeout::NONE);
    }

    /// The thread's state. Bound: fixed. Allowed everywhere.
    pub fn state(&'static self) -> State {
        let held = hold::<S>();
        let s = held.section();
        let thread = self.reference();
        match thread.wait.get(s).target() {
            Target::NonExistent => State::NonExistent,
            Target::Dormant => State::Dormant,
            Target::Nothing if thread.urgency.get(s).has(Urgency::SUSPENDED) => State::Blocked,
            Target::Nothing if Kernel::<S>::is_running(s, thread) => State::Executing,
            Target::Nothing => State::Ready,
            _ => State::Blocked,
        }
    }

    /// The thread's name; empty if it does not exist. Bound: fixed.
    pub fn name(&'static self) -> &'static str {
        let held = hold::<S>();
        let s = held.section();
        let thread = self.reference();
        if thread.exists(s) { thread.name(s) } else { "" }
    }

    /// Keeps the thread from running until it is resumed, whatever else it waits for. Suspending
    /// twice is as good as once. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it was not started.
    pub fn suspend(&'static self) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<Suspend<S>>(self, 0, Timeout::NONE).told::<S>()
    }

    /// Lets a suspended thread run again. Allowed in interrupt handlers. Bound: fixed.
    /// Errors: `State` if it is not suspended.
    #[inline(always)]
    pub fn resume(&'static self) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<Resume<S>>(self, 0, Timeout::NONE).told::<S>()
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
        hold::<S>().hand_over();
        S::Machine::enter::<SetPriority<S>>(self, priority.level().into(), Timeout::NONE)
            .told::<S>()
    }

    /// Waits until the thread has ended; at once if it has, or was never started.
    ///
    /// Errors: `Timeout`, `WouldBlock`; `Deleted` if it does not exist or is deleted meanwhile;
    /// `Deadlock` if it waits for the caller; `Context` in an interrupt handler.
    pub fn join(&'static self, timeout: Timeout) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<Join<S>>(self, 0, timeout).told::<S>()
    }

    /// Ends the wait of the thread: its call fails with `Cancelled`. Allowed in interrupt handlers.
    /// Bound: that of the wait queue. Errors: `State` if it does not wait.
    pub fn cancel_wait(&'static self) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<CancelWait<S>>(self, 0, Timeout::NONE).told::<S>()
    }

    /// Ends the thread wherever it is; it no longer exists. What it owned is unlocked, those who wait for it get
    /// `Deleted`. A thread may delete itself; then this does not return.
    ///
    /// Bound: the mutexes it owns, the threads that wait for it. Errors: `Deleted` if it does not exist.
    pub fn delete(&'static self) -> Result<(), Error> {
        hold::<S>().hand_over();
        S::Machine::enter::<End<S, true>>(self, 0, Timeout::NONE).told::<S>()
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
            hold::<S>().hand_over();
            S::Machine::enter::<End<S, false>>(current, 0, Timeout::NONE);
        }
    }

    /// Does nothing for `timeout`: a span or until an instant; for ever until its wait is cancelled.
    /// A time that is none or past lets the caller's equals run, like [`AnyThread::yield_now`].
    /// Errors: `Cancelled`; `Context` in an interrupt handler.
    pub fn sleep(timeout: impl Into<Timeout>) -> Result<(), Error> {
        let current = Self::current();
        hold::<S>().hand_over();
        let answer = S::Machine::enter::<Sleep<S>>(current, 0, timeout.into());
        match answer.told::<S>() {
            Err(Error::Timeout) => Ok(()),
            other => other,
        }
    }
}

impl ThreadRef {
    /// The thread's name.
    pub(crate) fn name(self, s: Section) -> &'static str {
        self.info.get(s).map_or("", |info| {
            // SAFETY: `describe` took both from a `&'static str`.
            unsafe {
                str::from_utf8_unchecked(slice::from_raw_parts(
                    info.name.get(s),
                    info.name_length.get(s),
                ))
            }
        })
    }

    /// What is fixed of the thread, if the control block still leads there, and that tells the same of where both lie. For
    /// reports of faults, which may have overwritten either.
    pub(crate) fn intact_info<S: System>(self, s: Section) -> Option<&'static Info> {
        if cfg!(feature = "brief-reports") {
            return self.info.get(s);
        }
        let block = ptr::from_ref::<Tcb>(&self).addr();
        // SAFETY: a word of the control block, which may hold anything, as a number.
        let place = unsafe { (&raw const self.info).cast::<usize>().read_volatile() };
        // It lies behind the stack, and no stack is as large.
        let is_near = place.wrapping_sub(block) < 16 << 20 && place % align_of::<usize>() == 0;
        let info = self.info.get(s).filter(|_| is_near)?;
        let guard = block + offset_of!(Thread<S, 0>, guard);
        (info.stack.get(s).guard == guard).then_some(info)
    }

    fn exists(self, s: Section) -> bool {
        self.wait.get(s) != Wait::NON_EXISTENT
    }

    pub(crate) fn was_started(self, s: Section) -> bool {
        self.exists(s) && self.wait.get(s) != Wait::DORMANT
    }
}

/// Defines a decision about a thread.
macro_rules! decision {
    ($name:ident, blocks: $blocks:expr, $body:expr) => {
        struct $name<S>(PhantomData<S>);

        impl<S: System> Decision<S::Machine> for $name<S> {
            type Object = AnyThread<S>;
            const BLOCKS: bool = $blocks;

            extern "C" fn decide(
                thread: &'static AnyThread<S>,
                argument: usize,
                timeout: Timeout,
            ) -> OutcomeOf<S> {
                let body: fn(Section, ThreadRef, usize, Timeout) -> OutcomeOf<S> = $body;
                body(in_decision(), thread.reference(), argument, timeout)
            }
        }
    };
}

struct Yield<S>(PhantomData<S>);

impl<S: System> Decision<S::Machine> for Yield<S> {
    type Object = Kernel<S>;
    const USES_WORDS: bool = false;
    const ALWAYS_SWITCHES: bool = true;
    const BLOCKS: bool = false;

    /// The heir is the first of its ring, and no other ring is more urgent: the next of the ring follows it,
    /// be it the heir itself. In a thread the heir is the thread; in a handler, whoever is to run after it.
    extern "C" fn decide(kernel: &'static Kernel<S>, _: usize, _: Timeout) -> OutcomeOf<S> {
        let s = in_decision();
        let running = Running(S::processor_of(kernel));
        if several::<S>() {
            return yield_on_several::<S>(s, running);
        }
        let heir = running.heir(s);
        let urgency = heir.urgency.get(s);
        if urgency.is_special() {
            return seldom(yield_special::<S>(s, heir));
        }
        let next = kernel
            .ready
            .borrow(s)
            .advance(&s, heir, urgency.effective());
        running.set_heir(s, next);
        // In a handler nobody looks at the outcome: the switch is from whoever runs then.
        OutcomeOf::<S>::switch(heir.context(), next.context())
    }
}

/// As on one processor where the heir's instance is closed; the heir is unknown where it is open, and a decision is due.
#[inline(always)]
fn yield_on_several<S: System>(s: Section, running: Running) -> OutcomeOf<S> {
    if running.0.heir.get().is_null() {
        return seldom(yield_open::<S>(s, running));
    }
    let heir = running.heir(s);
    let urgency = heir.urgency.get(s);
    if let Some((solo, seat)) = heir.solo(s)
        && !urgency.is_special()
    {
        let next = solo.advance(&View::<S>::new(s), seat, heir, urgency.effective());
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    seldom(yield_elsewhere::<S>(s, running, heir))
}

/// The same where the heir's instance has several processors, or is open.
#[inline(never)]
fn yield_elsewhere<S: System>(s: Section, running: Running, heir: ThreadRef) -> OutcomeOf<S> {
    let urgency = heir.urgency.get(s);
    if let Some(cluster) = heir.cluster(s)
        && !urgency.is_special()
    {
        let (view, here) = (View::<S>::new(s), S::Machine::number());
        let next = cluster.advance(&view, here, heir, urgency.effective());
        return OutcomeOf::<S>::switch(heir.context(), next.context());
    }
    seldom(yield_open::<S>(s, running))
}

#[cold]
#[inline(never)]
fn yield_open<S: System>(s: Section, running: Running) -> OutcomeOf<S> {
    S::kernel().give_turn_away(s, running.current(s))
}

/// The idle thread is special and in no ring: an interrupt came while all others wait.
#[cold]
#[inline(never)]
fn yield_special<S: System>(s: Section, heir: ThreadRef) -> OutcomeOf<S> {
    S::kernel().rotate_special(s, heir);
    let next = Kernel::<S>::running().heir(s);
    OutcomeOf::<S>::switch(heir.context(), next.context())
}

decision!(Ready, blocks: false, |s, thread, _, _| {
    thread.wait.set(s, Wait::NOTHING);
    S::kernel().make_ready(s, thread);
    Kernel::<S>::conclude(s, Status::OK, 0)
});

decision!(Suspend, blocks: false, |s, thread, _, _| {
    let urgency = thread.urgency.get(s);
    if !thread.was_started(s) || urgency.effective() == Priority::IDLE {
        return fail::<S>(Error::State);
    }
    if !urgency.has(Urgency::SUSPENDED) {
        thread.urgency.set(s, urgency.with(Urgency::SUSPENDED));
        S::kernel().expect_special(s);
        if thread.wait.get(s) == Wait::NOTHING {
            S::kernel().unready(s, thread);
            S::kernel().reselect(s);
        }
    }
    Kernel::<S>::conclude(s, Status::OK, 0)
});

decision!(Resume, blocks: false, |s, thread, _, _| {
    let urgency = thread.urgency.get(s);
    if !urgency.has(Urgency::SUSPENDED) {
        return fail::<S>(Error::State);
    }
    thread.urgency.set(s, urgency.without(Urgency::SUSPENDED));
    if thread.wait.get(s) == Wait::NOTHING {
        S::kernel().make_ready(s, thread);
    }
    Kernel::<S>::conclude(s, Status::OK, 0)
});

decision!(SetPriority, blocks: false, |s, thread, level, _| {
    if !thread.exists(s) {
        return fail::<S>(Error::Deleted);
    }
    let priority = Priority::from_stored(level as u8);
    thread.urgency.set(s, thread.urgency.get(s).with_base(priority));
    S::kernel().settle(s, thread, Place::Last);
    Kernel::<S>::conclude(s, Status::OK, 0)
});

decision!(Join, blocks: true, |s, thread, _, timeout| {
    if !thread.exists(s) {
        return fail::<S>(Error::Deleted);
    }
    if !thread.was_started(s) {
        return stay::<S>(Status::OK);
    }
    if timeout.is_none() {
        return refuse_to_wait::<S>();
    }
    let current = Kernel::<S>::running().current(s);
    if closes_ring(s, current, thread) {
        return fail::<S>(Error::Deadlock);
    }
    let outcome = S::kernel().block(s, current, Wait::join(thread), timeout);
    thread.waiters.insert(s, current);
    outcome
});

decision!(CancelWait, blocks: false, |s, thread, _, _| {
    if !thread.was_started(s) || thread.wait.get(s) == Wait::NOTHING {
        return fail::<S>(Error::State);
    }
    S::kernel().abort(s, thread, Error::Cancelled);
    Kernel::<S>::conclude(s, Status::OK, 0)
});

decision!(Sleep, blocks: true, |s, thread, _, timeout| {
    let kernel = S::kernel();
    let now = S::Machine::now();
    if timeout.deadline(now).is_some_and(|deadline| deadline <= now) {
        kernel.rotate(s, thread);
        return Kernel::<S>::conclude(s, Status::OK, 0);
    }
    kernel.block(s, thread, Wait::SLEEP, timeout)
});

struct End<S, const DELETE: bool>(PhantomData<S>);

impl<S: System, const DELETE: bool> Decision<S::Machine> for End<S, DELETE> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = false;

    extern "C" fn decide(thread: &'static AnyThread<S>, _: usize, _: Timeout) -> OutcomeOf<S> {
        let s = in_decision();
        let thread = thread.reference();
        if !thread.exists(s) {
            return fail::<S>(Error::Deleted);
        }
        let urgency = thread.urgency.get(s);
        if urgency.base() == Priority::IDLE {
            return fail::<S>(Error::State);
        }
        S::kernel().end(
            s,
            thread,
            if DELETE {
                Wait::NON_EXISTENT
            } else {
                Wait::DORMANT
            },
        );
        Kernel::<S>::conclude(s, Status::OK, 0)
    }
}

impl<S: System> Kernel<S> {
    /// Takes `thread`, which is ready, from the ready ones.
    #[inline(always)]
    fn unready(&'static self, s: Section, thread: ThreadRef) {
        if several::<S>() {
            return self.dismiss(s, thread);
        }
        let priority = thread.urgency.get(s).effective();
        self.ready.borrow(s).remove(&s, thread, priority);
    }

    /// Takes `thread` out of everything and leaves it in the state `after`.
    fn end(&'static self, s: Section, thread: ThreadRef, after: Wait) {
        if thread.was_started(s) {
            if thread.wait.get(s) == Wait::NOTHING {
                if !thread.urgency.get(s).has(Urgency::SUSPENDED) {
                    self.unready(s, thread);
                }
                if several::<S>() {
                    // That of one that spins for a lock.
                    self.stop_timeout(s, thread);
                }
            } else {
                self.stop_timeout(s, thread);
                let lent_to = self.withdraw(s, thread);
                thread.wait.set(s, Wait::SLEEP);
                if let Some(other) = lent_to {
                    self.settle(s, other, Place::First);
                }
            }
        }
        thread.wait.set(s, after);
        if after == Wait::NON_EXISTENT {
            self.threads.remove(s, thread);
        }
        if several::<S>() {
            thread.set_leaving(s, Self::is_running(s, thread));
            self.surrender_all(s, thread);
            if after == Wait::NON_EXISTENT {
                self.strike_off(s, thread);
            }
        }
        self.release_all(s, thread);
        self.wake_those_who_wait_for(s, thread, after);
        let base = thread.urgency.get(s).base();
        thread.urgency.set(s, Urgency::new(base));
        self.reselect(s);
    }

    fn wake_those_who_wait_for(&'static self, s: Section, thread: ThreadRef, after: Wait) {
        while let Some(waiter) = thread.waiters.first(s) {
            thread.waiters.pop(s, waiter);
            let joins = matches!(waiter.wait.get(s).target(), Target::Join(_));
            if !(joins && after == Wait::DORMANT) {
                waiter.set_error(s, Error::Deleted);
            }
            self.wake(s, waiter);
        }
        if thread.urgency.get(s).has(Urgency::RECEIVED_FROM) {
            self.threads.for_each(s, |other| {
                if other.wait.get(s) == Wait::receive(thread) {
                    self.wake_with(s, other, Error::Deleted);
                }
            });
        }
    }
}
