//! Owns: the board's counter of cycles, and what its counts rest on. Must never know: what is measured by it.

use crate::arch::cycles::{COUNTER, loads, read, start};
use crate::place::{CONDITIONS, NAME};
use taktos_workloads::counted::{Counted, Silicon};

impl Counted for crate::Board {
    const SILICON: Silicon = Silicon {
        board: NAME,
        counter: COUNTER,
        hertz: 0,
        conditions: CONDITIONS,
        start,
        read,
        loads,
        caches: None,
    };
}
