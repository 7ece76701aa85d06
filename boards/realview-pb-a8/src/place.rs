//! Owns: the board as the machine sees it: the addresses of memory and devices.

use crate::clock;
use core::ops::Range;
use taktos_arch_armv7_a::ArmV7A;
use taktos_kernel::{Duration, Instant};

/// The board, as the machine sees it.
pub struct Place;

/// The machine.
pub type Machine = ArmV7A<Place>;

impl Place {
    /// The address of the console, the first serial line.
    pub(crate) const CONSOLE: usize = 0x1000_9000;
}

impl taktos_arch_armv7_a::Board for Place {
    const DISTRIBUTOR: usize = 0x1E00_1000;
    const PROCESSOR_INTERFACE: usize = 0x1E00_0000;
    const MEMORY: Range<usize> = 0x7000_0000..0x7800_0000;
    const DEVICES: Range<usize> = 0x1000_0000..0x2000_0000;

    fn now() -> Instant {
        clock::now()
    }

    fn set_alarm(at: Option<Instant>) {
        clock::set_alarm(at);
    }

    fn set_slice(length: Option<Duration>) {
        clock::set_slice(length);
    }

    fn slice_left() -> usize {
        clock::slice_left()
    }

    fn begin_slice(left: usize) {
        clock::begin_slice(left);
    }
}
