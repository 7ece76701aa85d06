//! Owns: what a board brings to this machine.

use core::ops::Range;

/// A board with an Armv8-A processor: where its interrupt controller and its memory are.
pub trait Board: 'static {
    /// The address of the interrupt controller's distributor (GIC version 3 or 4; 2 with the
    /// feature `gicv2`).
    const DISTRIBUTOR: usize;
    /// The address of the first redistributor.
    #[cfg(not(feature = "gicv2"))]
    const REDISTRIBUTORS: usize;
    /// The address of the processor interface.
    #[cfg(feature = "gicv2")]
    const PROCESSOR_INTERFACE: usize;
    /// The memory that contains the image; whole pages of 2 MiB, at most 128 MiB.
    const MEMORY: Range<usize>;
    /// The devices' registers; whole pages of 2 MiB.
    const DEVICES: Range<usize>;
    /// Memory that is shared with others, below [`Board::MEMORY`]: data, not executable; whole
    /// pages of 2 MiB.
    const SHARED: Range<usize> = 0..0;
    /// How many processors there are, one to sixteen; with a controller of version 2 to eight. The
    /// number of one is the lowest field of its affinity (`MPIDR_EL1`), of which the other
    /// fields are zero, and the place of its redistributor. More than one are for the feature
    /// `smp`.
    const PROCESSORS: usize = 1;
    /// How the processors after the first are started, if there are several.
    const OTHERS: Others = Others::ByHypervisor;
}

/// How the processors after the first are started.
#[derive(Clone, Copy)]
pub enum Others {
    /// By a call to the hypervisor at EL2 (PSCI): they begin at EL1.
    ByHypervisor,
    /// By a call to the firmware at EL3 (PSCI): they begin where the image does, by
    /// [`enter!`](crate::enter).
    ByFirmware,
    /// By a word for each in memory, at this address and 8 bytes apart. They wait for the word with
    /// an event; it is the address at which they continue. Or they begin with the first. Both by
    /// [`enter!`](crate::enter).
    ByTable(usize),
}
