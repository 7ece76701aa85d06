//! Owns: programs at EL0, in AArch64 and AArch32: how they begin, and how they come back by an exception.
//! Must never know: what they do.

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
    /// What its first register held.
    pub x0: u64,
}

/// Where to go on behind the user program, and how it came back.
struct Way(Cell<u64>, Cell<Came>);

// SAFETY: one processor, whose interrupts are masked while a user program runs.
unsafe impl Sync for Way {}

const NOT_YET: Came = Came {
    entry: 0,
    syndrome: 0,
    at: 0,
    x0: 0,
};
static WAY: Way = Way(Cell::new(0), Cell::new(NOT_YET));

/// A user program has come back: where its caller goes on.
pub fn came(came: Came) -> u64 {
    WAY.1.set(came);
    WAY.0.get()
}

/// Runs the program at `at`, in `state` (SPSR_EL1, with all interrupts masked) and with `x0`, until its first exception.
pub fn run(at: u64, state: u64, x0: u64) -> Came {
    // SAFETY: the program reaches no memory but what is mapped for it, and only the registers that are given up here; the handler comes
    // back behind the instruction.
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
