//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use taktos_arch_cortex_m::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: "mps3-an547",
        counter: COUNTER,
        hertz: 32_000_000,
        conditions: "clock=32MHz",
        start,
        read,
        loads,
        caches: None,
    };
}
