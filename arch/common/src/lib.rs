//! Code that the ports to different processors have in common.
//!
//! Owns: the form of an outcome in two registers, the frame of a thread that has not run, stacks
//! and the guards below them; the one processor of a machine that has one; of a machine with
//! several their blocks, the one lock, the choice at an interrupt's end, and how a board wires all
//! that; tables of pages, and the state of threads in user mode. Must never know: an instruction, a
//! register, a board; the kernel.
//!
//! A port states the properties that others do not have by [`Port`] and [`Format`](tables::Format),
//! and by the arguments that it passes to the functions here. Macros define what names a port's own
//! modules, or symbols that assembly names.
#![no_std]
#![expect(unsafe_code, reason = "a part of the architecture ports")]

#[cfg(target_has_atomic = "ptr")]
mod block;
mod cycles;
mod frame;
#[cfg(target_has_atomic = "ptr")]
mod lock;
mod machine;
pub mod one;
mod outcome;
#[cfg(target_has_atomic = "ptr")]
mod several;
mod stack;
mod switch;
#[cfg(target_has_atomic = "ptr")]
pub mod tables;
#[cfg(target_has_atomic = "ptr")]
mod user;
mod wiring;

#[cfg(target_has_atomic = "ptr")]
pub use block::{Block, Blocks, Port, choose, choose_after, keep_turn, numbered, set_up};
pub use frame::prepare;
#[cfg(target_has_atomic = "ptr")]
pub use lock::{Exchange, Handle, Lock, Taken, free_lock, lock, lock_out_of_line, unlock};
pub use one::TAKTOS_PROCESSOR;
pub use outcome::{Outcome32, Outcome64};
pub use stack::{FaultStack, Guard, HandlerStack, OwnStacks, PAGE, Stacks, stacks_of};
#[cfg(target_has_atomic = "ptr")]
pub use user::{
    PAGED, PARTITIONS, TAKTOS_CALLS, UserMap, UserMaps, report_user_fault, taktos_user_object,
};

/// Items of other crates that macros need.
#[doc(hidden)]
pub mod reexports {
    pub use taktos_abi::Timeout;
    pub use taktos_machine::{
        Answer, Context, Decision, Processor, RaisedFault, RegionRules, SliceSwitch, StackRegion,
        Upcalls, UserStart,
    };

    /// Offsets of words that a switch reads and writes.
    pub const STACK_POINTER: usize = core::mem::offset_of!(Context, stack_pointer);
    pub const STATUS: usize = core::mem::offset_of!(Context, status);
    pub const CURRENT: usize = core::mem::offset_of!(Processor, current);

    /// Two words, each in a register: an integer, as structures of 32-bit Arm have none.
    #[cfg(target_pointer_width = "64")]
    pub type TwoWords = u128;
    #[cfg(target_pointer_width = "32")]
    pub type TwoWords = u64;

    /// Those, the first one in the lower half.
    #[inline(always)]
    pub const fn two_words(first: usize, second: usize) -> TwoWords {
        (second as TwoWords) << usize::BITS | first as TwoWords
    }
}
