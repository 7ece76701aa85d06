//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
use crate::memory;
use crate::state::STATE;
use crate::switch;
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_arch_common::Outcome32;
use taktos_machine::{Answer, Decision, Machine, SliceSwitch};
use taktos_time::{Duration, Instant};

/// The machine: a Cortex-A8 on a board.
pub struct ArmV7A<B>(PhantomData<B>);

impl<B: Board> ArmV7A<B> {
    /// Makes `handler` handle the interrupt `number`, below 96, at the kernel's level, and lets it
    /// through. Interrupts 0 to 15 are those of [`ArmV7A::pend_interrupt`]; other numbers have no
    /// effect.
    pub fn set_handler(number: u32, handler: Handler) {
        interrupt::set_handler::<B>(number, handler);
    }

    /// Keeps the interrupt `number`, below 96, from its handler. Those of software, 0 to 15, come
    /// nevertheless.
    pub fn disable_interrupt(number: u32) {
        interrupt::disable::<B>(number);
    }

    /// Makes the interrupt `number` pending. Bound: one store.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        interrupt::controller::<B>().pend(number);
    }
}

impl<B: Board> Machine for ArmV7A<B> {
    taktos_arch_common::machine_with_map!(memory::protect, switch::prepare);
    type Outcome = Outcome32;
    /// The frame of an interrupted thread (72 bytes), and room to work. Threads that use floating
    /// point need 304 bytes more.
    const SMALLEST_STACK: usize = 256;

    #[inline(always)]
    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        let words = match (D::USES_WORDS, D::KEEPS_SLICE) {
            (true, false) => switch::enter::<Self, D>(object, argument, timeout),
            (true, true) => switch::enter_in_slice::<Self, D>(object, argument, timeout),
            (false, false) => switch::enter_without_words::<Self, D>(object),
            (false, true) => switch::enter_without_words_in_slice::<Self, D>(object),
        };
        // Here, and not in the switch, where this thread's frame would still be on its stack.
        interrupt::unmask();
        Answer {
            status: Status::from_word(words as u32 as usize),
            value: (words >> 32) as usize,
        }
    }

    fn start() -> ! {
        memory::start::<B>();
        interrupt::set_stack();
        float::allow();
        interrupt::controller::<B>().start();
        switch::start()
    }

    fn idle() {
        aarch32_cpu::asm::wfi();
    }

    #[inline(always)]
    fn now() -> Instant {
        B::now()
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        B::set_alarm(at);
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        STATE.at_switch.set(length.map(|_| at_switch));
        B::set_slice(length);
    }

    fn slice_left() -> usize {
        B::slice_left()
    }

    fn begin_slice(left: usize) {
        B::begin_slice(left);
    }
}
