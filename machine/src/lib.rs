//! The interface between the portable kernel and a processor.
//!
//! A port implements [`Machine`] for a processor, and calls the kernel by [`Upcalls`]. The smallest
//! whole one is that of the developer's machine, `taktos-arch-host`; the project's book has a page
//! on porting (`docs/porting.md`).
//!
//! Owns: [`Machine`], the operations that a kernel needs of a processor, and their shared types.
//! Must never know: threads, objects, policies; nor any one architecture.
//!
//! # Several
//! A machine with several processors keeps these invariants, too:
//! - [`Machine::mask`] masks interrupts on its processor and then takes *the one lock*, first come
//!   first served; [`Machine::unmask`] releases it and ends the mask. In handlers, too.
//! - [`Machine::enter`] is called with the lock held. If the decision stays, the lock is released.
//!   If it switches, the lock is released only when the thread that is switched away from is saved
//!   whole, [`Processor::current`] is written, and the answer of the resumed thread has been read:
//!   from then on another processor may resume the saved thread.
//! - [`Upcalls`] come without the lock. The kernel takes it by [`Machine::mask`].
//! - [`Processor::heir`] is written by other processors, too, with the lock held; null says that it
//!   is still to be chosen. At the end of each interrupt the machine compares the heir with the
//!   current thread. If they differ, it takes the lock, and if the heir is null has it chosen by
//!   [`Upcalls::choose`]. It then switches to the heir, or, if that is the current thread, releases
//!   the lock. A processor that writes the heir of another one calls that processor. So a check
//!   without the lock is enough.
//! - Floating-point registers are saved at each switch: the thread may continue elsewhere.
#![no_std]

mod context;
mod decision;
mod fault;
mod isolation;
mod mark;
mod nested;
mod order;
#[cfg(target_has_atomic = "ptr")]
mod spaces;
mod upcalls;

pub use context::{Context, Processor, SliceSwitch};
pub use decision::{Answer, Decision, Outcome, Reply};
pub use fault::{Cause, Fault, NAME_LENGTH};
pub use isolation::{
    Access, FAULT_REGISTERS, Isolation, RaisedFault, Region, RegionRules, UserFault, UserStart,
};
pub use nested::NestedSection;
pub use order::{compiler_barrier, slow_path};
#[cfg(target_has_atomic = "ptr")]
pub use spaces::{Holders, Spaces};
pub use upcalls::Upcalls;

use core::ops::Range;
use taktos_time::{Duration, Instant};

/// The memory of a thread's stack: the guard is located directly below it.
#[derive(Clone, Copy, Debug)]
pub struct StackRegion {
    /// The address of the guard; a touch of it is a stack overflow.
    pub guard: usize,
    /// The lowest usable address.
    pub base: usize,
    /// How many bytes may be used from there.
    pub size: usize,
}

