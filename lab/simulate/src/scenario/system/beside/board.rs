//! Owns: threads and processors as a kernel keeps them: rings, priorities, heirs.
//! Must never know: who decides.

use std::cell::Cell;

use taktos_schedule::smp::closed::{Branches, Rows, World};
use taktos_schedule::smp::{Effects, Instance, Thread};
use taktos_schedule::{Cpu, CpuSet, Links, Priority, Ring};
use taktos_time::{Duration, Instant};

/// What a kernel knows of a thread. An idle thread has one, too.
struct Block {
    next: Cell<usize>,
    previous: Cell<usize>,
    priority: Cell<Priority>,
    ready: Cell<bool>,
    exists: Cell<bool>,
    home: Cell<Option<Instance>>,
    note: Cell<u64>,
    branches: Branches<usize>,
    charged: Cell<u64>,
    limit: Cell<Duration>,
    turn: Cell<i64>,
}

/// A processor's two words. An heir that is unknown is to be asked for by a dispatch.
#[derive(Clone, Debug)]
struct Words {
    heir: Cell<Option<usize>>,
    current: Cell<usize>,
}

/// The threads go by their rows in the table of the library; behind these are the idle ones, by their processors.
pub(in super::super) struct Board {
    blocks: Vec<Block>,
    words: Vec<Words>,
    idle_from: usize,
    ticks: Cell<u64>,
}

impl Board {
    pub fn new(threads: usize) -> Self {
        let block = |id| Block {
            next: Cell::new(id),
            previous: Cell::new(id),
            priority: Cell::new(Priority::IDLE),
            ready: Cell::new(false),
            exists: Cell::new(false),
            home: Cell::new(None),
            note: Cell::new(0),
            branches: Branches::NONE,
            charged: Cell::new(0),
            limit: Cell::new(Duration::ZERO),
            turn: Cell::new(0),
        };
        let words = |cpu| Words {
            heir: Cell::new(Some(threads + cpu)),
            current: Cell::new(threads + cpu),
        };
        Self {
            blocks: (0..threads + Cpu::COUNT).map(block).collect(),
            words: (0..Cpu::COUNT).map(words).collect(),
            idle_from: threads,
            ticks: Cell::new(0),
        }
    }

    /// The time is that from now on; a tick is a nanosecond.
    pub fn set_time(&self, now: Instant) {
        self.ticks.set(now.as_nanos());
    }

    /// How many rows threads have.
    pub fn idle_from(&self) -> usize {
        self.idle_from
    }

    pub fn is_thread(&self, id: usize) -> bool {
        id < self.idle_from
    }

    pub fn priority_of(&self, thread: Thread) -> Priority {
        self.blocks[thread.index()].priority.get()
    }

    pub fn set_priority(&self, thread: Thread, priority: Priority) {
        self.blocks[thread.index()].priority.set(priority);
    }

    /// Whether it waits for nothing.
    pub fn is_ready_now(&self, thread: Thread) -> bool {
        self.blocks[thread.index()].ready.get()
    }

    pub fn set_ready(&self, thread: Thread, ready: bool) {
        self.blocks[thread.index()].ready.set(ready);
    }

    pub fn home(&self, thread: Thread) -> Option<Instance> {
        self.blocks[thread.index()].home.get()
    }

    /// Who exists, in the order of rows.
    pub fn threads(&self) -> impl Iterator<Item = Thread> {
        let all = (0..self.idle_from).filter(|id| self.blocks[*id].exists.get());
        all.filter_map(Thread::new)
    }

    /// The thread is at home there; none: it does not exist.
    pub fn set_home(&self, thread: Thread, home: Option<Instance>) {
        let block = &self.blocks[thread.index()];
        if home.is_some() && !block.exists.get() {
            block.charged.set(0);
        }
        block.exists.set(home.is_some());
        block.home.set(home);
    }

    pub fn stands_alone(&self, thread: Thread) -> bool {
        self.is_alone(thread.index())
    }

    pub fn heir_of(&self, cpu: Cpu) -> Option<usize> {
        self.words[cpu.index()].heir.get()
    }

    pub fn appoint(&self, cpu: Cpu, heir: Option<usize>) {
        self.words[cpu.index()].heir.set(heir);
    }

    pub fn runs(&self, cpu: Cpu) -> usize {
        self.words[cpu.index()].current.get()
    }

    pub fn set_runs(&self, cpu: Cpu, id: usize) {
        self.words[cpu.index()].current.set(id);
    }

