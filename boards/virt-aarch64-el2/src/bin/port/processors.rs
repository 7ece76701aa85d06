//! Owns: the processors' part of the test: they start, their timers come, they call each other.
//! Must never know: the guests' operations.

use crate::check::check;
use crate::script;
use core::sync::atomic::{AtomicUsize, Ordering};
use taktos_abi::vm::layout::{HYPERVISOR_TIMER_INTERRUPT, TIMER_INTERRUPT};
use taktos_arch_aarch64_el2::El2;
use taktos_hypervisor::hardware::{CALL_INTERRUPT, Hardware, Next};
use taktos_time::{Duration, Instant};

/// Number of processors.
pub(crate) const PROCESSORS: usize = 4;

/// Time until a processor's first alarm.
const AHEAD: Duration = Duration::from_micros(200);
/// The greatest lateness of an alarm: an emulator that is busy elsewhere is late.
const LATE: Duration = Duration::from_secs(5);

/// Number of processors that were woken by their timers.
static WOKEN: AtomicUsize = AtomicUsize::new(0);
/// Time at which each first alarm was to come, in nanoseconds.
static ALARMS: [core::sync::atomic::AtomicU64; PROCESSORS] =
    [const { core::sync::atomic::AtomicU64::new(0) }; PROCESSORS];
/// The processor that a guest moves to.
static GOES_TO: AtomicUsize = AtomicUsize::new(PROCESSORS);

/// A tick of this board's counter, in nanoseconds (62.5 MHz).
const TICK: u128 = 16;
/// Number of ticks ahead within which nothing is due while the test runs.
const FAR: u64 = 1 << 38;

/// Checks the counter's ticks at the edges of what 64 bits hold: instants are as in arithmetic of
/// 128 bits, and a far alarm does not come.
fn check_edges() {
    let edges = (0..64).flat_map(|bit| [-1, 0, 1].map(|by| (1u64 << bit).wrapping_add_signed(by)));
    for ticks in edges.chain([u64::MAX]) {
        let instant = El2::instant(ticks);
        let right = (u128::from(ticks) * TICK).min(Instant::MAX.as_nanos().into());
        if u128::from(instant.as_nanos()) != right {
            check("an instant is that of its tick", false);
        }
        if ticks > FAR {
            El2::set_alarm(Some(instant));
            if El2::acknowledge().is_some() {
                check("a far alarm does not come", false);
            }
        }
    }
    El2::set_alarm(None);
    check("the edges of time are as arithmetic has them", true);
}

/// Starts a processor: it sets its alarm, and waits.
pub(crate) fn start(cpu: usize) -> Next {
    if cpu == 0 {
        check_edges();
    }
    check(
        "a processor knows its number",
        cpu == El2::cpu() && cpu < PROCESSORS,
    );
    El2::show(None);
    let at = El2::now().saturating_add(AHEAD);
    ALARMS[cpu].store(at.as_nanos(), Ordering::Relaxed);
    El2::set_alarm(Some(at));
    Next::Idle
}

/// Handles an interrupt: it came at a guest, or at the end of a wait.
pub(crate) fn interrupt(cpu: usize) -> Next {
    match El2::acknowledge() {
        Some(HYPERVISOR_TIMER_INTERRUPT) => alarm(cpu),
        Some(CALL_INTERRUPT) => called(cpu),
        Some(TIMER_INTERRUPT) => script::timer(cpu),
        Some(_) => script::unexpected("an interrupt of an unknown number"),
        None => script::again(cpu),
    }
}

fn alarm(cpu: usize) -> Next {
    El2::set_alarm(None);
    El2::deactivate(HYPERVISOR_TIMER_INTERRUPT);
    let at = Instant::from_nanos(ALARMS[cpu].load(Ordering::Relaxed));
    let now = El2::now();
    check(
        "an alarm comes when it is due",
        now >= at && now.since(at) < LATE,
    );
    if WOKEN.fetch_add(1, Ordering::AcqRel) + 1 == PROCESSORS {
        hand_over(0);
    }
    Next::Idle
}

/// Makes the guest continue on processor `to`.
pub(crate) fn hand_over(to: usize) {
    GOES_TO.store(to, Ordering::Release);
    El2::call(to);
}

fn called(cpu: usize) -> Next {
    El2::deactivate(CALL_INTERRUPT);
    check(
        "a call comes to the one that was called",
        GOES_TO.load(Ordering::Acquire) == cpu,
    );
    script::take_over(cpu)
}
