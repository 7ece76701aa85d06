//! A SubDevice: its controller's registers and memory as the MainDevice reads and writes them, and
//! its application.
//!
//! Owns: the choice of the unit that a read or a write reaches, and the order of events as time
//! passes. Must never know: datagrams, nor the other devices of the segment.

use crate::application::Application;
use crate::clock::{Clock, Oscillator};
use crate::fmmu::Fmmus;
use crate::mailbox::Mailbox;
use crate::memory::Memory;
use crate::model::{Model, SyncManagerKind};
use crate::ports::Ports;
use crate::registers::{
    AL_CONTROL, CLOCK, COUNTERS, DL_CONTROL, FMMU, FMMU_LENGTH, RAM, RAM_KIB, RECEIVE_TIME_UNIT,
    RECEIVE_TIMES, SII_CONTROL, SIZE, SPEED_COUNTER_START, STATION_ADDRESS, STATION_ALIAS,
    SYNC_ACTIVATION, SYNC_MANAGER, SYNC_MANAGER_LENGTH, SYNC_PULSE_LENGTH, SYSTEM_TIME, TYPE,
    UNITS, is_writable, touches,
};
use crate::sii::Sii;
use crate::state::{State, StateMachine, code};
use crate::statistics::Statistics;
use crate::sync_manager::{Area, SyncManagers};
use crate::sync_signals::{Signal, SyncSignals};
use crate::watchdog::Watchdog;

/// Type, revision and build of the controller: an ET1100.
const CONTROLLER: [u8; 4] = [0x11, 0, 2, 0];
/// Ports 0 and 1 are MII, 2 and 3 are not there (two bits each, register 0x0007).
const PORTS: u8 = 0x0F;
/// Features (register 0x0008): low jitter, enhanced link detection, separate counting of forwarded
/// errors; FMMUs of bits, which is a 0. With distributed clocks: those, of 64 bits.
const FEATURES: u16 = 0x00F0;
const FEATURES_CLOCK: u16 = 0x000C;
/// 10 ms, in units of 10 ns: acknowledged pulses are not used.
const PULSE_LENGTH: u16 = 1000;

/// A SubDevice of a segment.
pub struct Device<'d> {
    pub(crate) model: &'d Model<'d>,
    pub(crate) memory: Memory,
    pub(crate) clock: Clock,
    signals: SyncSignals,
    pub(crate) al: StateMachine,
    pub(crate) channels: SyncManagers,
    pub(crate) fmmus: Fmmus,
    pub(crate) watchdog: Watchdog,
    sii: Sii,
    pub(crate) mailbox: Mailbox,
    pub(crate) ports: Ports,
    pub(crate) application: Application,
    pub(crate) statistics: Statistics,
    /// Outputs were written completely in the frame that is passing.
    has_outputs: bool,
    /// How long after it was here the frame that is passing comes back, ns; `None` where it turns
    /// here.
    pub(crate) back_after: Option<u64>,
}

impl<'d> Device<'d> {
    /// A device that is off: it is switched on as a segment is made of it.
    pub const fn new(model: &'d Model<'d>, oscillator: Oscillator) -> Self {
        Self {
            model,
            memory: Memory::new(),
            clock: Clock::new(oscillator),
            signals: SyncSignals::new(),
            al: StateMachine::new(),
            channels: SyncManagers::new(),
            fmmus: Fmmus::new(),
            watchdog: Watchdog::new(),
            sii: Sii::new(),
            mailbox: Mailbox::new(),
            ports: Ports::new(),
            application: Application::new(),
            statistics: Statistics::NONE,
            has_outputs: false,
            back_after: None,
        }
    }

    /// Returns the model of the device.
    pub fn model(&self) -> &'d Model<'d> {
        self.model
    }

    /// Returns the counts of the device.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Its state.
    pub fn state(&self) -> State {
        self.al.state
    }

    /// The AL status code (register 0x0134); 0 without an error.
    pub fn status_code(&self) -> u16 {
        self.memory.word(crate::registers::AL_STATUS_CODE)
    }

    /// A drive's position, in increments; 0 for what is none.
    pub fn position(&self) -> i32 {
        self.application.drive.position()
    }

