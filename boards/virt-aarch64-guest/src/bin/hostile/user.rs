//! Owns: programs at EL0, in AArch64 and AArch32: their beginning, and their return by an
//! exception. Must never know: their operations.

use core::arch::asm;
use core::cell::Cell;

/// How a user program came back.
#[derive(Clone, Copy)]
pub struct Came {
    /// The number of the vector table's entry.
    pub entry: u64,
    /// ESR_EL1.
    pub syndrome: u64,
    /// ELR_EL1.
    pub at: u64,
    /// Value of the program's first register.
    pub x0: u64,
}

/// Address at which to continue after the user program, and how the program came back.
struct Way(Cell<u64>, Cell<Came>);

// SAFETY: one processor, and its interrupts are masked while a user program runs.
unsafe impl Sync for Way {}

const NOT_YET: Came = Came {
    entry: 0,
    syndrome: 0,
    at: 0,
    x0: 0,
};
static WAY: Way = Way(Cell::new(0), Cell::new(NOT_YET));

/// Notes how a user program came back. Returns the address at which its caller continues.
pub fn came(came: Came) -> u64 {
    WAY.1.set(came);
    WAY.0.get()
}

/// Runs the program at `at`, in `state` (SPSR_EL1, with all interrupts masked) and with `x0`, until
/// its first exception.
pub fn run(at: u64, state: u64, x0: u64) -> Came {
    // SAFETY: the program reaches no memory but the part that is mapped for it, and only the
    // registers that are given up here; the handler comes back after the instruction.
    unsafe {
        asm!(
            "adr x9, 2f",
            "str x9, [x10]",
            "msr elr_el1, x11",
            "msr spsr_el1, x12",
            "isb",
            "eret",
            "2:",
            in("x10") WAY.0.as_ptr(),
            in("x11") at,
            in("x12") state,
            inout("x0") x0 => _,
            clobber_abi("C"),
        );
    }
    WAY.1.get()
}
