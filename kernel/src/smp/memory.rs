//! Owns: the memory that a kernel for several processors needs. Must never know: what is written
//! there.
#![expect(unsafe_code, reason = "hands out the tables, once")]

use super::Smp;
use super::lock::Spinner;
use crate::System;
use crate::critical_section::{CriticalSection, Guarded};
use crate::object::mutex::MutexCore;
use crate::thread::Thread;
use crate::thread::tcb::{Home, ThreadRef};
use core::cell::UnsafeCell;
use taktos_schedule::smp::seats::Branches;
use taktos_schedule::smp::{
    ContributionRecord, EndsRecord, InstanceRecord, LineRecord, LockMemory, LockRecord, Memory,
    NodeRecord, PlaceRecord, ProcessorRecord, ServerRecord, SideRecord, ThreadRecord, WaitRecord,
};
use taktos_time::Duration;

/// The bytes of an idle thread's stack: the thread takes the lock, switches away, and is
/// interrupted.
pub(super) const IDLE_STACK: usize = 512 * size_of::<usize>();

/// The memory of a kernel for several processors: made to be a static, and given to
/// [`run_smp`](super::run_smp).
///
/// For at most `ROWS` − `PROCESSORS` threads at a time, `INSTANCES` scheduler instances and `LOCKS`
/// cluster mutexes (none, or at least two).
pub struct SmpMemory<
    S: System,
    const ROWS: usize,
    const INSTANCES: usize,
    const PROCESSORS: usize,
    const LOCKS: usize,
