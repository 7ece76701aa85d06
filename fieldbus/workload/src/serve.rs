//! Owns: the thread of the segment: frames in, answers out. Must never know: the sender of a frame.

use crate::MOST_DEVICES;
use crate::Objects;
use crate::account::Account;
use crate::plan::Plan;
use crate::port::{FieldBoard, Place, Side};
use core::array::from_fn;
use taktos_ethercat::channel::{Channel, Port};
use taktos_kernel::{Duration, Instant};
use taktos_segment::{Description, Device, Oscillator, Segment, State, standard};
use taktos_workloads::experiment::command::Refused;
use taktos_workloads::experiment::{certain, refuse};

/// Serves until the machine ends.
pub fn run<S: FieldBoard>(objects: &'static Objects<S>, plan: &Plan) {
    let place = Place::new(objects, plan, Side::Segment);
    let mut channel = certain(Channel::new(place).ok_or("the channel is too small"));
    let ahead = plan.phase.as_nanos();
    match described::<S>() {
        None => answer(&mut channel, &mut standard(ahead)),
        Some(description) => {
            // Places after the last device are not used.
            let count = description.len();
            let of = |place| certain(description.get(place % count).ok_or("a device is gone"));
            let models: [_; MOST_DEVICES] = from_fn(of);
            let mut devices: [_; MOST_DEVICES] = from_fn(|place| {
                let (
                    model,
                    Oscillator {
                        drift_ppb,
                        start_ns,
                    },
                ) = &models[place];
                let start_ns = start_ns.wrapping_add(ahead);
                Device::new(
                    model,
                    Oscillator {
                        drift_ppb: *drift_ppb,
                        start_ns,
                    },
                )
            });
            answer(&mut channel, &mut devices[..count]);
        }
    }
}

/// Answers frames for ever.
fn answer<'d, S: FieldBoard>(channel: &mut Channel<Place<S>>, devices: &'d mut [Device<'d>]) {
    let mut segment = Segment::new(devices);
    let mut account = Account::default();
    loop {
        let Some(front) = channel.front() else {
            channel.port().wait(Instant::MAX);
            continue;
        };
        let frame = channel.take();
        let left = match Account::is_question(frame) {
            true => {
                count(&mut account, segment.devices());
                account.answer(frame);
                Some(front.at.as_nanos())
            }
            false => segment.pass(frame, front.at.as_nanos()),
        };
        let Some(arrival) = left.map(Instant::from_nanos) else {
            continue;
        };
        let ring = channel.write_back(arrival);
        // The receiver of the ring may run at once.
        let done = channel.port().now();
        if ring {
            channel.port().ring();
        }
        account.note(front.at, arrival, done, segment.devices());
    }
}

/// Returns the devices of the file; nothing if there is no file. A file that is not valid ends the
/// program: the controller must not find other devices than intended.
fn described<S: FieldBoard>() -> Option<Description<'static>> {
    let file = S::file();
    if file.is_empty() {
        return None;
    }
    let why = match Description::parse(file) {
        Ok(devices) if (1..=MOST_DEVICES).contains(&devices.len()) => return Some(devices),
        Ok(_) => "a segment has 1 to 16 devices",
        Err(_) => "it describes none: `taktos reproduce` makes it of ESI files",
    };
    let word = "the file of devices";
    refuse::<S>(Refused { word, why })
}

impl Account {
    /// A frame that was sent at `sent` and is back at `arrival` was answered at `done`.
    fn note(&mut self, sent: Instant, arrival: Instant, done: Instant, devices: &[Device<'_>]) {
        self.frames += 1;
        if !devices.iter().all(is_in_op) {
            return;
        }
        let span = |from: Instant, to: Instant| to.since(from).as_nanos();
        self.service_max = self.service_max.max(span(sent, done));
        self.wire = self.wire.max(span(sent, arrival));
        let late = done.since(arrival);
        if late > Duration::ZERO {
            self.late_answers += 1;
            self.latest = self.latest.max(late.as_nanos());
        }
    }
}

/// Adds up what the devices counted.
fn count(account: &mut Account, devices: &[Device<'_>]) {
    let sum = |of: fn(&Device<'_>) -> u64| devices.iter().map(of).sum();
    account.sync0 = sum(|device| device.statistics().sync0);
    account.sync0_missed = sum(|device| device.statistics().sync0_without_new_outputs);
    account.watchdog = sum(|device| device.statistics().watchdog);
    account.in_op = sum(|device| u64::from(is_in_op(device)));
    let differences = devices
        .iter()
        .map(|device| device.statistics().max_difference_ns);
    account.dc_max = differences.max().unwrap_or(0);
}

fn is_in_op(device: &Device<'_>) -> bool {
    device.state() == State::Op
}
