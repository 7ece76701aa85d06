//! The generic interrupt controller, versions 1 and 2 (Arm IHI 0048), for the architectures that
//! have boards with one.
//!
//! Owns: the controller's registers. Must never know: the purpose of an interrupt, its handler.
//!
//! One view of them is enough: where the controller knows two states of security, the firmware has
//! given interrupts to the non-secure one (group 1), and the bits named here mean the same there as
//! on a controller that knows none.
#![no_std]
#![expect(unsafe_code, reason = "the registers of a device")]

use core::ptr::{
    read_volatile, with_exposed_provenance, with_exposed_provenance_mut, write_volatile,
};

const DISTRIBUTOR_CONTROL: usize = 0x000;
const KIND: usize = 0x004;
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
/// The interrupts below are each processor's own.
const PRIVATE_INTERRUPTS: usize = 32;
/// The bits of an acknowledgement that name the interrupt.
const NUMBER: u32 = 0x3FF;
/// Numbers from here on name no interrupt.
const SPURIOUS: u32 = 1020;

/// An interrupt controller: its distributor, and the processor interface of the calling processor.
/// It is no state, just where that is.
#[derive(Clone, Copy)]
pub struct Controller {
    distributor: usize,
    interface: usize,
}

impl Controller {
    /// Returns the controller that has its registers at these addresses.
    ///
    /// # Safety
    /// The addresses are those of a controller, mapped as device memory where the value is used,
    /// and belong to the caller.
    #[inline(always)]
    #[must_use]
    pub const unsafe fn new(distributor: usize, interface: usize) -> Self {
        Self {
            distributor,
            interface,
        }
    }

    /// Lets interrupts through to the processor that calls. Bound: three stores.
    pub fn start(self) {
        self.set(DISTRIBUTOR_CONTROL, 1);
        self.start_another();
    }

    /// Lets interrupts through to the calling processor if it is not the first. Bound: two stores.
    pub fn start_another(self) {
        self.set_own(PRIORITY_MASK, LOWEST_PRIORITY);
        self.set_own(INTERFACE_CONTROL, 1);
    }

    /// Gives the interrupts of the calling processor, those below 32, the one priority, and lets
    /// through those with a bit that is set. Each processor has registers of its own for them,
    /// which no other one reaches. Bound: 34 stores.
    pub fn set_private(self, enabled: u32) {
        for number in 0..PRIVATE_INTERRUPTS {
            self.set_byte(PRIORITY + number, KERNEL_PRIORITY);
        }
        self.set(CLEAR_ENABLE, !enabled);
        self.set(SET_ENABLE, enabled);
    }

    /// The processor that calls, as the controller counts processors, as a bit; on a controller
    /// with one processor none. Bound: one load.
    #[must_use]
    pub fn own_bit(self) -> u32 {
        const LOWEST: u32 = 0xFF;
        // Each of the four bytes says the same for an interrupt of software's.
        self.get(TARGETS) & LOWEST
    }

    /// How many interrupts the controller may have: numbers from here on name none. Bound: one
    /// load.
    #[must_use]
    pub fn interrupts(self) -> u32 {
        const LINES: u32 = 0x1F;
        ((self.get(KIND) & LINES) + 1) * 32
    }

    /// Lets the interrupt `number` through, to the first processor if it is a device's. Bound:
    /// three stores.
    pub fn enable(self, number: u32) {
        self.set_byte(PRIORITY + number as usize, KERNEL_PRIORITY);
        self.set_byte(TARGETS + number as usize, 1);
        let (word, bit) = word_and_bit(number);
        self.set(SET_ENABLE + word, bit);
    }

    /// Keeps the interrupt `number` from the processor. Those of software may come nevertheless.
    /// Bound: one store.
    pub fn disable(self, number: u32) {
        let (word, bit) = word_and_bit(number);
        self.set(CLEAR_ENABLE + word, bit);
    }

    /// Makes the interrupt `number` pending; one of software's, for the processor that calls.
    /// Bound: one store.
    #[inline(always)]
    pub fn pend(self, number: u32) {
        if number < SOFTWARE_INTERRUPTS {
            const TO_THE_SENDER: u32 = 2 << 24;
            self.set(SOFTWARE, TO_THE_SENDER | number);
        } else {
            let (word, bit) = word_and_bit(number);
            self.set(SET_PENDING + word, bit);
        }
    }

    /// Sends the processor `to`, below 8, as the controller counts them, the interrupt `number`,
    /// below 16. Bound: one store.
    #[inline(always)]
    pub fn send_to(self, number: u32, to: usize) {
        self.set(SOFTWARE, 1 << (16 + to) | number);
    }

    /// Sends the interrupt `number`, below 16, to all processors but the one that calls. Bound: one
    /// store.
    #[inline(always)]
    pub fn send_to_others(self, number: u32) {
        const TO_THE_OTHERS: u32 = 1 << 24;
        self.set(SOFTWARE, TO_THE_OTHERS | number);
    }

    /// Takes the most urgent pending interrupt into service: until that is ended, no other one is
    /// signalled. `None`: there was none after all. Bound: one load.
    #[inline(always)]
    #[must_use]
    pub fn acknowledge(self) -> Option<Acknowledged> {
        // SAFETY: a register of the controller, by the requirement of `new`. A read takes the
        // interrupt, which the return value reports.
        let taken: u32 =
            unsafe { read_volatile(with_exposed_provenance(self.interface + ACKNOWLEDGE)) };
        (taken & NUMBER < SPURIOUS).then_some(Acknowledged(taken))
    }

    /// Ends the service of an interrupt. Bound: one store.
    #[inline(always)]
    pub fn end(self, interrupt: Acknowledged) {
        self.set_own(END, interrupt.0);
    }

    fn get(self, register: usize) -> u32 {
        // SAFETY: a register of the distributor, by the requirement of `new`, and one of those that
        // a read does not change.
        unsafe { read_volatile(with_exposed_provenance(self.distributor + register)) }
    }

    #[inline(always)]
    fn set(self, register: usize, value: u32) {
        // SAFETY: a register of the distributor, by the contract of `new`.
        unsafe {
            write_volatile(
                with_exposed_provenance_mut(self.distributor + register),
                value,
            )
        }
    }

    /// Sets a register that has one byte for each interrupt, and may be written so.
    fn set_byte(self, register: usize, value: u8) {
        // SAFETY: as for `set`.
        unsafe {
            write_volatile(
                with_exposed_provenance_mut(self.distributor + register),
                value,
            )
        }
    }

    #[inline(always)]
    fn set_own(self, register: usize, value: u32) {
        // SAFETY: a register of the processor interface, by the contract of `new`.
        unsafe {
            write_volatile(
                with_exposed_provenance_mut(self.interface + register),
                value,
            )
        }
    }
}

fn word_and_bit(number: u32) -> (usize, u32) {
    (number as usize / 32 * 4, 1 << (number % 32))
}

/// An interrupt in service.
pub struct Acknowledged(u32);

impl Acknowledged {
    /// Its number, below 1,020.
    #[inline(always)]
    #[must_use]
    pub fn number(&self) -> usize {
        (self.0 & NUMBER) as usize
    }
}
