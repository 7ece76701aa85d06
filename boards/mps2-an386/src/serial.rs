//! Owns: the board's UARTs for a program's own lines; the kernel's driver makes devices of them.
//! Must never know: the data on the lines. The first UART is not here: it is the console of users
//! without a debugger.
//!
//! Registers: Arm Cortex-M System Design Kit TRM (DDI 0479), section 4.4; places and interrupts:
//! AN386, tables 3-1 and 3-4.

use taktos_arch_cortex_m::pend_interrupt;
use taktos_boards::registers::{load, store};
use taktos_kernel::{Error, UartPort};

const DATA: usize = 0x00;
const STATE: usize = 0x04;
const CONTROL: usize = 0x08;
const CLEAR: usize = 0x0C;
const DIVISOR: usize = 0x10;

const CANNOT_SEND: u32 = 1 << 0;
const HAS_RECEIVED: u32 = 1 << 1;
/// Both directions, with an interrupt for received bytes.
const ON: u32 = 0b1011;
const ROOM_INTERRUPT: u32 = 1 << 2;
/// Pending bits in `CLEAR`, one for each direction.
const OF_ROOM: u32 = 1 << 0;
const OF_RECEIVED: u32 = 1 << 1;

/// The rate from which the divisor makes the line's rate.
const CLOCK_HZ: usize = 25_000_000;
/// The least and the largest divisor (section 4.4.3).
const DIVISORS: core::ops::RangeInclusive<usize> = 16..=0xF_FFFF;
const USUAL_SPEED: usize = 115_200;

/// A UART of the board (CMSDK), with space for one byte each way: a port of `taktos::Uart`. The
/// handlers of both interrupts call the `handle` of the `Uart`. Eight bits, no parity, one stop
/// bit, 115,200 bits a second from each opening on, until [`Serial::SPEED`] sets another speed.
pub struct Serial {
    base: usize,
    first_interrupt: u16,
}

impl Serial {
    /// The request for a speed: the argument is in bits a second, from 24 to 1,562,500. Error:
    /// `Parameter` for another argument.
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

    /// Returns the number of the interrupt that comes for a received byte.
    #[must_use]
    pub const fn received(&self) -> u32 {
        self.first_interrupt as u32
    }

    /// Returns the number of the interrupt that comes when there is space to send.
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
        // Before the status is read: a byte that comes after that makes its interrupt pending
        // again.
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
        // A handler that comes once more after the line has stopped turns nothing on.
        let control = self.load(CONTROL);
        self.store(CLEAR, OF_ROOM);
        if !wanted {
            self.store(CONTROL, control & !ROOM_INTERRUPT);
            return;
        }
        self.store(CONTROL, control | ROOM_INTERRUPT);
        // The device reports that space becomes free, not that space is free.
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
