//! Owns: the processor's generic timers: the counter as the clock, the virtual timer as the alarm,
//! the physical timer for slices. Must never know: the thread to wake.
//!
//! Registers: Arm ARM (DDI 0487), chapter D12.

use crate::board::Board;
use crate::interrupt;
use crate::processors::{SEVERAL, have_others_follow};
use crate::state;
use aarch64_cpu::registers::{
    CNTFRQ_EL0, CNTP_CTL_EL0, CNTP_TVAL_EL0, CNTV_CTL_EL0, CNTV_CVAL_EL0, CNTVCT_EL0,
    ReadWriteable, Readable, Writeable,
};
use core::cell::Cell;
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

/// The interrupts of the two timers (Arm BSA, DEN0094, section 3.8.2).
const ALARM_INTERRUPT: u32 = 27;
const SLICE_INTERRUPT: u32 = 30;

const SECOND: u64 = 1_000_000_000;

/// The counter's rate, as factors in fixed point.
struct Rate {
    /// Nanoseconds a tick, times 2³².
    nanos: Cell<u64>,
    /// Ticks a nanosecond, times 2⁶³; the counter is slower than 1 GHz.
    ticks: Cell<u64>,
    /// Value of the counter at the start.
    zero: Cell<u64>,
}

// SAFETY: written once, by the start, before the first thread runs and other processors start.
unsafe impl Sync for Rate {}

static RATE: Rate = Rate {
    nanos: Cell::new(0),
    ticks: Cell::new(0),
    zero: Cell::new(0),
};

/// Reads the counter's rate; the clock is at zero then.
pub(crate) fn start<B: Board>() {
    find_rate();
    interrupt::set_handler::<B>(ALARM_INTERRUPT, alarm);
    interrupt::set_handler::<B>(SLICE_INTERRUPT, slice_end);
}

fn find_rate() {
    let hertz = CNTFRQ_EL0.get();
    RATE.nanos.set((SECOND << 32) / hertz);
    RATE.ticks
        .set(((u128::from(hertz) << 63) / u128::from(SECOND)) as u64);
    RATE.zero.set(CNTVCT_EL0.get());
}

/// Returns the present time. Before the start it is zero.
#[inline(always)]
pub(crate) fn now() -> Instant {
    if RATE.nanos.get() == 0 {
        return Instant::START;
    }
    aarch64_cpu::asm::barrier::isb(aarch64_cpu::asm::barrier::SY);
    let ticks = CNTVCT_EL0.get() - RATE.zero.get();
    let nanos = (u128::from(ticks) * u128::from(RATE.nanos.get())) >> 32;
    Instant::from_nanos(nanos as u64)
}

/// Returns the counter's value. No barrier: it may be read before earlier instructions are done.
#[inline(always)]
pub(crate) fn ticks() -> u64 {
    CNTVCT_EL0.get()
}

/// Returns the length of `ticks` ticks.
pub(crate) fn span_of(ticks: u64) -> Duration {
    Duration::from_nanos(((u128::from(ticks) * u128::from(RATE.nanos.get())) >> 32) as u64)
}

/// Ticks that are not shorter than `nanos`.
fn ticks_of(nanos: u64) -> u64 {
    ((u128::from(nanos) * u128::from(RATE.ticks.get())) >> 63) as u64 + 1
}

pub(crate) fn set_alarm(at: Option<Instant>) {
    match at {
        Some(at) => {
            CNTV_CVAL_EL0.set(RATE.zero.get().saturating_add(ticks_of(at.as_nanos())));
            CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::SET);
        }
        None => CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::CLEAR),
    }
}

/// The alarm's interrupt. Given to `set_handler` alone.
fn alarm() {
    CNTV_CTL_EL0.write(CNTV_CTL_EL0::ENABLE::CLEAR);
    // SAFETY: so this is a handler: all have the kernel's level, do not nest, and begin without the
    // lock.
    unsafe { taktos_alarm() };
}

/// Ticks of a slice; zero while slices are off.
static SLICE: AtomicU64 = AtomicU64::new(0);

/// The end of a slice, unless a switch came between the timer's end and here: that began a slice
/// for another thread, and the timer is not due any more. On several processors another one may
/// have switched slices off meanwhile, too. Given to `set_handler` alone.
fn slice_end() {
    if SEVERAL && SLICE.load(Relaxed) == 0 {
        return follow_slice();
    }
    if CNTP_CTL_EL0.is_set(CNTP_CTL_EL0::ISTATUS) {
        // SAFETY: as for the alarm.
        unsafe { taktos_slice_end() };
    }
}

/// As [`Machine::begin_slice`](taktos_machine::Machine::begin_slice).
pub(crate) fn begin_slice(left: usize) {
    let whole = SLICE.load(Relaxed);
    CNTP_TVAL_EL0.set(match left {
        0 => whole,
        left => whole.min(left as u64),
    });
}

/// As [`Machine::slice_left`](taktos_machine::Machine::slice_left): the register has 32 bits, and
/// is negative when the slice is over.
pub(crate) fn slice_left() -> usize {
    (CNTP_TVAL_EL0.get() as i32).max(1) as usize
}

/// Slices are at least one tick and at most 2³¹ − 1 ticks long.
pub(crate) fn set_slice<B: Board>(length: Option<Duration>, at_switch: SliceSwitch) {
    const LONGEST: u64 = i32::MAX as u64;
    let ticks = length.map_or(0, |length| ticks_of(length.as_nanos()).min(LONGEST));
    SLICE.store(ticks, Relaxed);
    state::set_at_switch::<B>(length.map(|_| at_switch));
    follow_slice();
    have_others_follow::<B>();
}

/// Makes this processor's timer follow the length of slices.
pub(crate) fn follow_slice() {
    if SLICE.load(Relaxed) == 0 {
        CNTP_CTL_EL0.modify(CNTP_CTL_EL0::ENABLE::CLEAR);
    } else {
        begin_slice(0);
        CNTP_CTL_EL0.write(CNTP_CTL_EL0::ENABLE::SET);
    }
}
