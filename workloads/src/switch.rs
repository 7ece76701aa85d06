//! Owns: the experiment on context switching: n ready threads of one priority take turns by
//! yielding. Must never know: how it is counted.
//!
//! `total` reaches from the call by which one thread yields to its return in the next thread. The
//! machine marks where the decision is done: before the mark is `schedule`, after it is `switch`,
//! the saving and restoring. So the two add up to the total, and both include their share of the
//! way in and out.

use crate::mark::{begin, end, point};
use taktos_kernel::{AnyThread, System, Thread, Timeout};

/// The stack of each thread, in bytes.
const STACK: usize = 128 * size_of::<usize>();
/// The most threads that are ready at the same time.
pub const THREADS: usize = 2000;
/// The numbers of ready threads, in turn.
const ROUNDS: [usize; 7] = [2, 10, 50, 100, 500, 1000, THREADS];
/// Least number of yields of each thread in each round.
const LEAST_TURNS: usize = 4;
/// Least number of switches in each round.
const LEAST_SWITCHES: usize = 200;

/// Objects of the experiment. A board has them in a static.
pub struct Objects<S: System> {
    threads: [Thread<S, STACK>; THREADS],
}

/// A number of turns, as a thread is given it.
static TURNS: [usize; ROUNDS.len()] = {
    let mut turns = [0; ROUNDS.len()];
    let mut round = 0;
    while round < turns.len() {
        let enough = LEAST_SWITCHES.div_ceil(ROUNDS[round]);
        turns[round] = if enough > LEAST_TURNS {
            enough
        } else {
            LEAST_TURNS
        };
        round += 1;
    }
    turns
};

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            threads: [const { Thread::new("worker").priority(8) }; THREADS],
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs all rounds. Called by a thread more urgent than 8.
pub fn run<S: System>(objects: &'static Objects<S>) {
    for (threads, turns) in ROUNDS.into_iter().zip(&TURNS) {
        round(&objects.threads[..threads], turns);
    }
}

/// All threads are ready before the round begins, and each ends at the beginning of a turn. Between
/// them the number of ready threads is the round's at each yield.
fn round<S: System>(threads: &'static [Thread<S, STACK>], turns: &'static usize) {
    for thread in threads {
        expect(thread.start_with(take_turns::<S>, turns));
    }
    taktos_kernel::fault::print::<S>(format_args!("@round threads={}\n", threads.len()));
    begin_round();
    for thread in threads {
        expect(thread.join(Timeout::FOREVER));
    }
}

fn take_turns<S: System>(turns: &'static usize) {
    for _ in 0..*turns {
        turn::<S>();
    }
}

/// Yields once.
#[inline(never)]
fn turn<S: System>() {
    begin!("schedule");
    begin!("total");
    give_way::<S>();
    end!("switch");
    end!("total");
}

/// The whole of the call, with what it saves.
#[inline(never)]
fn give_way<S: System>() {
    AnyThread::<S>::yield_now();
}

#[inline(never)]
fn begin_round() {
    point!("round");
}

fn expect<E>(result: Result<(), E>) {
    assert!(result.is_ok(), "the experiment cannot be set up");
}
