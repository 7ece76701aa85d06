//! The library as a kernel ships it: its instances close when nothing spans them, and open again. Whatever is done to the one that
//! scripts see is done to it as well, and it must answer the same and have the same threads on the same processors.
//!
//! Owns: how it is asked, when its instances close, and that it is like the other one.
//! Must never know: commands, and laws of scheduling: those are looked at by the other one.

mod acts;
mod board;

use taktos_schedule::smp::closed::{Decider, Home, Kept, Router, Sight};
use taktos_schedule::smp::{
    Dispatch, Error, Instance, Lock, Priority as Level, Reasons, System, Thread,
};
use taktos_schedule::{Cpu, CpuSet, Priority};
use taktos_time::Instant;

use board::{Board, Forgotten, due};

/// What decides about an instance, wherever its threads lie.
pub(super) type AnyHome = Home<usize, usize>;

/// What a question may concern: that is opened, and brought up to date.
#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// No thread that is ready.
    Nobody,
    /// A thread's own row.
    Row(Thread),
    /// A thread, and others than those of its instance.
    Thread(Thread),
    /// A thread that goes to an instance.
    Way(Thread, Instance),
    /// The processors of an instance.
    Instance(Instance),
    /// A thread that is to have a lock.
    Lock(Lock, Thread),
}

/// After so many looks at its heirs all is compared.
const COMPARED: u32 = 8;

/// A system whose instances close.
pub(super) struct Beside<'m> {
    router: Router<'m, usize, usize>,
    homes: &'m [AnyHome],
    board: Board,
    online: CpuSet,
    now: Instant,
    acting: Option<Cpu>,
    /// Whether instances may close: not while a processor does not dispatch.
    closes: bool,
    looks: u32,
    /// How often an act was a decider's.
    decided: usize,
    /// The first difference.
    broken: Option<String>,
}

impl<'m> Beside<'m> {
    /// Each instance has one of `homes`; `threads` there are at most.
    pub fn new(system: System<'m>, homes: &'m [AnyHome], threads: usize, online: CpuSet) -> Self {
        let board = Board::new(threads);
        let mut router = Router::new(system, homes);
        router.begin(&board, Instant::START);
        Self {
            board,
            router,
            homes,
            online,
            now: Instant::START,
            acting: online.lowest(),
            closes: true,
            looks: 0,
            decided: 0,
            broken: None,
        }
    }

    /// From where and when the next thing is asked.
    pub fn act_on(&mut self, cpu: Cpu, now: Instant) {
        self.acting = Some(cpu);
        self.at(now);
    }

    /// It is `now`.
    pub fn at(&mut self, now: Instant) {
        self.now = now;
        self.board.set_time(now);
    }

    /// Whether instances may close from now on; all are open where they may not.
    pub fn let_close(&mut self, closes: bool) {
        self.closes = closes;
        if !closes {
            for instance in (0..self.homes.len()).filter_map(Instance::new) {
                self.reach(About::Instance(instance));
            }
        }
    }

    /// How often an act was a decider's.
    pub fn decided(&self) -> usize {
        self.decided
    }

    /// Whether the priority is one of a kernel's.
    pub fn knows(level: Level) -> bool {
        kernels(level).is_some()
    }

