//! Owns: the host's part of the kernel's test-suite.
//! Must never know: the cases.

use crate::{Board, leak};
use std::cell::Cell;
use std::ptr;
use taktos_arch_host::Host;
use taktos_kernel::{Instant, Kernel, System};
use taktos_workloads::suite::{Objects, SuiteBoard};

/// The objects of the world that has this kernel.
type OfWorld = (&'static Kernel<Board>, &'static Objects<Board>);

thread_local! {
    static OBJECTS: Cell<Option<OfWorld>> = const { Cell::new(None) };
}

impl SuiteBoard for Board {
    fn objects() -> &'static Objects<Self> {
        let kernel = Self::kernel();
        match OBJECTS.get() {
            Some((of, objects)) if ptr::eq(of, kernel) => objects,
            _ => {
                let objects = leak(Objects::new());
                OBJECTS.set(Some((kernel, objects)));
                objects
            }
        }
    }

    fn trigger_interrupt(handler: fn()) {
        Host::interrupt(handler);
    }

    fn busy_until(instant: Instant) {
        Host::busy_until(instant);
    }
}
