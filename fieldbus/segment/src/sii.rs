//! The interface to the SII, the device's EEPROM (datasheet, section II, registers 0x0500 to
//! 0x050F; ETG.1000.4, 6.4).
//!
//! Owns: commands, busy, ownership, refusals. Must never know: the contents of the EEPROM.
//!
//! Reads give eight bytes. Nothing is stored: a write is not acknowledged, as by an EEPROM that is
//! protected.

use crate::memory::Memory;
use crate::model::Model;
use crate::registers::{SII_ADDRESS, SII_CONFIGURATION, SII_CONTROL, SII_DATA};
use crate::sii_contents::read;

const WRITE_ENABLE: u16 = 1 << 0;
const EIGHT_BYTES: u16 = 1 << 6;
const COMMAND: u16 = 7 << 8;
const READ: u16 = 1 << 8;
const WRITE: u16 = 2 << 8;
const RELOAD: u16 = 4 << 8;
const NO_ACKNOWLEDGE: u16 = 1 << 13;
const NOT_ENABLED: u16 = 1 << 14;
const BUSY: u16 = 1 << 15;

pub(crate) struct Sii {
    /// The instant at which a command is done.
    busy_until: Option<u64>,
}

impl Sii {
    pub(crate) const fn new() -> Self {
        Self { busy_until: None }
    }

    pub(crate) fn power_on(&mut self, memory: &mut Memory) {
        self.busy_until = None;
        memory.put(SII_CONTROL, &EIGHT_BYTES.to_le_bytes());
    }

    /// The control register was written at the instant `now`.
    pub(crate) fn command(&mut self, model: &Model<'_>, now: u64, memory: &mut Memory) {
        let is_with_pdi = memory.byte(SII_CONFIGURATION) & 1 != 0;
        if is_with_pdi || self.busy_until.is_some_and(|until| now < until) {
            return;
        }
        let control = memory.word(SII_CONTROL);
        let errors = match control & COMMAND {
            0 | RELOAD => 0,
            READ => {
                let at = u64::from(memory.long(SII_ADDRESS)) * 2;
                memory.put(SII_DATA, &read(model, at));
                0
            }
            WRITE if control & WRITE_ENABLE == 0 => WRITE | NOT_ENABLED,
            other => other | NO_ACKNOWLEDGE,
        };
        let is_read = control & COMMAND == READ && model.delays.sii_ns != 0;
        self.busy_until = is_read.then(|| now + u64::from(model.delays.sii_ns));
        let busy = if is_read { BUSY | READ } else { 0 };
        memory.put(SII_CONTROL, &(EIGHT_BYTES | errors | busy).to_le_bytes());
    }

    /// The control register is about to be read.
    pub(crate) fn refresh(&mut self, now: u64, memory: &mut Memory) {
        if self.busy_until.is_some_and(|until| now >= until) {
            self.busy_until = None;
            memory.put(SII_CONTROL, &EIGHT_BYTES.to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard::DRIVE;

    fn send(control: u16, word: u32, now: u64, sii: &mut Sii, memory: &mut Memory) -> u16 {
        memory.put(SII_CONTROL, &control.to_le_bytes());
        memory.put(SII_ADDRESS, &word.to_le_bytes());
        sii.command(&DRIVE, now, memory);
        memory.word(SII_CONTROL)
    }

    #[test]
    fn a_read_is_busy_and_then_there() {
        let (mut sii, mut memory) = (Sii::new(), Memory::new());
        sii.power_on(&mut memory);
        assert_eq!(send(READ, 8, 100, &mut sii, &mut memory) & BUSY, BUSY);
        sii.refresh(101, &mut memory);
        assert_eq!(memory.word(SII_CONTROL) & BUSY, BUSY);
        sii.refresh(100 + u64::from(DRIVE.delays.sii_ns), &mut memory);
        assert_eq!(memory.word(SII_CONTROL), EIGHT_BYTES);
        assert_eq!(memory.long(SII_DATA), DRIVE.vendor);
        assert_eq!(memory.long(SII_DATA + 4), DRIVE.product);
    }

    #[test]
    fn a_write_is_refused_for_the_reason_it_has() {
        let (mut sii, mut memory) = (Sii::new(), Memory::new());
        assert_ne!(send(WRITE, 4, 0, &mut sii, &mut memory) & NOT_ENABLED, 0);
        let enabled = send(WRITE | WRITE_ENABLE, 4, 0, &mut sii, &mut memory);
        assert_eq!(enabled & (NOT_ENABLED | NO_ACKNOWLEDGE), NO_ACKNOWLEDGE);
        assert_eq!(send(0, 0, 0, &mut sii, &mut memory), EIGHT_BYTES);
    }

    #[test]
    fn what_belongs_to_the_pdi_is_not_touched() {
        let (mut sii, mut memory) = (Sii::new(), Memory::new());
        memory.set(SII_CONFIGURATION, 1);
        send(READ, 8, 0, &mut sii, &mut memory);
        assert_eq!(memory.long(SII_DATA), 0);
    }
}
