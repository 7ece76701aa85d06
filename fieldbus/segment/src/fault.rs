//! Faults that may occur in a segment.
//!
//! Owns: the kinds of faults. Must never know: the effects of a fault.

use crate::state::State;

/// A fault, which begins as it is injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// This number of next frames is lost on the way to the first device.
    LoseFrames(u32),
    /// The cable before a device is cut or unplugged: 0 is the one to the MainDevice, and the
    /// number of devices the one that closes a ring. Frames turn where they can; the watchdogs of
    /// devices after the cut expire.
    Cut {
        /// Which cable.
        before: usize,
    },
    /// The cable before a device is whole again.
    Mend {
        /// Which cable.
        before: usize,
    },
    /// A device leaves its state by itself and indicates an error.
    Leave {
        /// Which device, from 0 on.
        device: usize,
        /// The state that it goes to.
        to: State,
        /// The AL status code that it gives.
        code: u16,
    },
    /// A device's oscillator is off by `drift_ppb` from now on.
    Drift {
        /// Which device, from 0 on.
        device: usize,
        /// How much faster than true, in parts per billion.
        drift_ppb: i32,
    },
    /// A device loses its supply for a moment: it starts again, without a station address.
    Restart {
        /// Which device, from 0 on.
        device: usize,
    },
    /// A drive goes to its fault state.
    Drive {
        /// Which device, from 0 on.
        device: usize,
    },
}
