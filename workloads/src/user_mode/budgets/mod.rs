//! Partitions with budgets: how much of the processor each may use, whatever its threads do, and
//! which account pays for calls.
//!
//! Owns: the parts of the threads; the demands on the charged time, and on the time that was left
//! for others. Must never know: a board; how time is charged.
//!
//! On several processors of one instance threads of a partition execute next to each other, and
//! there are some cases more.
//!
//! Its words on the command line: `late=`, how many nanoseconds a budget's end may be overrun
//! (40,000), for each processor; `seed=` (1), and how many seeds, `rages=` (1); `hunted`, where
//! processors stand still again and again: demands to the microsecond are left out.

pub mod evade;
mod rage;

use super::{DONE, OTHER, PERMITS, expect};
use crate::command_line::{CommandLine, each_argument};
use core::hint::spin_loop;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use taktos_kernel::fault::print;
use taktos_kernel::user::{Partition, Supervisor, Usage, UserThread};
use taktos_kernel::{
    AnyThread, Duration, Error, Kernel, Message, Mutex, Semaphore, Span, System, Timeout,
};
use taktos_machine::Isolation;
use taktos_user as user;

/// Budget of the first partition, and its period.
pub const FIRST: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(10)];
/// Budget of the second partition, and its period.
pub const SECOND: [Duration; 2] = [Duration::from_millis(4), Duration::from_millis(10)];
/// In how many periods a case is looked at, and how long that is, in milliseconds.
const PERIODS: u64 = 3;
const WHILE: u32 = 10 * PERIODS as u32;

/// Other handles of the threads of the first partition: a server without partition, and a mutex.
const SERVER: user::Thread = user::Thread::at(5);
const MUTEX: user::Mutex = user::Mutex::at(6);

/// Roles of a thread of the first partition, in the upper half of its argument. The lower half is a
/// time in microseconds.
mod role {
    /// Nothing but to be busy.
    pub const SPIN: usize = 1 << 16;
    /// Calls of the kernel, one after the other.
    pub const CALLS: usize = 2 << 16;
    /// Sleeps of a moment, one after the other: the budget ends in one of many short turns.
    pub const NAPS: usize = 3 << 16;
    /// Calls of a server that has no partition; its service takes that time.
    pub const CALL: usize = 4 << 16;
    /// Calls of the second partition's server; its service takes that time.
    pub const CALL_ACROSS: usize = 5 << 16;
    /// One call of the second partition's.
    pub const CALL_ONCE: usize = 6 << 16;
    /// To lock the mutex for that time, once, and to be busy.
    pub const LOCK: usize = 7 << 16;
    /// A fault after that time.
    pub const FAULT: usize = 8 << 16;
    /// A second thread, and both are busy.
    pub const BOTH: usize = 9 << 16;
    /// To be busy for that time, and to end.
    pub const TURN: usize = 10 << 16;
    /// A second thread, again and again, that is busy for that time; and to be busy.
    pub const TURNS: usize = 11 << 16;
    /// A second thread that is busy, and calls as with [`CALL_ACROSS`].
    pub const CALL_BESIDE: usize = 12 << 16;
    /// A second thread that is busy, and a fault after that time.
    pub const FAULT_BESIDE: usize = 13 << 16;
    /// Random operations, by that seed.
    pub const RAGE: usize = 14 << 16;
    pub const TIME: usize = 0xFFFF;
}

/// The part of the first partition's threads.
pub extern "C" fn left(_: &'static (), argument: usize) -> ! {
    let time = argument & role::TIME;
    match argument & !role::TIME {
        role::CALLS => loop {
            let _ = PERMITS.give();
            let _ = PERMITS.take(Timeout::NONE);
        },
        role::NAPS => loop {
            let _ = user::sleep(5.micros());
        },
        role::CALL => loop {
            let _ = SERVER.call_for([time, 0], Timeout::FOREVER);
        },
        role::CALL_ACROSS => call_across(time),
        role::CALL_BESIDE => {
            expect(super::RIGHT.start(role::SPIN));
            call_across(time)
        }
        role::TURN => {
            compute(time);
            user::exit()
        }
        role::TURNS => loop {
            // It may still execute.
            let _ = super::RIGHT.start(role::TURN | time);
        },
        role::CALL_ONCE => {
            let _ = OTHER.call_for([time, 0], Timeout::FOREVER);
            let _ = DONE.give();
            user::exit()
        }
        role::LOCK => {
            expect(MUTEX.lock(Timeout::FOREVER));
            compute(time);
            expect(MUTEX.unlock());
            spin()
        }
        role::FAULT => fault(time),
        role::RAGE => rage::rage(time),
        role::FAULT_BESIDE => {
            expect(super::RIGHT.start(role::SPIN));
            fault(time)
        }
        role::BOTH => {
            expect(super::RIGHT.start(role::SPIN));
            spin()
        }
        _ => spin(),
    }
}

