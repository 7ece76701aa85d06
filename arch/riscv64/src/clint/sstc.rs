//! Owns: the counter of time, its comparator and the calls between processors if the supervisor has
//! all of them itself: the extension Sstc (version 1.0), and the ACLINT's words for supervisor
//! software interrupts. Must never know: what is due, and the reason of a call.

use core::arch::asm;
use core::ops::Range;

/// Registers of the device to map for the counter and its comparator: none, they are registers of
/// the processor.
pub(crate) const REGISTERS: Range<usize> = 0..0;

/// Whether the comparator's time comes as the interrupt of software does.
pub(crate) const IS_DUE_BY_SOFTWARE: bool = false;

/// The number (`mhartid`) of the first processor that runs programs.
#[cfg(feature = "smp")]
pub(crate) const FIRST_HART: usize = 0;

/// The bit of `mip` by which a processor that waits in machine mode is called.
#[cfg(feature = "smp")]
pub(crate) const CALLED: usize = crate::interrupt::SOFTWARE;

/// Takes such a call, in machine mode. Destroys t0 and t1.
#[cfg(feature = "smp")]
macro_rules! take_call {
    () => {
        "csrci mip, 2"
    };
}

#[cfg(feature = "smp")]
pub(crate) use take_call;

/// Ticks since the machine began: the same on all processors.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    let ticks;
    // SAFETY: reads a counter.
    unsafe { asm!("rdtime {}", out(reg) ticks, options(nomem, nostack, preserves_flags)) };
    ticks
}

/// Sets the comparator.
#[inline(always)]
pub(crate) fn compare(ticks: u64) {
    // SAFETY: the supervisor's comparator (`stimecmp`), which belongs to the module `timer`.
    unsafe { asm!("csrw 0x14d, {}", in(reg) ticks, options(nomem, nostack, preserves_flags)) };
}

/// Lets the supervisor have the comparator. Called in machine mode.
#[inline(always)]
pub(crate) fn give_to_supervisor() {
    // SAFETY: menvcfg.STCE, in machine mode.
    unsafe {
        asm!("csrs 0x30a, {}", in(reg) 1_usize << 63, options(nomem, nostack, preserves_flags))
    };
}
