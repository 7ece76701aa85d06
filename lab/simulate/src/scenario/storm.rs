//! Random commands.
//!
//! Owns: the next command, from a seed and from the state of the target.
//! Must never know: the result of a command.

use taktos_schedule::smp::Reasons;
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

use super::command::{Command, InstanceName, LockKind, LockName, Patience, ThreadName, When};
use super::names::Names;
use super::script::{Occupant, Setup};
use super::target::Target;
use crate::random::Stream;

/// A kind of command that a stress test has, in addition to those that create, start, block, wake,
/// suspend, resume and yield.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Affinities: all, one, any.
    Affinity,
    /// Priorities, few enough that many are equal.
    Priorities,
    /// Locks of all protocols, nested, with time-outs and flushes.
    Locks,
    /// Processors removed and added.
    Processors,
    /// Moves to other instances.
    Moves,
    /// Pins.
    Pins,
    /// Jobs with deadlines.
    Jobs,
    /// Budgets.
    Servers,
    /// Dispatching held up.
    Holds,
    /// Sleeps, and time that passes.
    Sleeps,
    /// Restarts and deletions.
    Lives,
}

/// The kinds and their words.
pub const KINDS: [(&str, Kind); 11] = [
    ("affinity", Kind::Affinity),
    ("priorities", Kind::Priorities),
    ("locks", Kind::Locks),
    ("processors", Kind::Processors),
    ("moves", Kind::Moves),
    ("pins", Kind::Pins),
    ("jobs", Kind::Jobs),
    ("servers", Kind::Servers),
    ("holds", Kind::Holds),
    ("sleeps", Kind::Sleeps),
    ("lives", Kind::Lives),
];

/// Contents of a stress test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many commands.
    pub events: u32,
    /// The seed: the same one makes the same stress test.
    pub seed: u64,
    /// The first of the threads that take part, and how many there are.
    pub threads: (usize, usize),
    /// The first of the locks, and how many.
    pub locks: (usize, usize),
    /// The kinds of commands.
    pub kinds: Vec<Kind>,
}

/// The most and least urgent priority in a stress test; ceilings are above.
const PRIORITIES: (u64, u64) = (3, 9);

/// A stress test under way.
pub struct Storm<'a> {
    plan: &'a Plan,
    setup: &'a Setup,
    instances: usize,
    stream: Stream,
    place: u64,
    /// How many of the threads' first lines are over: each is created and started.
    begun: usize,
}

impl<'a> Storm<'a> {
    /// Returns the stress test of a plan.
    pub fn new(plan: &'a Plan, setup: &'a Setup, names: &Names) -> Self {
        Self {
            plan,
            setup,
            instances: names.instances().len(),
            stream: Stream::new(plan.seed, 0),
            place: 0,
            begun: 0,
        }
    }

    /// The next command to the target as it is now.
    pub fn next(&mut self, target: &dyn Target) -> Command {
        let (first, count) = self.plan.threads;
        if self.begun < 2 * count {
            let thread = ThreadName(first + self.begun / 2);
            self.begun += 1;
            return match self.begun % 2 {
                1 => self.create(target, thread),
                _ => Command::Start(thread),
            };
        }
        // Half of all are commands that every stress test has.
        let kinds = self.plan.kinds.len() as u64;
        let chosen = self.draw(2 * kinds.max(1)) as usize;
        match self.plan.kinds.get(chosen).copied() {
            None => self.block_or_wake(target),
            Some(Kind::Affinity) => Command::Affinity(self.thread(), self.affinity(target)),
            Some(Kind::Priorities) => Command::Priority(self.thread(), self.priority()),
            Some(Kind::Locks) => self.lock(target),
            Some(Kind::Processors) => self.processor(target),
            Some(Kind::Moves) => Command::Move(self.thread(), self.instance(), self.priority()),
            Some(Kind::Pins) => self.pin(target),
            Some(Kind::Jobs) => self.job(),
            Some(Kind::Servers) => self.server(),
            Some(Kind::Holds) => self.hold(),
            Some(Kind::Sleeps) => self.sleep(target),
            Some(Kind::Lives) => self.life(),
        }
    }

    /// A number below `count`.
    fn draw(&mut self, count: u64) -> u64 {
        self.place += 1;
        self.stream.below_or_at(self.place, count.max(1) - 1)
    }

    fn thread(&mut self) -> ThreadName {
        let (first, count) = self.plan.threads;
        ThreadName(first + self.draw(count as u64) as usize)
    }

    fn instance(&mut self) -> InstanceName {
        InstanceName(self.draw(self.instances as u64) as usize)
    }

    fn priority(&mut self) -> u32 {
        let (most, least) = PRIORITIES;
        (most + self.draw(least - most + 1)) as u32
    }

    fn cpu(&mut self) -> Cpu {
        let cpus: Vec<Cpu> = self.setup.processors.into_iter().collect();
        cpus[self.draw(cpus.len() as u64) as usize]
    }

    /// The thread that executes on a processor at random.
    fn executing(&mut self, target: &dyn Target) -> Option<ThreadName> {
        match target.on(self.cpu()).executing {
            Occupant::Thread(thread) => Some(thread),
            _ => None,
        }
    }

    fn span(&mut self, most: u64) -> Duration {
        Duration::from_micros(100 * self.draw(most))
    }

    fn create(&mut self, target: &dyn Target, thread: ThreadName) -> Command {
        let affinity = match self.plan.kinds.contains(&Kind::Affinity) {
            true => Some(self.affinity(target)),
            false => None,
        };
        Command::Create {
            thread,
            home: self.instance(),
            priority: self.priority(),
            affinity,
        }
    }