/// The part of the second partition's thread: serves calls, each for as long as it says.
pub extern "C" fn other(_: &'static (), _: usize) -> ! {
    let mut request = expect(user::receive(Timeout::FOREVER));
    loop {
        compute(request.message[0].min(LONGEST_ACROSS));
        let next = request.sender.reply_and_receive([0, 0], Timeout::FOREVER);
        request = match next {
            Ok(next) => next,
            // The caller does not wait any more.
            Err(_) => expect(user::receive(Timeout::FOREVER)),
        };
    }
}

fn call_across(time: usize) -> ! {
    loop {
        let _ = OTHER.call_for([time, 0], Timeout::FOREVER);
    }
}

fn fault(time: usize) -> ! {
    compute(time);
    OUTSIDE.store(1, Relaxed);
    spin()
}

fn spin() -> ! {
    loop {
        spin_loop();
    }
}

/// How long a service is at most, of the server without partition and of the second one's, in
/// microseconds: whatever callers say.
const LONGEST: usize = 3_000;
const LONGEST_ACROSS: usize = 5_000;

/// Computes for `micros` microseconds of its own time: moments in which nothing else ran.
fn compute(micros: usize) {
    work(micros, || user::now().as_nanos());
}

/// Computes for `micros` microseconds by any clock, not counting time in which other code ran.
fn work(micros: usize, now: impl Fn() -> u64) {
    let mut rest = micros as u64 * 1_000;
    let mut last = now();
    while rest > 0 {
        let this = now();
        let moment = this - last;
        rest = rest.saturating_sub(if moment < MOMENT { moment } else { 0 });
        last = this;
    }
}

/// Two readings of a clock are closer than this with nothing between them: in nanoseconds.
const MOMENT: u64 = 20_000;

/// The program's, and no partition's.
static OUTSIDE: AtomicU32 = AtomicU32::new(0);

/// Objects of the program.
pub struct Objects<S: System<Machine: Isolation>> {
    /// The partition with the budget [`FIRST`].
    pub first: &'static Partition<S, ()>,
    /// The one with the budget [`SECOND`].
    pub second: &'static Partition<S, ()>,
    /// The first one's threads.
    pub own: &'static [UserThread<S, ()>; 2],
    /// The second one's.
    pub threads: &'static [UserThread<S, ()>; 1],
    /// A permit for each call that has come back.
    pub done: &'static Semaphore<S>,
    /// Mutex that the first partition locks.
    pub mutex: &'static Mutex<S>,
    /// The supervisor of the partitions that evade.
    pub supervisor: &'static Supervisor<S>,
    /// The partitions that [evade](evade::evading).
    pub evading: [&'static Partition<S, ()>; 2],
}

/// Time that the threads less urgent than all others had of the processors, in microseconds: time
/// that no other thread used.
static REST: AtomicU32 = AtomicU32::new(0);
/// Whether no case uses that time now.
static PAUSES: AtomicBool = AtomicBool::new(false);

/// The least urgent thread, or one of as many as there are processors.
pub fn rest<S: System>() -> ! {
    loop {
        if PAUSES.load(Relaxed) {
            let _ = AnyThread::<S>::sleep(1.millis());
            continue;
        }
        work(10, || Kernel::<S>::now().as_nanos());
        REST.fetch_add(10, Relaxed);
    }
}

/// The server without partition.
pub fn serve<S: System>() {
    loop {
        let Ok(mut request) = AnyThread::<S>::receive(Timeout::FOREVER) else {
            continue;
        };
        loop {
            work(request.message.0[0].min(LONGEST), || {
                Kernel::<S>::now().as_nanos()
            });
            let next = request
                .sender
                .reply_and_receive(Message::word(0), Timeout::FOREVER);
            match next {
                Ok(next) => request = next,
                Err(_) => break,
            }
        }
    }
}

/// Time that was charged in the course of a case.
struct Charged {
    first: u64,
    second: u64,
    /// Time that the least urgent threads had.
    rest: u64,
    /// How long the case was for all processors, all in microseconds.
    time: u64,
}

/// The checks under way.
struct Checks<S: System<Machine: Isolation>> {
    objects: &'static Objects<S>,
    processors: u64,
    late: u64,
    passed: bool,
}

impl<S: System<Machine: Isolation>> Checks<S> {
    fn demand(&mut self, what: &str, holds: bool) {
        if !holds {
            print::<S>(format_args!("wrong: {what}\n"));
        }
        self.passed &= holds;
    }

    fn usages(&self) -> [Usage; 2] {
        [self.objects.first, self.objects.second].map(|partition| match partition.usage() {
            Some(usage) => usage,
            None => panic!("the partition has a budget"),
        })
    }

