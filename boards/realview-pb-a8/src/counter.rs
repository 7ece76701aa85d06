//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use taktos_arch_armv7_a::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: "realview-pb-a8",
        counter: COUNTER,
        hertz: 0,
        conditions: "clock=unknown",
        start,
        read,
        loads,
        caches: None,
    };
}
