//! Owns: what each processor is doing, until when, and how much of what it has done.
//! Must never know: who should run on it.

use taktos_schedule::smp::Effects;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Instant;

use super::draw::Draw;
use super::event::{Class, key};
use super::tournament::{NEVER, Tournament};
use crate::CpuStatistics;

/// In place of a task: an idle thread.
pub(super) const NOBODY: u16 = u16::MAX;
/// In place of a task: no thread at all, as the heir's registers are elsewhere.
pub(super) const NOTHING: u16 = u16::MAX - 1;

const FIRST: Cpu = match Cpu::new(0) {
    Some(cpu) => cpu,
    None => panic!("there is a first processor"),
};

/// What a processor's time goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// An idle thread.
    Idle,
    /// A job's step.
    Busy,
    /// A job that spins.
    Spin,
    /// The kernel: costs, and the wait for a dispatch that is due.
    Kernel,
    /// The world above: it is a virtual processor that does not run.
    Stolen,
}

/// Two cache lines, so that a row is found by a shift.
#[derive(Clone, Debug)]
#[repr(align(128))]
pub(super) struct Processor {
    /// The task whose thread it executes, [`NOBODY`] or [`NOTHING`].
    pub task: u16,
    pub doing: Use,
    /// Its time is accounted up to here. Beyond now: the kernel works until then.
    pub since: u64,
    /// When the step that it executes is over.
    pub ends: u64,
    /// When it looks for its heir.
    pub request: u64,
    /// When the budget of what it executes is used up.
    pub budget: u64,
    /// When the slice of what it executes is used up.
    pub slice: u64,
    /// Since when the kernel works on it, while it does.
    pub kernel_since: u64,
    /// It waits for the registers of its heir, which are on this processor.
    pub waits_for: Option<Cpu>,
    /// Whether the world above keeps it from executing (a virtual processor that is not scheduled).
    pub held: bool,
    /// What the kernel still had to do when it was held.
    pub owed: u64,
    pub statistics: CpuStatistics,
}

impl Processor {
    fn new(cpu: usize) -> Self {
        Self {
            task: NOBODY,
            doing: Use::Idle,
            since: 0,
            ends: NEVER,
            request: NEVER,
            budget: NEVER,
            slice: NEVER,
            kernel_since: 0,
            waits_for: None,
            held: false,
            owed: 0,
            statistics: CpuStatistics {
                cpu: cpu as u8,
                ..CpuStatistics::default()
            },
        }
    }

    /// Accounts its time up to `now`; how much went by since the last time.
    #[inline(always)]
    pub fn settle(&mut self, now: u64) -> u64 {
        if now <= self.since {
            return 0;
        }
        let passed = now - self.since;
        self.since = now;
        let statistics = &mut self.statistics;
        match self.doing {
            Use::Busy => statistics.busy += passed,
            Use::Idle => statistics.idle += passed,
            Use::Kernel => statistics.overhead += passed,
            Use::Stolen => statistics.stolen += passed,
            Use::Spin => {
                statistics.busy += passed;
                statistics.spinning += passed;
            }
        }
        passed
    }

    /// Whether another than the one that it executes may be its heir already.
    #[inline(always)]
    pub fn has_lost(&self) -> bool {
        self.request <= self.since
    }

    /// Where its heir has changed at this instant, it begins nothing before it has looked.
    #[inline(always)]
    pub fn park(&mut self) {
        if self.ends == self.since && self.has_lost() {
            self.ends = NEVER;
        }
    }

    /// From now on the kernel works on it; its time has been settled.
    #[inline(always)]
    pub fn enter_kernel(&mut self) {
        if self.doing != Use::Kernel {
            self.doing = Use::Kernel;
            self.kernel_since = self.since;
        }
        self.ends = NEVER;
    }

    /// The kernel works on it for `cost`; its time has been settled.
    #[inline(always)]
    pub fn charge(&mut self, cost: u64) {
        self.statistics.overhead += cost;
        self.since += cost;
    }

    /// Closes the account at `horizon`.
    pub fn close(&mut self, horizon: u64) {
        self.settle(horizon);
        // What the kernel would have done afterwards was charged in advance.
        self.statistics.overhead -= self.since - horizon;
        self.since = horizon;
    }

