//! Owns: what is checked, in which order.

#[path = "../../../../../virt-aarch64-smp/src/bin/port/checks/calls.rs"]
mod calls;
#[path = "../../../../../virt-riscv64/src/bin/port/checks/float_work.rs"]
mod float_work;
mod guards;
#[path = "../../../../../virt-aarch64-smp/src/bin/port/checks/lock.rs"]
mod lock;
mod migration;
#[path = "../../../../../virt-riscv64/src/bin/port/checks/registers.rs"]
mod registers;
#[path = "../../../../../virt-aarch64-smp/src/bin/port/checks/time.rs"]
mod time;

use crate::console;
use crate::threads::{M, PROCESSORS, join_workers, section, start, start_worker};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use taktos_arch_riscv64::enter_supervisor_mode;
use taktos_machine::Machine;

#[riscv_rt::entry]
fn entry() -> ! {
    console::start();
    enter_supervisor_mode();
    start(main)
}

fn main(_: usize) {
    each_processor_is_there();
    lock::keeps_others_out();
    calls::reach_each_other();
    calls::a_choice_may_be_to_stay();
    calls::handlers_do_not_block();
    time::is_the_same_for_all();
    time::alarms_come_where_they_were_set();
    time::slices_end_on_each_processor();
    time::alarms_come_among_slices();
    migration::of_threads_with_full_registers();
    migration::float_begins_cleared_elsewhere();
    migration::slices_begin_anew_behind_float();
    guards::are_seen_everywhere()
}

fn check(what: &str, holds: bool) {
    if !holds {
        console::write("failed: ");
        console::write(what);
        console::write("\n");
        semihosting::process::exit(1);
    }
}

/// Where each worker found itself.
static SEEN: [AtomicUsize; PROCESSORS] = [const { AtomicUsize::new(usize::MAX) }; PROCESSORS];

fn each_processor_is_there() {
    on_each_processor(|number| SEEN[number].store(section(M::number), Relaxed));
    for (number, seen) in SEEN.iter().enumerate() {
        check("a processor knows its number", seen.load(Relaxed) == number);
    }
    console::write("four processors run\n");
}

/// Has one worker a processor do something, with the number of it.
fn on_each_processor(act: fn(usize)) {
    for number in 0..PROCESSORS {
        start_worker(number, Some(number), act, number);
    }
    join_workers();
}

/// Busy for about so many nanoseconds.
fn spin_for(nanos: u64) {
    let begin = M::now();
    while M::now().since(begin).as_nanos() < nanos {
        core::hint::spin_loop();
    }
}

use migration::give_way;
