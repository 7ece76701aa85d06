//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to
//! that.

use super::resume::resume_interrupted;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

taktos_arch_common::saved_state! {
    72;
    /// Saved state of a thread. [`Context::stack_pointer`] leads to its beginning. The paths of
    /// privileged threads find there the frame of a thread that switched away in a call, and
    /// continue at `resume_at`. For an interrupted thread that is another place, to which all
    /// registers are its own.
    #[repr(C, align(8))]
    pub struct UserState {
        r4_to_r11[8],
        r12,
        resume_at,
        partition,
        /// `TPIDRURW`, which a thread uses as it likes.
        thread_word,
        pc,
        /// The processor's state. Changes that a thread can make to its own change nothing of its
        /// rights.
        status,
        stack_pointer,
        link,
        r0_to_r3[4],
    }
}

/// The size of the part that the switch stores: it finds the stack pointer at its end.
pub const STORED: usize = offset_of!(UserState, r12);
/// The offset of the thread's word; the program counter and the state follow it, as a return from
/// an exception takes them.
pub const WORD: usize = offset_of!(UserState, thread_word);
/// The offset of the stack pointer; the link register follows it.
pub const STACK: usize = offset_of!(UserState, stack_pointer);
/// Where r0 to r3 lie.
pub const REGISTERS: usize = offset_of!(UserState, r0_to_r3);
/// The offset of r12.
pub const R12: usize = offset_of!(UserState, r12);
/// The offset of the address of the code that resumes the thread.
pub const RESUME_AT: usize = offset_of!(UserState, resume_at);
/// The end of the frame that the switch loads: the stack pointer leads there when a thread resumes.
pub const LOADED: usize = offset_of!(UserState, partition);

const _: () = assert!(
    STORED == 32
        && RESUME_AT == 36
        && WORD + 4 == offset_of!(UserState, pc)
        && WORD + 8 == offset_of!(UserState, status)
        && WORD + 12 == STACK
        && STACK + 4 == offset_of!(UserState, link)
);

/// The mode in which such threads run, and the bit of the state that says which instructions they
/// have.
const USER_MODE: usize = 0x10;
const THUMB: usize = 1 << 5;

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it resumes as one that was
/// interrupted before its first instruction.
pub fn prepare(context: &Context, start: &UserStart) {
    let state = of(context);
    let others = [&state.r12, &state.thread_word, &state.link];
    for register in state.r4_to_r11.iter().chain(others) {
        register.set(0);
    }
    let arguments = start.arguments.into_iter().chain([0; 2]);
    for (register, argument) in state.r0_to_r3.iter().zip(arguments) {
        register.set(argument);
    }
    let entry = start.entry.addr();
    state
        .resume_at
        .set(resume_interrupted as *const () as usize);
    state.partition.set(start.partition.expose_provenance());
    state.pc.set(entry & !1);
    state
        .status
        .set(USER_MODE | if entry & 1 == 0 { 0 } else { THUMB });
    state.stack_pointer.set(start.stack_top & !7);
    context
        .stack_pointer
        .set(ptr::from_ref(state).expose_provenance());
}
