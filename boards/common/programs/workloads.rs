//! Owns: what the project's own programs ask of any board: its spare interrupt, and the words of its command line.
//! Must never know: the board. Other boards take this file as it is.

use crate::{Board, interrupt};
use semihosting::sys::arm_compat::sys_get_cmdline_uninit;
use taktos_workloads::command_line::{CommandLine, Line};
use taktos_workloads::spare::SpareInterrupt;

impl SpareInterrupt for Board {
    fn enable_interrupt() {
        interrupt::enable();
    }

    fn pend_interrupt() {
        interrupt::pend();
    }
}

impl CommandLine for Board {
    fn command_line(buffer: &mut Line) -> &str {
        let line = sys_get_cmdline_uninit(buffer).unwrap_or_default();
        core::str::from_utf8(line).unwrap_or_default()
    }
}
