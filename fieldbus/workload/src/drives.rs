//! Owns: the outputs for a drive of the experiment's segment in each cycle: the way to operation,
//! and a profile of positions. Must never know: the time of a cycle, or the transport of data.
//!
//! Process data of such a drive are a control word and a target position, a status word and a
//! position (CiA 402-2; objects 0x6040, 0x607A, 0x6041, 0x6064).

use core::fmt;

/// The bytes of a drive's outputs, and of its inputs.
pub const BYTES: usize = 6;

/// Inputs of a drive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feedback {
    status: u16,
    position: i32,
}

impl Feedback {
    /// Reads these inputs, if they are a drive's.
    pub fn read(inputs: &[u8]) -> Option<Self> {
        let (status, rest) = inputs.split_first_chunk::<2>()?;
        let position: [u8; 4] = rest.try_into().ok()?;
        Some(Self {
            status: u16::from_le_bytes(*status),
            position: i32::from_le_bytes(position),
        })
    }

    /// The outputs of cycle `number`: one state nearer to operation, and the profile.
    pub fn follow(self, number: u32, outputs: &mut [u8]) {
        let outputs = outputs.split_first_chunk_mut::<2>();
        if let Some((word, target)) = outputs
            && let Ok(target) = <&mut [u8; 4]>::try_from(target)
        {
            *word = control(self.status).to_le_bytes();
            *target = profile(number).to_le_bytes();
        }
    }
}

/// Number of places on the line that shows a drive's position.
const PLACES: i32 = 40;

impl fmt::Display for Feedback {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.status & STATE {
            ENABLED => "operation enabled",
            _ => "not enabled yet",
        };
        write!(out, "{state}, position {:>6} |", self.position)?;
        let place = self.position.clamp(0, TOP) / (TOP / PLACES);
        for other in 0..=PLACES {
            out.write_str(if other == place { "#" } else { "." })?;
        }
        out.write_str("|")
    }
}

/// The states in a status word, and what some of them are.
const STATE: u16 = 0x6F;
const READY: u16 = 0x21;
const SWITCHED_ON: u16 = 0x23;
const ENABLED: u16 = 0x27;
const FAULT: u16 = 0x08;

/// The control word that brings a drive of this status word one state nearer to operation (CiA
/// 402-2, 6.2 to 6.4).
const fn control(status: u16) -> u16 {
    match status & STATE {
        // Switch on.
        READY => 0x07,
        // Enable operation.
        SWITCHED_ON | ENABLED => 0x0F,
        // Reset the fault.
        fault if fault & FAULT != 0 => 0x80,
        // Shut down, which ends "switch on disabled".
        _ => 0x06,
    }
}

/// How far the target moves in a cycle, and where it turns.
const STEP: i32 = 10;
const TOP: i32 = 20_000;

/// The target of cycle `number`: up and down between zero and the top.
const fn profile(number: u32) -> i32 {
    const HALF: i32 = TOP / STEP;
    let place = (number % (2 * HALF as u32)) as i32;
    match place < HALF {
        true => place * STEP,
        false => (2 * HALF - place) * STEP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn a_drive_is_enabled_state_by_state() {
        for (status, word) in [
            (0x0250, 0x06),
            (0x0231, 0x07),
            (0x0233, 0x0F),
            (0x0237, 0x0F),
            (0x0218, 0x80),
        ] {
            assert_eq!(control(status), word, "{status:#06x}");
        }
    }

    #[test]
    fn the_profile_goes_up_and_down() {
        let places = [0, 1, 1_999, 2_000, 2_001, 3_999, 4_000].map(profile);
        assert_eq!(places, [0, 10, 19_990, 20_000, 19_990, 10, 0]);
    }

    #[test]
    fn outputs_and_inputs_are_a_drives() {
        let feedback = Feedback::read(&[0x37, 0x02, 0x10, 0x27, 0, 0]).unwrap();
        let mut outputs = [0; BYTES];
        feedback.follow(2, &mut outputs);
        assert_eq!(outputs, [0x0F, 0, 20, 0, 0, 0]);
        let shown = feedback.to_string();
        assert!(
            shown.starts_with("operation enabled, position  10000 |..."),
            "{shown}"
        );
        assert_eq!(shown.matches('#').count(), 1);
        assert_eq!(Feedback::read(&[1, 2, 3]), None);
    }
}
