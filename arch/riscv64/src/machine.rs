//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
use crate::memory;
use crate::processors::{self, devices};
use crate::timer;
use core::marker::PhantomData;
use taktos_machine::{Machine, SliceSwitch};
use taktos_time::{Duration, Instant};

/// The machine: a 64-bit RISC-V processor in supervisor mode on a board.
pub struct RiscV64<B>(PhantomData<B>);

impl<B: Board> RiscV64<B> {
    /// Makes `handler` handle the interrupt `number`, at the kernel's level: 0 to 15 are those of
    /// [`RiscV64::pend_interrupt`], from 16 on the sources 0 to 111 of the board's controller,
    /// on one processor. Other numbers, and sources of a board without a controller, have no
    /// effect.
    pub fn set_handler(number: u32, handler: Handler) {
        if !devices::set_handler::<B>(number, handler) {
            interrupt::set_handler(number, handler);
        }
    }

    /// Keeps the interrupt `number` of a device, from 16 on, from its handler; those of software
    /// come when they are sent.
    pub fn disable_interrupt(number: u32) {
        devices::disable::<B>(number);
    }

    /// Sends this processor the interrupt `number`, 0 to 15. Others have no effect: the controller
    /// has no way to pend what its devices do not. Bound: one exchange in memory and one store
    /// to a register.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        interrupt::pend(number);
    }
}

impl<B: Board> Machine for RiscV64<B> {
    taktos_arch_common::machine_of_64_bits!(B);
    /// The frame of an interrupted thread (256 bytes), and room to work. Threads that use floating
    /// point need 304 bytes more.
    const SMALLEST_STACK: usize = 512;

    fn start() -> ! {
        processors::begin::<B>();
        memory::start::<B>();
        timer::start();
        float::forbid();
        processors::start::<B>()
    }

    fn idle() {
        riscv::asm::wfi();
    }

    #[inline(always)]
    fn now() -> Instant {
        timer::now::<B>()
    }

    fn span_of(ticks: u64) -> Duration {
        timer::span_of::<B>(ticks)
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        timer::set_alarm::<B>(at);
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        timer::set_slice::<B>(length, at_switch);
    }
}