> {
    pub(super) several: Smp<S>,
    pub(super) idle: [Thread<S, IDLE_STACK>; PROCESSORS],
    pub(super) rows: [Guarded<Option<ThreadRef>>; ROWS],
    pub(super) branches: [Guarded<Branches<ThreadRef>>; ROWS],
    pub(super) limits: [Guarded<Duration>; ROWS],
    pub(super) turns: [Guarded<i64>; ROWS],
    pub(super) lenders: [Guarded<Option<&'static MutexCore>>; LOCKS],
    pub(super) spinners: [Spinner; ROWS],
    homes: Homes<INSTANCES>,
    tables: Tables<ROWS, INSTANCES, PROCESSORS, LOCKS>,
    taken: Guarded<bool>,
}

/// The possible deciders of the instances.
struct Homes<const INSTANCES: usize>([Home; INSTANCES]);

// SAFETY: the kernel accesses them in sections alone.
unsafe impl<const I: usize> Sync for Homes<I> {}

struct Tables<
    const ROWS: usize,
    const INSTANCES: usize,
    const PROCESSORS: usize,
    const LOCKS: usize,
> {
    threads: UnsafeCell<[ThreadRecord; ROWS]>,
    nodes: UnsafeCell<[[NodeRecord; ROWS]; INSTANCES]>,
    instances: UnsafeCell<[InstanceRecord; INSTANCES]>,
    processors: UnsafeCell<[ProcessorRecord; PROCESSORS]>,
    contributions: UnsafeCell<[[ContributionRecord; ROWS]; LOCKS]>,
    servers: UnsafeCell<[ServerRecord; ROWS]>,
    locks: UnsafeCell<[LockRecord; LOCKS]>,
    ends: UnsafeCell<[EndsRecord; LOCKS]>,
    lines: UnsafeCell<[[LineRecord; INSTANCES]; LOCKS]>,
    sides: UnsafeCell<[[SideRecord; INSTANCES]; LOCKS]>,
    places: UnsafeCell<[[PlaceRecord; INSTANCES]; ROWS]>,
    waits: UnsafeCell<[WaitRecord; ROWS]>,
}

// SAFETY: `take` hands the tables out once, to the library's state, which is reached in sections
// alone.
unsafe impl<const T: usize, const I: usize, const P: usize, const L: usize> Sync
    for Tables<T, I, P, L>
{
}

impl<
    S: System,
    const ROWS: usize,
    const INSTANCES: usize,
    const PROCESSORS: usize,
    const LOCKS: usize,
> SmpMemory<S, ROWS, INSTANCES, PROCESSORS, LOCKS>
{
    /// Memory that is not used yet.
    pub const fn new() -> Self {
        Self {
            several: Smp::new(),
            // SAFETY: the memory is a static, and `create_idle` settles the threads.
            idle: [const { unsafe { Thread::zeroed() } }; PROCESSORS],
            rows: [const { Guarded::new(None) }; ROWS],
            branches: [const { Guarded::new(Branches::NONE) }; ROWS],
            limits: [const { Guarded::new(Duration::ZERO) }; ROWS],
            turns: [const { Guarded::new(0) }; ROWS],
            lenders: [const { Guarded::new(None) }; LOCKS],
            spinners: [const { Spinner::new() }; ROWS],
            homes: Homes([const { Home::EMPTY }; INSTANCES]),
            tables: Tables {
                threads: UnsafeCell::new([const { ThreadRecord::EMPTY }; ROWS]),
                nodes: UnsafeCell::new([const { [const { NodeRecord::EMPTY }; ROWS] }; INSTANCES]),
                instances: UnsafeCell::new([const { InstanceRecord::EMPTY }; INSTANCES]),
                processors: UnsafeCell::new([const { ProcessorRecord::EMPTY }; PROCESSORS]),
                contributions: UnsafeCell::new(
                    [const { [const { ContributionRecord::EMPTY }; ROWS] }; LOCKS],
                ),
                servers: UnsafeCell::new([const { ServerRecord::EMPTY }; ROWS]),
                locks: UnsafeCell::new([const { LockRecord::EMPTY }; LOCKS]),
                ends: UnsafeCell::new([const { EndsRecord::EMPTY }; LOCKS]),
                lines: UnsafeCell::new([const { [const { LineRecord::EMPTY }; INSTANCES] }; LOCKS]),
                sides: UnsafeCell::new([const { [const { SideRecord::EMPTY }; INSTANCES] }; LOCKS]),
                places: UnsafeCell::new(
                    [const { [const { PlaceRecord::EMPTY }; INSTANCES] }; ROWS],
                ),
                waits: UnsafeCell::new([const { WaitRecord::EMPTY }; ROWS]),
            },
            taken: Guarded::new(false),
        }
    }

    /// Returns the value that [`System::smp`] is to name.
    pub const fn smp(&'static self) -> &'static Smp<S> {
        &self.several
    }

    pub(super) fn homes(&'static self) -> &'static [Home] {
        &self.homes.0
    }

    /// The tables, as the library wants them. None where they were taken before.
    pub(super) fn take(&'static self, cs: CriticalSection<'_>) -> Option<Memory<'static>> {
        if self.taken.get(cs) {
            return None;
        }
        self.taken.set(cs, true);
        let tables = &self.tables;
        // SAFETY: the first time, as the flag shows, and nothing else reaches the tables: each
        // reference is the only one.
        unsafe {
            Some(Memory {
                threads: &mut *tables.threads.get(),
                nodes: (*tables.nodes.get()).as_flattened_mut(),
                instances: &mut *tables.instances.get(),
                processors: &mut *tables.processors.get(),
                contributions: (*tables.contributions.get()).as_flattened_mut(),
                servers: &mut *tables.servers.get(),
                locks: LockMemory {
                    locks: &mut *tables.locks.get(),
                    ends: &mut *tables.ends.get(),
                    lines: (*tables.lines.get()).as_flattened_mut(),
                    sides: (*tables.sides.get()).as_flattened_mut(),
                    places: (*tables.places.get()).as_flattened_mut(),
                    waits: &mut *tables.waits.get(),
                },
            })
        }
    }
}

impl<S: System, const T: usize, const I: usize, const P: usize, const L: usize> Default
    for SmpMemory<S, T, I, P, L>
{
    fn default() -> Self {
        Self::new()
    }
}
