//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
#[cfg(feature = "smp")]
use crate::lock;
use crate::memory::{self, Guard};
#[cfg(feature = "smp")]
use crate::smp::{self, calls};
#[cfg(not(feature = "smp"))]
use crate::state::TAKTOS_PROCESSOR;
#[cfg(feature = "smp")]
use crate::state::{numbered, own};
use crate::switch::{self, Outcome64};
use crate::timer;
#[cfg(not(feature = "smp"))]
use crate::trap::HANDLER_STACK;
use core::marker::PhantomData;
use taktos_abi::{Status, Timeout};
use taktos_machine::{Answer, Context, Decision, Machine, Processor, StackRegion};
use taktos_time::{Duration, Instant};

/// The machine: a 64-bit RISC-V processor in supervisor mode on a board.
pub struct RiscV64<B>(PhantomData<B>);

impl<B: Board> RiscV64<B> {
    /// Makes `handler` handle the interrupt `number`, 0 to 15, at the kernel's level: one of those of
    /// [`RiscV64::pend_interrupt`]. Other numbers have no effect.
    pub fn set_handler(number: u32, handler: Handler) {
        interrupt::set_handler(number, handler);
    }

    /// Sends this processor the interrupt `number`, 0 to 15. Bound: one exchange in memory and one store to a register.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        interrupt::pend(number);
    }
}

impl<B: Board> Machine for RiscV64<B> {
    #[cfg(not(feature = "smp"))]
    type Mask = ();
    #[cfg(feature = "smp")]
    type Mask = lock::Taken;
    type Outcome = Outcome64;
    type Guard = Guard;
    const GUARD: Guard = Guard::NEW;
    /// The frame of an interrupted thread (256 bytes), and room to work. Threads that use floating point
    /// need 304 bytes more.
    const SMALLEST_STACK: usize = 512;
    #[cfg(feature = "smp")]
    const PROCESSORS: usize = B::PROCESSORS;

    #[inline(always)]
    fn mask() -> Self::Mask {
        interrupt::mask();
        #[cfg(feature = "smp")]
        lock::lock()
    }

    #[inline(always)]
    fn unmask(_mask: Self::Mask) {
        #[cfg(feature = "smp")]
        lock::unlock(_mask);
        interrupt::unmask();
    }

    #[inline(always)]
    fn mask_here() {
        interrupt::mask();
    }

    #[inline(always)]
    fn unmask_here() {
        interrupt::unmask();
    }

    #[inline(always)]
    fn in_interrupt() -> bool {
        interrupt::in_handler()
    }

    #[cfg(not(feature = "smp"))]
    #[inline(always)]
    fn processor() -> &'static Processor {
        &TAKTOS_PROCESSOR.0
    }

    #[cfg(feature = "smp")]
    #[inline(always)]
    fn processor() -> &'static Processor {
        &own().processor
    }

    #[cfg(feature = "smp")]
    #[inline(always)]
    fn processor_of(taken: lock::Taken) -> &'static Processor {
        &taken.own().processor
    }

    #[cfg(feature = "smp")]
    #[inline(always)]
    fn number() -> usize {
        own().number
    }

    #[cfg(feature = "smp")]
    #[inline(always)]
    fn processor_numbered(number: usize) -> &'static Processor {
        &numbered::<B>(number).processor
    }

    #[cfg(feature = "smp")]
    #[inline(always)]
    fn call(number: usize) {
        calls::call::<B>(number, calls::KERNEL);
    }

    #[inline(always)]
    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        let (status, value) = if D::KEEPS_SLICE {
            switch::call_in_slice::<Self, D>(object, argument, timeout)
        } else {
            switch::call::<Self, D>(object, argument, timeout)
        };
        Answer {
            status: Status::from_word(status),
            value,
        }
    }

    /// Nothing: each interrupt ends with a look at the heir.
    #[inline(always)]
    fn pend_switch() {}

    fn prepare(
        context: &Context,
        stack: StackRegion,
        entry: extern "C" fn(usize, usize) -> !,
        first: usize,
        second: usize,
    ) {
        float::forget(stack);
        memory::protect::<B>(stack.guard);
        switch::prepare(context, stack, entry, first, second);
    }

    #[cfg(not(feature = "smp"))]
    fn start() -> ! {
        memory::start::<B>();
        timer::start();
        float::forbid();
        switch::start(&TAKTOS_PROCESSOR.0, HANDLER_STACK.top())
    }

    #[cfg(feature = "smp")]
    fn start() -> ! {
        smp::set_up::<B>();
        memory::start::<B>();
        timer::start();
        float::forbid();
        smp::start_others::<B>();
        switch::start(&own().processor, own().handler_stack.get())
    }

    fn idle() {
        riscv::asm::wfi();
    }

    #[inline(always)]
    fn now() -> Instant {
        timer::now::<B>()
    }

    #[inline(always)]
    fn ticks() -> u64 {
        timer::counter()
    }

    fn span_of(ticks: u64) -> Duration {
        timer::span_of::<B>(ticks)
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        timer::set_alarm::<B>(at);
    }

    fn begin_slice() {
        timer::begin_slice();
    }

    fn set_slice(length: Option<Duration>) {
        timer::set_slice::<B>(length);
    }
}
