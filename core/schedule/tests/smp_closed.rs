//! A system whose instances are closed and opened beside one that knows of neither: the same calls in the same order make
//! the same threads run on the same processors, and so does a system that has the rings but never closes.

mod common;
#[path = "common/storm.rs"]
mod storms;

use common::{Flags, Tables, at, cpu, set};
use std::cell::Cell;
use storms::{Dice, storm};
use taktos_schedule::smp::closed::{Router, Rows, Solo, World};
use taktos_schedule::smp::{
    Dispatch, Instance, InstanceConfig, Lock, Obtained, PolicyKind, Priority as Level, Protocol,
    Reasons, System, Thread,
};
use taktos_schedule::{Cpu, CpuSet, Links, Priority, Ring};
use taktos_time::Instant;

const PROCESSORS: usize = 4;
const THREADS: usize = 12;
const LEVELS: usize = 5;
const LOCKS: usize = 4;
/// The kernel's one reason.
const WAITS: Reasons = Reasons::TIME;

/// The threads as a kernel keeps them: idle ones behind the others.
struct Board {
    next: Vec<Cell<usize>>,
    previous: Vec<Cell<usize>>,
    priority: Vec<Cell<Priority>>,
    ready: Vec<Cell<bool>>,
    home: Vec<Cell<usize>>,
    charged: Vec<Cell<u64>>,
    heir: [Cell<Option<usize>>; PROCESSORS],
    current: [Cell<usize>; PROCESSORS],
    called: Cell<CpuSet>,
    ticks: Cell<u64>,
}

impl Board {
    fn new() -> Self {
        let all = THREADS + PROCESSORS;
        let cells = |value: usize| vec![Cell::new(value); all];
        let board = Self {
            next: cells(0),
            previous: cells(0),
            priority: vec![Cell::new(Priority::IDLE); all],
            ready: vec![Cell::new(false); all],
            home: cells(usize::MAX),
            charged: vec![Cell::new(0); all],
            heir: std::array::from_fn(|cpu| Cell::new(Some(THREADS + cpu))),
            current: std::array::from_fn(|cpu| Cell::new(THREADS + cpu)),
            called: Cell::new(CpuSet::EMPTY),
            ticks: Cell::new(0),
        };
        for id in 0..all {
            board.make_alone(id);
        }
        board
    }
}

impl Links for Board {
    type Id = usize;
    fn next(&self, id: usize) -> usize {
        self.next[id].get()
    }
    fn previous(&self, id: usize) -> usize {
        self.previous[id].get()
    }
    fn set_next(&self, id: usize, next: usize) {
        self.next[id].set(next);
    }
    fn set_previous(&self, id: usize, previous: usize) {
        self.previous[id].set(previous);
    }
}

impl World for Board {
    type Seat = usize;
    fn priority(&self, id: usize) -> Priority {
        self.priority[id].get()
    }
    fn heir(&self, seat: usize) -> usize {
        self.heir[seat]
            .get()
            .expect("the heir of a closed instance is known")
    }
    fn current(&self, seat: usize) -> usize {
        self.current[seat].get()
    }
    fn set_heir(&self, seat: usize, heir: usize) {
        self.heir[seat].set(Some(heir));
    }
    fn ticks(&self) -> u64 {
        self.ticks.get()
    }
    fn charge(&self, id: usize, ticks: u64) {
        self.charged[id].set(self.charged[id].get() + ticks);
    }
    fn call(&self, seat: usize, number: usize) {
        assert_eq!(seat, number);
        self.called.set(self.called.get().with(cpu(seat)));
    }
}

impl Rows for Board {
    fn row(&self, id: usize) -> Option<Thread> {
        (id < THREADS).then(|| Thread::new(id).unwrap())
    }
    fn thread(&self, row: Thread) -> Option<usize> {
        (row.index() < THREADS).then(|| row.index())
    }
    fn is_ready(&self, id: usize) -> bool {
        self.ready[id].get()
    }
    fn is_at_home(&self, id: usize, solo: &Solo<usize, usize>) -> bool {
        // The seats are told apart by what they are at home in.
        id < THREADS && std::ptr::eq(solo, HOMES.with(|homes| homes.get()[self.home[id].get()]))
    }
    fn seat(&self, cpu: usize) -> usize {
        cpu
    }
    fn idle(&self, cpu: usize) -> usize {
        THREADS + cpu
    }
    fn forget_heir(&self, seat: usize) {
        self.heir[seat].set(None);
    }
}

