//! Owns: the time counter as the clock, and its one comparator, which alarm and slices share.
//! Must never know: the thread to wake.

use crate::board::Board;
use crate::clint;
pub(crate) use crate::clint::ticks;
use crate::processors::tell_slice;
use crate::state::{self, more};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use taktos_machine::SliceSwitch;
use taktos_time::{Duration, Instant};

unsafe extern "C" {
    // The board's, by [`exceptions!`](crate::exceptions).
    /// As [`Upcalls::alarm`](taktos_machine::Upcalls::alarm): from an interrupt.
    fn taktos_alarm();
    /// As [`Upcalls::slice_end`](taktos_machine::Upcalls::slice_end): from an interrupt.
    fn taktos_slice_end();
}

const SECOND: u64 = 1_000_000_000;
const NEVER: u64 = u64::MAX;

/// Nanoseconds a tick, times 2³².
const fn nanos_a_tick<B: Board>() -> u64 {
    (SECOND << 32) / B::HERTZ
}

/// Ticks a nanosecond, times 2⁶³.
const fn ticks_a_nano<B: Board>() -> u64 {
    (((B::HERTZ as u128) << 63) / SECOND as u128) as u64
}

/// The present time: the counter starts at zero with the machine.
#[inline(always)]
pub(crate) fn now<B: Board>() -> Instant {
    let nanos = (u128::from(ticks()) * u128::from(nanos_a_tick::<B>())) >> 32;
    Instant::from_nanos(nanos as u64)
}

/// Returns the length of `ticks` ticks.
pub(crate) fn span_of<B: Board>(ticks: u64) -> Duration {
    Duration::from_nanos(((u128::from(ticks) * u128::from(nanos_a_tick::<B>())) >> 32) as u64)
}

/// Ticks that are not shorter than `nanos`.
fn ticks_of<B: Board>(nanos: u64) -> u64 {
    ((u128::from(nanos) * u128::from(ticks_a_nano::<B>())) >> 63) as u64 + 1
}

/// Sets the comparator to what comes first.
fn compare() {
    clint::compare(more().alarm.get().min(more().slice_end.get()));
}

/// Programs the timer: nothing is due before a request.
pub(crate) fn start() {
    compare();
}

pub(crate) fn set_alarm<B: Board>(at: Option<Instant>) {
    more()
        .alarm
        .set(at.map_or(NEVER, |at| ticks_of::<B>(at.as_nanos())));
    compare();
}

/// The comparator's time has come: the alarm's, the slice's, or both.
///
/// # Safety
/// As of [`Upcalls::alarm`](taktos_machine::Upcalls::alarm).
pub(crate) unsafe fn due() {
    let now = ticks();
    if more().alarm.get() <= now {
        more().alarm.set(NEVER);
        // SAFETY: the caller's.
        unsafe { taktos_alarm() };
    }
    if more().slice_end.get() <= now {
        more().slice_end.set(NEVER);
        // SAFETY: the caller's.
        unsafe { taktos_slice_end() };
    }
    compare();
}

/// Ticks of a slice; zero while slices are off.
static SLICE: AtomicU64 = AtomicU64::new(0);

/// As [`Machine::begin_slice`](taktos_machine::Machine::begin_slice); no slice ends while they are
/// off.
pub(crate) fn begin_slice(left: usize) {
    let whole = SLICE.load(Relaxed);
    let length = match left {
        0 => whole,
        left => whole.min(left as u64),
    };
    more().slice_end.set(match whole {
        0 => NEVER,
        _ => ticks() + length,
    });
    compare();
}

/// As [`Machine::slice_left`](taktos_machine::Machine::slice_left).
pub(crate) fn slice_left() -> usize {
    more().slice_end.get().saturating_sub(ticks()).max(1) as usize
}

/// Slices are at least one tick long.
pub(crate) fn set_slice<B: Board>(length: Option<Duration>, at_switch: SliceSwitch) {
    let ticks = length.map_or(0, |length| ticks_of::<B>(length.as_nanos()));
    SLICE.store(ticks, Relaxed);
    state::set_at_switch::<B>(length.map(|_| at_switch));
    begin_slice(0);
    tell_slice::<B>();
}
