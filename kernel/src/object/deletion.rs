//! Owns: the one way to delete an object at which threads may wait.
//! Must never know: which object.

use crate::critical_section::{Section, hold, in_decision};
use crate::sched::{OutcomeOf, Told, fail};
use crate::{Error, Kernel, Status, System, Timeout};
use core::marker::PhantomData;
use taktos_machine::{Decision, Machine};

/// An object that can be deleted.
pub(crate) trait Deletable: Sized + 'static {
    /// Whether it is.
    fn is_deleted(&self, s: Section) -> bool;
    /// Makes it so: those who wait at it are woken with `Deleted`, each later call fails with that.
    fn close(&'static self, s: Section);
}

/// Deletes `object`. Errors: `Deleted` if it is already.
pub(crate) fn delete<S: System, O: Deletable>(object: &'static O) -> Result<(), Error> {
    hold::<S>().hand_over();
    S::Machine::enter::<Delete<S, O>>(object, 0, Timeout::NONE).told::<S>()
}

struct Delete<S, O>(PhantomData<(S, O)>);

impl<S: System, O: Deletable> Decision<S::Machine> for Delete<S, O> {
    type Object = O;
    const USES_WORDS: bool = false;
    const BLOCKS: bool = false;

    extern "C" fn decide(object: &'static O, _: usize, _: Timeout) -> OutcomeOf<S> {
        let s = in_decision();
        if object.is_deleted(s) {
            return fail::<S>(Error::Deleted);
        }
        object.close(s);
        Kernel::<S>::conclude(s, Status::OK, 0)
    }
}