    fn block_or_wake(&mut self, target: &dyn Target) -> Command {
        let thread = self.thread();
        let Some(reasons) = target.reasons(thread) else {
            return self.create(target, thread);
        };
        // Now and then what makes no sense, which must be refused.
        let sense = self.draw(16) > 0;
        match self.draw(5) {
            _ if sense && reasons.any_of(Reasons::DORMANT) => Command::Start(thread),
            0 | 1 if sense && reasons.any_of(Reasons::SUSPENDED) => Command::Resume(thread),
            0..3 if sense && !reasons.is_empty() => Command::Wake(thread),
            0 => Command::Suspend(thread),
            1 => Command::Block(thread),
            2 if !sense => Command::Resume(thread),
            3 if !sense => Command::Start(thread),
            2 => Command::Block(thread),
            _ => Command::Yield(thread),
        }
    }

    /// All, one processor, or any set of them.
    fn affinity(&mut self, target: &dyn Target) -> CpuSet {
        match self.draw(4) {
            0 => CpuSet::ALL,
            1 => CpuSet::of(self.cpu()),
            2 => {
                let instance = self.instance();
                let owned: Vec<Cpu> = target.owned(instance).into_iter().collect();
                let chosen = self.draw(owned.len() as u64) as usize;
                owned
                    .get(chosen)
                    .map_or(CpuSet::ALL, |cpu| CpuSet::of(*cpu))
            }
            _ => {
                self.place += 1;
                let bits = CpuSet::from_bits(self.stream.at(self.place));
                bits.and(self.setup.processors)
            }
        }
    }

    fn lock(&mut self, target: &dyn Target) -> Command {
        let (first, count) = self.plan.locks;
        let lock = LockName(first + self.draw(count as u64) as usize);
        match self.draw(32) {
            0 => return Command::Flush(lock),
            1 => return Command::Ceiling(lock, self.instance(), self.ceiling()),
            2 => return Command::Timeout(self.thread()),
            3 => return Command::Destroy(lock),
            4 | 5 => return self.mutex(lock),
            _ => {}
        }
        let Some(thread) = self.executing(target) else {
            return self.mutex(lock);
        };
        let mut all = (first..first + count).map(LockName);
        let owned = all.find(|lock| target.owner(*lock) == Some(thread));
        match (owned, self.draw(8)) {
            (Some(owned), 0..4) => Command::Unlock(owned, thread),
            (_, 4) => Command::Unlock(lock, thread),
            (_, 5) => Command::Lock(lock, thread, Patience::None),
            (_, 6) => Command::Lock(lock, thread, Patience::For(self.span(30))),
            _ => Command::Lock(lock, thread, Patience::Forever),
        }
    }

    fn ceiling(&mut self) -> u32 {
        self.draw(PRIORITIES.0 + 1) as u32
    }

    fn mutex(&mut self, lock: LockName) -> Command {
        let kind = match self.draw(6) {
            0 => LockKind::Plain,
            1 => LockKind::Ceiling(self.ceiling()),
            2 => LockKind::Inheritance,
            3 => LockKind::Omip,
            _ => LockKind::Mrsp(self.ceiling()),
        };
        Command::Mutex {
            lock,
            kind,
            creator: self.thread(),
            locked: self.draw(4) == 0,
        }
    }

    fn processor(&mut self, target: &dyn Target) -> Command {
        let cpu = self.cpu();
        let instances = (0..self.instances).map(InstanceName);
        let owner = { instances }.find(|instance| target.owned(*instance).contains(cpu));
        match owner {
            // Rather add than remove, so that enough are left.
            Some(owner) if self.draw(3) == 0 => Command::Remove(cpu.index(), owner),
            _ => Command::Add(cpu.index(), self.instance()),
        }
    }

    fn pin(&mut self, target: &dyn Target) -> Command {
        let thread = match self.draw(2) {
            0 => self.executing(target),
            _ => None,
        };
        match thread {
            Some(thread) => Command::Pin(thread),
            None => Command::Unpin(self.thread()),
        }
    }

    fn job(&mut self) -> Command {
        let thread = self.thread();
        match self.draw(3) {
            0 => Command::Cancel(thread),
            _ => Command::Release(thread, When::In(self.span(200))),
        }
    }

    fn server(&mut self) -> Command {
        let budget = self.span(10).saturating_add(Duration::from_micros(100));
        let period = budget.saturating_add(self.span(50));
        let thread = self.thread();
        Command::Server {
            thread,
            budget,
            period,
            // It has no draw of its own. So each seed has its former stress test if there are no
            // servers.
            hard: self.stream.at(self.place).count_ones().is_multiple_of(4),
        }
    }

    fn hold(&mut self) -> Command {
        match self.draw(4) {
            0 => {
                self.place += 1;
                let bits = CpuSet::from_bits(self.stream.at(self.place));
                Command::Hold(bits.and(self.setup.processors))
            }
            1 => Command::Settle(CpuSet::ALL),
            2 => Command::Act(self.cpu()),
            _ => Command::Dispatch(self.cpu()),
        }
    }

    fn sleep(&mut self, target: &dyn Target) -> Command {
        match self.executing(target) {
            Some(thread) if self.draw(3) == 0 => Command::Sleep(thread, self.span(30)),
            _ => Command::Advance(When::In(self.span(10))),
        }
    }

    fn life(&mut self) -> Command {
        let thread = self.thread();
        match self.draw(3) {
            0 => Command::Restart(thread),
            1 => Command::Delete(thread),
            _ => Command::Start(thread),
        }
    }
}
