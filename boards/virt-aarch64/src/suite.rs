//! Owns: what the kernel's test-suite needs of this board.

use crate::Place;
use crate::system::Board;
use taktos_arch_aarch64::AArch64;
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
        AArch64::<Place>::set_handler(NUMBER, || TRIGGER.serve());
        TRIGGER.run(handler, || AArch64::<Place>::pend_interrupt(NUMBER));
    }
}
