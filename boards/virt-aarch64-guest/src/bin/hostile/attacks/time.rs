//! Owns: attacks by taking time, by waiting, and by timers.

use super::Attack;
use crate::processor::{
    counter, mask, set_physical_timer, set_virtual_timer, unmask, wait_for_event,
    wait_for_interrupt,
};
use crate::vectors::set_timers_again;
use taktos_workloads::experiment::instructions;

/// What is computed between two looks at the clock, in instructions.
const COMPUTING: u64 = 1_000;
/// The longest wait, in ticks: 16 us.
const WAIT: u64 = 1_000;

pub fn busy(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        instructions(COMPUTING);
    }
}

/// Waits for its own timer, which is due a tick ahead, or some.
pub fn wait(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        let ahead = attack.chance.below(WAIT);
        set_virtual_timer(counter() + ahead);
        // What comes is only pending until the wait is over: it cannot be missed.
        wait_for_interrupt();
        unmask();
        mask();
    }
}

/// Waits while an interrupt is pending already and masked: there is nothing to wait for.
pub fn wait_with_interrupt_pending(attack: &mut Attack<'_>) {
    set_virtual_timer(0);
    while attack.goes_on() {
        wait_for_interrupt();
    }
}

pub fn wait_for_events(attack: &mut Attack<'_>) {
    while attack.goes_on() {
        wait_for_event();
    }
}

/// The timer is due whenever interrupts come through.
pub fn timer_in_the_past(attack: &mut Attack<'_>) {
    set_timers_again(None);
    set_virtual_timer(0);
    unmask();
    while attack.goes_on() {}
}

pub fn timer_a_tick_ahead(attack: &mut Attack<'_>) {
    set_timers_again(Some(1));
    unmask();
    while attack.goes_on() {
        set_virtual_timer(counter() + 1);
    }
}

/// The other timer, due and to be due, read and written all the time.
pub fn physical_timer(attack: &mut Attack<'_>) {
    set_timers_again(Some(1));
    unmask();
    while attack.goes_on() {
        let at = match attack.chance.below(4) {
            0 => 0,
            1 => u64::MAX,
            _ => counter() + attack.chance.below(WAIT),
        };
        set_physical_timer(at);
    }
}
