//! Owns: what a board gives the kernel. Must never know: which board.

use crate::Kernel;
use crate::sched::is_smp;
use crate::smp::Smp;
use taktos_machine::{Machine, Processor};

/// A board: a machine, the place of the kernel's state, a console and an end.
pub trait System: Sized + 'static {
    /// The processor.
    type Machine: Machine;
    /// The kernel's state: always the same.
    fn kernel() -> &'static Kernel<Self>;
    /// Returns the current thread and the heir: at the kernel's beginning, unless the machine has
    /// them.
    #[inline(always)]
    fn processor_of(kernel: &'static Kernel<Self>) -> &'static Processor {
        if is_smp::<Self>() {
            Self::Machine::processor()
        } else {
            kernel.processor()
        }
    }
    /// Returns the data of a kernel for several processors:
    /// [`SmpMemory::smp`](crate::SmpMemory::smp) of the board's. Called only if the machine has
    /// several processors.
    fn smp() -> &'static Smp<Self> {
        panic!(
            "the board has several processors and does not say where the kernel keeps what they need"
        )
    }
    /// Whether reports of faults are brief, for images in which each byte counts: a number of an
    /// interrupt is left out, and neither is it checked that the thread's control block is intact,
    /// nor that the report itself faults.
    const BRIEF_REPORTS: bool = false;
    /// Writes to the console. Bounded by the device; allowed everywhere.
    fn write(text: &str);
    /// Ends the program with a status (0: success). Allowed everywhere.
    fn exit(status: i32) -> !;
}
