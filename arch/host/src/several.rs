//! The host with several simulated processors.
//!
//! Owns: [`HostSeveral`], the machine.
//! Must never know: the kernel; what the threads do.
//!
//! All processors run in one thread of the operating system: one acts until it comes to a point of
//! interleaving. Then an [`Order`] chooses the processor that continues. Such points are: before a
//! mask; after an unmask; at a call; at the beginning of an interrupt, and before its end takes the
//! lock; while a processor is busy, idle, or waits for the lock. Calls arrive when the order says
//! so, but in the instant in which they were made. A call that is still on its way when its
//! processor masks interrupts represents what others do between the mask and the lock.
//!
//! There is one time. A thread that is busy ([`HostSeveral::spend`]) is so at the same time as
//! those of the other processors; time passes when no processor can act at the present instant.
//! Kernel operations take no time. However, a processor that passes a hundred points of
//! interleaving in one instant loses ten microseconds, so that a thread that polls does not stop
//! the clock that the others wait for ([`HostSeveral::set_patience`]).
//!
//! The invariants of the seam are checked; if the kernel breaks one, [`HostSeveral::run`] panics
//! and reports the last events.

mod act;
mod cpu;
mod explore;
mod history;
mod lock;
mod order;
mod world;

pub use explore::each_order;
pub use order::{Chooser, Order, Step};

use crate::agenda::nanos;
use crate::alike::{machine_types, world_calls};
use crate::{Decided, End, Handler, Outcome};
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{
    Answer, Cause, Context, Decision, Machine, Processor, SliceSwitch, StackRegion, Upcalls,
};
use taktos_time::{Duration, Instant};
use world::{World, with_world};

/// The host with 1 to 64 simulated processors; [`HostSeveral::run`] sets the number.
pub struct HostSeveral;

impl Machine for HostSeveral {
    machine_types!();
    const PROCESSORS: usize = world::MOST;

    fn mask() {
        with_world(World::mask);
    }

    fn unmask((): ()) {
        with_world(World::unmask);
    }

    fn mask_here() {
        Self::mask();
    }

    fn unmask_here() {
        Self::unmask(());
    }

    fn mask_over() -> usize {
        with_world(|world| world.cpu().masked.replace(true)).into()
    }

    fn restore(before: usize) {
        if before == 0 {
            with_world(World::end_mask);
        }
    }

    fn in_interrupt() -> bool {
        with_world(|world| world.cpu().in_interrupt.get())
    }

    fn processor() -> &'static Processor {
        with_world(|world| world.cpu().cells)
    }

    fn number() -> usize {
        with_world(|world| world.here.get())
    }

    fn processor_numbered(number: usize) -> &'static Processor {
        with_world(|world| world.cpus[number].cells)
    }

    fn call(number: usize) {
        with_world(|world| world.call(number));
    }

    /// A turn of the lock, in which other processors may continue.
    fn pause() {
        Self::mask();
        Self::unmask(());
    }

    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        with_world(|world| {
            if !world.lock.is_held_by(world.here.get()) {
                world.broken("the kernel enters a decision without the lock");
            }
            let answer = if world.cpu().in_interrupt.get() {
                decide_in_interrupt::<D>(world, object, argument, timeout)
            } else {
                match D::decide(object, argument, timeout) {
                    Decided::Stay(answer) => {
                        world.give_lock_back();
                        answer
                    }
                    Decided::Switch { from, to } => world.switch(from, to, D::KEEPS_SLICE),
                }
            };
            world.end_mask();
            answer
        })
    }

    fn pend_switch() {
        with_world(|world| {
            // Each interrupt ends with a check of the heir.
            if !world.cpu().in_interrupt.get() {
                world.broken("a switch is pended outside an interrupt");
            }
        });
    }

    fn prepare(
        context: &Context,
        _: StackRegion,
        entry: extern "C" fn(usize, usize) -> !,
        first: usize,
        second: usize,
    ) {
        with_world(|world| {
            world.replace_fibre(context.stack_pointer.get());
            let fibre = world.fibres.create(move || {
                with_world(World::end_mask);
                entry(first, second)
            });
            context.stack_pointer.set(fibre);
        });
    }

    fn start() -> ! {
        with_world(World::leave_boot)
    }

    fn idle() {
        with_world(World::idle);
    }

    fn now() -> Instant {
        with_world(|world| Instant::from_nanos(world.now.get()))
    }

    fn set_alarm(at: Option<Instant>) {
        with_world(|world| world.cpu().agenda.alarm.set(nanos(at)));
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        with_world(|world| {
            for cpu in world.online() {
                cpu.agenda.set_slice(length, at_switch, world.now.get());
            }
        });
    }

    fn slice_left() -> usize {
        with_world(|world| world.cpu().agenda.slice_left(world.now.get()))
    }

    fn begin_slice(left: usize) {
        with_world(|world| world.cpu().agenda.begin_slice(left, world.now.get()));
    }

    fn at_switch() -> Option<SliceSwitch> {
        with_world(|world| world.cpu().agenda.at_switch.get())
    }
}

