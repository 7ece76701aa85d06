//! Deferred work: functions that handlers leave to a thread.

use super::{At, Code, failed, kind, native, with};
use core::ffi::c_void;
use taktos::board::Board;
use taktos::{Error, Work, WorkQueue};

type Queue = WorkQueue<Board>;
kind!(Queue as taktos_work_queue_t, 0x93, 12);

/// Function that work calls.
pub type Function = extern "C" fn(*mut c_void);

/// Work with what it calls.
#[repr(C)]
pub struct CWork {
    function: Function,
    argument: *mut c_void,
    work: Work<Board>,
}

kind!(CWork as taktos_work_t, 0x94, 16);

/// Does the work: calls the function that the program gave.
fn call(place: usize) {
    // SAFETY: `taktos_work_defer` has the address from a `&'static CWork`.
    let work = unsafe { &*core::ptr::with_exposed_provenance::<CWork>(place) };
    (work.function)(work.argument);
}

native! {
    /// Makes a queue of work.
    fn taktos_work_queue_init(queue: At<Queue>) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type that
        // stays.
        unsafe { queue.make(WorkQueue::new()) }
    }

    /// Does the work in the calling thread, for ever: comes back with the error that ended its
    /// wait. Errors: Deleted, Cancelled; Context in a handler.
    fn taktos_work_queue_serve(queue: At<Queue>) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        unsafe { with(queue, |queue| Err(queue.serve())) }
    }

    /// Deletes it: a thread that serves it returns.
    fn taktos_work_queue_delete(queue: At<Queue>) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        unsafe { queue.end(|queue| queue.delete()) }
    }

    /// Makes work for the thread that serves `queue`: to call `function` with `argument`. Errors:
    /// Parameter without a function or a queue.
    fn taktos_work_init(work: At<CWork>, queue: At<Queue>, function: Option<Function>, argument: *mut c_void) -> Code {
        // SAFETY: the caller guarantees that `queue` is null or memory of the header's type.
        let (Some(function), Ok(queue)) = (function, unsafe { queue.get() }) else {
            return failed(Error::Parameter);
        };
        let made = CWork {
            function,
            argument,
            work: Work::new(queue, call),
        };
        // SAFETY: the caller guarantees that `work` is null or memory of the header's type that
        // stays.
        unsafe { work.make(made) }
    }

    /// Queues the work, once, after the work that is queued already. Allowed in handlers: 1 if it
    /// is new there, 0 if it was queued before, or an error. Errors: Deleted if the queue is.
    fn taktos_work_defer(work: At<CWork>) -> Code {
        // SAFETY: the caller guarantees that `work` is null or memory of the header's type.
        let deferred = unsafe { work.get() }.and_then(|object| {
            let place = core::ptr::from_ref(object).expose_provenance();
            object.work.defer(place)
        });
        match deferred {
            Ok(is_new) => is_new.into(),
            Err(error) => failed(error),
        }
    }

    /// Takes it back: 1 if it waited, 0 if not, or an error. Allowed in handlers.
    fn taktos_work_cancel(work: At<CWork>) -> Code {
        // SAFETY: the caller guarantees that `work` is null or memory of the header's type.
        match unsafe { work.get() } {
            Ok(object) => object.work.cancel().into(),
            Err(error) => failed(error),
        }
    }
}
