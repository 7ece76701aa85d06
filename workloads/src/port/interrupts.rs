//! Owns: whether interrupts come, one after the other, and leave everything as it was.

use super::full::{is_as_it_should, mask};
use super::{Objects, check};
use crate::spare::SpareInterrupt;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{Error, System, Timeout};

static INTERRUPTS: AtomicU32 = AtomicU32::new(0);
static DEPTH: AtomicU32 = AtomicU32::new(0);
static SERVED: AtomicU32 = AtomicU32::new(0);

/// The handler of the spare interrupt.
pub fn interrupt<S: SpareInterrupt>(objects: &'static Objects<S>) {
    let woken = &objects.woken;
    check::<S>("handlers nest", DEPTH.fetch_add(1, Relaxed) == 0);
    check::<S>("a handler's state", is_as_it_should(true));
    let before = INTERRUPTS.fetch_add(1, Relaxed);
    let blocks = woken.take(Timeout::FOREVER);
    check::<S>("blocking in a handler", blocks == Err(Error::Context));
    if before == 0 {
        // Pending at once, and served after this one.
        S::pend_interrupt();
        check::<S>("nested", INTERRUPTS.load(Relaxed) == 1);
    }
    check::<S>("give", woken.give().is_ok());
    check::<S>(
        "woken before the end of the interrupt",
        SERVED.load(Relaxed) <= before,
    );
    DEPTH.fetch_sub(1, Relaxed);
}

fn serve<S: System>(objects: &'static Objects<S>) {
    loop {
        check::<S>("take", objects.woken.take(Timeout::FOREVER).is_ok());
        SERVED.fetch_add(1, Relaxed);
    }
}

pub(super) fn wake_threads<S: SpareInterrupt>(objects: &'static Objects<S>) {
    S::enable_interrupt();
    let serving = objects.urgent.start_with(serve::<S>, objects);
    check::<S>("serve", serving.is_ok());
    S::pend_interrupt();
    wait_for::<S>(&SERVED, 2);
    check::<S>("two interrupts", INTERRUPTS.load(Relaxed) == 2);
    S::pend_interrupt();
    wait_for::<S>(&SERVED, 3);
    check::<S>("end", objects.urgent.delete().is_ok());
    S::write("interrupts wake threads\n");
}

fn wait_for<S: System>(word: &AtomicU32, value: u32) {
    for _ in 0..1000 {
        check::<S>("a thread's state", is_as_it_should(false));
        if word.load(Relaxed) == value {
            return;
        }
    }
    check::<S>("an interrupt came", false);
}

/// More than as many frames of an interrupted thread as a stack has room for.
const ROUNDS: u32 = 100;

/// Waits, again and again, with an interrupt pending that wakes it.
fn storm<S: SpareInterrupt>(objects: &'static Objects<S>) {
    check::<S>("begin", objects.begin.take(Timeout::FOREVER).is_ok());
    for _ in 0..ROUNDS {
        // As the kernel's own mask, which the call that follows sets too, and ends.
        mask();
        S::pend_interrupt();
        let woken = objects.woken.take(Timeout::FOREVER);
        check::<S>("the storm goes on", woken.is_ok());
    }
}

/// Is resumed in the stress test, first from a call and then from interrupts, and never progresses.
fn bear<S: System>(objects: &'static Objects<S>) {
    check::<S>("begin the storm", objects.begin.give().is_ok());
}

/// A stress test by interrupts does not fill the stack of a thread that it does not let run.
pub(super) fn frames_do_not_pile_up<S: SpareInterrupt>(objects: &'static Objects<S>) {
    let before = INTERRUPTS.load(Relaxed);
    let started = objects.urgent.start_with(storm::<S>, objects);
    check::<S>("storm", started.is_ok());
    let started = objects.left.start_with(bear::<S>, objects);
    check::<S>("bear", started.is_ok());
    check::<S>("calm", objects.left.join(Timeout::FOREVER).is_ok());
    check::<S>("rounds", INTERRUPTS.load(Relaxed) == before + ROUNDS);
    S::write("frames do not pile up\n");
}
