//! A light that blinks, and a button that makes it faster.
#![cfg_attr(target_os = "none", no_std, no_main)]

// The pins and the clock; on this machine, a stand-in for them.
#[cfg_attr(not(target_os = "none"), path = "host.rs")]
mod chip;

use core::sync::atomic::{AtomicU32, Ordering};

use taktos::board::Board;
use taktos::{AnyThread, Span, Thread};

/// The stack of a thread, in bytes.
const STACK: usize = 256 * size_of::<usize>();

#[taktos::thread]
static MAIN: Thread<Board, STACK> = Thread::new("main").priority(20);
#[taktos::thread]
static BUTTON: Thread<Board, STACK> = Thread::new("button").priority(5);
#[taktos::thread]
static BLINK: Thread<Board, STACK> = Thread::new("blink").priority(6);

/// Milliseconds from one switch of the light to the next.
static PERIOD: AtomicU32 = AtomicU32::new(SLOW);
const SLOW: u32 = 500;
const FAST: u32 = 60;

/// The first thread starts the others. The kernel has the time by the clock's rate.
#[taktos::main(MAIN, clock = chip::clock)]
fn first() {
    let _ = BUTTON.start(button);
    let _ = BLINK.start(blink);
}

/// Switches the light on and off.
fn blink() {
    let mut light = chip::light();
    loop {
        light.toggle();
        let _ = AnyThread::<Board>::sleep(PERIOD.load(Ordering::Relaxed).millis());
    }
}

/// Halves the period at each press of the button, down to the fastest.
fn button() {
    let mut button = chip::button();
    loop {
        button.wait_for_press();
        let period = match PERIOD.load(Ordering::Relaxed) / 2 {
            period if period < FAST => SLOW,
            period => period,
        };
        PERIOD.store(period, Ordering::Relaxed);
        taktos::println!("every {period} ms");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taktos::System;

    /// On the host time is virtual, and a call of the kernel takes none of it.
    #[test]
    fn a_press_halves_the_period() {
        let outcome = taktos::board::start(&MAIN, || {
            first();
            let _ = AnyThread::<Board>::sleep(1_750.millis());
            // At 0, 500, 1,000 and 1,500 ms.
            assert_eq!(chip::toggles(), 4);
            chip::press();
            let _ = AnyThread::<Board>::sleep(1_000.millis());
            // At 2,000 ms by the old period; then at 2,250, 2,500 and 2,750 ms.
            assert_eq!(chip::toggles(), 8);
            Board::exit(0);
        });
        assert_eq!(outcome.console, "every 250 ms\n");
        assert_eq!(outcome.time.as_nanos(), 2_750_000_000);
    }
}
