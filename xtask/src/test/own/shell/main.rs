//! A shell on a serial line, with objects, a heap and a command of the program's own that ends it.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::fmt::{self, Write};
use taktos::board::{Board, Serial};
use taktos::{
    AnyThread, Device, Heap, Mutex, Names, Semaphore, Span, System, Thread, Timeout, Uart,
};
use taktos_shell::{Command, DeviceLine, Shell};

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
static WORKER: Thread<Board, 1024> = Thread::new("worker").priority(10);
static TERMINAL: Thread<Board, 4096> = Thread::new("shell").priority(30);
static LINE: Uart<Board, Serial, 64, 64> = Uart::new(Serial::ONE);
static DEVICE: Device<Board> = Device::new(&LINE);
static NAMES: Names<Board, 8> = Names::new();
static PERMITS: Semaphore<Board> = Semaphore::new(2);
static LOCK: Mutex<Board> = Mutex::new();
static HEAP: Heap<Board, 1024> = Heap::new();
static SHELL: Shell<Board> = Shell::new().objects(&NAMES).heap(&HEAP).commands(&OWN);
static OWN: [Command; 1] = [Command {
    name: "end",
    help: "STATUS: ends the program",
    run: end,
}];

#[taktos::interrupt(Serial::ONE.received())]
fn received() {
    LINE.handle();
}

#[taktos::interrupt(Serial::ONE.room())]
fn room() {
    LINE.handle();
}

#[taktos::main(MAIN)]
fn first() {
    received.enable();
    room.enable();
    WORKER.start(work).unwrap();
    NAMES.register("permits", &PERMITS).unwrap();
    NAMES.register("lock", &LOCK).unwrap();
    NAMES.register("line", &DEVICE).unwrap();
    TERMINAL.start(serve).unwrap();
}

fn work() {
    LOCK.lock(Timeout::FOREVER).unwrap();
    loop {
        AnyThread::<Board>::sleep(100.millis()).unwrap();
    }
}

fn serve() {
    let line = DEVICE.open(Timeout::NONE).unwrap();
    let _ = SHELL.run(&mut DeviceLine(line));
}

fn end(output: &mut dyn Write, status: &str) -> fmt::Result {
    match status.parse() {
        Ok(status) => Board::exit(status),
        Err(_) => writeln!(output, "error: `{status}` is no number"),
    }
}
