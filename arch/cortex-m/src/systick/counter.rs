//! Owns: the registers of `SysTick`. Armv7-M Architecture Reference Manual (DDI 0403), B3.3: it counts down from the reload value, sets
//! a flag and its exception pending where it comes to zero, and begins anew with the next tick; a write clears it, and then it begins
//! anew with the next tick too.
//! Must never know: time.

use super::time::{Counter, LEAST, moved};
use crate::interrupt::{KERNEL_LEVEL, set_timer_priority};
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

    /// Begins to count, in periods of `longest` ticks. Its interrupt has the kernel's level from here on, and is masked.
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
        // SAFETY: as above. Begins anew: the measurement is no part of time.
        unsafe {
            timer.rvr.write(longest - 1);
            timer.cvr.write(0);
        }
        Self { longest, loss }
    }
}

fn timer() -> &'static cortex_m::peripheral::syst::RegisterBlock {
    // SAFETY: the address of the processor's own timer; its registers are read and written as single words.
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

/// Two looks at the value.
struct Looks {
    first: u32,
    second: u32,
}

/// Looks at the value, has the counter begin anew from that [`moved`] by `change`, looks again when it has left zero, and has the period
/// behind that begin from `then`. That is with `register` as [`VALUE`]; with [`RELOAD`] it goes on, in the same time.
fn look_and_store(change: i32, register: usize, then: u32) -> Looks {
    let words = store_moved(change, register, then);
    Looks {
        first: words as u32,
        second: (words >> 32) as u32,
    }
}

/// From the first look to the store they are one line of a memory that has lines of 16 bytes or more, which is fetched as a whole: so it
/// always takes as long. The rest has [`LEAST`] ticks.
///
/// No other function of the port masks interrupts above the kernel's level, by `PRIMASK`: nothing can tell afterwards how long one took
/// that came between the look and the store. They are masked for eleven instructions, and three more for each further look at a
/// counter that is still zero, which it is for one tick.
#[unsafe(naked)]
extern "C" fn store_moved(change: i32, register: usize, then: u32) -> u64 {
    naked_asm!(
        "push {{r4, lr}}",
        "ldr r3, ={control}",
        "adds r1, r1, r3",
        "mrs r12, primask",
        ".p2align 4",
        "cpsid i",
        "ldr r4, [r3, #{value}]",
        "adds r0, r4, r0",
        "usat r0, #24, r0",
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
        "pop {{r4, pc}}",
        ".ltorg",
        control = const CONTROL,
        value = const VALUE,
        reload = const RELOAD,
        least = const LEAST,
    )
}

/// The ticks between the first look and where the counter begins anew. How many they are is the processor's to say: between both looks
/// it counts so many when it goes on, and so many less when it begins anew in between.
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
