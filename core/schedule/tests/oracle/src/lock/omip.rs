//! The order of grants of OMIP (Brandenburg, ECRTS 2013, section 4). Each instance has a first-in
//! first-out queue of at most as many requests as it has processors, and after it a queue by
//! priority. The heads of the former are in one first-in first-out line. The owner counts as the
//! head of its queue until it releases.
//!
//! Owns: the turn to have the lock.
//! Must never know: the priorities that waiters lend the owner; they all lend, wherever they are.

use super::{LockRow, insert};
use taktos_schedule::smp::Level;

impl LockRow {
    /// Returns how many requests are in the first queue of `instance`, the owner's included.
    fn used(&self, instance: usize) -> usize {
        self.sides[instance].heads.len() + usize::from(self.slot == Some(instance))
    }

    /// Handles the release by an owner for which a thread waits: the next request moves up. `room`
    /// is the number of processors of its instance.
    pub(super) fn return_slot(&mut self, room: usize) {
        if let Some(instance) = self.slot.take() {
            self.move_up(instance, room);
        }
    }

    /// `id` waits, with `level` in its home `instance`.
    pub(super) fn stand(&mut self, instance: usize, id: usize, level: Level, room: usize) {
        if self.used(instance) < room {
            self.sides[instance].heads.push(id);
            self.line_up(instance);
        } else {
            insert(&mut self.sides[instance].rest, level, id);
        }
    }

    /// Applies a change of the level of `id` in its home `instance`: puts it after its equals,
    /// unless priorities no longer count for it.
    pub(super) fn stand_anew(&mut self, instance: usize, id: usize, level: Level) {
        let rest = &mut self.sides[instance].rest;
        if let Some(at) = rest.iter().position(|(_, who)| *who == id) {
            rest.remove(at);
            insert(rest, level, id);
        }
    }

    /// Ends the wait of `id`; the next request moves up.
    pub(super) fn stand_down(&mut self, instance: usize, id: usize, room: usize) {
        let side = &mut self.sides[instance];
        side.rest.retain(|(_, who)| *who != id);
        if let Some(at) = side.heads.iter().position(|who| *who == id) {
            side.heads.remove(at);
            self.move_up(instance, room);
        }
    }

    /// The next owner: it keeps its place in its queue as the owner.
    pub(super) fn next_in_line(&mut self) -> Option<usize> {
        if self.line.is_empty() {
            return None;
        }
        let instance = self.line.remove(0);
        self.slot = Some(instance);
        Some(self.sides[instance].heads.remove(0))
    }

    /// Fills the first queue of `instance`, and sees that its head is in line.
    fn move_up(&mut self, instance: usize, room: usize) {
        while self.used(instance) < room && !self.sides[instance].rest.is_empty() {
            let side = &mut self.sides[instance];
            let (_, next) = side.rest.remove(0);
            side.heads.push(next);
        }
        self.line_up(instance);
    }

    /// The head of `instance` joins the line, where it is not there and no owner is before it.
    fn line_up(&mut self, instance: usize) {
        if self.sides[instance].heads.is_empty() {
            self.line.retain(|other| *other != instance);
        } else if !self.line.contains(&instance) && self.slot != Some(instance) {
            self.line.push(instance);
        }
    }
}
