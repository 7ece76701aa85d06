//! Owns: the board's UARTs for a program's own lines, of which the kernel's driver makes devices.
//! Must never know: what goes over them. The first UART is not here: it is the console of those who have no debugger.
//!
//! Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), section 4.4; places and interrupts: AN386, tables 3-1 and 3-4.

use crate::registers::{load, store};
use taktos_arch_cortex_m::pend_interrupt;
use taktos_kernel::{Error, UartPort};

const DATA: usize = 0x00;
const STATE: usize = 0x04;
const CONTROL: usize = 0x08;
const CLEAR: usize = 0x0C;
const DIVISOR: usize = 0x10;

const CANNOT_SEND: u32 = 1 << 0;
const HAS_RECEIVED: u32 = 1 << 1;
/// Both ways, with an interrupt for what is received.
const ON: u32 = 0b1011;
const ROOM_INTERRUPT: u32 = 1 << 2;
/// What is pending of a way, in `CLEAR`.
const OF_ROOM: u32 = 1 << 0;
const OF_RECEIVED: u32 = 1 << 1;

/// The rate of which the divisor makes the line's.
const CLOCK_HZ: usize = 25_000_000;
/// The least and the largest divisor (section 4.4.3).
const DIVISORS: core::ops::RangeInclusive<usize> = 16..=0xF_FFFF;
const USUAL_SPEED: usize = 115_200;

/// A UART of the board's (CMSDK), with one byte of room each way: a port of `taktos::Uart`, whose `handle` is called by the handlers of
/// both interrupts. Eight bits, no parity, one stop bit, 115,200 bits a second from each opening on, until [`Serial::SPEED`] says another
/// speed.
pub struct Serial {
    base: usize,
    first_interrupt: u16,
}

impl Serial {
    /// The request for a speed: the argument is in bits a second, from 24 to 1,562,500. Error: `Parameter` for another one.
    pub const SPEED: u32 = 0;

    /// UART1, on the expansion header.
    pub const ONE: Self = Self {
        base: 0x4000_5000,
        first_interrupt: 2,
    };
    /// UART2, on the connector of the display.
    pub const TWO: Self = Self {
        base: 0x4000_6000,
        first_interrupt: 4,
    };

    /// The interrupt that comes for a byte.
    #[must_use]
    pub const fn received(&self) -> u32 {
        self.first_interrupt as u32
    }

    /// The one that comes for room.
    #[must_use]
    pub const fn room(&self) -> u32 {
        self.received() + 1
    }

    fn load(&self, register: usize) -> u32 {
        load(self.base + register)
    }

    fn store(&self, register: usize, value: u32) {
        store(self.base + register, value);
    }

    fn set_speed(&self, bits: usize) -> Result<usize, Error> {
        let divisor = CLOCK_HZ.checked_div(bits).ok_or(Error::Parameter)?;
        if !DIVISORS.contains(&divisor) {
            return Err(Error::Parameter);
        }
        self.store(DIVISOR, divisor as u32);
        Ok(CLOCK_HZ / divisor)
    }
}

impl UartPort for Serial {
    fn start(&self) {
        self.store(DIVISOR, const { (CLOCK_HZ / USUAL_SPEED) as u32 });
        self.store(CLEAR, OF_ROOM | OF_RECEIVED);
        self.store(CONTROL, ON);
    }

    fn stop(&self) {
        self.store(CONTROL, 0);
        self.store(CLEAR, OF_ROOM | OF_RECEIVED);
    }

    fn receive(&self) -> Option<u8> {
        // Before the look: a byte that comes behind it makes its interrupt pending again.
        self.store(CLEAR, OF_RECEIVED);
        (self.load(STATE) & HAS_RECEIVED != 0).then(|| self.load(DATA) as u8)
    }

    fn has_room(&self) -> bool {
        self.load(STATE) & CANNOT_SEND == 0
    }

    fn send(&self, byte: u8) {
        self.store(DATA, byte.into());
    }

    fn want_room(&self, wanted: bool) {
        // A handler that comes once more when the line has stopped turns nothing on.
        let control = self.load(CONTROL);
        self.store(CLEAR, OF_ROOM);
        if !wanted {
            self.store(CONTROL, control & !ROOM_INTERRUPT);
            return;
        }
        self.store(CONTROL, control | ROOM_INTERRUPT);
        // The device tells when room comes, not that there is some.
        if self.has_room() {
            pend_interrupt(self.room() as u16);
        }
    }

    fn control(&self, request: u32, argument: usize) -> Result<usize, Error> {
        match request {
            Self::SPEED => self.set_speed(argument),
            _ => Err(Error::Parameter),
        }
    }
}