    /// Runs a case: for [`WHILE`] the first partition does its part, the second one serves, and
    /// `meanwhile` is called after each millisecond.
    fn case(&mut self, name: &str, argument: usize, mut meanwhile: impl FnMut(u32)) -> Charged {
        let Objects { first, second, .. } = self.objects;
        first.stop();
        second.stop();
        pause::<S>();
        // On several processors threads run at once: the server is to be there. Its start is at its
        // cost.
        certain(second.start());
        let begin = Kernel::<S>::now();
        let before = self.usages();
        REST.store(0, Relaxed);
        certain(first.start_with(argument));
        for milli in 1..=WHILE {
            let _ = AnyThread::<S>::sleep(Timeout::until(begin.saturating_add(milli.millis())));
            meanwhile(milli);
        }
        let after = self.usages();
        let time = self.processors * Kernel::<S>::now().since(begin).as_micros();
        let used = |place: usize| {
            let [before, after] = [before, after].map(|usages| usages[place].time);
            after.saturating_sub(before).as_micros()
        };
        let charged = Charged {
            first: used(0),
            second: used(1),
            rest: REST.load(Relaxed).into(),
            time,
        };
        print::<S>(format_args!(
            "{name}: {} us, {} us, others {} us of {time} us\n",
            charged.first, charged.second, charged.rest
        ));
        charged
    }

    /// Demands that the first partition was charged with its share of all periods, and the second
    /// one with no more than `second`; and that the rest was there for others, but what the
    /// case itself costs.
    fn demand_share(&mut self, charged: &Charged, second: u64) {
        self.demand_share_and(charged, second, 0);
    }

    /// As [`Self::demand_share`], where the first partition may owe so much besides.
    fn demand_share_and(&mut self, charged: &Charged, second: u64, owed: u64) {
        let share = PERIODS * FIRST[0].as_micros();
        let late = self.processors * self.late / 1_000 + 1 + owed;
        self.demand(
            "its share, and not more",
            (share..=share + late).contains(&charged.first),
        );
        self.demand("nobody else pays", charged.second <= second);
        let left = charged.time - charged.first - charged.second;
        self.demand("the rest is others'", charged.rest + self.costs() >= left);
    }

    const fn costs(&self) -> u64 {
        self.processors * COSTS
    }
}

/// Time that restarts, alarms and switches of a case may take, and that is lost of a least urgent
/// thread's time where it is interrupted.
const COSTS: u64 = 2_500;
/// The time of restarts that the program requests while nothing is left in the last period of a
/// case: of eight at most.
const RESTARTS: u64 = 400;

/// Lets all be paid that came before.
fn pause<S: System>() {
    PAUSES.store(true, Relaxed);
    let _ = AnyThread::<S>::sleep(60.millis());
    PAUSES.store(false, Relaxed);
}

fn certain(result: Result<(), Error>) {
    assert_eq!(result, Ok(()), "the partition does not start");
}

/// Runs all cases on `processors` processors, and says whether all was as it must be.
pub fn run<S: System<Machine: Isolation> + CommandLine>(
    objects: &'static Objects<S>,
    processors: usize,
) -> bool {
    let [mut late, mut seed, mut rages] = [40_000, 1, 1];
    let mut is_hunted = false;
    each_argument::<S>(|word| match word.split_once('=') {
        Some(("late", number)) => late = number.parse().unwrap_or(late),
        Some(("seed", number)) => seed = number.parse().unwrap_or(seed),
        Some(("rages", number)) => rages = number.parse().unwrap_or(rages),
        _ => is_hunted |= word == "hunted",
    });
    let mut checks = Checks {
        objects,
        processors: processors as u64,
        late,
        passed: true,
    };
    if !is_hunted {
        to_the_microsecond(&mut checks);
    }
    for number in 0..rages {
        rage::check(&mut checks, seed.wrapping_add(number));
    }
    if !is_hunted {
        owed(&mut checks);
    }
    print::<S>(format_args!(
        "{}\n",
        if checks.passed {
            "all passed"
        } else {
            "FAILED"
        }
    ));
    checks.passed
}

/// Checks the cases with results that are known beforehand.
fn to_the_microsecond<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    alone(checks);
    if checks.processors > 1 {
        let charged = checks.case("turns elsewhere", role::TURNS | 30, |_| {});
        checks.demand_share(&charged, 1);
    }
    let most = checks.usages()[0].most_owed.as_nanos();
    print::<S>(format_args!("a budget was overrun by {most} ns at most\n"));
    checks.demand("an end in time", most <= checks.processors * checks.late);
    ends(checks);
    if checks.processors > 1 {
        beside(checks);
    }
    evade::check(checks);
    calls(checks);
    mutex(checks);
}

