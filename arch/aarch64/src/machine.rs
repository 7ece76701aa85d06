//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
use crate::memory;
use crate::processors;
use crate::timer;
use core::marker::PhantomData;
use taktos_machine::{Machine, SliceSwitch};
use taktos_time::{Duration, Instant};

/// The machine: an Armv8-A processor at EL1 on a board.
pub struct AArch64<B>(PhantomData<B>);

impl<B: Board> AArch64<B> {
    /// Makes `handler` handle the interrupt `number`, below [`INTERRUPTS`](crate::INTERRUPTS), at
    /// the kernel's level, and lets it through. Interrupts 0 to 15 are those of
    /// [`AArch64::pend_interrupt`]; other numbers have no effect. Of several processors each gets
    /// its own interrupts below 32; 0 and 7 are the machine's there. With a controller of version 2
    /// the others let it through when they take the notification: as soon as their interrupts are
    /// not masked.
    pub fn set_handler(number: u32, handler: Handler) {
        interrupt::set_handler::<B>(number, handler);
    }

    /// Keeps the interrupt `number` from its handler.
    pub fn disable_interrupt(number: u32) {
        interrupt::disable::<B>(number);
    }

    /// Sends this processor the interrupt `number`, 0 to 15: one store to a register of the
    /// processor. Or makes that of a device pending, from 32: one store to the controller.
    /// Others have no effect.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        match number {
            0..interrupt::SOFTWARE => interrupt::pend::<B>(number),
            shared => interrupt::pend_shared::<B>(shared),
        }
    }
}

impl<B: Board> Machine for AArch64<B> {
    taktos_arch_common::machine_of_64_bits!(B);
    /// The frame of an interrupted thread (288 bytes), and room to work. Threads that use floating
    /// point need 560 bytes more.
    const SMALLEST_STACK: usize = 512;

    fn start() -> ! {
        memory::start::<B>();
        interrupt::start::<B>();
        timer::start::<B>();
        float::forbid();
        processors::start::<B>()
    }

    fn idle() {
        aarch64_cpu::asm::wfi();
    }

    #[inline(always)]
    fn now() -> Instant {
        timer::now()
    }

    fn span_of(ticks: u64) -> Duration {
        timer::span_of(ticks)
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        timer::set_alarm(at);
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        timer::set_slice::<B>(length, at_switch);
    }
}
