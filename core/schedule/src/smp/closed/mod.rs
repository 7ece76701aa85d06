//! Owns: the ready threads of an instance that has one processor under fixed priorities, while nothing that spans
//! instances touches it: the queue of the kernel on one processor, with an heir that is known at all times.
//! Must never know: helping, affinity, what another instance does.
//!
//! Such an instance is *closed*: its [`Solo`] decides, and the [`System`](super::System) knows its threads as blocked and its
//! processor as idle. What spans instances (a cluster mutex, a second processor, a thread that is moved while it executes)
//! *opens* it: then the System decides, and the rings here hold its READY threads. [`Router`] opens and closes.
//!
//! The laws, while closed: the heir of the processor is the first of its equals, and none is more urgent, or it is the idle
//! thread; a thread at home here has its registers nowhere, or on that very processor.

mod router;

pub use router::{Kept, Router, Rows};

use super::{Instance, Reasons};
use crate::{Links, Priority, ReadyQueue, Ring};
use core::cell::Cell;

/// The one reason for which threads that a [`Solo`] decides about are blocked otherwise: they wait, for whatever it is. (Of
/// the reasons the one that lets a thread be moved.)
pub const WAITS: Reasons = Reasons::TIME;

/// What a [`Solo`] must know of the threads and the processors of its world.
pub trait World: Links {
    /// Names a processor's two words: who shall run there and who does.
    type Seat: Copy;

    /// The priority by which `id` is scheduled.
    fn priority(&self, id: Self::Id) -> Priority;

    /// Who shall run there; it is known.
    fn heir(&self, seat: Self::Seat) -> Self::Id;

    /// Whose registers are there.
    fn current(&self, seat: Self::Seat) -> Self::Id;

    /// Decides who shall run there.
    fn set_heir(&self, seat: Self::Seat, heir: Self::Id);

    /// A counter that runs as the time does, in a unit of the world's own.
    fn ticks(&self) -> u64;

    /// `id` was the heir of its processor for `ticks`.
    fn charge(&self, id: Self::Id, ticks: u64);

    /// The processor `cpu` has another heir: it is to look. Nothing for the one that calls.
    fn call(&self, seat: Self::Seat, cpu: usize);
}

/// The queue of an instance of one processor. See the module's head for its laws.
#[repr(C)]
pub struct Solo<Id, Seat> {
    /// That of its processor; none while the instance is open.
    seat: Cell<Option<Seat>>,
    /// The counter when the heir became the heir.
    since: Cell<u64>,
    cpu: Cell<usize>,
    /// The row of its instance.
    instance: Cell<u8>,
    /// Whether READY threads stand here while it is open.
    keeps: Cell<bool>,
    ready: ReadyQueue<Id>,
}