/// Whatever the threads of one partition do by themselves.
fn alone<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    for (name, role) in [
        ("spin", role::SPIN),
        ("calls", role::CALLS),
        ("two threads", role::BOTH),
    ] {
        let charged = checks.case(name, role, |_| {});
        checks.demand_share(&charged, 1);
    }
    let charged = checks.case("naps", role::NAPS, |_| {});
    checks.demand(
        "no more than its share",
        charged.first <= PERIODS * FIRST[0].as_micros() + 40,
    );
}

/// Restarts, faults, suspensions, with much left and with nothing.
fn ends<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let first = checks.objects.first;
    let charged = checks.case("restarts", role::SPIN, |_| {
        certain(first.restart_with(role::SPIN));
    });
    checks.demand_share_and(&charged, 1, RESTARTS);
    // Each life is shorter than a budget.
    let charged = checks.case("faults", role::FAULT | 300, |_| {
        if first.take_incident().is_some() {
            certain(first.restart_with(role::FAULT | 300));
        }
    });
    checks.demand(
        "its share at most",
        charged.first <= PERIODS * FIRST[0].as_micros() + RESTARTS,
    );
    checks.demand("it has faulted", charged.first >= 2_000);
    checks.demand("and nothing came of it", OUTSIDE.load(Relaxed) == 0);
}

/// Where threads of a partition execute at the same time.
fn beside<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let first = checks.objects.first;
    let charged = checks.case("restarts of two", role::BOTH, |_| {
        certain(first.restart_with(role::BOTH));
    });
    checks.demand_share_and(&charged, 1, RESTARTS);
    let charged = checks.case("faults beside", role::FAULT_BESIDE | 300, |_| {
        if first.take_incident().is_some() {
            certain(first.restart_with(role::FAULT_BESIDE | 300));
        }
    });
    checks.demand_share_and(&charged, 1, RESTARTS);
    // The service that continues when the budget ends is at the server's cost.
    let charged = checks.case("calls beside", role::CALL_BESIDE | 500, |_| {});
    checks.demand_share(&charged, PERIODS * 520);
}

/// Checks which account pays for calls.
fn calls<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let charged = checks.case("short calls", role::CALL_ACROSS | 50, |_| {});
    // The last one before the budget ends may end on the server's account.
    checks.demand_share(&charged, PERIODS * 70);
    let charged = checks.case("long calls", role::CALL_ACROSS | 3_000, |_| {});
    let second = PERIODS * SECOND[0].as_micros();
    checks.demand_share(&charged, second + 40);
    let other: &'static AnyThread<S> = &checks.objects.threads[0];
    let _ = checks.objects.done.take(Timeout::NONE);
    // It is renewed once before the server's own budget is at its end, too.
    let charged = checks.case("one call", role::CALL_ONCE | 5_000, |milli| {
        if milli == 6 {
            let _ = other.suspend();
        }
        if milli == 7 {
            let _ = other.resume();
        }
    });
    checks.demand("the caller pays first", charged.first.abs_diff(2_000) < 60);
    checks.demand("the server the rest", charged.second.abs_diff(3_000) < 200);
    let done = checks.objects.done.take(Timeout::NONE);
    checks.demand("the call has come back", done.is_ok());
}

/// A mutex stays with its owner, which has nothing left, and the more urgent one gets it when that
/// is renewed.
fn mutex<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let mutex = checks.objects.mutex;
    let begin = Kernel::<S>::now();
    let mut waited = [Ok(()); 2];
    let mut got = begin;
    checks.case("a mutex", role::LOCK | 3_000, |milli| {
        if milli == 3 {
            waited[0] = mutex.lock(Timeout::after(2.millis()));
            waited[1] = mutex.lock(Timeout::after(20.millis()));
            got = Kernel::<S>::now();
            let _ = mutex.unlock();
        }
    });
    checks.demand("it was owned", waited[0] == Err(Error::Timeout));
    checks.demand("it was given back", waited[1] == Ok(()));
    // The case began 60 ms later; the owner has its third millisecond from the tenth on.
    let after = got.since(begin).as_micros();
    checks.demand("in the next period", (70_900..72_000).contains(&after));
}

/// A server without budget ends its service, and the caller owes what that took.
fn owed<S: System<Machine: Isolation>>(checks: &mut Checks<S>) {
    let charged = checks.case("a server without budget", role::CALL | 3_000, |_| {});
    let [first, _] = checks.usages();
    // Each service is 3 ms: one and a half budgets. Over time no more than the share is charged.
    let most = PERIODS * FIRST[0].as_micros() + 3_000 + 100;
    checks.demand("its share, and one service", charged.first <= most);
    let owed = first.most_owed.as_micros();
    checks.demand("what is owed", owed <= 3_100 + RESTARTS);
    let left = charged.time - charged.first;
    checks.demand("the rest is others'", charged.rest + checks.costs() >= left);
}
