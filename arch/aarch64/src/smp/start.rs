//! Owns: how the other processors begin. Must never know: what their first threads do.

use super::stacks;
use crate::board::Board;
use crate::{float, interrupt, memory, state, switch, timer};
use aarch64_rt::{Stack, start_core};
use core::sync::atomic::{AtomicUsize, Ordering};
use smccc::{Hvc, psci};

/// How many processors have set themselves up.
static READY: AtomicUsize = AtomicUsize::new(1);

/// Looks whether all the processors exist, before anything of them is touched.
///
/// # Panics
/// Where one does not; the message names it.
pub(super) fn look_for_others<B: Board>() {
    for number in 1..B::PROCESSORS {
        let found = psci::affinity_info::<Hvc>(number as u64, psci::LowestAffinityLevel::All);
        assert!(
            found.is_ok(),
            "processor {number} is not there: the board has {} of them",
            B::PROCESSORS
        );
    }
}

/// Starts the processors behind the first, one after the other (PSCI, Arm DEN0022, section 5.4: `CPU_ON`). Each is
/// ready to be called when this comes back.
pub(crate) fn start_others<B: Board>() {
    for number in 1..B::PROCESSORS {
        let stack = stacks::<B>(number).handlers.memory().cast::<Stack<4>>();
        // SAFETY: the stack of the processor's handlers, which it alone uses, and not before it is up.
        let started =
            unsafe { start_core::<Hvc, _, _>(number as u64, stack, move || go_on::<B>(number)) };
        if let Err(error) = started {
            panic!("processor {number} does not start: {error:?}");
        }
        while READY.load(Ordering::Acquire) == number {
            core::hint::spin_loop();
        }
    }
}

/// The first Rust code of the processor `number`: sets it up, and goes on with its current thread.
fn go_on<B: Board>(number: usize) {
    let state = state::numbered::<B>(number);
    state::adopt(state);
    memory::start_another();
    interrupt::start_another::<B>(number);
    timer::start_another();
    float::forbid();
    READY.store(number + 1, Ordering::Release);
    switch::start(&state.processor, state.handler_stack.get())
}
