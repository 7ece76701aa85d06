//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use taktos_arch_cortex_m::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: "stm32f405",
        counter: COUNTER,
        hertz: 168_000_000,
        conditions: "clock=168MHz flash-waits=5 prefetch=with-caches",
        start,
        read,
        loads,
        caches: Some(crate::clock::set_caches),
    };
}
