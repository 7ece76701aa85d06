//! Owns: what the storm over the kernel needs of a board with four processors.

use crate::system::Board;
use taktos_workloads::storm::{StormBoard, StormObjects};

static OBJECTS: StormObjects<Board> = StormObjects::new();

impl StormBoard for Board {
    fn storm() -> &'static StormObjects<Self> {
        &OBJECTS
    }
}
