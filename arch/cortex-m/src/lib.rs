//! Armv6-M (Cortex-M0, Cortex-M0+), Armv7-M (Cortex-M3, Cortex-M4, Cortex-M7) and Armv8-M with the
//! main extension (Cortex-M33, Cortex-M55) as machines.
//!
//! Owns: the switch of threads, the priorities of exceptions, stack guards, time slices, faults.
//! Must never know: the kernel, a board's devices (the board brings its clock by [`Clock`]).
//!
//! # Exceptions
//! Interrupts from [`KERNEL_LEVEL`] down may call the kernel, which masks them in its sections.
//! Those of the very level do not nest, so a handler there needs no masking against another; less
//! urgent ones nest without limit. The kernel's own exceptions `PendSV` and `SysTick` have the
//! lowest priority. So a switch of threads follows the last handler, and never comes in the middle
//! of one: it would change the handler's registers. Interrupts of higher priority than the level
//! are never delayed by the kernel, and must not call it; see [`above!`]. `SVCall` is just above
//! the mask, for the ten instructions that return to an interrupted thread where only a handler
//! can.
//!
//! # Two frames
//! A thread that is not running has on its stack, from low to high, r4, r6, r7 and an address to
//! resume at. A thread that called the kernel has nothing more: the address is its caller's, and
//! the call was declared to destroy the other registers. A thread that was interrupted has those
//! above that, and then the processor's own exception frame; the address leads to a few
//! instructions that load it, or return from it. So each path that resumes a thread may treat both
//! alike. Threads that use the floating-point unit have its registers in between, restored by the
//! instructions at the address: those that do not use it pay nothing.
//!
//! # Armv6-M
//! The mask is of all interrupts, so none is above the kernel's level, and all that are more urgent
//! are brought to that level at the start. Each exception frame can be loaded without a handler.
//! Nothing guards stacks: a word below each is looked at when its thread gives way. Partitions have
//! no unit that would keep them apart. Such a processor does not exchange words in memory, by which
//! other crates know it (`target_has_atomic`).
//!
//! # Armv8-M
//! `guard` has most of the differences: the limits of stack pointers replace guards below stacks.
//! The port runs in whichever security state it is started in, and says nothing of the other: the
//! bits that the processor passes at an exception to name the state are kept.
#![no_std]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "an architecture port")
)]

/// Modules that need the processor. The rest is compiled for the host too, for its tests.
#[cfg(target_os = "none")]
#[macro_use]
mod switch;
#[cfg(all(target_os = "none", not(armv6m)))]
pub mod cycles;
#[cfg(target_os = "none")]
mod fault;
#[cfg(target_os = "none")]
mod guard;
#[cfg(target_os = "none")]
mod interrupt;
#[cfg(target_os = "none")]
mod machine;
#[cfg(target_os = "none")]
mod mask;
#[cfg(target_os = "none")]
mod slice;
mod systick;
#[cfg(all(target_os = "none", not(armv6m)))]
mod user;
#[cfg(target_os = "none")]
mod vectors;

// By which the crates of chips name interrupts.
#[cfg(target_os = "none")]
#[doc(hidden)]
pub use cortex_m::interrupt::InterruptNumber;
#[doc(hidden)]
pub use taktos_arch_common as common;
#[cfg(target_os = "none")]
use taktos_arch_common::one as processors;
#[cfg(target_os = "none")]
pub use taktos_arch_common::{Outcome32, TAKTOS_PROCESSOR};
#[cfg(target_os = "none")]
pub use {
    fault::{Registers, report_fault, report_forbidden_call, report_overrun},
    guard::{Guard, forbid, has_guards, lowest_of_thread},
    interrupt::{
        Level, bring_to_kernel_level, disable_interrupt, enable_interrupt, pend_interrupt,
    },
    machine::{Clock, CortexM, halt},
    mask::KERNEL_LEVEL,
    slice::{SliceTimer, Slices},
    systick::{SystemTimer, start as start_system_timer},
};

/// Items of other crates that macros need.
#[cfg(target_os = "none")]
#[doc(hidden)]
pub mod reexports {
    #[cfg(any(armv8m, all(canary, not(armv6m))))]
    pub use crate::fault::overflow_at_switch;
    #[cfg(armv6m)]
    pub use crate::fault::taktos_overrun;
    pub use crate::switch::operands;
    #[cfg(not(armv6m))]
    pub use crate::user::{taktos_isolated_call, taktos_isolated_fault, taktos_isolated_switch};
    pub use taktos_machine::Upcalls;

    unsafe extern "C" {
        /// The board's, by [`exceptions!`](crate::exceptions).
        pub fn taktos_forbidden_call() -> !;
    }
}

/// Wires the processor's exceptions to a type that implements
/// [`Upcalls`](taktos_machine::Upcalls). Used once, in a board crate. With `SystemTimer` before it
/// where that is the board's clock.
#[macro_export]
macro_rules! exceptions {
    ($upcalls:ty) => {
        $crate::pended_switch!();
        $crate::exceptions!(@ $upcalls);
    };
    (SystemTimer, $upcalls:ty) => {
        $crate::pended_switch!();
        $crate::exceptions!(@ $upcalls);

        /// The time of an alarm has come.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_alarm() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::alarm() };
        }
    };
    (@ $upcalls:ty) => {
        /// The end of a time slice.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn taktos_slice_end() {
            // SAFETY: the caller's, an interrupt of the port's, as the declaration there says.
            unsafe { <$upcalls as $crate::reexports::Upcalls>::slice_end() };
        }

        /// Where the fault exceptions lead, with the registers and the kind of return.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_fault(values: &$crate::Registers, exception_return: usize) -> ! {
            $crate::report_fault::<$upcalls>(values, exception_return)
        }

        /// Reports the running thread, which has overrun its stack.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_overrun() -> ! {
            $crate::report_overrun::<$upcalls>()
        }

        /// Reports the handler of an interrupt above the kernel's level that has called the kernel.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_forbidden_call() -> ! {
            $crate::report_forbidden_call::<$upcalls>()
        }
    };
}
