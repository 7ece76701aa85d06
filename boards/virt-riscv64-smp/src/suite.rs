//! Owns: what the kernel's test-suites need of this board.

use crate::system::Board;
use crate::virt::Virt;
use taktos_arch_riscv64::RiscV64;
use taktos_workloads::several::{self, SeveralBoard};
use taktos_workloads::suite::{Objects, SuiteBoard, Trigger};

/// An interrupt that software sends to its own processor; another one than the spare interrupt.
const NUMBER: u32 = 2;

static OBJECTS: Objects<Board> = Objects::new();
static OF_SEVERAL: several::Objects<Board> = several::Objects::new();
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

impl SeveralBoard for Board {
    fn objects() -> &'static several::Objects<Self> {
        &OF_SEVERAL
    }

    fn trigger_interrupt(handler: fn()) {
        <Self as SuiteBoard>::trigger_interrupt(handler);
    }
}
