//! Owns: how the hypervisor reaches a channel's memory. Must never know: what it holds.

use crate::hardware::Hardware;
use core::marker::PhantomData;
use taktos_abi::vm::Channel;
use taktos_abi::vm::ring::Memory;

/// The memory of a channel.
pub(super) struct Physical<H> {
    at: u64,
    hardware: PhantomData<fn() -> H>,
}

impl<H: Hardware> Physical<H> {
    pub fn of(channel: &Channel) -> Self {
        Self {
            at: channel.memory,
            hardware: PhantomData,
        }
    }
}

impl<H: Hardware> Memory for Physical<H> {
    fn word(&self, at: u32) -> u32 {
        H::read_word(self.at + u64::from(at))
    }

    fn set_word(&self, at: u32, value: u32) {
        H::write_word(self.at + u64::from(at), value);
    }

    fn read(&self, at: u32, to: &mut [u8]) {
        for (place, byte) in (self.at + u64::from(at)..).zip(to) {
            *byte = H::read_byte(place);
        }
    }

    fn write(&self, at: u32, from: &[u8]) {
        for (place, &byte) in (self.at + u64::from(at)..).zip(from) {
            H::write_byte(place, byte);
        }
    }
}
