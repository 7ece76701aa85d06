//! Owns: where devices of an STM32L4 or STM32F4 are that attacks are about (RM0351, 2.2; RM0090, 2.3).
//! Must never know: the attacks.

use crate::Board;
use taktos_workloads::user_mode::attack::AttackBoard;

impl AttackBoard for Board {
    /// The basic timers 6 and 7 and what lies behind them.
    const DEVICE: usize = 0x4000_1000;
    /// The second serial port.
    const CONSOLE: usize = 0x4000_4400;
    /// The general-purpose timer 2.
    const SYSTEM: usize = 0x4000_0000;
}
