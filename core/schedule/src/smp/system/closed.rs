//! Owns: how the decision about an instance of one processor passes to its [`Solo`](crate::smp::solo::Solo) and comes back.
//! Must never know: how that one decides.
//!
//! Each takes a fixed number of steps, whatever the number of threads: rows of threads are brought up to date when they
//! are asked about, or come to the top.

use super::{System, kept::level_of};
use crate::{
    Cpu, Priority,
    smp::{
        Instance, PolicyKind, ProcessorRecord, Reasons, Thread,
        ids::NONE,
        node::State,
        order::{Key, Order},
        solo::WAITS,
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::Instant;

impl System<'_> {
    /// The processor of `instance` where it is one that can be closed: it has one processor, under fixed priorities.
    pub(crate) fn can_close(&self, instance: Instance) -> Option<Cpu> {
        let record = self.instances.get(instance.index())?;
        let owned = record.places.owned;
        (record.kind == PolicyKind::Priority && owned.count() == 1)
            .then(|| owned.lowest())
            .flatten()
    }

    /// Whether `instance` is closed.
    #[inline(always)]
    pub(crate) fn is_closed(&self, instance: Instance) -> bool {
        self.instances
            .get(instance.index())
            .is_some_and(|record| record.closed)
    }

    /// Whether the READY threads of `instance` can stand in rings of the world's.
    pub(crate) fn can_keep(&self, instance: Instance) -> bool {
        let record = self.instances.get(instance.index());
        record.is_some_and(|record| record.kind == PolicyKind::Priority)
    }

    /// The rows of all threads that exist, but for the idle ones.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.idle_from).map(Thread)
    }

    /// Brings the row of `thread` up to date, which is READY at `priority` in a ring of the world's; those before it were brought
    /// before it.
    pub(crate) fn bring_in_order(&mut self, thread: Thread, priority: Priority) {
        self.bring_up_to_date(thread, priority, true);
        let home = self.thread(thread.0).home;
        self.draw_early(home, thread.0);
    }

    /// Brings the row of `thread` up to date: it waits, or is `ready` at `priority` and stands in a ring of the world's. Nothing where
    /// it is up to date; in an instance that is closed it waits in any case.
    pub(crate) fn bring_up_to_date(&mut self, thread: Thread, priority: Priority, ready: bool) {
        if self.known(thread).is_ok() {
            let closed = self.instances[self.thread(thread.0).home as usize].closed;
            self.catch_up(thread.0, priority, ready && !closed);
        }
    }

    /// The System decides about `instance`, which is closed. On its processor runs `executing`, and `heir` shall, which is at
    /// `priority` and in no ring; none stands for the idle thread.
    pub(crate) fn open(
        &mut self,
        instance: Instance,
        executing: Option<Thread>,
        heir: Option<(Thread, Priority)>,
        now: Instant,
    ) {
        let Some(cpu) = self.can_close(instance) else {
            return;
        };
        let record = &mut self.instances[instance.index()];
        record.closed = false;
        record.openings = record.openings.wrapping_add(1);
        self.processors[cpu.index()].since = now;
        if let Some(executing) = executing {
            self.load(cpu, executing.0);
        }
        if let Some((heir, priority)) = heir {
            self.install(instance.0, cpu, heir.0, priority);
        }
    }

    /// The registers on `cpu` are those of the thread `id`.
    fn load(&mut self, cpu: Cpu, id: u16) {
        let former = core::mem::replace(&mut self.processors[cpu.index()].executing, id);
        if former != NONE {
            self.thread_mut(former).live_on = ThreadRecord::NOWHERE;
        }
        self.thread_mut(id).live_on = cpu.index() as u8;
    }

    /// The thread `id` runs on `cpu`, in place of the idle thread.
    fn install(&mut self, instance: u8, cpu: Cpu, id: u16, priority: Priority) {
        self.catch_up(id, priority, false);
        let idle = self.instances[instance as usize].places.holder(cpu);
        self.take_out(instance, idle);
        self.thread_mut(idle).presence = Presence::Ready;
        let record = self.thread_mut(id);
        record.presence = Presence::Scheduled;
        record.reasons = Reasons::NONE;
        record.cpu = cpu.index() as u8;
        let (record, nodes) = self.split(instance);
        nodes[idle as usize].state = State::Ready;
        record.idle.push_front(nodes, idle);
        let node = &mut nodes[id as usize];
        node.sticky = 1;
        node.real = level_of(priority);
        node.key = Key {
            level: node.real,
            turn: record.turns.draw(Order::Prepend),
        };
        self.put_in(instance, id, cpu);
        self.processors[cpu.index()].heir = id;
    }

    /// Whether `instance`, which is open, can be closed: nothing of its threads spans instances, all that are READY stand in the
    /// world's rings, and its processor does what was decided. What registers are on other processors the world must look at.
    pub(crate) fn may_close(&self, instance: Instance) -> Option<Cpu> {
        let cpu = self.can_close(instance)?;
        let record = &self.instances[instance.index()];
        let processor = &self.processors[cpu.index()];
        let may = !record.closed
            && record.involved == 0
            && record.queues.are_empty_levels()
            && processor.asks_first == NONE
            && processor.executing == processor.heir;
        may.then_some(cpu)
    }

    /// The [`Solo`](crate::smp::solo::Solo) decides about `instance`, which [may be closed](System::may_close). Who ran there; none
    /// for the idle thread.
    pub(crate) fn close(&mut self, instance: Instance, now: Instant) -> Option<Thread> {
        let cpu = self.can_close(instance)?;
        self.charge(cpu, now);
        let record = &mut self.instances[instance.index()];
        record.closed = true;
        let id = record.places.holder(cpu);
        if self.is_idle_row(id) {
            return None;
        }
        self.take_out(instance.0, id);
        let node = self.node_mut(instance.0, id);
        node.state = State::Blocked;
        node.sticky = 0;
        let record = self.thread_mut(id);
        record.presence = Presence::Blocked;
        record.reasons = WAITS;
        let idle = self.first_idle(instance.0);
        self.put_in(instance.0, idle, cpu);
        self.thread_mut(idle).cpu = cpu.index() as u8;
        self.load(cpu, idle);
        self.processors[cpu.index()].heir = idle;
        Some(Thread(id))
    }

    /// The processors of instances that are closed, in an instance's own words: whether `processor` is one's.
    pub(super) fn is_of_closed(&self, processor: &ProcessorRecord) -> bool {
        self.instances
            .get(processor.owner as usize)
            .is_some_and(|record| record.closed)
    }
}
