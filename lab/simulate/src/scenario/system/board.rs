//! Owns: threads and processors as the library's deciders see them.
//! Must never know: which decider decides.

use std::cell::Cell;

use taktos_schedule::smp::seats::{Branches, Host, Rows, World};
use taktos_schedule::smp::{self, Instance, Reasons, Thread};
use taktos_schedule::{Cpu, CpuSet, Links, Priority};
use taktos_time::{Duration, Instant};

/// A thread. An idle one has a row, too.
struct Row {
    base: Cell<smp::Priority>,
    own: Cell<smp::Priority>,
    inherits: Cell<Option<smp::Priority>>,
    reasons: Cell<Reasons>,
    /// Whether it waits until no processor has its registers.
    moving: Cell<bool>,
    /// None where there is no such thread.
    home: Cell<Option<Instance>>,
    note: Cell<u64>,
    branches: Branches<u16>,
    charged: Cell<u64>,
    limit: Cell<Duration>,
    turn: Cell<i64>,
}

/// A processor. If its heir is unknown, a dispatch must query it.
struct Seat {
    heir: Cell<Option<u16>>,
    current: Cell<u16>,
    /// When a budget is to be looked at there.
    alarm: Cell<Option<Instant>>,
}

/// The threads go by their rows in the library's table. After these come the idle ones, by their
/// processors, and then those that are no more, by the processors that have their registers.
pub(super) struct Board {
    rows: Vec<Row>,
    seats: Vec<Seat>,
    idle_from: u16,
    now: Cell<Instant>,
    /// When a thread that is throttled gets its budget.
    refill: Cell<Option<Instant>>,
}

const LEAST: smp::Priority = smp::Priority(u32::MAX);

impl Board {
    /// Returns a board with space for `threads` threads; all processors idle.
    pub fn new(threads: usize) -> Self {
        let idle_from = threads as u16;
        let row = |_| Row {
            base: Cell::new(LEAST),
            own: Cell::new(LEAST),
            inherits: Cell::new(None),
            reasons: Cell::new(Reasons::NONE),
            moving: Cell::new(false),
            home: Cell::new(None),
            note: Cell::new(0),
            branches: Branches::NONE,
            charged: Cell::new(0),
            limit: Cell::new(Duration::ZERO),
            turn: Cell::new(0),
        };
        let seat = |cpu| Seat {
            heir: Cell::new(Some(idle_from + cpu as u16)),
            current: Cell::new(idle_from + cpu as u16),
            alarm: Cell::new(None),
        };
        Self {
            rows: (0..threads + 2 * Cpu::COUNT).map(row).collect(),
            seats: (0..Cpu::COUNT).map(seat).collect(),
            idle_from,
            now: Cell::new(Instant::START),
            refill: Cell::new(None),
        }
    }

    /// The time is that from now on; a tick is a nanosecond.
    pub fn set_time(&self, now: Instant) {
        self.now.set(now);
    }

    /// The time.
    pub fn time(&self) -> Instant {
        self.now.get()
    }

    /// The thread is new, and dormant.
    pub fn begin(&self, thread: Thread, home: Instance, priority: smp::Priority) {
        let row = &self.rows[thread.index()];
        row.home.set(Some(home));
        row.base.set(priority);
        row.own.set(priority);
        row.inherits.set(None);
        row.reasons.set(Reasons::DORMANT);
        row.moving.set(false);
        row.charged.set(0);
    }

    /// The thread is no more; a processor that has its registers keeps them until it is dispatched.
    pub fn end(&self, thread: Thread) {
        let id = thread.index() as u16;
        self.rows[usize::from(id)].home.set(None);
        self.rows[usize::from(id)].moving.set(false);
        for (cpu, seat) in self.seats.iter().enumerate() {
            if seat.current.get() == id {
                seat.current.set(self.idle_from + (Cpu::COUNT + cpu) as u16);
            }
        }
    }

