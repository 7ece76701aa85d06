//! Owns: the parts of the modules of ports of 64 bits that are for several processors, where all
//! such ports have them to the letter. Must never know: how a processor finds its block.

/// Parts of the module `processors`, for the port `$port`. It also has `state`, `start` and a
/// function `call`.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! several_processors {
    ($port:ident) => {
        pub(crate) use $crate::{lock, unlock};

        use crate::board::Board;
        use $crate::reexports::Processor;

        /// The lock as it is held.
        pub type Taken = $crate::Taken<$port>;

        /// The processor that runs the caller.
        #[inline(always)]
        pub(crate) fn own() -> &'static Processor {
            &state::own().processor
        }

        /// The processor that holds the lock.
        #[inline(always)]
        pub(crate) fn holder(taken: Taken) -> &'static Processor {
            &taken.own().processor
        }

        /// The number of the processor that runs the caller.
        #[inline(always)]
        pub(crate) fn number() -> usize {
            state::own().number.get()
        }

        /// The processor `number`.
        #[inline(always)]
        pub(crate) fn numbered<B: Board>(number: usize) -> &'static Processor {
            &state::numbered::<B>(number).processor
        }

        /// Makes guards of the pages below the stacks of handlers.
        pub(crate) fn protect_stacks<B: Board>() {
            for number in 0..B::PROCESSORS {
                crate::memory::protect::<B>(state::stacks::<B>(number).handlers.guard());
            }
        }

        /// Leaves the start-up code for the current thread of this processor.
        pub(crate) fn leave_start() -> ! {
            let own = state::own();
            crate::switch::start(&own.processor, own.handler_stack.get())
        }
    };
}

/// Parts of the module `state` of the port `$port`, which has a function `own`.
#[doc(hidden)]
#[macro_export]
#[expect(clippy::crate_in_macro_def, reason = "the modules are the port's")]
macro_rules! several_states {
    ($port:ident) => {
        use crate::board::Board;
        use $crate::reexports::{Processor, SliceSwitch};

        /// A processor's own block.
        pub(crate) type State = $crate::Block<$port>;

        /// How far the blocks of processors lie apart, in bytes.
        pub const PROCESSOR_SIZE: usize = size_of::<State>();

        /// The blocks of all processors; [`smp!`](crate::smp) makes them.
        pub type Processors<const N: usize> = $crate::Blocks<$port, N>;

        /// The block of the processor `number`.
        #[inline(always)]
        pub(crate) fn numbered<B: Board>(number: usize) -> &'static State {
            // SAFETY: `smp!` has made a block for each processor.
            unsafe { $crate::numbered(number, B::PROCESSORS) }
        }

        /// The stacks of the processor `number`.
        pub(crate) fn stacks<B: Board>(number: usize) -> &'static $crate::OwnStacks {
            // SAFETY: `smp!` has made a set of stacks for each processor.
            unsafe { $crate::stacks_of(number, B::PROCESSORS) }
        }

        /// The offset, in a block, of the function that a switch calls if a slice begins with it.
        pub(crate) const AT_SWITCH: usize = ::core::mem::offset_of!(State, processor)
            + ::core::mem::offset_of!(Processor, at_switch);

        /// The function that a switch calls if a slice begins with it.
        #[inline(always)]
        pub(crate) fn at_switch() -> Option<SliceSwitch> {
            own().processor.at_switch.get()
        }

        /// Sets it, for all processors. Called with the lock held, as what reads it is.
        pub(crate) fn set_at_switch<B: Board>(at_switch: Option<SliceSwitch>) {
            for number in 0..B::PROCESSORS {
                numbered::<B>(number).processor.at_switch.set(at_switch);
            }
        }
    };
}
