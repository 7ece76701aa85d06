//! Owns: threads and processors as the library's deciders see them. Must never know: which decider
//! decides.
//!
//! A thread has the number of its task. No processor has an idle thread of its own: [`NOBODY`] is
//! on every processor without a thread.

use core::cell::Cell;

use taktos_schedule::smp::seats::{self, Branches, Host, Rows, World};
use taktos_schedule::smp::{self, Instance, Reasons, Thread};
use taktos_schedule::{Cpu, Links, Priority};
use taktos_time::{Duration, Instant};

use super::plan::Plan;
use super::processor::{NOBODY, NOTHING, Processors};
use super::thread_of;
use super::tournament::NEVER;
use super::waiting::Ranked;

/// As many seats as there may be processors.
const SEATS: usize = Cpu::COUNT;

/// The decider of a cluster.
pub(super) type Home = seats::Home<u16, usize, Ranked, SEATS>;
/// The decider of a cluster about which seats decide.
pub(super) type Decider<'a> = seats::Decider<'a, u16, usize, Ranked, SEATS>;
/// The library's rows with what decides about clusters.
pub(super) type Router<'a> = seats::Router<'a, u16, usize, Ranked, SEATS>;
/// The operations over seats, rows and this board.
pub(super) type Driver<'d, 'a> = seats::Driver<'d, 'a, Board, Ranked, SEATS>;

/// A thread, in half a cache line.
#[repr(align(32))]
struct Row {
    note: Cell<u64>,
    branches: Branches<u16>,
    /// By which it is scheduled.
    priority: Cell<u32>,
    home: Instance,
    /// Why it waits.
    reasons: Cell<Reasons>,
}

const _: () = assert!(size_of::<Row>() == 32, "half a cache line");

/// How much of the processors' time a thread has had, and how much it may have had when its budget
/// is used up.
#[derive(Clone, Default)]
struct Account {
    charged: Cell<u64>,
    limit: Cell<Duration>,
}

/// From what the priority of a thread comes where there are locks.
struct Raised {
    /// The one that it was given.
    base: Cell<u32>,
    /// That, or a ceiling.
    own: Cell<u32>,
    inherits: Cell<Option<u32>>,
}

/// All threads and processors.
pub(super) struct Board {
    threads: Vec<Row>,
    /// By task; none where no cluster has servers.
    accounts: Vec<Account>,
    /// The turns of those that have no seat, by task; none where no tasks have affinities.
    turns: Vec<Cell<i64>>,
    /// By task; none where there are no locks.
    raised: Vec<Raised>,
    pub processors: Processors,
}

impl Board {
    /// The threads of `plan`, which do not wait.
    pub fn new(plan: &Plan, processors: Processors) -> Self {
        let rows = plan.entries.iter().map(|task| Row {
            note: Cell::new(0),
            branches: Branches::NONE,
            priority: Cell::new(task.priority),
            home: task.home(),
            reasons: Cell::new(Reasons::NONE),
        });
        let accounts = if plan.serves() { plan.tasks.len() } else { 0 };
        let turns = if plan.shifts() { plan.tasks.len() } else { 0 };
        let raised = plan.entries.iter().map(|task| Raised {
            base: Cell::new(task.priority),
            own: Cell::new(task.priority),
            inherits: Cell::new(None),
        });
        let owners = if plan.locks.is_empty() {
            0
        } else {
            plan.tasks.len()
        };
        Self {
            threads: rows.collect(),
            raised: raised.take(owners).collect(),
            accounts: vec![Account::default(); accounts],
            turns: vec![Cell::new(0); turns],
            processors,
        }
    }

    #[inline(always)]
    fn row(&self, id: u16) -> &Row {
        &self.threads[usize::from(id)]
    }

    /// The thread is as urgent as `raised` says.
    fn schedule_by(&self, id: u16, raised: &Raised) {
        let inherits = raised.inherits.get().unwrap_or(u32::MAX);
        self.row(id).priority.set(raised.own.get().min(inherits));
    }

    /// The cluster of the task.
    #[inline(always)]
    pub fn home(&self, task: usize) -> Instance {
        self.threads[task].home
    }

    /// The thread of the task waits for these reasons, too. Whether it was ready.
    #[inline(always)]
    pub fn add_reasons(&self, task: usize, reasons: Reasons) -> bool {
        let all = &self.threads[task].reasons;
        all.replace(all.get().or(reasons)).is_empty()
    }

