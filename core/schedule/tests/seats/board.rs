//! Owns: threads and processors as a kernel keeps them: idle threads after the others.
//! Must never know: the code that decides.

use super::common::{at, cpu};
use std::cell::Cell;
use taktos_schedule::smp::seats::{Branches, Home, Host, Rows, World};
use taktos_schedule::smp::{Instance, Priority as Level, Thread};
use taktos_schedule::{CpuSet, Links, Priority, Ring};
use taktos_time::{Duration, Instant};

/// The most that a system has.
pub const PROCESSORS: usize = 6;
pub const THREADS: usize = 12;
pub const LEVELS: usize = 5;

/// The threads as a kernel keeps them: idle ones after the others.
pub struct Board<'a> {
    pub homes: &'a [Home<usize, usize>],
    pub next: Vec<Cell<usize>>,
    pub previous: Vec<Cell<usize>>,
    /// Those by which they are scheduled, but for what they inherit, that, and those of their own.
    pub priority: Vec<Cell<Priority>>,
    pub inherits: Vec<Cell<Option<Priority>>>,
    pub own: Vec<Cell<Priority>>,
    pub ready: Vec<Cell<bool>>,
    /// Whether a thread waits until no processor has its registers.
    pub moving: [Cell<bool>; THREADS],
    /// Whether a thread that waits is in a queue of the world's.
    pub queued: [Cell<bool>; THREADS],
    pub home: Vec<Cell<usize>>,
    pub note: Vec<Cell<u64>>,
    pub branches: [Branches<usize>; THREADS],
    pub charged: Vec<Cell<u64>>,
    pub limit: [Cell<Duration>; THREADS],
    pub turn: [Cell<i64>; THREADS],
    pub heir: [Cell<Option<usize>>; PROCESSORS],
    pub current: [Cell<usize>; PROCESSORS],
    pub called: Cell<CpuSet>,
    pub ticks: Cell<u64>,
    /// The time at which the budget of a thread is to be checked.
    pub armed: [Cell<Option<Instant>>; PROCESSORS],
    /// When a thread that is throttled gets its budget.
    pub refill: Cell<Option<Instant>>,
}

impl<'a> Board<'a> {
    pub fn new(homes: &'a [Home<usize, usize>]) -> Self {
        let all = THREADS + PROCESSORS;
        let cells = |value: usize| vec![Cell::new(value); all];
        let board = Self {
            homes,
            next: cells(0),
            previous: cells(0),
            priority: vec![Cell::new(Priority::IDLE); all],
            inherits: vec![Cell::new(None); all],
            own: vec![Cell::new(Priority::IDLE); all],
            ready: vec![Cell::new(false); all],
            moving: [const { Cell::new(false) }; THREADS],
            queued: [const { Cell::new(false) }; THREADS],
            home: cells(usize::MAX),
            note: vec![Cell::new(0); all],
            branches: [const { Branches::NONE }; THREADS],
            charged: vec![Cell::new(0); all],
            limit: [const { Cell::new(Duration::ZERO) }; THREADS],
            turn: [const { Cell::new(0) }; THREADS],
            heir: std::array::from_fn(|cpu| Cell::new(Some(THREADS + cpu))),
            current: std::array::from_fn(|cpu| Cell::new(THREADS + cpu)),
            called: Cell::new(CpuSet::EMPTY),
            ticks: Cell::new(0),
            armed: [const { Cell::new(None) }; PROCESSORS],
            refill: Cell::new(None),
        };
        for id in 0..all {
            board.make_alone(id);
        }
        board
    }
}

impl Links for Board<'_> {
    type Id = usize;
    fn next(&self, id: usize) -> usize {
        self.next[id].get()
    }
    fn previous(&self, id: usize) -> usize {
        self.previous[id].get()
    }
    fn set_next(&self, id: usize, next: usize) {
        self.next[id].set(next);
    }
    fn set_previous(&self, id: usize, previous: usize) {
        self.previous[id].set(previous);
    }
}

