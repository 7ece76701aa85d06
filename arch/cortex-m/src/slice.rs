//! Owns: how slices are measured; `SysTick` where it measures them and nothing else, in cycles of
//! the processor. Must never know: `SysTick` as a clock, which is `systick`.
//!
//! Code for slices is referred to only from where they are switched on: a program that does not do
//! that does not carry it.

use crate::interrupt::LOWEST;
use crate::mask::{mask, unmask};
use core::cell::Cell;
use cortex_m::Peripherals;
use cortex_m::peripheral::SYST;
use cortex_m::peripheral::syst::{RegisterBlock, SystClkSource};
use taktos_time::Duration;

/// Timer of time slices.
pub trait Slices {
    /// The priority of `SysTick`.
    const LEVEL: u8;
    /// Sets the length of slices, of which a whole one begins; none stops them. Called with
    /// interrupts masked.
    fn set(length: Option<Duration>);
    /// As [`Machine::slice_left`](taktos_machine::Machine::slice_left), in cycles.
    fn left() -> usize;
    /// As [`Machine::begin_slice`](taktos_machine::Machine::begin_slice).
    fn begin(left: usize);
}

/// `SysTick` measures slices, on a processor with a rate of `HERTZ`, and nothing else.
pub struct SliceTimer<const HERTZ: u32>;

impl<const HERTZ: u32> Slices for SliceTimer<HERTZ> {
    const LEVEL: u8 = LOWEST;

    fn set(length: Option<Duration>) {
        set(length, HERTZ);
    }

    fn left() -> usize {
        left()
    }

    fn begin(left: usize) {
        begin(left);
    }
}

unsafe extern "C" {
    /// The board's, by [`exceptions!`](crate::exceptions): as
    /// [`Upcalls::slice_end`](taktos_machine::Upcalls::slice_end).
    fn taktos_slice_end();
}

static AT_END: AtEnd = AtEnd(Cell::new(None));

struct AtEnd(Cell<Option<extern "C" fn()>>);

// SAFETY: written and read with kernel-level interrupts masked, on the one processor.
unsafe impl Sync for AtEnd {}

/// Sets the `handler` that is called when the counter has wrapped.
pub(crate) fn set_handler(handler: extern "C" fn()) {
    AT_END.0.set(Some(handler));
}

/// The counter has wrapped.
#[unsafe(no_mangle)]
extern "C" fn SysTick() {
    // SAFETY: a word of its own, in the interrupt's section. Volatile: a compiler that knew what
    // the word can hold would put the handler itself here, and every program would carry it.
    if let Some(handler) = unsafe { AT_END.0.as_ptr().read_volatile() } {
        handler();
    }
}

/// The end of the slice, unless a switch came between the counter's end and here: that began a
/// slice for another thread, and cleared the flag by which the counter says that it has wrapped.
extern "C" fn end() {
    if has_wrapped() {
        // Interrupts that may call the kernel are more urgent than this one.
        mask();
        // SAFETY: in a handler, which no thread interrupts, with those masked; there is one
        // processor.
        unsafe { taktos_slice_end() };
        unmask();
    }
}

/// Sets the length of slices on a processor of `hertz`; none stops them.
fn set(length: Option<Duration>, hertz: u32) {
    set_handler(end);
    // SAFETY: `SysTick` belongs to this module alone.
    let mut timer = unsafe { Peripherals::steal() }.SYST;
    timer.disable_interrupt();
    timer.disable_counter();
    timer.clear_current();
    if let Some(length) = length {
        timer.set_clock_source(SystClkSource::Core);
        timer.set_reload(reload(length, hertz));
        timer.enable_interrupt();
        timer.enable_counter();
    }
}

fn timer() -> &'static RegisterBlock {
    // SAFETY: the address of the processor's own timer, which belongs to this module alone; its
    // registers are read and written as single words.
    unsafe { &*SYST::PTR }
}

/// Whether the counter has come to zero since the last look, and since it was cleared.
fn has_wrapped() -> bool {
    const WRAPPED: u32 = 1 << 16;
    timer().csr.read() & WRAPPED != 0
}

/// The rest of the slice, in cycles.
fn left() -> usize {
    let left = timer().cvr.read() as usize;
    if has_wrapped() { 1 } else { left.max(1) }
}

/// The least from which the counter begins: it must not come to zero before the length of a whole
/// slice is stored.
const LEAST: u32 = 32;

/// Lets the slice end in `left` cycles, of which there are [`LEAST`]; or in a whole slice's. Then a
/// whole one begins by itself.
fn begin(left: usize) {
    let timer = timer();
    let whole = timer.rvr.read();
    // SAFETY: a write to the value clears the counter, and the flag; with the next tick it begins
    // again.
    unsafe {
        if left == 0 || left >= whole as usize {
            timer.cvr.write(0);
            return;
        }
        timer.rvr.write(whole.min(LEAST).max(left as u32 - 1));
        timer.cvr.write(0);
        while timer.cvr.read() == 0 {}
        timer.rvr.write(whole);
    }
}

/// Returns the value that the counter starts from: it takes one tick to get there. It has 24 bits:
/// longer slices are cut to its maximum (0.67 s at 25 MHz).
fn reload(length: Duration, hertz: u32) -> u32 {
    const LONGEST: u64 = 0x00FF_FFFF;
    let ticks = length.as_nanos().saturating_mul(hertz.into()) / 1_000_000_000;
    ticks.saturating_sub(1).clamp(1, LONGEST) as u32
}
