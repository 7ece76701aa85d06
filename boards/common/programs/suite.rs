//! Owns: what the kernel's test-suite and the program of faults need of a board.

use crate::{Board, Machine};
use taktos_workloads::faults::{FaultBoard, Paged};
use taktos_workloads::suite::{Objects, SuiteBoard, Trigger};

/// An interrupt that software sends to its own processor; another one than the spare interrupt.
const NUMBER: u32 = 2;

static OBJECTS: Objects<Board> = Objects::new();
static TRIGGER: Trigger = Trigger::new();

impl SuiteBoard for Board {
    fn objects() -> &'static Objects<Self> {
        &OBJECTS
    }

    fn trigger_interrupt(handler: fn()) {
        Machine::set_handler(NUMBER, || TRIGGER.serve());
        TRIGGER.run(handler, || Machine::pend_interrupt(NUMBER));
    }
}

impl FaultBoard for Board {
    type Instructions = Paged;

    /// Compiled for the program of faults alone: what the kernel compiles for it here, it would not compile anew for the programs
    /// that are measured.
    #[cfg(feature = "smp")]
    #[inline]
    fn place(thread: &'static taktos_kernel::AnyThread<Self>) -> Result<(), taktos_kernel::Error> {
        taktos_workloads::faults::place_as_told(thread)
    }
}
