//! Owns: what is fixed while a thread exists, its name and its stack; its place among all threads;
//! the periods that it owns; its place in front of the control block, or behind the stack. Must
//! never know: the rest of a thread.
#![expect(unsafe_code, reason = "two places, of which one holds the data")]

use crate::critical_section::{CriticalSection, Guarded};
use crate::object::period::Owned;
#[cfg(feature = "budgets")]
use crate::sched::Account;
#[cfg(feature = "processor-time")]
use crate::thread::processor_time::Metered;
use crate::thread::tcb::ThreadRef;
use crate::{Priority, System};
use core::mem::{ManuallyDrop, offset_of};
use core::{ptr, slice, str};
use taktos_machine::{Machine, StackRegion};

/// The rarely needed data of a thread.
///
/// The name comes first: tools that look at an image from outside read it.
#[repr(C)]
pub(crate) struct Info {
    /// Where the name's bytes are.
    pub name: Guarded<*const u8>,
    /// How many bytes the name has.
    pub name_length: Guarded<usize>,
    /// The stack.
    pub stack: Guarded<StackRegion>,
    /// The next of all threads that exist.
    pub next: Guarded<Option<ThreadRef>>,
    /// The rest of the time slice in which the thread was preempted, as the machine counts it,
    /// until it resumes; 0: a whole slice. The rest of a thread that was deleted is found by the
    /// next one of its control block.
    pub slice_left: Guarded<usize>,
    /// The periods that the thread owns.
    pub periods: Owned,
    /// The priority that the thread is created with, unless its creator says another one.
    pub priority: Guarded<Priority>,
    /// The account of the thread's partition.
    #[cfg(feature = "budgets")]
    pub account: Guarded<Option<&'static Account>>,
    /// The account that the thread's time is charged to.
    #[cfg(feature = "budgets")]
    pub payer: Guarded<Option<&'static Account>>,
    /// The account of the partition that the thread, which is in none, does something for.
    #[cfg(feature = "budgets")]
    pub works_for: Guarded<Option<&'static Account>>,
    /// Whether the thread continues at the end of a time slice.
    #[cfg(feature = "c-library")]
    pub keeps_turn: Guarded<bool>,
    /// The processor time that the thread has had.
    #[cfg(feature = "processor-time")]
    pub metered: Metered,
}

/// The offset of the base of the stack in a thread's information, for tools that read an image from
/// outside.
pub const STACK_BASE_OFFSET: usize = offset_of!(Info, stack) + offset_of!(StackRegion, base);
/// The offset of the size of the stack there, for the same.
pub const STACK_SIZE_OFFSET: usize = offset_of!(Info, stack) + offset_of!(StackRegion, size);
/// The offset of the link to the thread that was created before, for the same.
pub const NEXT_OFFSET: usize = offset_of!(Info, next);

/// The information in front of a control block, where a machine has room for it.
pub(crate) type Front<S> = <<S as System>::Machine as Machine>::Front<Info>;
/// The information behind the rest of a thread, where a machine has none in front.
pub(crate) type Back<S> = <<S as System>::Machine as Machine>::Back<Info>;

/// Returns whether threads have it in front.
pub(crate) const fn is_in_front<S: System>() -> bool {
    size_of::<Front<S>>() > 0
}

/// Returns a place that holds the information, or that is empty as the other one holds it.
pub(crate) const fn placed<Place>(info: Info) -> Place {
    union Either<Place> {
        info: ManuallyDrop<Info>,
        place: ManuallyDrop<Place>,
    }
    const { assert!(size_of::<Place>() == 0 || size_of::<Place>() >= size_of::<Info>()) };
    let place = Either {
        info: ManuallyDrop::new(info),
    };
    // SAFETY: `Machine::Front` and `Machine::Back` are nothing, or begin with what they hold; what
    // follows it may be anything.
    ManuallyDrop::into_inner(unsafe { place.place })
}

/// [`kept`], for constants.
pub(crate) const fn kept_mut<'a, S: System>(
    front: &'a mut Front<S>,
    back: &'a mut Back<S>,
) -> &'a mut Info {
    let place = match is_in_front::<S>() {
        true => ptr::from_mut(front).cast(),
        false => ptr::from_mut(back).cast(),
    };
    // SAFETY: `placed` has put it there.
    unsafe { &mut *place }
}

/// Returns the information that one of both places holds.
#[inline(always)]
pub(crate) const fn kept<'a, S: System>(front: &'a Front<S>, back: &'a Back<S>) -> &'a Info {
    let place = match is_in_front::<S>() {
        true => ptr::from_ref(front).cast(),
        false => ptr::from_ref(back).cast(),
    };
    // SAFETY: `placed` has put it there.
    unsafe { &*place }
}

impl Info {
    /// That of a thread that was not created yet, all zeros.
    pub const fn empty() -> Self {
        Self {
            name: Guarded::new(ptr::null()),
            ..Self::of("", Priority::MOST_URGENT)
        }
    }

    /// That of a thread of this name, which was not created yet.
    pub const fn of(name: &'static str, priority: Priority) -> Self {
        Self {
            name: Guarded::new(name.as_ptr()),
            name_length: Guarded::new(name.len()),
            stack: Guarded::new(StackRegion {
                guard: 0,
                base: 0,
                size: 0,
            }),
            next: Guarded::new(None),
            slice_left: Guarded::new(0),
            periods: Owned::new(None),
            priority: Guarded::new(priority),
            #[cfg(feature = "budgets")]
            account: Guarded::new(None),
            #[cfg(feature = "budgets")]
            payer: Guarded::new(None),
            #[cfg(feature = "budgets")]
            works_for: Guarded::new(None),
            #[cfg(feature = "c-library")]
            keeps_turn: Guarded::new(false),
            #[cfg(feature = "processor-time")]
            metered: Metered::new(),
        }
    }
}

impl Info {
    /// Returns the name and the priority, for constants, in which no section is.
    pub const fn initial(&self) -> (&'static str, Priority) {
        // SAFETY: constants are shared by nothing; `of` took the name from a `&'static str`.
        unsafe {
            let (name, length) = (*self.name.place(), *self.name_length.place());
            let name = str::from_utf8_unchecked(slice::from_raw_parts(name, length));
            (name, *self.priority.place())
        }
    }

    /// Sets the name that the thread has from now on.
    pub fn set_name(&self, cs: CriticalSection<'_>, name: &'static str) {
        self.name.set(cs, name.as_ptr());
        self.name_length.set(cs, name.len());
    }
}