    /// The thread of the task does not wait for these reasons any more. Whether it is ready now,
    /// and was not.
    #[inline(always)]
    pub fn clear_reasons(&self, task: usize, reasons: Reasons) -> bool {
        let all = &self.threads[task].reasons;
        let rest = all.get().minus(reasons);
        !all.replace(rest).is_empty() && rest.is_empty()
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

    const PROCESSORS: usize = SEATS;
    const THROTTLES: bool = true;
    const COUNTS: bool = false;

    #[inline(always)]
    fn seat(&self, cpu: usize) -> usize {
        cpu
    }

    fn number_of(&self, seat: usize) -> usize {
        seat
    }

    #[inline(always)]
    fn idle(&self, _: usize) -> u16 {
        NOBODY
    }

    // Threads that count are distinguished by their numbers.
    fn priority(&self, _: u16) -> Priority {
        Priority::IDLE
    }

    #[inline(always)]
    fn number(&self, id: u16) -> smp::Priority {
        smp::Priority(self.row(id).priority.get())
    }

    fn inherit(&self, id: u16, priority: Option<smp::Priority>) {
        if let Some(raised) = self.raised.get(usize::from(id)) {
            raised.inherits.set(priority.map(|priority| priority.0));
            self.schedule_by(id, raised);
        }
    }

    #[inline(always)]
    fn note(&self, id: u16) -> u64 {
        self.row(id).note.get()
    }

    #[inline(always)]
    fn set_note(&self, id: u16, note: u64) {
        self.row(id).note.set(note);
    }

    #[inline(always)]
    fn branches(&self, id: u16) -> &Branches<u16> {
        &self.row(id).branches
    }

    #[inline(always)]
    fn heir(&self, seat: usize) -> u16 {
        self.processors.seat(seat).heir.get()
    }

    #[inline(always)]
    fn knows_heir(&self, seat: usize) -> bool {
        self.heir(seat) != NOTHING
    }

    #[inline(always)]
    fn current(&self, seat: usize) -> u16 {
        self.processors.seat(seat).task
    }

    #[inline(always)]
    fn set_heir(&self, seat: usize, heir: u16) {
        self.processors.seat(seat).heir.set(heir);
    }

    fn forget_heir(&self, seat: usize) {
        self.processors.seat(seat).heir.set(NOTHING);
    }

    fn is_due(&self, seat: usize) -> bool {
        let row = self.processors.seat(seat);
        row.heir.get() != row.task
    }

    #[inline(always)]
    fn ticks(&self) -> u64 {
        self.processors.now
    }

    // No idle thread has an account.
    #[inline(always)]
    fn charge(&self, id: u16, ticks: u64) {
        if let Some(Account { charged, .. }) = self.accounts.get(usize::from(id)) {
            charged.set(charged.get() + ticks);
        }
    }

    fn charged(&self, id: u16) -> Duration {
        let account = self.accounts.get(usize::from(id));
        Duration::from_nanos(account.map_or(0, |account| account.charged.get()))
    }

    fn limit(&self, id: u16) -> Duration {
        let account = self.accounts.get(usize::from(id));
        account.map_or(Duration::ZERO, |account| account.limit.get())
    }

    fn set_limit(&self, id: u16, limit: Duration) {
        if let Some(account) = self.accounts.get(usize::from(id)) {
            account.limit.set(limit);
        }
    }

    #[inline(always)]
    fn turn(&self, id: u16) -> i64 {
        self.turns.get(usize::from(id)).map_or(0, Cell::get)
    }

    #[inline(always)]
    fn set_turn(&self, id: u16, turn: i64) {
        if let Some(own) = self.turns.get(usize::from(id)) {
            own.set(turn);
        }
    }

    fn watch(&self, cpu: usize, left: Option<Duration>) {
        let now = self.processors.now;
        let at = left.map_or(NEVER, |left| now.saturating_add(left.as_nanos()));
        self.processors.arm(cpu, at);
    }

    #[inline(always)]
    fn watch_refill(&self, at: Option<Instant>) {
        self.processors.refill(at.map_or(NEVER, Instant::as_nanos));
    }

    // It was said with `World::appointed`.
    #[inline(always)]
    fn call(&self, _: usize, _: usize) {}

    /// Requests a dispatch, also on a processor with an earlier request, as the tables do. A
    /// processor that idles must wait for the registers of its heir then.
    #[inline(always)]
    fn appointed(&self, cpu: usize) {
        self.processors.ask(cpu);
    }
}

impl Rows for Board {
    #[inline(always)]
    fn row(&self, id: u16) -> Option<Thread> {
        let id = usize::from(id);
        (id < self.threads.len()).then(|| thread_of(id))
    }

    #[inline(always)]
    fn thread(&self, row: Thread) -> Option<u16> {
        (row.index() < self.threads.len()).then_some(row.index() as u16)
    }

    #[inline(always)]
    fn is_ready(&self, id: u16) -> bool {
        self.row(id).reasons.get().is_empty()
    }

    fn own_number(&self, id: u16) -> smp::Priority {
        let raised = self.raised.get(usize::from(id));
        raised.map_or(self.number(id), |raised| smp::Priority(raised.own.get()))
    }

    fn is_at_home(&self, id: u16, instance: Instance) -> bool {
        self.threads.get(usize::from(id)).map(|row| row.home) == Some(instance)
    }
}

impl Host for Board {
    fn base(&self, id: u16) -> smp::Priority {
        let raised = self.raised.get(usize::from(id));
        raised.map_or(self.number(id), |raised| smp::Priority(raised.base.get()))
    }

    fn set_base(&self, id: u16, base: smp::Priority) {
        if let Some(raised) = self.raised.get(usize::from(id)) {
            raised.base.set(base.0);
        }
    }

    fn set_own(&self, id: u16, own: smp::Priority) {
        if let Some(raised) = self.raised.get(usize::from(id)) {
            raised.own.set(own.0);
            self.schedule_by(id, raised);
        }
    }

    // No task goes to another cluster, and no processor leaves one.
    fn set_home(&self, _: u16, _: Instance) {}

    fn wait_for_lock(&self, id: u16, waits: bool) {
        let all = &self.row(id).reasons;
        all.set(match waits {
            true => all.get().or(Reasons::LOCK),
            false => all.get().minus(Reasons::LOCK),
        });
    }

    fn wait_for_registers(&self, _: u16, _: bool) {}
}
