//! Owns: the faults of Armv6-M, which has no unit that protects memory: a stack that was overrun is
//! noticed at the next switch, if what lies below has kept that from being.

use super::{
    Faults, jump_to_an_even_address, overflow_at_a_switch, undefined, undefined_while_masked,
};
use core::arch::asm;
use taktos_workloads::faults::{Case, FaultBoard, Instructions, in_handler, panics};

impl<S: FaultBoard> Instructions<S> for Faults {
    const CASES: &'static [Case<S>] = &[
        ("overflow-at-a-switch", overflow_at_a_switch),
        ("jump-to-an-even-address", |_| jump_to_an_even_address()),
        ("undefined-while-masked", |_| undefined_while_masked()),
        ("undefined-in-a-handler", |_| in_handler::<S>(undefined)),
        ("unaligned", |_| unaligned()),
        ("panic-in-a-handler", |_| in_handler::<S>(panics)),
    ];
    /// To the end of memory.
    const DEEPEST: usize = usize::MAX;

    super::instructions!();
}

/// Faults by a load from an unaligned address.
fn unaligned() {
    let words = [0u32; 2];
    let place = words.as_ptr().wrapping_byte_add(2);
    // SAFETY: faults.
    unsafe { asm!("ldr {0}, [{1}]", out(reg) _, in(reg) place) };
}
