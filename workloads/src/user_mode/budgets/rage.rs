//! A partition that tries by calls at random to have more than its budget, while it is restarted,
//! stopped and suspended at random.
//!
//! Owns: what its threads do; the bound, in every window between two looks. Must never know: what a
//! call does; a board.
//!
//! Sleeps, time-outs, floods of calls to servers, starts, ends and suspensions of its threads,
//! their priorities: all that the table of handles allows, and all that it does not.

use super::{Checks, FIRST, LONGEST, SECOND, SERVER, certain, compute, role};
use crate::chance::Chance;
use crate::user_mode::storm::{Known, Storm};
use crate::user_mode::{MEMORY, OTHER, RIGHT};
use taktos_abi::Timeout;
use taktos_abi::call::{kind, right};
use taktos_kernel::fault::print;
use taktos_kernel::user::{Partition, Usage};
use taktos_kernel::{AnyThread, Duration, Instant, Kernel, System};
use taktos_machine::Isolation;
use taktos_user::{self as user, Request};

/// Handles and rights in the first partition's table: as the program has it.
const ALLOWS: &[u32] = &[
    kind::SEMAPHORE | right::GIVE | right::TAKE,
    kind::SEMAPHORE | right::GIVE | right::TAKE,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | 0x3F,
    kind::THREAD | kind::MEMBER | 0x1F,
    kind::THREAD | right::CALL,
    kind::MUTEX | right::TAKE,
];

/// Body of a thread of the first partition until it is ended, or ends itself: calls at random, and
/// operations that random calls rarely give.
pub(super) fn rage(seed: usize) -> ! {
    let memory = core::ptr::from_ref(&seed).addr() & !(MEMORY - 1);
    let known = Known {
        allows: ALLOWS,
        memory,
        size: MEMORY,
        letter: 1,
        word: 1,
        most_urgent: 0,
    };
    let mut storm = Storm::new(seed as u64, known);
    let mut chance = Chance::new(!(seed as u64));
    loop {
        match chance.below(8) {
            0 => compute(chance.below(200) as usize),
            1 => {
                let _ = user::sleep(Duration::from_micros(chance.below(100)));
            }
            2 => {
                let _ = RIGHT.start(role::RAGE | chance.below(1 << 16) as usize);
            }
            3 => {
                let server = if chance.one_in(4) { SERVER } else { OTHER };
                let time = chance.below(LONGEST as u64) as usize;
                let timeout = Timeout::after(Duration::from_micros(chance.below(4_000)));
                let _ = server.call_for([time, 0], timeout);
            }
            _ => {
                let drawn = storm.draw();
                // Bytes that were received would be anywhere in the memory, its stacks among it.
                if !drawn.is_of_bytes() {
                    user::call(Request {
                        number: drawn.number,
                        handle: drawn.handle,
                        words: drawn.words,
                        timeout: drawn.timeout,
                    });
                }
            }
        }
    }
}

/// How many looks there are.
const LOOKS: usize = 64;
/// How far apart they are at most, in microseconds.
const APART: u64 = 1_500;

/// Usage of a partition at each look: both times in nanoseconds since the first one.
struct Looks {
    begin: Instant,
    used: Duration,
    looks: [(u32, u32); LOOKS],
}

impl Looks {
    fn new<S: System<Machine: Isolation>>(partition: &'static Partition<S, ()>) -> Self {
        Self {
            begin: Kernel::<S>::now(),
            used: usage(partition).time,
            looks: [(0, 0); LOOKS],
        }
    }

    fn look<S: System<Machine: Isolation>>(
        &mut self,
        place: usize,
        partition: &'static Partition<S, ()>,
    ) {
        // In this order: no time is missed that is charged.
        let used = usage(partition).time.saturating_sub(self.used);
        let now = Kernel::<S>::now().since(self.begin);
        self.looks[place] = (now.as_nanos() as u32, used.as_nanos() as u32);
    }