impl<Id: Copy + Eq, Seat: Copy> Solo<Id, Seat> {
    /// One that is open, and has no thread.
    #[expect(
        clippy::declare_interior_mutable_const,
        reason = "a pattern for array elements"
    )]
    pub const OPEN: Self = Self {
        seat: Cell::new(None),
        since: Cell::new(0),
        cpu: Cell::new(0),
        instance: Cell::new(0),
        keeps: Cell::new(false),
        ready: ReadyQueue::EMPTY,
    };

    /// Whether its threads stand here when they are READY, open or closed: its policy is that of fixed priorities.
    #[inline(always)]
    pub fn keeps(&self) -> bool {
        self.keeps.get()
    }

    /// Its instance.
    #[inline(always)]
    pub fn instance(&self) -> Instance {
        Instance(self.instance.get())
    }

    /// Its processor's seat; none while the instance is open.
    #[inline(always)]
    pub fn closed(&self) -> Option<Seat> {
        self.seat.get()
    }

    /// The heir of the processor is another from now on, and the former one is charged.
    #[inline(always)]
    fn set_heir<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, heir: Id) {
        self.charge_heir(w, seat);
        w.set_heir(seat, heir);
    }

    /// Charges the heir until now.
    #[inline(always)]
    pub fn charge_heir<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat) {
        let now = w.ticks();
        let since = self.since.replace(now);
        w.charge(w.heir(seat), now.wrapping_sub(since));
    }

    /// The same for the heir of perhaps another processor, which is called, unless it was called before.
    #[inline(always)]
    fn appoint<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat, heir: Id) {
        let was_called = w.heir(seat) != w.current(seat);
        self.set_heir(w, seat, heir);
        if !was_called {
            w.call(seat, self.cpu.get());
        }
    }

    /// Makes the most urgent one the heir.
    #[inline(always)]
    pub fn refresh<W: World<Id = Id, Seat = Seat>>(&self, w: &W, seat: Seat) {
        if let Some(top) = self.ready.top()
            && top != w.heir(seat)
        {
            self.appoint(w, seat, top);
        }
    }

    /// Makes `id`, a ring of its own, ready behind its equals. Whether it is the heir.
    #[inline(always)]
    pub fn append<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) -> bool {
        if !self.ready.append(w, id, priority) {
            return false;
        }
        let urgent = priority.beats(w.priority(w.heir(seat)));
        if urgent {
            self.appoint(w, seat, id);
        }
        urgent
    }

    /// Makes `id`, a ring of its own, ready in front of its equals.
    pub fn prepend<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) {
        self.ready.prepend(w, id, priority);
        self.refresh(w, seat);
    }

    /// Takes out `id`, which is ready at `priority`; it is then a ring of its own.
    pub fn remove<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) {
        self.ready.remove(w, id, priority);
        self.refresh(w, seat);
    }

    /// Takes out the heir, which runs on the calling processor; who is the heir then.
    #[inline(always)]
    pub fn retire<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        heir: Id,
        priority: Priority,
    ) -> Id {
        let next = self.ready.retire(w, heir, priority).unwrap_or(heir);
        self.set_heir(w, seat, next);
        next
    }

    /// The heir, which runs on the calling processor, goes behind its equals; who is the heir then.
    #[inline(always)]
    pub fn advance<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        heir: Id,
        priority: Priority,
    ) -> Id {
        let next = self.ready.advance(w, heir, priority);
        self.set_heir(w, seat, next);
        next
    }

    /// `receiver`, a ring of its own, takes the place of `sender`, the heir, which runs on the calling processor and goes
    /// behind its equals.
    #[inline(always)]
    pub fn take_turn<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        receiver: Id,
        sender: Id,
        priority: Priority,
    ) {
        self.ready.take_turn(w, receiver, sender, priority);
        self.set_heir(w, seat, receiver);
    }

    /// `id`, which is ready at `old`, gets the priority that it has in `w` once `set` was called: behind or in front of its new
    /// equals.
    pub fn change<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        old: Priority,
        set: impl FnOnce(),
        first: bool,
    ) {
        self.ready.remove(w, id, old);
        set();
        let priority = w.priority(id);
        if first {
            self.ready.prepend(w, id, priority);
        } else {
            self.ready.append(w, id, priority);
        }
        self.refresh(w, seat);
    }

    /// Makes `id`, which is ready, the first of its equals.
    pub fn bring_to_front<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) {
        self.ready.bring_to_front(w, id, priority);
        self.refresh(w, seat);
    }

    /// Whether `id` is the first of the ready ones of `priority`.
    #[inline(always)]
    pub fn is_first(&self, id: Id, priority: Priority) -> bool {
        self.ready.head(priority) == Some(id)
    }

    /// Puts `id`, which is ready, behind its equals, if it is the first of them.
    pub fn rotate<W: World<Id = Id, Seat = Seat>>(
        &self,
        w: &W,
        seat: Seat,
        id: Id,
        priority: Priority,
    ) {
        if self.is_first(id, priority) && !w.is_alone(id) {
            self.ready.rotate(w, priority);
            self.refresh(w, seat);
        }
    }
}
