//! Owns: the thread of the controller: it brings the segment to OP, and counts cycles. Must never
//! know: the kinds of the devices.

use crate::account::Account;
use crate::drives::{self, Feedback};
use crate::plan::Plan;
use crate::port::{FieldBoard, Place, Side};
use crate::{BYTES, FRAMES, MOST_DEVICES, Objects, Series};
use taktos_ethercat::channel::{Channel, Port};
use taktos_ethercat::ethercrab::error::{Error, TimeoutError};
use taktos_ethercat::ethercrab::{DcSync, MainDevice};
use taktos_ethercat::{
    Answer, Controller, Found, Mapped, Operation, Pace, Release, Settings, Wire,
};
use taktos_kernel::fault::print;
use taktos_kernel::{AnyThread, Duration, Instant, Kernel, Timeout};
use taktos_workloads::experiment::certain;

/// The most bytes of process data.
const DATA: usize = 256;

/// Number of searches for devices, at most.
const TRIES: u32 = 5;
/// Cycles in OP before those that are counted: the clocks settle.
const SETTLING: u32 = 200;
/// Cycles within which all devices must be in OP.
const PATIENCE: u32 = 20_000;
/// How many cycles a device has to come back to OP before the request is repeated.
const RECOVERY: u32 = 50;
/// How long the segment's account is waited for.
const ACCOUNT: Duration = Duration::from_millis(50);

type Bus<S> = Controller<Channel<Place<S>>>;

/// Counts of the cycles.
#[derive(Default)]
struct Counted {
    cycles: usize,
    lost: u32,
    wkc_errors: u32,
    /// Releases at which the former cycle had not ended.
    overruns: u32,
    /// Cycles in which a device was not in OP any more.
    left_op: u32,
}

/// Runs the experiment, and prints what was found.
pub fn run<S: FieldBoard>(objects: &'static Objects<S>, plan: &Plan) {
    let place = Place::new(objects, plan, Side::Control);
    let channel = certain(Channel::new(place).ok_or("the channel is too small"));
    let settings = Settings {
        patience: plan.patience,
        ..Settings::new(plan.cycle)
    };
    let mut bus = certain(Bus::new::<FRAMES, BYTES>(
        &objects.storage,
        channel,
        settings,
    ));
    match operate(objects, plan, &mut bus) {
        Ok(()) => {}
        Err(error) => print::<S>(format_args!("failed: {error:?}\n")),
    }
}

fn operate<S: FieldBoard>(
    objects: &'static Objects<S>,
    plan: &Plan,
    bus: &mut Bus<S>,
) -> Result<(), Error> {
    let (cycle, cycles, phase) = (plan.cycle.as_nanos(), plan.cycles, plan.phase.as_nanos());
    print::<S>(format_args!(
        "@run workload=ethercat cycle_ns={cycle} cycles={cycles} phase_ns={phase} processors=1\n"
    ));
    certain(AnyThread::<S>::sleep(Timeout::after(plan.after)));
    let begun = Kernel::<S>::now();
    let mut found = find(bus)?;
    let pre_op = Kernel::<S>::now().since(begun);
    for mut device in found.iter_mut(bus.main()) {
        device.set_dc_sync(DcSync::Sync0);
    }
    let mut expected = 0;
    let segment = bus.operate(found, |mapped, main| {
        expected = tell_devices::<S>(mapped, main)
    })?;
    let mut run = Run {
        objects,
        plan,
        bus,
        segment,
        expected,
        counted: Counted::default(),
        asked: 0,
    };
    let op = run.cycles(begun)?;
    let (pre_op, op) = (pre_op.as_nanos(), op.as_nanos());
    let devices = run.segment.len();
    print::<S>(format_args!(
        "@bus devices={devices} wkc={expected} pre_op_ns={pre_op} op_ns={op}\n"
    ));
    run.tell();
    Ok(())
}

/// Finds the devices; if none answers, tries once more: the segment may start later than the
/// controller.
fn find<S: FieldBoard>(bus: &mut Bus<S>) -> Result<Found<MOST_DEVICES, DATA>, Error> {
    let mut found = bus.find();
    for _ in 1..TRIES {
        if !matches!(found, Err(Error::Timeout(_))) {
            break;
        }
        found = bus.find();
    }
    found
}

/// Prints a line a device, and says what the working counter will be: one for each that is read,
/// two for each that is written.
fn tell_devices<S: FieldBoard>(
    mapped: &Mapped<MOST_DEVICES, DATA>,
    main: &MainDevice<'static>,
) -> u16 {
    let mut expected = 0;
    for device in mapped.iter(main) {
        let (inputs, outputs) = (device.inputs_raw().len(), device.outputs_raw().len());
        expected += u16::from(inputs > 0) + 2 * u16::from(outputs > 0);
        let (address, name) = (device.configured_address(), device.name());
        let delay = device.propagation_delay();
        print::<S>(format_args!(
            "@device address={address} name={name} inputs={inputs} outputs={outputs} delay_ns={delay}\n"
        ));
    }
    expected
}

/// A segment that exchanges process data.
struct Run<'a, S: FieldBoard> {
    objects: &'static Objects<S>,
    plan: &'a Plan,
    bus: &'a mut Bus<S>,
    segment: Operation<MOST_DEVICES, DATA>,
    /// The working counter of an exchange with all devices.
    expected: u16,
    counted: Counted,
    /// Exchanges since a device was requested to come back, up to [`RECOVERY`].
    asked: u32,
}

