//! Owns: two marks by which the compiler is kept from an order of instructions that costs the fast
//! path registers or a stack frame. Must never know: what the path does.

use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

/// Marks the end of a slow path that calls something: gives back its `result`. Without it the
/// compiler would end the path by a jump, and then lay out a stack frame at the beginning, for the
/// fast path too. No instruction.
#[inline(always)]
pub fn slow_path<T>(result: T) -> T {
    compiler_barrier();
    result
}

/// Keeps the compiler from loading what is needed below before all above is stored: so that fewer
/// registers are in use at a time, and a decision need not save any. No instruction.
#[inline(always)]
pub fn compiler_barrier() {
    compiler_fence(SeqCst);
}
