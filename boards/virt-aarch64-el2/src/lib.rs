//! The board that QEMU calls `virt` (`-M virt,virtualization=on,gic-version=3`), with up to four
//! Armv8-A processors at EL2: the hypervisor's.
//!
//! Owns: the first map, the report of panics.
//! Must never know: partitions.
#![no_std]
#![cfg(target_os = "none")]

mod fault;

use aarch64_rt::InitialPagetable;
use core::panic::PanicInfo;

/// The map that each processor uses until it has the hypervisor's own: devices in the first
/// gigabyte, memory in the second.
const FIRST_MAP: InitialPagetable = {
    const DEVICES: usize = 0x0040_0000_0000_0401;
    const MEMORY: usize = 0x4000_0000 | 0x0000_0000_0000_0701 | 1 << 2;
    let mut table = [0; 512];
    table[0] = DEVICES;
    table[1] = MEMORY;
    InitialPagetable(table)
};

aarch64_rt::initial_pagetable!(FIRST_MAP);

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    taktos_arch_aarch64_el2::panicked()
}
