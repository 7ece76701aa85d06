//! Owns: the list of all periods that exist, in the order of their creation. Must never know: what they do.

use super::Period;
use crate::System;
use crate::section::{Guarded, Section};

/// All periods that exist.
pub struct Periods<S: System> {
    first: Guarded<Option<&'static Period<S>>>,
}

impl<S: System> Periods<S> {
    /// There is none.
    pub const fn new() -> Self {
        Self {
            first: Guarded::new(None),
        }
    }

    /// Adds `period` behind all others, with the next number. Steps: the periods that exist.
    pub fn add(&self, s: Section, period: &'static Period<S>) {
        let mut place = &self.first;
        let mut last = 0;
        while let Some(other) = place.get(s) {
            last = other.number.get(s);
            place = &other.following;
        }
        period.number.set(s, last.saturating_add(1));
        period.following.set(s, None);
        place.set(s, Some(period));
    }

    /// Takes out `period`. Steps: the periods before it.
    pub fn remove(&self, s: Section, period: &'static Period<S>) {
        let mut place = &self.first;
        while let Some(other) = place.get(s) {
            if core::ptr::eq(other, period) {
                place.set(s, other.following.get(s));
                return;
            }
            place = &other.following;
        }
    }

    /// The first period whose number is above `number`. Steps: the periods before it.
    pub fn after(&self, s: Section, number: u32) -> Option<&'static Period<S>> {
        let mut place = &self.first;
        while let Some(other) = place.get(s) {
            if other.number.get(s) > number {
                return Some(other);
            }
            place = &other.following;
        }
        None
    }
}
