//! Owns: the cases of what holds items and makes threads wait for them: queue, FIFO, LIFO, stack.

use super::case::Tally;
use super::log::letter;
use super::{Case, HIGH, LOW, SuiteBoard, UNIT};
use taktos_kernel::{Error, Fifo, Lifo, MessageQueue, State, System, Timeout};

/// How many items the suite's objects hold.
pub(super) const ROOM: usize = 2;

/// What the four have in common.
pub(super) trait Store: Sync + 'static {
    /// Puts an item in, without waiting.
    fn put(&'static self, item: u32) -> Result<(), Error>;
    /// Takes an item out.
    fn get(&'static self, timeout: Timeout) -> Result<u32, Error>;
    /// How many items are in it.
    fn length(&'static self) -> usize;
    /// Deletes it.
    fn remove(&'static self) -> Result<(), Error>;
    /// Makes it anew.
    fn again(&'static self) -> Result<(), Error>;
}

macro_rules! store {
    ($type:ty, $put:expr, $get:ident, $item:ty) => {
        impl<S: System> Store for $type {
            fn put(&'static self, item: u32) -> Result<(), Error> {
                let put: fn(&'static Self, $item) -> Result<(), Error> = $put;
                put(self, item as $item)
            }
            fn get(&'static self, timeout: Timeout) -> Result<u32, Error> {
                // The suite's items are small numbers.
                self.$get(timeout).map(|item| item as u32)
            }
            fn length(&'static self) -> usize {
                self.len()
            }
            fn remove(&'static self) -> Result<(), Error> {
                self.delete()
            }
            fn again(&'static self) -> Result<(), Error> {
                self.renew()
            }
        }
    };
}

store!(MessageQueue<S, u32, ROOM>, |queue, item| queue.send(&item, Timeout::NONE), receive, u32);
store!(Fifo<S, u32, ROOM>, |fifo, item| fifo.push(item), pop, u32);
store!(Lifo<S, u32, ROOM>, |lifo, item| lifo.push(item), pop, u32);
store!(Lifo<S, usize, ROOM>, |stack, item| stack.push(item), pop, usize);

/// State before (items put in; none: deleted), call, result, items left (taken out in order).
struct Row<O: 'static> {
    name: &'static str,
    before: Option<u32>,
    call: fn(&'static O) -> Result<u32, Error>,
    result: Result<u32, Error>,
    left: usize,
}

fn table<S: SuiteBoard, O: Store>(c: &mut Case<S>, store: &'static O, full: Error, next: u32) {
    let rows: [Row<O>; 15] = [
        Row {
            name: "put, empty",
            before: Some(0),
            call: |o| o.put(7).map(|()| 0),
            result: Ok(0),
            left: 1,
        },
        Row {
            name: "put, one in it",
            before: Some(1),
            call: |o| o.put(7).map(|()| 0),
            result: Ok(0),
            left: 2,
        },
        Row {
            name: "put, full",
            before: Some(2),
            call: |o| o.put(7).map(|()| 0),
            result: Err(full),
            left: 2,
        },
        Row {
            name: "put, deleted",
            before: None,
            call: |o| o.put(7).map(|()| 0),
            result: Err(Error::Deleted),
            left: 0,
        },
        Row {
            name: "get, one in it",
            before: Some(1),
            call: |o| o.get(Timeout::NONE),
            result: Ok(1),
            left: 0,
        },
        Row {
            name: "get, two in it",
            before: Some(2),
            call: |o| o.get(Timeout::FOREVER),
            result: Ok(next),
            left: 1,
        },
        Row {
            name: "get, empty, no wait",
            before: Some(0),
            call: |o| o.get(Timeout::NONE),
            result: Err(Error::WouldBlock),
            left: 0,
        },
        Row {
            name: "get, empty, some time",
            before: Some(0),
            call: |o| o.get(UNIT.into()),
            result: Err(Error::Timeout),
            left: 0,
        },
        Row {
            name: "get, deleted",
            before: None,
            call: |o| o.get(Timeout::FOREVER),
            result: Err(Error::Deleted),
            left: 0,
        },
        Row {
            name: "get, deleted, no wait",
            before: None,
            call: |o| o.get(Timeout::NONE),
            result: Err(Error::Deleted),
            left: 0,
        },
        Row {
            name: "delete, with items",
            before: Some(2),
            call: |o| o.remove().map(|()| 0),
            result: Ok(0),
            left: 0,
        },
        Row {
            name: "delete, deleted",
            before: None,
            call: |o| o.remove().map(|()| 0),
            result: Err(Error::Deleted),
            left: 0,
        },
        Row {
            name: "renew",
            before: None,
            call: |o| o.again().map(|()| 0),
            result: Ok(0),
            left: 0,
        },
        Row {
            name: "renew, not deleted",
            before: Some(1),
            call: |o| o.again().map(|()| 0),
            result: Err(Error::State),
            left: 1,
        },
        Row {
            name: "length",
            before: Some(2),
            call: |o| Ok(o.length() as u32),
            result: Ok(2),
            left: 2,
        },
    ];
    for row in rows {
        let _ = store.remove();
        if let Some(items) = row.before {
            c.expect(row.name, store.again(), Ok(()));
            for item in 1..=items {
                c.expect(row.name, store.put(item), Ok(()));
            }
        }
        c.expect(row.name, (row.call)(store), row.result);
        c.expect(row.name, store.length(), row.left);
    }
}

/// Gets an item, and notes the result and the letter, and what was got as a digit.
fn receive<S: SuiteBoard, O: Store>(store: &'static O, timeout: Timeout, name: char) {
    let result = store.get(timeout);
    S::objects().log.add(name);
    match result {
        Ok(item) => S::objects()
            .log
            .add(char::from_digit(item, 10).unwrap_or('?')),
        Err(_) => S::objects().log.add(letter(&result)),
    }
}

/// The same cases for each of the four, for its function that names it.
macro_rules! cases_of {
    ($tally:ident, $what:literal, $field:ident, $full:expr, $next:expr) => {
        $tally.case(concat!($what, ": every call in every state"), |c| {
            table(c, &c.objects().$field, $full, $next);
        });
        $tally.case(
            concat!(
                $what,
                ": an item goes straight to the most urgent who waits"
            ),
            |c| {
                c.start(0, 9, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'a')
                });
                c.start(1, 7, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'b')
                });
                c.start(2, 9, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'c')
                });
                for item in 1..=4 {
                    c.expect("put", c.objects().$field.put(item), Ok(()));
                }
                c.expect_log("b1a2c3");
                c.expect("length", c.objects().$field.length(), 1);
            },
        );
        $tally.case(
            concat!($what, ": one that is given an item has it whenever it runs"),
            |c| {
                c.start(0, LOW, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'a')
                });
                c.let_others_run();
                c.expect("put", c.objects().$field.put(1), Ok(()));
                c.expect("put", c.objects().$field.put(2), Ok(()));
                c.expect("length", c.objects().$field.length(), 1);
                c.expect("get", c.objects().$field.get(Timeout::NONE), Ok(2));
                c.let_others_run();
                c.expect_log("a1");
            },
        );
        $tally.case(concat!($what, ": its deletion ends all waits"), |c| {
            c.start(0, 9, || {
                receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'a')
            });
            c.start(1, 7, || {
                receive::<S, _>(&S::objects().$field, UNIT.into(), 'b')
            });
            c.expect("deletion", c.objects().$field.remove(), Ok(()));
            c.let_others_run();
            c.expect_log("bDaD");
        });
        $tally.case(
            concat!($what, ": a wait can end by time and by request"),
            |c| {
                c.start(0, HIGH, || {
                    receive::<S, _>(&S::objects().$field, UNIT.into(), 'a')
                });
                c.start(1, HIGH, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'b')
                });
                c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
                c.let_others_run();
                c.let_others_run();
                c.expect_log("bXaT");
                c.expect("put", c.objects().$field.put(1), Ok(()));
                c.expect("length", c.objects().$field.length(), 1);
            },
        );
        $tally.case(
            concat!($what, ": handlers put and get, but do not wait"),
            |c| {
                c.start(0, HIGH, || {
                    receive::<S, _>(&S::objects().$field, Timeout::FOREVER, 'a')
                });
                S::trigger_interrupt(|| {
                    let store = &S::objects().$field;
                    let _ = S::objects().log.result(store.put(1));
                    let _ = S::objects().log.result(store.put(2));
                    let _ = S::objects().log.result(store.get(Timeout::NONE));
                    let _ = S::objects().log.result(store.get(Timeout::FOREVER));
                });
                c.expect_log("...Ca1");
            },
        );
    };
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    cases_of!(tally, "queue", queue, Error::WouldBlock, 1);
    cases_of!(tally, "fifo", fifo, Error::Limit, 1);
    cases_of!(tally, "lifo", lifo, Error::Limit, 2);
    cases_of!(tally, "stack", stack, Error::Limit, 2);
    senders(tally);
}

