//! Attacks of a thread without privilege on everything outside its partition, one after another,
//! and a thread with privilege that sees what came of each: the cause that is reported is the true
//! one, nothing else has changed, and the kernel lives.
//!
//! Owns: the attacks that need no words of an architecture ([`outside`] has the others); the stress
//! test; the restarts; what is checked. Must never know: a board; an architecture's instructions.
//!
//! Its words on the command line: `calls=` (100,000), `restarts=` (10,000), `seed=` (1), and
//! `late=`. That is how many nanoseconds a thread more urgent than all others may be late by calls,
//! faults and restarts (40,000, which is 1,250 instructions where each takes 32). On several
//! processors `all` has the threads run on all of them; otherwise they are on one.

pub mod carried;
mod conditions;
mod float;
pub mod left_behind;
pub mod outside;
pub mod refused;

use self::carried::Carried;
use self::left_behind::LeftBehind;
use self::outside::{
    FRAMES_ON_STACK, keep_registers, load, receive_and_look, send_with_secret, store,
};
use super::storm::{Attempt, Known, Storm, is_right};
use super::{MEMORY, RIGHT, STACK, expect, finish};
use crate::chance::Chance;
use crate::command_line::{CommandLine, each_argument, is_argument};
use crate::spare::SpareInterrupt;
use core::ops::ControlFlow;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_abi::Timeout;
use taktos_abi::call::{CALLS, LONGEST_BYTES, Number, handle, kind, right};
use taktos_kernel::fault::print;
use taktos_kernel::user::{Data, Incident, Partition, Supervisor, UserThread};
use taktos_kernel::{AnyThread, Duration, Error, Kernel, Semaphore, Span, State, System, Thread};
use taktos_machine::{Cause, FAULT_REGISTERS, Isolation, Machine, UserFault};
use taktos_user::{Request, call};

/// Expected result of an attack.
#[derive(Clone, Copy)]
pub enum ExpectedFault {
    /// A fault of this cause.
    Fault(Cause),
    /// A fault of this cause and address: for an instruction, the address is the program counter,
    /// too.
    FaultAt(Cause, fn() -> usize),
    /// One of this cause, of the instruction at this place.
    FaultIn(Cause, fn() -> usize),
    /// One of this cause, with registers that are right.
    FaultWith(Cause, fn(&[usize; FAULT_REGISTERS]) -> bool),
    /// Nothing: the processor ignores it, and the thread continues.
    Nothing,
}

