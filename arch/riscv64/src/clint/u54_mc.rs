//! Owns: the counter of time, its comparator and the calls between processors on chips with
//! SiFive's U54-MC (FU540, FU740, PolarFire SoC): a monitor core without supervisor mode is hart 0,
//! and a CLINT has time and calls, with interrupts that come to machine mode. Must never know: what
//! is due, and the reason of a call.
//!
//! The supervisor reads and writes the CLINT itself, which physical memory protection allows it.
//! The part that is left for machine mode is a trap of a few instructions: it takes the interrupt
//! back and makes the supervisor's software interrupt pending.
//!
//! Registers: SiFive FU540-C000 manual, version 1p4, chapter 9; U54 core complex manual, 21G1.02,
//! chapter 3.

use core::arch::{asm, naked_asm};
use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ops::Range;
use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

/// The CLINT: words by which processors are called, four bytes each; comparators, eight each; the
/// counter.
const CALLS: usize = 0x0200_0000;
const COMPARATORS: usize = 0x0200_4000;
const COUNTER: usize = 0x0200_BFF8;

/// Registers of the device to map.
pub(crate) const REGISTERS: Range<usize> = CALLS..COUNTER + 8;

/// Whether the comparator's time comes as the interrupt of software does.
pub(crate) const IS_DUE_BY_SOFTWARE: bool = true;

/// The number (`mhartid`) of the first processor that runs programs.
pub(crate) const FIRST_HART: usize = 1;

/// The most harts that such a chip has, the monitor core included.
const HARTS: usize = 8;

/// The bit of `mip` by which a processor that waits in machine mode is called: `MSIP`.
#[cfg(feature = "smp")]
pub(crate) const CALLED: usize = MACHINE_SOFTWARE;

const MACHINE_SOFTWARE: usize = 1 << 3;
const MACHINE_TIMER: usize = 1 << 7;

/// Takes such a call, in machine mode. Destroys t0 and t1.
#[cfg(feature = "smp")]
macro_rules! take_call {
    () => {
        "csrr t0, mhartid
         slli t0, t0, 2
         li t1, 0x02000000
         add t0, t0, t1
         sw zero, 0(t0)"
    };
}

#[cfg(feature = "smp")]
pub(crate) use take_call;

/// Ticks since the machine began: the same on all processors.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    // SAFETY: a register of the CLINT, mapped as a device's; reading it changes nothing.
    unsafe { read_volatile(with_exposed_provenance(COUNTER)) }
}

/// The place of this processor's comparator.
#[inline(always)]
fn comparator() -> usize {
    COMPARATORS + 8 * (FIRST_HART + crate::processors::number())
}

/// Sets the comparator.
#[inline(always)]
pub(crate) fn compare(ticks: u64) {
    // SAFETY: this processor's own comparator, which belongs to the module `timer` and to the
    // switch.
    unsafe { write_volatile(with_exposed_provenance_mut(comparator()), ticks) };
}

/// Data of each hart for the trap to machine mode: space for registers, and where the hart's
/// registers of the CLINT are.
#[repr(C)]
struct Own {
    saved: [usize; 2],
    comparator: usize,
    call: usize,
}

struct Owns([UnsafeCell<Own>; HARTS]);

// SAFETY: each hart touches its own place alone: it fills it before its trap can come, and then the
// trap has it.
unsafe impl Sync for Owns {}

static OWNS: Owns = Owns(
    [const {
        UnsafeCell::new(Own {
            saved: [0; 2],
            comparator: 0,
            call: 0,
        })
    }; HARTS],
);

/// Lets the trap to machine mode hand time and calls on. Called in machine mode.
pub(crate) fn give_to_supervisor() {
    let hart: usize;
    // SAFETY: reads a register that machine mode has.
    unsafe { asm!("csrr {}, mhartid", out(reg) hart, options(nomem, nostack, preserves_flags)) };
    let own = OWNS.0[hart].get();
    let filled = Own {
        saved: [0; 2],
        comparator: COMPARATORS + 8 * hart,
        call: CALLS + 4 * hart,
    };
    // SAFETY: the hart's own place, before its trap can come. Nothing is due before a request. The
    // trap is whole and aligned, and interrupts come to it once machine mode is left.
    unsafe {
        own.write(filled);
        write_volatile(
            with_exposed_provenance_mut(COMPARATORS + 8 * hart),
            u64::MAX,
        );
        asm!(
            "csrw mscratch, {own}",
            "csrw mtvec, {trap}",
            "csrw mie, {enabled}",
            own = in(reg) own,
            trap = in(reg) to_supervisor as *const () as usize,
            enabled = in(reg) MACHINE_SOFTWARE | MACHINE_TIMER,
            options(nostack, preserves_flags),
        );
    }
}

/// Serves the trap to machine mode: by the timer, which gets its comparator set to never, or by a
/// call, which gets its word cleared. Nothing else comes here: all exceptions are the supervisor's,
/// and machine mode has no code that could fail.
#[unsafe(naked)]
extern "C" fn to_supervisor() {
    naked_asm!(
        ".p2align 2",
        "csrrw t0, mscratch, t0",
        "sd t1, {saved}(t0)",
        "sd t2, {saved} + 8(t0)",
        "csrr t1, mcause",
        // 7 is the timer, 3 a call.
        "andi t1, t1, 4",
        "beqz t1, 1f",
        "ld t1, {comparator}(t0)",
        "li t2, -1",
        "sd t2, 0(t1)",
        "j 2f",
        "1:",
        "ld t1, {call}(t0)",
        "sw zero, 0(t1)",
        "2:",
        "csrsi mip, {software}",
        "ld t1, {saved}(t0)",
        "ld t2, {saved} + 8(t0)",
        "csrrw t0, mscratch, t0",
        "mret",
        saved = const offset_of!(Own, saved),
        comparator = const offset_of!(Own, comparator),
        call = const offset_of!(Own, call),
        software = const crate::interrupt::SOFTWARE,
    )
}

/// Returns to the start-up code whether this hart, with the number in a0, sets memory up and runs
/// the program: all others rest.
#[cfg(not(feature = "smp"))]
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn _mp_hook() {
    naked_asm!(
        "li t0, {first}",
        "beq a0, t0, 2f",
        "1:",
        "wfi",
        "j 1b",
        "2:",
        "li a0, 1",
        "ret",
        first = const FIRST_HART,
    )
}
