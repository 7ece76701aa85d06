//! Owns: how the decision about an instance passes to its [`Decider`](crate::smp::closed::Decider) and comes back.
//! Must never know: how that one decides.
//!
//! Each takes so many steps as the instance has processors, whatever the number of threads: rows of threads are brought up to
//! date when they are asked about, or come to the top.

use super::System;
use crate::{
    Cpu, CpuSet,
    smp::{
        Instance, PolicyKind, Priority, ProcessorRecord, Reasons, Thread,
        closed::{Told, WAITS},
        ids::NONE,
        node::State,
        order::{Key, Level, Turns},
        thread::{Presence, ThreadRecord},
    },
};
use taktos_time::{Duration, Instant};

/// What a processor of an instance does that is closed.
#[derive(Clone, Copy)]
pub(crate) struct Held {
    pub cpu: Cpu,
    /// Who shall run there, at which priority; none for the idle thread. With its turn where the world keeps turns.
    pub heir: Option<(Thread, Priority, Option<i64>)>,
    pub executing: Executing,
}

/// Whose registers are on a processor.
#[derive(Clone, Copy)]
pub(crate) enum Executing {
    Idle,
    Thread(Thread),
    /// Those of a thread that does not exist any more.
    Nobody,
}

impl System<'_> {
    /// Whether `instance` is closed.
    #[inline(always)]
    pub(crate) fn is_closed(&self, instance: Instance) -> bool {
        self.instances
            .get(instance.index())
            .is_some_and(|record| record.closed)
    }

    /// Whether threads that are at home in `instance`, where deadlines count, are bound to processors, or were.
    pub(crate) fn binds(&self, instance: Instance) -> bool {
        let record = self.instances.get(instance.index());
        record.is_some_and(|record| record.queues.bind_some())
    }

    /// The policy of `instance`.
    pub(crate) fn policy(&self, instance: Instance) -> Option<PolicyKind> {
        let record = self.instances.get(instance.index());
        record.map(|record| record.kind)
    }

    /// The deadline of the job of `thread`, whose home is closed or that has none, is this, or it has none: nothing follows.
    pub(crate) fn note_job(&mut self, thread: Thread, deadline: Option<Instant>) {
        self.note_deadline(thread, deadline.map(|at| Level(at.as_nanos())));
    }

    /// The deadline of `thread` is this from now on, be it a job's or a server's, or it has none.
    pub(crate) fn note_deadline(&mut self, thread: Thread, deadline: Option<Level>) {
        if let Ok(id) = self.known(thread) {
            let home = self.thread(id).home;
            self.node_mut(home, id).deadline = deadline.unwrap_or(Level::NONE);
        }
    }

    /// Whether `thread` has a server.
    pub(crate) fn has_server(&self, thread: Thread) -> bool {
        self.known(thread).is_ok_and(|id| self.serves(id))
    }

    /// What the server of `thread`, which has one and is the heir of `cpu`, says; see [`Effects::serve`].
    pub(crate) fn budget_of_heir(
        &mut self,
        thread: Thread,
        cpu: Cpu,
        now: Instant,
    ) -> (Level, Duration) {
        self.charge(cpu, now);
        self.budget_of(thread.0)
    }

    /// The thread that lost `cpu` having used up its budget, until [`System::expire`] looks at it:
    /// the one thread that the tables act on without being told which, and that may be at home in
    /// an instance that is closed.
    pub(crate) fn spent_on(&self, cpu: Cpu) -> Option<Thread> {
        let spent = self.processors[cpu.index()].spent;
        (spent != NONE).then_some(Thread(spent))
    }

    /// The budget of [`System::spent_on`] was looked at.
    pub(crate) fn forget_spent(&mut self, cpu: Cpu) {
        self.processors[cpu.index()].spent = NONE;
    }

    /// `spent` lost `cpu`, whose instance was closed, having used up its budget; or nobody did. What is asked for there is unknown.
    pub(crate) fn take_over_alarm(&mut self, cpu: Cpu, spent: Option<Thread>) {
        let processor = &mut self.processors[cpu.index()];
        processor.spent = spent.map_or(NONE, |spent| spent.0);
        // Nobody asks for that.
        processor.armed = Some(Instant::MAX);
    }

    /// The rows of all threads that exist, but for the idle ones.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Thread> + use<> {
        (0..self.idle_from).map(Thread)
    }

    /// Brings the row of `thread` up to date, which is READY at `priority` in a ring of the world's, which may have kept its
    /// `turn`; those before it were brought before it. Its turn.
    pub(crate) fn bring_in_order(
        &mut self,
        thread: Thread,
        priority: Priority,
        turn: Option<i64>,
    ) -> i64 {
        self.bring_up_to_date(thread, priority, true);
        let home = self.thread(thread.0).home;
        self.set_turn(home, thread.0, turn);
        Turns::signed(self.node(home, thread.0).key.turn)
    }

    /// Brings the row of `thread` up to date: it waits, or is `ready` at `priority` and stands in a ring of the world's. Nothing where
    /// it is up to date; in an instance that is closed it waits in any case.
    pub(crate) fn bring_up_to_date(&mut self, thread: Thread, priority: Priority, ready: bool) {
        if self.known(thread).is_ok() {
            let closed = self.instances[self.thread(thread.0).home as usize].closed;
            self.catch_up(thread.0, priority, ready && !closed);
        }
    }

    /// The System decides about `instance`, which is closed. Its processors are in `held`: those with an heir by urgency, then the
    /// idle ones, the one to be taken first last. `left` are the processors that stopped idling and have not idled since.
    /// `turns` are those that are drawn next, where the world keeps turns.
    pub(crate) fn open(
        &mut self,
        instance: Instance,
        held: impl Iterator<Item = Held>,
        left: impl Told,
        turns: Option<[i64; 2]>,
        now: Instant,
    ) {
        let record = &mut self.instances[instance.index()];
        record.closed = false;
        record.openings = record.openings.wrapping_add(1);
        if let Some(turns) = turns {
            record.turns.go_on(turns);
        }
        self.gather_idle(instance.0);
        let mut empty = CpuSet::EMPTY;
        for Held {
            cpu,
            heir,
            executing,
        } in held
        {
            let id = match heir {
                Some((heir, priority, turn)) => self.install(instance.0, heir.0, priority, turn),
                None => self.first_idle(instance.0),
            };
            self.put_in(instance.0, id, cpu);
            self.thread_mut(id).cpu = cpu.index() as u8;
            self.processors[cpu.index()].heir = id;
            self.processors[cpu.index()].since = now;
            match executing {
                Executing::Thread(executing) => self.load(cpu, executing),
                Executing::Idle if heir.is_none() => self.load(cpu, Thread(id)),
                Executing::Idle => {}
                Executing::Nobody => empty = empty.with(cpu),
            }
        }
        self.load_idle(instance.0, empty, left);
    }

    /// All idle threads of `instance`, which has no others, are in the pool by urgency, and their registers nowhere.
    fn gather_idle(&mut self, instance: u8) {
        loop {
            let id = self.instances[instance as usize].places.scheduled.first;
            if id == NONE {
                return;
            }
            let cpu = self.take_out(instance, id);
            self.processors[cpu.index()].executing = NONE;
            let record = self.thread_mut(id);
            record.presence = Presence::Ready;
            record.live_on = ThreadRecord::NOWHERE;
            let (record, nodes) = self.split(instance);
            nodes[id as usize].state = State::Ready;
            record.idle.push_back(nodes, id);
        }
    }

    /// The idle threads in the pool of `instance` execute still where nobody else does, but for the processors that are `empty`: the
    /// first one on the last of the processors that were `left`.
    fn load_idle(&mut self, instance: u8, empty: CpuSet, mut left: impl Told) {
        let mut id = self.instances[instance as usize].idle.first;
        while id != NONE {
            let cpu = Cpu::masked(left.pop() as u8);
            let processor = &self.processors[cpu.index()];
            let waits = processor.executing == NONE && !empty.contains(cpu);
            if processor.owner == instance && waits {
                self.load(cpu, Thread(id));
            }
            id = self.node(instance, id).next;
        }
    }

    /// The registers on `cpu` are those of `thread`.
    pub(crate) fn load(&mut self, cpu: Cpu, thread: Thread) {
        let id = thread.0;
        let former = core::mem::replace(&mut self.processors[cpu.index()].executing, id);
        if former != NONE {
            self.thread_mut(former).live_on = ThreadRecord::NOWHERE;
        }
        self.thread_mut(id).live_on = cpu.index() as u8;
    }

    /// The thread `id` is about to hold a processor: with its `turn`, or behind those that do, before all that are READY.
    fn install(&mut self, instance: u8, id: u16, priority: Priority, turn: Option<i64>) -> u16 {
        self.catch_up(id, priority, false);
        let record = self.thread_mut(id);
        record.presence = Presence::Scheduled;
        record.reasons = Reasons::NONE;
        self.node_mut(instance, id).real = self.level_of(instance, priority);
        let level = self.wanted(instance, id);
        let (record, nodes) = self.split(instance);
        let node = &mut nodes[id as usize];
        node.sticky = 1;
        node.key = Key {
            level,
            turn: turn.map_or_else(|| record.turns.draw_early(), Turns::of_signed),
        };
        id
    }

    /// The processors of `instance`, which is open, if it can be closed: nothing of its threads spans instances, all that are READY
    /// stand in the world's rings, and each processor does what was decided. What registers are on other processors the world
    /// must look at.
    pub(crate) fn may_close(&self, instance: Instance) -> Option<CpuSet> {
        let record = self.instances.get(instance.index())?;
        let may = !record.closed
            && record.involved == 0
            && record.queues.are_empty()
            && record
                .places
                .owned
                .into_iter()
                .all(|cpu| self.is_settled(cpu))
            && self.idle_is_nowhere(instance.0);
        may.then_some(record.places.owned)
    }

    /// [`System::give`] for an instance that is closed: nothing follows in the tables, and its decider
    /// charges from now on who runs on `cpu`. A fixed number of steps.
    pub(crate) fn give_closed(&mut self, target: u8, cpu: Cpu, now: Instant) {
        self.charge(cpu, now);
        self.give(target, cpu, now, &mut ());
    }

    /// [`System::take_away`] for an instance that is closed, whose decider charges until now who ran on
    /// `cpu`: by the tables it idles already, and goes on with that. A fixed number of steps.
    pub(crate) fn take_closed(&mut self, from: u8, cpu: Cpu, now: Instant) {
        self.processors[cpu.index()].since = now;
        self.take_away(from, cpu, now, &mut ());
    }

    /// Whether the processor `cpu` does what was decided, and has nobody to ask for.
    pub(crate) fn is_settled(&self, cpu: Cpu) -> bool {
        let processor = &self.processors[cpu.index()];
        processor.asks_first == NONE
            && processor.executing == processor.heir
            && processor.spent == NONE
    }

    /// Whether no idle thread in the pool of `instance` has its registers on a processor.
    fn idle_is_nowhere(&self, instance: u8) -> bool {
        let mut id = self.instances[instance as usize].idle.first;
        while id != NONE {
            if self.thread(id).live_on != ThreadRecord::NOWHERE {
                return false;
            }
            id = self.node(instance, id).next;
        }
        true
    }

    /// The [`Decider`](crate::smp::closed::Decider) decides about `instance`, which [may be closed](System::may_close). `tell` hears
    /// who runs on each processor, and its turn, none for the idle thread, in the order of [`System::open`].
    pub(crate) fn close(
        &mut self,
        instance: Instance,
        now: Instant,
        tell: impl FnMut(Cpu, Option<(Thread, i64)>),
    ) {
        self.tell_scheduled(instance.0, tell);
        self.instances[instance.index()].closed = true;
        for cpu in self.instances[instance.index()].places.owned {
            self.charge(cpu, now);
            let id = self.instances[instance.index()].places.holder(cpu);
            if !self.is_idle_row(id) {
                self.hand_over(instance.0, id, cpu);
            }
        }
    }

    /// The turns of `instance` that are drawn next.
    pub(crate) fn next_turns(&self, instance: Instance) -> [i64; 2] {
        self.instances[instance.index()].turns.next()
    }

    fn tell_scheduled(&self, instance: u8, mut tell: impl FnMut(Cpu, Option<(Thread, i64)>)) {
        let mut id = self.instances[instance as usize].places.scheduled.first;
        while id != NONE {
            let node = self.node(instance, id);
            let owner =
                (!self.is_idle_row(id)).then_some((Thread(id), Turns::signed(node.key.turn)));
            tell(node.processor(), owner);
            id = node.next;
        }
    }

    /// The thread `id`, which runs on `cpu`, is BLOCKED, and an idle thread executes in its place.
    fn hand_over(&mut self, instance: u8, id: u16, cpu: Cpu) {
        self.take_out(instance, id);
        let node = self.node_mut(instance, id);
        node.state = State::Blocked;
        node.sticky = 0;
        let record = self.thread_mut(id);
        record.presence = Presence::Blocked;
        record.reasons = WAITS;
        let idle = self.first_idle(instance);
        self.put_in(instance, idle, cpu);
        self.thread_mut(idle).cpu = cpu.index() as u8;
        self.load(cpu, Thread(idle));
        self.processors[cpu.index()].heir = idle;
    }

    /// The processors of instances that are closed, in an instance's own words: whether `processor` is one's.
    pub(super) fn is_of_closed(&self, processor: &ProcessorRecord) -> bool {
        self.instances
            .get(processor.owner as usize)
            .is_some_and(|record| record.closed)
    }
}
