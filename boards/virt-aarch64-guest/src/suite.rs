//! Owns: what the kernel's test-suite needs of this board.

use crate::system::{Board, Partition};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_arch_aarch64::AArch64;
use taktos_workloads::suite::{Objects, SuiteBoard};

/// An interrupt that software sends to its own processor.
const NUMBER: u32 = 2;

static OBJECTS: Objects<Board> = Objects::new();
static HANDLER: Handler = Handler(core::cell::Cell::new(nothing));
static SERVED: AtomicBool = AtomicBool::new(false);

struct Handler(core::cell::Cell<fn()>);

// SAFETY: one word, written by one thread before the interrupt and read in the interrupt.
unsafe impl Sync for Handler {}

fn nothing() {}

fn serve() {
    (HANDLER.0.get())();
    SERVED.store(true, Relaxed);
}

impl SuiteBoard for Board {
    fn objects() -> &'static Objects<Self> {
        &OBJECTS
    }

    fn trigger_interrupt(handler: fn()) {
        HANDLER.0.set(handler);
        SERVED.store(false, Relaxed);
        AArch64::<Partition>::set_handler(NUMBER, serve);
        AArch64::<Partition>::pend_interrupt(NUMBER);
        while !SERVED.load(Relaxed) {
            core::hint::spin_loop();
        }
    }
}
