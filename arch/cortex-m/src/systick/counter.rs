//! Owns: the registers of `SysTick`. Armv7-M Architecture Reference Manual (DDI 0403), B3.3: it
//! counts down from the reload value. When it comes to zero, it sets a flag and its exception
//! pending, and begins again with the next tick. A write clears it, and then it begins again with
//! the next tick too. Must never know: time.

use super::time::{Counter, LEAST, moved};
use crate::interrupt::set_timer_priority;
use crate::mask::KERNEL_LEVEL;
use core::arch::naked_asm;
use cortex_m::peripheral::{SCB, SYST};

/// The control register, and from there the reload value and the value (B3.3.3 to B3.3.5).
const CONTROL: u32 = 0xE000_E010;
const RELOAD: usize = 4;
const VALUE: usize = 8;
/// Counts, raises its exception at zero, and counts cycles of the processor.
const RUN: u32 = 0b111;
const WRAPPED: u32 = 1 << 16;
/// It has 24 bits: the most ticks of a period.
pub const MOST: u32 = 1 << 24;

/// `SysTick`, as the one timer of a machine.
pub struct SystemCounter {
    longest: u32,
    loss: u32,
}

impl SystemCounter {
    /// A counter that does not count yet.
    pub const UNUSED: Self = Self {
        longest: MOST,
        loss: 0,
    };

    /// Begins to count, in periods of `longest` ticks. Its interrupt has the kernel's level from
    /// here on, and is masked.
    pub fn start(longest: u32) -> Self {
        let timer = timer();
        set_timer_priority(KERNEL_LEVEL);
        // SAFETY: the timer belongs to this module.
        unsafe {
            timer.rvr.write(longest - 1);
            timer.cvr.write(0);
            timer.csr.write(RUN);
        }
        // It may still be at zero, from which it leaves with the next tick.
        while timer.cvr.read() == 0 {}
        let loss = measured_loss(longest);
        // SAFETY: as above. The counter begins again: the measurement is no part of time.
        unsafe {
            timer.rvr.write(longest - 1);
            timer.cvr.write(0);
        }
        Self { longest, loss }
    }
}

fn timer() -> &'static cortex_m::peripheral::syst::RegisterBlock {
    // SAFETY: the address of the processor's own timer; its registers are read and written as
    // single words.
    unsafe { &*SYST::PTR }
}

impl Counter for SystemCounter {
    fn value(&self) -> u32 {
        timer().cvr.read()
    }

    fn has_wrapped(&self) -> bool {
        timer().csr.read() & WRAPPED != 0
    }

    fn shift(&self, change: i32) -> u32 {
        look_and_store(change, VALUE, self.longest - 1).first
    }

    fn loss(&self) -> u32 {
        self.loss
    }

    fn pend(&self) {
        SCB::set_pendst();
    }
}

/// Two readings of the value.
struct Looks {
    first: u32,
    second: u32,
}

/// Reads the value, and makes the counter begin again from that [`moved`] by `change`. Reads it
/// again when it has left zero, and makes the next period begin from `then`. That is with
/// `register` as [`VALUE`]; with [`RELOAD`] the counter keeps running, in the same time.
fn look_and_store(change: i32, register: usize, then: u32) -> Looks {
    let words = store_moved(change, register, then);
    Looks {
        first: words as u32,
        second: (words >> 32) as u32,
    }
}

/// From the first reading to the store the instructions are in one line of a memory that has lines
/// of 16 bytes or more, but on Armv6-M. A line is fetched as a whole, so they always take the same
/// time. The rest has [`LEAST`] ticks.
///
/// No other function of the port masks interrupts above the kernel's level, by `PRIMASK`. The time
/// of an interrupt between the reading and the store could not be determined afterwards. They are
/// masked for eleven instructions, on Armv6-M for sixteen, and three more for each further reading
/// of a counter that is still zero. It is zero for one tick.
#[unsafe(naked)]
extern "C" fn store_moved(change: i32, register: usize, then: u32) -> u64 {
    naked_asm!(
        "push {{r4-r6, lr}}",
        #[cfg(armv6m)]
        "ldr r5, =0xFFFFFF",
        "ldr r3, ={control}",
        "adds r1, r1, r3",
        "mrs r12, primask",
        ".p2align 4",
        "cpsid i",
        "ldr r4, [r3, #{value}]",
        "adds r0, r4, r0",
        #[cfg(not(armv6m))]
        "usat r0, #24, r0",
        // Zero for what is less, then that less the most, and zero for what is more.
        #[cfg(armv6m)]
        "asrs r6, r0, #31",
        #[cfg(armv6m)]
        "bics r0, r6",
        #[cfg(armv6m)]
        "subs r0, r0, r5",
        #[cfg(armv6m)]
        "asrs r6, r0, #31",
        #[cfg(armv6m)]
        "ands r0, r6",
        #[cfg(armv6m)]
        "adds r0, r0, r5",
        "adds r0, #{least}",
        "str r0, [r3, #{reload}]",
        "str r0, [r1]",
        "2:",
        "ldr r1, [r3, #{value}]",
        "cmp r1, #0",
        "beq 2b",
        "str r2, [r3, #{reload}]",
        "msr primask, r12",
        "mov r0, r4",
        "pop {{r4-r6, pc}}",
        ".ltorg",
        control = const CONTROL,
        value = const VALUE,
        reload = const RELOAD,
        least = const LEAST,
    )
}

/// Returns the ticks from the first reading until the counter begins again. The number depends on
/// the processor, so it is measured. More ticks are counted between both readings when the counter
/// keeps running than when it begins again in between: the number is the difference.
fn measured_loss(longest: u32) -> u32 {
    const CHANGE: i32 = -1000;
    let mut loss = u32::MAX;
    // The first time the instructions may still have to be fetched.
    for _ in 0..4 {
        let Looks { first, second } = look_and_store(CHANGE, RELOAD, longest - 1);
        let all = first - second;
        let Looks { first, second } = look_and_store(CHANGE, VALUE, longest - 1);
        let behind = moved(first, CHANGE) + 1 - second;
        loss = loss.min(all.saturating_sub(behind));
    }
    loss
}
