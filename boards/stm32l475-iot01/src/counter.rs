//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use taktos_arch_cortex_m::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: "stm32l475-iot01",
        counter: COUNTER,
        hertz: 80_000_000,
        conditions: "clock=80MHz flash-waits=4 prefetch=off",
        start,
        read,
        loads,
        caches: Some(crate::clock::set_caches),
    };
}
