//! Owns: a thread with its memory: how it is made, and where it begins. Must never know: what it
//! does then, how it ends.
#![expect(
    unsafe_code,
    reason = "stack memory, and entry points that travel as machine words"
)]

use super::info::{self, Back, Front, Info};
use super::operations::Ready;
use super::tcb::{Tcb, ThreadRef};
use super::urgency::Urgency;
use super::{AnyThread, raw};
use crate::critical_section::{CriticalSection, Guarded};
use crate::kernel::DEFAULT_PRIORITY;
use crate::sched::{IntoResult, hold};
use crate::wait::Wait;
use crate::{Kernel, Priority, System};
use core::mem::{MaybeUninit, offset_of};
use core::{ptr, slice, str};
use taktos_abi::{Error, Timeout};
use taktos_machine::{Machine, StackRegion};
use taktos_schedule::Ring;

#[repr(C, align(8))]
pub(super) struct Stack<const N: usize>(pub(super) MaybeUninit<[u8; N]>);

/// A thread with its memory: control block, guard and a stack of `N` bytes. Made to be a static.
///
/// Everything that can be done with it is a method of [`AnyThread`], as which it can be used.
#[repr(C)]
pub struct Thread<S: System, const N: usize> {
    pub(super) aligned: [<S::Machine as Machine>::Aligned; 0],
    pub(super) front: Front<S>,
    pub(super) any: AnyThread<S>,
    pub(super) guard: Guarded<<S::Machine as Machine>::Guard>,
    pub(super) stack: Guarded<Stack<N>>,
    pub(super) back: Back<S>,
}

impl<S: System> AnyThread<S> {
    /// The offset of the guard from the beginning of the control block, in a thread with its
    /// memory.
    pub(crate) const GUARD_PLACE: usize =
        offset_of!(Thread<S, 0>, guard) - offset_of!(Thread<S, 0>, any);
}

