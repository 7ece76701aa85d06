//! Owns: where a board has the devices that attacks from partitions are about, where the vectors are the machine's own.
//! Must never know: the attacks.

use crate::{Board, Place, SPARE};
use taktos_workloads::user_mode::attack::AttackBoard;

impl AttackBoard for Board {
    const DEVICE: usize = SPARE;
    const CONSOLE: usize = Place::CONSOLE;
    #[cfg(not(target_arch = "riscv64"))]
    const SYSTEM: usize = <Place as crate::arch::Board>::DISTRIBUTOR;
    /// It lies here on all of these boards.
    #[cfg(target_arch = "riscv64")]
    const SYSTEM: usize = 0x0C00_0000;
}
