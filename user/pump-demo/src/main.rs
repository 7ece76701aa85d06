//! Loads the program `pump` into a partition, again and again, and looks what comes of it; images
//! that cannot be loaded; another partition at its code; and code that is to be written.
//!
//! Owns: what must come of each life. Must never know: what the program is built of.
#![no_std]
#![no_main]

mod both;
mod neighbour;
mod wrong;

use taktos::board::{self, Board};
use taktos::user::{Handle, Loaded, Partition, Policy, Rights, Supervisor, UserThread};
use taktos::{Duration, Error, Semaphore, System, Thread, Timeout, partition_memory};

board::partitions!();

/// Built by itself: the build script says where it is.
const IMAGE: &[u8] = include_bytes!(env!("PUMP"));

partition_memory!(#[unsafe(link_section = ".pump.code")] static CODE: 4096);
partition_memory!(#[unsafe(link_section = ".pump.memory")] static MEMORY: 4096);
partition_memory!(static OTHERS: 4096);

static RIGHT: Semaphore<Board> = Semaphore::new(0);
static GO: Semaphore<Board> = Semaphore::new(0);
static HANDLES: [Handle<Board>; 5] = [
    Handle::semaphore(&RIGHT, Rights::GIVE),
    Handle::semaphore(&GO, Rights::TAKE),
    Handle::member(&THREADS[1], Rights::CONTROL),
    Handle::member(&THREADS[2], Rights::CONTROL),
    Handle::member(&THREADS[3], Rights::CONTROL),
];
static THREADS: [UserThread<Board, Loaded>; 4] = [
    UserThread::new("pump", 512, Loaded::thread::<0>).priority(8),
    UserThread::new("pump 1", 512, Loaded::thread::<1>).priority(8),
    UserThread::new("pump 2", 512, Loaded::thread::<2>).priority(8),
    UserThread::new("pump 3", 512, Loaded::thread::<3>).priority(8),
];
static SUPERVISOR: Supervisor<Board> = Supervisor::new();
static PUMP: Partition<Board, Loaded> = Partition::loaded("pump", IMAGE, &CODE, &MEMORY, &THREADS)
    .handles(&HANDLES)
    .supervised(Policy::StopThread, &SUPERVISOR);

/// Causes reported for forbidden accesses and for an undefined instruction.
const DATA_ACCESS: &str = "forbidden data access";
const INSTRUCTION_ACCESS: &str = "forbidden instruction fetch";
const UNDEFINED_INSTRUCTION: &str = "undefined instruction";

/// How long what takes microseconds may take.
const LONG: Duration = Duration::from_millis(100);

static MAIN: Thread<Board, 8192> = Thread::new("main").priority(10);

#[taktos::main(MAIN)]
fn first() {
    let others = core::ptr::from_ref(&OTHERS).addr();
    let code = core::ptr::from_ref(&CODE).addr();
    // Commands of the program, and their results: to end, to write its code, to execute its data,
    // to panic, to write another's memory.
    let lives = [
        (0, None),
        (1, Some(DATA_ACCESS)),
        (2, Some(INSTRUCTION_ACCESS)),
        (3, Some(UNDEFINED_INSTRUCTION)),
        (others, Some(DATA_ACCESS)),
        (code + 4, Some(DATA_ACCESS)),
    ];
    let mut passed = true;
    for (argument, expected) in lives.into_iter().cycle().take(100) {
        let lived = live(argument);
        let is_right = lived == Ok(expected);
        if !is_right {
            taktos::println!("wrong: {argument:#x}: {lived:?}");
        }
        passed &= is_right && neighbour::is_kept_out(code);
        PUMP.stop();
        passed &= wrong::is_refused();
    }
    passed &= both::is_never();
    taktos::println!("{}", if passed { "all passed" } else { "FAILED" });
    Board::exit(i32::from(!passed));
}

/// Runs a life of the program, in which each thread finds its memory as at first. Returns the fault
/// that ended the program.
fn live(argument: usize) -> Result<Option<&'static str>, Error> {
    PUMP.restart_with(argument)?;
    #[cfg(feature = "several")]
    on_all_processors()?;
    GO.give()?;
    for _ in &THREADS {
        RIGHT.take(Timeout::after(LONG))?;
    }
    for thread in &THREADS {
        thread.join(Timeout::after(LONG))?;
    }
    let incident = PUMP.take_incident();
    Ok(incident.map(|incident| incident.fault.cause.text()))
}

/// Pins each thread to a processor of its own, so that all of them execute the loaded program.
#[cfg(feature = "several")]
fn on_all_processors() -> Result<(), Error> {
    for (number, thread) in THREADS.iter().enumerate() {
        thread.set_affinity(taktos::CpuSet::from_bits(1 << number))?;
    }
    Ok(())
}
