//! Owns: partitions on the host, which have threads that are coroutines like others: tests here
//! check the calls that partitions may make, not the memory that they may touch. Must never know:
//! the meaning of a call.
#![expect(
    unsafe_code,
    reason = "the entry of a thread travels as a pointer that says nothing of its arguments"
)]

use crate::{Host, HostSeveral};
use std::cell::RefCell;
use std::collections::BTreeMap;
use taktos_machine::{Context, Isolation, Machine, Region, RegionRules, StackRegion, UserStart};

thread_local! {
    /// The partitions, by the threads' contexts.
    static PARTITIONS: RefCell<BTreeMap<usize, usize>> = const { RefCell::new(BTreeMap::new()) };
}

fn place(context: &Context) -> usize {
    std::ptr::from_ref(context).addr()
}

/// Implements partitions on either machine.
macro_rules! isolate {
    ($machine:ty) => {
        impl Isolation for $machine {
            const RULES: RegionRules = RegionRules {
                most: 4,
                smallest: 32,
                powers_of_two: true,
            };
            type Map = ();
            const MAP: () = ();
            type UserState = ();
            const USER_STATE: () = ();
            const USER_STATE_OFFSET: usize = 0;
            const FLOAT: bool = true;
            /// That of x86-64: programs are loaded here, and never executed.
            const PROGRAMS: Option<u16> = Some(62);

            fn isolate() {}

            fn map(_: &'static [Region], _: bool) -> Option<()> {
                Some(())
            }

            fn prepare_user(context: &Context, start: &UserStart) {
                let partition = start.partition.expose_provenance();
                PARTITIONS.with_borrow_mut(|all| all.insert(place(context), partition));
                // SAFETY: the kernel gives an entry of two words, of which the first is a
                // reference; both are one word each in the C convention.
                let entry = unsafe {
                    std::mem::transmute::<*const (), extern "C" fn(usize, usize) -> !>(start.entry)
                };
                let [first, second] = start.arguments;
                let nowhere = StackRegion {
                    guard: 0,
                    base: 0,
                    size: 0,
                };
                Self::prepare(context, nowhere, entry, first, second);
            }

            fn partition_of(context: &Context) -> *const () {
                let partition = PARTITIONS.with_borrow(|all| all.get(&place(context)).copied());
                std::ptr::with_exposed_provenance(
                    partition.expect("a thread of a partition was prepared"),
                )
            }
        }
    };
}

isolate!(Host);
isolate!(HostSeveral);
