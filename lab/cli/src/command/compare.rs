//! `taktos run TASKSET`: the same tasks on the kernel and in the simulator.

use std::path::Path;

use anyhow::Result;

use crate::arguments::{RunOptions, SizeOptions};
use crate::workspace::Workspace;

pub(super) fn run(
    _workspace: &Workspace,
    _file: &Path,
    _options: &RunOptions,
    _size: &SizeOptions,
) -> Result<()> {
    Ok(())
}