/// The operations that a kernel needs of a processor. Everything is associated: a machine has no
/// state but in its own statics.
pub trait Machine: Sized + 'static {
    /// The state that [`Machine::mask`] saves for [`Machine::unmask`].
    type Mask: Copy;
    /// The form of a [`Decision`]'s result.
    type Outcome: Outcome;
    /// A type with the alignment of a thread that has a guard. Not stored; `()` where any will do.
    type Aligned: 'static;
    /// Bytes between there and the control block. With them, the guard after the control block is
    /// located where the protection hardware can have it. Empty, or with a `T` at its beginning.
    type Front<T: 'static>: Sized + 'static;
    /// A `T` where [`Machine::Front`] is empty, otherwise nothing.
    type Back<T: 'static>: Sized + 'static;
    /// Memory below each stack that no thread can touch.
    /// It has the size and alignment that the protection hardware needs.
    type Guard: Sized + 'static;
    /// [`Machine::Guard`] in its unused state.
    const GUARD: Self::Guard;
    /// Memory for one that is all zeros: a guard after [`Machine::mark_guard`].
    const ZEROED_GUARD: Self::Guard = Self::GUARD;
    /// The memory after the control block of a thread with its stack elsewhere. It has the size of
    /// [`Machine::Guard`] if the guard is found by its distance from there; else it is empty.
    type FixedGuard: Sized + 'static;
    /// [`Machine::FixedGuard`] in its unused state.
    const FIXED_GUARD: Self::FixedGuard;
    /// The smallest stack that holds an interrupted context with some room to work.
    const SMALLEST_STACK: usize;

    /// How many processors the machine has, 1 to 64. With more than one, the invariants in the
    /// crate's head hold in addition.
    const PROCESSORS: usize = 1;

    /// Whether the guards of all threads are there at once, so that a thread can touch another
    /// one's; else there is but that of the running one.
    const GUARDS_STAY: bool = true;

    /// Whether handlers come in the midst of a switch at the end of an interrupt, when the thread
    /// that resumes is the current one already and its answer is still to be read: then an answer
    /// to a handler leaves the answer of the current thread as it is.
    const HANDLERS_INTERRUPT_SWITCHES: bool = false;

    /// Makes [`Machine::ZEROED_GUARD`], at the address `guard`, a guard. Bound: fixed.
    fn mark_guard(guard: usize) {
        let _ = guard;
    }

    /// Which of a fault's values are not those of the registers, because the processor could not
    /// store them: a range of their places, empty where all are. For the report of a fault,
    /// which ends the program. Bound: fixed.
    fn lost(values: &[usize]) -> Range<usize> {
        let _ = values;
        0..0
    }

    /// Keeps out interrupts up to the kernel's level; higher ones are never delayed.
    /// Not nested by the kernel. On several processors it then takes the one lock, too.
    fn mask() -> Self::Mask;
    /// Ends what the matching [`Machine::mask`] began.
    fn unmask(mask: Self::Mask);
    /// Keeps the caller on its processor: keeps out interrupts as [`Machine::mask`] does, and takes
    /// no lock. Not nested. On one processor there is nowhere else to go.
    #[inline(always)]
    fn mask_here() {}
    /// Ends what [`Machine::mask_here`] began.
    #[inline(always)]
    fn unmask_here() {}
    /// Keeps out interrupts up to the kernel's level as [`Machine::mask`] does, wherever it is
    /// called: with the mask set and without it, and in any handler. Takes no lock. Gives what
    /// was there before, for [`Machine::restore`].
    fn mask_over() -> usize;
    /// Makes the mask what it was before the matching [`Machine::mask_over`].
    fn restore(before: usize);
    /// Whether the caller is an interrupt handler.
    fn in_interrupt() -> bool;
    /// Returns the number of the interrupt in the handler of which this is called, as the board
    /// counts; none in a thread, or if the machine does not know the number.
    fn interrupt_number() -> Option<usize> {
        None
    }
    /// Whether the handler that calls is at a level that may call the kernel.
    #[inline(always)]
    fn may_call() -> bool {
        true
    }
    /// The processor that runs the caller.
    fn processor() -> &'static Processor;
    /// Returns the processor that runs the caller. `mask` is of the present critical section.
    #[inline(always)]
    fn processor_of(mask: Self::Mask) -> &'static Processor {
        let _ = mask;
        Self::processor()
    }
    /// The number of the processor that runs the caller, from 0. The caller is masked, or cannot
    /// move.
    #[inline(always)]
    fn number() -> usize {
        0
    }
    /// The processor `number`, which is below [`Machine::PROCESSORS`].
    #[inline(always)]
    fn processor_numbered(number: usize) -> &'static Processor {
        let _ = number;
        Self::processor()
    }
    /// Interrupts the processor `number`: [`Upcalls::called`] comes there, and sees all that was
    /// stored before. Called masked. It is the caller's own in a handler alone, after which that
    /// comes. On one processor there is no other to call.
    #[inline(always)]
    fn call(number: usize) {
        let _ = number;
    }

    /// Performs one turn of a loop in which a thread reads a word that another processor writes.
    /// Called without the mask. If processors are simulated one after the other, the others run in
    /// it.
    #[inline(always)]
    fn pause() {
        core::hint::spin_loop();
    }

    /// Takes a decision that may switch threads, and carries it out. Called with interrupts masked
    /// (the mask ends here). In a thread: the answer is the decision's own where it stays;
    /// otherwise the caller's context is saved, the other thread runs, and the answer is what
    /// the caller's [`Context`] holds when it is resumed. In an interrupt handler: a switch is
    /// put off to the end of the interrupt, and the answer is OK.
    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: taktos_abi::Timeout,
    ) -> Answer;

    /// [`Machine::enter`], for a decision that reads no words, as the last call of a function that
    /// C calls. That function returns 0, or the word of `R` for an error. A machine that saves
    /// registers for C saves them here: here it is known which of them a switch saves anyway.
    #[inline(always)]
    fn enter_last<D: Decision<Self>, R: Reply>(object: &'static D::Object) -> usize {
        match Self::enter::<D>(object, 0, taktos_abi::Timeout::NONE).status {
            taktos_abi::Status::OK => 0,
            status => R::failed(status),
        }
    }

    /// Requests a switch to the heir at the end of the interrupt that calls.
    fn pend_switch();

    /// Returns whether the thread with this [`Context`] can have a stack that begins at `base`.
    fn can_have_stack(context: *const Context, base: usize) -> bool {
        let _ = (context, base);
        true
    }

    /// Makes `context` a thread that will call `entry(first, second)` on the stack.
    fn prepare(
        context: &Context,
        stack: StackRegion,
        entry: extern "C" fn(usize, usize) -> !,
        first: usize,
        second: usize,
    );
    /// Runs the first thread. Called once, with interrupts masked, when current and heir name it.
    /// Each other processor continues with the thread that its current names, which is prepared.
    fn start() -> !;
    /// Waits for an interrupt; the body of the idle thread's loop.
    fn idle();
    /// Does `act`, during which no handler runs that may call the kernel. An interrupt that comes
    /// meanwhile stays pending, and ends each [`Machine::idle`] and each other wait of the
    /// processor in `act`. Called by an idle thread without the mask, on one processor.
    fn while_idle(act: impl FnOnce()) {
        let before = Self::mask_over();
        act();
        Self::restore(before);
    }

    /// The present time. Bounded; allowed with and without the mask.
    fn now() -> Instant;
    /// A counter that runs as the time does, one and the same on all processors, in whatever unit
    /// costs least to read. It may be read a little early.
    #[inline(always)]
    fn ticks() -> u64 {
        Self::now().as_nanos()
    }
    /// Returns the duration of this number of [`Machine::ticks`].
    fn span_of(ticks: u64) -> Duration {
        Duration::from_nanos(ticks)
    }
    /// Requests one [`Upcalls::alarm`] on this processor at `at` or as soon as possible after; none
    /// cancels. Called with interrupts masked.
    fn set_alarm(at: Option<Instant>);
    /// Sets the time forward; the alarm is to be requested again. Says whether it did: some times
    /// cannot be set. Called with interrupts masked.
    fn advance(by: Duration) -> bool {
        let _ = by;
        false
    }
    /// Sets the length of time slices, on all processors, on each of which a whole one begins; none
    /// switches slices off. While they are on, each switch but those of decisions that
    /// [`Decision::KEEPS_SLICE`] calls `at_switch`, which is [`Upcalls::switch_slice`]. A program
    /// that never calls this does not carry that. Called with interrupts masked, and with the one
    /// lock held.
    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch);
    /// The rest of the time slice that runs on this processor, in ticks of the timer that measures
    /// slices: at least 1, also when it is over. Called with interrupts masked, while slices are
    /// on.
    fn slice_left() -> usize;
    /// Lets the time slice that runs on this processor end in `left` ticks, or as soon as possible
    /// after; 0 means a whole slice, and so does more than that. Then comes one
    /// [`Upcalls::slice_end`], which may be left out for 1: a slice that is over. Called with
    /// interrupts masked, while slices are on.
    fn begin_slice(left: usize);
    /// The function that a switch calls if a time slice begins with it: the one that
    /// [`Machine::set_slice`] was given last, none while slices are off. For decisions that
    /// [`Decision::KEEPS_SLICE`] and find that they may not. Called with interrupts masked.
    fn at_switch() -> Option<SliceSwitch>;
}
