//! Owns: whether processors reach each other, and what the end of an interrupt does.

use super::threads::{
    AT_CALL, CALLS, CHOICES, PROCESSORS, join_workers, refused_in_a_handler, section, start_worker,
    wait, wake,
};
use super::{SmpPort, check, on_each_processor, spin_for};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use taktos_machine::Machine;

const ROUNDS: u32 = 20;
/// Nanoseconds after which a call to a processor that is not masked must have been served, the
/// greatest quantum of the laboratory's clock included.
const SOON: u64 = 5_000;

/// A word that is stored before a call, and what the handler saw of it.
static SENT: AtomicU32 = AtomicU32::new(0);
static SEEN: [AtomicU32; PROCESSORS] = [const { AtomicU32::new(0) }; PROCESSORS];
static SLOWEST: AtomicU64 = AtomicU64::new(0);

/// From each processor to each other one: that one alone is called, in time, and sees what was
/// stored.
pub fn reach_each_other<P: SmpPort>() {
    AT_CALL.set(Some(|| {
        SEEN[P::Machine::number()].store(SENT.load(Relaxed), Relaxed);
    }));
    for caller in 0..PROCESSORS {
        start_worker::<P>(0, Some(caller), call_the_others::<P>, caller);
        join_workers::<P>();
    }
    AT_CALL.set(None);
    check::<P>("calls come soon", SLOWEST.load(Relaxed) < SOON);
    on_each_processor::<P>(|_| ());
    P::write("processors reach each other\n");
}

fn call_the_others<P: SmpPort>(own: usize) {
    for round in 0..ROUNDS {
        for other in (0..PROCESSORS).filter(|other| *other != own) {
            let word = SENT.load(Relaxed) + 1 + round;
            let before: [u32; PROCESSORS] = core::array::from_fn(|number| CALLS.of(number));
            let sent = section::<P, _>(|| {
                SENT.store(word, Relaxed);
                P::Machine::call(other);
                P::Machine::now()
            });
            while CALLS.of(other) == before[other] || SEEN[other].load(Relaxed) != word {
                let waited = P::Machine::now().since(sent).as_nanos();
                check::<P>("a call comes with what was stored before", waited < SOON);
            }
            SLOWEST.fetch_max(P::Machine::now().since(sent).as_nanos(), Relaxed);
            for (number, before) in before.iter().enumerate() {
                let more = u32::from(number == other);
                check::<P>("only it is called", CALLS.of(number) == before + more);
            }
        }
    }
}

static STOP: AtomicBool = AtomicBool::new(false);
static BUSY: AtomicBool = AtomicBool::new(false);

/// A thread of which the processor is to choose again continues if there is no other thread.
pub fn a_choice_may_be_to_stay<P: SmpPort>() {
    start_worker::<P>(0, Some(1), spin_until_told, 0);
    while !BUSY.load(Relaxed) {
        core::hint::spin_loop();
    }
    for round in 1..=ROUNDS {
        let before = CHOICES.of(1);
        section::<P, _>(|| {
            let processor = P::Machine::processor_numbered(1);
            processor.heir.set(ptr::null());
            P::Machine::call(1);
        });
        spin_for::<P>(SOON);
        check::<P>("one choice a call", CHOICES.of(1) == before + 1);
        let processor = P::Machine::processor_numbered(1);
        let stays = section::<P, _>(|| processor.heir.get() == processor.current.get());
        check::<P>("the thread stays", round > 0 && stays);
    }
    STOP.store(true, Relaxed);
    join_workers::<P>();
    P::write("a choice may be to stay\n");
}

fn spin_until_told(_: usize) {
    while !STOP.load(Relaxed) {
        BUSY.store(true, Relaxed);
    }
}

static REFUSED: AtomicU32 = AtomicU32::new(0);
static WOKEN: AtomicU32 = AtomicU32::new(0);

/// In a handler, what would block is refused; what wakes a thread does so, and the interrupt's end
/// switches to it.
pub fn handlers_do_not_block<P: SmpPort>() {
    start_worker::<P>(1, Some(2), wait_often::<P>, 0);
    spin_for::<P>(SOON);
    AT_CALL.set(Some(|| {
        REFUSED.fetch_add(u32::from(refused_in_a_handler::<P>()), Relaxed);
        check::<P>("wake in a handler", wake::<P>(1));
        check::<P>(
            "not before the interrupt's end",
            WOKEN.load(Relaxed) < REFUSED.load(Relaxed),
        );
    }));
    for round in 1..=ROUNDS {
        section::<P, _>(|| P::Machine::call(2));
        spin_for::<P>(SOON);
        check::<P>("refused", REFUSED.load(Relaxed) == round);
        check::<P>("woken", WOKEN.load(Relaxed) == round);
    }
    AT_CALL.set(None);
    join_workers::<P>();
    P::write("handlers wake threads and do not block\n");
}

fn wait_often<P: SmpPort>(_: usize) {
    for _ in 0..ROUNDS {
        check::<P>("the answer of a wait", wait::<P>());
        WOKEN.fetch_add(1, Relaxed);
    }
}
