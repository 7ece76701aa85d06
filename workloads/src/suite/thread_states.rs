//! Owns: the table of what each call does to a thread in each state.
#![expect(unsafe_code, reason = "a handler says that it is one")]

use super::case::{Tally, at};
use super::log::letter;
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, log_result, wait_for_permit};
use taktos_kernel::{AnyThread, Error, Interrupt, Priority, State};

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

/// Name, call, and for each state before: the letter of its result and that of the state after.
struct Row<S: SuiteBoard>(&'static str, Call<S>, &'static [u8; 6], &'static [u8; 6]);

/// The letter of a state.
const fn initial(state: State) -> char {
    match state {
        State::NonExistent => 'N',
        State::Dormant => 'D',
        State::Ready => 'R',
        State::Executing => 'E',
        State::Blocked => 'B',
    }
}

fn prepare<S: SuiteBoard>(c: &mut Case<S>, column: usize) {
    let thread = S::objects().thread(0);
    let wait = wait_for_permit::<S>;
    match column {
        0 => {
            // So that a start without a creation gets a priority below the main thread's.
            let made = thread
                .create_as("one", at(LOW))
                .and_then(|()| thread.delete());
            c.ok("creation and deletion", made);
        }
        1 => c.ok("creation", thread.create_as("one", at(LOW))),
        2 => c.start(0, LOW, wait),
        3 => c.start(0, HIGH, wait),
        4 => {
            c.start(0, LOW, wait);
            c.ok("suspension", thread.suspend());
        }
        _ => {
            c.start(0, HIGH, wait);
            c.ok("suspension", thread.suspend());
        }
    }
}

/// Demands its result and the state after of each call, which `through` makes by the row's number.
fn check<S: SuiteBoard>(c: &mut Case<S>, rows: &[Row<S>], through: fn(usize, Call<S>) -> char) {
    for (number, Row(call_name, call, results, after)) in rows.iter().enumerate() {
        for (column, (result, after)) in results.iter().zip(*after).enumerate() {
            S::objects().reset();
            prepare(c, column);
            let (name, before) = BEFORE[column];
            c.expect(name, c.thread(0).state(), before);
            let found = through(number, *call);
            c.expect(name, (*call_name, found), (*call_name, char::from(*result)));
            let state = initial(c.thread(0).state());
            c.expect(name, (*call_name, state), (*call_name, char::from(*after)));
        }
    }
}

fn check_here<S: SuiteBoard>(c: &mut Case<S>, rows: &[Row<S>]) {
    check(c, rows, |_, call| letter(&call(S::objects().thread(0))));
}

/// Resumes a thread, as a handler that says that it is one.
fn resume_here<S: SuiteBoard>(thread: &'static AnyThread<S>) -> Result<(), Error> {
    // SAFETY: the handler that `in_interrupt` has run, at the kernel's level.
    thread.resume_in(&unsafe { Interrupt::assume() })
}

/// The calls from interrupts.
const fn from_interrupts<S: SuiteBoard>() -> [Row<S>; 5] {
    [
        Row("suspend", |t| t.suspend(), b"SS....", b"NDBBBB"),
        Row("resume", |t| t.resume(), b"SSSS..", b"NDRBRB"),
        Row(
            "resume, as a handler",
            resume_here::<S>,
            b"SSSS..",
            b"NDRBRB",
        ),
        Row("end of wait", |t| t.cancel_wait(), b"SSS.S.", b"NDRDBB"),
        Row("join", |t| t.join(FOREVER), b"CCCCCC", b"NDRBBB"),
    ]
}

/// Makes the call of this number in a handler, which gets no argument.
fn in_interrupt<S: SuiteBoard>(number: usize, _: Call<S>) -> char {
    S::objects().set_number(number as u32);
    S::trigger_interrupt(|| {
        let o = S::objects();
        let Row(_, call, ..) = &from_interrupts::<S>()[o.number() as usize];
        log_result::<S>(call(o.thread(0)));
    });
    let text = S::objects().log.take();
    text.as_str().chars().next().unwrap_or('-')
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("threads");
    tally.case("life, in every state", |c| {
        let create: Call<S> = |_| S::objects().thread(0).create();
        let start: Call<S> = |_| S::objects().thread(0).start(|| ());
        let restart: Call<S> = |_| S::objects().thread(0).restart(|| ());
        check_here(
            c,
            &[
                Row("create", create, b".SSSSS", b"DDRBBB"),
                Row("start", start, b"..SSSS", b"RRRBBB"),
                Row("delete", |t| t.delete(), b"D.....", b"NNNNNN"),
                Row("stop", |t| t.stop(), b"DS....", b"NDDDDD"),
                // One that is more urgent than the main thread runs at once, and ends.
                Row("restart", restart, b"DS....", b"NDRDRD"),
                Row("join, no wait", |t| t.join(NONE), b"D.WWWW", b"NDRBBB"),
            ],
        );
    });
    tally.case("suspension, in every state", |c| {
        check_here(
            c,
            &[
                Row("suspend", |t| t.suspend(), b"SS....", b"NDBBBB"),
                Row("resume", |t| t.resume(), b"SSSS..", b"NDRBRB"),
                Row("end of wait", |t| t.cancel_wait(), b"SSS.S.", b"NDRDBB"),
            ],
        );
    });
    tally.case("priority, in every state", |c| {
        let new: Call<S> = |t| t.set_priority(Priority::LEAST_URGENT);
        let same: Call<S> = |t| t.set_priority(t.priorities().0);
        let idle: Call<S> = |t| t.set_priority(Priority::IDLE);
        check_here(
            c,
            &[
                Row("new priority", new, b"D.....", b"NDRBBB"),
                Row("the same priority", same, b"D.....", b"NDRBBB"),
                Row("the idle priority", idle, b"PPPPPP", b"NDRBBB"),
            ],
        );
    });
    tally.case("calls from interrupts, in every state", |c| {
        check(c, &from_interrupts::<S>(), in_interrupt::<S>);
    });
}
