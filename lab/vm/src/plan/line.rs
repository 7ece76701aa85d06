//! Owns: the emulator's command line.
//! Must never know: who starts it.

use std::path::Path;

use super::{Loaded, Plan};

/// What makes the emulator's own random numbers and its clock on the wall the same in each run.
pub const SAME: [&str; 4] = ["-seed", "1", "-rtc", "base=2026-01-01T00:00:00,clock=vm"];

/// How time passes in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// With the clock on the wall.
    Real,
    /// A nanosecond an instruction: the same in each run. For one processor; several need the
    /// laboratory's clock.
    Counted,
}

impl Plan {
    /// The machine: board, processors, memory; no console, no time.
    #[must_use]
    pub fn machine_arguments(&self) -> Vec<String> {
        let machine = &self.machine;
        let mut arguments: Vec<String> = [
            "-M",
            "virt,virtualization=on,gic-version=3",
            "-cpu",
            machine.processor.name(),
            "-smp",
        ]
        .map(str::to_owned)
        .into();
        arguments.push(machine.cpus.to_string());
        arguments.extend(["-m".to_owned(), format!("{}M", machine.memory >> 20)]);
        arguments.extend(["-nodefaults", "-display", "none"].map(str::to_owned));
        arguments.extend(machine.emulator.iter().cloned());
        arguments
    }

    /// The whole line behind `qemu-system-aarch64`: the machine with its console on the
    /// standard streams, what is loaded, the hypervisor.
    #[must_use]
    pub fn qemu_arguments(&self, loaded: &Loaded, hypervisor: &Path, time: Time) -> Vec<String> {
        let mut arguments = self.machine_arguments();
        // Without signals: what interrupts at a terminal is a guest's.
        let console = [
            "-chardev",
            "stdio,id=console,signal=off",
            "-serial",
            "chardev:console",
        ];
        arguments.extend(console.map(str::to_owned));
        if time == Time::Counted {
            arguments.extend(["-icount", "shift=0,sleep=off"].map(str::to_owned));
            arguments.extend(SAME.map(str::to_owned));
        }
        arguments.extend(loaded.arguments());
        arguments.extend(["-kernel".to_owned(), hypervisor.display().to_string()]);
        arguments
    }

    /// How many processors the machine has.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.machine.cpus
    }
}
