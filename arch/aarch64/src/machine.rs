//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
use crate::memory;
use crate::processors::{self, Taken};
use crate::state;
use crate::switch;
use crate::timer;
use core::marker::PhantomData;
use taktos_abi::Timeout;
use taktos_arch_common::{Guard, Outcome64};
use taktos_machine::{Answer, Context, Decision, Machine, Processor, SliceSwitch, StackRegion};
use taktos_time::{Duration, Instant};

/// The machine: an Armv8-A processor at EL1 on a board.
pub struct AArch64<B>(PhantomData<B>);

impl<B: Board> AArch64<B> {
    /// Makes `handler` handle the interrupt `number`, below [`INTERRUPTS`](crate::INTERRUPTS), at the kernel's level, and lets it
    /// through. Interrupts 0 to 15 are those of [`AArch64::pend_interrupt`]; other numbers have no effect.
    /// Of several processors each gets its own interrupts below 32; 0 and 7 are the machine's there. With a controller of version 2 the
    /// others let it through when they are told, which is as soon as their interrupts are not masked.
    pub fn set_handler(number: u32, handler: Handler) {
        interrupt::set_handler::<B>(number, handler);
    }

    /// Keeps the interrupt `number` from its handler.
    pub fn disable_interrupt(number: u32) {
        interrupt::disable::<B>(number);
    }

    /// Sends this processor the interrupt `number`, 0 to 15: one store to a register of the processor. Or makes that of a device
    /// pending, from 32: one store to the controller. Others have no effect.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        match number {
            0..interrupt::SOFTWARE => interrupt::pend::<B>(number),
            shared => interrupt::pend_shared::<B>(shared),
        }
    }
}

impl<B: Board> Machine for AArch64<B> {
    type Mask = Taken;
    type Outcome = Outcome64;
    type Aligned = ();
    type Before = ();
    const BEFORE: () = ();
    type Guard = Guard;
    const GUARD: Guard = Guard::NEW;
    type FixedGuard = ();
    const FIXED_GUARD: () = ();
    /// The frame of an interrupted thread (288 bytes), and room to work. Threads that use floating point
    /// need 560 bytes more.
    const SMALLEST_STACK: usize = 512;

    const PROCESSORS: usize = processors::count::<B>();

    #[inline(always)]
    fn mask() -> Taken {
        interrupt::mask();
        processors::lock()
    }

    #[inline(always)]
    fn unmask(taken: Taken) {
        processors::unlock(taken);
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
    fn mask_over() -> usize {
        interrupt::mask::mask_and_remember() as usize
    }

    #[inline(always)]
    fn restore(before: usize) {
        interrupt::mask::restore(before as u64);
    }

    #[inline(always)]
    fn in_interrupt() -> bool {
        interrupt::in_handler()
    }

    #[inline(always)]
    fn processor() -> &'static Processor {
        processors::own()
    }

    #[inline(always)]
    fn processor_of(taken: Taken) -> &'static Processor {
        processors::holder(taken)
    }

    #[inline(always)]
    fn number() -> usize {
        processors::number()
    }

    #[inline(always)]
    fn processor_numbered(number: usize) -> &'static Processor {
        processors::numbered::<B>(number)
    }

    #[inline(always)]
    fn call(number: usize) {
        processors::call::<B>(number);
    }

    #[inline(always)]
    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        switch::call::<Self, D>(object, argument, timeout)
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
        // SAFETY: the kernel hands in the stack of a thread that has not begun, or has ended.
        unsafe { switch::prepare(context, stack, entry, [first, second]) };
    }

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

    #[inline(always)]
    fn ticks() -> u64 {
        timer::ticks()
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

    fn slice_left() -> usize {
        timer::slice_left()
    }

    fn begin_slice(left: usize) {
        timer::begin_slice(left);
    }

    #[inline(always)]
    fn at_switch() -> Option<SliceSwitch> {
        state::at_switch()
    }
}
