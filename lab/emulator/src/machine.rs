//! Machines that are none of the boards: whatever the emulator can be, by the names that it has for
//! them.
//!
//! Owns: what is known of such a machine, which is its architecture and what the emulator calls it.
//! Must never know: what runs on it.

use std::ops::Range;

use object::{Architecture, Object};
use taktos_cycles::Cpu;

/// Where machines of RISC-V keep the code that jumps to the image: QEMU's mask ROM
/// (`hw/riscv/boot.c`).
const MASK_ROM: Range<u64> = 0x1000..0x1_0000;

/// A processor that the emulator does not have: it executes the same instructions as the Cortex-M0,
/// which runs in its place, in other cycles.
const M0_PLUS: &str = "cortex-m0plus";

/// A machine as the emulator names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Machine {
    kind: Kind,
    name: &'static str,
    cpu: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Microcontrollers: their images begin in T32.
    ArmM,
    /// Other processors of 32-bit Arm.
    ArmA,
    Aarch64,
    RiscV64,
}

impl Kind {
    fn of(image: &object::File<'_>) -> Option<Self> {
        // The lowest bit of an entry's address says T32.
        match image.architecture() {
            Architecture::Arm if image.entry() % 2 == 1 => Some(Self::ArmM),
            Architecture::Arm => Some(Self::ArmA),
            Architecture::Aarch64 => Some(Self::Aarch64),
            Architecture::Riscv64 => Some(Self::RiscV64),
            _ => None,
        }
    }
}

impl Machine {
    /// Creates a machine of the emulator for an image; `name` is the argument of `-M`, `cpu` that
    /// of `-cpu`. `None`: no emulator of the image's architecture has a clock here. The names live
    /// as long as the process, which has few.
    #[must_use]
    pub fn new(image: &object::File<'_>, name: &str, cpu: Option<&str>) -> Option<Self> {
        Some(Self::of(Kind::of(image)?, name, cpu))
    }

    fn of(kind: Kind, name: &str, cpu: Option<&str>) -> Self {
        let kept = |name: &str| -> &'static str { name.to_owned().leak() };
        Self {
            kind,
            name: kept(name),
            cpu: cpu.map(kept),
        }
    }

    /// Returns the emulator's name of the machine.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the processor's name, or that the machine chooses one: the emulator does not report
    /// the processor of a machine.
    pub(crate) fn cpu_name(self) -> &'static str {
        self.cpu.unwrap_or("processor of the machine's choice")
    }

    /// Returns the model of its processor: only of one that is named, because the emulator does not
    /// report its own choice.
    pub(crate) fn cpu(self) -> Option<Cpu> {
        match self.cpu? {
            "cortex-m0" => Some(Cpu::CortexM0),
            M0_PLUS => Some(Cpu::CortexM0Plus),
            "cortex-m3" => Some(Cpu::CortexM3),
            "cortex-m4" => Some(Cpu::CortexM4),
            "cortex-a8" => Some(Cpu::CortexA8),
            "cortex-a53" => Some(Cpu::CortexA53),
            "sifive-u54" => Some(Cpu::U54),
            _ => None,
        }
    }

    /// A target of its architecture: nothing is built for the machine itself.
    pub(crate) const fn triple(self) -> &'static str {
        match self.kind {
            Kind::ArmM => "thumbv7em-none-eabi",
            Kind::ArmA => "armv7a-none-eabi",
            Kind::Aarch64 => "aarch64-unknown-none-softfloat",
            Kind::RiscV64 => "riscv64imac-unknown-none-elf",
        }
    }

    pub(crate) const fn program(self) -> &'static str {
        match self.kind {
            Kind::ArmM | Kind::ArmA => "qemu-system-arm",
            Kind::Aarch64 => "qemu-system-aarch64",
            Kind::RiscV64 => "qemu-system-riscv64",
        }
    }

    /// Returns the processor of the table by which the clock distinguishes instructions: following
    /// a processor requires a table, if only that of a sister.
    pub(crate) fn told_by(self) -> Option<Cpu> {
        let sister = match self.kind {
            Kind::ArmM => Some(Cpu::CortexM4),
            Kind::ArmA => Some(Cpu::CortexA8),
            Kind::Aarch64 | Kind::RiscV64 => None,
        };
        self.cpu().or(sister)
    }

    /// Returns whether the clock follows its processor, in the emulator's own time.
    pub(crate) const fn is_followed(self) -> bool {
        matches!(self.kind, Kind::ArmM | Kind::ArmA)
    }

    /// Returns whether stores to devices may set timers: their addresses are not known.
    pub(crate) const fn has_timers_in_memory(self) -> bool {
        !self.is_followed()
    }

    pub(crate) const fn reset_code(self) -> Option<Range<u64>> {
        match self.kind {
            Kind::RiscV64 => Some(MASK_ROM),
            _ => None,
        }
    }

    /// The emulator's arguments for the machine, but for its time.
    pub(crate) fn arguments(self) -> Vec<&'static str> {
        let mut words = vec!["-M", self.name];
        let cpu = self
            .cpu
            .map(|cpu| if cpu == M0_PLUS { "cortex-m0" } else { cpu });
        words.extend(cpu.iter().flat_map(|cpu| ["-cpu", cpu]));
        if matches!(self.kind, Kind::RiscV64) {
            // The image is what runs first.
            words.extend(["-bios", "none"]);
        }
        words.extend([
            "-nodefaults",
            "-display",
            "none",
            "-serial",
            "stdio",
            "-monitor",
            "none",
            "-audio",
            "none",
            "-semihosting-config",
            "enable=on,target=native",
        ]);
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_what_the_emulator_is_told() {
        let arm = Machine::of(Kind::ArmM, "lm3s6965evb", Some("cortex-m3"));
        let told = ["-M", "lm3s6965evb", "-cpu", "cortex-m3"];
        assert_eq!(arm.arguments()[..4], told);
        let riscv = Machine::of(Kind::RiscV64, "virt", None);
        assert_eq!(riscv.arguments()[..4], ["-M", "virt", "-bios", "none"]);
    }

    #[test]
    fn cycles_are_those_of_a_processor_that_was_named() {
        for (cpu, model) in [
            (None, None),
            (Some("cortex-m33"), None),
            (Some("cortex-m0plus"), Some(Cpu::CortexM0Plus)),
            (Some("cortex-m3"), Some(Cpu::CortexM3)),
            (Some("cortex-m4"), Some(Cpu::CortexM4)),
        ] {
            let machine = Machine::of(Kind::ArmM, "mps2-an386", cpu);
            assert_eq!(machine.cpu(), model);
            // Its instructions are distinguished all the same.
            assert_eq!(machine.told_by(), model.or(Some(Cpu::CortexM4)));
        }
        assert_eq!(Machine::of(Kind::Aarch64, "virt", None).told_by(), None);
    }
}
