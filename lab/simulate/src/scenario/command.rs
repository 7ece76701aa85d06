//! Commands of a script's lines, with names resolved to numbers.
//!
//! Owns: the commands, and how each is written as a line.
//! Must never know: the target that carries them out.

use std::fmt;

use taktos_schedule::{Cpu, CpuSet};
use taktos_time::{Duration, Instant};

use super::names::Names;
use super::units::{Set, Span};

/// A thread of a case: its place among the case's thread names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ThreadName(pub usize);

/// An instance of a case: its place among the case's instances.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct InstanceName(pub usize);

/// A lock of a case: its place among the case's locks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LockName(pub usize);

/// A point in time: counted from now, or from the start of the case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// After now.
    In(Duration),
    /// Since the case began.
    At(Instant),
}

impl When {
    /// The instant that is meant.
    pub fn instant(self, now: Instant) -> Instant {
        match self {
            Self::In(span) => now.saturating_add(span),
            Self::At(instant) => instant,
        }
    }
}

/// How long a thread waits for a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Patience {
    /// Until it gets the lock.
    Forever,
    /// Not at all.
    None,
    /// At most this time.
    For(Duration),
}

/// The protocol of a lock, with the ceiling in its creator's home instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockKind {
    /// None.
    Plain,
    /// Priority inheritance, also across instances, which are served in turn.
    Inheritance,
    /// Priority inheritance with the queues of OMIP.
    Omip,
    /// Immediate ceiling.
    Ceiling(u32),
    /// Multiprocessor resource sharing.
    Mrsp(u32),
}

/// One thing that a script has done to the target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `thread A in X priority 3 affinity 0-1`: it is dormant.
    Create {
        /// The new thread.
        thread: ThreadName,
        /// Its home.
        home: InstanceName,
        /// Its priority there.
        priority: u32,
        /// Where it may run; everywhere when none is named.
        affinity: Option<CpuSet>,
    },
    /// `start A`
    Start(ThreadName),
    /// `restart A`
    Restart(ThreadName),
    /// `delete A`
    Delete(ThreadName),
    /// `block A`: it waits for something.
    Block(ThreadName),
    /// `wake A`: what it waited for has come.
    Wake(ThreadName),
    /// `sleep A 5ms`
    Sleep(ThreadName, Duration),
    /// `suspend A`
    Suspend(ThreadName),
    /// `resume A`
    Resume(ThreadName),
    /// `yield A`
    Yield(ThreadName),
    /// `priority A 4`
    Priority(ThreadName, u32),
    /// `release A in 5ms`, `release A at 20ms`: a job with this deadline.
    Release(ThreadName, When),
    /// `cancel A`: its job is over.
    Cancel(ThreadName),
    /// `affinity A 0,2`
    Affinity(ThreadName, CpuSet),
    /// `pin A`
    Pin(ThreadName),
    /// `unpin A`
    Unpin(ThreadName),
    /// `move A to X priority 3`
    Move(ThreadName, InstanceName, u32),
    /// `add 2 to X`; the number of the processor is not checked.
    Add(usize, InstanceName),
    /// `remove 2 from X`; the number of the processor is not checked.
    Remove(usize, InstanceName),
    /// `server A budget 2ms period 10ms`, `server A budget 2ms period 10ms hard`
    Server {
        /// Thread of the server.
        thread: ThreadName,
        /// Its processor time in each period.
        budget: Duration,
        /// Its period.
        period: Duration,
        /// Whether its thread waits for the next period when the budget is used up.
        hard: bool,
    },
    /// `mutex M mrsp 3 by A locked`
    Mutex {
        /// The new lock.
        lock: LockName,
        /// Its protocol.
        kind: LockKind,
        /// Thread that makes the lock.
        creator: ThreadName,
        /// Whether the creator owns it from the beginning.
        locked: bool,
    },
    /// `ceiling M in X 3`
    Ceiling(LockName, InstanceName, u32),
    /// `lock M by A`, `try M by A`, `lock M by A for 5ms`
    Lock(LockName, ThreadName, Patience),
    /// `unlock M by A`
    Unlock(LockName, ThreadName),
    /// `timeout A`: its wait ends without what it waited for.
    Timeout(ThreadName),
    /// `flush M`
    Flush(LockName),
    /// `destroy M`
    Destroy(LockName),
    /// `identify NAME`: looks an instance up by its name.
    Identify(String),
    /// `which 3`: looks up the instance of a processor.
    WhichCpu(usize),
    /// `which-of 0-3`: looks up the instance of a set.
    WhichSet(CpuSet),
    /// `hold 0-1`: these processors do not dispatch.
    Hold(CpuSet),
    /// `settle 0-1`: they dispatch again, until nothing is left to do.
    Settle(CpuSet),
    /// `dispatch 0`: one dispatch of a processor that is held.
    Dispatch(Cpu),
    /// `act on 1`: requests that no thread makes itself come from this processor.
    Act(Cpu),
    /// `advance 5ms`, `advance to 20ms`: time passes.
    Advance(When),
}

