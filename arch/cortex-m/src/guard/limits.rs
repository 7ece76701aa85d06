//! Owns: the limits of the stack pointers, and the memory protection unit of Armv8-M, which keeps
//! the place that null leads to. Registers: Armv8-M Architecture Reference Manual (DDI 0553), D1.2.

use super::OF_REPORTS;
use core::arch::asm;
use cortex_m::peripheral::{MPU, SCB};

/// The bytes below a stack that no code may access. If a thread was interrupted with its stack used
/// up, the switch puts its registers there, before it reports that.
#[repr(C, align(8))]
pub struct Guard([u8; GUARD_SIZE]);

/// A thread may have any address.
pub type Aligned = ();

/// There is nothing before its control block.
pub type Front<T> = crate::guard::Nothing<T>;

/// The data that the kernel keeps there elsewhere lie behind the stack.
pub type Back<T> = T;

/// Nine registers, and half of the floating-point unit's, in whole steps of the limit.
const GUARD_SIZE: usize = 104;

/// The offset of the stack from the beginning of the control block (72 bytes): the switch computes
/// its limit instead of loading it.
pub const GUARD: usize = 72 + GUARD_SIZE;

const _: () = assert!(GUARD.is_multiple_of(8));

/// The bit of the configurable fault status by which the processor says that a stack pointer came
/// below its limit.
pub const BELOW_LIMIT: u32 = 1 << 20;

/// The status of a fault by which a switch reports registers below the limit.
pub const OVERRUN: u32 = BELOW_LIMIT;

impl Guard {
    /// Unused memory.
    pub const NEW: Self = Self([0; GUARD_SIZE]);
}

unsafe extern "C" {
    /// The lowest address of the handlers' stack.
    static _stack_end: u8;
}

/// Sets the handlers' limit, and forbids null. Called once, before the first thread runs.
pub fn enable() {
    let lowest = (&raw const _stack_end).addr().next_multiple_of(8) + OF_REPORTS;
    // SAFETY: the stack in use is above.
    unsafe { asm!("msr msplim, {}", in(reg) lowest, options(nomem, nostack, preserves_flags)) };
    // The vectors are at null, which the processor fetches past the unit.
    forbid_at(NULL_REGIONS, 0);
    const ENABLE_WITH_DEFAULT_MAP: u32 = 0b101;
    const MEMORY_FAULTS: u32 = 1 << 16;
    // SAFETY: the unit belongs to this port.
    unsafe {
        (*MPU::PTR).ctrl.write(ENABLE_WITH_DEFAULT_MAP);
        (*SCB::PTR).shcsr.write(MEMORY_FAULTS);
    }
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Returns whether stacks have guards: the limits are the processor's own.
pub const fn has_guards() -> bool {
    true
}

/// The first of the pair of regions over null, and of a pair that is left to programs without
/// partitions.
const NULL_REGIONS: u32 = 6;
const FREE_REGIONS: u32 = 4;

/// Forbids all code to access the 32 bytes at `place`, with regions that the port leaves free if
/// there are no partitions.
pub fn forbid(place: usize) {
    forbid_at(FREE_REGIONS, place);
    cortex_m::asm::dsb();
    cortex_m::asm::isb();
}

/// Uses two regions, since no region can forbid access to privileged code. But an access to a byte
/// that is in two regions is a fault for all code.
fn forbid_at(first: u32, place: usize) {
    const NO_EXECUTE: u32 = 1;
    const ENABLE: u32 = 1;
    let base = place as u32 & !31;
    for region in [first, first + 1] {
        // SAFETY: the unit belongs to this port.
        unsafe {
            let mpu = &*MPU::PTR;
            mpu.rnr.write(region);
            mpu.rbar.write(base | NO_EXECUTE);
            mpu.rlar.write(base | ENABLE);
        }
    }
}

/// The lowest address of the running thread's stack.
pub fn lowest_of_thread() -> usize {
    let limit;
    // SAFETY: reads a register.
    unsafe { asm!("mrs {}, psplim", out(reg) limit, options(nomem, nostack, preserves_flags)) };
    limit
}

/// Whether a frame at `address` is one that the processor did not store, as it came below the
/// limit: the stack pointer is the limit then.
pub fn is_at_limit(address: usize) -> bool {
    address == lowest_of_thread()
}

/// Returns whether the address is in a guard: those of stacks are no matter of addresses.
pub fn is_guard(_address: usize) -> bool {
    false
}

/// Returns whether the address is in the guard of the running thread.
pub fn is_of_thread(_address: usize) -> bool {
    false
}

/// [`pended_switch!`](crate::pended_switch) with the lines that look whether the registers just
/// stored lie above the limit, and set the next thread's.
#[doc(hidden)]
#[macro_export]
macro_rules! guarded_switch {
    () => {
        $crate::pended_switch!(
            @ ["mrs r12, psplim", "cmp r0, r12", "blo {overflow}"],
            ["msr psplim, r1"],
            [overflow = sym $crate::reexports::overflow_at_switch,]
        );
    };
}
