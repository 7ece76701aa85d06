//! Owns: the first timer of an nRF51 (reference manual, chapter 18), of which an interrupt comes
//! once, at the kernel's level: there is none above it. Must never know: its handler.

use crate::checks::Timer;
use core::ptr::{with_exposed_provenance_mut, write_volatile};

const BASE: usize = 0x4000_8000;
const START: usize = 0x000;
const STOP: usize = 0x004;
const CLEAR: usize = 0x00C;
const COMPARED: usize = 0x140;
const SHORTCUTS: usize = 0x200;
const INTERRUPTS: usize = 0x304;
const BITS: usize = 0x508;
const PRESCALER: usize = 0x510;
const COMPARE: usize = 0x540;
/// The event of the first compare register: as an interrupt, and one that stops the timer.
const INTERRUPT: u32 = 1 << 16;
const STOPS: u32 = 1 << 8;
const OF_32: u32 = 3;

/// The interrupt's number.
pub const NUMBER: u16 = 8;

/// The timer, of 16 MHz; it is told ticks of 25 MHz, as others have.
pub const TIMER: Option<Timer> = Some(Timer {
    number: NUMBER,
    begin: || (),
    end: || (),
    once,
    stop,
});

fn write(register: usize, value: u32) {
    // SAFETY: registers of the timer that the board leaves to the program.
    unsafe { write_volatile(with_exposed_provenance_mut(BASE + register), value) }
}

fn once(ticks: u32) {
    write(BITS, OF_32);
    write(PRESCALER, 0);
    write(SHORTCUTS, STOPS);
    write(COMPARE, ticks * 16 / 25);
    write(INTERRUPTS, INTERRUPT);
    write(CLEAR, 1);
    write(START, 1);
}

fn stop() {
    write(STOP, 1);
    write(COMPARED, 0);
}
