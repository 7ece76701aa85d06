//! What the ports to different processors have in common.
//!
//! Owns: the form of an outcome in two registers, the frame of a thread that has not run, stacks and the guards below them; the
//! one processor of a machine that has one; of a machine with several their blocks, the one lock, the choice at an interrupt's end,
//! and how a board wires all that.
//! Must never know: an instruction, a register, a board; the kernel.
//!
//! What a port has that others have not it says by [`Port`], and by what it hands to the functions here.
#![no_std]
#![expect(unsafe_code, reason = "a part of the architecture ports")]

mod block;
mod frame;
mod lock;
pub mod one;
mod outcome;
mod stack;
mod wiring;

pub use block::{Block, Blocks, Port, choose, choose_after, keep_turn, numbered, set_up};
pub use frame::prepare;
pub use lock::{Exchange, Handle, Lock, Taken, free_lock, lock, lock_out_of_line, unlock};
pub use one::TAKTOS_PROCESSOR;
pub use outcome::Outcome64;
pub use stack::{FaultStack, Guard, HandlerStack, OwnStacks, PAGE, Stacks, stacks_of};

/// What macros need of other crates.
#[doc(hidden)]
pub mod reexports {
    pub use taktos_machine::{Context, RaisedFault, Upcalls};

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
