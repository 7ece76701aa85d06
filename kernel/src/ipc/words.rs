//! Owns: how a message to an equal travels in registers: beside its first word there is room for 64 bits,
//! where other decisions have their time-out.

use crate::System;
use crate::critical_section::CriticalSection;
use crate::thread::tcb::ThreadRef;
use taktos_abi::Timeout;

/// What goes with a message's first word.
pub(super) struct Words {
    pub second: usize,
    pub sender: ThreadRef,
}

/// Both fit: the sender's address needs not be loaded again.
#[cfg(target_pointer_width = "32")]
impl Words {
    #[inline(always)]
    pub fn pack(self, _: CriticalSection<'_>) -> Timeout {
        Timeout::from_bits((self.sender.address() as u64) << 32 | self.second as u64)
    }

    #[inline(always)]
    #[expect(
        clippy::extra_unused_type_parameters,
        reason = "the same form for all widths"
    )]
    pub fn unpack<S: System>(_: CriticalSection<'_>, words: Timeout) -> Self {
        let [second, sender] = [words.bits() as usize, (words.bits() >> 32) as usize];
        Self {
            second,
            sender: crate::wait::thread(sender),
        }
    }
}

/// Only one of two wide words fits: the second word of the message goes by the sender's control block.
#[cfg(not(target_pointer_width = "32"))]
impl Words {
    pub fn pack(self, cs: CriticalSection<'_>) -> Timeout {
        self.sender.argument.set(cs, self.second);
        Timeout::NONE
    }

    pub fn unpack<S: System>(cs: CriticalSection<'_>, _: Timeout) -> Self {
        let sender = crate::Kernel::<S>::running().current(cs);
        Self {
            second: sender.argument.get(cs),
            sender,
        }
    }
}
