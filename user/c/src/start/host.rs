//! Owns: what the calls find when they are made on the host: memory. Must never know: the
//! standard's calls.

use crate::os::os;
use std::boxed::Box;
use std::mem::MaybeUninit;

/// As much as a small board has.
const HEAP: usize = 1 << 20;

/// Gives the heap its memory. Called once in a world.
pub fn prepare() {
    os().heap
        .add(Box::leak(Box::new([const { MaybeUninit::uninit() }; HEAP])));
}