/// An attack: its name, what it does, what must come of it.
pub type Attack = (&'static str, fn(), ExpectedFault);

/// A board on which partitions are attacked.
pub trait AttackBoard: System<Machine: Isolation> + CommandLine + SpareInterrupt {
    /// The registers of a device that nothing uses, as many bytes as [`MEMORY`], of which the first
    /// word can be read.
    const DEVICE: usize;
    /// A device of which nothing is a partition's.
    const CONSOLE: usize;
    /// One by which the kernel works: its interrupt controller, or its timer.
    const SYSTEM: usize;
    /// Attacks that only boards of its kind know, besides those of the architecture.
    const MORE: &'static [Attack] = &[];
    /// Whether each stack is guarded, not only the lowest of a partition.
    const GUARDS_EACH_STACK: bool = false;
}

/// Number of words that no code writes, and their value.
const REST: usize = 64;
const REST_WORD: u32 = 0x5EC2_E7ED;

/// The data of each partition.
pub struct Told {
    /// How many calls were made.
    pub calls: AtomicU32,
    /// The number of the first call that was answered wrongly, plus one; and its handle.
    pub wrong: [AtomicU32; 2],
    /// That a thread saw what it must not, or not what it must.
    pub failed: AtomicU32,
    /// Not zero once calls are made at random: some start threads, with words that are no role.
    pub storms: AtomicU32,
    /// Words that no thread writes.
    pub rest: [AtomicU32; REST],
}

impl Data for Told {
    const NEW: Self = Self {
        calls: AtomicU32::new(0),
        wrong: [const { AtomicU32::new(0) }; 2],
        failed: AtomicU32::new(0),
        storms: AtomicU32::new(0),
        rest: [const { AtomicU32::new(REST_WORD) }; REST],
    };
}

impl Told {
    /// Counts a call, or a look.
    fn count(&self) {
        self.calls.fetch_add(1, Relaxed);
    }

    /// Notes that the thread saw what it must not, or not what it must, unless `holds`.
    fn demand(&self, holds: bool) {
        self.failed.fetch_or(u32::from(!holds), Relaxed);
    }
}

/// Handles and rights in the first partition's table: as
/// [`attacked_partitions!`](crate::attacked_partitions) has it.
const ALLOWS: &[u32] = &[
    kind::SEMAPHORE | right::GIVE | right::TAKE,
    kind::SEMAPHORE | right::GIVE | right::TAKE,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | 0x1F,
    kind::MUTEX | right::TAKE,
    kind::FLAGS | right::GIVE,
    kind::THREAD | kind::MEMBER | 0x1F,
    kind::QUEUE | right::SEND | right::RECEIVE,
    kind::POOL | right::GIVE | right::TAKE,
    kind::INTERRUPT | right::TAKE,
    kind::MUTEX | right::TAKE,
    kind::CONDITION | right::GIVE | right::TAKE,
];

/// The most urgent priority that a thread of the first partition may have.
pub const MOST_URGENT: u8 = 6;

/// The handle of the third partition's thread.
const PLAIN: usize = 7;

/// Roles of a thread of the first partition, in the upper half of its argument; the lower half says
/// which, or with which seed.
mod role {
    pub const ATTACK: usize = 1 << 24;
    pub const TABLE: usize = 2 << 24;
    pub const STORM: usize = 3 << 24;
    pub const SECRET: usize = 4 << 24;
    pub const KEEP: usize = 5 << 24;
    pub const SPOIL: usize = 6 << 24;
    pub const SPOILT: usize = 7 << 24;
    pub const NOTHING: usize = 8 << 24;
    pub const READ: usize = 9 << 24;
    pub const WRITE: usize = 10 << 24;
    pub const DEVICE: usize = 11 << 24;
    pub const BUSY: usize = 12 << 24;
    pub const FILL: usize = 13 << 24;
    pub const FILLED: usize = 14 << 24;
    pub const OVERFLOW: usize = 15 << 24;
    pub const PEEK: usize = 16 << 24;
    pub const AWAIT: usize = 17 << 24;
    pub const QUEUE: usize = 18 << 24;
    pub const QUEUED: usize = 19 << 24;
    pub const EXHAUST: usize = 20 << 24;
    pub const LONG: usize = 21 << 24;
    pub const LONG_RECEIVED: usize = 22 << 24;
    pub const INTERRUPTS: usize = 23 << 24;
    pub const INTERRUPT: usize = 24 << 24;
    pub const LOCK: usize = 25 << 24;
    pub const CONDITION: usize = 26 << 24;
    pub const FLOAT_FAULT: usize = 27 << 24;
    pub const FLOAT_LOOK: usize = 28 << 24;
    pub const MASK: usize = 0xFF << 24;
}

const SECRET: usize = 0x7A57_05EC;

/// Attackers and targets.
pub struct Objects<S: AttackBoard> {
    /// The partition that attacks.
    pub first: &'static Partition<S, Told>,
    /// The one that it may talk to, with a thread that may use the floating-point unit if any can.
    pub second: &'static Partition<S, Told>,
    /// One that it may talk to, without the unit.
    pub third: &'static Partition<S, Told>,
    /// One more, with a thread that may use the unit.
    pub fourth: &'static Partition<S, Told>,
    /// Those that do not start.
    pub refused: &'static [Partition<S, Told>; refused::COUNT],
    /// The first one's threads.
    pub threads: &'static [UserThread<S, Told>; 2],
    /// Supervisor that receives faults.
    pub supervisor: &'static Supervisor<S>,
    /// Objects for data that calls carry beyond words.
    pub carried: &'static Carried<S>,
    /// Objects that outlive a partition.
    pub left_behind: &'static LeftBehind<S>,
    /// Permits of calls that would give one, but with frames that cannot be stored.
    pub permits: &'static Semaphore<S>,
    /// Semaphore that no table names.
    pub others: &'static Semaphore<S>,
    /// A thread that no partition's table names.
    pub ticker: &'static Thread<S, { 256 * size_of::<usize>() }>,
}

taktos_kernel::partition_memory!(
    /// Memory that both partitions have, the first one to read.
    pub static COMMON: 4096
);

fn common() -> usize {
    core::ptr::from_ref(&COMMON).addr()
}

/// Returns the partition with threads that may use the floating-point unit if any can.
pub const fn with_float<S: AttackBoard>(partition: Partition<S, Told>) -> Partition<S, Told> {
    if <S::Machine as Isolation>::FLOAT {
        partition.float()
    } else {
        partition
    }
}

/// How often the ticker was on time.
static TICKS: AtomicU32 = AtomicU32::new(0);
/// How long it was late at most, in nanoseconds.
static LATEST: AtomicU32 = AtomicU32::new(0);
/// Wakes every 100 us, and looks how late it is.
pub fn tick<S: System>() {
    let mut next = Kernel::<S>::now();
    loop {
        next = next.saturating_add(100.micros());
        let _ = AnyThread::<S>::sleep(Timeout::until(next));
        let late = Kernel::<S>::now().since(next).as_nanos() as u32;
        LATEST.fetch_max(late, Relaxed);
        TICKS.fetch_add(1, Relaxed);
    }
}

/// Runs all, and says whether all was as it must be.
pub fn run<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let [mut calls, mut restarts, mut seed, mut late] = [100_000, 10_000, 1, 40_000];
    each_argument::<S>(|word| match word.split_once('=') {
        Some(("calls", number)) => calls = number.parse().unwrap_or(calls),
        Some(("restarts", number)) => restarts = number.parse().unwrap_or(restarts),
        Some(("seed", number)) => seed = number.parse().unwrap_or(seed),
        Some(("late", number)) => late = number.parse().unwrap_or(late),
        _ => {}
    });
    assert!(
        objects.ticker.start(tick::<S>).is_ok(),
        "the ticker does not start"
    );
    let parts: [(&str, &dyn Fn() -> bool); 13] = [
        ("refused starts", &|| refused::check(objects, restarts / 5)),
        ("attacks", &|| attacks(objects)),
        ("regions", &|| regions(objects)),
        ("what is carried", &|| carried::check(objects)),
        ("what is left behind", &|| left_behind::check(objects)),
        ("conditions", &|| conditions::check(objects)),
        ("registers", &|| registers(objects)),
        ("floating-point values", &|| float::check(objects)),
        ("frames", &|| frames(objects)),
        ("the table", &|| every_call(objects)),
        ("the storm", &|| storm(objects, calls, seed)),
        ("restarts", &|| restart_in_a_row(objects, restarts)),
        ("busy threads", &|| {
            restart_busy(objects, restarts / 10, seed)
        }),
    ];
    let mut passed = true;
    for (name, part) in parts {
        passed &= part();
        let latest = LATEST.swap(0, Relaxed);
        print::<S>(format_args!(
            "{name}: the ticker was at most {latest} ns late\n"
        ));
        passed &= checked::<S>("the kernel lives", latest < late);
        for partition in [objects.second, objects.third, objects.fourth] {
            let faulted = partition.take_incident().is_some();
            passed &= checked::<S>("no other partition faults", !faulted);
        }
    }
    passed &= checked::<S>("the ticker comes", TICKS.load(Relaxed) > 1_000);
    print::<S>(format_args!(
        "{}\n",
        if passed { "all passed" } else { "FAILED" }
    ));
    passed
}

