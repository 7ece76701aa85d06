//! The program of the EtherCAT experiment: a controller, the segment that it controls, or both.
//!
//! Owns: the assignment of roles, and the report at the end.
//! Must never know: a board; that there is a hypervisor.
//!
//! # Words
//! `role=control|segment|both` (both), `cycle-ns=` or `cycle-us=` (1 ms), `cycles=` that are
//! counted (1000), `after-ms=` before the controller looks for devices (0), `patience-ms=` for a
//! frame (5), `phase-ns=` by which the segment's reference clock is set ahead, so that cycles begin
//! elsewhere (0), `show-ms=` from one line with the drives' positions to the next, for people (0:
//! none), `channel=` to the other role (0). With `both` the channel is memory of the program
//! itself.
//!
//! # File
//! The segment plays the devices that the partition's file describes
//! (`taktos_segment::Description`), and its own five if there is none.
//!
//! # Lines
//! As those of the other experiments (`taktos_workloads::experiment`): `@run`, `@bus` and a
//! `@device` each, `@cycles`, `@segment`, the sets of samples, `@end`. The controller prints the
//! segment's counts, which it requests over the channel at the end.
#![no_std]

#[cfg(test)]
extern crate std;

mod account;
mod control;
mod drives;
mod plan;
mod port;
mod serve;

pub use port::FieldBoard;

use plan::{Plan, Role};
use taktos_ethercat::ethercrab::PduStorage;
use taktos_kernel::{Period, Semaphore, System, Thread, Timeout};
use taktos_workloads::experiment::samples::Samples;
use taktos_workloads::experiment::{certain, end, priority, refuse};

/// The priority of the main thread, of the controller and of the segment: while the controller
/// waits for the wire, the segment answers.
pub const MAIN: u8 = 1;
const CONTROL: u8 = 4;
const SEGMENT: u8 = 8;

/// The futures of the protocol live on the controller's stack.
const CONTROL_STACK: usize = 192 * 1024;
/// The devices live on the segment's.
const SEGMENT_STACK: usize = 768 * 1024;

/// The most devices of a segment.
const MOST_DEVICES: usize = 16;

/// Frames under way at once, and the bytes of process data and commands in each.
const FRAMES: usize = 16;
const BYTES: usize = PduStorage::element_size(512);

/// Times that are measured of each cycle: the release, the exchange as a whole, and its four parts.
#[derive(Clone, Copy)]
enum Series {
    /// From the release of the controller's thread to its next instruction.
    WakeLate,
    /// From the first instruction of an exchange to its last.
    RoundTrip,
    /// From its first instruction until the frame is given to the wire.
    Outbound,
    /// Until its last bit is back.
    Wire,
    /// Until the thread has it: interrupt, hypervisor, kernel.
    Wake,
    /// Until the inputs are in their places.
    Inbound,
}

impl Series {
    const COUNT: usize = 6;
    const ALL: [(Self, &str); Self::COUNT] = [
        (Self::WakeLate, "wake-late"),
        (Self::RoundTrip, "round-trip"),
        (Self::Outbound, "outbound"),
        (Self::Wire, "wire"),
        (Self::Wake, "wake"),
        (Self::Inbound, "inbound"),
    ];
}

/// Objects of the program, which holds them in a static.
pub struct Objects<S: System> {
    control: Thread<S, CONTROL_STACK>,
    segment: Thread<S, SEGMENT_STACK>,
    /// The doorbell of the controller's end rang, or of the segment's.
    rang: [Semaphore<S>; 2],
    period: Period<S>,
    storage: PduStorage<FRAMES, BYTES>,
    series: [Samples; Series::COUNT],
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            control: Thread::new("control"),
            segment: Thread::new("segment"),
            rang: [Semaphore::binary(0), Semaphore::binary(0)],
            period: Period::new("cycle"),
            storage: PduStorage::new(),
            series: [const { Samples::new() }; Series::COUNT],
        }
    }

    /// The channel's doorbell rang. Called by its handler. Bound: two permits are given.
    pub fn rung(&'static self) {
        for rang in &self.rang {
            // A permit that is there already says the same.
            let _ = rang.give();
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: FieldBoard> Objects<S> {
    fn control(&'static self) {
        control::run(self, &Plan::certain::<S>());
    }

    fn segment(&'static self) {
        serve::run(self, &Plan::certain::<S>());
    }
}

/// Runs the program with the guest's arguments, and ends it. `rung` is to call [`Objects::rung`].
/// In the main thread, on a stack of 16 KiB.
pub fn run<S: FieldBoard>(objects: &'static Objects<S>, rung: fn()) -> ! {
    let plan = match Plan::read(S::words()) {
        Ok(plan) => plan,
        Err(refused) => refuse::<S>(refused),
    };
    if plan.role != Role::Both {
        S::on_doorbell(plan.channel, rung);
    }
    if plan.role != Role::Control {
        start(
            &objects.segment,
            "segment",
            SEGMENT,
            Objects::segment,
            objects,
        );
    }
    if plan.role != Role::Segment {
        start(
            &objects.control,
            "control",
            CONTROL,
            Objects::control,
            objects,
        );
        certain(objects.control.join(Timeout::FOREVER));
        end::<S>()
    }
    // The segment serves until the machine ends.
    certain(objects.segment.join(Timeout::FOREVER));
    end::<S>()
}

fn start<S: System, const N: usize>(
    thread: &'static Thread<S, N>,
    name: &'static str,
    level: u8,
    entry: fn(&'static Objects<S>),
    objects: &'static Objects<S>,
) {
    certain(thread.create_as(name, priority(level)));
    certain(thread.start_with(entry, objects));
}
