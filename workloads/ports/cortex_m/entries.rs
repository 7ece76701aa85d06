//! Owns: whether each kind of kernel call carries its words in and its answer out, with and without
//! floating-point state, in threads and in handlers.

use super::float::enter_with_float;
use super::{check, interrupts};
use crate::Board;
use core::cell::Cell;
use core::ptr;
use taktos_kernel::{Error, Status, System, Timeout};
use taktos_machine::{Answer, Decision, Machine, Outcome};

type Port = <Board as System>::Machine;

/// Arguments of a decision, how often one was taken, and whether it is to switch.
struct Call {
    argument: Cell<usize>,
    timeout: Cell<u64>,
    taken: Cell<u32>,
    switches: Cell<bool>,
}

// SAFETY: touched by one thread, and by a handler while that waits.
unsafe impl Sync for Call {}

static CALL: Call = Call {
    argument: Cell::new(0),
    timeout: Cell::new(0),
    taken: Cell::new(0),
    switches: Cell::new(false),
};

const ARGUMENT: usize = 0x0123_4567;
const TIMEOUT: Timeout = Timeout::from_bits(0x89AB_CDEF_7654_3210);
const STATUS: Error = Error::Limit;
const VALUE: usize = 0xFEDC_BA98;

/// A decision of each kind: it stays, or switches from the running thread to the same.
struct Kind<const SWITCHES: bool, const BLOCKS: bool, const KEEPS: bool, const WORDS: bool>;

impl<const SWITCHES: bool, const BLOCKS: bool, const KEEPS: bool, const WORDS: bool> Decision<Port>
    for Kind<SWITCHES, BLOCKS, KEEPS, WORDS>
{
    type Object = Call;
    const ALWAYS_SWITCHES: bool = SWITCHES;
    const BLOCKS: bool = BLOCKS;
    const KEEPS_SLICE: bool = KEEPS;
    const USES_WORDS: bool = WORDS;

    extern "C" fn decide(
        call: &'static Call,
        argument: usize,
        timeout: Timeout,
    ) -> <Port as Machine>::Outcome {
        call.taken.set(call.taken.get() + 1);
        call.argument.set(argument);
        call.timeout.set(timeout.bits());
        if SWITCHES || call.switches.get() {
            // SAFETY: the running thread's context lasts as long as it runs.
            let context = unsafe { &*Port::processor().current.get() };
            context.status.set(STATUS as usize);
            context.value.set(VALUE);
            <Port as Machine>::Outcome::switch(context, context)
        } else {
            let status = Status::failed(STATUS);
            <Port as Machine>::Outcome::stay(Answer {
                status,
                value: VALUE,
            })
        }
    }
}

/// Makes the call, and checks the arguments that it was given.
fn enter<const SWITCHES: bool, const BLOCKS: bool, const KEEPS: bool, const WORDS: bool>(
    switches: bool,
) -> Answer {
    CALL.taken.set(0);
    CALL.switches.set(switches);
    Port::mask();
    let answer = Port::enter::<Kind<SWITCHES, BLOCKS, KEEPS, WORDS>>(&CALL, ARGUMENT, TIMEOUT);
    check(
        "the mask ends with the call",
        interrupts::base_priority() == 0,
    );
    if WORDS && CALL.taken.get() > 0 {
        check("argument", CALL.argument.get() == ARGUMENT);
        check("time-out", CALL.timeout.get() == TIMEOUT.bits());
    }
    answer
}

fn in_thread<const SWITCHES: bool, const BLOCKS: bool, const KEEPS: bool, const WORDS: bool>() {
    for switches in [false, true] {
        let answer = enter::<SWITCHES, BLOCKS, KEEPS, WORDS>(switches);
        check("taken once", CALL.taken.get() == 1);
        check("status", answer.status == Status::failed(STATUS));
        check("value", answer.value == VALUE);
        rest();
    }
}

/// A running thread's status is success, but for the way out of a call.
fn rest() {
    // SAFETY: as in `decide`.
    unsafe { &*Port::processor().current.get() }
        .status
        .set(Status::OK.word());
}

/// Every kind of call in a thread.
pub extern "C" fn in_a_thread() {
    in_thread::<false, false, false, true>();
    in_thread::<false, false, true, true>();
    in_thread::<false, true, false, true>();
    in_thread::<false, true, true, true>();
    in_thread::<true, false, false, true>();
    in_thread::<true, false, true, true>();
    in_thread::<true, true, false, true>();
    in_thread::<true, true, true, true>();
    in_thread::<false, false, false, false>();
    in_thread::<false, true, false, false>();
    in_thread::<true, false, false, false>();
    in_thread::<true, true, false, false>();
}

fn in_handler<const SWITCHES: bool, const BLOCKS: bool, const KEEPS: bool>() {
    for switches in [false, true] {
        let answer = enter::<SWITCHES, BLOCKS, KEEPS, true>(switches);
        if BLOCKS {
            check("blocking is not begun in a handler", CALL.taken.get() == 0);
            check(
                "and refused",
                answer.status == Status::failed(Error::Context),
            );
            continue;
        }
        check("taken once in a handler", CALL.taken.get() == 1);
        let pending = interrupts::take_back_switch();
        check(
            "a switch is put off to the end",
            pending == (SWITCHES || switches),
        );
        let (status, value) = if pending {
            (Status::OK, 0)
        } else {
            (Status::failed(STATUS), VALUE)
        };
        check("status in a handler", answer.status == status);
        check("value in a handler", answer.value == value);
        rest();
    }
}

/// Every kind of call in a handler.
pub fn in_a_handler() {
    in_handler::<false, false, false>();
    in_handler::<false, false, true>();
    in_handler::<false, true, false>();
    in_handler::<false, true, true>();
    in_handler::<true, false, false>();
    in_handler::<true, false, true>();
    in_handler::<true, true, false>();
    in_handler::<true, true, true>();
}

/// Threads and handlers, with and without floating-point state.
pub fn answer() {
    in_a_thread();
    interrupts::in_handler(in_a_handler);
    // From here on this thread has floating-point state, until it ends.
    check(
        "calls with floating point",
        enter_with_float(0x3141_5920, 3) == 0,
    );
    interrupts::in_handler(in_a_handler);
    check(
        "context",
        ptr::eq(
            Port::processor().current.get(),
            Port::processor().heir.get(),
        ),
    );
    Board::write("calls carry their words\n");
}

/// A switch to the caller itself, which begins its slice again.
pub fn switch() {
    enter::<true, false, false, false>(true);
    rest();
}

/// Switches to the caller itself, and its slice continues.
pub fn switch_in_slice() {
    enter::<true, false, true, false>(true);
    rest();
}
