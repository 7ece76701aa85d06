//! The rows of `boards.toml`, as `cargo xtask boards` writes them.

use super::{Board, Processor, Row};

/// Makes each row a constant of [`Board`].
macro_rules! rows {
    ($($(#[$about:meta])* $name:ident { $($field:ident: $value:expr,)* })*) => {
        impl Board {
            $($(#[$about])*
            pub const $name: Self = Self::Own(&Row { $($field: $value,)* ..Row::PLAIN });)*
        }
    };
}

/// Makes a list of them.
macro_rules! list {
    ($(#[$about:meta])* $list:ident $($name:ident,)*) => {
        impl Board {
            $(#[$about])*
            pub const $list: [Self; [$(Self::$name),*].len()] = [$(Self::$name),*];
        }
    };
}

rows! {
    // boards: rows
    /// Arm MPS2 with the AN386 image: one Cortex-M4 with floating point.
    MPS2_AN386 {
        name: "mps2-an386",
        processor: Processor::CortexM4,
        machine: &["-M", "mps2-an386", "-nographic", "-serial", "null"],
    }
    /// ST B-L475E-IOT01A: one Cortex-M4 with floating point in an STM32L475.
    STM32L475_IOT01 {
        name: "stm32l475-iot01",
        processor: Processor::CortexM4,
        machine: &["-M", "b-l475e-iot01a", "-nographic", "-serial", "stdio"],
        has_systick: true,
    }
    /// Olimex STM32-H405: one Cortex-M4 with floating point in an STM32F405.
    STM32F405 {
        name: "stm32f405",
        processor: Processor::CortexM4,
        machine: &["-M", "olimex-stm32-h405", "-nographic", "-serial", "stdio"],
        has_systick: true,
    }
    /// Arm MPS3 with the AN547 image: one Cortex-M55.
    MPS3_AN547 {
        name: "mps3-an547",
        processor: Processor::CortexM55,
        machine: &["-M", "mps3-an547", "-nographic", "-serial", "stdio"],
        has_systick: true,
    }
    /// Arm MPS2 with the AN385 image: one Cortex-M3, as any chip.
    MPS2_AN385 {
        name: "mps2-an385",
        package: "chip",
        processor: Processor::CortexM3,
        machine: &["-M", "mps2-an385", "-nographic", "-serial", "null"],
        has_systick: true,
    }
    /// A Cortex-M0 as any chip: that of the micro:bit, here with 1 MiB of flash and of RAM.
    CORTEX_M0 {
        name: "cortex-m0",
        package: "chip",
        processor: Processor::CortexM0,
        machine: &["-M", "microbit", "-global", "nrf51-soc.flash-size=1048576", "-global", "nrf51-soc.sram-size=1048576", "-nographic", "-serial", "null"],
        has_systick: true,
    }
    /// Arm MPS2 with the AN500 image: one Cortex-M7, as any chip.
    MPS2_AN500 {
        name: "mps2-an500",
        package: "chip",
        processor: Processor::CortexM7,
        machine: &["-M", "mps2-an500", "-nographic", "-serial", "null"],
        has_systick: true,
    }
    /// Arm MPS2 with the AN521 image: the first of two Cortex-M33, as any chip.
    MPS2_AN521 {
        name: "mps2-an521",
        package: "chip",
        processor: Processor::CortexM33,
        machine: &["-M", "mps2-an521", "-nographic", "-serial", "null"],
        has_systick: true,
    }
    /// Arm RealView Platform Baseboard: one Cortex-A8.
    REALVIEW_PB_A8 {
        name: "realview-pb-a8",
        processor: Processor::CortexA8,
        machine: &["-M", "realview-pb-a8", "-cpu", "cortex-a8", "-m", "128M", "-nographic", "-serial", "stdio", "-audio", "driver=none"],
    }
    /// QEMU's `virt` with Armv8-A processors (Cortex-A53) and a GICv3.
    VIRT_AARCH64 {
        name: "virt-aarch64",
        several: Some("virt-aarch64-smp"),
        processor: Processor::CortexA53,
        machine: &["-M", "virt,gic-version=3", "-cpu", "cortex-a53"],
    }
    /// QEMU's `virt` as above, with processors that begin at EL2: the hypervisor's.
    VIRT_AARCH64_EL2 {
        name: "virt-aarch64-el2",
        processor: Processor::CortexA53,
        machine: &["-M", "virt,virtualization=on,gic-version=3", "-cpu", "cortex-a53"],
    }
    /// QEMU's `virt` with 64-bit RISC-V processors and an ACLINT, started without firmware.
    VIRT_RISCV64 {
        name: "virt-riscv64",
        several: Some("virt-riscv64-smp"),
        processor: Processor::U54,
        machine: &["-M", "virt,aclint=on", "-bios", "none"],
    }
    /// NXP's i.MX 8M Plus EVK: Cortex-A53 and a GICv3, which begin at EL3.
    IMX8MP_EVK {
        name: "imx8mp-evk",
        several: Some("imx8mp-evk-smp"),
        processor: Processor::CortexA53,
        machine: &["-M", "imx8mp-evk", "-global", "cortex-a53-arm-cpu.has_el3=off", "-serial", "null"],
        is_chip: true,
    }
    /// AMD's ZCU102: Cortex-A53 and a GICv2, which begin at EL2.
    ZCU102 {
        name: "zcu102",
        several: Some("zcu102-smp"),
        processor: Processor::CortexA53,
        machine: &["-M", "xlnx-zcu102,virtualization=on", "-audio", "none"],
        is_chip: true,
    }
    /// Raspberry Pi 4: Cortex-A72 and a GICv2, which begin at EL2.
    RASPBERRY_PI_4 {
        name: "raspberry-pi-4",
        several: Some("raspberry-pi-4-smp"),
        processor: Processor::CortexA72,
        machine: &["-M", "raspi4b", "-global", "cortex-a72-arm-cpu.has_el3=off", "-audio", "none"],
        memory: "2G",
        least_processors: 4,
        is_chip: true,
    }
    /// SiFive's HiFive Unleashed: U54 after a monitor core, and a CLINT, started without firmware.
    HIFIVE_UNLEASHED {
        name: "hifive-unleashed",
        several: Some("hifive-unleashed-smp"),
        processor: Processor::U54,
        machine: &["-M", "sifive_u", "-bios", "none"],
        resting_processors: 1,
        is_chip: true,
        has_timers_in_memory: true,
    }
    // boards: end
}

list! {
    /// Every board with a crate of its own that the kernel runs on.
    ALL
    // boards: kernels
    MPS2_AN386,
    STM32L475_IOT01,
    STM32F405,
    MPS3_AN547,
    REALVIEW_PB_A8,
    VIRT_AARCH64,
    VIRT_RISCV64,
    IMX8MP_EVK,
    ZCU102,
    RASPBERRY_PI_4,
    HIFIVE_UNLEASHED,
    // boards: end
}

list! {
    /// Machines on which programs for any chip are tested: nothing of theirs is known but what a
    /// program for a chip says.
    AS_CHIPS
    // boards: chips
    MPS2_AN385,
    CORTEX_M0,
    MPS2_AN500,
    MPS2_AN521,
    // boards: end
}
