//! Owns: what scheduling scripts need of a board with four processors.

use crate::system::{Board, PROCESSORS};
use taktos_workloads::orders::{Stage, StageBoard};

static STAGE: Stage<Board> = Stage::new();

impl StageBoard for Board {
    fn stage() -> &'static Stage<Self> {
        &STAGE
    }

    const PROCESSORS: usize = PROCESSORS;
}
