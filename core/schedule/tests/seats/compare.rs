//! Owns: whether the two systems are alike, and in which kinds of differences they part.
//! Must never know: which operations follow each other.

use super::board::{THREADS, instance, row};
use super::common::{at, cpu};
use super::pair::Pair;
use taktos_schedule::smp::seats::{Rows, Sight, World};
use taktos_schedule::smp::{Level as Standing, Lock, Protocol, Thread};
use taktos_schedule::{Cpu, CpuSet};
use taktos_time::Duration;

impl Pair<'_> {
    /// Whether seats of the instance of the processor `number` are lent.
    pub fn lends_on(&self, number: usize) -> bool {
        let owner = self.plain.instance_of_cpu(cpu(number));
        owner.is_ok_and(|owner| self.board.homes[owner.index()].lends())
    }

    /// Whether the instance of `cpu` has owners with seats, or lends.
    pub fn is_watched_on(&self, cpu: Cpu) -> bool {
        let owner = self.plain.instance_of_cpu(cpu);
        owner.is_ok_and(|owner| self.router.watches_owners(owner))
    }

    /// The threads that shall run, by both.
    pub fn compare(&self) {
        for number in 0..self.cpus {
            let (ours, theirs) = self.heirs(number);
            assert_eq!(ours, theirs, "the heir of processor {number}");
        }
    }

    /// The heirs of the processor `number`, by seats and by the oracle; none for an idle thread.
    pub fn heirs(&self, number: usize) -> (Option<Thread>, Option<Thread>) {
        let no_idle = |row: Option<Thread>| row.filter(|row| row.index() < THREADS);
        let theirs = no_idle(self.plain.heir(cpu(number)));
        let Some(decider) = self.decides(number) else {
            return (None, theirs);
        };
        assert!(
            !self.board.is_due(number) || self.board.called.get().contains(cpu(number)),
            "processor {number} was called"
        );
        let owner = match self.lends_on(number) {
            true => self.router.told_user(self.board, cpu(number)),
            false => decider.owner(self.board, number),
        };
        (owner.and_then(|id| self.board.row(id)), theirs)
    }

    /// Whether idle threads execute elsewhere than the oracle has it. Seats do not keep its idle
    /// threads; and by the oracle a processor that came while it had the registers of a thread that
    /// is no more has no idle thread's yet.
    pub fn idle_threads_differ(&self) -> bool {
        let by_tables = |cpu| {
            let executing = self.plain.executing(cpu);
            executing.is_some_and(|row| row.index() >= THREADS)
        };
        let mut online = CpuSet::first(self.cpus).into_iter();
        !self.kept_idle.is_empty() || online.any(|cpu| self.idles(cpu) != by_tables(cpu))
    }

    /// Whether in each instance the threads run that should, and some on other processors.
    pub fn differs_in_places_alone(&self) -> bool {
        let heirs: Vec<_> = (0..self.cpus).map(|number| self.heirs(number)).collect();
        let differs = heirs.iter().any(|(ours, theirs)| ours != theirs);
        let agrees = (0..self.instances).all(|index| {
            let cpus = self.plain.processors(instance(index)).unwrap();
            let all = || cpus.into_iter().map(|cpu| heirs[cpu.index()]);
            let mut ours: Vec<_> = all().map(|(ours, _)| ours).collect();
            let mut theirs: Vec<_> = all().map(|(_, theirs)| theirs).collect();
            ours.sort_unstable_by_key(|row| row.map(Thread::index));
            theirs.sort_unstable_by_key(|row| row.map(Thread::index));
            ours == theirs
        });
        differs && agrees
    }

    /// Returns whether others run than by the tables, if seats were lent. By the tables an owner
    /// comes in itself among the equals of its waiter, and tries instances in another order if it
    /// loses a processor by a change of its priority. Under MrsP it displaces the last of those
    /// next to it; under weak affinity others are tried again if it may be helped there, or no
    /// more. So the systems part; the invariants of loans hold all the same, see
    /// [`Pair::check_loans`].
    pub fn differs_by_a_loan(&self) -> bool {
        let mut heirs = (0..self.cpus).map(|number| self.heirs(number));
        let lent = self.has_lent || (0..self.cpus).any(|number| self.lends_on(number));
        lent && heirs.any(|(ours, theirs)| ours != theirs)
    }

    /// Returns the end of the chain from `id`, which waits for a lock with an owner that is helped;
    /// none if it waits for no such lock.
    pub fn end_for(&self, id: usize) -> Option<usize> {
        let next = |id: usize| {
            let lock = self.plain.waits_for(row(id)).ok()??;
            let helped = !self.is_apart(lock);
            let owner = self.plain.owner(lock).unwrap().filter(|_| helped)?;
            Some(owner.index())
        };
        std::iter::successors(next(id), |id| next(*id)).last()
    }

    /// Checks the invariants of loans, as they follow from the waits of threads. In each instance
    /// that lends, no place without a seat is more urgent than one with a seat, except those of
    /// ends that run elsewhere.
    pub fn check_loans(&self) {
        let board = self.board;
        let runs = |id: usize| (0..self.cpus).any(|number| self.heirs(number).0 == Some(row(id)));
        let all = || 0..self.made;
        let is_bound = |id| {
            self.plain.affinity(row(id)) != Ok(CpuSet::first(self.cpus))
                || self.plain.pinned_to(row(id)).is_some()
        };
        let masked = all().any(is_bound);
        for home in 0..self.instances {
            let cpus = self.plain.processors(instance(home)).unwrap();
            if !board.homes[home].lends() || cpus.is_empty() {
                continue;
            }
            let owners: Vec<_> = (cpus.into_iter())
                .map(|cpu| self.router.seat_owner(board, cpu))
                .collect();
            let standing = |id: usize| board.homes[home].standing(board, id);
            let owners_stand = owners.iter().map(|owner| owner.map(standing));
            let last = owners_stand
                .map(|level| level.unwrap_or(Standing::NONE))
                .max()
                .unwrap();
            for id in all().filter(|id| board.home[*id].get() == home) {
                let has_seat = owners.contains(&Some(id));
                let (end, ready) = (self.end_for(id), self.could_run(id));
                let end_is_ready = end.is_some_and(|end| self.could_run(end));
                let end_runs = end.is_some_and(runs);
                assert!(
                    !has_seat || ready || end_is_ready,
                    "thread {id} has a seat for nobody"
                );
                assert!(
                    masked || !has_seat || !end_is_ready || end_runs || !self.may_be_helped(end),
                    "thread {id} has a seat, and its end {end:?} does not run"
                );
                let stands = match ready {
                    true => !runs(id),
                    false => end_is_ready && !end_runs && self.may_be_helped(end),
                };
                assert!(
                    masked || !stands || has_seat || standing(id) >= last,
                    "thread {id} is more urgent than the owner of a seat of its instance"
                );
            }
        }
    }

    /// A processor where a thread with a server runs, or is to, has its alarm for that.
    pub fn check_alarms(&self) {
        for number in (0..self.cpus).filter(|number| self.decides(*number).is_some()) {
            let user = self.heirs(number).0;
            let serves = user.is_some_and(|user| self.plain.server(user, at(self.now)).is_ok());
            assert!(
                !serves || self.board.armed[number].get().is_some(),
                "processor {number} has no alarm for {user:?}"
            );
        }
    }

    /// Whether `id` is ready, and not throttled.
    pub fn could_run(&self, id: usize) -> bool {
        self.board.ready[id].get() && !self.is_throttled(id)
    }

    /// Whether the thread `end` may run in another instance than its own.
    pub fn may_be_helped(&self, end: Option<usize>) -> bool {
        end.is_some_and(|end| self.plain.pinned_to(row(end)).is_none())
    }

    /// Lets an idle processor of a cluster that shall continue to idle look at once: which of the
    /// idle threads is meant makes no difference to it.
    pub fn look_while_idle(&mut self) {
        for number in 0..self.cpus {
            let idles = |row: Option<Thread>| row.filter(|row| row.index() >= THREADS);
            let heir = idles(self.plain.heir(cpu(number)));
            let executing = idles(self.plain.executing(cpu(number)));
            let idles_on = heir.is_some() && executing.is_some() && heir != executing;
            if idles_on {
                self.dispatch(number);
            }
        }
    }

    /// The thread that runs on the processor `number`, be it that another is to.
    pub fn current(&self, number: usize) -> Option<usize> {
        let id = self.board.current[number].get();
        (id < THREADS && self.board.ready[id].get()).then_some(id)
    }

    /// The thread that runs on a processor where no decision is due.
    pub fn runner(&self, number: usize) -> Option<usize> {
        let id = self.board.current[number].get();
        let settled =
            self.board.heir[number].get() == Some(id) && !self.flags.0.contains(cpu(number));
        (settled && id < THREADS).then_some(id)
    }

    /// Answers threads that request help before the next operation, as seats are lent at once.
    pub fn helps_at_once(&mut self) {
        for number in 0..self.cpus {
            self.plain(|system, now, flags| system.answer(cpu(number), now, flags));
        }
    }

    pub fn is_free(&self, lock: Lock) -> bool {
        self.plain.owner(lock) == Ok(None)
    }

    /// Returns whether the waiters of `lock` make a difference to no thread, as its protocol says.
    pub fn is_apart(&self, lock: Lock) -> bool {
        matches!(
            self.protocols[lock.index()],
            Protocol::None | Protocol::Ceiling
        )
    }

    /// The owners of locks, and how urgent that makes threads.
    pub fn compare_owners(&mut self, locks: &[Lock]) {
        for lock in locks {
            let owner = self.plain.owner(*lock);
            assert_eq!(
                self.router.system().owner(*lock),
                owner,
                "the owner of {lock:?}"
            );
        }
        for id in 0..self.made {
            // A thread that waits inherits by its row alone.
            if self.lends(id) && !self.board.ready[id].get() {
                continue;
            }
            let ours = self.home(id).standing(self.board, id);
            let theirs = self.plain.standing(row(id));
            // A server's deadline is set again when its thread becomes ready.
            assert!(
                theirs == Ok(ours) || self.plain.server(row(id), at(self.now)).is_ok(),
                "thread {id} is as urgent as {ours:?}, and {theirs:?}"
            );
            let is_raised = self.board.priority[id].get() != self.board.own[id].get();
            self.count.owned += usize::from(is_raised);
        }
    }

    /// Makes the acting processor check its heir by itself.
    pub fn looks_itself(&self, number: usize) {
        if self.board.heir[number].get() != Some(self.board.current[number].get()) {
            let called = self.board.called.get().with(cpu(number));
            self.board.called.set(called);
        }
    }

    /// The threads that have processors, and those that are ready, by seats and tables and by the
    /// tables alone, in order.
    pub fn compare_order(&mut self) {
        assert_eq!(self.router.check(self.board), Ok(()));
        let sight = self.router.look(self.board);
        // If seats are lent, others represent a thread that waits.
        let lends = |index: &usize| self.board.homes[*index].lends();
        let instances = (0..self.instances).filter(|index| !lends(index));
        for instance in instances.map(instance) {
            let no_idle = |row: Thread| (row.index() < THREADS).then_some(row);
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            sight.for_each_scheduled(instance, &mut |row, cpu| {
                ours.extend(no_idle(row).zip(Some(cpu)))
            });
            (self.plain).for_each_scheduled(instance, |row, cpu| {
                theirs.extend(no_idle(row).zip(Some(cpu)))
            });
            assert_eq!(ours, theirs, "who has the processors of {instance:?}");
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            sight.for_each_ready(instance, &mut |row| ours.push(row));
            self.plain.for_each_ready(instance, |row| theirs.push(row));
            assert_eq!(ours, theirs, "who waits for one of {instance:?}");
        }
    }

    /// How long each was the heir of a processor, and what is left of budgets.
    pub fn compare_times(&mut self) {
        let now = at(self.now);
        for home in &self.board.homes[..self.instances] {
            self.router.charge_all(self.board, home);
        }
        let charged = |id: usize| Duration::from_nanos(self.board.charged[id].get());
        for id in 0..self.made {
            let theirs = self.plain.cpu_time(row(id), now);
            assert_eq!(Ok(charged(id)), theirs, "thread {id}");
            if self.budgets_differ {
                continue;
            }
            // The rows count from what is charged to the thread in all.
            let server = self.router.system().server(row(id));
            let server =
                server.map(|(left, deadline)| (left.saturating_sub(charged(id)), deadline));
            let theirs = self.plain.server(row(id), now);
            assert_eq!(server, theirs, "the server of thread {id}");
            assert_eq!(
                self.router.system().is_throttled(row(id)),
                self.is_throttled(id),
                "whether thread {id} is throttled"
            );
        }
        for number in 0..self.cpus {
            let theirs = self.plain.idle_time(cpu(number), now);
            // One that no instance has idles by its row.
            let alone = self.router.system().idle_time(cpu(number), now);
            let ours = alone.saturating_add(charged(THREADS + number));
            assert_eq!(ours, theirs, "idle time of processor {number}");
        }
    }

    pub fn count(&mut self) {
        let is_guest = |cpu: &Cpu| {
            let user = self.router.told_user(self.board, *cpu);
            user.is_some() && user != self.router.seat_owner(self.board, *cpu)
        };
        let online = CpuSet::first(self.cpus).into_iter();
        self.count.guests += online.filter(is_guest).count();
        self.count.acts += 1;
        let is_abroad = |id: &usize| {
            let host = self.router.system().pinned_to(row(*id));
            let host = host.and_then(|cpu| self.plain.instance_of_cpu(cpu).ok());
            let home = self.board.home[*id].get();
            self.lends(*id) && host.is_some_and(|host| host.index() != home)
        };
        self.count.abroad += (0..self.made).filter(is_abroad).count();
        let throttled = |id: &usize| self.is_throttled(*id);
        self.count.throttled += (0..self.made).filter(throttled).count();
        let is_bound = |id: &usize| {
            let affinity = self.plain.affinity(row(*id)).unwrap_or(CpuSet::ALL);
            let binds = self.plain.pinned_to(row(*id)).is_some() || affinity.count() == 1;
            binds && self.plain.server(row(*id), at(self.now)).is_ok()
        };
        self.count.bound += usize::from((0..self.made).any(|id| is_bound(&id)));
    }

    pub fn waits_for_lock(&self, id: usize) -> bool {
        self.plain
            .waits_for(row(id))
            .is_ok_and(|lock| lock.is_some())
    }
}
