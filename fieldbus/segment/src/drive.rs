//! A drive of CiA 402: its state machine (IEC 61800-7-201, figure 2) and the mode cyclic
//! synchronous position.
//!
//! Owns: state, position, the places of its objects in the process data. Must never know: frames or
//! registers.

use crate::application::Assignment;
use crate::bytes::{bits, put, word};
use crate::model::{Direction, Model};

const CONTROL_WORD: u16 = 0x6040;
const STATUS_WORD: u16 = 0x6041;
const TARGET_POSITION: u16 = 0x607A;
const ACTUAL_POSITION: u16 = 0x6064;
const MODE_DISPLAY: u16 = 0x6061;

/// Cyclic synchronous position.
const MODE: u8 = 8;
/// Largest movement of the axis in one step, increments.
const MOST_PER_STEP: i64 = 1 << 20;

/// Bits of the control word.
const SWITCH_ON: u16 = 1 << 0;
const ENABLE_VOLTAGE: u16 = 1 << 1;
const NO_QUICK_STOP: u16 = 1 << 2;
const ENABLE_OPERATION: u16 = 1 << 3;
const RESET_FAULT: u16 = 1 << 7;

/// Bits of the status word besides the state's: voltage, remote, the drive follows its target.
const ALWAYS: u16 = 1 << 4 | 1 << 9;
const FOLLOWS: u16 = 1 << 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    SwitchOnDisabled,
    ReadyToSwitchOn,
    SwitchedOn,
    OperationEnabled,
    QuickStopActive,
    Fault,
}

impl State {
    /// Its bits in the status word.
    fn bits(self) -> u16 {
        match self {
            Self::SwitchOnDisabled => 0x40,
            Self::ReadyToSwitchOn => 0x21,
            Self::SwitchedOn => 0x23,
            Self::OperationEnabled => 0x27 | FOLLOWS,
            Self::QuickStopActive => 0x07,
            Self::Fault => 0x08,
        }
    }

    /// The state after a control word.
    fn next(self, control: u16, reset: bool) -> Self {
        if self == Self::Fault {
            return if reset { Self::SwitchOnDisabled } else { self };
        }
        if control & ENABLE_VOLTAGE == 0 {
            return Self::SwitchOnDisabled;
        }
        if control & NO_QUICK_STOP == 0 {
            return match self {
                Self::OperationEnabled | Self::QuickStopActive => Self::QuickStopActive,
                _ => Self::SwitchOnDisabled,
            };
        }
        let asked = control & (SWITCH_ON | ENABLE_OPERATION);
        match self {
            Self::SwitchOnDisabled if asked & SWITCH_ON == 0 => Self::ReadyToSwitchOn,
            Self::SwitchOnDisabled | Self::QuickStopActive | Self::Fault => self,
            _ if asked & SWITCH_ON == 0 => Self::ReadyToSwitchOn,
            Self::ReadyToSwitchOn => Self::SwitchedOn,
            Self::SwitchedOn | Self::OperationEnabled if asked & ENABLE_OPERATION != 0 => {
                Self::OperationEnabled
            }
            _ => Self::SwitchedOn,
        }
    }
}

pub(crate) struct Drive {
    state: State,
    position: i32,
    control: u16,
    /// The bits at which its objects begin, where they are exchanged.
    control_at: Option<usize>,
    target_at: Option<usize>,
    status_at: Option<usize>,
    actual_at: Option<usize>,
    mode_at: Option<usize>,
}

