//! Owns: the kernel's threads and processors as the scheduling library's seats want to see them.
//! Must never know: what they do with them.

use crate::System;
use crate::critical_section::CriticalSection;
use crate::thread::tcb::{Home, Running, ThreadRef};
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use core::marker::PhantomData;
use core::ptr;
use taktos_machine::{Machine, Processor};
use taktos_schedule::smp::seats::{Branches, Rows, World};
use taktos_schedule::smp::{self};
use taktos_schedule::{Links, Priority};
use taktos_time::Duration;

/// The kernel in a section.
#[derive(Clone, Copy)]
pub(crate) struct View<'cs, S>(CriticalSection<'cs>, PhantomData<fn() -> S>);

impl<'cs, S: System> View<'cs, S> {
    /// Creates the view of the section `cs`.
    #[inline(always)]
    pub fn new(cs: CriticalSection<'cs>) -> Self {
        Self(cs, PhantomData)
    }
}

impl<S: System> Links for View<'_, S> {
    type Id = ThreadRef;

    #[inline(always)]
    fn next(&self, id: ThreadRef) -> ThreadRef {
        self.0.next(id)
    }

    #[inline(always)]
    fn previous(&self, id: ThreadRef) -> ThreadRef {
        self.0.previous(id)
    }

    #[inline(always)]
    fn set_next(&self, id: ThreadRef, next: ThreadRef) {
        self.0.set_next(id, next);
    }

    #[inline(always)]
    fn set_previous(&self, id: ThreadRef, previous: ThreadRef) {
        self.0.set_previous(id, previous);
    }
}

impl<S: System> World for View<'_, S> {
    type Seat = &'static Processor;
    const PROCESSORS: usize = S::Machine::PROCESSORS;

    #[inline(always)]
    fn seat(&self, cpu: usize) -> &'static Processor {
        // Spares the check of the index where there are two, four or eight.
        let mask = S::Machine::PROCESSORS.next_power_of_two() - 1;
        S::Machine::processor_numbered(cpu & mask)
    }

    fn number_of(&self, seat: &'static Processor) -> usize {
        let is = |cpu: &usize| ptr::eq(S::Machine::processor_numbered(*cpu), seat);
        (0..Self::PROCESSORS).find(is).unwrap_or_default()
    }

    #[inline(always)]
    fn idle(&self, cpu: usize) -> ThreadRef {
        match S::smp().idle_of(self.0, cpu) {
            Some(idle) => idle,
            None => no_idle(),
        }
    }

    fn inherit(&self, id: ThreadRef, priority: Option<smp::Priority>) {
        S::smp().inherit(self.0, id, priority);
    }

    #[inline(always)]
    fn note(&self, id: ThreadRef) -> u64 {
        id.note(self.0)
    }

    #[inline(always)]
    fn set_note(&self, id: ThreadRef, note: u64) {
        id.set_note(self.0, note);
    }

    #[inline(always)]
    fn branches(&self, id: ThreadRef) -> &Branches<ThreadRef> {
        match S::smp().branches_of(self.0, id) {
            Some(branches) => branches,
            None => no_row(),
        }
    }

    #[inline(always)]
    fn priority(&self, id: ThreadRef) -> Priority {
        id.urgency.get(self.0).effective()
    }

    #[inline(always)]
    fn heir(&self, seat: &'static Processor) -> ThreadRef {
        Running(seat).heir(self.0)
    }

    fn knows_heir(&self, seat: &'static Processor) -> bool {
        !seat.heir.get().is_null()
    }

    #[inline(always)]
    fn current(&self, seat: &'static Processor) -> ThreadRef {
        Running(seat).current(self.0)
    }

    #[inline(always)]
    fn set_heir(&self, seat: &'static Processor, heir: ThreadRef) {
        Running(seat).set_heir(self.0, heir);
        #[cfg(feature = "budgets")]
        S::kernel().charge_seat(self.0, seat, heir);
    }

    #[inline(always)]
    fn forget_heir(&self, seat: &'static Processor) {
        seat.heir.set(ptr::null());
    }

    #[inline(always)]
    fn is_due(&self, seat: &'static Processor) -> bool {
        seat.heir.get() != seat.current.get()
    }

    #[inline(always)]
    fn ticks(&self) -> u64 {
        S::Machine::ticks()
    }

    #[inline(always)]
    fn charge(&self, id: ThreadRef, ticks: u64) {
        id.charge(self.0, ticks);
    }

    fn charged(&self, id: ThreadRef) -> Duration {
        S::Machine::span_of(id.charged(self.0))
    }

    fn limit(&self, id: ThreadRef) -> Duration {
        let limit = S::smp().limit_of(self.0, id);
        limit.map_or(Duration::ZERO, |limit| limit.get(self.0))
    }

    fn set_limit(&self, id: ThreadRef, limit: Duration) {
        if let Some(place) = S::smp().limit_of(self.0, id) {
            place.set(self.0, limit);
        }
    }

    fn turn(&self, id: ThreadRef) -> i64 {
        let turn = S::smp().turn_of(self.0, id);
        turn.map_or(0, |turn| turn.get(self.0))
    }

    fn set_turn(&self, id: ThreadRef, turn: i64) {
        if let Some(place) = S::smp().turn_of(self.0, id) {
            place.set(self.0, turn);
        }
    }

    fn watch(&self, cpu: usize, left: Option<Duration>) {
        let at = left.map(|left| S::Machine::now().saturating_add(left));
        S::smp().set_budget(self.0, S::Machine::number(), cpu, at);
    }

    #[inline(always)]
    fn call(&self, seat: &'static Processor, cpu: usize) {
        if !ptr::eq(seat, S::Machine::processor()) {
            S::Machine::call(cpu);
        }
    }
}

impl<S: System> Rows for View<'_, S> {
    fn row(&self, id: ThreadRef) -> Option<smp::Thread> {
        id.row(self.0)
    }

    fn thread(&self, row: smp::Thread) -> Option<ThreadRef> {
        S::smp().thread(self.0, row)
    }

    fn is_ready(&self, id: ThreadRef) -> bool {
        id.wait.get(self.0) == Wait::NOTHING && !id.urgency.get(self.0).has(Urgency::HELD)
    }

    fn is_at_home(&self, id: ThreadRef, instance: smp::Instance) -> bool {
        id.home(self.0).map(Home::instance) == Some(instance)
    }

    fn own_number(&self, id: ThreadRef) -> smp::Priority {
        S::smp().own_number(self.0, id)
    }
}

#[cold]
fn no_row() -> ! {
    panic!("a thread is ready that the library's tables do not have")
}

#[cold]
fn no_idle() -> ThreadRef {
    panic!("an instance has a processor that the start did not give an idle thread")
}
