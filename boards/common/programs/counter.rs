//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use crate::arch::cycles::{COUNTER, loads, read, start};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = {
        let (hertz, conditions, caches) = crate::COUNTED;
        Silicon {
            board: env!("TAKTOS_BOARD"),
            counter: COUNTER,
            hertz,
            conditions,
            start,
            read,
            loads,
            caches,
        }
    };
}
