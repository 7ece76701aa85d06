//! Runs of images at EL2, below the hypervisor's board: without the clock, for images that test
//! themselves.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::process::Process;
use crate::program::checked_version;
use crate::{Ended, Error, console};

const PROGRAM: &str = "qemu-system-aarch64";

/// QEMU's `virt` with processors that begin at EL2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct El2 {
    /// The processors' name for the emulator: `cortex-a53` or `cortex-a57`.
    pub processor: &'static str,
    /// How many there are, 1 to 4.
    pub processors: usize,
}

impl El2 {
    /// The name of its crate in `boards/`, and the triple that its images are compiled for.
    pub const BOARD: (&'static str, &'static str) =
        ("virt-aarch64-el2", "aarch64-unknown-none-softfloat");

    /// Runs an image until it ends the machine.
    ///
    /// # Errors
    /// When the emulator does not start, or is too old, or the time is over.
    pub fn run(self, image: &Path, time: Duration) -> Result<Ended, Error> {
        checked_version(Path::new(PROGRAM))?;
        let mut command = Command::new(PROGRAM);
        command
            .args(["-M", "virt,virtualization=on,gic-version=3"])
            .args(["-cpu", self.processor])
            .args(["-smp", &self.processors.to_string(), "-m", "1G"])
            .args(["-nodefaults", "-display", "none", "-serial", "stdio"])
            .arg("-kernel")
            .arg(image);
        console::listen(Process::unattended(command)?, time)
    }
}
