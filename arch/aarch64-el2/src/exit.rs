//! Owns: what an exit looks like to the hypervisor, and how its answer comes to the hand-written
//! paths. Must never know: what an exit means.

use crate::own::own;
use crate::vcpu::{Vcpu, vcpu};
use aarch64_cpu::registers::{ESR_EL2, FAR_EL2, HPFAR_EL2, Readable};
use taktos_hypervisor::hardware::{Addresses, Exit, Next};

/// The kinds of exit that the entries of the vector table report.
pub const EXCEPTION: u64 = 0;
/// See [`EXCEPTION`].
pub const INTERRUPT: u64 = 1;
/// See [`EXCEPTION`].
pub const ERROR: u64 = 2;

/// Why a guest was left, of which the entry of the vector table says `KIND`.
#[inline(always)]
pub fn cause<const KIND: u64>() -> Exit {
    match KIND {
        EXCEPTION => Exit::Exception {
            syndrome: ESR_EL2.get(),
        },
        INTERRUPT => Exit::Interrupt,
        _ => Exit::Error,
    }
}

/// The addresses that an exception is about. The registers hold until the guest resumes.
#[inline(always)]
pub(crate) fn addresses() -> Addresses {
    /// The bits of an address within a page.
    const WITHIN: u64 = 0xFFF;
    /// HPFAR_EL2.FIPA: bits 47 to 12 of the intermediate physical address, 4 bits up (Arm ARM,
    /// D13.2.59).
    const PAGE_FIELD: u64 = 0x00FF_FFFF_FFF0;
    let guest = FAR_EL2.get();
    Addresses {
        guest,
        physical: (HPFAR_EL2.get() & PAGE_FIELD) << 8 | guest & WITHIN,
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

/// The VCPU of a guest that was left.
///
/// # Safety
/// The hand-written path of an exit calls, with the address that SP_EL2 had in the guest.
#[inline(always)]
pub unsafe fn left(vcpu: *const Vcpu) -> &'static Vcpu {
    // SAFETY: SP_EL2 is the address of the loaded VCPU's registers while a guest runs.
    unsafe { &*vcpu }
}

/// Clears or copies memory if that was requested, without the lock, until an interrupt comes. Then
/// the processor requests its next VCPU again.
#[cold]
fn again() -> *const Vcpu {
    if let Some(work) = own().work.take() {
        own().moved.set(work.carry_out());
    }
    own().again.set(1);
    core::ptr::null()
}
