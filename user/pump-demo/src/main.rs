//! Loads the program `pump` into a partition, again and again, and looks what comes of it; and images that cannot be loaded.
//!
//! Owns: what must come of each life. Must never know: what the program is built of.
#![no_std]
#![no_main]

use taktos::board::{self, Board};
use taktos::user::{Handle, ImageError, Loaded, Partition, Policy, Rights, Supervisor, UserThread};
use taktos::{Error, Semaphore, System, Thread, Timeout, partition_memory};

board::partitions!();

/// Built by itself: the environment says where it is.
static IMAGE: &[u8] = include_bytes!(env!("PUMP"));

partition_memory!(#[unsafe(link_section = ".pump.code")] static CODE: 4096);
partition_memory!(#[unsafe(link_section = ".pump.data")] static MEMORY: 4096);
partition_memory!(static OTHERS: 4096);

static RIGHT: Semaphore<Board> = Semaphore::new(0);
static HANDLES: [Handle<Board>; 1] = [Handle::semaphore(&RIGHT, Rights::GIVE)];
static THREADS: [UserThread<Board, Loaded>; 1] =
    [UserThread::new("pump", 1024, Loaded::thread::<0>).priority(8)];
static SUPERVISOR: Supervisor<Board> = Supervisor::new();
static PUMP: Partition<Board, Loaded> = Partition::loaded("pump", IMAGE, &CODE, &MEMORY, &THREADS)
    .handles(&HANDLES)
    .supervised(Policy::StopThread, &SUPERVISOR);

/// Images that are wrong, and one that is linked for other addresses.
static WRONG: [(Partition<Board, Loaded>, ImageError); 3] = [
    (wrong(b"no image"), ImageError::Magic),
    (wrong(IMAGE.split_at(40).0), ImageError::Truncated),
    (
        Partition::loaded("elsewhere", IMAGE, &OTHERS, &MEMORY, &THREADS),
        ImageError::Place,
    ),
];

const fn wrong(image: &'static [u8]) -> Partition<Board, Loaded> {
    Partition::loaded("wrong", image, &CODE, &MEMORY, &THREADS)
}

/// What is told of accesses that are forbidden.
const DATA_ACCESS: &str = "forbidden data access";
const INSTRUCTION_ACCESS: &str = "forbidden instruction fetch";

static MAIN: Thread<Board, 8192> = Thread::new("main").priority(10);

#[taktos::main(MAIN)]
fn first() {
    let others = core::ptr::from_ref(&OTHERS).addr();
    let code = core::ptr::from_ref(&CODE).addr();
    // What the program is told to do, and what comes of that: to end, to write its code, to execute its data, to write another's memory.
    let lives = [
        (0, None),
        (1, Some(DATA_ACCESS)),
        (2, Some(INSTRUCTION_ACCESS)),
        (others, Some(DATA_ACCESS)),
        (code + 4, Some(DATA_ACCESS)),
    ];
    let mut passed = true;
    for (argument, expected) in lives.into_iter().cycle().take(100) {
        let started = PUMP.restart_with(argument);
        // Given where its memory was as at first.
        let is_new = RIGHT.take(Timeout::NONE);
        let cause = PUMP
            .take_incident()
            .map(|incident| incident.fault.cause.text());
        let is_right = started.is_ok() && is_new.is_ok() && cause == expected;
        if !is_right {
            taktos::println!("wrong: {argument:#x}: {started:?} {is_new:?} {cause:?}");
        }
        PUMP.stop();
        passed &= is_right && refuses();
    }
    taktos::println!("{}", if passed { "all passed" } else { "FAILED" });
    Board::exit(i32::from(!passed));
}

/// Whether each wrong image is refused, and nothing has changed.
fn refuses() -> bool {
    WRONG.iter().all(|(partition, error)| {
        let said = (partition.check_image(), partition.start());
        let is_right = said == (Err(*error), Err(Error::Parameter)) && partition.generation() == 0;
        if !is_right {
            taktos::println!("wrong: {error:?} is to be said: {said:?}");
        }
        is_right
    })
}
