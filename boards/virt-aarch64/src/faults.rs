//! Owns: what the program of faults needs of this board.

use crate::system::Board;
use taktos_workloads::faults::{FaultBoard, Paged};

impl FaultBoard for Board {
    type Instructions = Paged;
}
