//! Owns: what the kernel's test-suite needs of this board.
//! Must never know: the cases.

use crate::{Board, interrupt};
use taktos_workloads::suite::{Objects, SuiteBoard, Trigger};

static OBJECTS: Objects<Board> = Objects::new();
static TRIGGER: Trigger = Trigger::new();

/// What the program that runs the suite does in its `taktos_spare_interrupt`.
pub fn serve() {
    TRIGGER.serve();
}

impl SuiteBoard for Board {
    fn objects() -> &'static Objects<Self> {
        &OBJECTS
    }

    fn trigger_interrupt(handler: fn()) {
        interrupt::enable();
        TRIGGER.run(handler, interrupt::pend);
    }
}
