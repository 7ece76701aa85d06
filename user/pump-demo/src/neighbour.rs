//! Another partition, of the loader's own code, at the code of the program that is loaded.
//!
//! Owns: in which ways it tries. Must never know: what is there.
#![expect(unsafe_code, reason = "it breaks the rules by intention")]

use crate::{DATA_ACCESS, INSTRUCTION_ACCESS, LONG, SUPERVISOR};
use core::mem::transmute;
use core::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use taktos::board::Board;
use taktos::user::{Data, Partition, Policy, UserThread};
use taktos::{Timeout, partition_memory};

struct Nothing;

impl Data for Nothing {
    const NEW: Self = Self;
}

partition_memory!(static MEMORY: 4096);
static THREADS: [UserThread<Board, Nothing>; 1] =
    [UserThread::new("neighbour", 1024, visit).priority(8)];
static NEIGHBOUR: Partition<Board, Nothing> =
    Partition::new("neighbour", &MEMORY, &THREADS).supervised(Policy::StopThread, &SUPERVISOR);

/// The ways, which the lowest bits of its argument say: the places are multiples of four.
const WAYS: [&str; 3] = [DATA_ACCESS, DATA_ACCESS, INSTRUCTION_ACCESS];

extern "C" fn visit(_nothing: &'static Nothing, argument: usize) -> ! {
    let place = argument & !3;
    // SAFETY: none: a fault is what is wanted.
    unsafe {
        match argument & 3 {
            0 => _ = with_exposed_provenance::<u32>(place).read_volatile(),
            1 => with_exposed_provenance_mut::<u32>(place).write_volatile(0),
            // Of whatever set of instructions is there.
            _ => transmute::<usize, extern "C" fn()>(place | THUMB)(),
        }
    }
    taktos_user::exit()
}

const THUMB: usize = if cfg!(all(target_arch = "arm", target_feature = "thumb-mode")) {
    1
} else {
    0
};

/// Whether each way ends by its fault.
pub(crate) fn is_kept_out(code: usize) -> bool {
    WAYS.iter().enumerate().all(|(way, cause)| {
        let started = NEIGHBOUR.restart_with(code | way);
        let ended = THREADS[0].join(Timeout::after(LONG));
        let told = NEIGHBOUR
            .take_incident()
            .map(|incident| incident.fault.cause.text());
        NEIGHBOUR.stop();
        let is_right = started.is_ok() && ended.is_ok() && told == Some(*cause);
        if !is_right {
            taktos::println!("wrong: neighbour {way}: {started:?} {ended:?} {told:?}");
        }
        is_right
    })
}
