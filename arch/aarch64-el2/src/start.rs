//! Owns: how the processors begin. Must never know: what they do.

use crate::fault::refuse_processor;
use crate::own::{self, STACKS};
use crate::{controller, controls, copy, lists, memory, timer, vectors};
use aarch64_rt::{Stack, start_core};
use core::sync::atomic::{AtomicUsize, Ordering};
use smccc::{Smc, psci};

/// How many processors have set themselves up.
static READY: AtomicUsize = AtomicUsize::new(1);

/// Sets up the first processor, and what belongs to all but the interrupt controller. Called once,
/// at the start.
pub(crate) fn set_up() {
    own::fill();
    own::adopt(0);
    vectors::install();
    memory::make();
    memory::activate();
    timer::find_rate();
    lists::check();
    copy::check();
    controls::set();
}

/// How many processors there are.
static COUNT: AtomicUsize = AtomicUsize::new(1);

/// Looks whether there are `cpus` processors, and sets the interrupt controller up for them.
pub(crate) fn set_up_processors(cpus: usize) {
    look_for_others(cpus);
    controller::set_up(cpus);
    COUNT.store(cpus, Ordering::Relaxed);
}

/// Starts the other processors, one after the other; then all continue with the board's `start`.
pub(crate) fn run() -> ! {
    for number in 1..COUNT.load(Ordering::Relaxed) {
        start_another(number);
    }
    vectors::enter(own::own().stack.get())
}

/// Looks whether all the processors exist, before anything of them is touched.
/// Where one does not, it is named and the machine ends.
fn look_for_others(cpus: usize) {
    for number in 1..cpus {
        let found = psci::affinity_info::<Smc>(number as u64, psci::LowestAffinityLevel::All);
        if found.is_err() {
            refuse_processor(number, " is not there");
        }
    }
}

/// Starts processor `number` (PSCI, Arm DEN0022, section 5.4: `CPU_ON`), and waits until it can be
/// called.
fn start_another(number: usize) {
    let stack = STACKS[number].begin() as *mut Stack<4>;
    // SAFETY: the processor's own stack, which it alone uses, and not before it is up.
    let started = unsafe { start_core::<Smc, _, _>(number as u64, stack, move || go_on(number)) };
    if started.is_err() {
        refuse_processor(number, " does not start");
    }
    while READY.load(Ordering::Acquire) == number {
        core::hint::spin_loop();
    }
}

/// The first Rust code of processor `number`.
fn go_on(number: usize) {
    own::adopt(number);
    vectors::install();
    memory::activate();
    controller::set_up_another(number);
    controls::set();
    READY.store(number + 1, Ordering::Release);
    vectors::enter(own::own().stack.get())
}
