//! The host as a machine: kernel threads are coroutines, time is virtual, and nothing is random.
//! Each run of a program does the same thing, to the nanosecond.
//!
//! Owns: [`Host`] and, with several processors, [`HostSeveral`]; the worlds in which kernels run,
//! virtual time, simulated interrupts.
//! Must never know: the kernel; what the threads do.
//!
//! Each thread of the operating system has one world at a time, so tests run side by side.
//! In a world kernel operations take no time; time passes while a thread says that it is busy
//! ([`Host::spend`], [`Host::busy_until`]) and while all threads wait. The machine checks what the
//! kernel owes it (masks are not nested, decisions name the heir); where it does not, [`Host::run`]
//! panics.

mod agenda;
mod alike;
mod clock;
mod fibre;
mod isolation;
mod lines;
mod several;
mod world;

pub use lines::INTERRUPTS;
pub use several::{Chooser, HostSeveral, Order, Step, each_order};
pub use world::{End, Handler, Outcome};

use agenda::nanos;
use alike::{machine_types, world_calls};
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::{
    Answer, Cause, Context, Decision, Machine, Processor, SliceSwitch, StackRegion, Upcalls,
};
use taktos_time::{Duration, Instant};
use world::with_world;

/// The host.
pub struct Host;

/// Result of a decision for the host.
pub enum Decided {
    /// The present thread continues.
    Stay(Answer),
    /// Another one does.
    Switch {
        /// The present thread.
        from: *const Context,
        /// The other one.
        to: *const Context,
    },
}

impl taktos_machine::Outcome for Decided {
    fn switch(from: *const Context, to: *const Context) -> Self {
        Self::Switch { from, to }
    }

    fn stay(answer: Answer) -> Self {
        Self::Stay(answer)
    }
}

impl Machine for Host {
    machine_types!();

    fn mask() {
        with_world(world::World::mask);
    }

    fn unmask((): ()) {
        with_world(|world| {
            world.end_mask();
            world.let_in();
        });
    }

    fn mask_over() -> usize {
        with_world(|world| world.masked.replace(true)).into()
    }

    fn restore(before: usize) {
        if before == 0 {
            Self::unmask(());
        }
    }

    fn in_interrupt() -> bool {
        with_world(|world| world.in_interrupt.get())
    }

    fn processor() -> &'static Processor {
        with_world(|world| world.processor)
    }

    fn enter<D: Decision<Self>>(
        object: &'static D::Object,
        argument: usize,
        timeout: Timeout,
    ) -> Answer {
        with_world(|world| {
            if !world.masked.get() {
                world.broken("the kernel enters a decision without masking");
            }
            if world.in_interrupt.get() {
                return enter_in_interrupt::<D>(world, object, argument, timeout);
            }
            let answer = match D::decide(object, argument, timeout) {
                Decided::Stay(answer) => answer,
                Decided::Switch { from, to } => world.switch(from, to, D::KEEPS_SLICE),
            };
            world.end_mask();
            world.let_in();
            answer
        })
    }

    fn pend_switch() {
        with_world(|world| {
            if !world.in_interrupt.get() {
                world.broken("a switch is pended outside an interrupt");
            }
            world.switch_pended.set(true);
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
            world.fibres.discard(context.stack_pointer.get());
            let fibre = world.fibres.create(move || {
                with_world(|world| {
                    world.end_mask();
                    world.let_in();
                });
                entry(first, second)
            });
            context.stack_pointer.set(fibre);
        });
    }

    fn start() -> ! {
        with_world(world::World::leave_boot)
    }

    fn idle() {
        with_world(world::World::idle);
    }

    fn now() -> Instant {
        with_world(|world| Instant::from_nanos(world.clock.now.get()))
    }

    fn set_alarm(at: Option<Instant>) {
        with_world(|world| world.clock.agenda.alarm.set(nanos(at)));
    }

    fn advance(by: Duration) -> bool {
        with_world(|world| {
            let now = world.clock.now.get();
            world.clock.advance(now.saturating_add(by.as_nanos()));
        });
        true
    }

    fn set_slice(length: Option<Duration>, at_switch: SliceSwitch) {
        with_world(|world| {
            let clock = &world.clock;
            clock.agenda.set_slice(length, at_switch, clock.now.get());
        });
    }

    fn slice_left() -> usize {
        with_world(|world| world.clock.agenda.slice_left(world.clock.now.get()))
    }

    fn begin_slice(left: usize) {
        with_world(|world| world.clock.agenda.begin_slice(left, world.clock.now.get()));
    }

    fn at_switch() -> Option<SliceSwitch> {
        with_world(|world| world.clock.agenda.at_switch.get())
    }
}

fn enter_in_interrupt<D: Decision<Host>>(
    world: &world::World,
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
            Decided::Switch { .. } => {
                world.switch_pended.set(true);
                answer(Status::OK)
            }
        }
    };
    world.end_mask();
    answer
}

impl Host {
    world_calls!();

    /// Runs a world until it ends. `boot` runs with interrupts masked, prepares threads and calls
    /// [`Machine::start`].
    ///
    /// # Panics
    /// If a world runs already on this thread of the operating system, or if a [`Host::shielded`]
    /// part of this one panicked.
    pub fn run<U: Upcalls>(boot: impl FnOnce() + 'static) -> Outcome {
        world::run::<U>(boot)
    }

    /// Runs `handler` in an interrupt at `instant`, or, if that has come, at the next point at
    /// which interrupts come in: at an unmasking, while a thread is busy, while all wait. Handlers
    /// of one instant run in the order of these calls.
    pub fn interrupt_at(instant: Instant, handler: impl FnOnce() + 'static) {
        with_world(|world| {
            world
                .clock
                .agenda
                .add_interrupt(instant.as_nanos(), Box::new(handler))
        });
    }

    /// Runs `handler` in an interrupt, now or as soon as interrupts are not masked.
    pub fn interrupt(handler: impl FnOnce() + 'static) {
        Self::interrupt_at(Self::now(), handler);
        with_world(world::World::deliver);
    }

    /// Makes `handler` handle the interrupt `number`, and lets it through: now, if it waits for
    /// that.
    pub fn set_handler(number: u32, handler: fn()) {
        let waits = with_world(|world| world.lines.borrow_mut().enable(number, handler));
        if let Some(handler) = waits {
            Self::interrupt(handler);
        }
    }

    /// Keeps the interrupt `number` from its handler. Where it becomes pending meanwhile it waits.
    pub fn disable_interrupt(number: u32) {
        with_world(|world| world.lines.borrow_mut().disable(number));
    }

    /// Makes the interrupt `number` pending, as its device would.
    pub fn pend_interrupt(number: u32) {
        if let Some(handler) = with_world(|world| world.lines.borrow_mut().pend(number)) {
            Self::interrupt(handler);
        }
    }
}
