//! Protected user mode on Armv7-M and Armv8-M: threads without privilege, within regions of the
//! memory protection unit.
//!
//! Owns: their entry into the kernel and their way back, what is saved of them, their regions,
//! their faults. Must never know: what calls do, what handles name.
//!
//! A program has this by [`partitions!`](crate::partitions); the vectors of other programs lead
//! past it, and nothing of it is in their images. The state of a thread that does not run is stored
//! after its control block ([`state`]). All handlers' work is done on the handlers' stack. A call
//! arrives by `SVCall`, which is more urgent than the interrupts that may call the kernel: none of
//! these has come in between, so the heir is the thread that calls.
//!
//! The one thing that the kernel writes to a thread's own stack is the answer, into the exception
//! frame that the processor has just stored there with the thread's own rights; the frame's place
//! is kept here, where the thread cannot change it.

mod entry;
mod fault;
mod regions;
mod resume;
mod state;

use crate::machine::{Clock, CortexM};
pub use entry::taktos_isolated_call;
pub use fault::taktos_isolated_fault;
pub use regions::Map;
pub use resume::taktos_isolated_switch;
pub use state::UserState;
use taktos_machine::{Isolation, Region};

impl<C: Clock> Isolation for CortexM<C> {
    taktos_arch_common::isolation!(regions);
    const FLOAT: bool = cfg!(not(no_float));
    const PROGRAMS: Option<u16> = Some(40);

    fn isolate() {
        regions::enable_code();
        #[cfg(armv8m)]
        state::enable();
        fault::enable();
        entry::enable();
    }

    fn map(regions: &'static [Region], float: bool) -> Option<Map> {
        Map::of(regions, float)
    }

    /// The port enables no caches; what was fetched before is dropped (Armv7-M manual, A3.7.3).
    fn code_was_written(_base: usize, _size: usize) {
        cortex_m::asm::dsb();
        cortex_m::asm::isb();
    }
}

/// Gives a program partitions: the vectors through which its threads come, of `$interrupts`
/// interrupts, and the table of calls of the system `$system`, by the kernel `$kernel`. Used once,
/// in a program, through its board.
#[macro_export]
macro_rules! partitions {
    ($system:ty, $interrupts:expr, $kernel:path) => {
        $crate::common::wire_partitions!($system, $kernel);
        // Assembly is allowed in modules alone.
        mod taktos_partitions {
            $crate::isolated_vectors!($interrupts, $system);
        }
    };
}
