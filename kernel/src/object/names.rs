//! Names: the code that makes an object and the code that uses it need not know each other, only
//! the object's name.
//!
//! Owns: which object has which name, and the threads that wait for a name.
//! Must never know: the kinds of the objects.

use crate::critical_section::{CriticalSection, Guarded, Operation};
use crate::object::deletion::{self, Deletable};
use crate::object::ends_at;
use crate::sched::{IntoResult, OutcomeOf, fail, hold, stay};
use crate::wait::WaitQueue;
use crate::{Error, Kernel, Status, System, Timeout};
use core::any::Any;
use core::marker::PhantomData;
use core::ptr;

/// The most bytes of a name: comparing one with all is done with interrupts masked.
pub const LONGEST_NAME: usize = 31;

/// An object that can have a name: any static.
type Object = &'static (dyn Any + Sync);

/// A name and what it names.
#[derive(Clone, Copy)]
struct Entry {
    name: &'static str,
    object: Object,
}

/// A registry of at most `N` names. Objects, threads, devices, services, whatever is a static, are
/// found by name, and by the type that the caller expects. The caller may wait until the name is
/// registered: so the order in which parts of a program start does not matter.
#[repr(C)]
pub struct Names<S, const N: usize> {
    waiters: WaitQueue,
    /// How often something was registered: by it a waiting thread notices a registration that it
    /// missed.
    registrations: Guarded<u32>,
    deleted: Guarded<bool>,
    entries: [Guarded<Option<Entry>>; N],
    system: PhantomData<fn() -> S>,
}

impl<S: System, const N: usize> Names<S, N> {
    /// A registry without names.
    ///
    /// # Panics
    /// If `N` is 0: for a static, when it is compiled.
    pub const fn new() -> Self {
        assert!(N > 0, "a registry of names needs room for one");
        Self {
            waiters: WaitQueue::new(),
            registrations: Guarded::new(0),
            deleted: Guarded::new(false),
            entries: [const { Guarded::new(None) }; N],
            system: PhantomData,
        }
    }

    /// Gives `object` the name `name`; all threads that wait for a name check again. Never waits;
    /// allowed in interrupt handlers at the kernel's level.
    ///
    /// Bound: `N` comparisons of names, one wake a waiter. Errors: `Parameter` for an empty name or
    /// one of more than [`LONGEST_NAME`] bytes; `InUse` if it is registered already; `Limit`
    /// where `N` are; `Deleted`.
    pub fn register<T: Any + Sync>(
        &'static self,
        name: &'static str,
        object: &'static T,
    ) -> Result<(), Error> {
        check(name)?;
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        if self.entry(cs, name).is_some() {
            return Err(Error::InUse);
        }
        let mut free = self.entries.iter().filter(|entry| entry.get(cs).is_none());
        let place = free.next().ok_or(Error::Limit)?;
        place.set(cs, Some(Entry { name, object }));
        let number = self.registrations.get(cs);
        self.registrations.set(cs, number.wrapping_add(1));
        if self.waiters.is_empty(cs) {
            return Ok(());
        }
        held.enter::<WakeAll<S, N>>(self, 0, Timeout::NONE).done()
    }

