//! The invariants of the seam, each violated once.

use crate::board::{
    DecidedBy, SwitchTo, at_upcalls, broken, enter, let_choose, locked, prepare, prepare_anew,
    thread,
};
use std::ptr;
use taktos_abi::Timeout;
use taktos_arch_host::HostSeveral;
use taktos_machine::{Context, Decision, Machine, Outcome as _};
use taktos_time::Span;

#[track_caller]
fn assert_broken(law: &str, bodies: Vec<Box<dyn FnOnce()>>) {
    let report = broken(bodies);
    assert!(report.contains(law), "{report}");
}

/// Another processor that is busy and takes interrupts.
fn busy() -> Box<dyn FnOnce()> {
    Box::new(|| HostSeveral::spend(9u32.micros()))
}

#[test]
fn masks_are_not_nested() {
    assert_broken(
        "masks interrupts that are masked",
        vec![Box::new(|| locked(HostSeveral::mask))],
    );
}

#[test]
fn what_is_not_masked_is_not_unmasked() {
    assert_broken(
        "a lock that this processor does not hold",
        vec![Box::new(|| HostSeveral::unmask(())), busy()],
    );
}

#[test]
fn decisions_need_the_lock() {
    assert_broken(
        "without the lock",
        vec![Box::new(|| {
            HostSeveral::enter::<SwitchTo>(thread(0), 0, Timeout::FOREVER);
        })],
    );
}

/// A wrong decision.
struct Wrong<const HOW: u8>;

impl<const HOW: u8> Decision<HostSeveral> for Wrong<HOW> {
    type Object = Context;
    const BLOCKS: bool = false;

    extern "C" fn decide(to: &'static Context, _: usize, _: Timeout) -> DecidedBy {
        let cells = HostSeveral::processor();
        match HOW {
            0 => DecidedBy::switch(to, to),
            1 => DecidedBy::switch(cells.current.get(), to),
            2 => {
                HostSeveral::processor_numbered(1).heir.set(ptr::null());
                SwitchTo::decide(to, 0, Timeout::FOREVER)
            }
            _ => {
                cells.heir.set(ptr::null());
                DecidedBy::switch(cells.current.get(), ptr::null())
            }
        }
    }
}

#[test]
fn a_decision_saves_the_running_thread_and_goes_on_with_the_heir() {
    let wrong = |enter: fn(usize) -> taktos_machine::Answer| -> Vec<Box<dyn FnOnce()>> {
        vec![Box::new(move || {
            enter(prepare(|| ()));
        })]
    };
    assert_broken("saves another", wrong(enter::<Wrong<0>>));
    assert_broken("another than the heir", wrong(enter::<Wrong<1>>));
    assert_broken("a null heir", wrong(enter::<Wrong<3>>));
}

#[test]
fn no_thread_runs_twice() {
    assert_broken(
        "whose registers are on another processor",
        vec![
            Box::new(|| {
                enter::<SwitchTo>(1);
            }),
            busy(),
        ],
    );
}

#[test]
fn no_thread_runs_that_was_never_prepared() {
    assert_broken(
        "was never prepared",
        vec![Box::new(|| {
            let other = prepare(|| ());
            thread(other).stack_pointer.set(9_999);
            enter::<SwitchTo>(other);
        })],
    );
}

#[test]
fn processors_call_others_that_are_there_and_masked() {
    assert_broken(
        "calls itself",
        vec![Box::new(|| locked(|| HostSeveral::call(0)))],
    );
    assert_broken(
        "that the world does not have",
        vec![Box::new(|| locked(|| HostSeveral::call(1)))],
    );
    assert_broken(
        "where interrupts are not masked",
        vec![Box::new(|| HostSeveral::call(1)), busy()],
    );
}

#[test]
fn a_processor_that_writes_anothers_heir_calls_it() {
    assert_broken(
        "heir of processor 1 was written without a call",
        vec![
            Box::new(|| {
                locked(|| HostSeveral::processor_numbered(1).heir.set(ptr::null()));
            }),
            busy(),
        ],
    );
}

#[test]
fn a_processor_that_writes_anothers_heir_and_gives_way_calls_it() {
    let switches = || {
        enter::<Wrong<2>>(prepare(|| ()));
    };
    assert_broken(
        "heir of processor 1 was written without a call",
        vec![Box::new(switches), busy()],
    );
}

/// A call before the heir is written can be over when it is.
#[test]
fn the_heir_is_written_before_the_call() {
    assert_broken(
        "heir of processor 1 was written without a call",
        vec![
            Box::new(|| {
                locked(|| {
                    HostSeveral::call(1);
                    HostSeveral::spend(1u32.micros());
                    HostSeveral::processor_numbered(1).heir.set(ptr::null());
                });
            }),
            busy(),
        ],
    );
}

#[test]
fn an_own_heir_is_not_forgotten() {
    assert_broken(
        "no interrupt will look at it",
        vec![Box::new(|| {
            let other = prepare(|| ());
            locked(|| HostSeveral::processor().heir.set(thread(other)));
        })],
    );
}

#[test]
fn no_thread_is_the_heir_of_two() {
    assert_broken(
        "is that of another one, too",
        vec![
            Box::new(|| {
                locked(|| {
                    HostSeveral::processor_numbered(1).heir.set(thread(0));
                    HostSeveral::call(1);
                });
            }),
            busy(),
        ],
    );
}

#[test]
fn a_choice_is_somebody_who_can_run() {
    let called = || {
        locked(|| {
            HostSeveral::processor_numbered(1).heir.set(ptr::null());
            HostSeveral::call(1);
        });
        HostSeveral::spend(9u32.micros());
    };
    assert_broken(
        "whose registers are on another processor",
        vec![
            Box::new(move || {
                let_choose(1, 0);
                called();
            }),
            busy(),
        ],
    );
}

#[test]
fn a_thread_that_runs_elsewhere_is_not_prepared_anew() {
    assert_broken(
        "is prepared anew that processor 1 runs",
        vec![Box::new(|| locked(|| prepare_anew(1, 0))), busy()],
    );
}

#[test]
fn an_interrupt_does_not_return_to_a_thread_that_it_prepared_anew() {
    assert_broken(
        "returns to a thread that it has prepared anew",
        vec![Box::new(|| {
            HostSeveral::interrupt(|| locked(|| prepare_anew(0, 0)));
        })],
    );
}

#[test]
fn a_handler_ends_as_it_began() {
    assert_broken(
        "a handler ends masked",
        vec![Box::new(|| {
            at_upcalls(|_| HostSeveral::mask());
            locked(|| HostSeveral::set_alarm(Some(HostSeveral::now())));
        })],
    );
}

#[test]
fn nobody_idles_masked() {
    assert_broken("idles masked", vec![Box::new(|| locked(HostSeveral::idle))]);
}

#[test]
fn the_report_tells_what_happened_last() {
    let report = broken(vec![Box::new(|| {
        HostSeveral::spend(3u32.micros());
        locked(|| ());
        locked(|| HostSeveral::call(0));
    })]);
    let mut lines = report.lines();
    assert_eq!(
        lines.next(),
        Some("processor 0: a processor calls itself, and not in a handler")
    );
    assert_eq!(
        report.matches("3000 ns  processor 0 has the lock").count(),
        2
    );
}