/// Says what failed.
fn checked<S: System>(what: &str, holds: bool) -> bool {
    if !holds {
        print::<S>(format_args!("wrong: {what}\n"));
    }
    holds
}

/// A number that is another one if anything has changed that the first partition has nothing to do
/// with.
fn hash<S: AttackBoard>(objects: &Objects<S>) -> u32 {
    let mut sum = 0x811C_9DC5_u32;
    let mut add = |word: u32| sum = (sum ^ word).wrapping_mul(0x0100_0193);
    // A word at a time: interrupts are masked meanwhile.
    for place in 0..REST {
        let word = objects
            .second
            .look_at(|told| told.rest[place].load(Relaxed));
        add(word.unwrap_or(0));
    }
    add(objects.others.count());
    let (own, present) = objects.ticker.priorities();
    add(u32::from(own.level()) << 8 | u32::from(present.level()));
    // On several processors it may have its turn meanwhile.
    let lives = [State::Blocked, State::Ready, State::Executing];
    add(u32::from(lives.contains(&objects.ticker.state())));
    sum
}

/// All that one thread can try alone.
fn all<S: AttackBoard>() -> impl Iterator<Item = &'static Attack> {
    outside::Attacks::<S>::ALL.iter().chain(S::MORE)
}

/// Each attack: a life of the attacker.
fn attacks<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let map = || outside::MAP.map(|map| map());
    let own_map = map();
    start_second(objects, role::NOTHING);
    let before = hash(objects);
    let mut passed = true;
    for (number, (name, _, comes)) in all::<S>().enumerate() {
        begin(objects.first, role::ATTACK | number);
        let came = fault(objects);
        let right = is_what_comes(came.as_ref(), comes);
        if !right {
            match came {
                Some(UserFault { cause, address, .. }) => {
                    print::<S>(format_args!("{name}: {} {address:x?}\n", cause.text()))
                }
                None => print::<S>(format_args!("{name}: nothing came of it\n")),
            }
        }
        passed &= right && checked::<S>(name, hash(objects) == before);
        passed &= checked::<S>("the own map is back", map() == own_map);
    }
    print::<S>(format_args!("{} attacks\n", all::<S>().count()));
    passed & checked::<S>("no call on a foreign stack", objects.permits.count() == 0)
}

fn is_what_comes(came: Option<&UserFault>, comes: &ExpectedFault) -> bool {
    /// Where the program counter is among a fault's registers.
    const PC: usize = if size_of::<usize>() == 4 { 15 } else { 32 };
    let Some(came) = came else {
        return matches!(comes, ExpectedFault::Nothing);
    };
    match comes {
        ExpectedFault::Fault(expected) => came.cause == *expected,
        ExpectedFault::FaultAt(expected, place) => {
            let is_there = came.cause != Cause::InstructionAccess || came.registers[PC] == place();
            came.cause == *expected && came.address == Some(place()) && is_there
        }
        ExpectedFault::FaultIn(expected, place) => {
            came.cause == *expected && came.registers[PC] == place()
        }
        ExpectedFault::FaultWith(expected, is_right) => {
            came.cause == *expected && is_right(&came.registers)
        }
        ExpectedFault::Nothing => false,
    }
}