    #[inline(always)]
    fn next_key(&self) -> u64 {
        if self.held {
            return NEVER;
        }
        let first = key(self.ends, Class::StepEnd).min(key(self.request, Class::Dispatch));
        if self.budget.min(self.slice) == NEVER {
            return first;
        }
        let budget = key(self.budget, Class::Budget);
        first.min(budget).min(key(self.slice, Class::Slice))
    }
}

/// All processors, and the next event of each.
#[derive(Clone, Debug)]
pub(super) struct Processors {
    rows: Box<[Processor; Cpu::COUNT]>,
    /// How many rows are in use.
    count: usize,
    /// Their next events; never for those that are in no cluster.
    next: Tournament,
    /// The processors whose rows have changed since their next events were looked up.
    changed: CpuSet,
    ipi: Draw,
    ipis: u64,
    seed: u64,
}

impl Processors {
    pub fn new(count: usize, ipi: Draw, seed: u64) -> Self {
        Self {
            rows: Box::new(core::array::from_fn(Processor::new)),
            count,
            next: Tournament::new(count),
            changed: CpuSet::EMPTY,
            ipi,
            ipis: 0,
            seed,
        }
    }

    #[inline(always)]
    pub fn row(&self, cpu: Cpu) -> &Processor {
        &self.rows[cpu.index()]
    }

    /// The row, whose times may change: what follows is found by [`Processors::refresh`].
    #[inline(always)]
    pub fn row_mut(&mut self, cpu: Cpu) -> &mut Processor {
        self.changed = self.changed.with(cpu);
        &mut self.rows[cpu.index()]
    }

    /// Looks the next events of the rows up that have changed: once an event, whatever states a row
    /// went through.
    #[inline(always)]
    pub fn refresh(&mut self) {
        for cpu in core::mem::take(&mut self.changed) {
            self.next
                .set(cpu.index(), self.rows[cpu.index()].next_key());
        }
    }

    /// The earliest key, as of the last [`Processors::refresh`].
    #[inline(always)]
    pub fn first(&self) -> u64 {
        debug_assert!(self.changed.is_empty(), "the rows have changed since");
        self.next.first()
    }

    /// The processor whose key is the earliest; of equal ones the lowest.
    #[inline(always)]
    pub fn holder(&self) -> Cpu {
        // There are at most 64 rows.
        Cpu::new(self.next.winner()).unwrap_or(FIRST)
    }

    /// `cpu` shall look for its heir at `at`, or earlier if that is asked for already.
    #[inline(always)]
    pub fn request(&mut self, cpu: Cpu, at: u64) {
        let row = self.row_mut(cpu);
        row.request = row.request.min(at.max(row.since));
    }

    /// Those who wait for the registers that `cpu` has given up by `at` look again.
    #[cold]
    pub fn freed(&mut self, cpu: Cpu, at: u64) {
        for waiting in CpuSet::first(self.count) {
            if self.row(waiting).waits_for == Some(cpu) {
                self.request(waiting, at);
            }
        }
    }

    /// What the library asks of the world while `acting` executes it.
    #[inline(always)]
    pub fn sink(&mut self, acting: Cpu, now: u64) -> Sink<'_> {
        let at = self.row(acting).since.max(now);
        Sink {
            processors: self,
            acting,
            at,
        }
    }
}

/// Takes down what the library asks for: it is done as soon as the processor can.
pub(super) struct Sink<'e> {
    processors: &'e mut Processors,
    acting: Cpu,
    /// When the acting processor is through with what it does now.
    at: u64,
}

impl Effects for Sink<'_> {
    #[inline(always)]
    fn preempt(&mut self, cpu: Cpu) {
        let mut at = self.at;
        if cpu != self.acting {
            let processors = &mut *self.processors;
            at += processors.ipi.at(processors.seed, processors.ipis);
            processors.ipis += 1;
        }
        self.processors.request(cpu, at);
    }

    fn arm(&mut self, cpu: Cpu, at: Option<Instant>) {
        self.processors.row_mut(cpu).budget = at.map_or(NEVER, Instant::as_nanos);
    }
}
