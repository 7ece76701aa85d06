//! A device of the program's own wakes a thread by its interrupt; so does an interrupt that the
//! program pends.
#![cfg_attr(target_os = "none", no_std, no_main)]

mod device;

use taktos::board::Board;
use taktos::{Error, Interrupt, Semaphore, Span, System, Thread, Timeout};

static MAIN: Thread<Board, { 512 * size_of::<usize>() }> = Thread::new("main").priority(20);
static CAME: Semaphore<Board> = Semaphore::new(0);
static PENDED: Semaphore<Board> = Semaphore::new(0);

/// The device has something to say.
#[taktos::interrupt(device::NUMBER)]
fn came(interrupt: &Interrupt<Board>) {
    device::take();
    let _ = CAME.give_in(interrupt);
}

/// No device of the board has this one.
#[taktos::interrupt(device::SPARE)]
fn pended() {
    let _ = PENDED.give();
}

/// Waits for either.
#[taktos::main(MAIN)]
fn first() {
    let soon = Timeout::after(20.millis());
    came.enable();
    device::start();
    let at_once = CAME.take(soon);
    came.disable();
    device::start();
    let kept = CAME.take(soon) == Err(Error::Timeout);
    came.enable();
    let later = CAME.take(soon);
    pended.enable();
    device::pend();
    let by_program = PENDED.take(soon);
    taktos::println!("{at_once:?}, kept {kept}, {later:?}; {by_program:?}");
    Board::exit(0);
}
