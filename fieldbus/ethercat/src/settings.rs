//! Owns: a program's settings of its bus. Must never know: their use.

use core::time::Duration as Span;
use ethercrab::subdevice_group::DcConfiguration;
use ethercrab::{MainDeviceConfig, RetryBehaviour, Timeouts};
use taktos_kernel::Duration;

/// Settings of a program for its bus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// From one exchange of process data to the next; SYNC0's period, too.
    pub cycle: Duration,
    /// How long after its exchange SYNC0 makes the devices act: half a cycle by default.
    pub shift: Duration,
    /// How long a frame is waited for.
    pub patience: Duration,
    /// How long a device may take to change its state.
    pub transition: Duration,
    /// How many frames align the clocks of the segment before it starts.
    pub alignment: u32,
}

impl Settings {
    /// Returns the settings for a cycle: SYNC0 half a cycle after the exchange, 5 ms for a frame, 5
    /// s for a state, 1,000 frames of alignment.
    pub const fn new(cycle: Duration) -> Self {
        Self {
            cycle,
            shift: Duration::from_nanos(cycle.as_nanos() / 2),
            patience: Duration::from_millis(5),
            transition: Duration::from_secs(5),
            alignment: 1_000,
        }
    }

    /// Returns the time-outs; an operation of several frames gets time for several of them.
    pub(crate) fn timeouts(&self) -> Timeouts {
        let usual = Timeouts::default();
        let pdu = span(self.patience);
        let several = pdu * FRAMES;
        Timeouts {
            pdu,
            state_transition: span(self.transition),
            eeprom: usual.eeprom.max(several),
            mailbox_echo: usual.mailbox_echo.max(several),
            mailbox_response: usual.mailbox_response.max(several),
            ..usual
        }
    }

    pub(crate) const fn device(&self) -> MainDeviceConfig {
        MainDeviceConfig {
            dc_static_sync_iterations: self.alignment,
            retry_behaviour: RetryBehaviour::None,
        }
    }

    pub(crate) fn clocks(&self) -> DcConfiguration {
        DcConfiguration {
            start_delay: START,
            sync0_period: span(self.cycle),
            sync0_shift: span(self.shift),
        }
    }
}

/// The frames of a request to a device's EEPROM or mailbox, at least.
const FRAMES: u32 = 4;
/// How long after its request SYNC0 begins: enough to bring a segment to SAFE-OP.
const START: Span = Span::from_millis(10);

fn span(duration: Duration) -> Span {
    Span::from_nanos(duration.as_nanos())
}
