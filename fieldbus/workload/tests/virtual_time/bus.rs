//! Owns: a controller with its segment in OP, and cycles of it. Must never know: the faults.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use taktos_ethercat::ethercrab::{DcSync, PduStorage};
use taktos_ethercat::{Controller, Operation, Settings};
use taktos_kernel::Duration;
use taktos_segment::{Fault, Segment, State, Statistics, standard};

use crate::wire::{Virtual, World};

/// The cycle, in nanoseconds.
pub const CYCLE: u64 = 1_000_000;
const DEVICES: usize = 8;
const DATA: usize = 256;
/// Cycles after which the clocks have settled.
const SETTLING: usize = 500;
/// How many cycles a device has to come back to OP before the request is repeated.
const RECOVERY: usize = 20;

type Storage = PduStorage<16, { PduStorage::element_size(512) }>;

/// A controller and its segment.
pub struct Bus {
    world: Rc<RefCell<World>>,
    controller: Controller<Virtual>,
    operation: Operation<DEVICES, DATA>,
    release: u64,
    asked: usize,
}

/// There is one controller at a time.
static ONE: Mutex<()> = Mutex::new(());

impl Bus {
    /// Brings a segment to OP, and passes it to `then`.
    pub fn with(then: impl FnOnce(&mut Self)) {
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let devices = Box::leak(Box::new(standard(0)));
        let world = Rc::new(RefCell::new(World::new(Segment::new(devices))));
        let storage: &'static Storage = Box::leak(Box::new(Storage::new()));
        let settings = Settings::new(Duration::from_nanos(CYCLE));
        let wire = Virtual::new(world.clone());
        let mut controller = Controller::new(storage, wire, settings).expect("the only one");
        let mut found = controller.find().expect("the devices answer");
        for mut device in found.iter_mut(controller.main()) {
            device.set_dc_sync(DcSync::Sync0);
        }
        let operation = controller
            .operate(found, |_, _| ())
            .expect("the devices obey");
        let release = world.borrow().now;
        let mut bus = Self {
            world,
            controller,
            operation,
            release,
            asked: 0,
        };
        bus.until(1_000, |bus| bus.all_in(State::Op));
        bus.cycles(SETTLING);
        then(&mut bus);
    }

    pub fn now(&self) -> u64 {
        self.world.borrow().now
    }

    /// Makes one exchange when it is due; returns the working counter, or none if the frame was
    /// lost. A device that is not in OP is requested to come back.
    pub fn cycle(&mut self) -> Option<u16> {
        let now = self.now().max(self.release);
        self.world.borrow_mut().now = now;
        let answer = self.controller.exchange(&self.operation);
        let Ok(answer) = answer else {
            self.release = self.now().max(self.release + CYCLE);
            return None;
        };
        self.release = now + answer.next.as_nanos();
        if let Some(device) = answer.left {
            if self.asked == 0 {
                // A device that is cut off does not answer.
                let _ = self.controller.recover(&self.operation, device);
            }
            self.asked = (self.asked + 1) % RECOVERY;
        }
        Some(answer.working_counter)
    }

    pub fn cycles(&mut self, count: usize) {
        for _ in 0..count {
            self.cycle();
        }
    }

    /// Cycles until `done`, and at most `most` of them.
    pub fn until(&mut self, most: usize, done: impl Fn(&Self) -> bool) {
        let reached = (0..most).any(|_| {
            self.cycle();
            done(self)
        });
        assert!(reached, "not within {most} cycles");
    }

    /// Advances the time while the controller does nothing.
    pub fn pause(&mut self, nanos: u64) {
        let mut world = self.world.borrow_mut();
        world.now += nanos;
        let now = world.now;
        world.segment.advance(now);
    }

    pub fn inject(&mut self, fault: Fault) {
        self.world.borrow_mut().segment.inject(fault);
    }

    /// Returns the working counter with all devices: the terminals and drives are read and written.
    pub fn whole(&self) -> u16 {
        let devices = self.operation.iter(self.controller.main());
        let counter = |inputs: bool, outputs: bool| u16::from(inputs) + 2 * u16::from(outputs);
        devices
            .map(|device| {
                let (inputs, outputs) = (device.inputs_raw().len(), device.outputs_raw().len());
                counter(inputs > 0, outputs > 0)
            })
            .sum()
    }

    pub fn state(&self, device: usize) -> State {
        self.world.borrow().segment.devices()[device].state()
    }

    pub fn all_in(&self, state: State) -> bool {
        self.world
            .borrow()
            .segment
            .devices()
            .iter()
            .all(|device| device.state() == state)
    }

    /// Returns the difference of a device's clock from the reference, which is the first
    /// terminal's.
    pub fn difference(&self, device: usize) -> i64 {
        let world = self.world.borrow();
        let [reference, own] =
            [1, device].map(|place| world.segment.devices()[place].system_time());
        own.wrapping_sub(reference).cast_signed()
    }

    /// Returns the counts of each device.
    pub fn statistics(&self) -> Vec<Statistics> {
        let world = self.world.borrow();
        world
            .segment
            .devices()
            .iter()
            .map(|device| *device.statistics())
            .collect()
    }
}
