//! Counts of a device, from which the MainDevice can be evaluated.
//!
//! Owns: the counts. Must never know: their causes.

/// Counts since the device was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Frames that this device has processed.
    pub frames: u64,
    /// Times that outputs were written completely.
    pub outputs: u64,
    /// SYNC0 events.
    pub sync0: u64,
    /// SYNC1 events.
    pub sync1: u64,
    /// SYNC0 events in OP for which no outputs had come since the one before.
    pub sync0_without_new_outputs: u64,
    /// Times that the watchdog of process data expired in OP.
    pub watchdog: u64,
    /// Times that the device indicated an error in its AL status.
    pub al_errors: u64,
    /// The shortest time between outputs in OP, ns; `u64::MAX` while there is none.
    pub min_interval_ns: u64,
    /// The longest time between outputs in OP, ns.
    pub max_interval_ns: u64,
    /// The last difference of the system time to the reference clock's, ns.
    pub last_difference_ns: i64,
    /// The largest such difference in OP, without its sign, ns.
    pub max_difference_ns: u64,
    last_outputs: Option<u64>,
}

impl Statistics {
    pub(crate) const NONE: Self = Self {
        frames: 0,
        outputs: 0,
        sync0: 0,
        sync1: 0,
        sync0_without_new_outputs: 0,
        watchdog: 0,
        al_errors: 0,
        min_interval_ns: u64::MAX,
        max_interval_ns: 0,
        last_difference_ns: 0,
        max_difference_ns: 0,
        last_outputs: None,
    };

    /// Outputs have come at the instant `now`.
    pub(crate) fn outputs(&mut self, now: u64, operational: bool) {
        self.outputs += 1;
        if !operational {
            self.last_outputs = None;
            return;
        }
        if let Some(last) = self.last_outputs.replace(now) {
            let interval = now.saturating_sub(last);
            self.min_interval_ns = self.min_interval_ns.min(interval);
            self.max_interval_ns = self.max_interval_ns.max(interval);
        }
    }

    /// The clock's difference to the reference was seen.
    pub(crate) fn difference(&mut self, difference: i64, operational: bool) {
        self.last_difference_ns = difference;
        if operational {
            self.max_difference_ns = self.max_difference_ns.max(difference.unsigned_abs());
        }
    }

    /// The device has left OP: what comes after it comes back is another series.
    pub(crate) fn interrupted(&mut self) {
        self.last_outputs = None;
    }
}
