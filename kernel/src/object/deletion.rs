//! Owns: the one way to delete an object at which threads may wait.
//! Must never know: which object.

use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{IntoResult, OutcomeOf, fail, hold};
use crate::{Error, Kernel, Status, System, Timeout};
use core::marker::PhantomData;

/// An object that can be deleted.
pub(crate) trait Deletable: Sized + 'static {
    /// Returns whether the object is deleted.
    fn is_deleted(&self, cs: CriticalSection<'_>) -> bool;
    /// Deletes the object: threads that wait at it get `Deleted`, and so does each later call.
    fn close(&'static self, cs: CriticalSection<'_>);
}

/// Deletes `object`. Errors: `Deleted` if it is already.
pub(crate) fn delete<S: System, O: Deletable>(object: &'static O) -> Result<(), Error> {
    hold::<S>()
        .enter::<Delete<S, O>>(object, 0, Timeout::NONE)
        .into_result::<S>()
}

struct Delete<S, O>(PhantomData<(S, O)>);

impl<S: System, O: Deletable> Operation<S> for Delete<S, O> {
    type Object = O;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    fn run(cs: CriticalSection<'_>, object: &'static O, _: usize, _: Timeout) -> OutcomeOf<S> {
        if object.is_deleted(cs) {
            return fail::<S>(Error::Deleted);
        }
        object.close(cs);
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}
