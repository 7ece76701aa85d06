//! Sends back what comes over a serial line, up to the first byte that is 0.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::board::{Board, Serial};
use taktos::{Device, System, Thread, Timeout, Uart};

static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
/// An emulated line has no speed: there is room for all that comes.
type Line = Uart<Board, Serial, 2048, 16>;
static LINE: Line = Uart::new(Serial::ONE);
static DEVICE: Device<Board> = Device::new(&LINE);

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
    let line = DEVICE.open(Timeout::NONE).unwrap();
    let slow = line.control(Serial::SPEED, 9_600);
    let refused = [0, 10, 2_000_000].map(|speed| line.control(Serial::SPEED, speed).is_err());
    let mut bytes = [0; 40];
    let mut ends = false;
    while !ends {
        let read = line.read(&mut bytes, Timeout::FOREVER).unwrap();
        let came = &bytes[..read];
        line.write(came, Timeout::FOREVER).unwrap();
        ends = came.contains(&0);
    }
    while line.control(Line::UNSENT, 0) != Ok(0) {}
    taktos::println!("{slow:?}, refused {refused:?}, lost {:?}", line.control(Line::LOST, 0));
    Board::exit(0);
}
