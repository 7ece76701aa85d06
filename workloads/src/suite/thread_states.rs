//! Owns: the table of what each call does to a thread in each state.
#![expect(unsafe_code, reason = "a handler says that it is one")]

use super::case::Tally;
use super::log::letter;
use super::{Case, HIGH, LOW, SuiteBoard};
use taktos_kernel::{AnyThread, Error, Interrupt, Priority, State, Timeout};

/// The state that a helper is brought into; the order is that of the columns below.
const BEFORE: [(&str, State); 6] = [
    ("non-existent", State::NonExistent),
    ("dormant", State::Dormant),
    ("ready", State::Ready),
    ("waiting", State::Blocked),
    ("suspended", State::Blocked),
    ("waiting and suspended", State::Blocked),
];

type Call<S> = fn(&'static AnyThread<S>) -> Result<(), Error>;

/// A call, and for each state before: the letter of its result and the state after.
struct Row<S: SuiteBoard> {
    name: &'static str,
    call: Call<S>,
    results: &'static str,
    after: [State; 6],
}

const N: State = State::NonExistent;
const D: State = State::Dormant;
const R: State = State::Ready;
const B: State = State::Blocked;

fn prepare<S: SuiteBoard>(c: &mut Case<S>, column: usize) {
    let thread = S::objects().thread(0);
    let wait = || {
        let _ = S::objects().semaphore.take(Timeout::FOREVER);
    };
    let low = Priority::new(LOW).unwrap_or(Priority::LEAST_URGENT);
    match column {
        0 => {
            // So that a start without a creation gets a priority below the main thread's.
            let made = thread.create_as("one", low).and_then(|()| thread.delete());
            c.expect("creation and deletion", made, Ok(()));
        }
        1 => c.expect("creation", thread.create_as("one", low), Ok(())),
        2 => c.start(0, LOW, wait),
        3 => c.start(0, HIGH, wait),
        4 => {
            c.start(0, LOW, wait);
            c.expect("suspension", thread.suspend(), Ok(()));
        }
        _ => {
            c.start(0, HIGH, wait);
            c.expect("suspension", thread.suspend(), Ok(()));
        }
    }
}

fn check<S: SuiteBoard>(
    c: &mut Case<S>,
    row: &Row<S>,
    through: fn(&'static AnyThread<S>, Call<S>) -> char,
) {
    for (column, result) in row.results.chars().enumerate() {
        S::objects().reset();
        prepare(c, column);
        let (name, before) = BEFORE[column];
        c.expect(name, S::objects().thread(0).state(), before);
        let found = through(S::objects().thread(0), row.call);
        c.expect(name, (row.name, found), (row.name, result));
        c.expect(
            name,
            (row.name, S::objects().thread(0).state()),
            (row.name, row.after[column]),
        );
    }
}

fn check_all<S: SuiteBoard>(c: &mut Case<S>, rows: &[Row<S>]) {
    for row in rows {
        check(c, row, |thread, call| letter(&call(thread)));
    }
}

/// The one call of the case, for handlers, which get no argument.
fn in_interrupt<S: SuiteBoard>(c: &mut Case<S>, row: Row<S>, handler: fn()) {
    for (column, result) in row.results.chars().enumerate() {
        S::objects().reset();
        prepare(c, column);
        S::trigger_interrupt(handler);
        let (name, _) = BEFORE[column];
        let text = S::objects().log.take();
        c.expect(name, text.as_str().chars().next(), Some(result));
        c.expect(
            name,
            (row.name, S::objects().thread(0).state()),
            (row.name, row.after[column]),
        );
    }
}

fn in_handler<S: SuiteBoard>(call: Call<S>) {
    let result = call(S::objects().thread(0));
    S::objects().log.add(letter(&result));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("threads: life, in every state", |c| {
        check_all(
            c,
            &[
                Row {
                    name: "create",
                    call: |_| S::objects().thread(0).create(),
                    results: ".SSSSS",
                    after: [D, D, R, B, B, B],
                },
                Row {
                    name: "start",
                    call: |_| S::objects().thread(0).start(|| ()),
                    results: "..SSSS",
                    after: [R, R, R, B, B, B],
                },
                Row {
                    name: "delete",
                    call: |thread| thread.delete(),
                    results: "D.....",
                    after: [N; 6],
                },
                Row {
                    name: "stop",
                    call: |thread| thread.stop(),
                    results: "DS....",
                    after: [N, D, D, D, D, D],
                },
                Row {
                    // One that is more urgent than the main thread runs at once, and ends.
                    name: "restart",
                    call: |_| S::objects().thread(0).restart(|| ()),
                    results: "DS....",
                    after: [N, D, R, D, R, D],
                },
                Row {
                    name: "join without waiting",
                    call: |thread| thread.join(Timeout::NONE),
                    results: "D.WWWW",
                    after: [N, D, R, B, B, B],
                },
            ],
        );
    });
    tally.case("threads: suspension, in every state", |c| {
        check_all(
            c,
            &[
                Row {
                    name: "suspend",
                    call: |thread| thread.suspend(),
                    results: "SS....",
                    after: [N, D, B, B, B, B],
                },
                Row {
                    name: "resume",
                    call: |thread| thread.resume(),
                    results: "SSSS..",
                    after: [N, D, R, B, R, B],
                },
                Row {
                    name: "end of wait",
                    call: |thread| thread.cancel_wait(),
                    results: "SSS.S.",
                    after: [N, D, R, D, B, B],
                },
            ],
        );
    });
    tally.case("threads: priority, in every state", |c| {
        check_all(
            c,
            &[
                Row {
                    name: "new priority",
                    call: |thread| thread.set_priority(Priority::LEAST_URGENT),
                    results: "D.....",
                    after: [N, D, R, B, B, B],
                },
                Row {
                    name: "the same priority",
                    call: |thread| thread.set_priority(thread.priorities().0),
                    results: "D.....",
                    after: [N, D, R, B, B, B],
                },
                Row {
                    name: "the idle priority",
                    call: |thread| thread.set_priority(Priority::IDLE),
                    results: "PPPPPP",
                    after: [N, D, R, B, B, B],
                },
            ],
        );
    });
    tally.case("threads: calls from interrupts, in every state", |c| {
        let row = |name, call: Call<S>, results, after| Row {
            name,
            call,
            results,
            after,
        };
        in_interrupt(
            c,
            row(
                "suspend",
                |thread| thread.suspend(),
                "SS....",
                [N, D, B, B, B, B],
            ),
            || in_handler::<S>(|thread| thread.suspend()),
        );
        in_interrupt(
            c,
            row(
                "resume",
                |thread| thread.resume(),
                "SSSS..",
                [N, D, R, B, R, B],
            ),
            || in_handler::<S>(|thread| thread.resume()),
        );
        in_interrupt(
            c,
            row(
                "resume, by a handler that says so",
                |thread| thread.resume(),
                "SSSS..",
                [N, D, R, B, R, B],
            ),
            || {
                in_handler::<S>(|thread| {
                    // SAFETY: the handler that `in_interrupt` has run, at the kernel's level.
                    thread.resume_in(&unsafe { Interrupt::assume() })
                });
            },
        );
        in_interrupt(
            c,
            row(
                "end of wait",
                |thread| thread.cancel_wait(),
                "SSS.S.",
                [N, D, R, D, B, B],
            ),
            || in_handler::<S>(|thread| thread.cancel_wait()),
        );
        in_interrupt(
            c,
            row(
                "join",
                |thread| thread.join(Timeout::FOREVER),
                "CCCCCC",
                [N, D, R, B, B, B],
            ),
            || in_handler::<S>(|thread| thread.join(Timeout::FOREVER)),
        );
    });
}
