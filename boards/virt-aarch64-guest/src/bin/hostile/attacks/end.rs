//! Owns: attacks that the program does not survive: it ends, restarts, sleeps or loops for ever.

use super::Attack;
use crate::processor::{Conduit, call, mask, stop_timers, wait_for_interrupt, write};
use crate::touch;
use taktos_workloads::experiment::instructions;
use virt_aarch64_guest::power;

/// CPU_OFF (PSCI).
const PROCESSOR_OFF: u64 = 0x8400_0002;
/// Nothing is there.
const NOWHERE: u64 = 0x3000_0000;

pub fn off(_: &mut Attack<'_>) {
    power::off()
}

pub fn reset(_: &mut Attack<'_>) {
    power::reset()
}

pub fn processor_off(_: &mut Attack<'_>) {
    call(Conduit::Hypervisor, [PROCESSOR_OFF, 0, 0, 0, 0, 0, 0, 0]);
}

pub fn sleep(_: &mut Attack<'_>) {
    mask();
    stop_timers();
    loop {
        wait_for_interrupt();
    }
}

pub fn hang(_: &mut Attack<'_>) {
    loop {
        instructions(1_000_000);
    }
}

/// Jumps to where nothing is; a program that survives does it again.
pub fn fault(_: &mut Attack<'_>) {
    touch::jump(NOWHERE);
}

/// Makes the vectors themselves impossible to fetch: each exception causes the next one.
pub fn fault_for_ever(_: &mut Attack<'_>) {
    write!("vbar_el1", NOWHERE);
    touch::jump(NOWHERE);
}

/// Moves the map that the program is fetched through to where nothing is.
pub fn lose_the_map(_: &mut Attack<'_>) {
    write!("ttbr0_el1", NOWHERE);
    crate::translation::forget();
}