type Homes = [*const Solo<usize, usize>; PROCESSORS];

std::thread_local! {
    static HOMES: Cell<Homes> = const { Cell::new([std::ptr::null(); PROCESSORS]) };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Last,
    First,
}

/// The two systems side by side.
struct Pair<'a> {
    plain: System<'a>,
    flags: Flags,
    router: Router<'a, usize, usize>,
    board: &'a Board,
    solos: &'a [Solo<usize, usize>],
    instances: usize,
    made: usize,
    now: u64,
    acting: usize,
    opened: usize,
    closes: bool,
}

fn row(id: usize) -> Thread {
    Thread::new(id).unwrap()
}

fn instance(index: usize) -> Instance {
    Instance::new(index).unwrap()
}

fn level(priority: Priority) -> Level {
    Level(priority.level().into())
}

/// Asks both the same, and wants the same answer.
macro_rules! both {
    ($pair:expr, |$system:ident, $now:ident, $effects:ident| $question:expr) => {{
        let pair = &mut *$pair;
        let $now = at(pair.now);
        let ours = {
            let mut flags = Preempts(pair.board);
            pair.router
                .ask(pair.board, $now, &mut flags, |$system, $effects| {
                    $system.act_on(cpu(pair.acting));
                    $question
                })
        };
        let theirs = {
            let $system = &mut pair.plain;
            let $effects = &mut pair.flags;
            $system.act_on(cpu(pair.acting));
            $question
        };
        assert_eq!(ours, theirs, "another answer to {}", stringify!($question));
        ours
    }};
}

/// Who runs on the processor `number`, as was answered.
fn runs(chosen: Result<Dispatch, taktos_schedule::smp::Error>, number: usize) -> usize {
    match chosen {
        Ok(Dispatch::Run(row)) if row.index() < THREADS => row.index(),
        _ => THREADS + number,
    }
}

/// A heir becomes unknown.
struct Preempts<'b>(&'b Board);

impl taktos_schedule::smp::Effects for Preempts<'_> {
    fn preempt(&mut self, cpu: Cpu) {
        self.0.heir[cpu.index()].set(None);
        self.0.called.set(self.0.called.get().with(cpu));
    }
    fn arm(&mut self, _: Cpu, _: Option<Instant>) {}
}

impl<'a> Pair<'a> {
    /// The queue that decides about `id`, which is about to act, and its seat. An instance that can be is closed first.
    fn closed(&mut self, id: usize) -> Option<(&'a Solo<usize, usize>, usize)> {
        self.closes(self.board.home[id].get());
        let solo = &self.solos[self.board.home[id].get()];
        Some((solo, solo.closed()?))
    }

    /// `id`, which is ready no more, stands in a queue of the world's with another that waits.
    fn stands_waiting(&self, id: usize) {
        self.board.ready[id].set(false);
        assert!(
            self.board.is_alone(id),
            "thread {id} waits and is in a ring of ready ones"
        );
        let other = (0..self.made).find(|&other| other != id && !self.board.ready[other].get());
        if let Some(other) = other {
            self.board.join_before(id, other);
        }
    }

    /// `id`, which waited, is about to be ready.
    fn stops_waiting(&self, id: usize) {
        self.board.leave(id);
    }

    fn closes(&mut self, home: usize) {
        if self.closes {
            self.router
                .try_close(self.board, instance(home), at(self.now));
        }
    }

