//! Owns: what an exit looks like to the hypervisor, and how its answer comes to the hand-written
//! paths. Must never know: what an exit means.

use crate::own::own;
use crate::vcpu::{Vcpu, vcpu};
use aarch64_cpu::registers::{ESR_EL2, FAR_EL2, HPFAR_EL2, Readable};
use taktos_hypervisor::hardware::{Exit, Next};

/// Kinds of exit that the entries of the vector table report.
pub(crate) const EXCEPTION: u64 = 0;
pub(crate) const INTERRUPT: u64 = 1;
pub(crate) const ERROR: u64 = 2;

/// Why a guest was left, of which the vector table says `kind`. The syndrome's registers hold until
/// the guest resumes.
#[inline(always)]
pub fn cause(kind: u64) -> Exit {
    match kind {
        EXCEPTION => exception(),
        INTERRUPT => Exit::Interrupt,
        _ => Exit::Error,
    }
}

#[inline(always)]
fn exception() -> Exit {
    /// The bits of an address within a page.
    const WITHIN: u64 = 0xFFF;
    /// HPFAR_EL2.FIPA: bits 47 to 12 of the intermediate physical address, 4 bits up (Arm ARM,
    /// D13.2.59).
    const PAGE_FIELD: u64 = 0x00FF_FFFF_FFF0;
    let address = FAR_EL2.get();
    Exit::Exception {
        syndrome: ESR_EL2.get(),
        address,
        physical: (HPFAR_EL2.get() & PAGE_FIELD) << 8 | address & WITHIN,
    }
}

/// Returns what the hand-written paths take for `next`: the VCPU's registers, or null.
#[inline(always)]
pub fn resumed(next: Next) -> *const Vcpu {
    match next {
        Next::Guest(number) => vcpu(number),
        Next::Idle => core::ptr::null(),
        Next::Again => again(),
    }
}

/// Clears or copies memory if that was requested, without the lock. Then the processor requests its
/// next VCPU again.
#[cold]
fn again() -> *const Vcpu {
    if let Some(work) = own().work.take() {
        work.carry_out();
    }
    own().again.set(1);
    core::ptr::null()
}
