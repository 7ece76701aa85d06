//! The turn to have a lock, recomputed from nothing but the threads that came, changed, left and
//! were granted it, and when.
//!
//! Owns: the order of the waiters, as the protocols define it.
//! Must never know: the tables that it is to judge.
//!
//! Lists, searched through: as plain as can be. The invariants of `lab/simulate`'s scenarios use
//! this file too.

/// A place among the waiters: an instance, a thread, and how urgent it is there; the smaller the
/// more urgent.
pub type Place<I, T, U> = (I, T, U);

/// The waiters of one lock.
#[derive(Clone, Debug)]
pub struct Turns<I, T, U> {
    /// In the order in which they came to their urgency.
    pub waiters: Vec<Place<I, T, U>>,
    /// The instances in their turn: those with waiters; under OMIP those with a head that waits.
    pub line: Vec<I>,
    /// Whether the queues are those of OMIP (Brandenburg, ECRTS 2013): in each instance at most as
    /// many requests as it has processors are not overtaken, the owner's among them.
    omip: bool,
    /// Those requests, but the owner's, in the order in which they came so far.
    heads: Vec<(I, T)>,
    /// The instance that has the owner's request as its first.
    owner: Option<I>,
}

impl<I: Copy + PartialEq, T: Copy + PartialEq, U: Copy + Ord> Turns<I, T, U> {
    /// Creates a model in which no thread waits.
    pub fn new(omip: bool) -> Self {
        Self {
            waiters: Vec::new(),
            line: Vec::new(),
            omip,
            heads: Vec::new(),
            owner: None,
        }
    }

    /// A thread of `home` has the lock, which was free.
    pub fn taken(&mut self, home: I) {
        self.owner = self.omip.then_some(home);
    }

    /// The owner releases the lock: the next one, which waits no longer. `room`: how many requests
    /// of an instance are not overtaken, under OMIP.
    pub fn granted(&mut self, room: impl Fn(I) -> usize) -> Option<T> {
        if let Some(former) = self.owner.take() {
            self.move_up(former, &room);
        }
        let turn = *self.line.first()?;
        let next = match self.omip {
            true => self.head_of(turn),
            false => self.most_urgent_of(turn),
        }?;
        self.waiters.retain(|waiter| waiter.1 != next);
        self.line.remove(0);
        if self.omip {
            self.heads.retain(|head| head.1 != next);
            self.owner = Some(turn);
        } else {
            self.line.push(turn);
            self.forget_empty();
        }
        Some(next)
    }

    /// Updates the waiters after something happened. A place that is new or has another urgency
    /// goes after its equals, and an instance that had no waiter to the end of the line, in the
    /// order of `places`; all else stays as it was. Under OMIP the places are those at home.
    pub fn update(&mut self, places: &[Place<I, T, U>], room: impl Fn(I) -> usize) {
        for (instance, who, _) in self.waiters.clone() {
            if !places
                .iter()
                .any(|place| (place.0, place.1) == (instance, who))
            {
                self.leave(instance, who, &room);
            }
        }
        for place in places.iter().copied() {
            if self.waiters.contains(&place) {
                continue;
            }
            let (instance, who, _) = place;
            let before = self.waiters.len();
            self.waiters.retain(|one| (one.0, one.1) != (instance, who));
            let is_new = self.waiters.len() == before;
            self.waiters.push(place);
            if is_new {
                self.come(instance, who, &room);
            }
        }
    }

    /// Adds a thread that has just become one of the waiters of `instance`.
    fn come(&mut self, instance: I, who: T, room: &impl Fn(I) -> usize) {
        if !self.omip {
            if !self.line.contains(&instance) {
                self.line.push(instance);
            }
        } else if self.heads_in(instance) < room(instance) {
            self.heads.push((instance, who));
            self.line_up(instance);
        }
    }

    /// Removes a thread that is none of the waiters of `instance` any more.
    fn leave(&mut self, instance: I, who: T, room: &impl Fn(I) -> usize) {
        self.waiters.retain(|one| (one.0, one.1) != (instance, who));
        if !self.omip {
            self.forget_empty();
        } else if self.is_head(who) {
            self.heads.retain(|head| head.1 != who);
            self.move_up(instance, room);
        }
    }

    /// Instances without waiters have no turn.
    fn forget_empty(&mut self) {
        let Self { line, waiters, .. } = self;
        line.retain(|at| waiters.iter().any(|waiter| waiter.0 == *at));
    }

    /// The most urgent waiter of `instance` that may still be overtaken; the one that came first,
    /// among equals.
    fn most_urgent_of(&self, instance: I) -> Option<T> {
        let here = |waiter: &&Place<I, T, U>| waiter.0 == instance && !self.is_head(waiter.1);
        let first = self
            .waiters
            .iter()
            .filter(here)
            .min_by_key(|waiter| waiter.2);
        first.map(|waiter| waiter.1)
    }

    fn is_head(&self, who: T) -> bool {
        self.heads.iter().any(|head| head.1 == who)
    }

    fn head_of(&self, instance: I) -> Option<T> {
        let head = self.heads.iter().find(|head| head.0 == instance);
        head.map(|head| head.1)
    }

    /// The requests of `instance` that are not overtaken, the owner's included.
    fn heads_in(&self, instance: I) -> usize {
        let waiting = self.heads.iter().filter(|head| head.0 == instance);
        waiting.count() + usize::from(self.owner == Some(instance))
    }

    /// As many of `instance` as there is room for are not overtaken from now on.
    fn move_up(&mut self, instance: I, room: &impl Fn(I) -> usize) {
        while self.heads_in(instance) < room(instance)
            && let Some(next) = self.most_urgent_of(instance)
        {
            self.heads.push((instance, next));
        }
        self.line_up(instance);
    }

    /// The head of `instance` is in the line, unless the owner is before it.
    fn line_up(&mut self, instance: I) {
        if self.head_of(instance).is_none() {
            self.line.retain(|at| *at != instance);
        } else if !self.line.contains(&instance) && self.owner != Some(instance) {
            self.line.push(instance);
        }
    }
}
