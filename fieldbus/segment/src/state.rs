//! Owns: the states of the application layer, legal transitions (ETG.1000.6, 6.4), status codes.
//! Must never know: what is checked at a transition.

/// A state of the application layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// No communication with the application.
    Init = 1,
    /// Mailbox.
    PreOp = 2,
    /// Mailbox for firmware only.
    Bootstrap = 3,
    /// Mailbox and inputs; outputs are in their safe state.
    SafeOp = 4,
    /// Everything.
    Op = 8,
}

/// AL status codes (ETG.1000.6, table 11).
pub(crate) mod code {
    pub(crate) const INVALID_STATE_CHANGE: u16 = 0x0011;
    pub(crate) const UNKNOWN_STATE: u16 = 0x0012;
    pub(crate) const NO_BOOTSTRAP: u16 = 0x0013;
    pub(crate) const MAILBOX_IN_BOOTSTRAP: u16 = 0x0015;
    pub(crate) const MAILBOX_IN_PREOP: u16 = 0x0016;
    pub(crate) const SYNC_MANAGERS: u16 = 0x0017;
    pub(crate) const WATCHDOG: u16 = 0x001B;
    pub(crate) const OUTPUTS: u16 = 0x001D;
    pub(crate) const INPUTS: u16 = 0x001E;
    pub(crate) const INPUT_MAPPING: u16 = 0x0024;
    pub(crate) const OUTPUT_MAPPING: u16 = 0x0025;
    pub(crate) const SYNC0_CYCLE: u16 = 0x0036;
}

impl State {
    pub(crate) fn of(request: u8) -> Option<Self> {
        [
            Self::Init,
            Self::PreOp,
            Self::Bootstrap,
            Self::SafeOp,
            Self::Op,
        ]
        .into_iter()
        .find(|state| *state as u8 == request)
    }

    /// Returns whether the standard has a transition from this state to `to`.
    pub(crate) fn may_become(self, to: Self) -> bool {
        use State::{Bootstrap, Init, Op, PreOp, SafeOp};
        match (self, to) {
            (Bootstrap, _) | (_, Bootstrap) => {
                self == to || matches!((self, to), (Bootstrap, Init) | (Init, Bootstrap))
            }
            (Init, PreOp) | (PreOp, SafeOp) | (SafeOp, Op) => true,
            _ => to <= self,
        }
    }

    /// Returns whether process data are exchanged in this state.
    pub(crate) fn has_process_data(self) -> bool {
        matches!(self, Self::SafeOp | Self::Op)
    }
}

pub(crate) struct StateMachine {
    pub(crate) state: State,
    pub(crate) is_error: bool,
    /// When the application takes up a request.
    pub(crate) due: Option<u64>,
}

impl StateMachine {
    pub(crate) const fn new() -> Self {
        Self {
            state: State::Init,
            is_error: false,
            due: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::State::{self, Bootstrap, Init, Op, PreOp, SafeOp};

    #[test]
    fn the_standards_transitions_and_no_others() {
        let states = [Init, PreOp, Bootstrap, SafeOp, Op];
        // ETG.1000.6, figure 17: IP, PI, IB, BI, PS, SP, SO, OS, OP, SI, OI, and each state to
        // itself.
        let legal = [
            (Init, PreOp),
            (PreOp, Init),
            (Init, Bootstrap),
            (Bootstrap, Init),
            (PreOp, SafeOp),
            (SafeOp, PreOp),
            (SafeOp, Op),
            (Op, SafeOp),
            (Op, PreOp),
            (SafeOp, Init),
            (Op, Init),
        ];
        for from in states {
            for to in states {
                let is_legal = from == to || legal.contains(&(from, to));
                assert_eq!(from.may_become(to), is_legal, "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn a_request_is_a_state_or_none() {
        assert_eq!(State::of(8), Some(Op));
        for unknown in [0, 5, 6, 7, 9, 15] {
            assert_eq!(State::of(unknown), None);
        }
    }
}