    /// Why the thread waits, but for its budget.
    pub fn reasons(&self, thread: Thread) -> Reasons {
        self.rows[thread.index()].reasons.get()
    }

    /// Whether the thread has a home, and so exists.
    pub fn exists(&self, thread: Thread) -> bool {
        self.rows[thread.index()].home.get().is_some()
    }

    /// The thread waits for these reasons, too. Whether it was ready.
    pub fn add_reasons(&self, thread: Thread, reasons: Reasons) -> bool {
        let was_ready = self.is_ready(thread.index() as u16);
        let all = &self.rows[thread.index()].reasons;
        all.set(all.get().or(reasons));
        was_ready && !self.is_ready(thread.index() as u16)
    }

    /// The thread does not wait for these reasons any more. Whether it is ready by that.
    pub fn clear_reasons(&self, thread: Thread, reasons: Reasons) -> bool {
        let was_ready = self.is_ready(thread.index() as u16);
        let all = &self.rows[thread.index()].reasons;
        all.set(all.get().minus(reasons));
        !was_ready && self.is_ready(thread.index() as u16)
    }

    /// Returns the thread with its registers on the processor; also an idle one, or a deleted one.
    pub fn runs(&self, cpu: Cpu) -> u16 {
        self.seats[cpu.index()].current.get()
    }

    /// Sets [`Board::runs`].
    pub fn set_runs(&self, cpu: Cpu, id: u16) {
        self.seats[cpu.index()].current.set(id);
    }

    /// The processor is to be dispatched.
    pub fn forget(&self, cpu: Cpu) {
        self.seats[cpu.index()].heir.set(None);
    }

    /// Those of `cpus` that are to be dispatched.
    pub fn due(&self, cpus: CpuSet) -> CpuSet {
        let is_due = |cpu: &Cpu| World::is_due(self, cpu.index());
        cpus.into_iter().filter(is_due).collect()
    }

    /// The next time at which budgets are to be looked at, and by which of the processors: the
    /// first of them for a refill.
    pub fn next_alarm(&self, online: CpuSet) -> Option<(Instant, Cpu)> {
        let refill = self.refill.get().zip(online.lowest());
        let alarm = |cpu: Cpu| Some((self.seats[cpu.index()].alarm.get()?, cpu));
        let alarms = online.into_iter().filter_map(alarm);
        refill.into_iter().chain(alarms).min_by_key(|(at, _)| *at)
    }

    /// An alarm that was due by now is over.
    pub fn disarm(&self, cpu: Cpu) {
        let alarm = &self.seats[cpu.index()].alarm;
        alarm.set(alarm.get().filter(|at| *at > self.now.get()));
    }

    /// The time for which the thread had a seat, as far as it was charged.
    pub fn charged_to(&self, thread: Thread) -> Duration {
        Duration::from_nanos(self.rows[thread.index()].charged.get())
    }
}

/// No thread is in a ring.
impl Links for Board {
    type Id = u16;

    fn next(&self, id: u16) -> u16 {
        id
    }

    fn previous(&self, id: u16) -> u16 {
        id
    }

    fn set_next(&self, _: u16, _: u16) {}

    fn set_previous(&self, _: u16, _: u16) {}
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

    fn idle(&self, cpu: usize) -> u16 {
        self.idle_from + cpu as u16
    }

    // Threads that count are distinguished by their numbers.
    fn priority(&self, _: u16) -> Priority {
        Priority::IDLE
    }

    fn number(&self, id: u16) -> smp::Priority {
        let row = &self.rows[usize::from(id)];
        let inherits = row.inherits.get().unwrap_or(LEAST);
        row.own.get().min(inherits)
    }

    fn inherit(&self, id: u16, priority: Option<smp::Priority>) {
        self.rows[usize::from(id)].inherits.set(priority);
    }

    fn note(&self, id: u16) -> u64 {
        self.rows[usize::from(id)].note.get()
    }

    fn set_note(&self, id: u16, note: u64) {
        self.rows[usize::from(id)].note.set(note);
    }

