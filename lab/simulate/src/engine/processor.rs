//! Owns: what each processor is doing, until when, and how much of what it has done.
//! Must never know: who should run on it.

use taktos_schedule::Cpu;
use taktos_schedule::smp::Effects;
use taktos_time::Instant;

use super::agenda::NEVER;
use super::draw::Draw;
use super::event::{Class, key};
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

#[derive(Clone, Debug)]
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

    fn next_key(&self) -> u64 {
        if self.held {
            return NEVER;
        }
        key(self.ends, Class::StepEnd)
            .min(key(self.budget, Class::Budget))
            .min(key(self.slice, Class::Slice))
            .min(key(self.request, Class::Dispatch))
    }
}

/// All processors, and the next event of each.
#[derive(Clone, Debug)]
pub(super) struct Processors {
    rows: Vec<Processor>,
    /// By processor; [`NEVER`] for those that are in no cluster.
    keys: Vec<u64>,
    ipi: Draw,
    ipis: u64,
    seed: u64,
}

impl Processors {
    pub fn new(count: usize, ipi: Draw, seed: u64) -> Self {
        Self {
            rows: (0..count).map(Processor::new).collect(),
            keys: vec![NEVER; count],
            ipi,
            ipis: 0,
            seed,
        }
    }

    /// The processor with this number.
    #[inline(always)]
    pub fn cpu(&self, index: usize) -> Cpu {
        // There are at most 64 rows.
        Cpu::new(index).unwrap_or(FIRST)
    }

    #[inline(always)]
    pub fn row(&self, cpu: Cpu) -> &Processor {
        &self.rows[cpu.index()]
    }

    #[inline(always)]
    pub fn row_mut(&mut self, cpu: Cpu) -> &mut Processor {
        &mut self.rows[cpu.index()]
    }

    /// To be called when a time of a row has changed.
    #[inline(always)]
    pub fn rekey(&mut self, cpu: Cpu) {
        self.keys[cpu.index()] = self.rows[cpu.index()].next_key();
    }

    /// The earliest key and its processor; of equal ones the lowest.
    #[inline(always)]
    pub fn first(&self) -> (u64, usize) {
        let mut first = (NEVER, 0);
        for (cpu, key) in self.keys.iter().enumerate() {
            if *key < first.0 {
                first = (*key, cpu);
            }
        }
        first
    }

    /// `cpu` shall look for its heir at `at`, or earlier if that is asked for already.
    pub fn request(&mut self, cpu: Cpu, at: u64) {
        let row = &mut self.rows[cpu.index()];
        row.request = row.request.min(at.max(row.since));
        self.rekey(cpu);
    }

    /// Those who wait for the registers that `cpu` has given up by `at` look again.
    #[cold]
    pub fn freed(&mut self, cpu: Cpu, at: u64) {
        for index in 0..self.rows.len() {
            if self.rows[index].waits_for == Some(cpu) {
                self.request(self.cpu(index), at);
            }
        }
    }

    /// What the library asks of the world while `acting` executes it.
    #[inline(always)]
    pub fn sink(&mut self, acting: Cpu, now: u64) -> Sink<'_> {
        let at = self.rows[acting.index()].since.max(now);
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
    #[inline]
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
        self.processors.rows[cpu.index()].budget = at.map_or(NEVER, Instant::as_nanos);
        self.processors.rekey(cpu);
    }
}
