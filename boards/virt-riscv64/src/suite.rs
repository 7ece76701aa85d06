//! Owns: what the kernel's test-suite needs of this board.

use crate::system::{Board, Virt};
use taktos_arch_riscv64::RiscV64;
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
        RiscV64::<Virt>::set_handler(NUMBER, || TRIGGER.serve());
        TRIGGER.run(handler, || RiscV64::<Virt>::pend_interrupt(NUMBER));
    }
}