    /// Whether the processor is to be dispatched.
    pub fn is_due(&self, cpu: Cpu) -> bool {
        self.heir_of(cpu) != Some(self.runs(cpu))
    }

    /// What deciders charged the thread.
    pub fn charged(&self, thread: Thread) -> u64 {
        self.blocks[thread.index()].charged.get()
    }
}

impl Links for Board {
    type Id = usize;

    fn next(&self, id: usize) -> usize {
        self.blocks[id].next.get()
    }

    fn previous(&self, id: usize) -> usize {
        self.blocks[id].previous.get()
    }

    fn set_next(&self, id: usize, next: usize) {
        self.blocks[id].next.set(next);
    }

    fn set_previous(&self, id: usize, previous: usize) {
        self.blocks[id].previous.set(previous);
    }
}

impl World for Board {
    type Seat = usize;
    const PROCESSORS: usize = Cpu::COUNT;
    const THROTTLES: bool = true;

    fn seat(&self, cpu: usize) -> usize {
        cpu
    }

    fn number_of(&self, seat: usize) -> usize {
        seat
    }

    fn idle(&self, cpu: usize) -> usize {
        self.idle_from + cpu
    }

    fn priority(&self, id: usize) -> Priority {
        self.blocks[id].priority.get()
    }

    fn note(&self, id: usize) -> u64 {
        self.blocks[id].note.get()
    }

    fn set_note(&self, id: usize, note: u64) {
        self.blocks[id].note.set(note);
    }

    fn branches(&self, id: usize) -> &Branches<usize> {
        &self.blocks[id].branches
    }

    fn heir(&self, seat: usize) -> usize {
        // A decider asks of its own processors alone, whose heirs are known.
        self.words[seat].heir.get().unwrap_or(self.idle(seat))
    }

    fn knows_heir(&self, seat: usize) -> bool {
        self.words[seat].heir.get().is_some()
    }

    fn current(&self, seat: usize) -> usize {
        self.words[seat].current.get()
    }

    fn set_heir(&self, seat: usize, heir: usize) {
        self.words[seat].heir.set(Some(heir));
    }

    fn forget_heir(&self, seat: usize) {
        self.words[seat].heir.set(None);
    }

    fn is_due(&self, seat: usize) -> bool {
        self.words[seat].heir.get() != Some(self.words[seat].current.get())
    }

    fn ticks(&self) -> u64 {
        self.ticks.get()
    }

    fn charge(&self, id: usize, ticks: u64) {
        let charged = &self.blocks[id].charged;
        charged.set(charged.get() + ticks);
    }

    fn charged(&self, id: usize) -> Duration {
        Duration::from_nanos(self.blocks[id].charged.get())
    }

    fn limit(&self, id: usize) -> Duration {
        self.blocks[id].limit.get()
    }

    fn set_limit(&self, id: usize, limit: Duration) {
        self.blocks[id].limit.set(limit);
    }

    fn turn(&self, id: usize) -> i64 {
        self.blocks[id].turn.get()
    }

    fn set_turn(&self, id: usize, turn: i64) {
        self.blocks[id].turn.set(turn);
    }

    // Budgets are timed for both systems together.
    fn watch(&self, _: usize, _: Option<Duration>) {}

    // Who is to be dispatched is seen by the two words.
    fn call(&self, _: usize, _: usize) {}
}

impl Rows for Board {
    fn row(&self, id: usize) -> Option<Thread> {
        let exists = self.is_thread(id) && self.blocks[id].exists.get();
        Thread::new(id).filter(|_| exists)
    }

    fn thread(&self, row: Thread) -> Option<usize> {
        self.row(row.index()).map(Thread::index)
    }

    fn is_ready(&self, id: usize) -> bool {
        self.blocks[id].ready.get()
    }

    fn is_at_home(&self, id: usize, instance: Instance) -> bool {
        self.blocks[id].home.get() == Some(instance)
    }
}

/// The library's wishes: an heir becomes unknown. Budgets are timed for both systems together.
pub(in super::super) struct Forgotten<'b>(pub &'b Board);

impl Effects for Forgotten<'_> {
    fn preempt(&mut self, cpu: Cpu) {
        self.0.appoint(cpu, None);
    }

    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

/// Those of `cpus` that are to be dispatched.
pub(super) fn due(board: &Board, cpus: CpuSet) -> CpuSet {
    cpus.into_iter().filter(|cpu| board.is_due(*cpu)).collect()
}
