//! The machine with several processors. Its items here have the same names as those for one
//! processor in `uni`; the crate's head chooses.
//!
//! Owns: the parts of the seam that depend on the number of processors: each has a block, and there
//! is a lock; calls from one to another, and the wiring of a board. Must never know: the purpose of
//! a section; the thread that runs on a processor, and why.

#[cfg_attr(feature = "gicv2", path = "controller_v2.rs")]
#[cfg_attr(not(feature = "gicv2"), path = "controller_v3.rs")]
pub(crate) mod controller;
pub(crate) mod entry;
pub(crate) mod float;
mod lock;
pub(crate) mod pieces;
mod start;
pub(crate) mod state;
pub(crate) mod user;

pub use lock::Arm;
pub(crate) use lock::wait_for_lock;

use crate::machine::AArch64;
use crate::{interrupt, timer};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

taktos_arch_common::several_processors!(Arm);

/// Items that boards and macros name.
pub mod exported {
    pub use super::start::go_on;
    pub use super::state::{PROCESSOR_SIZE, Processors};
}

unsafe extern "C" {
    /// The board's, by [`smp!`](crate::smp): as
    /// [`Upcalls::called`](taktos_machine::Upcalls::called), from an interrupt.
    fn taktos_called();
}

/// The software interrupt by which one processor calls another: the lowest, which is served first.
const CALL: u32 = 0;
/// The software interrupt by which one processor makes the others copy its settings. They are the
/// length of slices, and with a controller of version 2 the private interrupts.
const FOLLOW: u32 = 7;

/// Whether there are several processors.
pub(crate) const SEVERAL: bool = true;

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    B::PROCESSORS
}

/// Calls the processor `number` for the kernel.
#[inline(always)]
pub(crate) fn call<B: Board>(number: usize) {
    controller::send_to::<B>(CALL, number);
    taktos_machine::label!("taktos.point.call");
}

/// Handles a call. Given to `set_handler` alone.
fn called() {
    // SAFETY: so this is a handler: all have the kernel's level, do not nest, and begin without the
    // lock.
    unsafe { taktos_called() };
}

/// Makes the other processors follow this one: slices, and private interrupts.
pub(crate) fn have_others_follow<B: Board>() {
    controller::send_to_others::<B>(FOLLOW);
}

/// Another processor has changed what is the same on all.
fn follow() {
    controller::follow();
    timer::follow_slice();
}

impl<B: Board> AArch64<B> {
    /// Makes the caller the first of the processors. Called once, by the board, before anything
    /// else of the machine.
    pub fn begin() {
        state::set_up::<B>();
        start::look_for_others::<B>();
    }
}

/// Starts the other processors, and leaves the start-up code for the first one's first thread.
pub(crate) fn start<B: Board>() -> ! {
    interrupt::set_handler::<B>(CALL, called);
    interrupt::set_handler::<B>(FOLLOW, follow);
    start::start_others::<B>();
    leave_start()
}

/// Waits until other processors see what this one has stored. Otherwise a write of a system
/// register is not ordered after it (GIC architecture, IHI 0069, section 4.8.5 leaves that to the
/// sender).
#[inline(always)]
pub(crate) fn publish() {
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb ishst", options(nostack, preserves_flags)) }
}

/// Orders later reads after the interrupt that was acknowledged: its sender's stores are seen.
#[inline(always)]
pub(crate) fn settle() {
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) }
}

/// Comes back to the first processor that reports a fault; another one halts for good.
pub(crate) fn report_alone() {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if REPORTED.swap(true, Relaxed) {
        loop {
            aarch64_cpu::asm::wfi();
        }
    }
}

/// Wires the processors to a type that implements [`Upcalls`](taktos_machine::Upcalls), and makes
/// space for those of `board`. Used once, in a board crate, in addition to
/// [`exceptions!`](crate::exceptions).
#[macro_export]
macro_rules! smp {
    ($upcalls:ty, $board:ty) => {
        $crate::common::wire_processors!($upcalls, $board, $crate);

        /// The first Rust code of a processor after the first.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_go_on(number: usize) -> ! {
            $crate::go_on::<$board>(number)
        }
    };
}

/// Code at EL1 of processors other than number 0.
#[doc(hidden)]
#[macro_export]
macro_rules! not_the_first {
    () => {
        "b taktos_wait_to_begin"
    };
}
