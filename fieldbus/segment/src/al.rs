//! The state machine of the application layer (ETG.1000.6, 6.4; ETG.1020, 5), with what is checked
//! at each transition.
//!
//! Owns: transitions of a device, AL status and its code. Must never know: the way of a request.

use crate::device::Device;
use crate::model::{Direction, SyncManagerKind};
use crate::registers::{
    AL_CONTROL, AL_STATUS, AL_STATUS_CODE, PROCESS_RAM, SYNC_ACTIVATION, SYNC0_CYCLE,
};
use crate::state::{State, StateMachine, code};
use crate::sync_manager::Channel;

const ERROR: u8 = 0x10;
const ACKNOWLEDGE: u8 = 0x10;
/// Mailboxes smaller than this hold no SDO; larger ones no frame carries.
const MAILBOX_LENGTHS: core::ops::RangeInclusive<usize> = 16..=1486;

impl Device<'_> {
    /// The AL control was written.
    pub(crate) fn state_requested(&mut self) {
        match self.model.delays.reaction_ns {
            0 => self.answer_state_request(),
            delay => self.al.due = Some(self.clock.now() + u64::from(delay)),
        }
    }

    /// The application takes up the request in the AL control.
    pub(crate) fn answer_state_request(&mut self) {
        self.al.due = None;
        let control = self.memory.byte(AL_CONTROL);
        let wanted = State::of(control & 0x0F);
        if control & ACKNOWLEDGE != 0 {
            self.al.is_error = false;
        } else if self.al.is_error && wanted.is_none_or(|wanted| wanted >= self.al.state) {
            // An error that is not acknowledged: only the way down is open.
            return;
        }
        let judged = match wanted {
            None => Err(code::UNKNOWN_STATE),
            Some(wanted) => self.judge(wanted).map(|()| wanted),
        };
        match judged {
            Ok(wanted) => {
                self.enter(wanted);
                self.show_state(if self.al.is_error { None } else { Some(0) });
            }
            Err(code) => self.refuse(code),
        }
    }

    /// The device leaves its state by itself, and says why.
    pub(crate) fn fall(&mut self, to: State, code: u16) {
        self.enter(to);
        self.refuse(code);
    }

    /// The settings of SyncManagers were written: what is in use must stay as it was checked.
    pub(crate) fn supervise(&mut self) {
        if !self.al.state.has_process_data() {
            return;
        }
        if let Err(code) = self.check_process_data() {
            self.fall(State::PreOp, code);
        }
    }

    fn judge(&self, wanted: State) -> Result<(), u16> {
        let is = self.al.state;
        if wanted == State::Bootstrap && is == State::Init {
            let can = self.model.mailbox.is_some_and(|mailbox| mailbox.bootstrap);
            return if can {
                self.check_mailbox(code::MAILBOX_IN_BOOTSTRAP)
            } else {
                Err(code::NO_BOOTSTRAP)
            };
        }
        if !is.may_become(wanted) {
            return Err(code::INVALID_STATE_CHANGE);
        }
        if wanted > is {
            self.check_mailbox(code::MAILBOX_IN_PREOP)?;
        }
        if wanted > is && wanted.has_process_data() {
            self.check_process_data()?;
        }
        Ok(())
    }

    fn check_mailbox(&self, code: u16) -> Result<(), u16> {
        if self.model.mailbox.is_none() {
            return Ok(());
        }
        for (kind, is_written) in [
            (SyncManagerKind::MailboxOut, true),
            (SyncManagerKind::MailboxIn, false),
        ] {
            let number = self.model.sync_manager(kind);
            let channel = number.and_then(|number| self.channels.get(number));
            let fits = |channel: &Channel| {
                channel.is_enabled
                    && channel.is_mailbox
                    && channel.is_written == is_written
                    && channel.start >= PROCESS_RAM
                    && MAILBOX_LENGTHS.contains(&channel.length)
            };
            if !channel.is_some_and(fits) {
                return Err(code);
            }
        }
        self.check_areas()
    }

    fn check_areas(&self) -> Result<(), u16> {
        if self.channels.are_apart() {
            Ok(())
        } else {
            Err(code::SYNC_MANAGERS)
        }
    }

    fn check_process_data(&self) -> Result<(), u16> {
        self.check_areas()?;
        self.check_channels(Direction::Outputs, code::OUTPUTS, code::OUTPUT_MAPPING)?;
        self.check_channels(Direction::Inputs, code::INPUTS, code::INPUT_MAPPING)?;
        let is_sync0 = self.memory.byte(SYNC_ACTIVATION) & 3 == 3;
        if self.model.clock && is_sync0 && self.memory.long(SYNC0_CYCLE) == 0 {
            return Err(code::SYNC0_CYCLE);
        }
        Ok(())
    }

    /// Checks that each SyncManager has the direction and the length of the PDOs that it carries.
    fn check_channels(&self, direction: Direction, wrong: u16, mapping: u16) -> Result<(), u16> {
        if self.application.length(self.model, direction).is_none() {
            return Err(mapping);
        }
        for (number, _) in self.model.managers_for(direction.kind()) {
            let length = self.application.carried(self.model, direction, number);
            let Some(channel) = self.channels.get(number) else {
                return Err(mapping);
            };
            let is_off = !channel.is_enabled || channel.length == 0;
            let fits = !is_off
                && !channel.is_mailbox
                && channel.is_written == (direction == Direction::Outputs)
                && channel.length == length;
            if !(fits || length == 0 && is_off) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    fn enter(&mut self, to: State) {
        let from = core::mem::replace(&mut self.al.state, to);
        let has_mailbox = to != State::Init;
        let has_process_data = to.has_process_data();
        for (number, manager) in self.model.sync_managers.iter().enumerate() {
            let is_open = match manager.kind {
                SyncManagerKind::MailboxOut | SyncManagerKind::MailboxIn => has_mailbox,
                SyncManagerKind::Outputs | SyncManagerKind::Inputs => has_process_data,
                SyncManagerKind::Unused => false,
            };
            self.channels.shut(number, !is_open, &mut self.memory);
        }
        if !has_mailbox {
            self.mailbox.reset();
        }
        if has_process_data && !from.has_process_data() {
            self.application.start(self.model);
            self.put_inputs();
        }
        match (from == State::Op, to == State::Op) {
            (false, true) => self.enter_op(),
            (true, false) => self.leave_op(),
            _ => {}
        }
    }

    fn enter_op(&mut self) {
        let is_watched = |(number, _)| {
            let channel: Option<&Channel> = self.channels.get(number);
            channel.is_some_and(|channel| channel.is_watched && channel.is_enabled)
        };
        let mut outputs = self.model.managers_for(SyncManagerKind::Outputs);
        if outputs.any(is_watched) {
            self.watchdog.trigger(self.clock.now(), &mut self.memory);
        }
    }

    fn leave_op(&mut self) {
        self.watchdog.stop();
        self.application.stop();
        self.statistics.interrupted();
    }

    fn refuse(&mut self, code: u16) {
        self.al.is_error = true;
        self.statistics.al_errors += 1;
        self.show_state(Some(code));
    }

    fn show_state(&mut self, code: Option<u16>) {
        let error = if self.al.is_error { ERROR } else { 0 };
        self.memory
            .put(AL_STATUS, &[self.al.state as u8 | error, 0]);
        if let Some(code) = code {
            self.memory.put(AL_STATUS_CODE, &code.to_le_bytes());
        }
    }

    pub(crate) fn power_on_state(&mut self) {
        self.al = StateMachine::new();
        self.memory.put(AL_CONTROL, &[State::Init as u8, 0]);
        self.show_state(Some(0));
    }
}
