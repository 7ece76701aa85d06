//! Owns: the board's Ethernet controller: whole frames in and out. Must never know: their contents.
//!
//! Registers: SMSC LAN9118 data sheet, chapter 5; place and interrupt: AN386, tables 3-1 and 3-4.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use taktos_boards::registers::Register;
use taktos_kernel::Error;

const BASE: usize = 0x4020_0000;
const RECEIVED_DATA: Register = Register(BASE);
const SENT_DATA: Register = Register(BASE + 0x20);
const RECEIVED_STATUS: Register = Register(BASE + 0x40);
const SENT_STATUS: Register = Register(BASE + 0x48);
const INTERRUPT_SHAPE: Register = Register(BASE + 0x54);
const INTERRUPTS: Register = Register(BASE + 0x58);
const ENABLED: Register = Register(BASE + 0x5C);
const BYTE_TEST: Register = Register(BASE + 0x64);
const LEVELS: Register = Register(BASE + 0x68);
const SENDER: Register = Register(BASE + 0x70);
const HARDWARE: Register = Register(BASE + 0x74);
const RECEIVED_USED: Register = Register(BASE + 0x7C);
const SENT_FREE: Register = Register(BASE + 0x80);
const MAC_COMMAND: Register = Register(BASE + 0xA4);
const MAC_DATA: Register = Register(BASE + 0xA8);

/// The value of `BYTE_TEST`.
const IS_THERE: u32 = 0x8765_4321;
const RESET: u32 = 1;
/// Space for sent frames of 5 KiB, and the bit that must be set with it.
const SIZES: u32 = 5 << 16 | 1 << 20;
/// The interrupt line is driven, active high, and on.
const SHAPE: u32 = 1 | 1 << 4 | 1 << 8;
/// There are more received frames than the level, which is none.
const RECEIVED: u32 = 1 << 3;
const SENDS: u32 = 1 << 1;
const MAC_CONTROL: u32 = 1;
const MAC_HIGH: u32 = 2;
const MAC_LOW: u32 = 3;
/// Receives and sends, both at once.
const MAC_ON: u32 = 1 << 2 | 1 << 3 | 1 << 20;
const MAC_BUSY: u32 = 1 << 31;
/// A frame in one piece: the first and the last.
const WHOLE: u32 = 1 << 13 | 1 << 12;
const RECEIVE_ERROR: u32 = 1 << 15;
/// The frame's check sequence, which the controller counts and the caller does not get.
const CHECK: usize = 4;
/// Two words before each frame that is sent.
const COMMANDS: usize = 8;

/// The Ethernet controller of the board (LAN9118). One value has it.
pub struct Ethernet(());

static TAKEN: AtomicBool = AtomicBool::new(false);

impl Ethernet {
    /// The number of the controller's interrupt.
    pub const INTERRUPT: u32 = 13;
    /// The most bytes of a frame, without its check sequence.
    pub const LONGEST: usize = 1514;

    /// Starts the controller with this address, and with its interrupt for received frames. Errors:
    /// `State` if it was started before, or does not answer.
    pub fn start(address: [u8; 6]) -> Result<Self, Error> {
        if TAKEN.swap(true, Relaxed) {
            return Err(Error::State);
        }
        HARDWARE.write(RESET);
        if !HARDWARE.becomes(RESET, 0) || !BYTE_TEST.becomes(u32::MAX, IS_THERE) {
            return Err(Error::State);
        }
        HARDWARE.write(SIZES);
        let [a, b, c, d, e, f] = address;
        set_mac(MAC_LOW, u32::from_le_bytes([a, b, c, d]))?;
        set_mac(MAC_HIGH, u32::from_le_bytes([e, f, 0, 0]))?;
        LEVELS.write(0);
        INTERRUPT_SHAPE.write(SHAPE);
        ENABLED.write(RECEIVED);
        SENDER.write(SENDS);
        set_mac(MAC_CONTROL, MAC_ON)?;
        Ok(Self(()))
    }

    /// Ends the interrupt, for its handler: the next frame raises it again.
    pub fn acknowledge() {
        INTERRUPTS.write(RECEIVED);
    }

    /// Whether a frame was received. Bound: fixed.
    #[must_use]
    pub fn has_frame(&self) -> bool {
        RECEIVED_USED.read() >> 16 & 0xFF != 0
    }

    /// Takes the frame that was received first, and returns its length; none if there is none, or
    /// if it is damaged or longer than `frame`: then it is dropped. Bound: the frame's length.
    pub fn receive(&mut self, frame: &mut [u8]) -> Option<usize> {
        if !self.has_frame() {
            return None;
        }
        let status = RECEIVED_STATUS.read();
        let stored = (status >> 16 & 0x3FFF) as usize;
        let length = stored.saturating_sub(CHECK);
        for word in 0..stored.div_ceil(4) {
            let bytes = RECEIVED_DATA.read().to_le_bytes();
            for (at, byte) in bytes.into_iter().enumerate() {
                if let Some(place) = frame.get_mut(4 * word + at) {
                    *place = byte;
                }
            }
        }
        (status & RECEIVE_ERROR == 0 && length <= frame.len()).then_some(length)
    }

    /// Whether there is room for a frame to be sent. Bound: the frames that have been sent.
    pub fn has_room(&mut self) -> bool {
        // The results of frames that have been sent would fill their memory.
        for _ in 0..SENT_FREE.read() >> 16 & 0xFF {
            SENT_STATUS.read();
        }
        (SENT_FREE.read() & 0xFFFF) as usize >= COMMANDS + Self::LONGEST.next_multiple_of(4)
    }

    /// Sends a frame. Bound: its length. Errors: `Parameter` for an empty one and one that is too
    /// long; `WouldBlock` if there is no room.
    pub fn send(&mut self, frame: &[u8]) -> Result<(), Error> {
        if !(1..=Self::LONGEST).contains(&frame.len()) {
            return Err(Error::Parameter);
        }
        if !self.has_room() {
            return Err(Error::WouldBlock);
        }
        let length = frame.len() as u32;
        SENT_DATA.write(WHOLE | length);
        SENT_DATA.write(length << 16 | length);
        for bytes in frame.chunks(4) {
            let mut word = [0; 4];
            word[..bytes.len()].copy_from_slice(bytes);
            SENT_DATA.write(u32::from_le_bytes(word));
        }
        Ok(())
    }
}

/// Writes a register of the part of the controller that is behind `MAC_COMMAND`.
fn set_mac(register: u32, value: u32) -> Result<(), Error> {
    MAC_DATA.write(value);
    MAC_COMMAND.write(MAC_BUSY | register);
    MAC_COMMAND
        .becomes(MAC_BUSY, 0)
        .then_some(())
        .ok_or(Error::State)
}
