//! Owns: what is kept of a thread of a partition that does not run. Must never know: how it came to that.

use super::regions::Map;
use super::resume::return_to_user;
use crate::guard::Guard;
use core::cell::Cell;
use core::mem::offset_of;
use core::ptr;
use taktos_machine::{Context, UserStart};

/// What is saved of a thread. [`Context::stack_pointer`] leads to `r4`: so the paths of privileged threads treat it as one that gave way
/// in a call, and go on at `resume_at`.
#[repr(C, align(8))]
pub struct UserState {
    /// The switch moves the guard of the running thread by its control block's address: so there is room for one.
    guard: Guard,
    /// Where an interrupt above the kernel's level puts its frame that comes just then.
    frame: [Cell<usize>; 8],
    r4: Cell<usize>,
    r6: Cell<usize>,
    r7: Cell<usize>,
    resume_at: Cell<usize>,
    /// The frame that the processor stored with the thread's rights.
    stack_pointer: Cell<usize>,
    /// The kind of return; its lowest bit, which is always set, is clear of a thread that was interrupted: it gets no answer.
    exception_return: Cell<usize>,
    partition: Cell<usize>,
    r5: Cell<usize>,
    r8_to_r11: [Cell<usize>; 4],
    /// s16 to s31, where the kind of return says that there is floating-point state.
    float: [Cell<usize>; 16],
}

/// Where it lies behind the beginning of the control block.
pub const OFFSET: usize = (72_usize).next_multiple_of(align_of::<UserState>());

/// The same of what the stack pointer leads to.
pub const SAVED: usize = OFFSET + offset_of!(UserState, r4);

/// From there.
pub const PAIR: usize = offset_of!(UserState, r6) - offset_of!(UserState, r4);
/// Where to go on.
pub const RESUME_AT: usize = offset_of!(UserState, resume_at) - offset_of!(UserState, r4);
/// The stack pointer, and behind it the kind of return.
pub const STACK: usize = offset_of!(UserState, stack_pointer) - offset_of!(UserState, r4);
/// The partition.
pub const PARTITION: usize = offset_of!(UserState, partition) - offset_of!(UserState, r4);
/// r5, r8 to r11.
pub const REST: usize = offset_of!(UserState, r5) - offset_of!(UserState, r4);
/// The floating-point registers.
pub const FLOAT: usize = offset_of!(UserState, float) - offset_of!(UserState, r4);

/// To a thread, with the process stack and without floating-point state.
const TO_THREAD: usize = 0xFFFF_FFFD;
/// The same with such state, and how many bytes of it lie behind the frame.
const TO_THREAD_WITH_FLOAT: usize = 0xFFFF_FFED;
const FLOAT_FRAME: usize = 72;

impl UserState {
    /// That of a thread that was never started.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const NEW: Self = Self {
        guard: Guard::NEW,
        frame: [const { Cell::new(0) }; 8],
        r4: Cell::new(0),
        r6: Cell::new(0),
        r7: Cell::new(0),
        resume_at: Cell::new(0),
        stack_pointer: Cell::new(0),
        exception_return: Cell::new(0),
        partition: Cell::new(0),
        r5: Cell::new(0),
        r8_to_r11: [const { Cell::new(0) }; 4],
        float: [const { Cell::new(0) }; 16],
    };
}

fn of(context: &Context) -> &UserState {
    let place = ptr::from_ref(context).expose_provenance() + OFFSET;
    // SAFETY: by the law of `Isolation` a state lies there behind the control block of a thread of a partition, whose context this is; its
    // fields are cells, which the switch writes while the thread does not run, masked, as the caller is.
    unsafe { &*ptr::with_exposed_provenance(place) }
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
        // One that may use the unit always has state of it: so the switch sees by this alone that there is something to do.
        true => (size_of::<Frame>() + FLOAT_FRAME, TO_THREAD_WITH_FLOAT),
        false => (size_of::<Frame>(), TO_THREAD),
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
    // SAFETY: within the thread's stack, which is not in use, in memory that the kernel was told is the partition's.
    unsafe {
        ptr::with_exposed_provenance_mut::<u8>(place).write_bytes(0, room);
        ptr::with_exposed_provenance_mut::<Frame>(place).write(frame);
    }
    let registers = [&state.r4, &state.r5, &state.r6, &state.r7];
    for register in registers
        .into_iter()
        .chain(&state.r8_to_r11)
        .chain(&state.float)
    {
        register.set(0);
    }
    state.resume_at.set(return_to_user as *const () as usize);
    state.stack_pointer.set(place);
    state.exception_return.set(kind & !1);
    state.partition.set(start.partition.expose_provenance());
    context
        .stack_pointer
        .set(ptr::from_ref(&state.r4).expose_provenance());
}

/// [`Isolation::partition_of`](taktos_machine::Isolation::partition_of).
pub fn partition_of(context: &Context) -> *const () {
    ptr::with_exposed_provenance(of(context).partition.get())
}
