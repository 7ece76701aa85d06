//! A filter without privilege, a program of its own, in a partition. It is loaded when the
//! partition starts, and again after it fails.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::ops::ControlFlow;

use taktos::board::Board;
use taktos::user::{Loaded, Partition, Policy, Supervisor, UserThread};
use taktos::{Message, System, Thread, Timeout, partition_memory};

// A program that has partitions needs this, too.
#[cfg(target_os = "none")]
taktos::board::partitions!();

/// The program in the folder `filter`, which `build.rs` has built. Compiled for the host it is
/// empty, and not loaded.
static FILTER: &[u8] = include_bytes!(env!("FILTER"));

// Its memory, which `build.rs` says the place of: code and constants, then stacks and data.
partition_memory!(#[cfg_attr(target_os = "none", unsafe(link_section = ".filter.code"))] static CODE: 16384);
partition_memory!(#[cfg_attr(target_os = "none", unsafe(link_section = ".filter.memory"))] static MEMORY: 8192);
static THREADS: [UserThread<Board, Loaded>; 1] =
    [UserThread::new("filter", 4096, Loaded::thread::<0>).priority(5)];
static SUPERVISOR: Supervisor<Board> = Supervisor::new();
static PARTITION: Partition<Board, Loaded> =
    Partition::loaded("filter", FILTER, &CODE, &MEMORY, &THREADS)
        .supervised(Policy::Restart, &SUPERVISOR);

static MAIN: Thread<Board, { 512 * size_of::<usize>() }> = Thread::new("main").priority(20);

#[taktos::main(MAIN)]
fn first() {
    if PARTITION.start().is_err() {
        taktos::println!("{:?}", PARTITION.check_image());
        Board::exit(1);
    }
    let mut sum = None;
    for sample in 1..=4 {
        sum = filtered(sample);
    }
    taktos::println!("the sum is {}", sum.unwrap_or(0));
    // It cannot take this one, and fails: it alone.
    let _ = filtered(1000);
    let _ = SUPERVISOR.serve(&[&PARTITION], Timeout::FOREVER, |partition, incident| {
        let cause = incident.fault.cause.text();
        taktos::println!("{}: {cause}, and is loaded once more", partition.name());
        ControlFlow::Break(())
    });
    taktos::println!("the sum is {} now", filtered(5).unwrap_or(0));
    Board::exit(0);
}

/// Returns the filter's reply to a sample; none if it fails.
fn filtered(sample: usize) -> Option<usize> {
    let answer = THREADS[0].call(Message([sample, 0]), Timeout::FOREVER);
    answer.ok().map(|Message([sum, _])| sum)
}