    /// The outputs that its application works with.
    pub fn outputs(&self) -> &[u8] {
        &self.application.outputs
    }

    /// Its copy of the system time, at the instant up to which the segment has come.
    pub fn system_time(&self) -> u64 {
        self.clock.system(&self.memory)
    }

    /// Restarts everything but the oscillator and the counts.
    pub(crate) fn power_on(&mut self) {
        self.memory.clear();
        self.memory.put(TYPE, &CONTROLLER);
        let units = UNITS as u8;
        self.memory.put(TYPE + 4, &[units, units, RAM_KIB, PORTS]);
        let clock = if self.model.clock { FEATURES_CLOCK } else { 0 };
        let features = FEATURES | clock;
        self.memory.put(TYPE + 8, &features.to_le_bytes());
        let alias = self.model.alias.to_le_bytes();
        self.memory.put(STATION_ALIAS, &alias);
        // Frames of others are dropped; loops follow the links.
        self.memory.set(DL_CONTROL, 1);
        self.watchdog.power_on(&mut self.memory);
        self.sii.power_on(&mut self.memory);
        if self.model.clock {
            self.clock.power_on(&mut self.memory);
            let pulse = PULSE_LENGTH.to_le_bytes();
            self.memory.put(SYNC_PULSE_LENGTH, &pulse);
        }
        self.signals = SyncSignals::new();
        self.channels.power_on(&mut self.memory);
        self.fmmus = Fmmus::new();
        self.mailbox.reset();
        self.application.power_on(self.model);
        self.ports.show(&mut self.memory);
        self.power_on_state();
        self.has_outputs = false;
    }

    /// Returns whether a datagram with this station address is for this device: its address, or its
    /// alias if aliases are enabled.
    pub(crate) fn is_addressed(&self, address: u16) -> bool {
        address == self.memory.word(STATION_ADDRESS)
            || self.memory.byte(DL_CONTROL + 3) & 1 != 0
                && address == self.memory.word(STATION_ALIAS)
    }

    /// The instant `to` has come: signals, an expired watchdog, requests that the application takes
    /// up.
    pub(crate) fn advance(&mut self, to: u64) {
        let expires = self.watchdog.expires(&self.memory);
        if let Some(expires) = expires.filter(|expires| *expires <= to) {
            self.pass_time(expires);
            self.watchdog.expire(&mut self.memory);
            self.statistics.watchdog += 1;
            self.fall(State::SafeOp, code::WATCHDOG);
        }
        self.pass_time(to);
        let is_due = |due: Option<u64>| due.is_some_and(|due| due <= to);
        if is_due(self.al.due) {
            self.answer_state_request();
        }
        if is_due(self.mailbox.due) {
            self.serve_mailbox();
        }
    }

    fn pass_time(&mut self, to: u64) {
        self.clock.advance(to);
        if !self.signals.is_active() {
            return;
        }
        let system = self.clock.system(&self.memory);
        while let Some(signal) = self.signals.due(system, &mut self.memory) {
            match signal {
                Signal::Sync0 => self.sync0(),
                Signal::Sync1 => self.statistics.sync1 += 1,
            }
        }
    }

    fn sync0(&mut self) {
        self.statistics.sync0 += 1;
        let had = core::mem::replace(&mut self.application.has_new_outputs, false);
        if self.al.state == State::Op && self.application.has_outputs() && !had {
            self.statistics.sync0_without_new_outputs += 1;
        }
        self.step();
    }

    /// One cycle of the application.
    fn step(&mut self) {
        if self.al.state.has_process_data() {
            self.application.step(self.model.behaviour);
            self.put_inputs();
        }
    }

    pub(crate) fn put_inputs(&mut self) {
        let mut rest = self.application.inputs();
        for (number, _) in self.model.managers_for(SyncManagerKind::Inputs) {
            let length = self
                .channels
                .get(number)
                .map_or(0, |channel| channel.length);
            let (own, others) = rest.split_at(length.min(rest.len()));
            self.channels.put_inputs(number, own, &mut self.memory);
            rest = others;
        }
    }

