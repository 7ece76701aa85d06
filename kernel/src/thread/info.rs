//! Owns: what is fixed while a thread exists, its name and its stack; its place among all threads;
//! the periods that it owns.

use crate::critical_section::Guarded;
use crate::object::period::Owned;
#[cfg(feature = "budgets")]
use crate::sched::Account;
#[cfg(feature = "processor-time")]
use crate::thread::processor_time::Metered;
use crate::thread::tcb::ThreadRef;
use core::mem::offset_of;
use taktos_machine::StackRegion;

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

impl Info {
    /// That of a thread that was not created yet.
    pub const fn new() -> Self {
        Self {
            name: Guarded::new(core::ptr::null()),
            name_length: Guarded::new(0),
            stack: Guarded::new(StackRegion {
                guard: 0,
                base: 0,
                size: 0,
            }),
            next: Guarded::new(None),
            slice_left: Guarded::new(0),
            periods: Owned::new(None),
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
