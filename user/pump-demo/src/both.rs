//! A partition that requests write access to its code, too, by a second region.
//!
//! Owns: that the program does not come to execute what it may write. Must never know: which port
//! refuses it where.

use crate::{CODE, HANDLES, IMAGE, INSTRUCTION_ACCESS, LONG, MEMORY, SUPERVISOR, THREADS};
use taktos::board::Board;
use taktos::user::{Access, Loaded, Partition, Policy};
use taktos::{Error, Timeout};

static BOTH: Partition<Board, Loaded> = Partition::loaded("both", IMAGE, &CODE, &MEMORY, &THREADS)
    .shared(&CODE, Access::Write)
    .handles(&HANDLES)
    .supervised(Policy::StopThread, &SUPERVISOR);

/// Whether it does not start, or faults at its first instruction: the last of two regions counts on
/// some processors, on others there cannot be two.
pub(crate) fn is_never() -> bool {
    let started = BOTH.restart_with(0);
    let ended = THREADS[0].join(Timeout::after(LONG));
    let told = BOTH
        .take_incident()
        .map(|incident| incident.fault.cause.text());
    BOTH.stop();
    let is_right = match started {
        Ok(()) => ended.is_ok() && told == Some(INSTRUCTION_ACCESS),
        Err(error) => error == Error::NoMemory,
    };
    if !is_right {
        taktos::println!("wrong: to be written and executed: {started:?} {ended:?} {told:?}");
    }
    is_right
}
