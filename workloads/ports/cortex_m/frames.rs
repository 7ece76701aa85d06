//! Owns: whether interrupted threads lie on their stacks as the port says, and pay for no more than
//! they use.

use super::registers::{CONDITIONS_IN_BYTES, HAS_BLOCKS, spin_in_conditions};
use super::{LEFT, RIGHT, add, check, float, slices};
use crate::Board;
use core::arch::asm;
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_kernel::{AnyThread, System, Timeout};
use taktos_machine::Context;

/// The words of the processor's frame: the basic one, and the one with floating-point registers.
const BASIC: usize = 8;
const EXTENDED: usize = 26;
/// The words that the switch puts below it: nine, and the other half of the floating-point
/// registers.
pub const BELOW_BASIC: usize = 9;
const BELOW_EXTENDED: usize = 9 + 16;

/// How often the other thread is looked at.
const LOOKS: u32 = 400;

static LOOKED: AtomicU32 = AtomicU32::new(0);

pub fn hold_what_is_used() {
    slices(true);
    run(spin, || look(BELOW_BASIC, BASIC));
    if float::is_there() {
        run(spin_with_state, || look(BELOW_EXTENDED, EXTENDED));
    }
    slices(false);
    Board::write("frames hold what is used\n");
}

fn run(spin: fn(), look: fn()) {
    LOOKED.store(0, Relaxed);
    check(
        "frames",
        LEFT.start(spin).is_ok() && RIGHT.start(look).is_ok(),
    );
    check(
        "frames",
        RIGHT.join(Timeout::FOREVER).is_ok() && LEFT.join(Timeout::FOREVER).is_ok(),
    );
}

fn spin() {
    let mut seed = 0;
    while LOOKED.load(Relaxed) < LOOKS {
        check("conditional instructions", spin_in_conditions(seed, 3) == 0);
        seed ^= 4;
    }
}

fn spin_with_state() {
    // SAFETY: brings the unit into use; only this test's own assembly holds floating-point values.
    unsafe { asm!(".fpu fpv4-sp-d16", "vmov s0, {0}", in(reg) 0, options(nomem, nostack)) };
    spin();
}

/// Reads the state of the other thread each time that it has used up its slice. `below` words are
/// below its frame of `frame` words.
fn look(below: usize, frame: usize) {
    let (mut spinning, mut inside_a_block, mut padded) = (0, 0, 0);
    for _ in 0..LOOKS {
        AnyThread::<Board>::yield_now();
        add(&LOOKED, 1);
        let (r7, place, status) = (saved(2), saved(below + 6), saved(below + 7));
        // Only there does r7 hold the thread's stack pointer.
        let begin = spin_in_conditions as *const () as usize & !1;
        if !CONDITIONS_IN_BYTES.contains(&place.wrapping_sub(begin)) {
            continue;
        }
        let padding = status >> 9 & 1;
        let top = saved_at(below + frame + padding).addr();
        check("size of the frame", r7 == top);
        spinning += 1;
        inside_a_block += u32::from(status & 0x0600_FC00 != 0);
        padded += padding as u32;
    }
    check("most of the time it spins", spinning > LOOKS / 2);
    check(
        "conditional blocks interrupted",
        !HAS_BLOCKS || inside_a_block > LOOKS / 10,
    );
    check("frames without padding", padded < spinning * 4 / 5);
    check("frames with padding", padded > spinning / 5);
}

/// The address of a word on the stack of the other thread, which does not run.
pub fn saved_at(word: usize) -> *const usize {
    let context = ptr::from_ref::<AnyThread<Board>>(&LEFT).cast::<Context>();
    // SAFETY: a control block begins with the context, which no code writes while the thread does
    // not run.
    let stack_pointer = unsafe { (*context).stack_pointer.get() };
    ptr::with_exposed_provenance::<usize>(stack_pointer).wrapping_add(word)
}

fn saved(word: usize) -> usize {
    // SAFETY: within the part of the stack that an interrupted thread's registers take.
    unsafe { saved_at(word).read_volatile() }
}