    /// The frame that was passing has passed at the instant `now`: outputs that came with it count.
    pub(crate) fn frame_passed(&mut self, now: u64) {
        self.statistics.frames += 1;
        self.advance(now);
        if core::mem::replace(&mut self.has_outputs, false) {
            self.outputs_arrived(now);
        }
    }

    fn outputs_arrived(&mut self, now: u64) {
        let is_operational = self.al.state == State::Op;
        self.statistics.outputs(now, is_operational);
        if self.watchdog.runs() {
            self.watchdog.trigger(now, &mut self.memory);
        }
        if is_operational {
            self.take_outputs();
        }
        self.application.has_new_outputs = true;
        if !self.signals.is_active() {
            self.step();
        }
    }

    fn take_outputs(&mut self) {
        let mut at = 0;
        for (number, _) in self.model.managers_for(SyncManagerKind::Outputs) {
            if let Some(buffer) = self.channels.outputs(number) {
                let outputs = self.memory.slice(buffer);
                self.application.take_outputs(at, outputs);
            }
            at += self
                .channels
                .get(number)
                .map_or(0, |channel| channel.length);
        }
    }

    /// The MainDevice reads from `at` on. Whether it may; if not, `to` is as it was.
    pub(crate) fn read(&mut self, at: usize, to: &mut [u8]) -> bool {
        let end = at + to.len();
        if end <= RAM {
            if !self.model.clock && is_clock(at, end) {
                return false;
            }
            self.refresh(at, end);
            to.copy_from_slice(self.memory.slice(at..end));
            return true;
        }
        if at < RAM || end > SIZE {
            return false;
        }
        match self.channels.area(at, end) {
            Area::Plain => to.copy_from_slice(self.memory.slice(at..end)),
            Area::Forbidden => return false,
            Area::Channel(number) => {
                let Some(place) = self.channels.enter(number, at, false) else {
                    return false;
                };
                to.copy_from_slice(self.memory.slice(place..place + to.len()));
                if self.channels.leave(number, end, false, &mut self.memory) {
                    self.channel_read(number);
                }
            }
        }
        true
    }

    /// The MainDevice writes from `at` on. Whether it may; if not, nothing is changed.
    pub(crate) fn write(&mut self, at: usize, from: &[u8]) -> bool {
        let end = at + from.len();
        if end <= RAM {
            return self.write_registers(at, from);
        }
        if at < RAM || end > SIZE {
            return false;
        }
        match self.channels.area(at, end) {
            Area::Plain => self.memory.put(at, from),
            Area::Forbidden => return false,
            Area::Channel(number) => {
                let Some(place) = self.channels.enter(number, at, true) else {
                    return false;
                };
                self.memory.put(place, from);
                if self.channels.leave(number, end, true, &mut self.memory) {
                    self.channel_written(number);
                }
            }
        }
        true
    }

    /// Reads the last bytes that were written from `at` on, without the effects of a read; zeros if
    /// there is no memory.
    pub(crate) fn peek(&self, at: usize, to: &mut [u8]) {
        let end = at + to.len();
        if end > SIZE {
            return;
        }
        let place = match self.channels.area(at, end) {
            Area::Channel(number) => self.channels.last_written(number, at),
            Area::Plain | Area::Forbidden => at,
        };
        to.copy_from_slice(self.memory.slice(place..place + to.len()));
    }

    fn channel_read(&mut self, number: usize) {
        let kind = self.model.sync_managers.get(number).map(|one| one.kind);
        match kind {
            Some(SyncManagerKind::MailboxIn) => self.mailbox_read(),
            // If nothing else sets the pace, inputs are updated as they are fetched.
            Some(SyncManagerKind::Inputs)
                if !self.signals.is_active() && !self.application.has_outputs() =>
            {
                self.step();
            }
            _ => {}
        }
    }

    fn channel_written(&mut self, number: usize) {
        let kind = self.model.sync_managers.get(number).map(|one| one.kind);
        match kind {
            Some(SyncManagerKind::MailboxOut) => self.mailbox_written(),
            Some(SyncManagerKind::Outputs) => self.has_outputs = true,
            _ => {}
        }
    }

