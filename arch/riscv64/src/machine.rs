//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::board::Board;
use crate::float;
use crate::interrupt::{self, Handler};
use crate::memory;
use crate::processors::{self, Taken, devices};
use crate::state;
use crate::switch;
use crate::timer;
use core::marker::PhantomData;
use taktos_abi::Timeout;
use taktos_arch_common::{Guard, Outcome64};
use taktos_machine::{Answer, Context, Decision, Machine, Processor, SliceSwitch, StackRegion};
use taktos_time::{Duration, Instant};

/// The machine: a 64-bit RISC-V processor in supervisor mode on a board.
pub struct RiscV64<B>(PhantomData<B>);

impl<B: Board> RiscV64<B> {
    /// Makes `handler` handle the interrupt `number`, at the kernel's level: 0 to 15 are those of [`RiscV64::pend_interrupt`], from 16 on
    /// the sources 0 to 111 of the board's controller, on one processor. Other numbers, and sources of
    /// a board without a controller, have no effect.
    pub fn set_handler(number: u32, handler: Handler) {
        if !devices::set_handler::<B>(number, handler) {
            interrupt::set_handler(number, handler);
        }
    }

    /// Keeps the interrupt `number` of a device, from 16 on, from its handler; those of software come when they are sent.
    pub fn disable_interrupt(number: u32) {
        devices::disable::<B>(number);
    }

    /// Sends this processor the interrupt `number`, 0 to 15. Others have no effect: the controller has no way to pend what its devices
    /// do not. Bound: one exchange in memory and one store to a register.
    #[inline(always)]
    pub fn pend_interrupt(number: u32) {
        interrupt::pend(number);
    }
}

impl<B: Board> Machine for RiscV64<B> {
    type Mask = Taken;
    type Outcome = Outcome64;
    type Aligned = ();
    type Before = ();
    const BEFORE: () = ();
    type Guard = Guard;
    const GUARD: Guard = Guard::NEW;
    type FixedGuard = ();
    const FIXED_GUARD: () = ();
    /// The frame of an interrupted thread (256 bytes), and room to work. Threads that use floating point
    /// need 304 bytes more.
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
        interrupt::mask_remembering()
    }

    #[inline(always)]
    fn restore(before: usize) {
        interrupt::unmask_again(before);
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