/// Starts the first partition and waits for its end: by a fault, or by itself.
fn life<S: AttackBoard>(
    objects: &'static Objects<S>,
    argument: usize,
) -> Option<(Cause, Option<usize>)> {
    begin(objects.first, argument);
    ended(objects)
}

/// Waits for the first partition's end: by a fault, or by itself.
fn ended<S: AttackBoard>(objects: &'static Objects<S>) -> Option<(Cause, Option<usize>)> {
    fault(objects).map(|UserFault { cause, address, .. }| (cause, address))
}

/// Waits for the first partition's end, as [`ended`] does. Returns the whole fault.
fn fault<S: AttackBoard>(objects: &'static Objects<S>) -> Option<UserFault> {
    // An end by itself wakes no supervisor.
    let _ = objects.threads[0].join(Timeout::after(4.millis()));
    told(objects).map(|incident| incident.fault)
}

/// Returns the fault that the supervisor of the first partition gets, if there is one.
fn told<S: AttackBoard>(objects: &'static Objects<S>) -> Option<Incident<S>> {
    let break_off = |_, incident| ControlFlow::Break(incident);
    let told = objects
        .supervisor
        .serve(&[objects.first], Timeout::NONE, break_off);
    told.ok()
}

fn begin<S: AttackBoard>(partition: &'static Partition<S, Told>, argument: usize) {
    let begun = partition.restart_with(argument);
    assert!(begun.is_ok(), "the partition does not start");
}

fn start_second<S: AttackBoard>(objects: &'static Objects<S>, argument: usize) {
    begin(objects.second, argument);
}

/// Returns how many calls the threads of the partition have made, or how often they have looked.
fn calls_of<S: AttackBoard>(partition: &'static Partition<S, Told>) -> Result<u32, Error> {
    partition.look_at(|told| told.calls.load(Relaxed))
}

fn failed<S: AttackBoard>(partition: &'static Partition<S, Told>) -> bool {
    partition.look_at(|told| told.failed.load(Relaxed)) != Ok(0)
}

/// Memory that both have is written by the one that may, and read by the other, which may not write
/// it; a device is its partition's alone.
fn regions<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    start_second(objects, role::WRITE);
    let _ = AnyThread::<S>::sleep(1.millis());
    let written = calls_of(objects.second);
    let mut passed = checked::<S>("memory and device are there", written == Ok(1));
    for (role, place) in [(role::READ, common()), (role::DEVICE, S::DEVICE)] {
        let came = life(objects, role);
        passed &= checked::<S>(
            "the region of another partition",
            came == Some((Cause::DataAccess, Some(place))),
        );
        passed &= checked::<S>("what was written is read", !failed(objects.first));
    }
    passed & only_read(objects)
}

/// Memory that a partition only reads is written in its presence, by a thread with privilege and by
/// the kernel, and the partition continues.
fn only_read<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let _ = life(objects, role::NOTHING);
    store(common(), 0);
    let mut passed = checked::<S>("privileged code writes", load(common()) == 0);
    start_second(objects, role::FILLED);
    let _ = AnyThread::<S>::sleep(100.micros());
    let came = life(objects, role::FILL);
    passed &= checked::<S>("it goes on", came.is_none());
    passed &= checked::<S>("the kernel writes", !failed(objects.first));
    let calls = calls_of(objects.first);
    passed &= checked::<S>("each time", calls == Ok(FILLS));
    // On all processors the thread does not run where the interrupt comes.
    if is_argument::<S>("all") {
        return passed;
    }
    for _ in 0..WRITES {
        store(common(), 0);
        begin(objects.first, role::AWAIT);
        interrupt_next::<S>();
        let came = ended(objects);
        passed &= checked::<S>("a handler writes", came.is_none());
        passed &= checked::<S>("it is read", !failed(objects.first));
    }
    passed
}

/// How often a handler writes there.
const WRITES: u32 = 10;

/// Makes an interrupt come as soon as another thread continues: the kernel does not know the mask,
/// which ends there. The handler calls [`interrupt`].
fn interrupt_next<S: AttackBoard>() {
    S::enable_interrupt();
    if S::Machine::PROCESSORS == 1 {
        let _ = S::Machine::mask();
    } else {
        // Without the lock.
        S::Machine::mask_here();
    }
    S::pend_interrupt();
}

/// Does the work of the handler of the board's spare interrupt: that of a partition's device, or of
/// [`interrupt_next`].
pub fn interrupt<S: AttackBoard>(objects: &'static Objects<S>) {
    if !left_behind::handle(objects.left_behind.line) {
        store(common(), WRITTEN);
    }
}