impl World for Board<'_> {
    type Seat = usize;
    const PROCESSORS: usize = PROCESSORS;
    const THROTTLES: bool = true;
    fn seat(&self, cpu: usize) -> usize {
        cpu
    }
    fn number_of(&self, seat: usize) -> usize {
        seat
    }
    fn idle(&self, cpu: usize) -> usize {
        THREADS + cpu
    }
    fn inherit(&self, id: usize, priority: Option<Level>) {
        let priority = priority.and_then(|level| Priority::new(level.0 as u8));
        self.inherits[id].set(priority);
    }
    fn note(&self, id: usize) -> u64 {
        self.note[id].get()
    }
    fn set_note(&self, id: usize, note: u64) {
        assert!(id < THREADS, "idle threads have no seats");
        self.note[id].set(note);
    }
    fn branches(&self, id: usize) -> &Branches<usize> {
        &self.branches[id]
    }
    fn priority(&self, id: usize) -> Priority {
        let own = self.priority[id].get();
        let inherits = self.inherits[id].get();
        inherits.map_or(own, |inherited| own.or_urgent(inherited))
    }
    fn heir(&self, seat: usize) -> usize {
        self.heir[seat].get().expect("the heir is known")
    }
    fn knows_heir(&self, seat: usize) -> bool {
        self.heir[seat].get().is_some()
    }
    fn current(&self, seat: usize) -> usize {
        self.current[seat].get()
    }
    fn set_heir(&self, seat: usize, heir: usize) {
        self.heir[seat].set(Some(heir));
    }
    fn forget_heir(&self, seat: usize) {
        self.heir[seat].set(None);
    }
    fn is_due(&self, seat: usize) -> bool {
        self.heir[seat].get() != Some(self.current(seat))
    }
    fn ticks(&self) -> u64 {
        self.ticks.get()
    }
    fn charge(&self, id: usize, ticks: u64) {
        self.charged[id].set(self.charged[id].get() + ticks);
    }
    fn charged(&self, id: usize) -> Duration {
        assert!(id < THREADS, "idle threads have no budget");
        Duration::from_nanos(self.charged[id].get())
    }
    fn limit(&self, id: usize) -> Duration {
        self.limit[id].get()
    }
    fn set_limit(&self, id: usize, limit: Duration) {
        self.limit[id].set(limit);
    }
    fn turn(&self, id: usize) -> i64 {
        self.turn[id].get()
    }
    fn set_turn(&self, id: usize, turn: i64) {
        self.turn[id].set(turn);
    }
    fn watch(&self, cpu: usize, left: Option<Duration>) {
        self.armed[cpu].set(left.map(|left| at(self.ticks.get()).saturating_add(left)));
    }
    fn watch_refill(&self, at: Option<Instant>) {
        self.refill.set(at);
    }
    fn call(&self, seat: usize, number: usize) {
        assert_eq!(seat, number);
        assert!(self.is_due(seat), "called for nothing");
        self.called.set(self.called.get().with(cpu(seat)));
    }
}

impl Rows for Board<'_> {
    fn row(&self, id: usize) -> Option<Thread> {
        (id < THREADS).then(|| Thread::new(id).unwrap())
    }
    fn thread(&self, row: Thread) -> Option<usize> {
        (row.index() < THREADS).then(|| row.index())
    }
    fn is_ready(&self, id: usize) -> bool {
        self.ready[id].get() && !self.moving[id].get()
    }
    fn own_number(&self, id: usize) -> Level {
        level(self.priority[id].get())
    }
    fn is_at_home(&self, id: usize, instance: Instance) -> bool {
        id < THREADS && self.home[id].get() == instance.index()
    }
}

impl Host for Board<'_> {
    fn base(&self, id: usize) -> Level {
        level(self.own[id].get())
    }
    fn set_base(&self, id: usize, base: Level) {
        self.own[id].set(priority(base));
    }
    fn set_own(&self, id: usize, own: Level) {
        self.priority[id].set(priority(own));
    }
    fn set_home(&self, id: usize, instance: Instance) {
        self.home[id].set(instance.index());
    }
    fn wait_for_lock(&self, id: usize, waits: bool) {
        self.ready[id].set(!waits);
    }
    fn wait_for_registers(&self, id: usize, waits: bool) {
        if id < THREADS {
            self.moving[id].set(waits);
        }
    }
}

pub fn row(id: usize) -> Thread {
    Thread::new(id).unwrap()
}

pub fn instance(index: usize) -> Instance {
    Instance::new(index).unwrap()
}

pub fn level(priority: Priority) -> Level {
    Level(priority.level().into())
}

pub fn priority(level: Level) -> Priority {
    Priority::new(level.0 as u8).unwrap()
}
