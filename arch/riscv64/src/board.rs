//! Owns: what a board brings to this machine.

use core::ops::Range;

/// Where the platform-level interrupt controller (PLIC) is, and by which of its contexts interrupts
/// come to the processor in supervisor mode.
#[derive(Clone, Copy, Debug)]
pub struct Controller {
    /// The address of its registers: a page of 2 MiB begins there.
    pub address: usize,
    /// The context's number.
    pub context: usize,
}

/// A board with 64-bit RISC-V processors that have the extension Sv39, and Sstc where they are no
/// U54-MC (the feature `u54-mc`).
pub trait Board: 'static {
    /// The rate of the time counter; at most 1 GHz.
    const HERTZ: u64;
    /// The memory that contains the image; whole pages of 2 MiB, at most 128 MiB.
    const MEMORY: Range<usize>;
    /// The devices' registers; whole pages of 2 MiB.
    const DEVICES: Range<usize>;
    /// The controller of devices' interrupts, if there is one; for one processor.
    const CONTROLLER: Option<Controller> = None;
    /// How many processors there are, one to sixty-four; they are numbered (`mhartid`) from 0
    /// without a gap, those of a U54-MC from 1. The start-up code gives each a stack
    /// (`_max_hart_id`). More than one are for the feature `smp`.
    const PROCESSORS: usize = 1;
    /// The address of the words by which a processor is sent the supervisor's software interrupt
    /// (SETSSIP of the ACLINT, or MSIP of the CLINT from that of hart 1 on), where there are
    /// several.
    const CALLS: usize = 0;
}