// SAFETY: all of it is reached only in a section, but for the stack, which only its thread touches.
unsafe impl<S: System, const N: usize> Sync for Thread<S, N> {}
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
            aligned: [],
            front: info::placed(Info::of(name, DEFAULT_PRIORITY)),
            any: AnyThread::new(),
            guard: Guarded::new(<S::Machine as Machine>::GUARD),
            stack: Guarded::new(Stack(MaybeUninit::uninit())),
            back: info::placed(Info::of(name, DEFAULT_PRIORITY)),
        }
    }

    /// The rarely needed data.
    #[inline(always)]
    pub(super) const fn info(&self) -> &Info {
        info::kept::<S>(&self.front, &self.back)
    }

    /// Sets the priority to `level`.
    ///
    /// # Panics
    /// If `level` is not below [`Priority::COUNT`]: for a static, when it is compiled.
    pub const fn priority(mut self, level: u8) -> Self {
        assert!(
            level < Priority::COUNT as u8,
            "the level is too high: priorities are 0 (most urgent) to 31, or 62 with the feature c-library"
        );
        let info = info::kept_mut::<S>(&mut self.front, &mut self.back);
        info.priority = Guarded::new(Priority::from_stored(level));
        self
    }

    /// The thread without its stack's size: for constants, where it cannot be dereferenced.
    pub const fn any(&'static self) -> &'static AnyThread<S> {
        &self.any
    }

    /// Gives the thread a name and a priority, and creates it: for threads that are made at run
    /// time. Bound: fixed. Errors: as [`Thread::create`].
    pub fn create_as(&'static self, name: &'static str, priority: Priority) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.any.tcb.wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        self.info().set_name(cs, name);
        self.info().priority.set(cs, priority);
        self.create_in(cs)
    }

    /// Creates the thread: it becomes dormant. Bound: fixed.
    /// Errors: `State` if it exists; `NoMemory` if its stack is too small for the machine.
    pub fn create(&'static self) -> Result<(), Error> {
        self.create_in(hold::<S>().section())
    }

    /// Creates the thread, if it does not exist, and starts it: it becomes ready and runs `entry`.
    /// Bound: fixed. Errors: `State` if it has been started and has not ended; `NoMemory` as
    /// [`Thread::create`].
    pub fn start(&'static self, entry: fn()) -> Result<(), Error> {
        self.start_at(begin::<S>, entry as usize, 0)
    }

    /// Like [`Thread::start_with`], with an entry that never returns. A program with only such
    /// threads does not contain the code that ends threads.
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

    /// Begins the thread again, whatever it does or waits for: as [`AnyThread::stop`], then
    /// [`Thread::start`], at the priority with which it was created, or moved to another scheduler
    /// instance, and without a job. Bounds: those of both. Errors: `State` if it was not started or
    /// has ended, for the caller itself, and in a handler for the thread that it interrupted;
    /// `Deleted` if it does not exist.
    pub fn restart(&'static self, entry: fn()) -> Result<(), Error> {
        self.restart_at(begin::<S>, entry as usize, 0)
    }

    /// Like [`Thread::restart`], with an entry that is given `argument`.
    pub fn restart_with<T: Sync>(
        &'static self,
        entry: fn(&'static T),
        argument: &'static T,
    ) -> Result<(), Error> {
        let argument = ptr::from_ref(argument).expose_provenance();
        self.restart_at(begin_with::<S, T>, entry as usize, argument)
    }

    fn restart_at(&'static self, begin: Begin, entry: usize, argument: usize) -> Result<(), Error> {
        if ptr::eq(AnyThread::<S>::current(), &self.any) {
            return Err(Error::State);
        }
        self.any.stop()?;
        let held = Kernel::<S>::hold_off_processors(self.reference())?;
        let cs = held.section();
        let own = self.info().priority.get(cs);
        let initial = Kernel::<S>::initial_priority(cs, self.reference(), own);
        self.reference().urgency.set(cs, Urgency::new(initial));
        S::kernel().set_deadline(cs, self.reference(), None);
        drop(held);
        self.start_at(begin, entry, argument)
    }

    fn start_at(&'static self, begin: Begin, entry: usize, argument: usize) -> Result<(), Error> {
        let held = Kernel::<S>::hold_off_processors(self.any.reference())?;
        let cs = held.section();
        if self.any.tcb.wait.get(cs) == Wait::NON_EXISTENT {
            self.create_in(cs)?;
        }
        // A handler may have ended the thread that it interrupted: that stack is still in use.
        if self.reference() == held.running().current(cs) {
            return Err(Error::State);
        }
        self.prepare(cs, begin, entry, argument)?;
        held.enter::<Ready<S>>(&self.any, 0, Timeout::NONE)
            .into_result::<S>()
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
        S::kernel().ready_first(cs, self.reference());
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
        let stack = self.info().stack.get(cs);
        self.reference()
            .prepare::<S>(cs, stack, begin, entry, argument)
    }

    pub(crate) fn create_in(&'static self, cs: CriticalSection<'_>) -> Result<(), Error> {
        self.create_with(cs, self.info().priority.get(cs))
    }

    /// Creates the idle thread, of memory that is all zeros, dormant no more: it runs whenever no
    /// other thread is ready.
    pub(crate) fn create_idle(&'static self, cs: CriticalSection<'_>) {
        self.settle(cs, (self.info(), "idle", Priority::IDLE));
        let _ = self.exist(cs, Priority::IDLE);
        let _ = self.begin_idle(cs, idle::<S>, 0);
    }

    /// [`Thread::create_idle`], with another beginning, which gets `word`.
    pub(super) fn create_idle_at(
        &'static self,
        cs: CriticalSection<'_>,
        begin: Begin,
        word: usize,
    ) -> Result<(), Error> {
        self.create_with(cs, Priority::IDLE)?;
        self.begin_idle(cs, begin, word)
    }

    fn begin_idle(
        &'static self,
        cs: CriticalSection<'_>,
        begin: Begin,
        word: usize,
    ) -> Result<(), Error> {
        self.prepare(cs, begin, word, 0)?;
        let idle = self.reference();
        idle.wait.set(cs, Wait::NOTHING);
        idle.urgency
            .set(cs, idle.urgency.get(cs).with(Urgency::IN_NO_RING));
        Ok(())
    }

    fn create_with(
        &'static self,
        cs: CriticalSection<'_>,
        priority: Priority,
    ) -> Result<(), Error> {
        if N < S::Machine::SMALLEST_STACK {
            return Err(Error::NoMemory);
        }
        if self.reference().wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        self.exist(cs, priority)
    }

    /// Makes the thread, which does not exist, dormant.
    fn exist(&'static self, cs: CriticalSection<'_>, priority: Priority) -> Result<(), Error> {
        let stack = StackRegion {
            guard: ptr::from_ref(&self.guard).expose_provenance(),
            base: ptr::from_ref(&self.stack).expose_provenance(),
            size: N & !15,
        };
        self.info().describe(cs, stack);
        self.reference()
            .come_into_being::<S>(cs, self.info(), priority)
    }
}

