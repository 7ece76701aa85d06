//! Owns: the board's time: the system controller's counter, and two SP804 timers for alarm and
//! slices. Must never know: the threads to wake.
//!
//! Registers: RealView PB-A8 User Guide (DUI 0417), sections 4.3.20 (24 MHz counter) and 4.21;
//! SP804 TRM (DDI 0271). The counter gives 41.7 ns a tick, the timers count microseconds.

use crate::Place;
use core::cell::Cell;
use taktos_arch_armv7_a::ArmV7A;
use taktos_boards::registers::{load, store};
use taktos_kernel::{Duration, Instant};
use taktos_machine::{Machine, Upcalls};

const COUNTER: usize = 0x1000_005C;
const ALARM: usize = 0x1001_1000;
const SLICE: usize = 0x1001_2000;
const ALARM_INTERRUPT: u32 = 36;
const SLICE_INTERRUPT: u32 = 37;

const LOAD: usize = 0x00;
const VALUE: usize = 0x04;
const CONTROL: usize = 0x08;
const CLEAR: usize = 0x0C;
const ENABLE: u32 = 1 << 7;
const INTERRUPT: u32 = 1 << 5;
const WIDE: u32 = 1 << 1;
const ONE_SHOT: u32 = 1;
/// Counts down to zero once, with an interrupt.
const RUN_ONCE: u32 = ENABLE | INTERRUPT | WIDE | ONE_SHOT;

/// The farthest alarm that is set in one step: well before the counter wraps (178 s).
const HORIZON: Duration = Duration::from_secs(32);

/// The time up to the last reading, in ticks, and that reading; and the length of a slice.
struct Epoch {
    ticks: Cell<u64>,
    last: Cell<u32>,
    slice: Cell<u32>,
}

// SAFETY: touched only with interrupts masked, on the one processor.
unsafe impl Sync for Epoch {}

static EPOCH: Epoch = Epoch {
    ticks: Cell::new(0),
    last: Cell::new(0),
    slice: Cell::new(u32::MAX),
};

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (0, "clock=unknown", None);

/// Starts the clock at zero.
pub(crate) fn start<U: Upcalls>() {
    EPOCH.last.set(load(COUNTER));
    ArmV7A::<Place>::set_handler(ALARM_INTERRUPT, alarm::<U>);
    ArmV7A::<Place>::set_handler(SLICE_INTERRUPT, slice::<U>);
}

fn alarm<U: Upcalls>() {
    store(ALARM + CLEAR, 1);
    // SAFETY: the handler of the alarm's interrupt alone, which has the kernel's level, on the one
    // processor.
    unsafe { U::alarm() };
}

/// Handles the end of a slice. The timer is at zero then, unless it was loaded since: then a switch
/// came between the end of the last slice and this handler, and another slice runs.
fn slice<U: Upcalls>() {
    let ended = load(SLICE + VALUE) == 0;
    store(SLICE + CLEAR, 1);
    if ended {
        // SAFETY: the handler of the slice's interrupt alone, which has the kernel's level, on the
        // one processor.
        unsafe { U::slice_end() };
    }
}

/// Lets the slice end after `left` ticks, or after a whole slice if that is shorter or `left` is 0.
pub(crate) fn begin_slice(left: usize) {
    let whole = EPOCH.slice.get();
    store(SLICE + CONTROL, WIDE | ONE_SHOT);
    store(
        SLICE + LOAD,
        if left == 0 {
            whole
        } else {
            whole.min(left as u32)
        },
    );
    store(SLICE + CONTROL, RUN_ONCE);
}

/// Returns the ticks that are left of the slice; 1 if the slice is over.
pub(crate) fn slice_left() -> usize {
    load(SLICE + VALUE).max(1) as usize
}

/// Returns the present time.
pub(crate) fn now() -> Instant {
    // Masks in any context: the epoch is shared.
    let before = ArmV7A::<Place>::mask_over();
    let counter = load(COUNTER);
    let ticks = EPOCH.ticks.get() + u64::from(counter.wrapping_sub(EPOCH.last.get()));
    EPOCH.last.set(counter);
    EPOCH.ticks.set(ticks);
    ArmV7A::<Place>::restore(before);
    // 1000/24 ns a tick.
    Instant::from_nanos(ticks * 125 / 3)
}

/// Sets the alarm.
pub(crate) fn set_alarm(at: Option<Instant>) {
    store(ALARM + CONTROL, WIDE | ONE_SHOT);
    store(ALARM + CLEAR, 1);
    // Even without a thread to wake, time is read now and then, so that no wrap is missed.
    let span = at.map_or(HORIZON, |at| at.since(now()).min(HORIZON));
    store(ALARM + LOAD, microseconds(span) + 1);
    store(ALARM + CONTROL, RUN_ONCE);
}

/// Returns the whole microseconds of a span up to 34 s: a division of 32 bits by a constant, eight
/// nanoseconds at a time.
fn microseconds(span: Duration) -> u32 {
    (span.as_nanos() >> 3) as u32 / 125
}

/// Switches slices on or off. They are at least 1 µs and at most 32 s long.
pub(crate) fn set_slice(length: Option<Duration>) {
    let ticks = length.map_or(u32::MAX, |length| microseconds(length.min(HORIZON)).max(1));
    EPOCH.slice.set(ticks);
    store(SLICE + CONTROL, WIDE | ONE_SHOT);
    store(SLICE + CLEAR, 1);
    if length.is_some() {
        begin_slice(0);
    }
}
