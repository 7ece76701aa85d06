//! The test of a port to several processors: the guarantees of [`taktos_machine::Machine`] about
//! them, without a kernel. Four processors start, hammer the one lock, call each other, are woken
//! by their own timers, and transfer threads with full registers to each other. Ends with status 0,
//! or with 1 and the name of what failed.
//!
//! Owns: what is checked, in which order. Must never know: a board; the kernel.
#![expect(unsafe_code, reason = "a kernel of one page")]

mod calls;
mod guards;
mod lock;
mod migration;
mod threads;
mod time;

pub use threads::{Handlers, Threads, start};

use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_machine::Machine;
use threads::{PROCESSORS, join_workers, section, start_worker};

/// Interface of a board to the test.
pub trait SmpPort: Sized + 'static {
    /// The machine under test, with four processors.
    type Machine: Machine;

    /// The test's threads: always the same.
    fn threads() -> &'static Threads<Self>;
    /// Writes to the console.
    fn write(text: &str);
    /// Ends the program.
    fn exit(status: i32) -> !;
}

/// Tests, in the thread with which [`start`] starts the machine.
fn run<P: SmpPort>(_: usize) {
    each_processor_is_there::<P>();
    lock::keeps_others_out::<P>();
    calls::reach_each_other::<P>();
    calls::a_choice_may_be_to_stay::<P>();
    calls::handlers_do_not_block::<P>();
    time::is_the_same_for_all::<P>();
    time::alarms_come_where_they_were_set::<P>();
    time::slices_end_on_each_processor::<P>();
    time::alarms_come_among_slices::<P>();
    migration::of_threads_with_full_registers::<P>();
    migration::float_begins_cleared_elsewhere::<P>();
    migration::slices_begin_anew_behind_float::<P>();
    guards::are_seen_everywhere::<P>()
}

/// Ends the program, the test not passed, where something does not hold.
fn check<P: SmpPort>(what: &str, holds: bool) {
    if !holds {
        P::write("failed: ");
        P::write(what);
        P::write("\n");
        P::exit(1);
    }
}

/// Where each worker found itself.
static SEEN: [AtomicUsize; PROCESSORS] = [const { AtomicUsize::new(usize::MAX) }; PROCESSORS];

fn each_processor_is_there<P: SmpPort>() {
    on_each_processor::<P>(|number| {
        SEEN[number].store(section::<P, _>(P::Machine::number), Relaxed)
    });
    for (number, seen) in SEEN.iter().enumerate() {
        check::<P>("a processor knows its number", seen.load(Relaxed) == number);
    }
    P::write("four processors run\n");
}

/// Runs `act` in one worker a processor, with the number of the processor.
fn on_each_processor<P: SmpPort>(act: fn(usize)) {
    for number in 0..PROCESSORS {
        start_worker::<P>(number, Some(number), act, number);
    }
    join_workers::<P>();
}

/// Busy for about `nanos` nanoseconds.
fn spin_for<P: SmpPort>(nanos: u64) {
    let begin = P::Machine::now();
    while P::Machine::now().since(begin).as_nanos() < nanos {
        core::hint::spin_loop();
    }
}