    /// Tells the plain system alone.
    fn plain(&mut self, tell: impl FnOnce(&mut System<'a>, Instant, &mut Flags)) {
        self.plain.act_on(cpu(self.acting));
        tell(&mut self.plain, at(self.now), &mut self.flags);
    }

    fn ready(&mut self, id: usize, place: Place) {
        self.stops_waiting(id);
        let priority = self.board.priority[id].get();
        let tell = |system: &mut System<'a>, now, flags: &mut Flags| {
            if system.own_priority(row(id)) != Ok(level(priority)) {
                system
                    .set_priority(row(id), level(priority), now, flags)
                    .unwrap();
            }
            match place {
                Place::Last => system.unblock(row(id), WAITS, now, flags).unwrap(),
                Place::First => system.unblock_in_front(row(id), WAITS, now, flags).unwrap(),
            }
        };
        self.plain(tell);
        if let Some((solo, seat)) = self.closed(id) {
            self.board.ready[id].set(true);
            match place {
                Place::Last => {
                    solo.append(self.board, seat, id, priority);
                }
                Place::First => solo.prepend(self.board, seat, id, priority),
            }
            return;
        }
        self.router.look_up(self.board, id);
        self.board.ready[id].set(true);
        let now = at(self.now);
        self.router.ask(
            self.board,
            now,
            &mut Preempts(self.board),
            |system, effects| {
                system.act_on(cpu(self.acting));
                if system.own_priority(row(id)) != Ok(level(priority)) {
                    system
                        .set_priority(row(id), level(priority), now, effects)
                        .unwrap();
                }
                match place {
                    Place::Last => system.unblock(row(id), WAITS, now, effects).unwrap(),
                    Place::First => system
                        .unblock_in_front(row(id), WAITS, now, effects)
                        .unwrap(),
                }
            },
        );
    }

    fn block(&mut self, id: usize) {
        if let Some((solo, seat)) = self.closed(id) {
            self.plain(|system, now, flags| system.block(row(id), WAITS, now, flags).unwrap());
            let priority = self.board.priority[id].get();
            if self.board.heir(seat) == id && self.board.current(seat) == id && seat == self.acting
            {
                solo.retire(self.board, seat, id, priority);
            } else {
                solo.remove(self.board, seat, id, priority);
            }
        } else {
            self.router.look_up(self.board, id);
            both!(self, |system, now, effects| system.block(
                row(id),
                WAITS,
                now,
                effects
            ))
            .unwrap();
        }
        self.stands_waiting(id);
    }

    fn set_priority(&mut self, id: usize, priority: Priority, place: Place) {
        let old = self.board.priority[id].get();
        if old == priority {
            return;
        }
        let new = level(priority);
        if let Some((solo, seat)) = self.closed(id) {
            self.plain(|system, now, flags| {
                match place {
                    Place::Last => system.set_priority(row(id), new, now, flags),
                    Place::First => system.set_priority_in_front(row(id), new, now, flags),
                }
                .unwrap();
            });
            let ready = self.board.ready[id].get();
            if ready {
                solo.change(
                    self.board,
                    seat,
                    id,
                    old,
                    || self.board.priority[id].set(priority),
                    place == Place::First,
                );
            } else {
                self.board.priority[id].set(priority);
            }
            return;
        }
        self.router.look_up(self.board, id);
        self.board.priority[id].set(priority);
        both!(self, |system, now, effects| match place {
            Place::Last => system.set_priority(row(id), new, now, effects),
            Place::First => system.set_priority_in_front(row(id), new, now, effects),
        })
        .unwrap();
    }

    fn yields(&mut self, id: usize) {
        if let Some((solo, seat)) = self.closed(id) {
            self.plain(|system, now, flags| system.yield_now(row(id), now, flags).unwrap());
            let priority = self.board.priority[id].get();
            if self.board.heir(seat) == id && seat == self.acting {
                solo.advance(self.board, seat, id, priority);
            } else {
                solo.rotate(self.board, seat, id, priority);
            }
        } else {
            self.router.look_up(self.board, id);
            both!(self, |system, now, effects| system.yield_now(
                row(id),
                now,
                effects
            ))
            .unwrap();
        }
    }

