//! The stand-in for `chip.rs` on this machine: a light that counts, and a button that the test
//! presses, by an interrupt.

use core::sync::atomic::{AtomicU32, Ordering};

use taktos::board::Board;
use taktos::{Interrupt, Semaphore, Timeout};

static TOGGLES: AtomicU32 = AtomicU32::new(0);
static PRESSES: Semaphore<Board> = Semaphore::new(0);

/// The light.
pub struct Light;

/// The button.
pub struct Button;

pub fn light() -> Light {
    Light
}

pub fn button() -> Button {
    pressed.enable();
    Button
}

impl Light {
    pub fn toggle(&mut self) {
        TOGGLES.fetch_add(1, Ordering::Relaxed);
    }
}

impl Button {
    pub fn wait_for_press(&mut self) {
        let _ = PRESSES.take(Timeout::FOREVER);
    }
}

/// The handler of the button's interrupt.
#[taktos::interrupt(0)]
fn pressed(interrupt: &Interrupt<Board>) {
    let _ = PRESSES.give_in(interrupt);
}

/// Returns how often the light was switched.
#[cfg(test)]
pub fn toggles() -> u32 {
    TOGGLES.load(Ordering::Relaxed)
}

/// Presses the button.
#[cfg(test)]
pub fn press() {
    pressed.pend();
}
