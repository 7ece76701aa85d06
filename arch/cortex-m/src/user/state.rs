//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to
//! that.

use super::regions::Map;
use super::resume::return_to_user;
use crate::guard::Guard;
#[cfg(armv8m)]
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

taktos_arch_common::saved_state! {
    (72_usize).next_multiple_of(align_of::<UserState>());
    /// Saved state of a thread. [`Context::stack_pointer`] leads to `r4`: so the paths of
    /// privileged threads treat the thread as one that switched away in a call, and continue at
    /// `resume_at`.
    #[repr(C, align(8))]
    pub struct UserState {
        /// The switch moves the guard of the running thread by its control block's address: so
        /// there is room for one.
        guard[size_of::<Guard>() / size_of::<usize>()],
        /// Space for the processor's frame of an interrupt above the kernel's level that comes when
        /// the stack pointer leads here already and nothing was taken yet. With the four words
        /// after it, it is the space for the frame of the call in [`return_to_user`], or of an
        /// interrupt just before that.
        frame[8],
        /// Words that the paths of privileged threads take for r4, r6 and r7.
        taken[3],
        resume_at,
        /// The frame that the processor stored with the thread's rights.
        stack_pointer,
        /// The kind of return; [`GETS_ANSWER`], which is always set there, is clear of a thread
        /// that was interrupted.
        exception_return,
        partition,
        /// The lowest address of the stack, below which the processor lets its pointer not come, if
        /// it knows of limits.
        limit,
        r4_to_r11[8],
        /// s16 to s31, where the kind of return says that there is floating-point state.
        float[16],
    }
}

/// Offset of the place that the stack pointer leads to, from the beginning of the control block.
pub const SAVED: usize = OFFSET + offset_of!(UserState, taken);

/// From there: the address to resume at.
pub const RESUME_AT: usize = offset_of!(UserState, resume_at) - offset_of!(UserState, taken);
/// The stack pointer; the kind of return follows it.
pub const STACK: usize = offset_of!(UserState, stack_pointer) - offset_of!(UserState, taken);
/// The partition.
pub const PARTITION: usize = offset_of!(UserState, partition) - offset_of!(UserState, taken);
/// The lowest address of the stack.
pub const LIMIT: usize = offset_of!(UserState, limit) - offset_of!(UserState, taken);
/// r4 to r11.
pub const REGISTERS: usize = offset_of!(UserState, r4_to_r11) - offset_of!(UserState, taken);
/// r6 and r7 of them.
pub const PAIR: usize = REGISTERS + 2 * size_of::<usize>();
/// The floating-point registers.
pub const FLOAT: usize = offset_of!(UserState, float) - offset_of!(UserState, taken);

// A frame ends at the stack pointer, before the paths of privileged threads take the words there,
// or after that. On Armv8-M the first one begins at the limit that they set.
const _: () = assert!(
    offset_of!(UserState, taken) - offset_of!(UserState, frame) == size_of::<Frame>()
        && (OFFSET + offset_of!(UserState, taken)).is_multiple_of(8)
        && (OFFSET + offset_of!(UserState, stack_pointer)).is_multiple_of(8)
);
#[cfg(armv8m)]
const _: () = assert!(OFFSET + offset_of!(UserState, frame) == crate::guard::GUARD);

/// The bit of a kind of return by which it is known whether the thread gets an answer: set in all
/// kinds that there are.
pub const GETS_ANSWER: usize = 1 << 7;
/// The bit that is clear if there is floating-point state, and the number of bytes of that state
/// after the frame.
pub const WITHOUT_FLOAT: usize = 1 << 4;
pub const FLOAT_FRAME: usize = 72;

/// The return to a thread, with the process stack and without floating-point state (Armv7-M manual,
/// B1.5.8).
#[cfg(not(armv8m))]
fn to_thread() -> usize {
    0xFFFF_FFFD
}

/// Returns the kind of return to a thread, with the process stack and without floating-point state.
#[cfg(armv8m)]
fn to_thread() -> usize {
    TO_THREAD.0.get()
}

/// Kind of return to a thread, in the security state that the port runs in.
#[cfg(armv8m)]
pub static TO_THREAD: Kind = Kind(Cell::new(0));

/// A kind of return.
#[cfg(armv8m)]
#[repr(transparent)]
pub struct Kind(Cell<usize>);

// SAFETY: written before the first thread of a partition, and always alike.
#[cfg(armv8m)]
unsafe impl Sync for Kind {}

/// Finds out which security state that is (Armv8-M manual, B3.18: the bits S and ES say so): the
/// registers by which the secure one reaches those of the other one are there in no other.
#[cfg(armv8m)]
pub fn enable() {
    const OF_OTHER_STATE: usize = 0xE002_ED00;
    const SECURE: usize = 1 << 6 | 1;
    // SAFETY: an identity register, which reads as zero where it is not there.
    let identity = unsafe { ptr::with_exposed_provenance::<u32>(OF_OTHER_STATE).read_volatile() };
    TO_THREAD.0.set(match identity {
        0 => 0xFFFF_FFFD & !SECURE,
        _ => 0xFFFF_FFFD,
    });
}

/// The exception frame, as the processor stores and loads it.
#[repr(C)]
pub struct Frame {
    pub r0_to_r3: [usize; 4],
    pub r12: usize,
    pub lr: usize,
    pub pc: usize,
    pub status: usize,
}

/// The bit of the status that says which instruction set is executed; there is but one.
const THUMB: usize = 1 << 24;

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user).
pub fn prepare(context: &Context, start: &UserStart) {
    let state = of(context);
    let float = Map::of_partition(start.partition).has_float();
    let (room, kind) = match float {
        // One that may use the unit always has state of it: so the switch sees by this alone that
        // there is something to do.
        true => (
            size_of::<Frame>() + FLOAT_FRAME,
            to_thread() & !WITHOUT_FLOAT,
        ),
        false => (size_of::<Frame>(), to_thread()),
    };
    let place = (start.stack_top & !7) - room;
    let [first, second] = start.arguments;
    let frame = Frame {
        r0_to_r3: [first, second, 0, 0],
        r12: 0,
        // The entry does not return; if it did, it would be to where nothing is.
        lr: 0,
        pc: start.entry.addr() & !1,
        status: THUMB,
    };
    // SAFETY: within the thread's stack, which is not in use, in memory that is the partition's by
    // the kernel's call.
    unsafe {
        ptr::with_exposed_provenance_mut::<u8>(place).write_bytes(0, room);
        ptr::with_exposed_provenance_mut::<Frame>(place).write(frame);
    }
    for register in state.r4_to_r11.iter().chain(&state.float) {
        register.set(0);
    }
    state.resume_at.set(return_to_user as *const () as usize);
    state.stack_pointer.set(place);
    state.exception_return.set(kind & !GETS_ANSWER);
    state.limit.set(start.stack_base);
    state.partition.set(start.partition.expose_provenance());
    context
        .stack_pointer
        .set(ptr::from_ref(&state.taken).expose_provenance());
}