    fn branches(&self, id: u16) -> &Branches<u16> {
        &self.rows[usize::from(id)].branches
    }

    fn heir(&self, seat: usize) -> u16 {
        // A decider queries only its own processors, and their heirs are known.
        self.seats[seat].heir.get().unwrap_or(self.idle(seat))
    }

    fn knows_heir(&self, seat: usize) -> bool {
        self.seats[seat].heir.get().is_some()
    }

    fn current(&self, seat: usize) -> u16 {
        self.seats[seat].current.get()
    }

    fn set_heir(&self, seat: usize, heir: u16) {
        self.seats[seat].heir.set(Some(heir));
    }

    fn forget_heir(&self, seat: usize) {
        self.seats[seat].heir.set(None);
    }

    fn is_due(&self, seat: usize) -> bool {
        self.seats[seat].heir.get() != Some(self.seats[seat].current.get())
    }

    fn ticks(&self) -> u64 {
        self.now.get().as_nanos()
    }

    fn charge(&self, id: u16, ticks: u64) {
        let charged = &self.rows[usize::from(id)].charged;
        charged.set(charged.get() + ticks);
    }

    fn charged(&self, id: u16) -> Duration {
        Duration::from_nanos(self.rows[usize::from(id)].charged.get())
    }

    fn limit(&self, id: u16) -> Duration {
        self.rows[usize::from(id)].limit.get()
    }

    fn set_limit(&self, id: u16, limit: Duration) {
        self.rows[usize::from(id)].limit.set(limit);
    }

    fn turn(&self, id: u16) -> i64 {
        self.rows[usize::from(id)].turn.get()
    }

    fn set_turn(&self, id: u16, turn: i64) {
        self.rows[usize::from(id)].turn.set(turn);
    }

    fn watch(&self, cpu: usize, left: Option<Duration>) {
        let at = left.map(|left| self.now.get().saturating_add(left));
        self.seats[cpu].alarm.set(at);
    }

    fn watch_refill(&self, at: Option<Instant>) {
        self.refill.set(at);
    }

    // Processors that are to be dispatched are seen by their two words.
    fn call(&self, _: usize, _: usize) {}
}

impl Rows for Board {
    fn row(&self, id: u16) -> Option<Thread> {
        Thread::new(id.into())
            .filter(|_| id < self.idle_from && self.rows[usize::from(id)].home.get().is_some())
    }

    fn thread(&self, row: Thread) -> Option<u16> {
        let id = row.index() as u16;
        self.row(id).map(|_| id)
    }

    fn is_ready(&self, id: u16) -> bool {
        let row = &self.rows[usize::from(id)];
        row.reasons.get().is_empty() && !row.moving.get()
    }

    fn is_at_home(&self, id: u16, instance: Instance) -> bool {
        self.rows
            .get(usize::from(id))
            .and_then(|row| row.home.get())
            == Some(instance)
    }

    fn own_number(&self, id: u16) -> smp::Priority {
        self.rows[usize::from(id)].own.get()
    }
}

impl Host for Board {
    fn base(&self, id: u16) -> smp::Priority {
        self.rows[usize::from(id)].base.get()
    }

    fn set_base(&self, id: u16, base: smp::Priority) {
        self.rows[usize::from(id)].base.set(base);
    }

    fn set_own(&self, id: u16, own: smp::Priority) {
        self.rows[usize::from(id)].own.set(own);
    }

    fn set_home(&self, id: u16, instance: Instance) {
        self.rows[usize::from(id)].home.set(Some(instance));
    }

    fn wait_for_lock(&self, id: u16, waits: bool) {
        let all = &self.rows[usize::from(id)].reasons;
        all.set(match waits {
            true => all.get().or(Reasons::LOCK),
            false => all.get().minus(Reasons::LOCK),
        });
    }

    fn wait_for_registers(&self, id: u16, waits: bool) {
        self.rows[usize::from(id)].moving.set(waits);
    }
}
