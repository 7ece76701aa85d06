//! Owns: what the program of faults needs of this board.

use crate::system::Board;
use taktos_kernel::{AnyThread, Error};
use taktos_workloads::faults::{FaultBoard, Paged, place_as_told};

impl FaultBoard for Board {
    type Instructions = Paged;

    /// Compiled for the program of faults alone: what the kernel compiles for it here, it would not compile anew for the programs
    /// that are measured.
    #[inline]
    fn place(thread: &'static AnyThread<Self>) -> Result<(), Error> {
        place_as_told(thread)
    }
}
