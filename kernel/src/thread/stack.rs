//! Owns: how much of its stack a thread has used at most. A stack is painted where it is unused;
//! what has lost the paint was used since. Must never know: where a machine keeps a stack that is
//! not memory of the thread's; there the paint stays.
#![expect(unsafe_code, reason = "reads and writes unused memory of stacks")]

use super::AnyThread;
use crate::sched::hold;
use crate::{Kernel, System};
use core::ops::Range;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use taktos_abi::Error;
use taktos_machine::Machine;

const WORD: usize = size_of::<usize>();
/// A word that no thread is likely to leave on its stack.
const PAINT: usize = usize::from_ne_bytes([PAINTED_BYTE; WORD]);
/// Each byte of it.
pub(super) const PAINTED_BYTE: u8 = 0xA5;
/// The space on it that the functions which paint the caller's own stack may need.
const ROOM: usize = 96 * WORD;

impl<S: System> AnyThread<S> {
    /// Paints the part of its stack that the thread does not use now, so that
    /// [`AnyThread::stack_used`] says how much it uses at most from here on. Best before the thread
    /// is started, or at the beginning of the program. Programs that do not call this do not pay
    /// for it.
    ///
    /// Bound: the size of the stack, with interrupts masked. In a thread. Errors: `Deleted` if the
    /// thread does not exist; `State` if another processor runs it; `Context` in a handler.
    pub fn paint_stack(&'static self) -> Result<(), Error> {
        if S::Machine::in_interrupt() {
            return Err(Error::Context);
        }
        let held = Kernel::<S>::hold_off_processors(self.reference())?;
        let cs = held.section();
        let thread = self.reference();
        let stack = thread.stack(cs).ok_or(Error::Deleted)?;
        let mark = 0_usize;
        let end = if Kernel::<S>::running().current(cs) == thread {
            (&raw const mark).addr().wrapping_sub(ROOM)
        } else if Kernel::<S>::is_running(cs, thread) {
            return Err(Error::State);
        } else {
            thread.machine_part(cs).stack_pointer.get()
        };
        // A thread that has not begun, or has its stack elsewhere, uses nothing of this one.
        let end = if stack.contains(&end) { end } else { stack.end };
        for address in words(stack.start..end) {
            // SAFETY: below what the thread has on its stack, inside of it; no other code uses the
            // memory, and the thread does not continue before the section ends, or is this one: its
            // calls have their space.
            unsafe { with_exposed_provenance_mut::<usize>(address).write_volatile(PAINT) };
        }
        Ok(())
    }

    /// How many bytes of its stack the thread has used at most since that was painted; none if it
    /// was not, or was used to the last word. Memory that an interrupt uses on the stack of the
    /// thread counts, too. Bound: the size of the stack; interrupts are not masked meanwhile.
    /// Allowed everywhere.
    pub fn stack_used(&'static self) -> Option<usize> {
        let stack = self.reference().stack(hold::<S>().section())?;
        // SAFETY: memory of the thread's stack, which may change meanwhile: each word is read once,
        // as a number.
        let is_painted = |address: &usize| unsafe {
            with_exposed_provenance::<usize>(*address).read_volatile() == PAINT
        };
        let painted = words(stack.clone()).take_while(is_painted).count() * WORD;
        (painted > 0).then(|| stack.len() - painted)
    }

    /// The size of the thread's stack in bytes, of which the processor can use all; 0 if the thread
    /// does not exist. Bound: fixed. Allowed everywhere.
    pub fn stack_size(&'static self) -> usize {
        let stack = self.reference().stack(hold::<S>().section());
        stack.map_or(0, |stack| stack.len())
    }
}

/// The addresses of the words in a piece of a stack.
fn words(piece: Range<usize>) -> impl Iterator<Item = usize> {
    (piece.start.next_multiple_of(WORD)..piece.end & !(WORD - 1)).step_by(WORD)
}
