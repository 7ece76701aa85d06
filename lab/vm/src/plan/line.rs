//! Owns: the emulator's command line.
//! Must never know: the caller that starts the emulator.

use std::path::Path;

use super::{Loaded, Plan};

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

    /// Returns the whole line after `qemu-system-aarch64`: the machine with its console on the
    /// standard streams, the loaded files, the hypervisor. Its time is host time, unless the
    /// laboratory's clock adds arguments of its own.
    #[must_use]
    pub fn qemu_arguments(&self, loaded: &Loaded, hypervisor: &Path) -> Vec<String> {
        let mut arguments = self.machine_arguments();
        // Without signals: what interrupts at a terminal is a guest's.
        let console = [
            "-chardev",
            "stdio,id=console,signal=off",
            "-serial",
            "chardev:console",
        ];
        arguments.extend(console.map(str::to_owned));
        arguments.extend(loaded.arguments());
        arguments.extend(["-kernel".to_owned(), hypervisor.display().to_string()]);
        arguments
    }

    /// Returns how many processors the machine has.
    #[must_use]
    pub fn cpus(&self) -> usize {
        self.machine.cpus
    }
}
