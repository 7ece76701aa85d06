//! Owns: what the experiments' workloads need of a board with four processors.

use crate::arguments::command_line;
use crate::system::Board;
use taktos_workloads::experiment::{ExperimentBoard, LONGEST_LINE};

impl ExperimentBoard for Board {
    fn command_line(buffer: &mut [u8; LONGEST_LINE]) -> &str {
        let length = command_line(buffer).unwrap_or(0);
        let line = buffer.get(..length).unwrap_or(&[]);
        core::str::from_utf8(line).unwrap_or("")
    }
}