impl<S: FieldBoard> Run<'_, S> {
    /// Exchanges process data until the planned number of cycles in OP has been counted. Returns
    /// how long after `begun` the last device came to OP.
    fn cycles(&mut self, begun: Instant) -> Result<Duration, Error> {
        let first = self.bus.exchange(&self.segment)?;
        let at = Kernel::<S>::now().saturating_add(first.next);
        let (mut pace, mut release) =
            certain(Pace::begin(&self.objects.period, at, self.plan.cycle));
        let mut op = None;
        let mut settled = 0;
        let mut number = 0;
        while self.counted.cycles < self.plan.cycles {
            let counts = op.is_some() && settled >= SETTLING;
            let answer = self.cycle(&mut pace, release, counts);
            match (op, answer) {
                (None, Some(answer)) if answer.in_op => op = Some(Kernel::<S>::now().since(begun)),
                (None, _) if number > PATIENCE => return Err(NEVER_IN_OP),
                (
                    Some(_),
                    Some(Answer {
                        left: Some(device), ..
                    }),
                ) => self.bring_back(device),
                _ => {}
            }
            settled += u32::from(op.is_some());
            self.write_outputs(number);
            self.show(number);
            number += 1;
            release = certain(pace.await_release());
        }
        Ok(op.unwrap_or_default())
    }

    /// One exchange, from its release on.
    fn cycle(&mut self, pace: &mut Pace<S>, release: Release, counts: bool) -> Option<Answer> {
        let begin = self.bus.now();
        let answer = self.bus.exchange(&self.segment);
        let end = self.bus.now();
        if counts {
            self.counted.cycles += 1;
            self.counted.overruns += u32::from(release.missed);
            let at = release.at.saturating_add(release.late);
            self.add(Series::WakeLate, release.at, at);
        }
        let Ok(answer) = answer else {
            self.counted.lost += u32::from(counts);
            return None;
        };
        pace.follow(release.late.saturating_add(answer.next));
        if counts {
            self.add_exchange(begin, end);
            self.counted.wkc_errors += u32::from(answer.working_counter != self.expected);
            self.counted.left_op += u32::from(!answer.in_op);
        }
        Some(answer)
    }

    fn add(&self, series: Series, from: Instant, to: Instant) {
        self.objects.series[series as usize].add(from, to);
    }

    /// An exchange and its parts. Where it needed several frames the parts are those of the last
    /// one.
    fn add_exchange(&mut self, begin: Instant, end: Instant) {
        let passage = self.bus.wire().passage();
        self.add(Series::RoundTrip, begin, end);
        self.add(Series::Outbound, begin, passage.sent);
        self.add(Series::Wire, passage.sent, passage.arrived);
        self.add(Series::Wake, passage.arrived, passage.taken);
        self.add(Series::Inbound, passage.taken, end);
    }

    /// Requests a device that has left OP to come back, once in [`RECOVERY`] calls.
    fn bring_back(&mut self, device: usize) {
        if self.asked == 0 {
            // If the device does not answer, the request is repeated.
            let _ = self.bus.recover(&self.segment, device);
        }
        self.asked = (self.asked + 1) % RECOVERY;
    }

    /// Drives follow a profile, other outputs count.
    fn write_outputs(&self, number: u32) {
        for device in self.segment.iter(self.bus.main()) {
            // Inputs and outputs have one lock: it is let go of in between.
            let feedback = Feedback::read(&device.inputs_raw());
            let mut outputs = device.outputs_raw_mut();
            match feedback {
                Some(feedback) if outputs.len() == drives::BYTES => {
                    feedback.follow(number, &mut outputs)
                }
                _ => outputs.fill(number as u8),
            }
        }
    }

    /// Prints the positions of the drives for people, if the plan has an interval for that.
    fn show(&self, number: u32) {
        let (show, cycle) = (self.plan.show.as_nanos(), self.plan.cycle.as_nanos());
        if show == 0 || !u64::from(number).is_multiple_of((show / cycle).max(1)) {
            return;
        }
        let devices = self.segment.iter(self.bus.main());
        for (place, device) in devices.enumerate() {
            if device.outputs_raw().len() == drives::BYTES
                && let Some(feedback) = Feedback::read(&device.inputs_raw())
            {
                print::<S>(format_args!("device {place} {feedback}\n"));
            }
        }
    }

    /// Prints what was counted.
    fn tell(&mut self) {
        let Counted {
            cycles,
            lost,
            wkc_errors,
            overruns,
            left_op,
        } = self.counted;
        let strays = self.bus.strays();
        let unsent = self.bus.wire().lost();
        print::<S>(format_args!(
            "@cycles counted={cycles} lost={lost} wkc_errors={wkc_errors} overruns={overruns} left_op={left_op} strays={strays} unsent={unsent}\n"
        ));
        self.tell_account();
        for (series, name) in Series::ALL {
            let samples = &self.objects.series[series as usize];
            samples.tell::<S>(format_args!("name={name} where=same from=0 to=0"));
        }
    }

    /// Requests the segment's account, and prints it.
    fn tell_account(&mut self) {
        let wire = self.bus.wire();
        Wire::send(wire, &Account::question());
        let until = wire.port().now().saturating_add(ACCOUNT);
        while wire.port().now() < until {
            match wire.receive() {
                Some(frame) if Account::is_question(frame) => return Account::tell::<S>(frame),
                Some(_) => {}
                None => wire.wait(until),
            }
        }
    }
}

/// Error that is reported for a segment that does not come to OP.
const NEVER_IN_OP: Error = Error::Timeout(TimeoutError::StateTransition);
