//! Scheduling scripts on a board: one thread carries out orders, one after the other, and prints
//! which thread really runs where.
//!
//! Owns: the orders, the threads that they are about, how running threads are observed.
//! Must never know: what is expected.
//!
//! The thread that gives the orders has an instance with processor 0 alone. The orders' processor n
//! is processor n + 1, so the script has the remaining ones. Each thread of a script writes its
//! number where its processor says, again and again: the output is not the thread that should run,
//! but the one that did.
//!
//! Words: `instance=POLICY.MASK` (first of all), then `create=T.I.P.MASK`, `start=T`, `block=T`,
//! `wake=T`, `delete=T`, `yield=T`, `priority=T.P`, `affinity=T.MASK`, `pin=T`, `unpin=T`,
//! `move=T.I.P`, `add=C.I`, `remove=C.I`, `release=T.NS`, `cancel=T`; T a thread below 16, I an
//! instance, P a priority below 32, C a processor, masks in decimal (2⁶⁴ − 1: everywhere). After
//! each order comes a line `@on` with a word for each processor of the script: the thread's number,
//! or `-`. An order that fails prints `@refused ORDER: ERROR`.

use crate::command_line::{CommandLine, each_argument};
use crate::look_away::look_away;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::{
    AnyThread, Cpu, CpuSet, Duration, Error, Instance, InstanceConfig, Kernel, PolicyKind,
    Priority, System, Thread,
};

/// How many threads a script can have.
pub const THREADS: usize = 16;
/// How many bytes the words can have.
pub const ROOM: usize = 2048;
/// How many instances a script can have.
pub const INSTANCES: usize = 3;
/// The bytes of the stack that the thread needs which gives the orders.
pub const STACK: usize = 1024 * size_of::<usize>();
/// The most processors.
const PROCESSORS: usize = 8;
const NOBODY: usize = usize::MAX;

/// Operations that a thread does for itself.
const YIELD: u8 = 1;
const PIN: u8 = 2;
const UNPIN: u8 = 3;

/// A thread that an order can be about.
struct Actor<S: System> {
    thread: Thread<S, { 512 * size_of::<usize>() }>,
    number: AtomicUsize,
    /// Operation that it is to do for itself next; 0 when it is done.
    inbox: AtomicU8,
}

/// Objects of the orders. A board has them, in a static.
pub struct Stage<S: System> {
    actors: [Actor<S>; THREADS],
    /// Thread that was on each processor last.
    seen: [AtomicUsize; PROCESSORS],
    words: [AtomicU8; ROOM],
    length: AtomicUsize,
}

/// Interface of a system for orders.
pub trait StageBoard: CommandLine {
    /// The stage: always the same.
    fn stage() -> &'static Stage<Self>;
    /// How many processors there are.
    const PROCESSORS: usize;
}

impl<S: System> Stage<S> {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            actors: [const {
                Actor {
                    thread: Thread::new("actor"),
                    number: AtomicUsize::new(0),
                    inbox: AtomicU8::new(0),
                }
            }; THREADS],
            seen: [const { AtomicUsize::new(NOBODY) }; PROCESSORS],
            words: [const { AtomicU8::new(0) }; ROOM],
            length: AtomicUsize::new(0),
        }
    }

    /// Takes words, which `+` separates, before the kernel starts. Whether there was room for them.
    pub fn take(&self, words: &str) -> bool {
        words.bytes().chain([b'+']).all(|byte| {
            let at = self.length.fetch_add(1, Relaxed);
            self.words
                .get(at)
                .map(|place| place.store(byte, Relaxed))
                .is_some()
        })
    }

    /// Calls `act` with each word.
    fn each_word(&self, mut act: impl FnMut(&str)) {
        let mut word = [0u8; 64];
        let mut length = 0;
        for place in &self.words[..self.length.load(Relaxed).min(ROOM)] {
            match place.load(Relaxed) {
                b'+' => {
                    act(core::str::from_utf8(&word[..length]).unwrap_or(""));
                    length = 0;
                }
                byte => {
                    if let Some(place) = word.get_mut(length) {
                        *place = byte;
                        length += 1;
                    }
                }
            }
        }
    }

    /// The instances to start the kernel with, and how many they are: first that of the thread that
    /// gives the orders.
    pub fn instances(&self) -> (usize, [InstanceConfig; INSTANCES + 1]) {
        let mut all = [InstanceConfig {
            name: *b"CTRL",
            policy: PolicyKind::Priority,
            cpus: CpuSet::first(1),
        }; INSTANCES + 1];
        let mut count = 1;
        self.each_word(|word| {
            if let Some((policy, mask)) = word
                .strip_prefix("instance=")
                .and_then(|w| w.split_once('.'))
                && let (Some(policy), Ok(mask)) = (policy_named(policy), mask.parse::<u64>())
                && let Some(place) = all.get_mut(count)
            {
                *place = InstanceConfig {
                    name: [b'I', b'0' + count as u8 - 1, b' ', b' '],
                    policy,
                    cpus: CpuSet::from_bits(mask << 1),
                };
                count += 1;
            }
        });
        (count, all)
    }
}

/// Takes the words of the command line as orders, before the kernel starts; says which instances
/// they want. Ends the program with the status 2 where there are too many.
pub fn taken<S: StageBoard>() -> (usize, [InstanceConfig; INSTANCES + 1]) {
    let stage = S::stage();
    each_argument::<S>(|words| {
        if !stage.take(words) {
            S::write("refused: more words than there is room for\n");
            S::exit(2);
        }
    });
    stage.instances()
}

