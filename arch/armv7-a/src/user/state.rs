//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to that.

use super::resume::resume_interrupted;
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

/// What is saved of a thread. [`Context::stack_pointer`] leads to its beginning, where the paths of privileged threads find the frame of
/// one that gave way in a call, and go on at `resume_at`: that is another place for one that was interrupted, to which all registers are
/// its own.
#[repr(C, align(8))]
pub struct UserState {
    r4_to_r11: [Cell<usize>; 8],
    r12: Cell<usize>,
    resume_at: Cell<usize>,
    partition: Cell<usize>,
    /// `TPIDRURW`, which a thread uses as it likes.
    thread_word: Cell<usize>,
    pc: Cell<usize>,
    /// The processor's state. What a thread can do to its own changes nothing of its rights.
    status: Cell<usize>,
    stack_pointer: Cell<usize>,
    link: Cell<usize>,
    r0_to_r3: [Cell<usize>; 4],
}

/// Where it lies behind the beginning of the control block.
pub const OFFSET: usize = 72;

/// The part that the switch stores: it finds the stack pointer behind it.
pub const STORED: usize = offset_of!(UserState, r12);
/// Where the thread's word lies; behind it the program counter and the state, as a return from an exception takes them.
pub const WORD: usize = offset_of!(UserState, thread_word);
/// Where the stack pointer lies, and behind it the link register.
pub const STACK: usize = offset_of!(UserState, stack_pointer);
/// Where r0 to r3 lie.
pub const REGISTERS: usize = offset_of!(UserState, r0_to_r3);
/// Where r12 lies.
pub const R12: usize = offset_of!(UserState, r12);
/// Where it is said by which way the thread goes on.
pub const RESUME_AT: usize = offset_of!(UserState, resume_at);
/// The end of the frame that the switch loads: the stack pointer leads there when a thread goes on.
pub const LOADED: usize = offset_of!(UserState, partition);

const _: () = assert!(
    STORED == 32
        && RESUME_AT == 36
        && WORD + 4 == offset_of!(UserState, pc)
        && WORD + 8 == offset_of!(UserState, status)
        && WORD + 12 == STACK
        && STACK + 4 == offset_of!(UserState, link)
);

/// The mode in which such threads run, and the bit of the state that says which instructions they have.
const USER_MODE: usize = 0x10;
const THUMB: usize = 1 << 5;

impl UserState {
    /// That of a thread that was never started.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        r4_to_r11: [const { Cell::new(0) }; 8],
        r12: Cell::new(0),
        resume_at: Cell::new(0),
        partition: Cell::new(0),
        thread_word: Cell::new(0),
        pc: Cell::new(0),
        status: Cell::new(0),
        stack_pointer: Cell::new(0),
        link: Cell::new(0),
        r0_to_r3: [const { Cell::new(0) }; 4],
    };
}

fn of(context: &Context) -> &UserState {
    let place = ptr::from_ref(context).expose_provenance() + OFFSET;
    // SAFETY: by the law of `Isolation` a state lies there behind the control block of a thread of a partition, whose context this is; its
    // fields are cells, which the switch writes while the thread does not run, masked, as the caller is.
    unsafe { &*ptr::with_exposed_provenance(place) }
}

/// [`Isolation::prepare_user`](taktos_machine::Isolation::prepare_user): it goes on as one that was interrupted before its first instruction.
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

/// [`Isolation::partition_of`](taktos_machine::Isolation::partition_of).
pub fn partition_of(context: &Context) -> *const () {
    ptr::with_exposed_provenance(of(context).partition.get())
}
