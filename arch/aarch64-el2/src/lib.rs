//! AArch64 (Armv8-A) at EL2, on QEMU's board `virt`, as the machine below the hypervisor.
//!
//! Owns: the exits of guests and their return, the registers of VCPUs and their change, both stages
//! of translation, the interrupt controller and its list registers, the timers, the console, the
//! start of the processors. Must never know: partitions, schedulers, what an exit means.
//!
//! # The processor's own
//! `TPIDR_EL2` leads to a block of each processor's own. While a guest runs, `SP_EL2` is the
//! address of its VCPU's [`Vcpu`], so that an exit stores the general registers where they belong,
//! with no register to spare; then the stack of the processor takes over. Nothing is left on that
//! stack when a guest runs.
//!
//! # Interrupts
//! EL2 runs masked, always. An interrupt comes at a guest, or ends the wait of an idle processor.
//!
//! # Floating point
//! The hypervisor is compiled without it, and moves a VCPU's registers at every change (eagerly): a
//! lazy move would make the worst case depend on what guests do.
//!
//! # Use
//! A board's program calls [`El2::set_up`], [`El2::set_up_processors`] and [`El2::run`];
//! [`upcalls!`] names the functions that receive exits.
#![no_std]
#![cfg(target_os = "none")]
#![expect(unsafe_code, reason = "an architecture port")]

mod console;
mod controller;
mod controls;
mod copy;
mod exit;
mod fault;
mod hardware;
mod identity;
mod image;
mod lists;
mod memory;
mod own;
mod shown;
mod stage2;
mod start;
mod tables;
mod timer;
mod vcpu;
mod vectors;
mod world;

pub use exit::{ERROR, EXCEPTION, INTERRUPT, cause, left, resumed};
pub use fault::{fail, panicked};
pub use hardware::El2;
pub use lists::LoadedLists;
pub use own::number;
pub use vcpu::Vcpu;

/// Wires the processor to the hypervisor. `start`, a `fn(usize) -> Next`, is called once on each
/// processor, with its number. `exit`, a `fn(&'static Vcpu, Exit) -> Option<Next>`, is called at
/// each exit of a guest; none resumes that guest. `waited`, a `fn(usize) -> Next`, is called when
/// the wait of an idle processor ends, and after [`Next::Again`]. All run with interrupts masked.
/// Used once, in a board's program.
///
/// [`Next::Again`]: taktos_hypervisor::hardware::Next::Again
#[macro_export]
macro_rules! upcalls {
    ($start:path, $exit:path, $waited:path) => {
        /// A processor is ready: what it does first.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_start() -> *const $crate::Vcpu {
            $crate::resumed($start($crate::number()))
        }

        /// The wait of an idle processor ended: what it does next.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_waited() -> *const $crate::Vcpu {
            $crate::resumed($waited($crate::number()))
        }

        $crate::upcalls!(@left $exit, taktos_exception, EXCEPTION);
        $crate::upcalls!(@left $exit, taktos_interrupt, INTERRUPT);
        $crate::upcalls!(@left $exit, taktos_error, ERROR);
    };
    (@left $exit:path, $name:ident, $kind:ident) => {
        /// A guest was left, its registers are saved: what the processor does next.
        #[unsafe(no_mangle)]
        extern "C" fn $name(vcpu: *const $crate::Vcpu) -> *const $crate::Vcpu {
            // SAFETY: the hand-written path calls with the address of the VCPU that was left.
            let left = unsafe { $crate::left(vcpu) };
            match $exit(left, $crate::cause::<{ $crate::$kind }>()) {
                None => vcpu,
                Some(next) => $crate::resumed(next),
            }
        }
    };
}