    /// The running `sender` lets `receiver`, which waits, have its turn.
    fn hand_turn(&mut self, sender: usize, receiver: usize) {
        let priority = self.board.priority[sender].get();
        if self.board.home[sender] != self.board.home[receiver]
            || self.board.priority[receiver].get() != priority
        {
            return self.ready(receiver, Place::Last);
        }
        let Some((solo, seat)) = self.closed(sender) else {
            self.ready(receiver, Place::First);
            return self.yields(sender);
        };
        self.plain(|system, now, flags| {
            system
                .unblock_in_front(row(receiver), WAITS, now, flags)
                .unwrap();
            system.yield_now(row(sender), now, flags).unwrap();
        });
        self.stops_waiting(receiver);
        self.board.ready[receiver].set(true);
        solo.take_turn(self.board, seat, receiver, sender, priority);
    }

    fn obtain(&mut self, lock: Lock, id: usize, waits: bool) {
        self.router.reach_lock(self.board, lock, id, at(self.now));
        let obtained = both!(self, |system, now, effects| {
            let obtained = system.obtain(lock, row(id), waits, now, effects);
            if obtained == Ok(Obtained::Waiting) {
                system.block(row(id), WAITS, now, effects).unwrap();
            }
            obtained
        });
        if obtained == Ok(Obtained::Waiting) {
            self.stands_waiting(id);
        }
    }

    fn surrender(&mut self, lock: Lock, id: usize) {
        let next = both!(self, |system, now, effects| system.surrender(
            lock,
            row(id),
            now,
            effects
        ));
        if let Ok(Some(next)) = next
            && !self.board.ready[next.index()].get()
        {
            self.ready(next.index(), Place::Last);
        }
    }

    fn time_out(&mut self, id: usize) {
        let ended = both!(self, |system, now, effects| system.time_out(
            row(id),
            now,
            effects
        ));
        if ended.is_ok() && !self.board.ready[id].get() {
            self.ready(id, Place::Last);
        }
    }

    fn moves(&mut self, id: usize, target: usize, priority: Priority) {
        self.router.reach(self.board, id, at(self.now));
        self.router.open(self.board, instance(target), at(self.now));
        let board = self.board;
        let moved = || {
            board.priority[id].set(priority);
            board.home[id].set(target);
        };
        let _ = both!(self, |system, now, effects| {
            // Before anything is closed, the world must know.
            system
                .set_scheduler(row(id), instance(target), level(priority), now, effects)
                .inspect(|()| moved())
        });
    }

