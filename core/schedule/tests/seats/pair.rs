//! Owns: a system of instances that seats decide about, next to the oracle: the execution of each
//! operation in both. Must never know: the sequence of operations.

use super::board::{Board, THREADS, instance, level, row};
use super::common::{Flags, at, cpu};
use super::mood::{Count, Mood};
use taktos_schedule::smp::seats::{
    Act, Deadlines, Decider, Driver, Home, Place, Router, Waiting, World,
};
use taktos_schedule::smp::{Error, Instance, Lock, Obtained, Protocol, Reasons, Thread};
use taktos_schedule::{Cpu, CpuSet, Priority, ReadyQueue, Ring};
use taktos_schedule_oracle::Dispatch;
use taktos_schedule_oracle::System as Oracle;
use taktos_time::{Duration, Instant};

/// The kernel's one reason.
const WAITS: Reasons = Reasons::TIME;

/// The two systems side by side.
pub struct Pair<'a> {
    pub plain: Oracle,
    pub flags: Flags,
    pub router: Router<'a, usize, usize>,
    pub board: &'a Board<'a>,
    pub instances: usize,
    pub cpus: usize,
    pub made: usize,
    pub now: u64,
    pub acting: usize,
    pub mood: Mood,
    pub count: Count,
    pub protocols: Vec<Protocol>,
    /// The processors that were to leave their idle threads when an alarm had them idle on: by the
    /// tables each may have another idle thread than by seats, and so another age among those that
    /// idle, until it executes a thread.
    pub kept_idle: CpuSet,
    /// Whether idle threads differed when the present operation began.
    pub idle_threads_differ: bool,
    /// Whether the systems part in the present operation, by one of the differences that are
    /// counted.
    pub parts: bool,
    /// Whether a budget was checked by one of them alone.
    pub budgets_differ: bool,
    /// Whether seats were lent, or a thread waited for an owner that has one, if a thread without
    /// one may be tried again by that in the tables alone.
    pub has_lent: bool,
    /// Whether threads are tried again in an instance.
    pub tries_again: bool,
}

/// The thread that runs on the processor `number`, as was answered.
fn runs(chosen: Result<Dispatch, Error>, number: usize) -> usize {
    match chosen {
        Ok(Dispatch::Run(row)) if row.index() < THREADS => row.index(),
        _ => THREADS + number,
    }
}

type Driving<'d, 'a> = Driver<'d, 'a, Board<'a>, ReadyQueue<usize>, 8>;

impl<'a> Pair<'a> {
    /// Does something by seats.
    pub fn drive<R>(&mut self, operate: impl FnOnce(&mut Driving<'_, 'a>) -> R) -> R {
        operate(&mut self.router.drive(self.board, at(self.now)))
    }

