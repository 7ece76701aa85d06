//! Owns: policies and priorities of threads that run. Must never know: how they are scheduled.
//!
//! `SCHED_OTHER` is scheduled as `SCHED_RR` is: from the second thread of either on, threads of one
//! priority take turns of [`TURN`], but for those of `SCHED_FIFO`.

use super::attributes::{PRIORITIES, Parameters, check, policy_of, require};
use super::errno::Errno;
use super::signal::action::at_call;
use super::system::thread_of;
use super::thread::{PosixThread, living};
use super::{code, minus_one};
use crate::cmsis::interface;
use crate::cmsis::thread::OsThread;
use crate::object::Id;
use crate::os::{in_handler, os};
use core::ffi::c_int;
use taktos::board::Board;
use taktos::{AnyThread, Duration, Kernel};

const FIFO: c_int = 1;
/// How long a turn is.
const TURN: Duration = Duration::from_nanos(10_000_000);

/// Makes a thread take turns or not, as its policy says.
pub(super) fn follow_policy(thread: &'static OsThread, policy: c_int) {
    let (shared, takes) = (&os().posix, policy != FIFO);
    thread.handle().set_takes_turns(takes);
    // A program of one thread needs no timer for that.
    if takes && shared.living.get() > 1 && !shared.takes_turns.replace(true) {
        let _ = Kernel::<Board>::set_time_slice(Some(TURN));
    }
}

/// Gives a thread a policy and a priority.
unsafe fn schedule(id: Id, policy: Option<c_int>, priority: c_int) -> Result<(), Errno> {
    require(!in_handler(), Errno::PERM)?;
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    let thread = unsafe { living(id) }?;
    let policy = policy.unwrap_or_else(|| policy_of(thread));
    check(policy, priority)?;
    follow_policy(thread, policy);
    if let Some(posix) = PosixThread::of(thread) {
        posix.policy.set(policy);
    }
    thread.set_priority(priority).map_err(Errno::from)
}

/// A number, or what older calls give back.
fn answer(result: Result<c_int, Errno>) -> c_int {
    match result {
        Ok(number) => number,
        Err(error) => minus_one(Err(error)),
    }
}

/// The least or the most urgent priority of a policy. Errors: `EINVAL` for what is none here.
fn bound(policy: c_int, priority: c_int) -> c_int {
    answer(check(policy, priority).map_or(Err(Errno::INVAL), |()| Ok(priority)))
}

interface! {
    /// Gives a thread a policy and a priority; it goes to the end of its new equals. `EINVAL` for
    /// what is none, `ESRCH`; `EPERM` in a handler.
    fn pthread_setschedparam(id: Id, policy: c_int, parameters: *const Parameters) -> c_int {
        // SAFETY: the caller guarantees that `parameters` is null or valid.
        let priority = unsafe { parameters.as_ref() }.map_or(0, |parameters| parameters.priority);
        at_call();
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        code(unsafe { schedule(id, Some(policy), priority) })
    }

    /// Gives a thread another priority.
    fn pthread_setschedprio(id: Id, priority: c_int) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        code(unsafe { schedule(id, None, priority) })
    }

    /// A thread's policy, and the priority that it was given. `ESRCH`.
    fn pthread_getschedparam(id: Id, policy: *mut c_int, parameters: *mut Parameters) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        code(unsafe { living(id) }.and_then(|thread: &'static OsThread| {
            // SAFETY: the caller guarantees that `policy` and `parameters` are null or writable.
            let (policy, parameters) = unsafe { (policy.as_mut(), parameters.as_mut()) };
            *policy.ok_or(Errno::INVAL)? = policy_of(thread);
            parameters.ok_or(Errno::INVAL)?.priority = thread.priority();
            Ok(())
        }))
    }

    /// Gives the process's calling thread a policy and a priority; the answer is the policy before.
    /// `EINVAL`, `ESRCH` where it is another process.
    fn sched_setscheduler(process: c_int, policy: c_int, parameters: *const Parameters) -> c_int {
        // SAFETY: the caller guarantees that `parameters` is null or valid.
        let priority = unsafe { parameters.as_ref() }.map_or(0, |parameters| parameters.priority);
        let done = thread_of(process).and_then(|id| {
            // SAFETY: as above: it is the caller's own.
            let before = unsafe { living(id) }.map(policy_of)?;
            // SAFETY: as above.
            unsafe { schedule(id, Some(policy), priority) }.map(|()| before)
        });
        answer(done)
    }

    /// Gives it a priority alone.
    fn sched_setparam(process: c_int, parameters: *const Parameters) -> c_int {
        // SAFETY: the caller guarantees that `parameters` is null or valid.
        let priority = unsafe { parameters.as_ref() }.map_or(0, |parameters| parameters.priority);
        // SAFETY: it is the caller's own.
        minus_one(thread_of(process).and_then(|id| unsafe { schedule(id, None, priority) }))
    }

    /// Its policy.
    fn sched_getscheduler(process: c_int) -> c_int {
        // SAFETY: it is the caller's own.
        answer(thread_of(process).and_then(|id| unsafe { living(id) }.map(policy_of)))
    }

    /// Its priority.
    fn sched_getparam(process: c_int, parameters: *mut Parameters) -> c_int {
        minus_one(thread_of(process).and_then(|id| {
            // SAFETY: the thread is the caller's own; the caller guarantees that `parameters` is
            // null or writable.
            let (thread, parameters) = unsafe { (living(id)?, parameters.as_mut()) };
            parameters.ok_or(Errno::INVAL)?.priority = thread.priority();
            Ok(())
        }))
    }

    /// Lets the other threads of the caller's priority run.
    fn sched_yield() -> c_int {
        if !in_handler() {
            at_call();
            AnyThread::<Board>::yield_now();
        }
        0
    }

    /// The most urgent priority.
    fn sched_get_priority_max(policy: c_int) -> c_int {
        bound(policy, *PRIORITIES.end())
    }

    /// The least urgent one.
    fn sched_get_priority_min(policy: c_int) -> c_int {
        bound(policy, *PRIORITIES.start())
    }

    /// How long a turn of a thread with `SCHED_RR` is. `ESRCH` where it is another process.
    fn sched_rr_get_interval(process: c_int, time: *mut super::clock::TimeSpec) -> c_int {
        minus_one(thread_of(process).and_then(|_| {
            // SAFETY: the caller guarantees that `time` is null or writable.
            *unsafe { time.as_mut() }.ok_or(Errno::INVAL)? = super::clock::TimeSpec::of(TURN.as_nanos() as i64);
            Ok(())
        }))
    }
}