impl Drive {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::SwitchOnDisabled,
            position: 0,
            control: 0,
            control_at: None,
            target_at: None,
            status_at: None,
            actual_at: None,
            mode_at: None,
        }
    }

    /// Finds its objects in the process data. Those that do not begin with a byte count as not
    /// exchanged.
    pub(crate) fn locate(&mut self, model: &Model<'_>, assignments: &[Assignment; 2]) {
        let find = |direction: Direction, index: u16| {
            let assignment = &assignments[direction as usize];
            let mut entries = assignment.entries(model, direction);
            let found = entries.find(|(entry, _, at)| entry.index == index && at % 8 == 0);
            found.map(|(_, _, at)| at / 8)
        };
        self.control_at = find(Direction::Outputs, CONTROL_WORD);
        self.target_at = find(Direction::Outputs, TARGET_POSITION);
        self.status_at = find(Direction::Inputs, STATUS_WORD);
        self.actual_at = find(Direction::Inputs, ACTUAL_POSITION);
        self.mode_at = find(Direction::Inputs, MODE_DISPLAY);
    }

    pub(crate) fn position(&self) -> i32 {
        self.position
    }

    /// The connection is lost: voltage is off.
    pub(crate) fn stop(&mut self) {
        self.state = State::SwitchOnDisabled;
        self.control = 0;
    }

    /// The axis is faulty until the fault is reset.
    pub(crate) fn fault(&mut self) {
        self.state = State::Fault;
    }

    /// One cycle of the drive.
    pub(crate) fn step(&mut self, outputs: &[u8], inputs: &mut [u8]) {
        if let Some(at) = self.control_at {
            let control = word(outputs, at);
            let reset = control & !self.control & RESET_FAULT != 0;
            self.state = self.state.next(control, reset);
            self.control = control;
        }
        if self.state == State::OperationEnabled
            && let Some(at) = self.target_at
        {
            self.approach(bits(outputs, at * 8, 32) as i32);
        }
        if let Some(at) = self.status_at {
            put(inputs, at, &(self.state.bits() | ALWAYS).to_le_bytes());
        }
        if let Some(at) = self.actual_at {
            put(inputs, at, &self.position.to_le_bytes());
        }
        if let Some(at) = self.mode_at {
            inputs[at] = MODE;
        }
    }

    /// The axis follows its target as one of the first order: half of the way in each step, and the
    /// last increment too.
    fn approach(&mut self, target: i32) {
        let way = i64::from(target) - i64::from(self.position);
        let step = (way / 2 + way % 2).clamp(-MOST_PER_STEP, MOST_PER_STEP);
        self.position = (i64::from(self.position) + step) as i32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive() -> Drive {
        Drive {
            control_at: Some(0),
            target_at: Some(2),
            status_at: Some(0),
            actual_at: Some(2),
            ..Drive::new()
        }
    }

    /// One step; the status word.
    fn step(drive: &mut Drive, control: u16, target: i32) -> u16 {
        let (mut outputs, mut inputs) = ([0; 6], [0; 6]);
        put(&mut outputs, 0, &control.to_le_bytes());
        put(&mut outputs, 2, &target.to_le_bytes());
        drive.step(&outputs, &mut inputs);
        word(&inputs, 0)
    }

    #[test]
    fn the_way_to_operation_and_back() {
        let mut drive = drive();
        let way = [
            (0x00, 0x250),
            (0x0F, 0x250),
            (0x06, 0x231),
            (0x07, 0x233),
            (0x0F, 0x1237),
            (0x07, 0x233),
            (0x0F, 0x1237),
            (0x0B, 0x217),
            (0x0F, 0x217),
            (0x00, 0x250),
            (0x06, 0x231),
            (0x02, 0x250),
        ];
        for (control, status) in way {
            assert_eq!(step(&mut drive, control, 0), status, "control {control:#x}");
        }
    }

    #[test]
    fn a_fault_is_reset_by_the_edge() {
        let mut drive = drive();
        step(&mut drive, 0x80, 0);
        drive.fault();
        assert_eq!(step(&mut drive, 0x80, 0), 0x218, "no edge");
        assert_eq!(step(&mut drive, 0x06, 0), 0x218);
        assert_eq!(step(&mut drive, 0x80, 0), 0x250);
    }

    #[test]
    fn the_axis_arrives_from_anywhere() {
        for target in [1, -1, 7, -1000, i32::MAX, i32::MIN] {
            let mut drive = drive();
            for control in [6, 7, 15] {
                step(&mut drive, control, target);
            }
            for _ in 0..4_200 {
                step(&mut drive, 15, target);
            }
            assert_eq!(drive.position(), target);
        }
    }

    #[test]
    fn it_moves_only_while_operation_is_enabled() {
        let mut drive = drive();
        for control in [0, 6, 7, 0x0B] {
            step(&mut drive, control, 1000);
        }
        assert_eq!(drive.position(), 0);
    }
}
