//! Owns: the threads of partitions: how they are made and where they begin.
//! Must never know: other threads of the partition, faults.
#![expect(unsafe_code, reason = "a thread is shared by all")]

use super::{AnyPartition, Data};
use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::kernel::DEFAULT_PRIORITY;
use crate::sched::{IntoResult, OutcomeOf, fail, is_smp};
use crate::thread::info::{self, Back, Front, Info};
use crate::thread::operations::Ready;
use crate::wait::Wait;
use crate::{AnyThread, Error, Kernel, Priority, System, Timeout};
use core::marker::PhantomData;
use core::mem::offset_of;
use core::ops::Deref;
use core::ptr;
use taktos_machine::{Isolation, Machine, StackRegion, UserStart};

/// A thread of a partition with data of the type `T`. Made to be a static, in the list of the
/// partition's threads. Privileged code can do with it all that it can with others ([`AnyThread`]),
/// as far as names reach.
#[repr(transparent)]
pub struct UserThread<S: System<Machine: Isolation>, T: 'static> {
    member: Member<S>,
    data: PhantomData<fn(&'static T)>,
}

/// A thread of a partition, whatever the partition's data.
///
/// After the control block is what the machine saves: a thread without privilege has nothing of the
/// kernel's on its stack.
#[repr(C)]
pub(crate) struct Member<S: System<Machine: Isolation>> {
    aligned: [<S::Machine as Machine>::Aligned; 0],
    front: Front<S>,
    any: AnyThread<S>,
    state: Guarded<<S::Machine as Isolation>::UserState>,
    back: Back<S>,
    /// Gets the data and the argument with which the thread is started.
    entry: *const (),
    stack: usize,
}

// SAFETY: as for `Thread`; the entry is code.
unsafe impl<S: System<Machine: Isolation>, T: 'static> Sync for UserThread<S, T> {}

impl<S: System<Machine: Isolation>, T: 'static> Deref for UserThread<S, T> {
    type Target = AnyThread<S>;
    fn deref(&self) -> &AnyThread<S> {
        &self.member.any
    }
}

impl<S: System<Machine: Isolation>, T> UserThread<S, T> {
    /// The thread, whatever its partition's data.
    pub(super) const fn any(&'static self) -> &'static AnyThread<S> {
        &self.member.any
    }

    /// Returns the address of its control block, by which handles name it; derived from all of it.
    pub(super) const fn block(&'static self) -> *const () {
        let member = ptr::from_ref(&self.member);
        // SAFETY: within the member.
        unsafe { member.byte_add(offset_of!(Member<S>, any)).cast() }
    }
}

impl<S: System<Machine: Isolation>, T: Data> UserThread<S, T> {
    /// A thread that runs `entry`, with the partition's data and the argument that it is started
    /// with, on a stack of `stack` bytes of the partition's memory; its priority is 16. It ends
    /// by a call: the entry does not return.
    ///
    /// # Panics
    /// If the stack has less than 256 bytes or is no multiple of 8: for a static, when it is
    /// compiled.
    #[must_use]
    pub const fn new(
        name: &'static str,
        stack: usize,
        entry: extern "C" fn(&'static T, usize) -> !,
    ) -> Self {
        assert!(
            stack >= 256 && stack.is_multiple_of(8),
            "a stack has at least 256 bytes, and a multiple of 8"
        );
        Self {
            member: Member {
                aligned: [],
                front: info::placed(Info::of(name, DEFAULT_PRIORITY)),
                any: AnyThread::new(),
                state: Guarded::new(<S::Machine as Isolation>::USER_STATE),
                back: info::placed(Info::of(name, DEFAULT_PRIORITY)),
                entry: entry as *const (),
                stack,
            },
            data: PhantomData,
        }
    }

    /// Sets the priority to `level`.
    ///
    /// # Panics
    /// If `level` is above 31: for a static, when it is compiled.
    #[must_use]
    pub const fn priority(mut self, level: u8) -> Self {
        assert!(
            level < Priority::COUNT as u8,
            "priorities are 0 (most urgent) to 31"
        );
        let info = info::kept_mut::<S>(&mut self.member.front, &mut self.member.back);
        info.priority = Guarded::new(Priority::from_stored(level));
        self
    }
}

impl<S: System<Machine: Isolation>> Member<S> {
    /// The place of the machine's part, as the machine knows it.
    const PLACE: () = assert!(
        size_of::<<S::Machine as Isolation>::UserState>() == 0
            || offset_of!(Self, state) - offset_of!(Self, any)
                == <S::Machine as Isolation>::USER_STATE_OFFSET,
        "the saved state does not lie where the machine looks for it"
    );

