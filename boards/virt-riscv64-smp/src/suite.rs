//! Owns: what the kernel's test-suites need of this board.

use crate::system::Board;
use crate::virt::Virt;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_arch_riscv64::RiscV64;
use taktos_workloads::several::{self, SeveralBoard};
use taktos_workloads::suite::{Objects, SuiteBoard};

/// An interrupt that software sends to its own processor; another one than the spare interrupt.
const NUMBER: u32 = 2;

static OBJECTS: Objects<Board> = Objects::new();
static OF_SEVERAL: several::Objects<Board> = several::Objects::new();
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
        trigger(handler);
    }
}

impl SeveralBoard for Board {
    fn objects() -> &'static several::Objects<Self> {
        &OF_SEVERAL
    }

    fn trigger_interrupt(handler: fn()) {
        trigger(handler);
    }
}

/// Has `handler` run in an interrupt of the caller's processor, and waits until it has.
fn trigger(handler: fn()) {
    HANDLER.0.set(handler);
    SERVED.store(false, Relaxed);
    RiscV64::<Virt>::set_handler(NUMBER, serve);
    RiscV64::<Virt>::pend_interrupt(NUMBER);
    while !SERVED.load(Relaxed) {
        core::hint::spin_loop();
    }
}