    /// The home of `id`.
    pub fn home(&self, id: usize) -> &'a Home<usize, usize> {
        &self.board.homes[self.board.home[id].get()]
    }

    /// Counts an act of `id` where owners are watched.
    fn count_act(&mut self, id: usize, act: Act) {
        let home = self.home(id);
        if home.is_watched() {
            let stays = !home.lends() && self.router.owners_stay(self.board, id, act);
            self.count.seated += usize::from(stays);
            self.count.displaced += usize::from(!stays);
        }
    }

    /// All that `acts` does is settled once, in every second case.
    pub fn together(&mut self, word: u64, acts: impl FnOnce(&mut Self)) {
        let begins = word.count_ones().is_multiple_of(2) && self.router.begin_together();
        acts(self);
        if begins {
            self.router.end_together(self.board);
        }
    }

    /// Lets the seats follow the waits of threads.
    fn settle_seats(&mut self) {
        self.router.settle(self.board);
    }

    /// Whether seats of the home of `id` are lent.
    pub fn lends(&self, id: usize) -> bool {
        self.home(id).lends()
    }

    /// Returns the decider about the processor `number`; none if no instance has that.
    pub fn decides(&self, number: usize) -> Option<Decider<'a, usize, usize>> {
        let owner = self.plain.instance_of_cpu(cpu(number)).ok()?;
        Some(self.board.homes[owner.index()].decider())
    }

    /// Puts `id`, which is ready no more, into a queue of the world's with another that waits.
    fn stands_waiting(&self, id: usize) {
        if self.plain.spins(row(id)) || self.waits_for_lock(id) {
            // It keeps its place at home, or may represent the owner there.
            return;
        }
        assert!(
            self.board.is_alone(id),
            "thread {id} waits and is in a ring of ready ones"
        );
        let queues = |other: usize| !self.board.ready[other].get() && !self.waits_for_lock(other);
        let other = (0..self.made).find(|&other| other != id && queues(other));
        if let Some(other) = other {
            self.board.join_before(id, other);
            self.board.queued[id].set(true);
            self.board.queued[other].set(true);
        }
    }

    /// `id`, which waited, is about to be ready. One that waited for a lock may represent the
    /// owner at home, which seats end.
    fn stops_waiting(&self, id: usize) {
        if self.board.queued[id].take() {
            self.board.leave(id);
        }
    }

    /// Calls the oracle alone.
    pub fn plain<R>(&mut self, tell: impl FnOnce(&mut Oracle, Instant, &mut Flags) -> R) -> R {
        self.plain.act_on(cpu(self.acting));
        tell(&mut self.plain, at(self.now), &mut self.flags)
    }

    pub fn ready(&mut self, id: usize, place: Place) {
        self.stops_waiting(id);
        self.plain(|system, now, flags| match place {
            Place::Last => system.unblock(row(id), WAITS, now, flags).unwrap(),
            Place::First => system.unblock_in_front(row(id), WAITS, now, flags).unwrap(),
        });
        self.count_act(id, Act::Enter(place));
        self.board.ready[id].set(true);
        self.drive(|driver| driver.ready(id, place));
    }

    pub fn block(&mut self, id: usize) {
        self.plain(|system, now, flags| system.block(row(id), WAITS, now, flags).unwrap());
        let (board, here) = (self.board, self.acting);
        let priority = board.priority(id);
        let runs_here = board.current(here) == id;
        let next = match self.home(id).direct() {
            Some(Decider::Solo(solo)) if runs_here && board.heir(here) == id => {
                Some(solo.retire(board, here, id, priority))
            }
            Some(Decider::Cluster(cluster)) if runs_here => {
                Some(cluster.retire(board, here, id, priority))
            }
            Some(Decider::Edf(edf)) if runs_here => {
                Some(edf.retire(board, here, id, Deadlines::urgency(board, id)))
            }
            Some(Decider::Served(served)) if runs_here => {
                Some(served.retire(board, here, id, Deadlines::urgency(board, id)))
            }
            _ => None,
        };
        self.board.ready[id].set(false);
        match next {
            Some(next) => assert_eq!(next, board.heir(here)),
            None => {
                self.count_act(id, Act::Leave);
                self.drive(|driver| driver.block(id));
            }
        }
        self.stands_waiting(id);
    }

    pub fn set_priority(&mut self, id: usize, priority: Priority, place: Place) {
        if self.board.own[id].get() == priority {
            return;
        }
        self.plain(|system, now, flags| {
            match place {
                Place::Last => system.set_priority(row(id), level(priority), now, flags),
                Place::First => system.set_priority_in_front(row(id), level(priority), now, flags),
            }
            .unwrap();
        });
        self.count.changed += usize::from(!self.board.ready[id].get() && self.waits_for_lock(id));
        self.count_act(id, Act::Change(level(priority), place));
        self.drive(|driver| driver.set_priority(id, level(priority), place));
    }

    /// Puts `id`, which is ready, after its equals or in front of them.
    pub fn goes(&mut self, id: usize, place: Place) {
        let (board, here) = (self.board, self.acting);
        let priority = board.priority(id);
        if let Decider::Solo(solo) = self.home(id).decider()
            && !solo.is_first(id, priority)
        {
            // The turn of one that does not have it cannot be given away: another rule than the
            // oracle's.
            return;
        }
        self.plain(|system, now, flags| {
            match place {
                Place::Last => system.yield_now(row(id), now, flags),
                Place::First => system.go_in_front(row(id), now, flags),
            }
            .unwrap();
        });
        let last = place == Place::Last && board.current(here) == id;
        let next = match self.home(id).direct() {
            Some(Decider::Solo(solo)) if last && board.heir(here) == id => {
                Some(solo.advance(board, here, id, priority))
            }
            Some(Decider::Cluster(cluster)) if last => {
                Some(cluster.advance(board, here, id, priority))
            }
            Some(Decider::Edf(edf)) if last => {
                Some(edf.advance(board, here, id, Deadlines::urgency(board, id)))
            }
            Some(Decider::Served(served)) if last => {
                Some(served.advance(board, here, id, Deadlines::urgency(board, id)))
            }
            _ => None,
        };
        match next {
            Some(next) => assert_eq!(next, board.heir(here)),
            None => {
                self.count_act(id, Act::Requeue(place));
                self.drive(|driver| driver.requeue(id, place));
            }
        }
    }

    /// The `sender`, which runs on the acting processor, lets `receiver`, which waits, have its
    /// turn.
    pub fn direct_switch(&mut self, sender: usize, receiver: usize) {
        let board = self.board;
        let priority = board.priority(sender);
        let differs =
            board.home[sender] != board.home[receiver] || board.priority(receiver) != priority;
        // Where only the slow ways find the decider, the world hands no turn.
        let Some(decider) = self.home(sender).direct().filter(|_| !differs) else {
            return self.ready(receiver, Place::Last);
        };
        if matches!(decider, Decider::Solo(_)) && board.heir(self.acting) != sender {
            self.ready(receiver, Place::First);
            return self.goes(sender, Place::Last);
        }
        self.plain(|system, now, flags| {
            system
                .unblock_in_front(row(receiver), WAITS, now, flags)
                .unwrap();
            system.yield_now(row(sender), now, flags).unwrap();
        });
        self.stops_waiting(receiver);
        board.ready[receiver].set(true);
        let (router, now) = (&mut self.router, at(self.now));
        let renew = |served: &_| router.renew(board, served, receiver, now);
        decider.direct_switch(board, self.acting, receiver, sender, renew);
    }

    /// Whether the instance `home` has another decider once a thread is bound there to a processor.
    pub fn changes_to_bind(&self, home: usize) -> bool {
        let decider = self.board.homes[home].decider();
        matches!(decider, Decider::Edf(_) | Decider::Served(_))
    }

    /// `id` has a job with this deadline, or none.
    pub fn job(&mut self, id: usize, deadline: Option<Instant>) {
        if !self.home(id).knows_deadlines() {
            return;
        }
        self.plain(|system, now, flags| match deadline {
            Some(deadline) => system.release_job(row(id), deadline, now, flags).unwrap(),
            None => system.cancel_job(row(id), now, flags).unwrap(),
        });
        let now = at(self.now);
        self.router.set_job(self.board, id, deadline, now).unwrap();
    }

    /// `id`, which waits, has a server with this budget and period, or none.
    pub fn serve(&mut self, id: usize, server: Option<(Duration, Duration)>) {
        let ours = self.router.set_server(self.board, id, server);
        let theirs = match server {
            Some((budget, period)) => self.plain.set_server(row(id), budget, period),
            None => self.plain.remove_server(row(id)),
        };
        assert_eq!(ours, theirs, "the server of thread {id}");
        self.settle_seats();
    }

    /// `id`, which waits, has a server with this budget and period that throttles it.
    pub fn serve_hard(&mut self, id: usize, budget: Duration, period: Duration) {
        let ours = self.router.set_hard_server(self.board, id, budget, period);
        let theirs = self.plain.set_hard_server(row(id), budget, period);
        assert_eq!(ours, theirs, "the hard server of thread {id}");
        self.settle_seats();
    }

    /// Whether `id` is throttled.
    pub fn is_throttled(&self, id: usize) -> bool {
        let reasons = self.plain.reasons(row(id));
        reasons.is_ok_and(|reasons| reasons.any_of(Reasons::BUDGET))
    }

    /// Checks the budgets that are used up, in both, when either requests it. The tables may check
    /// once more a thread that lost a processor and has used up another budget since elsewhere.
    /// Then the alarm of that other processor comes first by the seats, and those after it come
    /// early, too.
    pub fn expire(&mut self) {
        let now = at(self.now);
        let mut early = CpuSet::EMPTY;
        let is_due = |alarm: Option<Instant>| alarm.is_some_and(|at| at <= now);
        for number in 0..self.cpus {
            let theirs = is_due(self.flags.1[number]);
            let refills = number == 0 && is_due(self.board.refill.get());
            let ours = refills || is_due(self.board.armed[number].get());
            if !theirs && !ours {
                continue;
            }
            self.look_before_changes();
            if self.parts {
                // One may have checked budgets that the other one is about to check.
                self.budgets_differ = true;
                return;
            }
            let leaving = self.leaves_idle();
            let before = self.deadlines();
            self.plain.act_on(cpu(number));
            if theirs {
                self.flags.1[number] = None;
                self.plain
                    .expire(cpu(number), now, &mut self.flags)
                    .unwrap();
            }
            let changes = before != self.deadlines();
            let later: CpuSet = (number + 1..self.cpus)
                .filter(|other| changes && !ours && is_due(self.board.armed[*other].get()))
                .map(cpu)
                .collect();
            let looked = ours || !later.is_empty() || early.contains(cpu(number));
            early = early.or(later);
            self.expire_ours(number);
            later
                .into_iter()
                .for_each(|other| self.expire_ours(other.index()));
            let by_the_way = self.is_looked_at_by_the_way();
            self.count.overdue += usize::from(by_the_way);
            self.parts |= by_the_way;
            self.budgets_differ |= by_the_way;
            assert!(
                looked || !changes || by_the_way,
                "processor {number} is to look at a budget"
            );
            self.count.postponed += usize::from(changes);
            let kept = leaving.minus(self.leaves_idle());
            self.kept_idle = self.kept_idle.or(kept);
            self.look_while_idle();
        }
    }

    /// Returns whether a budget was checked by one system alone, where seats were lent. By the
    /// tables a thread may be an heir in the middle of an operation, and be checked for that. Its
    /// budget may be one that another alarm was late for. By seats it is checked when it has one.
    pub fn is_looked_at_by_the_way(&self) -> bool {
        let lent = self.has_lent || (0..self.cpus).any(|number| self.lends_on(number));
        let theirs = self.deadlines();
        let mut all = (0..self.made).zip(theirs);
        let differs = all.any(|(id, theirs)| {
            let server = self.router.system().server(row(id));
            let deadline = server.ok().map(|(_, deadline)| deadline);
            let throttled = self.router.system().is_throttled(row(id));
            (deadline, throttled) != (theirs, self.is_throttled(id))
        });
        lent && differs
    }

    /// Whether `cpu` executes an idle thread.
    pub fn idles(&self, cpu: Cpu) -> bool {
        self.board.current[cpu.index()].get() >= THREADS
    }

    /// The processors that execute an idle thread, and have another heir that they have not looked
    /// for.
    pub fn leaves_idle(&self) -> CpuSet {
        let online = CpuSet::first(self.cpus).into_iter();
        let leaves = |cpu: &Cpu| self.idles(*cpu) && self.heirs(cpu.index()).1.is_some();
        online.filter(leaves).collect()
    }

    /// If more than one thread is about to be throttled or released, the processors that shall
    /// idle look before: between one and the next they cannot.
    pub fn look_before_changes(&mut self) {
        let now = at(self.now);
        let changes = |id: &usize| {
            let server = self.plain.server(row(*id), now);
            server.is_ok_and(|(left, date)| match self.is_throttled(*id) {
                true => date <= now,
                false => self.board.ready[*id].get() && left == Duration::ZERO,
            })
        };
        if (0..self.made).filter(changes).count() < 2 {
            return;
        }
        for number in 0..self.cpus {
            if self.heirs(number).1.is_none() {
                self.dispatch(number);
            }
        }
    }

    /// The alarm of the processor `number` has come, by the seats.
    pub fn expire_ours(&mut self, number: usize) {
        self.board.armed[number].set(None);
        self.router
            .expire(self.board, cpu(number), at(self.now))
            .unwrap();
    }

    /// Those of all servers.
    pub fn deadlines(&self) -> Vec<Option<Instant>> {
        let all = (0..self.made).map(|id| self.plain.server(row(id), at(self.now)));
        all.map(|server| server.ok().map(|(_, deadline)| deadline))
            .collect()
    }

    /// `id` may run on `cpus` alone.
    pub fn bind(&mut self, id: usize, cpus: CpuSet) {
        let ours = self.router.set_affinity(self.board, id, cpus);
        let theirs =
            self.plain(|system, now, flags| system.set_affinity(row(id), cpus, now, flags));
        assert_eq!(ours, theirs, "thread {id} is bound");
    }

    /// `id` runs on the acting processor and shall stay there.
    pub fn pin(&mut self, id: usize) {
        let number = self.acting;
        let ours = self.router.pin(self.board, id, cpu(number));
        assert_eq!(ours, self.plain.pin(row(id)), "thread {id} is pinned");
        if ours.is_err() {
            return;
        }
        self.board.heir[number].set(None);
        self.board
            .called
            .set(self.board.called.get().with(cpu(number)));
        self.dispatch(number);
    }

    pub fn unpin(&mut self, id: usize) {
        let ours = self.router.unpin(self.board, id);
        let theirs = self.plain(|system, now, flags| system.unpin(row(id), now, flags));
        assert_eq!(ours, theirs, "thread {id} is pinned no more");
    }

    /// Obtains `lock` for `id`, which runs on the acting processor.
    pub fn obtain(&mut self, lock: Lock, id: usize, waits: bool) {
        self.count.alone += usize::from(self.is_free(lock));
        let ours = self.drive(|driver| driver.obtain(lock, id, waits));
        let theirs =
            self.plain(|system, now, flags| system.obtain(lock, row(id), waits, now, flags));
        assert_eq!(ours, theirs, "another answer to {lock:?} for {id}");
        let waits = matches!(ours, Ok(Obtained::Waiting | Obtained::Spinning));
        self.has_lent |= self.tries_again && waits && !self.is_apart(lock);
        self.count.waited += usize::from(ours == Ok(Obtained::Waiting));
        self.count.spun += usize::from(ours == Ok(Obtained::Spinning));
        self.count.raised += usize::from(!waits && self.is_raised(id));
    }

    /// Whether a ceiling makes a difference to `id`.
    fn is_raised(&self, id: usize) -> bool {
        self.board.priority[id].get() != self.board.own[id].get()
    }

    pub fn surrender(&mut self, lock: Lock, id: usize) {
        let ours = self.drive(|driver| driver.surrender(lock, id));
        let theirs = self.plain(|system, now, flags| system.surrender(lock, row(id), now, flags));
        assert_eq!(
            ours.map(|next| next.map(row)),
            theirs,
            "another owner is next"
        );
    }

    /// The ceiling of `lock` for `home` is another one.
    pub fn set_ceiling(&mut self, lock: Lock, home: usize, ceiling: Priority) {
        let (home, ceiling) = (instance(home), level(ceiling));
        let ours = self.drive(|driver| driver.set_ceiling(lock, home, ceiling));
        let theirs =
            self.plain(|system, now, flags| system.set_ceiling(lock, home, ceiling, now, flags));
        assert_eq!(ours, theirs, "another ceiling");
    }

    pub fn time_out(&mut self, id: usize) {
        let ours = self.drive(|driver| driver.time_out(id));
        let theirs = self.plain(|system, now, flags| system.time_out(row(id), now, flags));
        assert_eq!(ours, theirs, "the wait of thread {id} is over");
    }

    /// `id` is moved. A processor that has its registers lets go of them at once.
    pub fn moves(&mut self, id: usize, target: usize, priority: Priority) {
        let (to, new) = (instance(target), level(priority));
        let home = self.board.home[id].get();
        let ours = self.drive(|driver| driver.move_to(id, to, new));
        let theirs =
            self.plain(|system, now, flags| system.set_scheduler(row(id), to, new, now, flags));
        assert_eq!(ours, theirs, "thread {id} is moved to {target}");
        let holder = (0..self.cpus).find(|number| self.board.current[*number].get() == id);
        let Some(number) = holder.filter(|_| ours.is_ok() && home != target) else {
            return;
        };
        // By the tables a thread that was lent a seat of the instance continues there.
        let goes_on = self.plain.heir(cpu(number)) == Some(row(id));
        // And an owner that loses its seat to the thread may have that of another already.
        let (ours, theirs) = self.heirs(number);
        let is_lent = ours != theirs && self.is_watched_on(cpu(number));
        self.count.lent += usize::from(goes_on || is_lent);
        self.parts |= goes_on || is_lent;
        // Or this dispatch helps it, by the tables: there the thread has come already.
        self.has_lent |= self.home(id).is_watched();
        self.dispatch(number);
    }

    pub fn dispatch(&mut self, number: usize) {
        let board = self.board;
        if !board.is_due(number) && !self.flags.0.contains(cpu(number)) {
            return;
        }
        let now = at(self.now);
        let theirs = loop {
            self.flags.0 = self.flags.0.without(cpu(number));
            let chosen = self.plain.dispatch(cpu(number), now, &mut self.flags);
            if !self.flags.0.contains(cpu(number)) {
                break runs(chosen, number);
            }
        };
        let ours = self.drive(|driver| driver.dispatch(cpu(number)));
        let former = board.current[number].replace(ours);
        board.called.set(board.called.get().without(cpu(number)));
        // A thread went to another one of two idle processors in this operation.
        let elsewhere =
            ours != theirs && self.idle_threads_differ && self.differs_in_places_alone();
        self.count.parted += usize::from(elsewhere);
        self.parts |= elsewhere;
        // Or others run, in the middle of an operation, since seats are lent.
        let by_a_loan = ours != theirs && !self.parts && self.differs_by_a_loan();
        self.count.lent += usize::from(by_a_loan);
        self.parts |= by_a_loan;
        assert!(
            ours == theirs || self.parts,
            "processor {number} is dispatched: {ours}, {theirs}"
        );
        if former != ours && former < THREADS {
            self.drive(|driver| driver.let_go(former));
        }
    }

    pub fn create(&mut self, home: usize, priority: Priority, cpus: Option<CpuSet>) {
        let (id, home, level) = (self.made, instance(home), level(priority));
        let ours = self.router.system_mut().create(home, level, cpus);
        let theirs = self.plain(|system, now, flags| -> Result<Thread, Error> {
            let made = system.create(home, level, cpus)?;
            system.block(made, WAITS, now, flags)?;
            system.start(made, now, flags)?;
            Ok(made)
        });
        assert_eq!(ours, theirs, "thread {id} is made");
        if ours == Ok(row(id)) {
            let cpus = cpus.map_or(CpuSet::ALL, |_| self.plain.affinity(row(id)).unwrap());
            self.begins(id, priority, home, cpus);
            self.made += 1;
        }
    }

    /// `id` is new in the instance `home`, where it may run on `cpus`.
    fn begins(&self, id: usize, priority: Priority, home: Instance, cpus: CpuSet) {
        self.board.priority[id].set(priority);
        self.board.own[id].set(priority);
        self.board.home[id].set(home.index());
        let home = self.router.home(home).unwrap();
        home.begin_with(self.board, id, cpus);
    }

    /// `id`, which waits, has no lock and no registers anywhere, ceases to exist; a new thread of
    /// `home` has its row.
    pub fn begins_anew(&mut self, id: usize, home: usize, priority: Priority) {
        let (home, level, board) = (instance(home), level(priority), self.board);
        self.router.ask(board, |rows| rows.delete(row(id))).unwrap();
        let ours = self.router.system_mut().create(home, level, None);
        let theirs = self.plain(|system, now, flags| -> Result<Thread, Error> {
            system.delete(row(id), now, flags)?;
            let made = system.create(home, level, None)?;
            system.block(made, WAITS, now, flags)?;
            system.start(made, now, flags)?;
            Ok(made)
        });
        assert_eq!(
            (ours, theirs),
            (Ok(row(id)), Ok(row(id))),
            "the row that was freed last"
        );
        board.charged[id].set(0);
        board.limit[id].set(Duration::ZERO);
        self.begins(id, priority, home, CpuSet::ALL);
    }

    /// The running threads block, processor by processor, until all are idle.
    pub fn all_run_in_turn(&mut self) {
        for number in (0..self.cpus).cycle().take(self.cpus * THREADS) {
            self.acting = number;
            self.dispatch(number);
            self.compare();
            if let Some(running) = self.runner(number) {
                self.block(running);
                self.looks_itself(number);
                self.compare();
            }
        }
        let ready = (0..self.made).find(|id| self.board.ready[*id].get());
        assert_eq!(ready, None, "it never ran");
        self.compare_times();
    }

    /// Whether `id` waits, for no lock, owns none, and is on no processor.
    pub fn is_idle(&self, id: usize) -> bool {
        let runs = self.board.current.iter().any(|current| current.get() == id);
        !self.board.ready[id].get()
            && !runs
            && self.plain.executes_on(row(id)).is_none()
            && !self.waits_for_lock(id)
            && !self.plain.owns_any(row(id))
    }

    /// Lets `id` come in again in its `home`, which its processor has left.
    fn comes_back(&mut self, id: usize, home: &'a Home<usize, usize>) {
        let board = self.board;
        match home.direct() {
            Some(decider) => decider.come_back(board, id),
            None => self.router.come_back(board, (id, home)),
        }
    }

    /// Gives the instance `target` the processor `number`, or takes it away. The processor looks
    /// at once, and so does one that has the idle thread which it has in the tables.
    pub fn change_processors(&mut self, target: usize, number: usize, add: bool) {
        let (board, now) = (self.board, at(self.now));
        let (target, changed) = (instance(target), cpu(number));
        let home = &board.homes[target.index()];
        let was_watched = self.router.watches_owners(target);
        let ours = match add {
            true => {
                let came = self.router.add_processor(board, target, changed, now);
                came.map(|()| [None; 2])
            }
            false => self.router.remove_processor(board, target, changed, now),
        };
        let theirs = self.plain(|system, now, flags| match add {
            true => system.add_processor(target, changed, now, flags),
            false => system.remove_processor(target, changed, now, flags),
        });
        assert_eq!(
            ours.map(drop),
            theirs,
            "processor {number} of {target:?}: {add}"
        );
        let Ok([owner, left_over]) = ours else {
            return;
        };
        match add {
            true => self.count.came += 1,
            false => self.count.left += 1,
        }
        if was_watched {
            self.count.came_to_watched += usize::from(add);
            self.count.left_watched += usize::from(!add);
        }
        if home.lends() && self.now.is_multiple_of(4) {
            // It looks when it comes to that: no thread waits for it.
            return;
        }
        let left_over = left_over.filter(|id| board.ready[*id].get() && !self.is_throttled(*id));
        // The caller, which takes its own processor away, comes back before it is switched; and so
        // does one that has not come there yet.
        let calls = self.now.is_multiple_of(2) || left_over.is_some();
        if let Some(owner) = owner.filter(|_| calls) {
            self.comes_back(owner, home);
        }
        if let Some(held) = left_over.or(owner.filter(|_| !calls)) {
            board.ready[held].set(false);
            self.dispatch(number);
            board.ready[held].set(true);
            self.comes_back(held, home);
        }
        self.dispatch(number);
        let idles = self.plain.heir(changed);
        let elsewhere = (0..self.cpus)
            .find(|other| *other != number && self.plain.executing(cpu(*other)) == idles);
        if let Some(other) = elsewhere {
            self.dispatch(other);
            self.dispatch(number);
        }
    }
}
