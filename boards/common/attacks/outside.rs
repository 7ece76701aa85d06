//! Attacks that any processor can make: accesses of places that a thread without privilege has nothing to do with.
//!
//! Owns: how they are said, and what must come of them; where the kernel's state and the thread's own partition lie.
//! Must never know: which board. Boards take this file as it is.

use crate::Board;
use core::hint::black_box;
use core::ptr;
use taktos_kernel::System;
use taktos_workloads::user_mode::MEMORY;

/// An attack that reads a place, and faults there; `anywhere`: the attacker alone knows where that is.
macro_rules! looks {
    ($name:literal, $place:expr) => {
        ($name, || look($place), FaultAt(DataAccess, || $place))
    };
    ($name:literal, $place:expr, anywhere) => {
        ($name, || look($place), Fault(DataAccess))
    };
}

/// One that writes a place.
macro_rules! writes {
    ($name:literal, $place:expr) => {
        ($name, || write($place), FaultAt(DataAccess, || $place))
    };
    ($name:literal, $place:expr, anywhere) => {
        ($name, || write($place), Fault(DataAccess))
    };
}

/// What a board does for all attacks in the words of its processor, by the functions of the same names.
macro_rules! means {
    () => {
        fn load(place: usize) -> u32 {
            read(place)
        }

        fn store(place: usize, word: u32) {
            store(place, word);
        }

        fn spoil(begin: usize, end: usize) {
            spoil(begin, end);
        }

        fn send_with_secret(thread: usize, secret: usize) {
            send_with_secret(thread, secret);
        }

        fn receive_and_look(secret: usize, timeout: usize) -> usize {
            receive_and_look(secret, timeout)
        }

        fn keep_registers(seed: usize, rounds: usize, float: bool) -> bool {
            keep_registers(seed, rounds, float) != 0
        }
    };
}

pub(crate) use {looks, means, writes};

/// Where the kernel's state lies.
pub(crate) fn kernel() -> usize {
    ptr::from_ref(Board::kernel()).addr()
}

/// Where the memory of the thread's partition begins, whose stack is the lowest.
pub(crate) fn own() -> usize {
    let on_stack = 0_u8;
    ptr::from_ref(black_box(&on_stack)).addr() & !(MEMORY - 1)
}

/// The first place behind it.
pub(crate) fn behind() -> usize {
    own() + MEMORY
}

/// Reads what faults.
pub(crate) fn look(place: usize) {
    let _ = read(place);
}

pub(crate) fn read(place: usize) -> u32 {
    // SAFETY: memory of the partition's, or it faults.
    unsafe { ptr::with_exposed_provenance::<u32>(place).read_volatile() }
}

pub(crate) fn store(place: usize, word: u32) {
    // SAFETY: memory of the partition's that nobody has as something else, or it faults.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(place).write_volatile(word) };
}

/// Fills a stack of the partition with ones.
pub(crate) fn spoil(begin: usize, end: usize) {
    for place in (begin..end).step_by(size_of::<usize>()) {
        // SAFETY: the stack of a thread of the same partition, which is ended by this.
        unsafe { ptr::with_exposed_provenance_mut::<usize>(place).write_volatile(usize::MAX) };
    }
}
