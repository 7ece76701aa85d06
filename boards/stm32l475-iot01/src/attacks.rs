//! Owns: the addresses of the devices that attacks use (RM0351, 2.2). Must never know: the attacks.

use crate::Board;
use taktos_workloads::user_mode::attack::AttackBoard;

impl AttackBoard for Board {
    /// The basic timers 6 and 7 and the devices after them.
    const DEVICE: usize = 0x4000_1000;
    /// The second serial port.
    const CONSOLE: usize = 0x4000_4400;
    /// The general-purpose timer 2.
    const SYSTEM: usize = 0x4000_0000;
}
