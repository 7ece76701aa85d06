//! Owns: the state of the standard's kernel, which exists once: its phase, its threads, its timers,
//! its heap; and what it needs of the machine. Must never know: what the calls on objects are.

use crate::cmsis::thread::OsThread;
use crate::freertos::critical::Critical;
use crate::freertos::pended::Pended;
use crate::heap::Heap;
use crate::posix::Shared;
use core::cell::Cell;
use taktos::board::Board;
use taktos::{AlarmClock, Instant, Kernel, Mutex, Priority, Protocol, System, Timeout};
use taktos_machine::Machine;

type Cpu = <Board as System>::Machine;

/// The phases of the kernel: `osKernelState_t`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(i32)]
pub enum Phase {
    Inactive = 0,
    Ready = 1,
    Running = 2,
    Locked = 3,
    Suspended = 4,
}

/// State that exists once.
pub struct Os {
    pub phase: Cell<Phase>,
    /// All threads that exist, and those that have ended and are still to be freed: the first of
    /// each.
    pub threads: Cell<Option<&'static OsThread>>,
    pub ended: Cell<Option<&'static OsThread>>,
    /// The alarms: the timers' thread serves them, and frees what ended threads have left when it
    /// is woken.
    pub clock: AlarmClock<Board>,
    /// Lock that lets its holder run alone: no thread is as urgent as its ceiling.
    pub lock: Mutex<Board>,
    pub suspended_at: Cell<Instant>,
    /// How many ticks threads of one priority run in turn; none: until they wait or yield.
    pub slice: Cell<Option<u32>>,
    /// How often FreeRTOS's lock and its critical section were entered, and not left yet.
    pub lock_depth: Cell<usize>,
    /// How many commands to timers FreeRTOS's programs have given before the start.
    pub commands: Cell<u32>,
    pub(crate) critical: Critical,
    pub(crate) pended: Pended,
    pub(crate) posix: Shared,
    pub heap: Heap,
}

// SAFETY: the cells are reached with the kernel kept out, or in calls that the standard has made by
// one thread at a time (the start).
unsafe impl Sync for Os {}

impl Os {
    #[cfg_attr(not(target_os = "none"), allow(dead_code))]
    pub const fn new() -> Self {
        Self {
            phase: Cell::new(Phase::Inactive),
            threads: Cell::new(None),
            ended: Cell::new(None),
            clock: AlarmClock::new(),
            lock: Mutex::with_protocol(Protocol::Ceiling(Priority::MOST_URGENT)),
            suspended_at: Cell::new(Instant::START),
            slice: Cell::new(None),
            lock_depth: Cell::new(0),
            commands: Cell::new(0),
            critical: Critical::new(),
            pended: Pended::new(),
            posix: Shared::new(),
            heap: Heap::new(),
        }
    }

    /// Whether threads run.
    #[inline(always)]
    pub fn is_running(&self) -> bool {
        self.phase.get() >= Phase::Running
    }

    /// Whether the caller's thread runs alone, and so must not wait.
    pub fn is_locked(&self) -> bool {
        self.phase.get() >= Phase::Locked
    }
}

/// The one.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn os() -> &'static Os {
    static OS: Os = Os::new();
    &OS
}

/// The one of the calling test's world.
#[cfg(not(target_os = "none"))]
pub fn os() -> &'static Os {
    std::thread_local! {
        static OS: &'static Os = taktos::board::leak(Os::new());
    }
    OS.with(|os| *os)
}

/// Where a call is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Caller {
    /// In a thread, or before there are any.
    Thread,
    /// In an interrupt handler that may call the kernel.
    Handler,
    /// In one above the kernel's level, which may not.
    Above,
}

/// Where the call is made.
#[inline(always)]
pub fn caller() -> Caller {
    if !in_handler() {
        Caller::Thread
    } else if Cpu::may_call() {
        Caller::Handler
    } else {
        Caller::Above
    }
}

/// Whether the call is made at the kernel's level or below it.
#[inline(always)]
pub fn may_call() -> bool {
    !Cpu::in_interrupt() || Cpu::may_call() || !os().is_running()
}

/// Whether the call is surely made in a thread. The start-up code may look like a handler.
#[inline(always)]
pub fn surely_in_thread() -> bool {
    !Cpu::in_interrupt()
}

/// Whether the call is made in an interrupt handler. Before there are threads there is none, and
/// some machines cannot tell the start-up code from one.
#[inline(always)]
pub fn in_handler() -> bool {
    Cpu::in_interrupt() && os().is_running()
}

/// Runs `body` with the kernel, and all handlers that may call it, masked. Not nested, and without
/// kernel calls inside.
#[inline(always)]
#[allow(
    clippy::let_unit_value,
    reason = "what a machine remembers of its mask may be nothing"
)]
pub fn masked<T>(body: impl FnOnce() -> T) -> T {
    let mask = Cpu::mask();
    let result = body();
    Cpu::unmask(mask);
    result
}

/// How many nanoseconds a tick of the standard's kernel is.
pub const TICK: u64 = 1_000_000;
/// The time-out that never ends: `osWaitForever`.
pub const FOREVER: u32 = u32::MAX;

/// The ticks since the start: 64 bits of which the standard shows 32.
pub fn ticks() -> u64 {
    Kernel::<Board>::now().as_nanos() / TICK
}

/// Returns a time-out in ticks; the first of them is the current one, and the time-out ends `count`
/// ticks from it. A caller that runs alone does not wait.
#[inline(always)]
pub fn timeout(count: u32) -> Timeout {
    match count {
        0 => Timeout::NONE,
        _ if os().is_locked() => Timeout::NONE,
        FOREVER => Timeout::FOREVER,
        count => until(count),
    }
}

#[cold]
fn until(count: u32) -> Timeout {
    Timeout::until(Instant::from_nanos((ticks() + u64::from(count)) * TICK))
}
