//! The kernel's test-suite for several processors: one program for the host and for every board
//! with four of them.
//!
//! Owns: the cases, what they need, how they are counted and reported. Must never know: a board,
//! the kernel's inside.
//!
//! A board starts the kernel with four processors and [`instances`] of a policy, implements
//! [`SeveralBoard`] with an [`Objects`] in a static, and calls [`run`] with that policy in its main
//! thread, on a stack of at least 8 KiB. The main thread becomes the most urgent one, of priority
//! [`MAIN`], and is busy on one of the processors all the time: it checks what the helpers do on
//! the three others. Times are never exact. The suite waits for what must come to be, and checks
//! during a [`UNIT`] for what must not be.

mod case;
mod clusters;
mod deadlines;
mod ipc;
mod life;
mod locks;
mod objects;
mod order;
mod places;
mod poll;
mod processors;
mod time;
mod wake;

pub use case::Case;
pub use objects::{HELPERS, Helper, Objects, STACK};

use crate::look_away::look_away;
use case::Tally;
use taktos_kernel::{CpuSet, Duration, InstanceConfig, Instant, Kernel, PolicyKind, System};

/// Interface of a system to the suite.
pub trait SeveralBoard: System {
    /// The suite's objects: always the same.
    fn objects() -> &'static Objects<Self>;
    /// Runs `handler` in an interrupt of the caller's processor at the kernel's level, before this
    /// returns.
    fn trigger_interrupt(handler: fn());
    /// Lets a little time pass; in loops that look again and again.
    fn pause() {
        look_away(LOOKS_AWAY);
    }
}

/// Turns between two reads: far less than the unit.
const LOOKS_AWAY: u32 = 200;

/// How many processors the suite needs.
pub const PROCESSORS: usize = 4;
/// The priority of the main thread.
pub const MAIN: u8 = 2;
/// The name of the instance that has all processors between cases.
pub const WORK: [u8; 4] = *b"work";
/// The name of the instance that has none, but where a case gives it some.
pub const SIDE: [u8; 4] = *b"side";
/// The rows that the kernel's tables need at least: for the helpers, main and the idle threads.
pub const ROWS: usize = HELPERS + 1 + PROCESSORS;
/// The rows of locks that the kernel's tables need at least.
pub const LOCKS: usize = 5;

/// The unit of the suite's times: longer than a slow emulator needs for a few calls on each
/// processor.
pub const UNIT: Duration = Duration::from_millis(1);
/// Units after which an expected event has not come.
const PATIENCE: u64 = 400;

/// The scheduler instances with which a board starts the kernel.
pub const fn instances(policy: PolicyKind) -> [InstanceConfig; 2] {
    [
        InstanceConfig {
            name: WORK,
            policy,
            cpus: CpuSet::first(PROCESSORS),
        },
        InstanceConfig {
            name: SIDE,
            policy,
            cpus: CpuSet::EMPTY,
        },
    ]
}

/// Returns the instant in `count` units.
fn units<S: System>(count: u64) -> Instant {
    Kernel::<S>::now().saturating_add(Duration::from_nanos(UNIT.as_nanos() * count))
}

/// Keeps the caller busy for `count` units.
fn busy<S: SeveralBoard>(count: u64) {
    let end = units::<S>(count);
    while Kernel::<S>::now() < end {
        S::pause();
    }
}

/// Runs all cases that the policy allows. Each that fails writes one line; the last lines give the
/// numbers. Then the program ends: with status 0 if all passed, otherwise 1.
pub fn run<S: SeveralBoard>(policy: PolicyKind) -> ! {
    let mut tally = Tally::<S>::new(policy);
    order::cases(&mut tally);
    life::cases(&mut tally);
    wake::cases(&mut tally);
    poll::cases(&mut tally);
    ipc::cases(&mut tally);
    time::cases(&mut tally);
    places::cases(&mut tally);
    processors::cases(&mut tally);
    locks::cases(&mut tally);
    clusters::cases(&mut tally);
    deadlines::cases(&mut tally);
    tally.finish()
}