/// Checks that no thread of another partition finds the register contents of a thread, and that
/// these stay when the thread is interrupted.
fn registers<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let mut passed = true;
    for (partition, handle) in [(objects.second, 4), (objects.third, PLAIN)] {
        for (role, looks) in [(role::SECRET, 1), (role::PEEK, PEEKS)] {
            begin(partition, role);
            let _ = life(objects, role | handle);
            let looked = || calls_of(partition) == Ok(looks);
            let has_looked = wait_until::<S>(looked);
            passed &= checked::<S>("another partition looks at registers", has_looked);
            passed &= checked::<S>("no register leaks", !failed(partition));
            partition.stop();
        }
    }
    let _ = Kernel::<S>::set_time_slice(Some(50.micros()));
    start_second(objects, role::KEEP);
    let _ = life(objects, role::KEEP);
    let both = || {
        let ends =
            [objects.first, objects.second].map(|partition| calls_of(partition).unwrap_or(0));
        ends[0] >= 2 && ends[1] >= 1
    };
    let begun = Kernel::<S>::now();
    while !both() && Kernel::<S>::now().since(begun) < 100.millis() {
        let _ = AnyThread::<S>::sleep(1.millis());
    }
    passed &= checked::<S>("interrupted threads come to their end", both());
    let _ = Kernel::<S>::set_time_slice(Some(10.secs()));
    passed
        & checked::<S>(
            "registers stay",
            !failed(objects.first) && !failed(objects.second),
        )
}

/// A thread spoils the stack of its partner, which waits: the partner faults when it resumes, if
/// that needs the stack; else it comes to its end.
fn frames<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    let cause = life(objects, role::SPOIL).map(|(cause, _)| cause);
    checked::<S>(
        "a spoilt frame is a fault",
        cause.is_some() == FRAMES_ON_STACK,
    ) & checked::<S>(
        "of the thread that has it",
        objects.threads[1].state() == State::Dormant,
    ) & (!S::GUARDS_EACH_STACK
        || [0, 1]
            .into_iter()
            .all(|woken| ends_at_own_stack(objects, woken)))
}

/// A thread overflows a stack that is not the lowest: it ends where that does, and the other one
/// does not notice.
fn ends_at_own_stack<S: AttackBoard>(objects: &'static Objects<S>, woken: usize) -> bool {
    /// The place of the stack pointer among a fault's registers.
    const STACK_POINTER: usize = 13;
    begin(objects.first, role::OVERFLOW | woken);
    let _ = objects.threads[0].join(Timeout::after(4.millis()));
    let Some(Incident { thread, fault }) = told(objects) else {
        return checked::<S>("a stack that is not the lowest overflows", false);
    };
    let data = objects
        .first
        .look_at(|told| core::ptr::from_ref(told).addr());
    let stack = data.unwrap_or(0) & !(MEMORY - 1) | STACK;
    checked::<S>("a stack overflow", fault.cause == Cause::StackOverflow)
        & checked::<S>(
            "of that thread",
            core::ptr::addr_eq(thread, &raw const *objects.threads[1]),
        )
        & checked::<S>(
            "where its stack ends",
            fault.registers[STACK_POINTER] & !(STACK - 1) == stack,
        )
        & checked::<S>("one alone", told(objects).is_none())
}

/// Every number with every handle and words: the attacker continues where its last life ended.
fn every_call<S: AttackBoard>(objects: &'static Objects<S>) -> bool {
    start_second(objects, role::NOTHING);
    let before = hash(objects);
    let mut made = 0;
    while made < OF_TABLE {
        let came = life(objects, role::TABLE | made);
        let (calls, right) = progress(objects);
        if !(right && came.is_none() && hash(objects) == before && calls > 0) {
            return checked::<S>("every call", false);
        }
        made += calls as usize;
    }
    print::<S>(format_args!("{OF_TABLE} calls of the table\n"));
    true
}

/// How many calls the attacker made in its last life, and whether all were answered as they must
/// be.
fn progress<S: AttackBoard>(objects: &'static Objects<S>) -> (u32, bool) {
    let told = objects.first.look_at(|told| {
        let [number, handle] = [0, 1].map(|place: usize| told.wrong[place].load(Relaxed));
        (told.calls.load(Relaxed), number, handle)
    });
    let (calls, number, handle) = told.unwrap_or_default();
    if number != 0 {
        print::<S>(format_args!(
            "call {} with {handle:#x} was answered wrongly\n",
            number - 1
        ));
    }
    (calls, number == 0)
}