impl Command {
    /// The thread that the command is about, and the lock.
    pub fn about(&self) -> (Option<ThreadName>, Option<LockName>) {
        match *self {
            Self::Create { thread, .. }
            | Self::Start(thread)
            | Self::Restart(thread)
            | Self::Delete(thread)
            | Self::Block(thread)
            | Self::Wake(thread)
            | Self::Sleep(thread, _)
            | Self::Suspend(thread)
            | Self::Resume(thread)
            | Self::Yield(thread)
            | Self::Priority(thread, _)
            | Self::Release(thread, _)
            | Self::Cancel(thread)
            | Self::Affinity(thread, _)
            | Self::Pin(thread)
            | Self::Unpin(thread)
            | Self::Move(thread, ..)
            | Self::Server { thread, .. }
            | Self::Timeout(thread) => (Some(thread), None),
            Self::Mutex { lock, creator, .. } => (Some(creator), Some(lock)),
            Self::Lock(lock, thread, _) | Self::Unlock(lock, thread) => (Some(thread), Some(lock)),
            Self::Ceiling(lock, ..) | Self::Flush(lock) | Self::Destroy(lock) => (None, Some(lock)),
            Self::Add(..)
            | Self::Remove(..)
            | Self::Identify(_)
            | Self::WhichCpu(_)
            | Self::WhichSet(_)
            | Self::Hold(_)
            | Self::Settle(_)
            | Self::Dispatch(_)
            | Self::Act(_)
            | Self::Advance(_) => (None, None),
        }
    }

    /// Returns the line that requests the command.
    pub fn line<'a>(&'a self, names: &'a Names) -> impl fmt::Display + 'a {
        Line {
            command: self,
            names,
        }
    }
}

