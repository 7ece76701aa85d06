//! Owns: a thread with a stack in memory that a caller gives, and with an entry that gets a word.
//! Must never know: the source of the memory.
#![expect(unsafe_code, reason = "a stack is memory at an address")]

use super::AnyThread;
use super::create::Begin;
use super::info::{Front, Info};
use super::operations::Ready;
use super::tcb::Tcb;
use crate::critical_section::Guarded;
use crate::sched::{IntoResult, hold};
use crate::wait::Wait;
use crate::{Error, Kernel, Priority, System};
use core::marker::PhantomData;
use core::mem::{ManuallyDrop, MaybeUninit, offset_of};
use core::ptr;
use taktos_abi::Timeout;
use taktos_machine::{Machine, StackRegion};

/// A thread without its stack, for programs that make threads and their stacks at run time.
///
/// Everything that can be done with it is a method of [`AnyThread`], as which it can be used.
/// Whether an overflow of its stack is noticed depends on the location of the stack: see
/// [`RawThread::is_guarded`].
#[repr(C)]
pub struct RawThread<S: System> {
    aligned: [<S::Machine as Machine>::Aligned; 0],
    front: Information<S>,
    any: AnyThread<S>,
    /// After the control block: the machine finds it there.
    guard: Guarded<<S::Machine as Machine>::FixedGuard>,
}

/// The information, in as many bytes as the machine wants in front of the control block. It is a
/// union here, so that a value that is made at run time has no more than the information copied.
#[repr(C)]
union Information<S: System> {
    info: ManuallyDrop<Info>,
    front: ManuallyDrop<Front<S>>,
}

// SAFETY: all of it is reached only in a section; the stack is the thread's: the caller that gave
// it guaranteed that.
unsafe impl<S: System> Sync for RawThread<S> {}

impl<S: System> core::ops::Deref for RawThread<S> {
    type Target = AnyThread<S>;
    fn deref(&self) -> &AnyThread<S> {
        &self.any
    }
}

/// Returns the place of the information of the thread with its control block at `block`, if that
/// lies in front of it: in each [`RawThread`], and in others as the machine says.
pub(super) fn info_place<S: System>(block: usize) -> usize {
    block.wrapping_sub(RawThread::<S>::HANDLE_OFFSET) + offset_of!(RawThread<S>, front)
}

impl<S: System> RawThread<S> {
    /// The smallest stack that can be given, in bytes.
    pub const SMALLEST_STACK: usize = S::Machine::SMALLEST_STACK;

    /// The offset of the [`AnyThread`] in it.
    pub const HANDLE_OFFSET: usize = offset_of!(Self, any);

    /// A thread that does not exist yet.
    pub const fn new() -> Self {
        Self {
            aligned: [],
            front: Information {
                info: ManuallyDrop::new(Info::empty()),
            },
            any: AnyThread {
                tcb: Tcb::new(),
                system: PhantomData,
            },
            guard: Guarded::new(<S::Machine as Machine>::FIXED_GUARD),
        }
    }

    fn info(&self) -> &Info {
        // SAFETY: nothing else is ever stored there.
        unsafe { &self.front.info }
    }

    /// Returns whether a stack that begins at the address `stack` can be that of a thread at
    /// `place`: see [`RawThread::create`].
    pub fn can_have_stack(place: usize, stack: usize) -> bool {
        let context = ptr::without_provenance(place + Self::HANDLE_OFFSET);
        S::Machine::can_have_stack(context, stack.next_multiple_of(16))
    }

    /// Returns whether the machine notices an overflow of a stack that begins at `stack`: if guards
    /// are at a fixed distance from the control block, that of a stack directly after the thread.
    pub fn is_guarded(&self, stack: *const u8) -> bool {
        size_of::<<S::Machine as Machine>::FixedGuard>() > 0
            && stack.addr() == ptr::from_ref(self).addr() + size_of::<Self>()
    }

    /// Creates the thread on `stack`, which is [painted](AnyThread::paint_stack): it becomes
    /// dormant. Bound: the size of the stack; interrupts are not masked meanwhile.
    /// Errors: `State` if it exists; `NoMemory` if the stack is too small for the machine, or is
    /// located where its processor cannot have it (Armv8-M: below the thread).
    pub fn create(
        &'static self,
        name: &'static str,
        priority: Priority,
        stack: &'static mut [MaybeUninit<u8>],
    ) -> Result<(), Error> {
        stack.fill(MaybeUninit::new(super::stack::PAINTED_BYTE));
        let base = stack.as_mut_ptr().expose_provenance().next_multiple_of(16);
        let end = stack.as_ptr().addr() + stack.len();
        let size = end.saturating_sub(base) & !15;
        if size < Self::SMALLEST_STACK || !S::Machine::can_have_stack(self.context(), base) {
            return Err(Error::NoMemory);
        }
        let held = hold::<S>();
        let cs = held.section();
        let thread = self.reference();
        if thread.wait.get(cs) != Wait::NON_EXISTENT {
            return Err(Error::State);
        }
        let guard = match self.is_guarded(stack.as_ptr().cast()) {
            true => ptr::from_ref(&self.guard).expose_provenance(),
            false => 0,
        };
        self.info().set_name(cs, name);
        self.info().describe(cs, StackRegion { guard, base, size });
        thread.come_into_being::<S>(cs, self.info(), priority)
    }

    fn context(&'static self) -> *const taktos_machine::Context {
        self.reference().context()
    }

    /// Starts the thread, which is dormant: it becomes ready, and calls `begin` with both words.
    /// Bound: fixed. Errors: `State` if it has been started and has not ended; `Deleted` if it
    /// does not exist.
    pub fn start(&'static self, begin: Begin, first: usize, second: usize) -> Result<(), Error> {
        let thread = self.reference();
        let held = Kernel::<S>::hold_off_processors(thread)?;
        let cs = held.section();
        if thread.wait.get(cs) == Wait::NON_EXISTENT {
            return Err(Error::Deleted);
        }
        // A handler may have ended the thread that it interrupted: that stack is still in use.
        if thread == Kernel::<S>::running().current(cs) {
            return Err(Error::State);
        }
        thread.prepare::<S>(cs, self.info().stack.get(cs), begin, first, second)?;
        held.enter::<Ready<S>>(&self.any, 0, Timeout::NONE)
            .into_result::<S>()
    }
}

impl<S: System> Default for RawThread<S> {
    fn default() -> Self {
        Self::new()
    }
}
