//! Owns: the CMSDK dual timer: one half counts on for ever, the other one gives the alarm.
//! Must never know: the threads to wake.
//!
//! Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), section 4.3. It runs at 25 MHz: 40 ns
//! a tick.

use crate::Board;
use core::arch::asm;
use core::cell::Cell;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_arch_cortex_m::{Clock, Level, SliceTimer, enable_interrupt};
use taktos_boards::registers::{load, store};
use taktos_kernel::{Duration, Instant, Upcall};
use taktos_machine::Upcalls;

const DUAL_TIMER: usize = 0x4000_2000;
const COUNTING: usize = DUAL_TIMER;
const ALARM: usize = DUAL_TIMER + 0x20;
const LOAD: usize = 0x00;
const VALUE: usize = 0x04;
const CONTROL: usize = 0x08;
const CLEAR: usize = 0x0C;
const ENABLE: u32 = 1 << 7;
const INTERRUPT: u32 = 1 << 5;
const WIDE: u32 = 1 << 1;
const ONE_SHOT: u32 = 1;

/// The interrupt of both halves.
pub(crate) const INTERRUPT_NUMBER: u16 = 10;
const NANOSECONDS_A_TICK: u64 = 40;
/// The farthest alarm that is set in one step: well within half a round of the counter (85 s).
const HORIZON: Duration = Duration::from_secs(32);

/// The board's clock.
pub struct DualTimer;

pub(crate) use DualTimer as BoardClock;

/// The part of time that the counter of 32 bits does not have.
struct Epoch {
    /// The half of a round of the counter that was last seen to run, counted from the start. Each
    /// half is noticed while it runs, since time is read at least once in a [`HORIZON`]. An even
    /// number is a first half.
    half: AtomicU32,
    /// Number of ticks by which time was set forward.
    ahead: Cell<u64>,
}

// SAFETY: `ahead` is written with interrupts masked, on the one processor. One instruction reads
// it, which is restarted if an interrupt comes in the middle of it.
unsafe impl Sync for Epoch {}

static EPOCH: Epoch = Epoch {
    half: AtomicU32::new(0),
    ahead: Cell::new(0),
};

impl Epoch {
    /// Returns [`Epoch::ahead`].
    #[inline(always)]
    fn ahead(&self) -> u64 {
        let (low, high): (u32, u32);
        // SAFETY: reads the two words of a static. On Armv7-M a load of two words that is
        // interrupted is abandoned and restarted (Armv7-M manual, A3.5.3): no reader gets one word
        // from before a change and one from after it.
        unsafe {
            asm!(
                "ldrd {low}, {high}, [{place}]",
                low = out(reg) low,
                high = out(reg) high,
                place = in(reg) self.ahead.as_ptr(),
                options(readonly, nostack, preserves_flags),
            );
        }
        u64::from(high) << 32 | u64::from(low)
    }

    /// Notes that the half after `half` runs. If that is already noted, code that interrupted the
    /// caller has noticed it.
    #[cold]
    #[inline(never)]
    fn go_on(&self, half: u32) {
        let _ = self.half.compare_exchange(half, half + 1, Relaxed, Relaxed);
    }
}

/// Conditions of the board's own counts: the processor's rate, 0 if it is not known; other
/// conditions; and the function that switches its caches.
#[cfg(feature = "counted")]
pub(crate) const COUNTED: (u32, &str, Option<fn(bool)>) = (25_000_000, "clock=25MHz", None);

/// Starts the clock at zero.
pub(crate) fn start() {
    store(COUNTING + LOAD, u32::MAX);
    store(COUNTING + CONTROL, ENABLE | WIDE);
    enable_interrupt(INTERRUPT_NUMBER, Level::Kernel);
}

/// The handler of the alarm. Known only from the first alarm on: a program that never sets one does
/// not carry the code for it.
static HANDLER: Handler = Handler(Cell::new(None));

struct Handler(Cell<Option<unsafe fn()>>);

// SAFETY: written and read with kernel-level interrupts masked, on the one processor.
unsafe impl Sync for Handler {}

/// Handles the alarm's interrupt.
///
/// # Safety
/// The caller is the handler of the interrupt [`INTERRUPT_NUMBER`], at the level that [`start`]
/// gives it.
pub(crate) unsafe fn interrupt() {
    store(ALARM + CLEAR, 1);
    // SAFETY: a word of its own, in the interrupt's section. Volatile: a compiler that knew what
    // the word can hold would put the handler itself here, and every program would carry it.
    if let Some(handler) = unsafe { HANDLER.0.as_ptr().read_volatile() } {
        // SAFETY: by this function's contract the caller is a handler at the kernel's level; there
        // is one processor.
        unsafe { handler() };
    }
}

impl Clock for DualTimer {
    /// The processor runs at 25 MHz.
    type Slices = SliceTimer<25_000_000>;

    /// Returns the time, without a mask: this delays no interrupt, and a handler that interrupts
    /// this function may call it, too.
    fn now() -> Instant {
        // The half is read first: however late the counter is read after it, the half that runs
        // then is this one or the next. SAFETY: a word of its own. Volatile, as the counter is: the
        // compiler keeps their order.
        let half = unsafe { EPOCH.half.as_ptr().read_volatile() };
        // The counter counts down.
        let passed = !load(COUNTING + VALUE);
        let from_half = passed ^ half << 31;
        if from_half >> 31 != 0 {
            EPOCH.go_on(half);
        }
        let ticks = (u64::from(half) << 31) + u64::from(from_half) + EPOCH.ahead();
        Instant::from_nanos(ticks * NANOSECONDS_A_TICK)
    }

    fn set_alarm(at: Option<Instant>) {
        HANDLER.0.set(Some(<Upcall<Board> as Upcalls>::alarm));
        store(ALARM + CONTROL, WIDE | ONE_SHOT);
        store(ALARM + CLEAR, 1);
        // Even without a thread to wake, time is read now and then, so that no wrap is missed.
        let span = at.map_or(HORIZON, |at| at.since(Self::now()).min(HORIZON));
        // A division of 32 bits by a constant: eight nanoseconds at a time.
        let ticks = (span.as_nanos() >> 3) as u32 / (NANOSECONDS_A_TICK as u32 >> 3) + 1;
        store(ALARM + LOAD, ticks);
        store(ALARM + CONTROL, ENABLE | INTERRUPT | WIDE | ONE_SHOT);
    }

    fn advance(by: Duration) -> bool {
        let ticks = by.as_nanos() / NANOSECONDS_A_TICK;
        EPOCH.ahead.set(EPOCH.ahead.get() + ticks);
        true
    }
}