/// A command with the names that it uses.
struct Line<'a> {
    command: &'a Command,
    names: &'a Names,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names;
        let one = |f: &mut fmt::Formatter<'_>, verb: &str, thread: ThreadName| {
            write!(f, "{verb} {}", names.thread(thread))
        };
        match *self.command {
            Command::Create {
                thread,
                home,
                priority,
                affinity,
            } => {
                let (thread, home) = (names.thread(thread), names.instance(home));
                write!(f, "thread {thread} in {home} priority {priority}")?;
                affinity.map_or(Ok(()), |set| write!(f, " affinity {}", Set(set)))
            }
            Command::Start(thread) => one(f, "start", thread),
            Command::Restart(thread) => one(f, "restart", thread),
            Command::Delete(thread) => one(f, "delete", thread),
            Command::Block(thread) => one(f, "block", thread),
            Command::Wake(thread) => one(f, "wake", thread),
            Command::Sleep(thread, span) => {
                write!(f, "sleep {} {}", names.thread(thread), Span(span))
            }
            Command::Suspend(thread) => one(f, "suspend", thread),
            Command::Resume(thread) => one(f, "resume", thread),
            Command::Yield(thread) => one(f, "yield", thread),
            Command::Priority(thread, priority) => {
                write!(f, "priority {} {priority}", names.thread(thread))
            }
            Command::Release(thread, deadline) => {
                write!(f, "release {} ", names.thread(thread))?;
                match deadline {
                    When::In(span) => write!(f, "in {}", Span(span)),
                    When::At(at) => write!(f, "at {}", Span(at.since(Instant::START))),
                }
            }
            Command::Cancel(thread) => one(f, "cancel", thread),
            Command::Affinity(thread, set) => {
                write!(f, "affinity {} {}", names.thread(thread), Set(set))
            }
            Command::Pin(thread) => one(f, "pin", thread),
            Command::Unpin(thread) => one(f, "unpin", thread),
            Command::Move(thread, to, priority) => {
                let (thread, to) = (names.thread(thread), names.instance(to));
                write!(f, "move {thread} to {to} priority {priority}")
            }
            Command::Add(cpu, to) => write!(f, "add {cpu} to {}", names.instance(to)),
            Command::Remove(cpu, from) => write!(f, "remove {cpu} from {}", names.instance(from)),
            Command::Server {
                thread,
                budget,
                period,
                hard,
            } => {
                let (budget, period) = (Span(budget), Span(period));
                let thread = names.thread(thread);
                let hard = if hard { " hard" } else { "" };
                write!(f, "server {thread} budget {budget} period {period}{hard}")
            }
            Command::Mutex {
                lock,
                kind,
                creator,
                locked,
            } => {
                write!(f, "mutex {} ", names.lock(lock))?;
                match kind {
                    LockKind::Plain => f.write_str("plain")?,
                    LockKind::Inheritance => f.write_str("inheritance")?,
                    LockKind::Omip => f.write_str("omip")?,
                    LockKind::Ceiling(ceiling) => write!(f, "ceiling {ceiling}")?,
                    LockKind::Mrsp(ceiling) => write!(f, "mrsp {ceiling}")?,
                }
                let end = if locked { " locked" } else { "" };
                write!(f, " by {}{end}", names.thread(creator))
            }
            Command::Ceiling(lock, instance, ceiling) => {
                let (lock, instance) = (names.lock(lock), names.instance(instance));
                write!(f, "ceiling {lock} in {instance} {ceiling}")
            }
            Command::Lock(lock, thread, patience) => {
                let (lock, thread) = (names.lock(lock), names.thread(thread));
                match patience {
                    Patience::Forever => write!(f, "lock {lock} by {thread}"),
                    Patience::None => write!(f, "try {lock} by {thread}"),
                    Patience::For(span) => write!(f, "lock {lock} by {thread} for {}", Span(span)),
                }
            }
            Command::Unlock(lock, thread) => {
                write!(f, "unlock {} by {}", names.lock(lock), names.thread(thread))
            }
            Command::Timeout(thread) => one(f, "timeout", thread),
            Command::Flush(lock) => write!(f, "flush {}", names.lock(lock)),
            Command::Destroy(lock) => write!(f, "destroy {}", names.lock(lock)),
            Command::Identify(ref name) => write!(f, "identify {name}"),
            Command::WhichCpu(cpu) => write!(f, "which {cpu}"),
            Command::WhichSet(set) => write!(f, "which-of {}", Set(set)),
            Command::Hold(set) => write!(f, "hold {}", Set(set)),
            Command::Settle(set) => write!(f, "settle {}", Set(set)),
            Command::Dispatch(cpu) => write!(f, "dispatch {}", cpu.index()),
            Command::Act(cpu) => write!(f, "act on {}", cpu.index()),
            Command::Advance(When::In(span)) => write!(f, "advance {}", Span(span)),
            Command::Advance(When::At(at)) => {
                write!(f, "advance to {}", Span(at.since(Instant::START)))
            }
        }
    }
}
