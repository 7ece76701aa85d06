//! Owns: one operation of a stress run, as a word draws it.
//! Must never know: how an operation is done.

use super::board::{LEVELS, instance, row};
use super::common::{at, cpu};
use super::pair::Pair;
use super::storms::Dice;
use taktos_schedule::smp::Lock;
use taktos_schedule::smp::seats::Place;
use taktos_schedule::{CpuSet, Priority};
use taktos_time::Duration;

impl Pair<'_> {
    /// Draws an operation from `word`, and does it in both. Returns whether both can continue: not
    /// if a thread went to another one of two idle processors since idle threads differ.
    pub fn act(&mut self, word: u64, locks: &[Lock]) -> bool {
        let kept = self.kept_idle.into_iter().filter(|cpu| self.idles(*cpu));
        self.kept_idle = kept.collect();
        self.idle_threads_differ = self.idle_threads_differ();
        let mut dice = Dice(word);
        self.now += 1 + dice.draw(5) as u64;
        self.board.ticks.set(self.now);
        let number = dice.draw(self.cpus);
        self.acting = number;
        let id = dice.draw(self.made.max(1));
        let priority = Priority::new(dice.draw(LEVELS) as u8).unwrap();
        let place = if dice.draw(4) == 0 {
            Place::First
        } else {
            Place::Last
        };
        let lock = locks[dice.draw(locks.len())];
        let cpus = CpuSet::from_bits(dice.draw(1 << self.cpus) as u64);
        let any = if cpus.is_empty() { CpuSet::ALL } else { cpus };
        let deadline = at(self.now + dice.draw(6) as u64);
        let spans = dice.draw(self.mood.calm) == 0;
        let binds = spans || self.mood.binds;
        // Alarms may be late.
        if self.mood.is_punctual(&mut dice) {
            self.expire();
        }
        self.plain.act_on(cpu(number));
        let budget = Duration::from_nanos(1 + dice.draw(8) as u64);
        let period = budget.saturating_add(Duration::from_nanos(dice.draw(20) as u64));
        // A deadline is before each ceiling, so that a thread with a deadline gets no lock with a
        // ceiling.
        let counts = !self.mood.sections || deadline.as_nanos().is_multiple_of(4);
        if self.parts {
            return false;
        }
        match dice.draw(43) {
            40..=42 if !counts && !self.waits_for_lock(id) => self.serve(id, None),
            36..=38 if !counts && !self.waits_for_lock(id) => self.job(id, None),
            40 | 41 if !self.board.ready[id].get() && !self.waits_for_lock(id) => {
                match self.mood.throttles && period.as_nanos().is_multiple_of(2) {
                    true => self.serve_hard(id, budget, period),
                    false => self.serve(id, Some((budget, period))),
                }
            }
            42 if dice.draw(4) == 0 && !self.waits_for_lock(id) => self.serve(id, None),
            36 | 37 if !self.waits_for_lock(id) => self.job(id, Some(deadline)),
            38 if !self.waits_for_lock(id) => self.job(id, None),
            0..=2 if self.made < self.mood.threads => {
                let home = dice.draw(self.instances);
                let cpus =
                    (dice.draw(2) == 0 && (binds || !self.changes_to_bind(home))).then_some(any);
                self.create(home, priority, cpus);
            }
            28 | 29 if self.changes_to_bind(self.board.home[id].get()) && !binds => {
                self.bind(id, CpuSet::ALL);
            }
            28 => self.bind(id, any),
            29 => {
                let fixed = dice.draw(self.cpus);
                self.bind(id, CpuSet::of(cpu(fixed)));
            }
            30 => {
                let free = |id: &usize| {
                    let home = self.board.home[*id].get();
                    !self.waits_for_lock(*id) && (binds || !self.changes_to_bind(home))
                };
                if let Some(running) = self.runner(number).filter(free) {
                    self.pin(running);
                }
            }
            31 | 32 => {
                let pinned = |id: &usize| self.plain.pinned_to(row(*id)).is_some();
                let mut all = (0..self.made).map(|at| (at + id) % self.made);
                if let Some(pinned) = all.find(pinned) {
                    self.unpin(pinned);
                }
            }
            0..=7 if !self.board.ready[id].get() && !self.waits_for_lock(id) => {
                self.ready(id, place)
            }
            8..=9 if self.board.ready[id].get() && !self.waits_for_lock(id) => self.block(id),
            10..=12 => {
                if let Some(running) = self.runner(number).filter(|id| !self.waits_for_lock(*id)) {
                    self.block(running);
                }
            }
            13 | 14 => self.together(word, |it| it.set_priority(id, priority, place)),
            15 | 16 => {
                if let Some(running) = self.runner(number) {
                    self.goes(running, Place::Last);
                }
            }
            26 if self.board.ready[id].get() => self.goes(id, place),
            27 => {
                if let Some(running) = self.current(number) {
                    self.goes(running, Place::Last);
                }
            }
            17 => {
                let free = !self.board.ready[id].get() && !self.waits_for_lock(id);
                if let Some(running) = self.current(number).filter(|_| free) {
                    self.direct_switch(running, id);
                }
            }
            18..=19
                if dice.draw(self.mood.calm) == 0
                    || self.mood.inherits
                    || self.mood.sections && (self.is_free(lock) || self.is_apart(lock)) =>
            {
                let waits = dice.draw(4) != 0;
                if let Some(running) = self.runner(number).filter(|id| !self.waits_for_lock(*id)) {
                    self.obtain(lock, running, waits);
                }
            }
            20..=22 => {
                // A thread that spins gives nothing up meanwhile.
                if let Some(running) = self.runner(number).filter(|id| !self.waits_for_lock(*id))
                    && let Some(owned) = locks
                        .iter()
                        .find(|lock| self.plain.owner(**lock) == Ok(Some(row(running))))
                {
                    self.together(word, |it| it.surrender(*owned, running));
                }
            }
            23 if self.waits_for_lock(id) => self.together(word, |it| it.time_out(id)),
            24 if dice.draw(self.mood.calm) == 0 => {
                self.moves(id, dice.draw(self.instances), priority)
            }
            25 if dice.draw(4 * self.mood.calm) == 0 => {
                self.change_processors(dice.draw(self.instances), number, dice.draw(2) == 0)
            }
            39 if self.mood.restless && self.made > 0 && self.is_idle(id) => {
                let home = dice.draw(self.instances);
                if !self.plain.processors(instance(home)).unwrap().is_empty() {
                    self.begins_anew(id, home, priority);
                }
            }
            33 if self.mood.sections => self.set_ceiling(lock, dice.draw(self.instances), priority),
            33..=35 if self.mood.restless => {
                self.change_processors(dice.draw(self.instances), number, dice.draw(2) == 0)
            }
            _ => self.dispatch(dice.draw(self.cpus)),
        }
        if self.parts {
            return false;
        }
        self.helps_at_once();
        self.looks_itself(number);
        self.look_while_idle();
        self.count();
        self.has_lent |= (0..self.cpus).any(|number| self.lends_on(number));
        self.check_loans();
        self.check_alarms();
        if self.differs_by_a_loan() {
            self.count.lent += 1;
            return false;
        }
        if self.idle_threads_differ && self.differs_in_places_alone() {
            self.count.parted += 1;
            return false;
        }
        self.compare();
        self.compare_owners(locks);
        assert_eq!(self.router.system().check_seated(), Ok(()));
        assert_eq!(self.router.check_seats(self.board), Ok(()));
        true
    }
}
