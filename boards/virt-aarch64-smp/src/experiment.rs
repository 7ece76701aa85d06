//! Owns: what the experiments' workloads need of a board with four processors.

use crate::system::Board;
use taktos_workloads::experiment::ExperimentBoard;

impl ExperimentBoard for Board {}
