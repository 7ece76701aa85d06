//! Owns: calls from one processor to another, and what they are for.
//! Must never know: what the kernel does when it is called.
//!
//! The device is the ACLINT's for supervisor software interrupts (RISC-V ACLINT specification,
//! version 1.0-rc4, chapter 4): a store of one to a processor's word makes `sip.SSIP` pending
//! there, and nothing needs to be acknowledged.

use super::start::all_are_there;
use super::state::{more, numbered, own};
use crate::board::Board;
use crate::timer;
use core::arch::asm;
use core::ptr::{with_exposed_provenance_mut, write_volatile};
use core::sync::atomic::AtomicPtr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Release};

/// The kernel is to be notified: [`Machine::call`](taktos_machine::Machine::call).
pub(super) const KERNEL: u32 = 1;
/// A page that was memory is not any more.
pub(super) const MAP: u32 = 1 << 1;
/// Slices have another length.
pub(super) const SLICE: u32 = 1 << 2;

/// Function that a processor also runs when it is called for the map: it enables user mode, and
/// then fetches again what the processor executes; none before. It does not use the lock.
pub(crate) static ON_NEW_MAP: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

unsafe extern "C" {
    /// The board's, by [`smp!`](crate::smp): as
    /// [`Upcalls::called`](taktos_machine::Upcalls::called): from an interrupt, without the lock.
    fn taktos_called();
}

/// Interrupts the processor `number`, which sees all that was stored before.
#[inline(always)]
pub(super) fn signal<B: Board>(number: usize) {
    // SAFETY: the fence orders memory before the device's word, which is the processor's.
    unsafe {
        asm!("fence rw, o", options(nostack, preserves_flags));
        write_volatile(with_exposed_provenance_mut::<u32>(B::CALLS + 4 * number), 1);
    }
}

/// Calls the processor `number` for `reason`.
#[inline(always)]
pub(super) fn call<B: Board>(number: usize, reason: u32) {
    numbered::<B>(number).more.calls.fetch_or(reason, Release);
    signal::<B>(number);
    taktos_machine::label!("taktos.point.call");
}

/// Calls all but the caller's processor for `reason`; calls none before they have started.
pub(super) fn call_others<B: Board>(reason: u32) {
    if !all_are_there() {
        return;
    }
    let own = own().number.get();
    for number in (0..B::PROCESSORS).filter(|number| *number != own) {
        call::<B>(number, reason);
    }
}

/// Serves the calls to this processor. The interrupt has been taken: a call from now on interrupts
/// again.
///
/// # Safety
/// As of [`Upcalls::called`](taktos_machine::Upcalls::called).
pub(crate) unsafe fn serve() {
    // SAFETY: the interrupt is taken before the reasons are.
    unsafe { asm!("fence", options(nostack, preserves_flags)) };
    let reasons = more().calls.swap(0, AcqRel);
    if reasons & MAP != 0 {
        // SAFETY: drops translations, which are read again from the tables when needed.
        unsafe { asm!("sfence.vma", options(nostack, preserves_flags)) };
        let also = ON_NEW_MAP.load(Acquire);
        if !also.is_null() {
            // SAFETY: nothing but functions of this kind is stored there.
            unsafe { core::mem::transmute::<*mut (), fn()>(also)() };
        }
    }
    if reasons & SLICE != 0 {
        timer::begin_slice(0);
    }
    if reasons & KERNEL != 0 {
        // SAFETY: the caller's.
        unsafe { taktos_called() };
    }
}
