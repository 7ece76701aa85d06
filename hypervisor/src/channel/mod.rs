//! Owns: the hypervisor's side of channels. Under way: ends that look like a PL011 are there and silent.
//! Must never know: what the bytes mean.

use crate::hardware::Hardware;
use taktos_abi::vm::Channel;

/// The emulated ends of one channel.
#[derive(Default)]
pub struct Link;

impl Link {
    /// Both ends after a reset.
    pub const fn new() -> Self {
        Self
    }

    /// A guest's access to the PL011 of end `end`: what is read, and whether the other end is to be rung.
    pub fn access<H: Hardware>(
        &mut self,
        _channel: &Channel,
        _end: usize,
        _offset: u64,
        _bytes: u64,
        _write: Option<u64>,
    ) -> (u64, bool) {
        (0, false)
    }

    /// The other end rang.
    pub fn rung<H: Hardware>(&mut self, _channel: &Channel, _end: usize) {}

    /// The level of the interrupt of end `end`.
    pub fn interrupt(&self, _end: usize) -> bool {
        false
    }

    /// The partition of end `end` starts anew.
    pub fn reset(&mut self, _end: usize) {}
}

/// Makes the rings of a channel empty.
pub fn prepare<H: Hardware>(_channel: &Channel) {}