/// Calls at random.
fn storm<S: AttackBoard>(objects: &'static Objects<S>, calls: u32, seed: u32) -> bool {
    start_second(objects, role::NOTHING);
    let before = hash(objects);
    let (mut made, mut lives) = (0, 0_u32);
    while made < calls {
        let seed = (seed.wrapping_mul(0x9E37) ^ lives) & !(role::MASK as u32);
        let came = life(objects, role::STORM | seed as usize);
        let (calls, right) = progress(objects);
        let unchanged = hash(objects) == before;
        if !(right && came.is_none() && unchanged) {
            let cause = came.map(|(cause, address)| (cause.text(), address));
            print::<S>(format_args!(
                "the storm {seed} in its life {lives}: {cause:x?}, unchanged: {unchanged}\n"
            ));
            return checked::<S>("the storm", false);
        }
        made += calls;
        lives += 1;
    }
    print::<S>(format_args!("{made} calls at random in {lives} lives\n"));
    carried::is_given_back(objects)
}

/// Restarts, one after another: each time the data are new, and the first thread runs.
fn restart_in_a_row<S: AttackBoard>(objects: &'static Objects<S>, restarts: u32) -> bool {
    let first = objects.first.generation();
    for _ in 0..restarts {
        let _ = objects.first.look_at(|told| told.rest[0].store(0, Relaxed));
        let begun = objects
            .first
            .restart_with(role::STORM | 0x00FF_FFFF)
            .is_ok();
        let new = objects.first.look_at(|told| told.rest[0].load(Relaxed)) == Ok(REST_WORD);
        // It has made some calls, and is in the midst of one.
        let _ = AnyThread::<S>::sleep(30.micros());
        if !(begun && new) {
            return checked::<S>("a restart", false);
        }
    }
    objects.first.stop();
    print::<S>(format_args!("{restarts} restarts in a row\n"));
    let wrapped = (u32::from(first) + restarts - 1) % 65_535 + 1;
    checked::<S>(
        "the generation",
        u32::from(objects.first.generation()) == wrapped,
    )
}

/// Restarts of threads that are busy with themselves, on several processors if there are any: each
/// time both threads of the new life come to run, no thread of the last one does, and the other
/// partition's continues.
fn restart_busy<S: AttackBoard>(objects: &'static Objects<S>, restarts: u32, seed: u32) -> bool {
    start_second(objects, role::BUSY);
    let turns = || {
        let turns = calls_of(objects.second);
        turns.unwrap_or(0)
    };
    let before = turns();
    let mut chance = Chance::new(seed.into());
    for life in 0..restarts {
        let begun = objects.first.restart_with(role::BUSY | life as usize);
        let ran = wait_until::<S>(|| {
            let numbers = objects
                .first
                .look_at(|told| [0, 1].map(|place: usize| told.wrong[place].load(Relaxed)));
            numbers == Ok([life + 1; 2])
        });
        let _ = AnyThread::<S>::sleep(Timeout::after(Duration::from_micros(chance.below(20))));
        if !(checked::<S>("a start", begun.is_ok())
            & checked::<S>("both threads run", ran)
            & checked::<S>("registers stay", !failed(objects.first)))
        {
            return false;
        }
    }
    objects.first.stop();
    print::<S>(format_args!("{restarts} restarts of busy threads\n"));
    checked::<S>("the other partition goes on", turns() > before)
        & checked::<S>("its registers stay", !failed(objects.second))
}

/// Waits until it `is_so`, but not for long; says whether it was.
fn wait_until<S: System>(is_so: impl Fn() -> bool) -> bool {
    let begun = Kernel::<S>::now();
    while !is_so() {
        if Kernel::<S>::now().since(begun) > 4.millis() {
            return false;
        }
        let _ = AnyThread::<S>::sleep(5.micros());
    }
    true
}

/// Returns the role of a thread of the first partition.
fn role_of(told: &'static Told, argument: usize) -> usize {
    match told.storms.load(Relaxed) {
        0 => argument & role::MASK,
        _ => role::STORM,
    }
}

/// The first partition's first thread.
pub extern "C" fn left<S: AttackBoard>(told: &'static Told, argument: usize) -> ! {
    let which = argument & !role::MASK;
    match role_of(told, argument) {
        role::ATTACK => {
            if let Some((_, attack, _)) = all::<S>().nth(which) {
                attack();
            }
        }
        role::TABLE => table(told, which),
        role::STORM => rage(told, which, |_| true),
        role::SECRET => send_with_secret(which, SECRET),
        role::PEEK => keep_secret(),
        role::AWAIT => {
            let is_written = (0..100).any(|_| load(common()) == WRITTEN);
            told.demand(is_written);
        }
        role::KEEP => {
            expect(RIGHT.start(argument));
            keep(told, 0x1234_5678, false);
        }
        role::SPOIL => spoil(told),
        role::BUSY => {
            expect(RIGHT.start(argument));
            be_busy(told, 0, which);
        }
        role::FILL => fill(told),
        role::QUEUE => carried::send(told),
        role::EXHAUST => carried::exhaust(told),
        role::INTERRUPTS => left_behind::acknowledge(told),
        role::INTERRUPT => left_behind::acknowledge_once(),
        role::LOCK => left_behind::lock(told),
        role::CONDITION => conditions::wait(told, which),
        role::LONG => carried::send_long(told, which),
        role::OVERFLOW => wake_overflow(which),
        role::READ => {
            let read = load(common());
            told.demand(read == WRITTEN);
            store(common(), 0);
        }
        role::DEVICE => {
            load(S::DEVICE);
        }
        _ => {}
    }
    finish()
}

