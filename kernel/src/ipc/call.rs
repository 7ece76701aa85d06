//! Owns: calls and their replies: the server runs in its caller's place, with its priority, until
//! the reply. Must never know: how a message is copied.

use super::slow::{Parcel, accept, hand_over, mark_bytes, receives_from, refusal, slice_is_for};
use crate::critical_section::{CriticalSection, Operation};
use crate::sched::{OutcomeOf, fail, refuse_to_wait};
use crate::thread::AnyThread;
use crate::thread::tcb::ThreadRef;
use crate::thread::urgency::Urgency;
use crate::wait::Wait;
use crate::{Kernel, System};
use core::marker::PhantomData;
use taktos_abi::{Error, Status, Timeout};
use taktos_machine::Outcome;

pub(super) struct Call<S>(PhantomData<S>);

impl<S: System> Operation<S> for Call<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        server: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let server = server.reference();
        let current = Kernel::<S>::running().current(cs);
        if !receives_from(cs, server, current) {
            if let Some(error) = refusal(cs, current, server, timeout) {
                return fail::<S>(error);
            }
            current.set_value(cs, first);
            return S::kernel().block_on_thread(cs, current, server, Wait::call(server), timeout);
        }
        if server.urgency.get(cs).has(Urgency::BYTES) {
            return fail::<S>(Error::Parameter);
        }
        if timeout.is_none() {
            return refuse_to_wait::<S>();
        }
        let words = [first, current.argument.get(cs)];
        hand_over(
            cs,
            Parcel {
                sender: current,
                words,
                bytes: false,
            },
            server,
        );
        lend_turn::<S>(cs, current, server, timeout)
    }
}

/// Blocks the caller until the reply and lets the server, which has its message, run in its place.
fn lend_turn<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    server: ThreadRef,
    timeout: Timeout,
) -> OutcomeOf<S> {
    let kernel = S::kernel();
    server.wait.set(cs, Wait::NOTHING);
    if server.urgency.get(cs).is_special() {
        kernel.stop_timeout(cs, server);
    }
    let own = current.urgency.get(cs).effective();
    let urgency = server.urgency.get(cs);
    if own.beats(urgency.effective()) {
        server.urgency.set(cs, urgency.with_effective(own));
    }
    #[cfg(feature = "budgets")]
    kernel.carry_account(cs, current, server);
    let heir = kernel.block_for(cs, current, server, Wait::reply(server), timeout);
    server.0.waiters.insert(cs, current);
    slice_is_for::<S>(cs, server, heir);
    OutcomeOf::<S>::switch(current.context(), heir.context())
}

/// Gives the running thread's reply to `caller`, which is then to have its place among its equals
/// again.
fn give_reply<S: System>(
    cs: CriticalSection<'_>,
    current: ThreadRef,
    caller: ThreadRef,
    first: usize,
) -> Result<(), Error> {
    if caller.wait.get(cs) != Wait::reply(current) {
        return Err(Error::State);
    }
    let kernel = S::kernel();
    current.0.waiters.remove(cs, caller);
    caller.wait.set(cs, Wait::NOTHING);
    caller.set_value(cs, first);
    caller.argument.set(cs, current.argument.get(cs));
    let urgency = caller.urgency.get(cs);
    if urgency.is_special() {
        kernel.stop_timeout(cs, caller);
    }
    Ok(())
}

pub(super) struct Reply<S>(PhantomData<S>);

impl<S: System> Operation<S> for Reply<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        caller: &'static AnyThread<S>,
        first: usize,
        _: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        let kernel = S::kernel();
        if let Err(error) = give_reply::<S>(cs, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        kernel.make_ready_first(cs, caller.reference());
        // The server continues before its equals; only a more urgent caller displaces it.
        kernel.bring_to_front(cs, current);
        kernel.lose_inheritance(cs, current);
        #[cfg(feature = "budgets")]
        kernel.settle_payer(cs, current);
        kernel.reselect(cs);
        Kernel::<S>::conclude(cs, Status::OK, 0)
    }
}

pub(super) struct ReplyAndReceive<S>(PhantomData<S>);

impl<S: System> Operation<S> for ReplyAndReceive<S> {
    type Object = AnyThread<S>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = true;

    fn run(
        cs: CriticalSection<'_>,
        caller: &'static AnyThread<S>,
        first: usize,
        timeout: Timeout,
    ) -> OutcomeOf<S> {
        let current = Kernel::<S>::running().current(cs);
        if let Err(error) = give_reply::<S>(cs, current, caller.reference(), first) {
            return fail::<S>(error);
        }
        let kernel = S::kernel();
        if current.waiters.first_sender(cs).is_none() && !timeout.is_none() {
            let caller = caller.reference();
            mark_bytes(cs, current, false);
            let heir = kernel.block_for(cs, current, caller, Wait::RECEIVE_ANY, timeout);
            // The caller loses the inherited priority where that costs least: in no ring.
            kernel.lose_inheritance(cs, current);
            #[cfg(feature = "budgets")]
            kernel.settle_payer(cs, current);
            slice_is_for::<S>(cs, caller, heir);
            return OutcomeOf::<S>::switch(current.context(), heir.context());
        }
        kernel.lose_inheritance(cs, current);
        kernel.make_ready_first(cs, caller.reference());
        kernel.reselect(cs);
        let outcome = match current.waiters.first_sender(cs) {
            Some(sender) => accept::<S>(cs, current, sender, false),
            // The reply has taken effect, and may have made another thread the heir.
            None => {
                #[cfg(feature = "budgets")]
                kernel.settle_payer(cs, current);
                Kernel::<S>::conclude(cs, Status::failed(Error::WouldBlock), 0)
            }
        };
        slice_is_for::<S>(cs, caller.reference(), kernel.heir(cs));
        outcome
    }
}
