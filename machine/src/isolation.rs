//! Owns: the requirements of a kernel with partitions on a processor that keeps threads out of each
//! other's memory. Must never know: partitions' objects, rights, calls.

use crate::{Cause, Context, Machine};

/// The access that the threads of a partition have to a region of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Reads.
    Read,
    /// Reads and writes.
    Write,
    /// Reads and writes of a device's registers.
    Device,
    /// Reads, and execution of what the kernel has written there: [`Isolation::PROGRAMS`].
    Execute,
}

impl Access {
    /// Whether writes are among it.
    #[must_use]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Device)
    }
}

/// A region of memory.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Its lowest address.
    pub base: *const u8,
    /// How many bytes it has.
    pub size: usize,
    /// The access that is allowed to it.
    pub access: Access,
}

/// The constraints of the protection hardware on regions.
#[derive(Clone, Copy, Debug)]
pub struct RegionRules {
    /// How many a partition can have.
    pub most: usize,
    /// The smallest, in bytes: a power of two.
    pub smallest: usize,
    /// Whether sizes are powers of two, and regions lie at multiples of their sizes; else both are
    /// multiples of the smallest.
    pub powers_of_two: bool,
}

/// How a thread of a partition begins.
#[derive(Clone, Copy, Debug)]
pub struct UserStart {
    /// The partition, which begins with its [`Isolation::Map`], the address of its table of handles
    /// and their number, a word that is 0 while no fault is unreported, and the place for the
    /// registers of such a one. Only the handler of a fault writes to that place while the word is
    /// 0.
    pub partition: *const (),
    /// The lowest address of its stack, a multiple of 8.
    pub stack_base: usize,
    /// The end of its stack.
    pub stack_top: usize,
    /// The function that it runs, which has the C convention and ends by a call of the kernel.
    pub entry: *const (),
    /// The arguments of that function.
    pub arguments: [usize; 2],
}

/// How many registers a [`UserFault`] contains: of processors of 32 bits 16 and the status, of
/// those of 64 bits 31, the stack pointer, the program counter and the status.
pub const FAULT_REGISTERS: usize = if size_of::<usize>() == 8 { 34 } else { 17 };

/// A fault of a thread of a partition.
#[derive(Clone, Copy, Debug)]
pub struct UserFault {
    /// The cause of the fault.
    pub cause: Cause,
    /// The address concerned, where the processor knows it.
    pub address: Option<usize>,
    /// The registers, in the order of the architecture's numbers, and then the status register;
    /// zero if the processor could not store them.
    pub registers: [usize; FAULT_REGISTERS],
}

/// The report of a fault's handler to the kernel: a [`UserFault`] with registers that stay where
/// the handler has stored them.
#[derive(Clone, Copy, Debug)]
pub struct RaisedFault<'a> {
    /// [`UserFault::cause`].
    pub cause: Cause,
    /// [`UserFault::address`].
    pub address: Option<usize>,
    /// [`UserFault::registers`]; none where the handler has put them into the place that the
    /// partition has for them.
    pub registers: Option<&'a [usize; FAULT_REGISTERS]>,
}

/// A machine that runs threads without privilege, each within the regions of its partition.
/// A machine that runs threads without privilege, each within the regions of its partition.
///
/// Its part of such a thread's control block, [`Isolation::UserState`], is located
/// [`Isolation::USER_STATE_OFFSET`] bytes after the block's beginning; [`Context::stack_pointer`]
/// points there.
pub trait Isolation: Machine {
    /// The constraints on regions.
    const RULES: RegionRules;
    /// A partition's regions as the hardware takes them.
    type Map: Copy + 'static;
    /// That of a partition without regions.
    const MAP: Self::Map;
    /// The saved state of a thread that does not run, in memory of the kernel: no part of it is on
    /// the thread's stack.
    type UserState: 'static;
    /// That of a thread that was never started.
    const USER_STATE: Self::UserState;
    /// The offset of the [`Isolation::UserState`] from the beginning of a control block, if it has
    /// a size.
    const USER_STATE_OFFSET: usize;
    /// Whether threads of partitions can be allowed to use the floating-point unit.
    const FLOAT: bool;
    /// The architecture's number in executables (ELF, `e_machine`), where partitions can have
    /// regions to execute.
    const PROGRAMS: Option<u16> = None;

    /// Switches isolation on. May be called again. Called in a thread, before one of a partition is
    /// started.
    fn isolate();
    /// Returns the map of `regions`, which keep the rules and are a static's; `float` says whether
    /// the floating-point unit may be used. None if there is no space for one more, or nothing is
    /// located where a region is. Called in a thread, unmasked.
    fn map(regions: &'static [Region], float: bool) -> Option<Self::Map>;
    /// Makes `context`, that of a thread of a partition, one that begins as `start` says, in memory
    /// that is the partition's.
    fn prepare_user(context: &Context, start: &UserStart);
    /// Returns the partition of the thread of `context`, which [`Isolation::prepare_user`]
    /// received.
    fn partition_of(context: &Context) -> *const ();
    /// Makes all processors execute what was written to the `size` bytes at `base`, a region to
    /// execute, before a thread with this region continues. Called in a thread in no partition,
    /// unmasked, if [`Isolation::PROGRAMS`] says that there are such regions.
    fn code_was_written(_base: usize, _size: usize) {}
    /// Does `work`, which may write what the partition of the thread that runs may only read.
    /// Called inside a call of such a thread, or in an interrupt handler.
    #[inline(always)]
    fn with_writes<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
}