fn decide_in_interrupt<D: Decision<HostSeveral>>(
    world: &World,
    object: &'static D::Object,
    argument: usize,
    timeout: Timeout,
) -> Answer {
    let answer = |status| Answer { status, value: 0 };
    let answer = if D::BLOCKS {
        answer(Status::failed(Error::Context))
    } else {
        match D::decide(object, argument, timeout) {
            Decided::Stay(answer) => answer,
            // The look at the end of the interrupt makes the switch.
            Decided::Switch { .. } => answer(Status::OK),
        }
    };
    world.give_lock_back();
    answer
}

impl HostSeveral {
    world_calls!();

    /// Runs a world of `processors` processors until it ends, in the given order. `boot` runs on
    /// processor 0 with interrupts masked, prepares threads, names the first one of each processor,
    /// and calls [`Machine::start`].
    ///
    /// # Panics
    /// If there are no processors or more than 64; if a world runs already on this thread of the
    /// operating system; if the kernel violates an invariant of the seam; or if a
    /// [`HostSeveral::shielded`] part panicked.
    pub fn run<U: Upcalls>(
        processors: usize,
        order: Order,
        boot: impl FnOnce() + 'static,
    ) -> Outcome {
        world::run::<U>(processors, order, boot)
    }

    /// How many processors the present world has.
    pub fn processors() -> usize {
        with_world(|world| world.processors.get())
    }

    /// Makes the processor `number` lose ten microseconds after `points` points of interleaving in
    /// one instant, instead of at a hundred. Until the world ends.
    pub fn set_patience(number: usize, points: u32) {
        with_world(|world| world.online()[number].patience.set(points));
    }

    /// Keeps the processor busy until an interrupt has been handled or another one pokes it. For a
    /// thread that is ready all the time and acts only on commands.
    pub fn rest() {
        with_world(World::rest);
    }

    /// Ends the [`HostSeveral::rest`] of the processor `number`, if it is in one; one that loses
    /// time has lost it.
    pub fn poke(number: usize) {
        with_world(|world| world.poke(number));
    }

    /// Makes the calling processor wait until no other processor can do anything at this instant.
    /// Interrupts come in after that. Only one processor may settle at a time.
    pub fn settle() {
        with_world(World::settle);
    }

    /// Whether calls to the processor `number` stay on their way from now on. Time may pass
    /// meanwhile.
    pub fn hold(number: usize, holds: bool) {
        with_world(|world| world.online()[number].held.set(holds));
    }

    /// A point of interleaving in the calling thread: other processors may continue, and interrupts
    /// come in.
    pub fn point() {
        with_world(|world| {
            world.point();
            world.deliver();
        });
    }

    /// Runs `handler` in an interrupt of the processor `number` at `instant`, or, if that has come,
    /// at the next point at which interrupts come in there. Handlers of one instant run in the
    /// order of these calls.
    ///
    /// # Panics
    /// If the present world does not have the processor.
    pub fn interrupt_at(number: usize, instant: Instant, handler: impl FnOnce() + 'static) {
        with_world(|world| {
            world.online()[number]
                .agenda
                .add_interrupt(instant.as_nanos(), Box::new(handler));
        });
    }

    /// Runs `handler` in an interrupt of the caller's processor: now, or if interrupts are masked
    /// as soon as they are not.
    pub fn interrupt(handler: impl FnOnce() + 'static) {
        with_world(|world| {
            let here = world.here.get();
            Self::interrupt_at(here, Instant::from_nanos(world.now.get()), handler);
            world.deliver();
        });
    }

    /// Calls `watcher` for each span of time, just before it passes. No processor does anything
    /// within the span, so all are as they are now until it is over. `watcher` must not call the
    /// kernel, nor read the time. Until the world ends.
    pub fn as_time_passes(mut watcher: impl FnMut(Instant, Instant) + 'static) {
        let in_instants =
            move |from, to| watcher(Instant::from_nanos(from), Instant::from_nanos(to));
        with_world(|world| *world.watcher.borrow_mut() = Some(Box::new(in_instants)));
    }
}
