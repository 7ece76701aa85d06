//! Owns: the one state of time, protected by the kernel's mask; the work of its interrupt.
//! Must never know: a board, the kernel but by its upcalls.

use super::counter::{MOST, SystemCounter};
use super::rate::Rate;
use super::time::Time;
use crate::machine::Clock;
use crate::mask::{KERNEL_LEVEL, mask_over, restore};
use crate::slice::{self, Slices};
use core::cell::{Cell, UnsafeCell};
use taktos_time::{Duration, Instant};

unsafe extern "C" {
    // The board's, by [`exceptions!`](crate::exceptions).
    /// As [`Upcalls::alarm`](taktos_machine::Upcalls::alarm).
    fn taktos_alarm();
    /// As [`Upcalls::slice_end`](taktos_machine::Upcalls::slice_end).
    fn taktos_slice_end();
}

/// `SysTick` as clock, alarm and slices. [`start`] begins it.
pub struct SystemTimer;

struct State {
    time: Time,
    counter: SystemCounter,
}

struct Shared(UnsafeCell<State>);

// SAFETY: reached by `masked` alone, where no code that may reach it interrupts, on the one
// processor.
unsafe impl Sync for Shared {}

static STATE: Shared = Shared(UnsafeCell::new(State {
    time: Time::new(Rate::new(1_000_000, MOST)),
    counter: SystemCounter::UNUSED,
}));

/// Call at the end of a slice: none before the first one is set, so that a program
/// without slices does not carry it.
static AT_SLICE_END: Call = Call(Cell::new(None));

struct Call(Cell<Option<unsafe extern "C" fn()>>);

// SAFETY: written with interrupts masked before the first slice begins, always with one value.
unsafe impl Sync for Call {}

/// Does `act` with interrupts masked from the kernel's level down, wherever it is called: those
/// above have no business with time.
fn masked<T>(act: impl FnOnce(&mut Time, &SystemCounter) -> T) -> T {
    let before = mask_over();
    // SAFETY: whatever may come here is masked, and `act`, which is this module's, does not come
    // here again.
    let state = unsafe { &mut *STATE.0.get() };
    let result = act(&mut state.time, &state.counter);
    restore(before);
    result
}

/// Begins time, at zero, on a processor of `hertz`. Called once, before the kernel starts, when the
/// processor runs at that rate; a change of it afterwards would make time wrong.
///
/// # Panics
/// If `hertz` is less than 32,768 or more than 10⁹. Without the feature `any-rate` also if 10⁹ and
/// `hertz` have too few factors in common; a rate in whole MHz has enough.
pub fn start(hertz: u32) {
    let rate = Rate::new(hertz, MOST);
    let before = mask_over();
    let counter = SystemCounter::start(rate.longest());
    // SAFETY: as in `masked`.
    unsafe {
        *STATE.0.get() = State {
            time: Time::new(rate),
            counter,
        };
    }
    restore(before);
    slice::set_handler(interrupt);
}

/// Handles `SysTick`: runs what is due, and sets up the next.
extern "C" fn interrupt() {
    let due = masked(Time::take_due);
    // SAFETY: the handler of `SysTick`, as `start` alone makes it, and that has the kernel's level
    // (`LEVEL`), on the one processor.
    unsafe {
        if due.alarm {
            taktos_alarm();
        }
        // Volatile: a compiler that knew what the word can hold would put the call itself here.
        if due.slice
            && let Some(end) = AT_SLICE_END.0.as_ptr().read_volatile()
        {
            end();
        }
    }
    masked(Time::see_to_the_next);
}

impl Clock for SystemTimer {
    type Slices = Self;

    fn now() -> Instant {
        Instant::from_nanos(masked(Time::now))
    }

    fn set_alarm(at: Option<Instant>) {
        let at = at.map(Instant::as_nanos);
        masked(|time, counter| time.set_alarm(at, counter));
    }

    fn advance(by: Duration) -> bool {
        masked(|time, counter| time.advance(by.as_nanos(), counter));
        true
    }
}

impl Slices for SystemTimer {
    const LEVEL: u8 = KERNEL_LEVEL;

    fn set(length: Option<Duration>) {
        let length = length.map(Duration::as_nanos);
        AT_SLICE_END.0.set(Some(taktos_slice_end));
        masked(|time, counter| time.set_slice(length, counter));
    }

    fn left() -> usize {
        masked(Time::slice_left) as usize
    }

    fn begin(left: usize) {
        masked(|time, counter| time.begin_slice(left as u32, counter));
    }
}
