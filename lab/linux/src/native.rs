//! Owns: the emulator's arguments for Linux on the bare machine: the row that every hypervisor is
//! compared with.
//! Must never know: the caller that starts the emulator.

use crate::job::{Job, command_line};
use crate::setup::{Kernel, Linux};

/// The machine that all compared systems run on: the board with EL2, one instruction a nanosecond.
/// The emulator's random numbers (the seed in the device tree among them) and the real-time clock
/// are the same in every run: equal jobs give equal bytes.
const MACHINE: &[&str] = &[
    "-M",
    "virt,virtualization=on,gic-version=3",
    "-icount",
    "shift=0,sleep=off",
    "-seed",
    "1",
    "-rtc",
    "base=2026-01-01T00:00:00,clock=vm",
    "-nodefaults",
    "-display",
    "none",
    "-serial",
    "stdio",
];

/// Arguments of `qemu-system-aarch64` for `kernel` with `cpus` processors of the kind `cpu` and 1
/// GiB, doing `job`.
#[must_use]
pub fn native(linux: &Linux, kernel: Kernel, (cpu, cpus): (&str, u8), job: &Job) -> Vec<String> {
    let mut arguments: Vec<String> = MACHINE.iter().map(|word| (*word).to_owned()).collect();
    let mut add = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
    add("-cpu", cpu.to_owned());
    add("-smp", cpus.to_string());
    add("-m", "1G".to_owned());
    add("-kernel", linux.image(kernel).display().to_string());
    add("-initrd", linux.initramfs().display().to_string());
    add("-append", command_line(job));
    arguments
}