    /// Returns the member with its control block at `block`.
    ///
    /// # Safety
    /// [`UserThread::block`] gave it.
    pub(super) unsafe fn at(block: *const ()) -> &'static Self {
        // SAFETY: the caller's contract: it was derived from the whole member, which is a static.
        unsafe { &*block.byte_sub(offset_of!(Self, any)).cast() }
    }

    pub(super) fn thread(&'static self) -> &'static AnyThread<S> {
        &self.any
    }

    #[inline(always)]
    const fn info(&self) -> &Info {
        info::kept::<S>(&self.front, &self.back)
    }

    pub(super) const fn stack(&self) -> usize {
        self.stack
    }

    /// Creates the thread, dormant, as one of `partition`, with the stack at `base`: as soon as it
    /// exists its partition is known. Errors: `State` if it exists; `NoMemory` where the
    /// scheduler has no room.
    pub(super) fn create(
        &'static self,
        partition: &'static AnyPartition<S>,
        base: usize,
    ) -> Result<(), Error> {
        let () = Self::PLACE;
        let thread = self.any.reference();
        let held = Kernel::<S>::hold_off_processors(thread)?;
        let cs = held.section();
        if thread.wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        let info = self.info();
        let stack = StackRegion {
            guard: thread.address() + AnyThread::<S>::GUARD_PLACE,
            base,
            size: self.stack,
        };
        info.stack.set(cs, stack);
        #[cfg(feature = "budgets")]
        info.account.set(cs, partition.account());
        thread.come_into_being::<S>(cs, info, info.priority.get(cs))?;
        self.prepare(cs, partition, 0)
    }

    /// Starts the thread, which is dormant, with `argument`: it becomes ready.
    /// Errors: `State` if it is not dormant.
    pub(super) fn start(
        &'static self,
        partition: &'static AnyPartition<S>,
        argument: usize,
    ) -> Result<(), Error> {
        let held = Kernel::<S>::hold_off_processors(self.any.reference())?;
        self.prepare(held.section(), partition, argument)?;
        held.enter::<Ready<S>>(&self.any, 0, Timeout::NONE)
            .into_result::<S>()
    }

    /// [`Member::start`] inside a call.
    pub(super) fn start_entered(
        &'static self,
        cs: CriticalSection<'_>,
        argument: usize,
    ) -> OutcomeOf<S> {
        let thread = self.any.reference();
        if !thread.exists(cs) {
            return fail::<S>(Error::Deleted);
        }
        // A processor has not left it yet: what it saves goes where the new beginning would be.
        if is_smp::<S>() && thread.is_leaving(cs) && Kernel::<S>::is_running(cs, thread) {
            return fail::<S>(Error::State);
        }
        let partition = AnyPartition::<S>::of_thread(cs, thread);
        match self.prepare(cs, partition, argument) {
            Ok(()) => Ready::<S>::run(cs, &self.any, 0, Timeout::NONE),
            Err(error) => fail::<S>(error),
        }
    }

    fn prepare(
        &'static self,
        cs: CriticalSection<'_>,
        partition: &'static AnyPartition<S>,
        argument: usize,
    ) -> Result<(), Error> {
        let thread = self.any.reference();
        if thread.wait.get(cs) != Wait::DORMANT {
            return Err(Error::State);
        }
        let stack = self.info().stack.get(cs);
        let start = UserStart {
            partition: ptr::from_ref(partition).cast(),
            stack_base: stack.base,
            stack_top: stack.base + stack.size,
            entry: self.entry,
            arguments: [partition.data(), argument],
        };
        S::Machine::prepare_user(thread.machine_part(cs), &start);
        thread.begin_anew(cs);
        Ok(())
    }
}
