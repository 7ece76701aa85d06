//! Owns: attacks by taking time, by waiting, and by timers.

use super::{Attack, wrong};
use crate::chance::Chance;
use crate::processor::{
    counter, mask, read, set_physical_timer, set_virtual_timer, unmask, wait_for_event,
    wait_for_interrupt, write,
};
use crate::vectors::set_timers_again;
use taktos_workloads::experiment::instructions;

/// Number of instructions between two readings of the clock.
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
        // An interrupt that comes is only pending until the wait is over: it cannot be missed.
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
    for _ in 0..EDGES {
        edges(attack.chance);
    }
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

/// Number of edges to check before the attack, in which only interrupts run.
const EDGES: u64 = 64;

/// Returns a number at the edge of what 64 bits hold, or next to it.
fn edge(chance: &mut Chance) -> u64 {
    let beside = chance.below(3).wrapping_sub(1);
    match chance.below(4) {
        0 => beside,
        _ => (1u64 << chance.below(64)).wrapping_add(beside),
    }
}

/// Sets either timer to an edge, and checks its registers against the architecture (Arm DDI 0487,
/// D11.2): CVAL without a sign, TVAL as a difference of 32 bits with one.
macro_rules! check_edges {
    ($chance:expr, $name:literal, $cval:literal, $tval:literal, $ctl:literal) => {{
        let at = edge($chance);
        write!($cval, at);
        write!($ctl, 1);
        let before = counter();
        let (control, kept, left) = (read!($ctl), read!($cval), read!($tval) as u32);
        let after = counter();
        let due = |now: u64| u64::from(now >= at) << 2 | 1;
        let late = (at as u32).wrapping_sub(after as u32);
        let early = left.wrapping_sub(late);
        if kept != at
            || (control != due(before) && control != due(after))
            || u64::from(early) > after - before
        {
            wrong(format_args!(
                "timer={} at={at:#x} kept={kept:#x} control={control} left={left:#x}",
                $name
            ));
        }
        let ahead = edge($chance) as u32;
        let before = counter();
        write!($tval, ahead.into());
        let (kept, after) = (read!($cval), counter());
        let earliest = before.wrapping_add_signed((ahead as i32).into());
        if kept.wrapping_sub(earliest) > after - before {
            wrong(format_args!(
                "timer={} ahead={ahead:#x} at={kept:#x} now={before:#x}",
                $name
            ));
        }
        write!($ctl, 0);
    }};
}

fn edges(chance: &mut Chance) {
    check_edges!(
        chance,
        "physical",
        "cntp_cval_el0",
        "cntp_tval_el0",
        "cntp_ctl_el0"
    );
    check_edges!(
        chance,
        "virtual",
        "cntv_cval_el0",
        "cntv_tval_el0",
        "cntv_ctl_el0"
    );
}
