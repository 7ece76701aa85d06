//! A thread uses more of its stack than it needs later, and waits; the program checks all threads.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::hint::black_box;
use taktos::board::Board;
use taktos::{Semaphore, System, Thread, Timeout, fault, table};

const WORD: usize = size_of::<usize>();
/// Bytes of its stack that the worker uses for a while.
const BUFFER: usize = 256;

static MAIN: Thread<Board, { 768 * WORD }> = Thread::new("main").priority(20);
static WORKER: Thread<Board, { 512 * WORD }> = Thread::new("worker").priority(5);
static GATE: Semaphore<Board> = Semaphore::new(0);

#[taktos::main(MAIN)]
fn first() {
    let unpainted = WORKER.stack_used();
    let painted = WORKER.create().and_then(|()| WORKER.paint_stack());
    let own = MAIN.paint_stack();
    let untouched = WORKER.stack_used();
    let _ = WORKER.start(work);
    table::report::<Board>();
    looked_at();
    for thread in table::all::<Board>() {
        fault::print::<Board>(format_args!("{}:{} ", thread.name(), thread.state()));
    }
    let (used, size) = (WORKER.stack_used(), WORKER.stack_size());
    let fits = used.is_some_and(|used| (BUFFER * WORD..size).contains(&used));
    let main = MAIN.stack_used().is_some_and(|used| (16 * WORD..MAIN.stack_size()).contains(&used));
    taktos::println!("{unpainted:?} {painted:?} {own:?} {untouched:?} {fits} {main}");
    Board::exit(0);
}

/// The place at which a debugger inspects the threads.
#[inline(never)]
#[unsafe(no_mangle)]
extern "C" fn looked_at() {
    black_box(());
}

fn work() {
    compute();
    wait_for_gate();
}

#[inline(never)]
fn compute() {
    let buffer = [black_box(1_usize); BUFFER];
    black_box(&buffer);
}

#[inline(never)]
fn wait_for_gate() {
    let _ = black_box(GATE.take(Timeout::FOREVER));
}