    /// Asks the System about something.
    pub fn ask<R>(
        &mut self,
        about: About,
        question: impl FnOnce(&mut System<'m>, &mut Kept<'_, Board, Forgotten<'_>>) -> R,
    ) -> R {
        self.reach(about);
        let (board, acting) = (&self.board, self.acting);
        let mut wishes = Forgotten(board);
        self.router
            .ask(board, self.now, &mut wishes, |system, effects| {
                if let Some(cpu) = acting {
                    system.act_on(cpu);
                }
                question(system, effects)
            })
    }

    fn reach(&mut self, about: About) {
        let (board, router, now) = (&self.board, &mut self.router, self.now);
        let wishes = &mut Forgotten(board);
        match about {
            About::Nobody => {}
            About::Row(thread) => router.look_up(board, thread.index()),
            About::Thread(thread) => router.reach(board, thread.index(), now, wishes),
            About::Way(thread, to) => {
                router.reach(board, thread.index(), now, wishes);
                router.open(board, to, now, wishes);
            }
            About::Instance(instance) => router.open(board, instance, now, wishes),
            About::Lock(lock, thread) => {
                if router
                    .system()
                    .owner(lock)
                    .is_ok_and(|owner| owner.is_some())
                {
                    router.reach(board, thread.index(), now, wishes);
                }
                router.reach_lock(board, lock, thread.index(), true, now, wishes);
            }
        }
    }

    /// Both were asked: what they answered must be the same. What `plain` says of threads is so from now on.
    pub fn answered<R: PartialEq + std::fmt::Debug>(
        &mut self,
        plain: &System<'_>,
        theirs: &R,
        ours: &R,
    ) {
        if theirs != ours {
            self.differ(format!("the answer is {ours:?}, and was {theirs:?}"));
        }
        self.follow(plain);
    }

    /// Threads are what `plain` says: ready or not, at home somewhere, with a priority.
    pub fn follow(&mut self, plain: &System<'_>) {
        for thread in (0..self.threads()).filter_map(Thread::new) {
            let reasons = plain.reasons(thread);
            let home = plain.scheduler(thread).ok().filter(|_| reasons.is_ok());
            self.board.set_home(thread, home);
            // A budget is the library's own business.
            let waits = reasons.map(|reasons| !reasons.minus(Reasons::BUDGET).is_empty());
            self.board.set_ready(thread, waits == Ok(false));
            if let Some(priority) = plain.own_priority(thread).ok().and_then(kernels) {
                self.board.set_priority(thread, priority);
            }
        }
    }

    fn threads(&self) -> usize {
        self.board.idle_from()
    }

    /// Who decides about the thread's home, unless the System does.
    fn closed(&self, thread: Thread) -> Option<Decider<'m, usize, usize>> {
        let home = self.board.home(thread)?;
        let decider = self.homes.get(home.index())?.decider();
        decider.is_closed().then_some(decider)
    }

