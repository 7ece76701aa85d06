//! Attacks that are accesses, jumps and instructions: of places that a thread without privilege has
//! nothing to do with, and of state that the processor keeps to itself.
//!
//! Owns: how attacks are written, and what must come of them; where the kernel's state and the
//! thread's own partition are located. Must never know: the check of their results; a board, but by
//! its places.
//!
//! All of it runs without privilege, and must not call the kernel but by the instruction for that.
#![expect(unsafe_code, reason = "does on purpose what faults, in instructions")]

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "riscv64", path = "riscv64.rs")]
#[cfg_attr(
    all(target_arch = "arm", target_has_atomic = "64"),
    path = "armv7_a/mod.rs"
)]
#[cfg_attr(
    all(target_arch = "arm", not(target_has_atomic = "64")),
    path = "cortex_m.rs"
)]
mod architecture;
// Where there are pages.
#[cfg(target_has_atomic = "64")]
mod paged;

pub(super) use architecture::{
    FLOAT, FRAMES_ON_STACK, MAP, keep_registers, overflow, receive_and_look, send_with_secret,
};

use crate::user_mode::MEMORY;
#[cfg(target_has_atomic = "64")]
use crate::user_mode::attack::{Attack, ExpectedFault};
use core::hint::black_box;
use core::marker::PhantomData;
use core::ptr;
use taktos_kernel::System;
use taktos_machine::FAULT_REGISTERS;

/// Where nothing is to which a map could lead, on machines with tables.
#[cfg(target_has_atomic = "64")]
pub(super) const UNMAPPED: Option<usize> = Some(paged::UNMAPPED);
/// No such place, if regions are registers.
#[cfg(not(target_has_atomic = "64"))]
pub(super) const UNMAPPED: Option<usize> = None;

/// How a thread that may use the floating-point unit has values there, and faults; and what is
/// looked at then.
pub struct Float {
    /// Puts the value into all registers of the unit, and faults with a number in each other
    /// register; the stack pointer is `gap` bytes below a multiple of eight.
    pub fault: extern "C" fn(value: usize, gap: usize),
    /// Whether these are the registers of that, as they are reported.
    pub are_right: fn(&[usize; FAULT_REGISTERS]) -> bool,
    /// Whether a register of the unit has the value, or its status is another one than at first.
    pub finds: extern "C" fn(value: usize) -> bool,
}

/// The attacks on a board, of which `ALL` is the architecture's list.
pub struct Attacks<S>(PhantomData<S>);

/// An attack that reads a place, and faults there; `anywhere`: the attacker alone knows where that
/// is.
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

use {looks, writes};

/// One that the processor ignores, and the thread continues.
#[cfg(target_has_atomic = "64")]
const fn ignored(name: &'static str, attack: fn()) -> Attack {
    (name, attack, ExpectedFault::Nothing)
}

/// Returns the address of the kernel's state.
pub fn kernel<S: System>() -> usize {
    ptr::from_ref(S::kernel()).addr()
}

/// Returns the start of the memory of the thread's partition; the thread's stack is the lowest.
pub fn own() -> usize {
    let on_stack = 0_u8;
    ptr::from_ref(black_box(&on_stack)).addr() & !(MEMORY - 1)
}

/// Returns the first place after it.
fn behind() -> usize {
    own() + MEMORY
}

/// Reads what faults.
pub fn look(place: usize) {
    let _ = load(place);
}

/// Reads the word at `place`, which may be none of the partition's.
pub(super) fn load(place: usize) -> u32 {
    // SAFETY: memory of the partition's, or it faults.
    unsafe { ptr::with_exposed_provenance::<u32>(place).read_volatile() }
}

/// Writes it.
pub(super) fn store(place: usize, word: u32) {
    // SAFETY: memory of the partition that no code has as something else, or it faults.
    unsafe { ptr::with_exposed_provenance_mut::<u32>(place).write_volatile(word) };
}

/// Changes what the other threads of the partition will load when they resume: fills `[begin,
/// end)`, a stack of it, with ones.
pub(super) fn spoil(begin: usize, end: usize) {
    for place in (begin..end).step_by(size_of::<usize>()) {
        // SAFETY: the stack of a thread of the same partition, which is ended by this.
        unsafe { ptr::with_exposed_provenance_mut::<usize>(place).write_volatile(usize::MAX) };
    }
}