/// The first partition's second thread.
pub extern "C" fn right<S: AttackBoard>(told: &'static Told, argument: usize) -> ! {
    match role_of(told, argument) {
        role::KEEP => keep(told, 0x0BAD_CAFE, false),
        role::SPOILT => {
            let _ = super::PERMITS.take(Timeout::FOREVER);
        }
        // The other would receive bytes of the one anywhere in its memory, its stack among it.
        role::STORM => rage(told, argument & !role::MASK, |drawn| !drawn.is_of_bytes()),
        role::BUSY => be_busy(told, 1, argument & !role::MASK),
        role::CONDITION => conditions::signal(),
        role::OVERFLOW => overflow::<S>(argument & !role::MASK),
        _ => {}
    }
    finish()
}

/// The second partition's thread.
pub extern "C" fn other<S: AttackBoard>(told: &'static Told, argument: usize) -> ! {
    match argument & role::MASK {
        role::SECRET => {
            // With a message, and no register has it.
            let came = receive_and_look(SECRET, usize::MAX);
            told.demand(came == 0);
            told.count();
        }
        role::PEEK => peek(told),
        role::WRITE => {
            store(common(), WRITTEN);
            load(S::DEVICE);
            told.count();
        }
        role::KEEP => keep(told, 0x00C0_FFEE, <S::Machine as Isolation>::FLOAT),
        role::BUSY => be_busy(told, 0, 0),
        role::FILLED => be_filled(told),
        role::QUEUED => carried::receive(told),
        role::LONG_RECEIVED => carried::receive_long(told),
        role::FLOAT_FAULT => float::fault(argument & !role::MASK),
        role::FLOAT_LOOK => float::look(told),
        _ => echo(told),
    }
    finish()
}

const WRITTEN: u32 = 0x0DD_B175;

/// How often the one partition has the memory filled that it only reads.
const FILLS: u32 = 20;

/// Sends bytes that the other partition, which is now more urgent, now less, receives there and
/// checks.
fn fill(told: &'static Told) {
    for number in 0..FILLS {
        // With the receiver less urgent the call comes back at once.
        let _ = super::LEFT.set_priority(if number % 2 == 0 { 8 } else { 24 });
        let sent = super::OTHER.send_bytes(&number.to_le_bytes(), Timeout::FOREVER);
        let is_there = sent.is_ok() && load(common()) == number;
        told.demand(is_there);
        told.count();
        let _ = taktos_user::sleep(20.micros());
    }
}

fn be_filled(told: &'static Told) -> ! {
    loop {
        // By its address: no reference to memory that others write.
        let request = Request {
            number: Number::ReceiveBytes as usize,
            handle: 0,
            words: [common(), 4],
            timeout: Timeout::FOREVER,
        };
        let _ = call(request);
        told.count();
    }
}

/// Makes the other thread overflow its stack: when it is started, or, if `woken` says so, when it
/// resumes after a call.
fn wake_overflow(woken: usize) {
    expect(RIGHT.start(role::OVERFLOW | woken));
    if woken != 0 {
        expect(RIGHT.set_priority(7));
        // It has come to wait.
        let _ = taktos_user::sleep(100.micros());
        expect(super::PERMITS.give());
    }
    let _ = taktos_user::sleep(200.micros());
}

fn overflow<S: AttackBoard>(woken: usize) {
    if woken != 0 {
        let _ = super::PERMITS.take(Timeout::FOREVER);
    }
    if S::GUARDS_EACH_STACK {
        outside::overflow();
    }
}

/// Replies to every caller.
fn echo(told: &'static Told) -> ! {
    loop {
        match taktos_user::receive(Timeout::FOREVER) {
            Ok(received) => {
                let _ = received.sender.reply(received.message);
            }
            // The next sender sends bytes, which no thread requested.
            Err(_) => {
                let _ = taktos_user::receive_bytes(&mut [0; 4], Timeout::NONE);
            }
        }
        told.count();
    }
}

/// How often a thread looks into registers that are another one's just before.
const PEEKS: u32 = 60;
/// Wait before each look, in nanoseconds.
const BEFORE_PEEK: usize = 37_000;

/// Wakes, in the midst of the other one, and looks.
fn peek(told: &'static Told) {
    for _ in 0..PEEKS {
        let came = receive_and_look(SECRET, BEFORE_PEEK);
        told.demand(came & 1 == 0);
        told.count();
    }
}

