//! Owns: calls on threads as the last thing of a function that C calls and that returns an error as
//! a word. Must never know: the words.

use super::AnyThread;
use super::operations::{Resume, ResumeOrCancel, Suspend, Yield};
use crate::sched::{hold, slow_path, take_error};
use crate::{Error, Interrupt, Status, System};
use core::hint::cold_path;
use core::marker::PhantomData;
use taktos_machine::{Machine, Reply};

/// The error codes of an interface.
pub trait Told {
    /// The word for an error. That for none is 0.
    fn word(error: Error) -> i32;
}

/// The error codes of an interface, in the form that a machine needs.
struct Telling<S, T>(PhantomData<(S, T)>);

impl<S: System, T: Told> Reply for Telling<S, T> {
    extern "C" fn failed(status: Status) -> usize {
        take_error::<S>(status).map_or_else(|error| T::word(error) as usize, |()| 0)
    }
}

/// Calls for functions that C calls: each is the last thing that such a function does.
impl<S: System> AnyThread<S> {
    /// [`AnyThread::yield_now`].
    #[inline(always)]
    pub fn yield_last<T: Told>() -> i32 {
        hold::<S>().enter_last::<Yield<S>, Telling<S, T>>(S::kernel()) as i32
    }

    /// [`AnyThread::suspend`].
    #[inline(always)]
    pub fn suspend_last<T: Told>(&'static self) -> i32 {
        hold::<S>().enter_last::<Suspend<S>, Telling<S, T>>(self) as i32
    }

    /// [`AnyThread::resume`]; in a handler [`AnyThread::resume_in`].
    #[inline(always)]
    pub fn resume_last<T: Told>(&'static self) -> i32 {
        if S::Machine::in_interrupt() {
            cold_path();
            return self.resume_by_handler::<T>();
        }
        hold::<S>().enter_last::<Resume<S>, Telling<S, T>>(self) as i32
    }

    #[inline(never)]
    fn resume_by_handler<T: Told>(&'static self) -> i32 {
        Interrupt::here(|interrupt| self.resume_in(interrupt))
            .unwrap_or_else(|| slow_path(self.resume_by_others()))
            .map_or_else(T::word, |()| 0)
    }

    /// Away from the function above, which saves fewer registers so.
    #[cold]
    #[inline(never)]
    fn resume_by_others(&'static self) -> Result<(), Error> {
        self.resume()
    }

    /// [`AnyThread::resume_or_cancel`].
    #[inline(always)]
    pub fn resume_or_cancel_last<T: Told>(&'static self) -> i32 {
        hold::<S>().enter_last::<ResumeOrCancel<S>, Telling<S, T>>(self) as i32
    }
}
