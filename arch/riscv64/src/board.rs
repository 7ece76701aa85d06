//! Owns: what a board brings to this machine.

use core::ops::Range;

/// Where the platform-level interrupt controller (PLIC) is, and by which of its contexts interrupts come to the processor in supervisor
/// mode.
#[cfg(not(feature = "smp"))]
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// The address of its registers: a page of 2 MiB begins there.
    pub address: usize,
    /// The context's number.
    pub context: usize,
}

/// A board with a 64-bit RISC-V processor that has the extensions Sstc and Sv39.
pub trait Board: 'static {
    /// The rate of the time counter; at most 1 GHz.
    const HERTZ: u64;
    /// The memory that the image lies in; whole pages of 2 MiB, at most 128 MiB.
    const MEMORY: Range<usize>;
    /// The devices' registers; whole pages of 2 MiB.
    const DEVICES: Range<usize>;
    /// The controller of devices' interrupts, if there is one.
    #[cfg(not(feature = "smp"))]
    const CONTROLLER: Option<Controller> = None;
    /// How many processors there are, one to sixty-four; they are numbered (`mhartid`) from 0 without a gap. The
    /// start-up code gives each a stack (`_max_hart_id`).
    #[cfg(feature = "smp")]
    const PROCESSORS: usize;
    /// The address of the words by which a processor is sent the supervisor's software interrupt (SETSSIP of the ACLINT).
    #[cfg(feature = "smp")]
    const CALLS: usize;
}
