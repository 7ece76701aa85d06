//! Owns: the generic interrupt controller, versions 1 and 2 (Arm IHI 0048).
//! Must never know: what an interrupt is good for.

use crate::board::Board;
use core::ptr::{read_volatile, write_volatile};

const DISTRIBUTOR_CONTROL: usize = 0x000;
const SET_ENABLE: usize = 0x100;
const CLEAR_ENABLE: usize = 0x180;
const SET_PENDING: usize = 0x200;
const PRIORITY: usize = 0x400;
const TARGETS: usize = 0x800;
const SOFTWARE: usize = 0xF00;

const INTERFACE_CONTROL: usize = 0x00;
const PRIORITY_MASK: usize = 0x04;
const ACKNOWLEDGE: usize = 0x0C;
const END: usize = 0x10;

/// The one priority of all interrupts: they do not interrupt each other.
const KERNEL_PRIORITY: u8 = 0x80;
const LOWEST_PRIORITY: u32 = 0xFF;
/// The interrupts below are sent by software.
const SOFTWARE_INTERRUPTS: u32 = 16;
/// The bits of an acknowledgement that name the interrupt.
const NUMBER: u32 = 0x3FF;
/// Numbers from here on name no interrupt.
const SPURIOUS: u32 = 1020;

fn write(address: usize, value: u32) {
    // SAFETY: callers pass registers of the controller, which belongs to this module.
    unsafe { write_volatile(core::ptr::with_exposed_provenance_mut(address), value) }
}

fn write_byte(address: usize, value: u8) {
    // SAFETY: as for `write`; the registers of one byte an interrupt may be written so.
    unsafe { write_volatile(core::ptr::with_exposed_provenance_mut(address), value) }
}

fn read(address: usize) -> u32 {
    // SAFETY: as for `write`.
    unsafe { read_volatile(core::ptr::with_exposed_provenance(address)) }
}

fn word_and_bit(number: u32) -> (usize, u32) {
    (number as usize / 32 * 4, 1 << (number % 32))
}

/// Lets interrupts through to the processor.
pub(crate) fn start<B: Board>() {
    write(B::DISTRIBUTOR + DISTRIBUTOR_CONTROL, 1);
    write(B::PROCESSOR_INTERFACE + PRIORITY_MASK, LOWEST_PRIORITY);
    write(B::PROCESSOR_INTERFACE + INTERFACE_CONTROL, 1);
}

/// Lets the interrupt `number` through.
pub(crate) fn enable<B: Board>(number: u32) {
    write_byte(B::DISTRIBUTOR + PRIORITY + number as usize, KERNEL_PRIORITY);
    write_byte(B::DISTRIBUTOR + TARGETS + number as usize, 1);
    let (word, bit) = word_and_bit(number);
    write(B::DISTRIBUTOR + SET_ENABLE + word, bit);
}

/// Keeps the interrupt `number` from the processor.
pub(crate) fn disable<B: Board>(number: u32) {
    let (word, bit) = word_and_bit(number);
    write(B::DISTRIBUTOR + CLEAR_ENABLE + word, bit);
}

/// Makes the interrupt `number` pending.
#[inline(always)]
pub(crate) fn pend<B: Board>(number: u32) {
    if number < SOFTWARE_INTERRUPTS {
        const TO_THE_SENDER: u32 = 2 << 24;
        write(B::DISTRIBUTOR + SOFTWARE, TO_THE_SENDER | number);
    } else {
        let (word, bit) = word_and_bit(number);
        write(B::DISTRIBUTOR + SET_PENDING + word, bit);
    }
}

/// An interrupt in service: until it is ended, no other one is signalled.
pub(crate) struct Acknowledged(u32);

impl Acknowledged {
    /// Takes the most urgent pending interrupt into service.
    #[inline(always)]
    pub fn take<B: Board>() -> Self {
        Self(read(B::PROCESSOR_INTERFACE + ACKNOWLEDGE))
    }

    /// Whether there was none after all: then nothing is to be ended.
    #[inline(always)]
    pub fn is_spurious(&self) -> bool {
        self.0 & NUMBER >= SPURIOUS
    }

    /// Its number.
    #[inline(always)]
    pub fn number(&self) -> usize {
        (self.0 & NUMBER) as usize
    }

    /// Ends the service.
    #[inline(always)]
    pub fn end<B: Board>(self) {
        write(B::PROCESSOR_INTERFACE + END, self.0);
    }
}