    /// Removes a name. The object stays what it is, and callers that have found it keep it. Allowed
    /// in interrupt handlers at the kernel's level.
    ///
    /// Bound: `N` comparisons of names. Errors: `State` if it is not registered; `Deleted`.
    pub fn unregister(&'static self, name: &str) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if self.deleted.get(cs) {
            return Err(Error::Deleted);
        }
        self.entry(cs, name).ok_or(Error::State)?.set(cs, None);
        Ok(())
    }

    /// The object `name`, which is a `T`; waits, as long as `timeout` says, until there is one.
    /// Allowed in interrupt handlers at the kernel's level, with [`Timeout::NONE`].
    ///
    /// Bound without waiting: `N` comparisons of names. Errors: `Timeout`, `WouldBlock`, `Deleted`,
    /// `Cancelled`; `Parameter` where the name is one that nothing can have, or what it names
    /// is no `T`; `Context` where an interrupt handler would have to wait.
    pub fn find<T: Any + Sync>(
        &'static self,
        name: &str,
        timeout: Timeout,
    ) -> Result<&'static T, Error> {
        check(name)?;
        let timeout = ends_at::<S>(timeout);
        loop {
            let held = hold::<S>();
            let cs = held.section();
            if self.deleted.get(cs) {
                return Err(Error::Deleted);
            }
            let entry = self.entry(cs, name).and_then(|entry| entry.get(cs));
            if let Some(entry) = entry {
                let object: &'static dyn Any = entry.object;
                return object.downcast_ref().ok_or(Error::Parameter);
            }
            if timeout.is_none() {
                return Err(Error::WouldBlock);
            }
            let seen = self.registrations.get(cs) as usize;
            held.enter::<AwaitMore<S, N>>(self, seen, timeout)
                .into_result::<S>()?;
        }
    }

    /// Returns the name and the object at a place, from 0 to `N - 1`; none at one that is free. A
    /// walk over all places has each name that is registered all the time. Allowed in interrupt
    /// handlers. Bound: fixed.
    pub fn at(&'static self, place: usize) -> Option<(&'static str, &'static (dyn Any + Sync))> {
        let held = hold::<S>();
        let entry = self.entries.get(place)?.get(held.section())?;
        Some((entry.name, entry.object))
    }

    /// How many names are registered. Allowed in interrupt handlers. Bound: `N` steps.
    pub fn len(&'static self) -> usize {
        let held = hold::<S>();
        let cs = held.section();
        let used = self.entries.iter().filter(|entry| entry.get(cs).is_some());
        used.count()
    }

    /// Whether no name is registered. Allowed in interrupt handlers. Bound: `N` steps.
    pub fn is_empty(&'static self) -> bool {
        self.len() == 0
    }

    /// Deletes the registry and its names: threads that wait for a name get `Deleted`, and so does
    /// each later call.
    ///
    /// Bound: `N` steps, one wake a waiter. Errors: `Deleted` if it is already.
    pub fn delete(&'static self) -> Result<(), Error> {
        deletion::delete::<S, Self>(self)
    }

    /// Makes a deleted registry one without names. Bound: fixed. Errors: `State` if it is not
    /// deleted.
    pub fn renew(&'static self) -> Result<(), Error> {
        let held = hold::<S>();
        let cs = held.section();
        if !self.deleted.get(cs) {
            return Err(Error::State);
        }
        self.deleted.set(cs, false);
        Ok(())
    }

    /// The place of `name`, if it is registered.
    fn entry(&self, cs: CriticalSection<'_>, name: &str) -> Option<&Guarded<Option<Entry>>> {
        let has_it = |place: &&Guarded<Option<Entry>>| {
            let entry = place.get(cs);
            // A name is mostly registered and looked up by one constant.
            entry.is_some_and(|entry| ptr::eq(entry.name, name) || entry.name == name)
        };
        self.entries.iter().find(has_it)
    }
}

impl<S: System, const N: usize> Default for Names<S, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// Errors: `Parameter` for what is no name.
fn check(name: &str) -> Result<(), Error> {
    match name.len() {
        1..=LONGEST_NAME => Ok(()),
        _ => Err(Error::Parameter),
    }
}

struct WakeAll<S, const N: usize>(PhantomData<S>);

impl<S: System, const N: usize> Operation<S> for WakeAll<S, N> {
    type Object = Names<S, N>;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(
        cs: CriticalSection<'_>,
        names: &'static Names<S, N>,
        _: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        while let Some(waiter) = names.waiters.first(cs) {
            names.waiters.pop(cs, waiter);
            S::kernel().wake(cs, waiter);
        }
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

/// Waits for another registration than those that the caller has seen.
struct AwaitMore<S, const N: usize>(PhantomData<S>);

impl<S: System, const N: usize> Operation<S> for AwaitMore<S, N> {
    type Object = Names<S, N>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        names: &'static Names<S, N>,
        seen: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        if names.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        if names.registrations.get(cs) as usize != seen {
            return stay::<S>(Status::OK);
        }
        S::kernel().block_in(cs, &names.waiters, timeout)
    }
}

impl<S: System, const N: usize> Deletable for Names<S, N> {
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool {
        self.deleted.get(cs)
    }

    fn close(&'static self, cs: CriticalSection<'_>) {
        for entry in &self.entries {
            entry.set(cs, None);
        }
        self.deleted.set(cs, true);
        S::kernel().flush(cs, &self.waiters, Error::Deleted);
    }
}