    /// Brings registers up to date that change as time passes.
    fn refresh(&mut self, at: usize, end: usize) {
        if self.model.clock && touches(at, end, SYSTEM_TIME, 8) {
            let time = self.clock.system(&self.memory);
            self.memory.put(SYSTEM_TIME, &time.to_le_bytes());
        }
        if touches(at, end, SII_CONTROL, 2) {
            self.sii.refresh(self.clock.now(), &mut self.memory);
        }
    }

    fn write_registers(&mut self, at: usize, from: &[u8]) -> bool {
        let end = at + from.len();
        if touches(at, end, RECEIVE_TIMES, 4) {
            self.latch_receive_times();
            return true;
        }
        let is_clock = is_clock(at, end);
        if is_clock && !self.model.clock {
            return false;
        }
        if at == SYSTEM_TIME && matches!(from.len(), 4 | 8) {
            self.reference_time(from);
            return true;
        }
        if touches(at, end, SII_CONTROL, 2) {
            // A command that is over leaves its result before the next one begins.
            self.sii.refresh(self.clock.now(), &mut self.memory);
        }
        let is_accepted = self.store(at, from);
        if is_accepted {
            self.registers_written(at, end, is_clock);
        }
        is_accepted
    }

    /// Stores the bytes that may be written; whether there were any.
    fn store(&mut self, at: usize, from: &[u8]) -> bool {
        let mut is_accepted = false;
        for (place, byte) in (at..).zip(from) {
            if COUNTERS.iter().any(|counters| counters.contains(&place)) {
                self.memory.set(place, 0);
            } else if is_writable(place) {
                self.memory.set(place, *byte);
            } else {
                continue;
            }
            is_accepted = true;
        }
        is_accepted
    }

    /// Applies the effects of a write to registers.
    fn registers_written(&mut self, at: usize, end: usize, is_clock: bool) {
        if touches(at, end, DL_CONTROL, 4) {
            self.ports.configure(&mut self.memory);
        }
        if touches(at, end, AL_CONTROL, 1) {
            self.state_requested();
        }
        if touches(at, end, SII_CONTROL + 1, 1) {
            let now = self.clock.now();
            self.sii.command(self.model, now, &mut self.memory);
        }
        if touches(at, end, FMMU, UNITS * FMMU_LENGTH) {
            self.fmmus.configure(&self.memory);
        }
        if touches(at, end, SYNC_MANAGER, UNITS * SYNC_MANAGER_LENGTH) {
            self.sync_managers_written(at, end);
        }
        if is_clock {
            self.clock_written(at, end);
        }
    }

    fn sync_managers_written(&mut self, at: usize, end: usize) {
        for number in 0..UNITS {
            let registers = SYNC_MANAGER + number * SYNC_MANAGER_LENGTH;
            if touches(at, end, registers, SYNC_MANAGER_LENGTH) {
                self.channels.configure(number, &mut self.memory);
            }
        }
        self.repeat_mailbox();
        self.supervise();
    }

    fn clock_written(&mut self, at: usize, end: usize) {
        if touches(at, end, SPEED_COUNTER_START, 2) {
            self.clock.restart(&mut self.memory);
        }
        if touches(at, end, SYNC_ACTIVATION, 1) {
            let system = self.clock.system(&self.memory);
            self.signals.activate(system, &mut self.memory);
        }
    }

    fn reference_time(&mut self, received: &[u8]) {
        let difference = self.clock.reference(received, &mut self.memory);
        let is_operational = self.al.state == State::Op;
        self.statistics.difference(difference, is_operational);
    }

    /// A write to 0x0900: when the frame came to each port, and to the processing unit.
    fn latch_receive_times(&mut self) {
        let here = self.clock.local();
        let back = self.back_after.map(|later| self.clock.local_after(later));
        self.memory.put(RECEIVE_TIMES, &(here as u32).to_le_bytes());
        let downstream = back.unwrap_or(0) as u32;
        self.memory
            .put(RECEIVE_TIMES + 4, &downstream.to_le_bytes());
        self.memory.put(RECEIVE_TIME_UNIT, &here.to_le_bytes());
    }
}

/// Returns whether `at..end` touches the registers that only a controller with distributed clocks
/// has.
fn is_clock(at: usize, end: usize) -> bool {
    at < CLOCK.end && end > CLOCK.start
}
