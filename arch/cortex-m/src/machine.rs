//! Owns: the implementation of [`Machine`] where it needs no hand-written path.

use crate::fault;
use crate::guard::{self, Guard};
use crate::interrupt;
use crate::slice::Slices;
use crate::switch;
use core::marker::PhantomData;
use core::ops::Range;
use cortex_m::peripheral::SCB;
use taktos_abi::{Status, Timeout};
use taktos_arch_common::Outcome32;
use taktos_machine::{Answer, Context, Decision, Machine, Reply, SliceSwitch, StackRegion};
use taktos_time::{Duration, Instant};

/// Clock with an alarm, which the board brings. [`SystemTimer`](crate::SystemTimer) is one for
/// boards without a timer of their own.
pub trait Clock: 'static {
    /// Timer of time slices: [`SliceTimer`](crate::SliceTimer), in addition to a clock of the
    /// board's own.
    type Slices: Slices;
    /// The present time. Called with and without the mask.
    fn now() -> Instant;
    /// Requests an alarm, as [`Machine::set_alarm`].
    fn set_alarm(at: Option<Instant>);
    /// Sets the time forward, as [`Machine::advance`]. Called masked.
    fn advance(by: Duration) -> bool {
        let _ = by;
        false
    }
}

/// Stops the processor for good, with interrupts masked: the end of a program without a debugger.
pub fn halt() -> ! {
    cortex_m::interrupt::disable();
    loop {
        cortex_m::asm::wfi();
    }
}

/// The machine: a Cortex-M with the board's clock.
pub struct CortexM<C>(PhantomData<C>);

impl<C: Clock> Machine for CortexM<C> {
    taktos_arch_common::machine_with_mask!();
    type Outcome = Outcome32;
    type Aligned = guard::Aligned;
    type Front<T: 'static> = guard::Front<T>;
    type Back<T: 'static> = guard::Back<T>;
    type Guard = Guard;
    const GUARD: Guard = Guard::NEW;
    #[cfg(canary)]
    const ZEROED_GUARD: Guard = Guard::ZEROED;
    type FixedGuard = Guard;
    const FIXED_GUARD: Guard = Guard::NEW;
    /// The frame of an interrupted thread with floating-point state (104 + 64 + 36 bytes), and room
    /// to work.
    const SMALLEST_STACK: usize = 256;
    const GUARDS_STAY: bool = false;
    const HANDLERS_INTERRUPT_SWITCHES: bool = true;

    #[cfg(canary)]
    fn mark_guard(guard: usize) {
        guard::mark(guard);
    }

    fn lost(values: &[usize]) -> Range<usize> {
        fault::lost(values)
    }

    #[inline(always)]
    fn in_interrupt() -> bool {
        interrupt::exception() != 0
    }

    fn interrupt_number() -> Option<usize> {
        interrupt::number()
    }

    #[inline(always)]
    fn may_call() -> bool {
        interrupt::may_call()
    }

    #[inline(always)]
    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        let (status, value) = switch::take::<Self, D>(object, argument, timeout);
        Answer {
            status: Status::from_word(status),
            value,
        }
    }

    #[inline(always)]
    fn enter_last<D: Decision<Self>, R: Reply>(object: &'static D::Object) -> usize {
        switch::take_last::<Self, D, R>(object)
    }

    #[inline(always)]
    fn pend_switch() {
        SCB::set_pendsv();
    }

    /// The limit of the stack pointer is computed from there.
    #[cfg(armv8m)]
    fn can_have_stack(context: *const Context, base: usize) -> bool {
        base >= context.addr() + guard::GUARD
    }

    fn prepare(
        context: &Context,
        stack: StackRegion,
        entry: extern "C" fn(usize, usize) -> !,
        first: usize,
        second: usize,
    ) {
        switch::prepare(context, stack, entry, first, second);
    }

    fn start() -> ! {
        interrupt::set_system_priorities(C::Slices::LEVEL);
        #[cfg(not(feature = "small"))]
        interrupt::bring_to_kernel_level();
        guard::enable();
        switch::start()
    }

    fn idle() {
        cortex_m::asm::wfi();
    }

    /// By `PRIMASK`: an interrupt that the kernel's mask keeps out does not wake the processor
    /// (Armv7-M manual, B1.5.19).
    fn while_idle(act: impl FnOnce()) {
        cortex_m::interrupt::free(|_| act());
    }

    #[inline(always)]
    fn now() -> Instant {
        C::now()
    }

    #[inline(always)]
    fn set_alarm(at: Option<Instant>) {
        C::set_alarm(at);
    }

    fn advance(by: Duration) -> bool {
        C::advance(by)
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        const {
            assert!(
                !cfg!(feature = "small"),
                "images with the feature `small` have no time slices"
            );
        }
        Self::processor().at_switch.set(length.map(|_| at_switch));
        C::Slices::set(length);
    }

    fn slice_left() -> usize {
        C::Slices::left()
    }

    fn begin_slice(left: usize) {
        C::Slices::begin(left);
    }

    #[inline(always)]
    fn at_switch() -> Option<SliceSwitch> {
        Self::processor().at_switch.get()
    }
}