/// Keeps the secret in one register after the other, for as long as the other one looks.
fn keep_secret() {
    expect(super::LEFT.set_priority(9));
    let end = taktos_user::now().saturating_add(Duration::from_nanos(
        u64::from(PEEKS) * BEFORE_PEEK as u64 * 5 / 4,
    ));
    let registers = if size_of::<usize>() == 4 {
        4..=12
    } else {
        4..=30
    };
    while taktos_user::now() < end {
        for register in registers.clone() {
            keep_registers(SECRET - register, 20, false);
        }
    }
}

fn keep(told: &'static Told, seed: usize, float: bool) {
    let kept = keep_registers(seed, 20_000, float);
    told.failed.fetch_or(u32::from(kept == 0), Relaxed);
    told.count();
}

/// Says which life it is of, and is busy for ever.
fn be_busy(told: &'static Told, place: usize, life: usize) -> ! {
    told.wrong[place].store(life as u32 + 1, Relaxed);
    loop {
        let kept = keep_registers(0x0101_0101 * (place + 1), 100, false);
        told.failed.fetch_or(u32::from(kept == 0), Relaxed);
        told.count();
        taktos_user::yield_now();
    }
}

/// Makes its partner wait, spoils the partner's frame and lets it resume.
fn spoil(told: &'static Told) {
    expect(RIGHT.start(role::SPOILT));
    let _ = taktos_user::sleep(100.micros());
    // Its stack is the second one, right below the data.
    let end = core::ptr::from_ref(told).addr() & !7;
    outside::spoil(end - STACK, end);
    expect(super::PERMITS.give());
    let _ = taktos_user::sleep(100.micros());
}

fn known(told: &'static Told) -> Known {
    let data = core::ptr::from_ref(told).addr();
    Known {
        allows: ALLOWS,
        memory: data & !(MEMORY - 1),
        size: MEMORY,
        letter: size_of::<carried::Letter>(),
        word: align_of::<carried::Letter>(),
        most_urgent: MOST_URGENT.into(),
    }
}

/// Makes the call, and checks the answer.
fn attempt(told: &'static Told, known: &Known, attempt: Attempt) {
    let Attempt {
        number,
        handle,
        words,
        timeout,
    } = attempt;
    told.count();
    let answer = call(Request {
        number,
        handle,
        words,
        timeout,
    });
    if !is_right(known, &attempt, answer.status) && told.wrong[0].load(Relaxed) == 0 {
        told.wrong[0].store(number as u32 + 1, Relaxed);
        told.wrong[1].store(handle as u32, Relaxed);
    }
}

/// How many calls a thread makes before it ends.
const A_LIFE: usize = 200;

/// Makes calls at random, those that it may.
fn rage(told: &'static Told, seed: usize, may: fn(&Attempt) -> bool) {
    told.storms.store(1, Relaxed);
    let known = known(told);
    let mut storm = Storm::new(seed as u64, known);
    for _ in 0..A_LIFE {
        let drawn = storm.draw();
        if may(&drawn) && !drawn.spoils(&known) {
            attempt(told, &known, drawn);
        }
    }
}

/// Handles: all places, some after them, generations, and values that look like addresses.
const HANDLES: [usize; 20] = [
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    11,
    12,
    0xFFFF,
    2 | 1 << handle::GENERATION,
    4 | 7 << handle::GENERATION,
    3 | 0xFFFF << handle::GENERATION,
    0x2000_0000,
    usize::MAX,
    1 << 31,
];

/// Number of pairs of words for each: own memory, its ends and the words across them, null, the
/// kernel's, and lengths.
const WORDS: usize = 13;

/// How many calls there are with each number, handle and pair of words; two numbers are none.
const OF_TABLE: usize = (CALLS.len() + 2) * HANDLES.len() * WORDS;

fn words(known: &Known, which: usize) -> [usize; 2] {
    let Known {
        memory,
        size,
        letter,
        ..
    } = *known;
    match which {
        0 => [memory + size / 2, 4],
        1 => [memory + size - 4, 4],
        2 => [memory + size - 4, 5],
        3 => [memory - 1, 4],
        4 => [memory, LONGEST_BYTES + 1],
        5 => [memory, usize::MAX],
        6 => [0, 0],
        7 => [0x2000_0000, LONGEST_BYTES],
        8 => [usize::MAX - 1, 4],
        9 => [memory + size / 8 * 7, letter],
        10 => [memory + size / 8 * 7 + 1, letter],
        11 => [memory + size - 4, letter],
        _ => [memory + size, 0x10],
    }
}

/// The calls from the one numbered `from`, as many as a life has.
fn table(told: &'static Told, from: usize) {
    let known = known(told);
    for place in from..(from + A_LIFE).min(OF_TABLE) {
        attempt(
            told,
            &known,
            Attempt {
                number: place / (HANDLES.len() * WORDS),
                handle: HANDLES[place / WORDS % HANDLES.len()],
                words: words(&known, place % WORDS),
                timeout: Timeout::NONE,
            },
        );
    }
}
