//! A shell on the console that a probe reads and writes (RTT), on a chip that is no board.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::board::{self, Board};
use taktos::{Span, Thread};
use taktos_shell::{PolledLine, Shell};

static MAIN: Thread<Board, 4096> = Thread::new("main").priority(30);
static SHELL: Shell<Board> = Shell::new();

/// The emulator's processor has this rate from the start.
fn clock() -> u32 {
    168_000_000
}

#[taktos::main(MAIN, clock = clock)]
fn first() {
    let _ = SHELL.run(&mut PolledLine::<Board>::new(board::read_console, 20.millis()));
}