/// Only a queue makes those who send wait.
fn senders<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn send<S: SuiteBoard>(item: u32, timeout: Timeout, name: char) {
        let result = S::objects().queue.send(&item, timeout);
        S::objects().log.add(name);
        let _ = S::objects().log.result(result);
    }
    fn fill<S: SuiteBoard>(c: &mut Case<S>) {
        for item in 1..=ROOM as u32 {
            c.expect("put", c.objects().queue.put(item), Ok(()));
        }
    }
    tally.case(
        "queue: senders wait for room, the most urgent first, and order is kept",
        |c| {
            fill(c);
            c.start(0, 9, || send::<S>(3, Timeout::FOREVER, 'a'));
            c.start(1, 7, || send::<S>(4, Timeout::FOREVER, 'b'));
            c.start(2, 9, || send::<S>(5, Timeout::FOREVER, 'c'));
            for (got, log) in [(1, "b."), (2, "a."), (4, "c."), (3, ""), (5, "")] {
                c.expect("get", c.objects().queue.get(Timeout::NONE), Ok(got));
                c.expect_log(log);
            }
            c.expect(
                "get",
                c.objects().queue.get(Timeout::NONE),
                Err(Error::WouldBlock),
            );
        },
    );
    tally.case(
        "queue: a sender's wait ends by time, request and deletion",
        |c| {
            fill(c);
            c.start(0, HIGH, || send::<S>(3, UNIT.into(), 'a'));
            c.start(1, HIGH, || send::<S>(4, Timeout::FOREVER, 'b'));
            c.start(2, HIGH, || send::<S>(5, Timeout::FOREVER, 'c'));
            c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
            c.let_others_run();
            c.let_others_run();
            c.expect("deletion", c.objects().queue.delete(), Ok(()));
            c.expect_log("bXaTcD");
            c.expect_state(2, State::Dormant);
        },
    );
    tally.case("queue: a deleted sender's message is not sent", |c| {
        fill(c);
        c.start(0, HIGH, || send::<S>(3, Timeout::FOREVER, 'a'));
        c.expect("deletion", c.objects().thread(0).delete(), Ok(()));
        for got in [Ok(1), Ok(2), Err(Error::WouldBlock)] {
            c.expect("get", c.objects().queue.get(Timeout::NONE), got);
        }
    });
    tally.case("queue: a full one is refused to a handler", |c| {
        fill(c);
        S::trigger_interrupt(|| {
            let _ = S::objects()
                .log
                .result(S::objects().queue.send(&3, Timeout::NONE));
        });
        c.expect_log("C");
    });
}
