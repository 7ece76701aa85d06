//! The round trip between partitions: the last of the experiments of "Performance Evaluation of
//! Real-time Mechanisms for Real-time Embedded Linux" (Koh and Choi, 2012), FIFOs between the
//! real-time side and Linux.
//!
//! Owns: the two roles (ask and answer), the samples.
//! Must never know: a board; what the other partition is.
//!
//! Words: `role=ask|answer` (ask), `channel=` (0), and for the role `ask`: `peer=linux|taktos`
//! (taktos), which names the set of samples, `loops=` (1000), `interval-us=` (50 ms). The asking
//! side writes four bytes, a number, to the channel's pipe once an interval, and waits until they
//! have come back from the other pipe: the round trip. The answering side writes back what it
//! reads, without end.
//!
//! Before the first, the two meet: a line's end and a byte go round until just these come back,
//! which a terminal that is not set up yet does not give, several times in a row.

use super::channel::{ChannelBoard, Connection};
use super::{MEASURED, sleep_until};
use crate::experiment::command::{Refused, UNKNOWN, words};
use crate::experiment::samples::{self, Samples};
use crate::experiment::{self, certain};
use taktos_kernel::fault::print;
use taktos_kernel::{Duration, Kernel, System, Timeout};

/// The priority of the main thread: after that of those that copy.
pub const MAIN: u8 = MEASURED + 1;
const MICRO: u64 = 1_000;
/// From the meeting to the first release.
const LEAD: Duration = Duration::from_millis(5);
/// How long an answer is waited for while the two meet, how often they try, and how often in a row
/// it must do.
const PATIENCE: Duration = Duration::from_millis(100);
const TRIES: usize = 3_000;
const IN_A_ROW: usize = 3;
/// An answer that takes this time does not come any more.
const LOST: Duration = Duration::from_millis(10_000);

/// Requested parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Plan {
    asks: bool,
    peer: &'static str,
    channel: usize,
    loops: usize,
    interval: Duration,
}

impl Plan {
    fn read(line: &str) -> Result<Self, Refused<'_>> {
        let mut plan = Self {
            asks: true,
            peer: "taktos",
            channel: 0,
            loops: 1_000,
            interval: Duration::from_micros(50_000),
        };
        for word in words(line) {
            match word.key {
                "role" => {
                    let roles = [("ask", true), ("answer", false)];
                    plan.asks = word.choice(&roles, "roles: ask answer")?;
                }
                "peer" => {
                    let peers = [("linux", "linux"), ("taktos", "taktos")];
                    plan.peer = word.choice(&peers, "peers: linux taktos")?;
                }
                "channel" => plan.channel = word.number(0, 7)?,
                "loops" => plan.loops = word.number(1, samples::MOST)?,
                "interval-us" => {
                    plan.interval = Duration::from_nanos(word.number(1, 10_000_000)? * MICRO);
                }
                _ => return Err(word.refused(UNKNOWN)),
            }
        }
        Ok(plan)
    }
}

/// Objects of the workload. A board has them in a static.
pub struct Objects<S: System> {
    /// The channel.
    pub connection: Connection<S>,
    samples: Samples,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            connection: Connection::new(),
            samples: Samples::new(),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Runs the workload by the guest's words, and ends the program unless it answers. In the main
/// thread, on a stack of 16 KiB. `rung` calls [`Connection::rung`] of the objects' connection.
pub fn run<S: ChannelBoard>(objects: &'static Objects<S>, rung: fn()) -> ! {
    let plan = match Plan::read(S::words()) {
        Ok(plan) => plan,
        Err(refused) => experiment::refuse::<S>(refused),
    };
    certain(objects.connection.open(plan.channel, MEASURED, rung));
    if !plan.asks {
        objects.answer();
    }
    objects.meet();
    objects.ask(&plan);
    let (loops, interval) = (plan.loops, plan.interval.as_nanos());
    print::<S>(format_args!(
        "@run workload=fifo peer={} loops={loops} interval_ns={interval}\n",
        plan.peer
    ));
    objects.samples.tell::<S>(format_args!(
        "name=fifo-{} where=same from=0 to=0",
        plan.peer
    ));
    experiment::end::<S>()
}

impl<S: ChannelBoard> Objects<S> {
    /// Writes back what comes.
    fn answer(&'static self) -> ! {
        let mut buffer = [0; 64];
        loop {
            let count = certain(
                self.connection
                    .incoming()
                    .read(&mut buffer, 1, Timeout::FOREVER),
            );
            certain(
                self.connection
                    .outgoing()
                    .write(&buffer[..count], count, Timeout::FOREVER),
            );
        }
    }

    /// Returns when the other end answers, and nothing is under way.
    fn meet(&'static self) {
        let mut met = 0;
        for number in 0..TRIES {
            met = if self.is_there(number as u8) {
                met + 1
            } else {
                0
            };
            if met == IN_A_ROW {
                return;
            }
        }
        panic!("nobody answers at the other end of the channel");
    }

    fn is_there(&'static self, number: u8) -> bool {
        let question = [b'\r', number];
        certain(
            self.connection
                .outgoing()
                .write(&question, 2, Timeout::FOREVER),
        );
        let mut came = [0; 16];
        // Longer than the question: a peer that sends more is not ready.
        match self
            .connection
            .incoming()
            .read(&mut came, 3, Timeout::after(PATIENCE))
        {
            Ok(_) => false,
            Err(partial) => came[..partial.moved] == question,
        }
    }

    fn ask(&'static self, plan: &Plan) {
        let mut release = Kernel::<S>::now().saturating_add(LEAD);
        for number in 0..plan.loops as u32 {
            sleep_until::<S>(release);
            let from = Kernel::<S>::now();
            let mut bytes = number.to_le_bytes();
            certain(
                self.connection
                    .outgoing()
                    .write(&bytes, 4, Timeout::FOREVER),
            );
            certain(
                self.connection
                    .incoming()
                    .read(&mut bytes, 4, Timeout::after(LOST)),
            );
            self.samples.add(from, Kernel::<S>::now());
            assert_eq!(bytes, number.to_le_bytes(), "another number came back");
            release = release.saturating_add(plan.interval);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_understood() {
        let plan = Plan::read("peer=linux loops=7 interval-us=3 channel=1").expect("all are known");
        assert_eq!((plan.asks, plan.peer, plan.loops), (true, "linux", 7));
        assert_eq!(
            (plan.interval, plan.channel),
            (Duration::from_nanos(3_000), 1)
        );
        assert!(!Plan::read("role=answer").expect("it is known").asks);
        for line in [
            "loops=0",
            "role=sing",
            "peer=xen",
            "channel=8",
            "interval-us=0",
            "speed=1",
        ] {
            assert!(Plan::read(line).is_err(), "{line}");
        }
    }
}
