//! The machine with several processors. What it has here, one with one processor has by the same names in `uni`; the crate's head
//! chooses.
//!
//! Owns: what of the seam the number of processors changes: each has a block, and there is a lock; calls from one to another, and the
//! wiring of a board. Must never know: what a section is for; who runs where, and why.

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
pub(crate) use taktos_arch_common::{lock, unlock};

use crate::board::Board;
use crate::machine::AArch64;
use crate::{interrupt, memory, switch, timer};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_machine::Processor;

/// What boards and macros name.
pub mod exported {
    pub use super::start::go_on;
    pub use super::state::{PROCESSOR_SIZE, Processors};
    pub use taktos_arch_common::Stacks;
}

/// The lock as it is held.
pub type Taken = taktos_arch_common::Taken<Arm>;

unsafe extern "C" {
    /// The board's, by [`smp!`](crate::smp): as [`Upcalls::called`](taktos_machine::Upcalls::called), from an interrupt.
    fn taktos_called();
}

/// The software interrupt by which one processor calls another: the lowest, which is served first.
const CALL: u32 = 0;
/// That by which one tells the others that something is to be as it is there: the length of slices, and with a controller of version 2 the
/// private interrupts.
const FOLLOW: u32 = 7;

/// Whether there are several processors.
pub(crate) const SEVERAL: bool = true;

/// How many processors the machine has.
pub(crate) const fn count<B: Board>() -> usize {
    B::PROCESSORS
}

/// The processor that runs the caller.
#[inline(always)]
pub(crate) fn own() -> &'static Processor {
    &state::own().processor
}

/// The processor that holds the lock.
#[inline(always)]
pub(crate) fn holder(taken: Taken) -> &'static Processor {
    &taken.own().processor
}

/// The number of the processor that runs the caller.
#[inline(always)]
pub(crate) fn number() -> usize {
    state::own().number.get()
}

/// The processor `number`.
#[inline(always)]
pub(crate) fn numbered<B: Board>(number: usize) -> &'static Processor {
    &state::numbered::<B>(number).processor
}

/// Calls the processor `number` for the kernel.
#[inline(always)]
pub(crate) fn call<B: Board>(number: usize) {
    controller::send_to::<B>(CALL, number);
    taktos_machine::label!("taktos.point.call");
}

/// Handles a call. Given to `set_handler` alone.
fn called() {
    // SAFETY: so this is a handler: all have the kernel's level, do not nest, and begin without the lock.
    unsafe { taktos_called() };
}

/// Has the other processors be as this one is: slices, and private interrupts.
pub(crate) fn have_others_follow<B: Board>() {
    controller::send_to_others::<B>(FOLLOW);
}

/// Another processor has changed what is the same on all.
fn follow() {
    controller::follow();
    timer::follow_slice();
}

impl<B: Board> AArch64<B> {
    /// Makes the caller the first of the processors. Called once, by the board, before anything else of the machine.
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
    let own = state::own();
    switch::start(&own.processor, own.handler_stack.get())
}

/// Makes guards of the pages below the stacks of handlers.
pub(crate) fn protect_stacks<B: Board>() {
    for number in 0..B::PROCESSORS {
        memory::protect::<B>(state::stacks::<B>(number).handlers.guard());
    }
}

/// Waits until other processors see what this one has stored: a write of a system register is not ordered behind it
/// otherwise (GIC architecture, IHI 0069, section 4.8.5 leaves that to the sender).
#[inline(always)]
pub(crate) fn publish() {
    // SAFETY: a barrier.
    unsafe { core::arch::asm!("dsb ishst", options(nostack, preserves_flags)) }
}

/// What is read from here on is not older than the interrupt that was acknowledged: its sender's stores are seen.
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

/// Wires the processors to a type that implements [`Upcalls`](taktos_machine::Upcalls), and makes room for those of
/// `board`. Used once, in a board crate, beside [`exceptions!`](crate::exceptions).
#[macro_export]
macro_rules! smp {
    ($upcalls:ty, $board:ty) => {
        $crate::common::wire_processors!(
            $upcalls,
            $crate::Processors<{ <$board as $crate::Board>::PROCESSORS }>,
            $crate::Stacks<{ <$board as $crate::Board>::PROCESSORS }>,
            $crate::PROCESSOR_SIZE
        );

        /// The first Rust code of a processor behind the first.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_go_on(number: usize) -> ! {
            $crate::go_on::<$board>(number)
        }
    };
}

/// What a processor does at EL1 that is not number 0.
#[doc(hidden)]
#[macro_export]
macro_rules! not_the_first {
    () => {
        "b taktos_wait_to_begin"
    };
}