impl Info {
    /// Sets what is fixed while the thread exists.
    pub(super) fn describe(&self, cs: CriticalSection<'_>, stack: StackRegion) {
        self.stack.set(cs, stack);
        #[cfg(feature = "c-library")]
        self.keeps_turn.set(cs, false);
    }
}

impl ThreadRef {
    /// Makes the thread, which is dormant, begin on `stack`. Errors: `State` if it is not dormant.
    #[inline(always)]
    pub(super) fn prepare<S: System>(
        self,
        cs: CriticalSection<'_>,
        stack: StackRegion,
        begin: Begin,
        entry: usize,
        argument: usize,
    ) -> Result<(), Error> {
        if self.wait.get(cs) != Wait::DORMANT {
            return Err(Error::State);
        }
        S::Machine::prepare(self.machine_part(cs), stack, begin, entry, argument);
        self.begin_anew(cs);
        Ok(())
    }
}

/// Where a thread begins: gets the entry and the argument as words.
pub type Begin = extern "C" fn(usize, usize) -> !;

/// Calls an entry without argument, and ends the thread.
pub(crate) extern "C" fn begin<S: System>(entry: usize, _: usize) -> ! {
    // SAFETY: `start` and `run` got the word from a function of this type.
    let entry = unsafe { core::mem::transmute::<usize, fn()>(entry) };
    entry();
    AnyThread::<S>::end()
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
    AnyThread::<S>::end()
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
        Kernel::<S>::look_before_sleep();
        S::Machine::idle();
    }
}

impl ThreadRef {
    /// The thread, which does not exist and is described by `info`, becomes dormant.
    /// Errors: `NoMemory` where the scheduler has no room for it.
    #[inline(always)]
    pub(crate) fn come_into_being<S: System>(
        self,
        cs: CriticalSection<'_>,
        info: &'static Info,
        priority: Priority,
    ) -> Result<(), Error> {
        S::kernel().register(cs, self, priority)?;
        self.info.set(cs, Some(info));
        #[cfg(feature = "processor-time")]
        info.metered.begin::<S>(cs);
        S::kernel().threads.add(cs, self);
        cs.make_alone(self);
        self.urgency.set(cs, Urgency::new(priority));
        self.notification.set(cs, 0);
        self.wait.set(cs, Wait::DORMANT);
        Ok(())
    }

    /// Gives a thread that is started its own priority, no notification, and no error to receive.
    #[inline(always)]
    pub(crate) fn begin_anew(self, cs: CriticalSection<'_>) {
        let base = self.urgency.get(cs).base();
        self.urgency.set(cs, Urgency::new(base));
        #[cfg(feature = "budgets")]
        self.pay_alone(cs);
        self.notification.set(cs, 0);
        self.set_ok(cs);
    }

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

    /// The memory of its stack.
    pub(super) fn stack(self, cs: CriticalSection<'_>) -> Option<core::ops::Range<usize>> {
        let info = self.info.get(cs).filter(|_| self.exists(cs))?;
        let stack = info.stack.get(cs);
        Some(stack.base..stack.base + stack.size)
    }

    /// Returns the fixed data of the thread, if the control block still points there, and both
    /// agree on their places. For reports of faults, which may have overwritten either.
    pub(crate) fn intact_info<S: System>(self, cs: CriticalSection<'_>) -> Option<&'static Info> {
        if S::BRIEF_REPORTS {
            return self.info.get(cs);
        }
        let block = ptr::from_ref::<Tcb>(&self).addr();
        // SAFETY: a word of the control block, which may hold anything, as a number.
        let place = unsafe { (&raw const self.info).cast::<usize>().read_volatile() };
        // It is located in front, or after the stack, and no stack is as large.
        let is_before = place == raw::info_place::<S>(block);
        let is_behind = !info::is_in_front::<S>()
            && place.wrapping_sub(block) < 16 << 20
            && place % align_of::<usize>() == 0;
        let info = self.info.get(cs).filter(|_| is_before || is_behind)?;
        // A stack in memory that a caller gave may have no guard.
        let guard = info.stack.get(cs).guard;
        let is_its = guard == block + AnyThread::<S>::GUARD_PLACE || is_before && guard == 0;
        is_its.then_some(info)
    }

    pub(crate) fn exists(self, cs: CriticalSection<'_>) -> bool {
        self.wait.get(cs) != Wait::NON_EXISTENT
    }

    pub(crate) fn was_started(self, cs: CriticalSection<'_>) -> bool {
        self.exists(cs) && self.wait.get(cs) != Wait::DORMANT
    }
}