    /// Who decides about the processor, unless the System does.
    fn decides(&self, cpu: Cpu) -> Option<Decider<'m, usize, usize>> {
        let decider = self.router.home_of(cpu)?.decider();
        decider.is_closed().then_some(decider)
    }

    fn try_close(&mut self, instance: Option<Instance>) {
        if let Some(instance) = instance.filter(|_| self.closes)
            && !self.waits_for_lock(instance)
        {
            self.router.try_close(&self.board, instance, self.now);
        }
    }

    /// Whether a thread that is at home in `instance` waits for a lock: the System wakes it, so it
    /// must decide about it, though no lock without help would hold the instance open.
    fn waits_for_lock(&self, instance: Instance) -> bool {
        let system = self.router.system();
        let waits = |thread: Thread| {
            let reasons = system.reasons(thread);
            system.scheduler(thread) == Ok(instance)
                && reasons.is_ok_and(|reasons| reasons.any_of(Reasons::LOCK))
        };
        self.board.threads().any(waits)
    }

    /// One dispatch, as that which had `theirs`.
    pub fn dispatch(&mut self, cpu: Cpu, theirs: Result<Dispatch, Error>) {
        let ours = self.dispatch_alone(cpu);
        let theirs = self.meant(cpu, theirs);
        if ours != theirs {
            let (ours, theirs) = (self.named(ours), self.named(theirs));
            let number = cpu.index();
            self.differ(format!(
                "processor {number} executes {ours}, and not {theirs}"
            ));
        }
    }

    /// Whom a processor shall execute by this answer: an idle thread is its own, and executes while it waits for registers.
    fn meant(&self, cpu: Cpu, chosen: Result<Dispatch, Error>) -> usize {
        match chosen {
            Ok(Dispatch::Run(row)) if self.board.is_thread(row.index()) => row.index(),
            _ => self.threads() + cpu.index(),
        }
    }

    fn dispatch_alone(&mut self, cpu: Cpu) -> usize {
        if self.decides(cpu).is_none() {
            // Known, so that it is seen whether it becomes unknown again.
            self.board.appoint(cpu, Some(self.board.runs(cpu)));
        }
        let now = self.now;
        let chosen = self.ask(About::Nobody, |system, effects| {
            system.dispatch(cpu, now, effects)
        });
        let known = self.board.heir_of(cpu);
        let runs = match self.decides(cpu) {
            // One whose heir is known is a dispatch that looked after owners elsewhere, and changed nothing here.
            Some(decider) => known
                .or_else(|| decider.dispatch(&self.board, cpu.index()))
                .unwrap_or(self.threads() + cpu.index()),
            None => self.meant(cpu, chosen),
        };
        if known.is_some() {
            self.board.appoint(cpu, Some(runs));
        }
        self.board.set_runs(cpu, runs);
        let owner = self.router.system().instance_of_cpu(cpu).ok();
        self.try_close(owner);
        runs
    }

    /// Has all processors but the `held` ones dispatch until nothing is left to do; the other one has done so already.
    pub fn settle(&mut self, held: CpuSet) {
        for _ in 0..super::MOST_DISPATCHES * self.online.count() {
            match due(&self.board, self.online.minus(held)).lowest() {
                Some(cpu) => self.dispatch_alone(cpu),
                None => return,
            };
        }
        self.differ("processors dispatch for ever".to_owned());
    }

    /// Whether it is like `plain`.
    ///
    /// # Errors
    /// The first difference there ever was.
    pub fn check(&mut self, plain: &System<'_>) -> Result<(), String> {
        for cpu in self.online {
            self.compare_heirs(plain, cpu);
        }
        for thread in self.board.threads() {
            if !self.board.is_ready_now(thread) && !self.board.stands_alone(thread) {
                self.broken = Some(format!(
                    "row {} waits in a ring of ready ones",
                    thread.index()
                ));
            }
        }
        self.looks += 1;
        if self.looks.is_multiple_of(COMPARED)
            && let Some(found) = self.difference(plain)
        {
            self.differ(found);
        }
        self.broken.clone().map_or(Ok(()), Err)
    }

    fn compare_heirs(&mut self, plain: &System<'_>, cpu: Cpu) {
        let is_thread = |row: &Thread| self.board.is_thread(row.index());
        let theirs = plain.heir(cpu).filter(is_thread);
        let ours = match self.decides(cpu) {
            Some(decider) => decider
                .owner(&self.board, cpu.index())
                .and_then(Thread::new),
            None => self.router.system().heir(cpu),
        };
        let ours = ours.filter(is_thread);
        if ours != theirs {
            let number = cpu.index();
            self.differ(format!(
                "the heir of processor {number} is {ours:?}, and not {theirs:?}"
            ));
        }
    }

    /// The last difference in who has which processor, who waits in which order, and who had how
    /// much time; or a law that is broken.
    fn difference(&mut self, plain: &System<'_>) -> Option<String> {
        let mut found = self
            .router
            .check(&self.board)
            .err()
            .map(|violation| violation.law.to_owned());
        self.charge_all();
        let idle_from = self.board.idle_from();
        let sight = self.router.look(&self.board);
        let ours = sight.system();
        for instance in (0..self.homes.len()).filter_map(Instance::new) {
            let mut by_seats = Standing::new(idle_from);
            sight.for_each_scheduled(instance, &mut |thread, cpu| by_seats.has(thread, cpu));
            sight.for_each_ready(instance, &mut |thread| by_seats.waits(thread));
            let mut by_tables = Standing::new(idle_from);
            plain.for_each_scheduled(instance, |thread, cpu| by_tables.has(thread, cpu));
            plain.for_each_ready(instance, |thread| by_tables.waits(thread));
            if by_seats != by_tables {
                let number = instance.index();
                found = Some(format!(
                    "instance {number}: {by_seats:?}, and not {by_tables:?}"
                ));
            }
        }
        for thread in self.board.threads() {
            let charged = taktos_time::Duration::from_nanos(self.board.charged(thread));
            let time = ours
                .cpu_time(thread, self.now)
                .map(|time| time.saturating_add(charged));
            let theirs = plain.cpu_time(thread, self.now);
            if time != theirs {
                found = Some(format!(
                    "row {} had {time:?}, and not {theirs:?}",
                    thread.index()
                ));
            }
        }
        found
    }

    /// The owner of each seat is charged until now, as the tables count.
    fn charge_all(&self) {
        for cpu in self.online {
            if let Some(decider) = self.decides(cpu) {
                decider.charge(&self.board, cpu.index());
            }
        }
    }

    fn differ(&mut self, how: String) {
        self.broken.get_or_insert(how);
    }

    fn named(&self, id: usize) -> String {
        match self.board.is_thread(id) {
            true => format!("row {id}"),
            false => "its idle thread".to_owned(),
        }
    }
}

/// Who has the processors of an instance, and who is ready, in order; idle threads are all one.
#[derive(PartialEq, Debug)]
struct Standing {
    idle_from: usize,
    scheduled: Vec<(usize, Option<usize>)>,
    ready: Vec<usize>,
}

impl Standing {
    fn new(idle_from: usize) -> Self {
        Self {
            idle_from,
            scheduled: Vec::new(),
            ready: Vec::new(),
        }
    }

    fn has(&mut self, thread: Thread, cpu: Cpu) {
        self.scheduled.push(match thread.index() < self.idle_from {
            true => (thread.index(), Some(cpu.index())),
            false => (self.idle_from, None),
        });
    }

    fn waits(&mut self, thread: Thread) {
        self.ready.push(thread.index());
    }
}

/// The kernel's priority, which has 32 of them.
fn kernels(level: Level) -> Option<Priority> {
    Priority::new(u8::try_from(level.0).ok()?)
}
