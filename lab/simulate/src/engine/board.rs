//! Owns: threads and processors as the library's deciders see them. Must never know: who decides.
//!
//! A thread goes by its task's number. No processor has an idle thread of its own: where nobody runs is
//! [`NOBODY`], whichever processor it is.

use core::cell::Cell;

use taktos_schedule::smp::closed::{self, Branches, Rows, World};
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
pub(super) type Home = closed::Home<u16, usize, Ranked, SEATS>;
/// The decider of a cluster about which seats decide.
pub(super) type Decider<'a> = closed::Decider<'a, u16, usize, Ranked, SEATS>;
/// The library's tables with what decides about clusters.
pub(super) type Router<'a> = closed::Router<'a, u16, usize, Ranked, SEATS>;
/// The effects that the tables ask of the board and of processors.
pub(super) type Kept<'e, 'b> = closed::Kept<'e, Board, Sink<'b>, Ranked, SEATS>;

/// A thread, in half a cache line.
#[repr(align(32))]
struct Row {
    note: Cell<u64>,
    branches: Branches<u16>,
    priority: u32,
    home: Instance,
    /// Why it waits.
    reasons: Cell<Reasons>,
}

const _: () = assert!(size_of::<Row>() == 32, "half a cache line");

/// How much of the processors' time a thread has had, and how much it may have had when its budget is used up.
#[derive(Clone, Default)]
struct Account {
    charged: Cell<u64>,
    limit: Cell<Duration>,
}

/// All threads and processors.
pub(super) struct Board {
    threads: Vec<Row>,
    /// By task; none where no cluster has servers.
    accounts: Vec<Account>,
    pub processors: Processors,
}

impl Board {
    /// The threads of `plan`, which do not wait.
    pub fn new(plan: &Plan, processors: Processors) -> Self {
        let rows = plan.entries.iter().map(|task| Row {
            note: Cell::new(0),
            branches: Branches::NONE,
            priority: task.priority,
            home: task.home(),
            reasons: Cell::new(Reasons::NONE),
        });
        let accounts = if plan.serves() { plan.tasks.len() } else { 0 };
        Self {
            threads: rows.collect(),
            accounts: vec![Account::default(); accounts],
            processors,
        }
    }

    #[inline(always)]
    fn row(&self, id: u16) -> &Row {
        &self.threads[usize::from(id)]
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

    /// The thread of the task does not wait for these reasons any more. Whether it is ready now, and was not.
    #[inline(always)]
    pub fn clear_reasons(&self, task: usize, reasons: Reasons) -> bool {
        let all = &self.threads[task].reasons;
        let rest = all.get().minus(reasons);
        !all.replace(rest).is_empty() && rest.is_empty()
    }
}

/// No thread stands in a ring.
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

    // Those that count are told apart by their numbers.
    fn priority(&self, _: u16) -> Priority {
        Priority::IDLE
    }

    #[inline(always)]
    fn number(&self, id: u16) -> smp::Priority {
        smp::Priority(self.row(id).priority)
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
    fn current(&self, seat: usize) -> u16 {
        self.processors.seat(seat).task
    }

    /// A dispatch is asked for whenever an heir changes, also of a processor that was asked before, as the tables do.
    #[inline(always)]
    fn set_heir(&self, seat: usize, heir: u16) {
        let former = self.processors.seat(seat).heir.replace(heir);
        if former != heir && former != NOTHING {
            self.processors.ask(seat);
        }
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

    fn watch(&self, cpu: usize, left: Option<Duration>) {
        let now = self.processors.now;
        let at = left.map_or(NEVER, |left| now.saturating_add(left.as_nanos()));
        self.processors.arm(cpu, at);
    }

    #[inline(always)]
    fn watch_refill(&self, at: Option<Instant>) {
        self.processors.refill(at.map_or(NEVER, Instant::as_nanos));
    }

    // Its heir was set: see there.
    #[inline(always)]
    fn call(&self, _: usize, _: usize) {}
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

    fn is_at_home(&self, id: u16, instance: Instance) -> bool {
        self.threads.get(usize::from(id)).map(|row| row.home) == Some(instance)
    }
}

/// The effects that the tables ask of processors: done as soon as these can.
pub(super) struct Sink<'b>(pub &'b Processors);