impl<S: System> Default for Stage<S> {
    fn default() -> Self {
        Self::new()
    }
}

fn policy_named(name: &str) -> Option<PolicyKind> {
    Some(match name {
        "simple" => PolicyKind::Simple,
        "priority" => PolicyKind::Priority,
        "edf" => PolicyKind::Edf,
        "priority-affinity" => PolicyKind::PriorityAffinity,
        "strong-affinity" => PolicyKind::StrongAffinity,
        "cbs" => PolicyKind::Cbs,
        _ => return None,
    })
}

/// Carries all orders out, in the calling thread.
pub fn run<S: StageBoard>() {
    let stage = S::stage();
    for (number, actor) in stage.actors.iter().enumerate() {
        actor.number.store(number, Relaxed);
    }
    stage.each_word(|word| {
        let Some((order, rest)) = word
            .split_once('=')
            .filter(|(order, _)| *order != "instance")
        else {
            return;
        };
        if let Err(error) = carry_out::<S>(order, &numbers(rest)) {
            print::<S>(format_args!("@refused {word}: {error:?}\n"));
        }
        tell::<S>();
    });
}

/// The numbers of an order: those that are missing are 0.
fn numbers(words: &str) -> [u64; 4] {
    let mut found = [0; 4];
    for (place, word) in found.iter_mut().zip(words.split('.')) {
        *place = word.parse().unwrap_or(0);
    }
    found
}

fn instance<S: System>(number: u64) -> Result<Instance, Error> {
    Kernel::<S>::instance_named([b'I', b'0' + number as u8, b' ', b' '])
}

fn processor(number: u64) -> Result<Cpu, Error> {
    Cpu::new(number as usize + 1).ok_or(Error::Parameter)
}

/// The processors of a mask; all that there are where all its bits are set.
fn processors(mask: u64) -> CpuSet {
    match mask {
        u64::MAX => CpuSet::ALL,
        mask => CpuSet::from_bits(mask << 1),
    }
}

fn priority(level: u64) -> Priority {
    Priority::from_stored(level as u8)
}

fn carry_out<S: StageBoard>(order: &str, numbers: &[u64; 4]) -> Result<(), Error> {
    let [first, second, third, fourth] = *numbers;
    let actor = S::stage()
        .actors
        .get(first as usize)
        .ok_or(Error::Parameter)?;
    let thread: &'static AnyThread<S> = &actor.thread;
    match order {
        "create" => {
            actor.thread.create_as("actor", priority(third))?;
            thread.move_to(instance::<S>(second)?, priority(third))?;
            thread.set_affinity(processors(fourth))
        }
        "start" => actor.thread.start_with(be_seen::<S>, actor),
        "block" => thread.suspend(),
        "wake" => thread.resume(),
        "delete" => thread.delete(),
        "priority" => thread.set_priority(priority(second)),
        "affinity" => thread.set_affinity(processors(second)),
        "move" => thread.move_to(instance::<S>(second)?, priority(third)),
        "add" => Kernel::<S>::add_processor(instance::<S>(second)?, processor(first)?),
        "remove" => Kernel::<S>::remove_processor(instance::<S>(second)?, processor(first)?),
        "release" => thread.release_job(EPOCH.saturating_add(Duration::from_nanos(second))),
        "cancel" => thread.cancel_job(),
        "yield" => by_itself(actor, YIELD),
        "pin" => by_itself(actor, PIN),
        "unpin" => by_itself(actor, UNPIN),
        _ => Err(Error::Parameter),
    }
}

/// Base of the deadlines that are given: they only have an order.
const EPOCH: taktos_kernel::Instant = taktos_kernel::Instant::from_nanos(1_000_000_000);

/// Makes the thread do something for itself; it must be running.
fn by_itself<S: System>(actor: &Actor<S>, what: u8) -> Result<(), Error> {
    actor.inbox.store(what, Relaxed);
    for _ in 0..100 {
        pause::<S>(10);
        if actor.inbox.load(Relaxed) == 0 {
            return Ok(());
        }
    }
    actor.inbox.store(0, Relaxed);
    Err(Error::Timeout)
}

fn pause<S: System>(micros: u64) {
    // No thread cancels it.
    let _ = AnyThread::<S>::sleep(Duration::from_micros(micros));
}

/// A thread of a script.
fn be_seen<S: StageBoard>(actor: &'static Actor<S>) {
    let seen = &S::stage().seen;
    loop {
        match actor.inbox.swap(0, Relaxed) {
            YIELD => AnyThread::<S>::yield_now(),
            // Only threads that can do it get the order.
            PIN => drop(AnyThread::<S>::pin()),
            UNPIN => drop(AnyThread::<S>::unpin()),
            _ => {}
        }
        if let Some(place) = seen.get(AnyThread::<S>::processor().index()) {
            place.store(actor.number.load(Relaxed), Relaxed);
        }
        look_away(50);
    }
}

/// Prints the thread on each processor, when all have gone where they go.
fn tell<S: StageBoard>() {
    let seen = &S::stage().seen[1..S::PROCESSORS];
    pause::<S>(50);
    for place in seen {
        place.store(NOBODY, Relaxed);
    }
    pause::<S>(100);
    print::<S>(format_args!("@on"));
    for place in seen {
        match place.load(Relaxed) {
            NOBODY => print::<S>(format_args!(" -")),
            number => print::<S>(format_args!(" {number}")),
        }
    }
    print::<S>(format_args!("\n"));
}
