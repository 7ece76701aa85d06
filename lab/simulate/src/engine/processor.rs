//! Owns: the present activity of each processor, its end, and the time of each activity so far.
//! Must never know: the thread that should run on a processor.

use core::cell::Cell;

use taktos_schedule::{Cpu, CpuSet};

use super::draw::Draw;
use super::event::{Class, key};
use super::plan::CostPlan;
use super::tournament::{NEVER, Tournament};
use crate::CpuStatistics;

/// In place of a task: an idle thread.
pub(super) const NOBODY: u16 = u16::MAX;
/// In place of a task: no thread at all, as the heir's registers are elsewhere.
pub(super) const NOTHING: u16 = u16::MAX - 1;

/// The first of all processors.
pub(super) const FIRST: Cpu = match Cpu::new(0) {
    Some(cpu) => cpu,
    None => panic!("there is a first processor"),
};

/// Use of a processor's time.
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
    /// Task of the thread that the processor executes, [`NOBODY`] or [`NOTHING`].
    pub task: u16,
    pub doing: Use,
    /// Its time is accounted up to here. Beyond now: the kernel works until then.
    pub since: u64,
    /// When the step that it executes is over.
    pub ends: u64,
    /// When it looks for its heir.
    pub request: Cell<u64>,
    /// When the budget of what it executes is used up.
    pub budget: Cell<u64>,
    /// When the slice of what it executes is used up.
    pub slice: u64,
    /// Since when the kernel works on it, while it does.
    pub kernel_since: u64,
    /// It waits for the registers of its heir, which are on this processor.
    pub waits_for: Option<Cpu>,
    /// The heir: a task, [`NOBODY`], or [`NOTHING`] if the library must be queried for it.
    pub heir: Cell<u16>,
    /// Whether the world above keeps it from executing (a virtual processor that is not
    /// scheduled).
    pub held: bool,
    /// Time of kernel work that was left when the processor was held.
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
            request: Cell::new(NEVER),
            budget: Cell::new(NEVER),
            slice: NEVER,
            kernel_since: 0,
            waits_for: None,
            heir: Cell::new(NOTHING),
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
        self.request.get() <= self.since
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
        // Work that the kernel would have done afterwards was charged in advance.
        self.statistics.overhead -= self.since - horizon;
        self.since = horizon;
    }

    /// The key of its next event, but of a dispatch where it `is_due`.
    #[inline(always)]
    fn next_key(&self, is_due: bool) -> u64 {
        if self.held {
            return NEVER;
        }
        let first = key(self.ends, Class::StepEnd);
        let request = if is_due { NEVER } else { self.request.get() };
        if request & self.budget.get() & self.slice == NEVER {
            return first;
        }
        let first = first.min(key(request, Class::Dispatch));
        let budget = key(self.budget.get(), Class::Budget);
        first.min(budget).min(key(self.slice, Class::Slice))
    }
}

/// All processors, and the next event of each.
#[derive(Clone, Debug)]
pub(super) struct Processors {
    rows: Box<[Processor; Cpu::COUNT]>,
    /// The processors that wait for registers.
    waiting: CpuSet,
    /// The instant of the event at work.
    pub now: u64,
    /// Their next events, but dispatches at this instant; never for those that are in no cluster.
    next: Tournament,
    /// The processors that look for their heirs at this instant.
    due: Cell<CpuSet>,
    /// Processors with rows that have changed since the last look-up of their next events.
    changed: Cell<CpuSet>,
    /// Whether no act of the kernel costs anything: then none is at work beyond this instant.
    is_free: bool,
    ipi: Draw,
    ipis: Cell<u64>,
    seed: u64,
    /// The processor that executes the library.
    acting: Cell<Cpu>,
    /// When a thread that is throttled gets its budget, which the first processor sees to; and
    /// when the budget of what that one executes is used up.
    refill: Cell<u64>,
    first_budget: Cell<u64>,
    first: usize,
}

