//! The two ports of a device: links, loops, and how the DL status shows them (registers 0x0100,
//! 0x0110, 0x0310).
//!
//! Owns: the turning point of a frame at this device. Must never know: the neighbours.

use crate::memory::Memory;
use crate::registers::{DL_CONTROL, DL_STATUS, LOST_LINK};

/// Towards the MainDevice, and away from it.
pub(crate) const UPSTREAM: usize = 0;
pub(crate) const DOWNSTREAM: usize = 1;

/// PDI operational: the SII is loaded; and the watchdog of the PDI has not expired.
const PDI: u16 = 0x0003;
/// Loops of ports 2 and 3, which these devices do not have, are closed.
const NO_PORTS: u16 = 1 << 12 | 1 << 14;

/// Setting of a port by the MainDevice (register 0x0100, bits 8 to 15).
const AUTO_CLOSE: u32 = 1;
const OPEN: u32 = 2;
const CLOSED: u32 = 3;

pub(crate) struct Ports {
    links: [bool; 2],
    /// "Auto close": a loop that closed because its link was lost stays closed until the
    /// MainDevice writes.
    held: [bool; 2],
}

impl Ports {
    pub(crate) const fn new() -> Self {
        Self {
            links: [false; 2],
            held: [false; 2],
        }
    }

    /// A cable was plugged or cut.
    pub(crate) fn set_link(&mut self, port: usize, link: bool, memory: &mut Memory) {
        if self.links[port] && !link {
            let lost = memory.byte(LOST_LINK + port);
            memory.set(LOST_LINK + port, lost.saturating_add(1));
        }
        self.links[port] = link;
        if !link && setting(port, memory) == AUTO_CLOSE {
            self.held[port] = true;
        }
        self.show(memory);
    }

    /// The DL control was written.
    pub(crate) fn configure(&mut self, memory: &mut Memory) {
        for port in [UPSTREAM, DOWNSTREAM] {
            self.held[port] = setting(port, memory) == AUTO_CLOSE && !self.links[port];
        }
        self.show(memory);
    }

    /// Returns whether a cable is there.
    pub(crate) fn has_link(&self, port: usize) -> bool {
        self.links[port]
    }

    /// Returns whether frames leave by this port; if they do not, they turn.
    pub(crate) fn is_open(&self, port: usize, memory: &Memory) -> bool {
        match setting(port, memory) {
            OPEN => true,
            CLOSED => false,
            _ => self.links[port] && !self.held[port],
        }
    }

    pub(crate) fn show(&self, memory: &mut Memory) {
        let mut status = PDI | NO_PORTS;
        for port in [UPSTREAM, DOWNSTREAM] {
            let is_open = self.is_open(port, memory);
            status |= u16::from(self.links[port]) << (4 + port);
            status |= u16::from(!is_open) << (8 + 2 * port);
            status |= u16::from(is_open && self.links[port]) << (9 + 2 * port);
        }
        memory.put(DL_STATUS, &status.to_le_bytes());
    }
}

fn setting(port: usize, memory: &Memory) -> u32 {
    memory.long(DL_CONTROL) >> (8 + 2 * port) & 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_shows_links_and_loops() {
        let (mut ports, mut memory) = (Ports::new(), Memory::new());
        ports.set_link(UPSTREAM, true, &mut memory);
        assert_eq!(memory.word(DL_STATUS), 0x5003 | 0x10 | 0x200 | 0x400);
        ports.set_link(DOWNSTREAM, true, &mut memory);
        assert_eq!(memory.word(DL_STATUS), 0x5003 | 0x30 | 0x200 | 0x800);
        ports.set_link(DOWNSTREAM, false, &mut memory);
        assert_eq!(memory.byte(LOST_LINK + DOWNSTREAM), 1);
        assert!(!ports.is_open(DOWNSTREAM, &memory));
    }

    #[test]
    fn the_main_device_may_close_and_hold_a_loop() {
        let (mut ports, mut memory) = (Ports::new(), Memory::new());
        ports.set_link(DOWNSTREAM, true, &mut memory);
        memory.put(DL_CONTROL, &(CLOSED << 10).to_le_bytes());
        ports.configure(&mut memory);
        assert!(!ports.is_open(DOWNSTREAM, &memory));
        memory.put(DL_CONTROL, &(AUTO_CLOSE << 10).to_le_bytes());
        ports.configure(&mut memory);
        assert!(ports.is_open(DOWNSTREAM, &memory));
        ports.set_link(DOWNSTREAM, false, &mut memory);
        ports.set_link(DOWNSTREAM, true, &mut memory);
        assert!(!ports.is_open(DOWNSTREAM, &memory), "held");
        ports.configure(&mut memory);
        assert!(ports.is_open(DOWNSTREAM, &memory));
    }
}
