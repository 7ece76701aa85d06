//! Owns: the saved state of a thread that does not run, and the current thread of a processor.
//! Must never know: the rest of a thread.

use core::cell::Cell;
use core::ptr;

/// The machine's part of a thread control block, at its very beginning.
///
/// The layout is known to the machines' hand-written paths.
#[repr(C)]
pub struct Context {
    /// Where the saved registers are (a machine without real stacks keeps a number here).
    pub stack_pointer: Cell<usize>,
    /// The status that the thread is resumed with.
    pub status: Cell<usize>,
    /// The word that the thread is resumed with.
    pub value: Cell<usize>,
}

impl Context {
    /// The context of a thread that was never prepared.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const EMPTY: Self = Self {
        stack_pointer: Cell::new(0),
        status: Cell::new(0),
        value: Cell::new(0),
    };
}

/// The current thread of a processor, and the thread that should run on it.
///
/// Decisions write the heir; the machine makes the current thread follow.
/// On a board this is located at the symbol `TAKTOS_PROCESSOR`, where the laboratory watches it.
#[repr(C)]
pub struct Processor {
    /// The current thread: its registers are loaded. Written by the machine alone.
    pub current: Cell<*const Context>,
    /// The thread that should run.
    pub heir: Cell<*const Context>,
    /// The function that a switch calls if a time slice begins with it, where the port keeps it
    /// here; none while slices are off.
    pub at_switch: Cell<Option<SliceSwitch>>,
}

/// The function that a switch calls if a time slice begins with it: see
/// [`Upcalls::switch_slice`](crate::Upcalls::switch_slice).
pub type SliceSwitch =
    unsafe extern "C" fn(from: *const Context, to: *const Context, taker: *const Context);

impl Processor {
    /// A processor before its start.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "an initial value for statics"
    )]
    pub const EMPTY: Self = Self {
        current: Cell::new(ptr::null()),
        heir: Cell::new(ptr::null()),
        at_switch: Cell::new(None),
    };
}
