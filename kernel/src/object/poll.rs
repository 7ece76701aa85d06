//! Owns: a thread's wait for the first of several objects. Must never know: what the objects are,
//! and how the thread waits in several queues at once.
#![expect(
    unsafe_code,
    reason = "what a thread waits for is lent to the kernel as long as it waits"
)]

use crate::critical_section::{CriticalSection, IntoResult};
use crate::sched::{OutcomeOf, hold, refuse_to_wait};
use crate::thread::tcb::ThreadRef;
use crate::wait::stand_in::StandIn;
use crate::wait::transfer::{Lent, Transaction, transact};
use crate::wait::{Place, Wait};
use crate::{Error, Kernel, System, Timeout};
use core::cell::Cell;
use core::marker::PhantomData;
use taktos_machine::Answer;

/// The most objects for which a thread can wait at once.
pub const MOST_POLLED: usize = 8;

/// An operation that a thread may have to wait for: what the thread gets by it.
pub trait Answers {
    /// The type of that.
    type Answer;
    /// Returns what the thread has got.
    fn answer(&self, done: Done) -> Self::Answer;
}

/// An operation that a thread may have to wait for: how it is done as one of several.
pub(crate) trait Alternative<S: System>: Answers {
    /// Begins again, after an earlier poll.
    fn begin(&self) {}
    /// Where a stand-in waits for it.
    fn place(this: Lent<'_, Self>) -> Place
    where
        Self: Sized;
    /// Whether it would end now, be it with an error.
    fn is_due(&self, cs: CriticalSection<'_>) -> bool;
    /// Does it without waiting; it [is due](Alternative::is_due).
    fn conclude(this: Lent<'_, Self>, cs: CriticalSection<'_>) -> OutcomeOf<S>
    where
        Self: Sized;
}

/// The proof that an operation has succeeded, and the word that it did so with.
pub struct Done(usize);

impl Done {
    /// The word.
    pub(crate) fn value(&self) -> usize {
        self.0
    }
}

/// An operation of an object, as one of several things that a thread waits for.
///
/// It has space for a control block, which waits at the object in the thread's place.
pub struct Branch<S, A> {
    stand_in: StandIn,
    alternative: A,
    answer: Cell<Option<Answer>>,
    system: PhantomData<fn() -> S>,
}

impl<S: System, A: Answers> Branch<S, A> {
    pub(crate) const fn new(alternative: A) -> Self {
        Self {
            stand_in: StandIn::new(),
            alternative,
            answer: Cell::new(None),
            system: PhantomData,
        }
    }

    /// Returns what came of the operation, if it is the one that ended the last
    /// [`Kernel::poll`]; once. Bound: fixed.
    pub fn outcome(&mut self) -> Option<Result<A::Answer, Error>> {
        let Answer { status, value } = self.answer.take()?;
        Some(
            status
                .result()
                .map(|()| self.alternative.answer(Done(value))),
        )
    }
}

/// One of several things that a thread waits for: a [`Branch`], of whatever object.
#[expect(private_bounds, reason = "the kernel alone does something with these")]
pub trait Pollable<S: System>: Branches<S> {}

impl<S: System, B: Branches<S>> Pollable<S> for B {}

/// The part of a [`Branch`] that [`Kernel::poll`] uses.
pub(crate) trait Branches<S: System> {
    /// The object that is waited for.
    fn wait(&self) -> Wait;
    /// Whether the operation would end now.
    fn is_due(&self, cs: CriticalSection<'_>) -> bool;
    /// Does it, without waiting. The running thread is inside the poll.
    fn conclude(&self, cs: CriticalSection<'_>) -> OutcomeOf<S>;
    /// Puts a stand-in of the thread, which is inside the poll, into the object's queue, as
    /// [`StandIn::stand`].
    fn stand(
        &self,
        cs: CriticalSection<'_>,
        owner: ThreadRef,
        number: (usize, Option<ThreadRef>),
    ) -> ThreadRef;
    /// Keeps what came of the operation: `at_once`, or what the stand-in was woken with.
    fn end(&self, at_once: Option<Answer>);
    /// Forgets what came of an earlier poll.
    fn begin(&self);
}

/// The branch as a record of the running thread's.
fn lent<S, A>(branch: &Branch<S, A>) -> Lent<'_, Branch<S, A>> {
    // SAFETY: `poll_among` alone calls the methods below; until it is back, its caller borrows all
    // branches to it.
    unsafe { Lent::assume(branch) }
}

/// The operation of the branch, as such a record.
fn alternative<S, A>(branch: &Branch<S, A>) -> Lent<'_, A> {
    lent(branch).part(|branch| &branch.alternative)
}

impl<S: System, A: Alternative<S>> Branches<S> for Branch<S, A> {
    fn wait(&self) -> Wait {
        A::place(alternative(self)).wait
    }

    fn is_due(&self, cs: CriticalSection<'_>) -> bool {
        self.alternative.is_due(cs)
    }

    fn conclude(&self, cs: CriticalSection<'_>) -> OutcomeOf<S> {
        A::conclude(alternative(self), cs)
    }

    fn stand(
        &self,
        cs: CriticalSection<'_>,
        owner: ThreadRef,
        number: (usize, Option<ThreadRef>),
    ) -> ThreadRef {
        let stand_in = lent(self).part(|branch| &branch.stand_in);
        StandIn::stand(&stand_in, cs, A::place(alternative(self)), owner, number)
    }

    fn end(&self, at_once: Option<Answer>) {
        let answer = at_once.unwrap_or_else(|| self.stand_in.answer(hold::<S>().section()));
        self.answer.set(Some(answer));
    }

    fn begin(&self) {
        self.answer.set(None);
        self.alternative.begin();
    }
}

impl<S: System> Kernel<S> {
    /// Waits, as long as `timeout` says, until one of the operations ends that `branches` are of,
    /// and does just this one: the first of them that need not wait; otherwise the first for which
    /// an object has something. Returns its number in `branches`. Its [outcome](Branch::outcome)
    /// says what came of it, which may be an error of its own: `Deleted`, for example.
    ///
    /// In the queue of each object the thread has the place that it would have if it waited for
    /// that object alone. An object gives it something only if it gets it: the other operations
    /// were not begun.
    ///
    /// Bound without waiting: one step a branch, and that of the operation. To wait, an insertion
    /// into a wait queue for each branch; to be woken, a removal for each.
    /// Errors, nothing being done: `Timeout`, `WouldBlock`, `Cancelled`; `Context` in an interrupt
    /// handler; `Parameter` where two branches wait in one queue.
    ///
    /// There are 1 to [`MOST_POLLED`] branches: other numbers do not compile.
    pub fn poll<const N: usize>(
        branches: [&mut dyn Pollable<S>; N],
        timeout: Timeout,
    ) -> Result<usize, Error> {
        const {
            assert!(
                N >= 1 && N <= MOST_POLLED,
                "a thread waits for 1 to 8 objects"
            )
        }
        Self::poll_among(&branches.map(Some), timeout)
    }

    /// Whether two branches wait in one queue, as two of one object do: no poll takes both. Bound:
    /// fixed.
    pub fn share_queue(one: &dyn Pollable<S>, other: &dyn Pollable<S>) -> bool {
        one.wait() == other.wait()
    }

    /// [`Kernel::poll`] for branches that are known when the program runs: `branches` has places
    /// for them, of which some may be empty. Errors: also `Parameter` for no branch, and more than
    /// [`MOST_POLLED`] places.
    pub fn poll_among(
        branches: &[Option<&mut (dyn Pollable<S> + '_)>],
        timeout: Timeout,
    ) -> Result<usize, Error> {
        let is_empty = branches.iter().all(Option::is_none);
        if is_empty || branches.len() > MOST_POLLED || shares_queue(branches) {
            return Err(Error::Parameter);
        }
        branches.iter().flatten().for_each(|branch| branch.begin());
        let round = Round {
            branches,
            at_once: Cell::new(None),
        };
        let answer = transact::<S, Poll<'_, '_, S>>(hold(), S::kernel(), &round, timeout);
        let result = answer.into_result::<S>();
        let (number, at_once) = match round.at_once.get() {
            Some(number) => (number, Some(answer)),
            None => result.map(|()| (answer.value, None))?,
        };
        if let Some(branch) = &branches[number] {
            branch.end(at_once);
        }
        Ok(number)
    }
}

/// Whether two of the branches wait in one queue.
fn shares_queue<S: System>(branches: &[Option<&mut (dyn Pollable<S> + '_)>]) -> bool {
    let mut rest = branches.iter().flatten();
    core::iter::from_fn(|| rest.next().map(|branch| (branch, rest.clone())))
        .any(|(branch, mut others)| others.any(|other| Kernel::share_queue(*other, *branch)))
}

/// A poll, as its caller lends it to the kernel.
struct Round<'a, 'b, S: System> {
    branches: &'a [Option<&'a mut (dyn Pollable<S> + 'b)>],
    /// The number of the branch that needed no wait.
    at_once: Cell<Option<usize>>,
}

struct Poll<'a, 'b, S>(PhantomData<(&'a (), &'b S)>);

impl<'a, 'b: 'a, S: System> Transaction<S> for Poll<'a, 'b, S> {
    type Object = Kernel<S>;
    type Record = Round<'a, 'b, S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        kernel: &'static Kernel<S>,
        round: Lent<'_, Round<'a, 'b, S>>,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let branches = round.branches.iter().enumerate();
        let branches = branches.filter_map(|(number, branch)| Some((number, branch.as_ref()?)));
        for (number, branch) in branches.clone() {
            if branch.is_due(cs) {
                round.at_once.set(Some(number));
                return branch.conclude(cs);
            }
        }
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let current = Kernel::<S>::running().current(cs);
        kernel.block_for_several(cs, current, timeout, || {
            branches.rev().fold(None, |next, (number, branch)| {
                Some(branch.stand(cs, current, (number, next)))
            })
        })
    }
}