impl Processors {
    /// Those of `cpus`, and all with lower numbers, for acts of the kernel with these costs.
    pub fn new(cpus: CpuSet, costs: &CostPlan, seed: u64) -> Self {
        let count = cpus.highest().map_or(0, |cpu| cpu.index() + 1);
        Self {
            rows: Box::new(core::array::from_fn(Processor::new)),
            waiting: CpuSet::EMPTY,
            now: 0,
            next: Tournament::new(count),
            due: Cell::new(CpuSet::EMPTY),
            changed: Cell::new(CpuSet::EMPTY),
            is_free: costs.are_zero(),
            ipi: costs.ipi.clone(),
            ipis: Cell::new(0),
            seed,
            acting: Cell::new(FIRST),
            refill: Cell::new(NEVER),
            first_budget: Cell::new(NEVER),
            first: cpus.lowest().unwrap_or(FIRST).index(),
        }
    }

    #[inline(always)]
    pub fn row(&self, cpu: Cpu) -> &Processor {
        &self.rows[cpu.index()]
    }

    /// Returns the row for changes of its times. [`Processors::refresh`] finds the next event.
    #[inline(always)]
    pub fn row_mut(&mut self, cpu: Cpu) -> &mut Processor {
        self.mark(cpu);
        &mut self.rows[cpu.index()]
    }

    /// It is `at`, if it was earlier.
    #[inline(always)]
    pub fn reach(&mut self, at: u64) {
        self.now = self.now.max(at);
    }

    /// The row of a processor that is known to change in this event, as [`Processors::row_mut`]
    /// was called for it.
    #[inline(always)]
    pub fn changing(&mut self, cpu: Cpu) -> &mut Processor {
        debug_assert!(self.changed.get().contains(cpu), "it was said before");
        &mut self.rows[cpu.index()]
    }

    /// Looks the next events of the rows up that have changed: once an event, whatever states a row
    /// went through.
    #[inline(always)]
    pub fn refresh(&mut self) {
        let due = self.due.get();
        for cpu in self.changed.replace(CpuSet::EMPTY) {
            let key = self.rows[cpu.index()].next_key(due.contains(cpu));
            self.next.set(cpu.index(), key);
        }
    }

    /// The earliest key but that of a dispatch at this instant, as of the last
    /// [`Processors::refresh`].
    #[inline(always)]
    pub fn next(&self) -> u64 {
        debug_assert!(self.changed.get().is_empty(), "the rows have changed since");
        self.next.first()
    }

    /// The key of the dispatches at this instant; [`NEVER`] where there is none.
    #[inline(always)]
    pub fn due(&self) -> u64 {
        match self.due.get().is_empty() {
            true => NEVER,
            false => key(self.now, Class::Dispatch),
        }
    }

    /// Returns the processor with the earliest key, without the dispatches at this instant; of
    /// equal keys the lowest processor.
    #[inline(always)]
    pub fn holder(&self) -> Cpu {
        // There are at most 64 rows.
        Cpu::new(self.next.winner()).unwrap_or(FIRST)
    }

    /// Takes the first of the processors that look for their heirs at this instant.
    #[inline(always)]
    pub fn take_due(&self) -> Cpu {
        let due = self.due.get();
        let cpu = due.lowest().unwrap_or(FIRST);
        self.due.set(due.without(cpu));
        cpu
    }

    /// Takes the processor with the dispatch that is the earliest of the next events. If other
    /// processors look for their heirs at the same instant, takes the lowest of all.
    #[cold]
    pub fn take_dispatch(&self) -> Cpu {
        let holder = self.holder();
        let cpu = match self.next.first() == self.due() {
            true => self
                .due
                .get()
                .lowest()
                .map_or(holder, |due| due.min(holder)),
            false => holder,
        };
        self.put_off(cpu);
        cpu
    }

    /// Requests that `cpu` looks for its heir at `at`, or earlier if that is requested already.
    #[inline(always)]
    pub fn request(&self, cpu: Cpu, at: u64) {
        let row = self.row(cpu);
        let at = row.request.get().min(at.max(row.since));
        row.request.set(at);
        if at == self.now && !row.held {
            self.due.set(self.due.get().with(cpu));
        } else {
            self.mark(cpu);
        }
    }

