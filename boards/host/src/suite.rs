//! Owns: the host's part of the kernel's test-suite.
//! Must never know: the cases.

use crate::{Board, leak};
use std::cell::OnceCell;
use taktos_arch_host::Host;
use taktos_kernel::Instant;
use taktos_workloads::suite::{Objects, SuiteBoard};

thread_local! {
    static OBJECTS: OnceCell<&'static Objects<Board>> = const { OnceCell::new() };
}

impl SuiteBoard for Board {
    fn objects() -> &'static Objects<Self> {
        OBJECTS.with(|objects| *objects.get_or_init(|| leak(Objects::new())))
    }

    fn trigger_interrupt(handler: fn()) {
        Host::interrupt(handler);
    }

    fn busy_until(instant: Instant) {
        Host::busy_until(instant);
    }
}
