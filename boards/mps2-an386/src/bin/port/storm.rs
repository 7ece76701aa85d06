//! Owns: interrupts above the kernel's level, which come all the time wherever the processor is,
//! and the checks of them. Must never know: the timer that makes them come.

use crate::checks::{Timer, check};
use crate::{SHORTEST_PERIOD, timer};
use mps2_an386::Board;
use taktos_kernel::System;

pub use crate::timer::count;

/// The interrupt of this timer is the board's urgent one.
pub const TIMER: Option<Timer> = Some(Timer {
    number: 8,
    begin: || timer::start(SHORTEST_PERIOD),
    end,
    once: timer::start,
    stop: timer::stop,
});

/// Checks that these interrupts came everywhere; then they were not masked anywhere.
fn end() {
    timer::stop();
    check("the storm came", count() > 1000);
    check(
        "it came while the kernel masked",
        timer::while_masked() > 100,
    );
    check("it came in handlers", timer::in_a_handler() > 100);
    Board::write("interrupts above the kernel's level come everywhere\n");
}
