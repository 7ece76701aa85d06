//! Owns: the addresses of the devices that attacks use, of Arm's MPS2 (AN385, table 3-1).
//! Must never know: the attacks.

use crate::Board;
use taktos_workloads::user_mode::attack::AttackBoard;

impl AttackBoard for Board {
    /// A timer that no other code uses.
    const DEVICE: usize = 0x4000_1000;
    const CONSOLE: usize = 0x4000_4000;
    /// The dual timer.
    const SYSTEM: usize = 0x4000_2000;
}
