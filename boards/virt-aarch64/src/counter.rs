//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use taktos_arch_aarch64::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: "virt-aarch64",
        counter: COUNTER,
        hertz: 0,
        conditions: "machine=qemu",
        start,
        read,
        loads,
        caches: None,
    };
}
