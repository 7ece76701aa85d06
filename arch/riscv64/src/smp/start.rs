//! Owns: how the other processors begin. Must never know: what their first threads do.
//!
//! All begin with the first, in machine mode. The start-up code gives each a stack, and leads the
//! others to `_mp_hook`, where they wait until they are called.

use super::calls::signal;
use super::leave_start;
use super::state::{adopt, more, numbered};
use crate::board::Board;
use crate::clint;
use crate::supervisor::leave_machine_mode;
use crate::{float, memory, timer, trap};
use core::arch::naked_asm;
use core::sync::atomic::{AtomicBool, Ordering};

/// How often a processor is called, each time for a millisecond, before it counts as missing. Once
/// is enough, but where it had not come to wait when it was called.
const CALLS: u32 = 100;

static ALL_ARE_THERE: AtomicBool = AtomicBool::new(false);

/// Whether each processor has started.
pub(super) fn all_are_there() -> bool {
    ALL_ARE_THERE.load(Ordering::Acquire)
}

/// Starts the processors after the first, one after the other.
pub(super) fn start_others<B: Board>() {
    for number in 1..B::PROCESSORS {
        assert!(
            comes::<B>(number),
            "processor {number} is not there: the board has {} of them",
            B::PROCESSORS
        );
    }
    ALL_ARE_THERE.store(true, Ordering::Release);
}

fn comes<B: Board>(number: usize) -> bool {
    let state = numbered::<B>(number);
    (0..CALLS).any(|_| {
        signal::<B>(number);
        let until = timer::ticks() + B::HERTZ / 1000;
        while timer::ticks() < until && !state.more.is_there.load(Ordering::Acquire) {
            core::hint::spin_loop();
        }
        state.more.is_there.load(Ordering::Acquire)
    })
}

/// Returns to the start-up code whether this hart, with the number in a0, is the processor that
/// sets memory up. The others wait here: the call wakes them, though no interrupt is let through.
/// Harts before the first processor are never called.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn _mp_hook() {
    naked_asm!(
        "addi a0, a0, -{first}",
        "bnez a0, 1f",
        "li a0, 1",
        "ret",
        "1:",
        "csrwi mie, {called}",
        "2:",
        "wfi",
        "csrr t0, mip",
        "andi t0, t0, {called}",
        "beqz t0, 2b",
        clint::take_call!(),
        "csrwi mie, 0",
        "fence",
        "j {go_on}",
        first = const clint::FIRST_HART,
        called = const clint::CALLED,
        go_on = sym go_on,
    )
}

/// The first Rust code of the processor `number`: sets it up, and continues with its current
/// thread.
extern "C" fn go_on(number: usize) -> ! {
    // SAFETY: it was called, so it is one of the board's.
    unsafe { adopt(number) };
    leave_machine_mode();
    trap::install();
    memory::switch_on();
    timer::begin_slice(0);
    float::forbid();
    more().is_there.store(true, Ordering::Release);
    leave_start()
}
