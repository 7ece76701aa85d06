//! Owns: the parts of protected user mode that ports have in common: the place of a thread's saved
//! state, the report of a fault, and the spaces and tables that partitions have.
//! Must never know: what is saved; what a table is like.

use taktos_machine::{
    Cause, Context, FAULT_REGISTERS, Holders, RaisedFault, Region, RegionRules, Spaces,
};

use crate::PAGE;

#[expect(improper_ctypes, reason = "both sides are of one program")]
unsafe extern "C" {
    /// The program's, by [`wire_partitions!`](crate::wire_partitions).
    fn taktos_user_fault(fault: RaisedFault<'_>) -> *const Context;
}

unsafe extern "C" {
    /// The program's: pairs of a function and what its handle must allow.
    pub static TAKTOS_CALLS: u8;
    /// Returns the object of a handle with a generation, or none and an error; also the program's.
    pub fn taktos_user_object();
}

/// Reports a fault of the running thread of a partition to the kernel; returns the thread that
/// resumes.
///
/// # Safety
/// The caller is the handler of that fault, masked; on several processors it has the lock.
#[inline(always)]
pub unsafe fn report_user_fault(
    (cause, address): (Cause, Option<usize>),
    registers: Option<&[usize; FAULT_REGISTERS]>,
) -> *const Context {
    let fault = RaisedFault {
        cause,
        address,
        registers,
    };
    // SAFETY: the caller's.
    unsafe { taktos_user_fault(fault) }
}

/// A type of words of a saved state: one, or as many as said.
#[doc(hidden)]
#[macro_export]
macro_rules! saved_words {
    () => { ::core::cell::Cell<usize> };
    ($count:expr) => { [::core::cell::Cell<usize>; $count] };
}

/// Those words when nothing was saved.
#[doc(hidden)]
#[macro_export]
macro_rules! unsaved_words {
    () => {
        ::core::cell::Cell::new(0)
    };
    ($count:expr) => {
        [const { ::core::cell::Cell::new(0) }; $count]
    };
}

/// Defines the saved state of a thread of a partition, of words alone, `$offset` bytes after the
/// beginning of the thread's control block; and the partition of a thread, which it has in its
/// field `partition`.
#[doc(hidden)]
#[macro_export]
macro_rules! saved_state {
    (
        $offset:expr;
        $(#[$of_state:meta])*
        pub struct $state:ident {
            $($(#[$of_field:meta])* $field:ident $([$count:expr])?,)*
        }
    ) => {
        $(#[$of_state])*
        pub struct $state {
            $($(#[$of_field])* $field: $crate::saved_words!($($count)?),)*
        }

        impl $state {
            /// That of a thread that was never started.
            #[expect(
                clippy::declare_interior_mutable_const,
                reason = "an initial value for statics"
            )]
            pub const NEW: Self = Self { $($field: $crate::unsaved_words!($($count)?),)* };
        }

        /// Its offset from the beginning of the control block.
        pub const OFFSET: usize = $offset;

        /// That of the thread of `context`.
        pub fn of(context: &$crate::reexports::Context) -> &$state {
            let place = ::core::ptr::from_ref(context).expose_provenance() + OFFSET;
            // SAFETY: by the invariant of `Isolation`, a state is located there after the control
            // block of a thread of a partition, which has this context. Its fields are cells, which
            // the switch writes while the thread does not run, masked, as the caller is.
            unsafe { &*::core::ptr::with_exposed_provenance(place) }
        }

        /// [`Isolation::partition_of`](taktos_machine::Isolation::partition_of).
        pub fn partition_of(context: &$crate::reexports::Context) -> *const () {
            ::core::ptr::with_exposed_provenance(of(context).partition.get())
        }
    };
}

/// The parts of a port's implementation of [`Isolation`](taktos_machine::Isolation) that others
/// have to the letter, in a module that names its `Map` and has the modules `$map` and `state`.
#[doc(hidden)]
#[macro_export]
macro_rules! isolation {
    ($map:ident) => {
        const RULES: $crate::reexports::RegionRules = $map::RULES;
        type Map = Map;
        const MAP: Map = Map::NONE;
        type UserState = UserState;
        const USER_STATE: UserState = UserState::NEW;
        const USER_STATE_OFFSET: usize = state::OFFSET;

        fn prepare_user(
            context: &$crate::reexports::Context,
            start: &$crate::reexports::UserStart,
        ) {
            state::prepare(context, start);
        }

        fn partition_of(context: &$crate::reexports::Context) -> *const () {
            state::partition_of(context)
        }
    };
}

/// Requirements of tables of pages.
pub const PAGED: RegionRules = RegionRules {
    most: 8,
    smallest: PAGE,
    powers_of_two: false,
};

/// How many partitions there can be with tables.
pub const PARTITIONS: usize = 16;

/// Value to load for a partition with tables: their root, and the number of the address space.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct UserMap(pub usize);

impl UserMap {
    /// That of a partition that was never started.
    pub const NONE: Self = Self(0);
}

/// The partitions that have address spaces, and which of `N` tables these have.
pub struct UserMaps<const N: usize> {
    spaces: Spaces<PARTITIONS>,
    holders: Holders<N>,
}

impl<const N: usize> UserMaps<N> {
    /// No partition has a space.
    #[expect(clippy::new_without_default, reason = "a value for one static")]
    pub const fn new() -> Self {
        Self {
            spaces: Spaces::new(),
            holders: Holders::new(),
        }
    }

    /// Takes a table for the space `number`: its place. None if there is none.
    pub fn take(&self, number: usize) -> Option<usize> {
        self.holders.take(number)
    }

    /// Returns the number of the space of `regions` and the root of its tables, which `make` makes
    /// for that number at the first call; then comes `made`. None if `make` made none.
    pub fn of(
        &self,
        regions: &'static [Region],
        make: impl FnOnce(usize) -> Option<usize>,
        made: impl FnOnce(),
    ) -> Option<(usize, usize)> {
        self.spaces.find(regions.as_ptr().addr(), |space| {
            let root = make(space);
            if root.is_none() {
                self.holders.give_back(space);
            }
            made();
            root
        })
    }
}
