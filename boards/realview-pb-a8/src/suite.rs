//! Owns: what the kernel's test-suite needs of this board.

use crate::system::{Board, RealView};
use taktos_arch_armv7_a::ArmV7A;
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
        ArmV7A::<RealView>::set_handler(NUMBER, || TRIGGER.serve());
        TRIGGER.run(handler, || ArmV7A::<RealView>::pend_interrupt(NUMBER));
    }
}