    fn dispatch(&mut self, number: usize) {
        let board = self.board;
        let due = board.heir[number].get() != Some(board.current[number].get());
        if !due && !self.flags.0.contains(cpu(number)) {
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
        let owner = self.plain.instance_of_cpu(cpu(number)).ok();
        let solo = owner.and_then(|owner| self.solos.get(owner.index()));
        let decides = solo.is_some_and(|solo| solo.closed().is_some());
        if decides {
            // A dispatch also looks after owners that others spin for, wherever they are.
            let _ = self
                .router
                .ask(board, now, &mut Preempts(board), |system, effects| {
                    system.dispatch(cpu(number), now, effects)
                });
        }
        let decides = solo.is_some_and(|solo| solo.closed().is_some());
        let known = board.heir[number].get().filter(|_| due || decides);
        let ours = known.unwrap_or_else(|| {
            loop {
                // Known, so that it is seen whether it becomes unknown again.
                board.heir[number].set(Some(board.current[number].get()));
                let chosen =
                    self.router
                        .ask(board, now, &mut Preempts(board), |system, effects| {
                            system.dispatch(cpu(number), now, effects)
                        });
                if board.heir[number].get().is_some() {
                    break runs(chosen, number);
                }
            }
        });
        board.heir[number].set(Some(ours));
        assert_eq!(ours, theirs, "processor {number} is dispatched");
        if let Some(owner) = owner {
            self.closes(owner.index());
        }
        board.current[number].set(ours);
        board.called.set(board.called.get().without(cpu(number)));
    }

    /// Who shall run, by both.
    fn compare(&self) {
        for number in 0..PROCESSORS {
            let theirs = self
                .plain
                .heir(cpu(number))
                .filter(|row| row.index() < THREADS);
            let owner = self.plain.instance_of_cpu(cpu(number)).ok();
            let solo = owner.and_then(|owner| self.solos.get(owner.index()));
            let ours = if solo.is_some_and(|solo| solo.closed().is_some()) {
                let is_due = self.board.heir(number) != self.board.current(number);
                assert!(
                    !is_due || self.board.called.get().contains(cpu(number)),
                    "processor {number} was called"
                );
                self.board.row(self.board.heir(number))
            } else {
                self.router
                    .system()
                    .heir(cpu(number))
                    .filter(|row| row.index() < THREADS)
            };
            assert_eq!(ours, theirs, "the heir of processor {number}");
        }
    }

    /// The thread that runs on a processor where no decision is due.
    fn runner(&self, number: usize) -> Option<usize> {
        let id = self.board.current[number].get();
        let settled =
            self.board.heir[number].get() == Some(id) && !self.flags.0.contains(cpu(number));
        (settled && id < THREADS).then_some(id)
    }

    fn act(&mut self, word: u64, locks: &[Lock]) {
        let mut dice = Dice(word);
        self.now += 1 + dice.draw(5) as u64;
        self.board.ticks.set(self.now);
        let number = dice.draw(PROCESSORS);
        self.acting = number;
        let id = dice.draw(self.made.max(1));
        let priority = Priority::new(dice.draw(LEVELS) as u8).unwrap();
        let place = if dice.draw(4) == 0 {
            Place::First
        } else {
            Place::Last
        };
        let lock = locks[dice.draw(locks.len())];
        match dice.draw(30) {
            0..=2 if self.made < THREADS => self.create(dice.draw(self.instances), priority),
            0..=7 if !self.board.ready[id].get() && !self.waits_for_lock(id) => {
                self.ready(id, place)
            }
            8..=9 if self.board.ready[id].get() && !self.waits_for_lock(id) => self.block(id),
            10..=12 => {
                if let Some(running) = self.runner(number).filter(|id| !self.waits_for_lock(*id)) {
                    self.block(running);
                }
            }
            13 | 14 => self.set_priority(id, priority, place),
            15 | 16 => {
                if let Some(running) = self.runner(number) {
                    self.yields(running);
                }
            }
            17 => {
                let free = !self.board.ready[id].get() && !self.waits_for_lock(id);
                if let Some(running) = self.runner(number).filter(|_| free) {
                    self.hand_turn(running, id);
                }
            }
            18 | 19 => {
                let waits = dice.draw(4) != 0;
                if let Some(running) = self.runner(number).filter(|id| !self.waits_for_lock(*id)) {
                    self.obtain(lock, running, waits);
                }
            }
            20..=22 => {
                if let Some(running) = self.runner(number)
                    && let Some(owned) = locks
                        .iter()
                        .find(|lock| self.plain.owner(**lock) == Ok(Some(row(running))))
                {
                    self.surrender(*owned, running);
                }
            }
            23 if self.waits_for_lock(id) => self.time_out(id),
            24 => self.moves(id, dice.draw(self.instances), priority),
            25 if dice.draw(4) == 0 => {
                self.change_processors(dice.draw(self.instances), number, dice.draw(2) == 0)
            }
            _ => self.dispatch(dice.draw(PROCESSORS)),
        }
        // Who acts looks at its heir by itself.
        if self.board.heir[number].get() != Some(self.board.current[number].get()) {
            self.board
                .called
                .set(self.board.called.get().with(cpu(number)));
        }
        if self.solos.iter().any(|solo| solo.closed().is_some()) {
            self.opened += 1;
        }
        self.compare();
    }

    fn waits_for_lock(&self, id: usize) -> bool {
        self.plain
            .waits_for(row(id))
            .is_ok_and(|lock| lock.is_some())
    }

    fn create(&mut self, home: usize, priority: Priority) {
        let id = self.made;
        let made = both!(self, |system, now, effects| {
            let made = system.create(instance(home), level(priority), None);
            if let Ok(made) = made {
                system.block(made, WAITS, now, effects).unwrap();
                system.start(made, now, effects).unwrap();
            }
            made
        });
        if let Ok(made) = made {
            assert_eq!(made.index(), id);
            self.board.priority[id].set(priority);
            self.board.home[id].set(home);
            self.made += 1;
        }
    }

    fn change_processors(&mut self, target: usize, number: usize, add: bool) {
        self.router.open(self.board, instance(target), at(self.now));
        let _ = both!(self, |system, now, effects| if add {
            system.add_processor(instance(target), cpu(number), now, effects)
        } else {
            system.remove_processor(instance(target), cpu(number), now, effects)
        });
    }
}

/// Two instances of a processor each, and one of the other two.
fn instances(third: PolicyKind) -> [InstanceConfig; 3] {
    [
        (*b"SOL0", PolicyKind::Priority, set([0])),
        (*b"SOL1", PolicyKind::Priority, set([1])),
        (*b"BOTH", third, set([2, 3])),
    ]
    .map(|(name, policy, cpus)| InstanceConfig { name, policy, cpus })
}

/// How often a Solo decided, while all agreed.
fn run(words: &[u64], third: PolicyKind, closes: bool) -> usize {
    let online = CpuSet::first(PROCESSORS);
    let configs = instances(third);
    let (mut ours, mut theirs) = (
        Tables::new(THREADS, online, configs.len()),
        Tables::new(THREADS, online, configs.len()),
    );
    let solos = [const { Solo::OPEN }; 3];
    let mut homes = [std::ptr::null(); PROCESSORS];
    for (place, solo) in solos.iter().enumerate() {
        homes[place] = std::ptr::from_ref(solo);
    }
    HOMES.set(homes);
    let board = Board::new();
    let mut pair = Pair {
        plain: System::new(theirs.memory(), online, &configs).unwrap(),
        flags: Flags::default(),
        router: Router::new(
            System::new(ours.memory(), online, &configs).unwrap(),
            &solos,
        ),
        board: &board,
        solos: &solos,
        instances: configs.len(),
        made: 0,
        now: 0,
        acting: 0,
        opened: 0,
        closes,
    };
    for home in 0..configs.len() {
        for _ in 0..2 {
            pair.create(home, Priority::new(2).unwrap());
        }
    }
    let protocols = [
        Protocol::Inheritance,
        Protocol::MrsP,
        Protocol::Omip,
        Protocol::None,
    ];
    let locks: Vec<Lock> = protocols
        .iter()
        .take(LOCKS)
        .map(|&protocol| {
            let ceiling = (protocol == Protocol::MrsP).then_some(Level(0));
            both!(&mut pair, |system, now, effects| {
                system.create_lock(protocol, row(0), ceiling, false, now, effects)
            })
            .unwrap()
        })
        .collect();
    for word in words {
        pair.act(*word, &locks);
    }
    pair.opened
}

fn attempt(words: &[u64], third: PolicyKind, closes: bool) -> Result<(), (usize, String)> {
    let result = std::panic::catch_unwind(|| run(words, third, closes));
    result.map(drop).map_err(|cause| {
        let text = cause
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        (words.len(), text.unwrap_or_default())
    })
}

fn seed() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}

const LENGTH: usize = if cfg!(miri) { 60 } else { 4_000 };
const STORMS: usize = if cfg!(miri) { 1 } else { 700 };

#[test]
fn closed_and_opened_is_as_if_it_never_were() {
    for third in [PolicyKind::Priority, PolicyKind::Edf] {
        for _ in 0..STORMS {
            storm(|words| attempt(words, third, true), seed(), LENGTH);
        }
    }
}

#[test]
fn rings_of_the_world_are_as_good_as_the_tables() {
    for third in [PolicyKind::Priority, PolicyKind::Edf] {
        for _ in 0..STORMS {
            storm(|words| attempt(words, third, false), seed(), LENGTH);
        }
    }
}