    /// Returns whether the bound of a budget holds between any two samples, with a deficit of
    /// `owed` at most, on `processors` processors. Samples are up to `late` later than what they
    /// see.
    fn are_within(
        &self,
        [amount, period]: [Duration; 2],
        owed: Duration,
        processors: u64,
        late: u64,
    ) -> bool {
        let (amount, period) = (amount.as_nanos(), period.as_nanos());
        let bound = |length: u64| {
            let all = processors * length;
            match all.checked_sub(amount) {
                None => all,
                Some(behind) => {
                    amount * (1 + behind.div_ceil(processors * period)) + owed.as_nanos()
                }
            }
        };
        self.looks.iter().enumerate().all(|(place, begin)| {
            self.looks[place..].iter().all(|end| {
                let length = u64::from(end.0 - begin.0) + late;
                u64::from(end.1 - begin.1) <= bound(length)
            })
        })
    }
}

fn usage<S: System<Machine: Isolation>>(partition: &'static Partition<S, ()>) -> Usage {
    match partition.usage() {
        Some(usage) => usage,
        None => panic!("the partition has a budget"),
    }
}

/// Runs the first partition's stress test, and disturbs it. Demands its bound, and that of the
/// second one, which serves it.
pub(super) fn check<S: System<Machine: Isolation>>(checks: &mut Checks<S>, seed: u64) {
    let objects = checks.objects;
    let mut chance = Chance::new(seed);
    objects.second.stop();
    certain(objects.second.start());
    certain(objects.first.restart_with(role::RAGE | LOOKS));
    let all = [objects.first, objects.second];
    let mut looks = all.map(Looks::new);
    let mut disturbed = Duration::ZERO;
    for place in 0..LOOKS {
        for (looks, partition) in looks.iter_mut().zip(all) {
            looks.look(place, partition);
        }
        let drawn = chance.below(1 << 16) as usize;
        let begin = Kernel::<S>::now();
        let thread: &'static AnyThread<S> = &objects.own[chance.below(2) as usize];
        match chance.below(16) {
            0..4 => certain(objects.first.restart_with(role::RAGE | drawn)),
            4 => objects.first.stop(),
            5 => {
                let _ = thread.suspend();
            }
            6 => {
                let _ = thread.resume();
            }
            7 => {
                let _ = thread.cancel_wait();
            }
            8 => certain(objects.second.restart()),
            // A thread that has ended, or was stopped, is started.
            9 | 10 => {
                let _ = objects.first.start_with(role::RAGE | drawn);
            }
            _ => {}
        }
        disturbed = disturbed.saturating_add(Kernel::<S>::now().since(begin));
        let _ = objects.first.take_incident();
        let pause = Duration::from_micros(chance.below(APART));
        let _ = AnyThread::<S>::sleep(Timeout::after(pause));
    }
    objects.first.stop();
    objects.second.stop();
    for ((looks, partition), budget) in looks.iter().zip(all).zip([FIRST, SECOND]) {
        let Usage { most_owed, .. } = usage(partition);
        let (_, used) = looks.looks[LOOKS - 1];
        print::<S>(format_args!(
            "{} rages with the seed {seed}: {} us of {} us, {} ns owed at most\n",
            partition.name(),
            used / 1_000,
            looks.looks[LOOKS - 1].0 / 1_000,
            most_owed.as_nanos()
        ));
        let within = looks.are_within(budget, most_owed, checks.processors, checks.late);
        checks.demand("the bound in every window", within);
    }
    let [first, second] = all.map(|partition| usage(partition).most_owed.as_nanos());
    // Restarts count for the deficit, too.
    let late = checks.processors * checks.late + disturbed.as_nanos();
    let services = 2 * LONGEST as u64 * 1_000;
    checks.demand("services that are owed", first <= services + late);
    checks.demand("an end in time of who calls nobody", second <= late);
}