    /// `cpu` looks for its heir when the world above has given it back, if it was to look now.
    pub fn put_off(&self, cpu: Cpu) {
        self.due.set(self.due.get().without(cpu));
    }

    /// The next event of `cpu` is to be looked up.
    #[inline(always)]
    fn mark(&self, cpu: Cpu) {
        self.changed.set(self.changed.get().with(cpu));
    }

    /// The budget of what the processor with this number executes is used up at `at`.
    pub fn arm(&self, cpu: usize, at: u64) {
        if cpu == self.first {
            self.first_budget.set(at);
        }
        self.set_budget(cpu, at);
    }

    /// A thread that is throttled gets its budget at `at`.
    #[inline(always)]
    pub fn refill(&self, at: u64) {
        if self.refill.replace(at) != at {
            self.set_budget(self.first, self.first_budget.get());
        }
    }

    /// `cpu` is to look at budgets at `at`, or where it is the first at that of the refill.
    fn set_budget(&self, cpu: usize, at: u64) {
        let refill = if cpu == self.first {
            self.refill.get()
        } else {
            NEVER
        };
        self.mark(Cpu::new(cpu).unwrap_or(FIRST));
        self.seat(cpu).budget.set(at.min(refill));
    }

    /// The row of the processor with this number.
    #[inline(always)]
    pub fn seat(&self, cpu: usize) -> &Processor {
        &self.rows[cpu % Cpu::COUNT]
    }

    /// `cpu` waits for the registers of its heir, which are on the processor `on`.
    pub fn wait(&mut self, cpu: Cpu, on: Cpu) {
        self.changing(cpu).waits_for = Some(on);
        self.waiting = self.waiting.with(cpu);
    }

    /// `cpu` waits for no registers any more.
    #[inline(always)]
    pub fn end_waiting(&mut self, cpu: Cpu) {
        if !self.waiting.is_empty() {
            self.changing(cpu).waits_for = None;
            self.waiting = self.waiting.without(cpu);
        }
    }

    /// Requests a dispatch of the processors that wait for the registers on `cpu`, which is about
    /// to give them up.
    pub fn tell_waiting(&self, cpu: Cpu) {
        self.waiting_for(cpu)
            .for_each(|waiting| self.ask(waiting.index()));
    }

    /// Makes the processors that wait for the registers of `cpu` look for their heirs again, as
    /// soon as `cpu` has given these up.
    #[inline(always)]
    pub fn let_go(&self, cpu: Cpu) {
        if !self.waiting.is_empty() {
            let at = self.row(cpu).since;
            self.waiting_for(cpu)
                .for_each(|waiting| self.request(waiting, at));
        }
    }

    /// Returns the processors that wait for registers that are on `cpu`, or were.
    fn waiting_for(&self, cpu: Cpu) -> impl Iterator<Item = Cpu> {
        let waits = move |waiting: &Cpu| self.row(*waiting).waits_for == Some(cpu);
        self.waiting.into_iter().filter(waits)
    }

    /// From now on it is `acting` that executes the library.
    #[inline(always)]
    pub fn act_on(&self, acting: Cpu) {
        self.acting.set(acting);
    }

    /// Requests a dispatch for the library on the processor with this number, as soon as possible.
    #[inline(always)]
    pub fn ask(&self, cpu: usize) {
        // There are at most 64 rows.
        let cpu = Cpu::new(cpu).unwrap_or(FIRST);
        let row = self.row(cpu);
        if self.is_free && row.request.get() == NEVER && !row.held {
            row.request.set(self.now);
            self.due.set(self.due.get().with(cpu));
        } else {
            self.ask_at_cost(cpu);
        }
    }

    /// [`Processors::ask`] if an operation of the kernel may cost something, or the processor has a
    /// request already.
    #[inline(never)]
    fn ask_at_cost(&self, cpu: Cpu) {
        let acting = self.acting.get();
        let mut at = self.row(acting).since.max(self.now);
        if cpu != acting {
            let place = self.ipis.replace(self.ipis.get() + 1);
            at += self.ipi.at(self.seed, place);
        }
        self.request(cpu, at);
    }
}
