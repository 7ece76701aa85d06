//! Owns: the parts of a port's implementation of [`Machine`](taktos_machine::Machine) that other
//! ports have to the letter. Each calls functions by the names that the port's modules have.
//! Must never know: how those do it.

/// The mask and the processor. The port has the modules `interrupt` and `processors`.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! machine_with_mask {
    () => {
        type Mask = crate::processors::Taken;

        #[inline(always)]
        fn mask() -> Self::Mask {
            crate::interrupt::mask();
            crate::processors::lock()
        }

        #[inline(always)]
        fn unmask(taken: Self::Mask) {
            crate::processors::unlock(taken);
            crate::interrupt::unmask();
        }

        #[inline(always)]
        fn mask_over() -> usize {
            crate::interrupt::mask_over()
        }

        #[inline(always)]
        fn restore(before: usize) {
            crate::interrupt::restore(before);
        }

        #[inline(always)]
        fn processor() -> &'static $crate::reexports::Processor {
            crate::processors::own()
        }
    };
}

/// Those, and what follows from a map of memory that has guards in it, which `$protect` makes; a
/// thread's frame is laid out by `$prepare`, which is unsafe. The port also has the modules `float`
/// and `state`; each of its interrupts ends with a check of the heir.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! machine_with_map {
    ($protect:path, $prepare:expr) => {
        $crate::machine_with_mask!();
        type Aligned = ();
        type Front<T: 'static> = ();
        type Back<T: 'static> = T;
        type Guard = $crate::Guard;
        const GUARD: $crate::Guard = $crate::Guard::NEW;
        type FixedGuard = ();
        const FIXED_GUARD: () = ();

        #[inline(always)]
        fn in_interrupt() -> bool {
            crate::interrupt::in_handler()
        }

        /// Does nothing: each interrupt ends with a check of the heir.
        #[inline(always)]
        fn pend_switch() {}

        fn prepare(
            context: &$crate::reexports::Context,
            stack: $crate::reexports::StackRegion,
            entry: extern "C" fn(usize, usize) -> !,
            first: usize,
            second: usize,
        ) {
            crate::float::forget(stack);
            $protect(stack.guard);
            // SAFETY: the kernel hands in the stack of a thread that has not begun, or has ended.
            unsafe { $prepare(context, stack, entry, [first, second]) };
        }

        #[inline(always)]
        fn at_switch() -> Option<$crate::reexports::SliceSwitch> {
            crate::state::at_switch()
        }
    };
}

/// Those, and what machines of 64 bits have, of one processor or several. The port also has the
/// modules `switch` and `timer`; `$board` is the board.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! machine_of_64_bits {
    ($board:ident) => {
        $crate::machine_with_map!(
            crate::memory::protect::<$board>,
            (|context, stack, entry, words| {
                $crate::prepare(context, stack, crate::switch::begin, entry, words)
            })
        );
        type Outcome = $crate::Outcome64;
        const PROCESSORS: usize = crate::processors::count::<$board>();

        #[inline(always)]
        fn mask_here() {
            crate::interrupt::mask();
        }

        #[inline(always)]
        fn unmask_here() {
            crate::interrupt::unmask();
        }

        #[inline(always)]
        fn processor_of(taken: Self::Mask) -> &'static $crate::reexports::Processor {
            crate::processors::holder(taken)
        }

        #[inline(always)]
        fn number() -> usize {
            crate::processors::number()
        }

        #[inline(always)]
        fn processor_numbered(number: usize) -> &'static $crate::reexports::Processor {
            crate::processors::numbered::<$board>(number)
        }

        #[inline(always)]
        fn call(number: usize) {
            crate::processors::call::<$board>(number);
        }

        #[inline(always)]
        fn enter<D: $crate::reexports::Decision<Self>>(
            object: &'static D::Object,
            argument: usize,
            timeout: $crate::reexports::Timeout,
        ) -> $crate::reexports::Answer {
            crate::switch::call::<Self, D>(object, argument, timeout)
        }

        #[inline(always)]
        fn ticks() -> u64 {
            crate::timer::ticks()
        }

        fn slice_left() -> usize {
            crate::timer::slice_left()
        }

        fn begin_slice(left: usize) {
            crate::timer::begin_slice(left);
        }
    };
}
