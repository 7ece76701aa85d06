//! Owns: the cases of what holds items and makes threads wait for them: queue, FIFO, LIFO, stack.

use super::case::Tally;
use super::log::refused::{D, S, T, W};
use super::{Case, FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_number, log_result};
use taktos_kernel::{Error, Fifo, Lifo, MessageQueue, State, System, Timeout};

/// How many items the suite's objects hold.
pub(super) const ROOM: usize = 2;

/// Common interface of the four.
pub(super) trait Store: Sync + 'static {
    /// Puts an item in, without waiting.
    fn put(&'static self, item: u32) -> Result<(), Error>;
    /// Takes an item out.
    fn get(&'static self, timeout: Timeout) -> Result<u32, Error>;
    /// How many items are in it.
    fn length(&'static self) -> usize;
    /// Deletes it.
    fn remove(&'static self) -> Result<(), Error>;
    /// Makes it again.
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

store!(MessageQueue<S, u32, ROOM>, |queue, item| queue.send(&item, NONE), receive, u32);
store!(Fifo<S, u32, ROOM>, |fifo, item| fifo.push(item), pop, u32);
store!(Lifo<S, u32, ROOM>, |lifo, item| lifo.push(item), pop, u32);
store!(Lifo<S, usize, ROOM>, |stack, item| stack.push(item), pop, usize);

/// Name, state before (items put in; none: deleted), call, result, items left (taken out in order).
struct Row<O: 'static>(
    &'static str,
    Option<u32>,
    Call<O>,
    Result<u32, Error>,
    usize,
);

type Call<O> = fn(&'static O) -> Result<u32, Error>;

fn table<S: SuiteBoard, O: Store>(c: &mut Case<S>, store: &'static O, full: Error, next: u32) {
    let put: Call<O> = |o| o.put(7).map(|()| 0);
    let [get, try_get, wait]: [Call<O>; 3] =
        [|o| o.get(FOREVER), |o| o.get(NONE), |o| o.get(UNIT.into())];
    let [delete, renew]: [Call<O>; 2] = [|o| o.remove().map(|()| 0), |o| o.again().map(|()| 0)];
    let rows: [Row<O>; 15] = [
        Row("put, empty", Some(0), put, Ok(0), 1),
        Row("put, one in it", Some(1), put, Ok(0), 2),
        Row("put, full", Some(2), put, Err(full), 2),
        Row("put, deleted", None, put, D, 0),
        Row("get, one in it", Some(1), try_get, Ok(1), 0),
        Row("get, two in it", Some(2), get, Ok(next), 1),
        Row("get, empty, no wait", Some(0), try_get, W, 0),
        Row("get, empty, some time", Some(0), wait, T, 0),
        Row("get, deleted", None, get, D, 0),
        Row("get, deleted, no wait", None, try_get, D, 0),
        Row("delete, with items", Some(2), delete, Ok(0), 0),
        Row("delete, deleted", None, delete, D, 0),
        Row("renew", None, renew, Ok(0), 0),
        Row("renew, not deleted", Some(1), renew, S, 1),
        Row("length", Some(2), |o| Ok(o.length() as u32), Ok(2), 2),
    ];
    for Row(name, before, call, result, left) in rows {
        let _ = store.remove();
        if let Some(items) = before {
            c.ok(name, store.again());
            for item in 1..=items {
                c.ok(name, store.put(item));
            }
        }
        c.expect(name, call(store), result);
        c.expect(name, store.length(), left);
    }
}

/// Runs the same cases for each of the four, for its function that names it.
macro_rules! cases_of {
    ($tally:ident, $what:literal, $field:ident, $full:expr, $next:expr) => {{
        /// Gets an item, and notes the letter and the item, or the error.
        fn get<S: SuiteBoard>(timeout: Timeout, name: char) {
            log_number::<S>(name, S::objects().$field.get(timeout));
        }
        $tally.about($what);
        $tally.case("every call in every state", |c| {
            table(c, &c.objects().$field, $full, $next);
        });
        $tally.case("an item goes straight to the most urgent who waits", |c| {
            c.start(0, 9, || get::<S>(FOREVER, 'a'));
            c.start(1, 7, || get::<S>(FOREVER, 'b'));
            c.start(2, 9, || get::<S>(FOREVER, 'c'));
            for item in 1..=4 {
                c.ok("put", c.objects().$field.put(item));
            }
            c.expect_log("b1a2c3");
            c.expect("length", c.objects().$field.length(), 1);
        });
        $tally.case("one that is given an item has it whenever it runs", |c| {
            c.start(0, LOW, || get::<S>(FOREVER, 'a'));
            c.let_others_run();
            c.ok("put", c.objects().$field.put(1));
            c.ok("put", c.objects().$field.put(2));
            c.expect("length", c.objects().$field.length(), 1);
            c.expect("get", c.objects().$field.get(NONE), Ok(2));
            c.let_others_run();
            c.expect_log("a1");
        });
        $tally.case("its deletion ends all waits", |c| {
            c.start(0, 9, || get::<S>(FOREVER, 'a'));
            c.start(1, 7, || get::<S>(UNIT.into(), 'b'));
            c.ok("deletion", c.objects().$field.remove());
            c.let_others_run();
            c.expect_log("bDaD");
        });
        $tally.case("a wait can end by time and by request", |c| {
            c.start(0, HIGH, || get::<S>(UNIT.into(), 'a'));
            c.start(1, HIGH, || get::<S>(FOREVER, 'b'));
            c.ok("end of wait", c.thread(1).cancel_wait());
            c.let_time_outs_pass();
            c.expect_log("bXaT");
            c.ok("put", c.objects().$field.put(1));
            c.expect("length", c.objects().$field.length(), 1);
        });
        $tally.case("handlers put and get, but do not wait", |c| {
            c.start(0, HIGH, || get::<S>(FOREVER, 'a'));
            S::trigger_interrupt(|| {
                let store = &S::objects().$field;
                log_result::<S>(store.put(1));
                log_result::<S>(store.put(2));
                log_result::<S>(store.get(NONE));
                log_result::<S>(store.get(FOREVER));
            });
            c.expect_log("...Ca1");
        });
    }};
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    cases_of!(tally, "queue", queue, Error::WouldBlock, 1);
    cases_of!(tally, "fifo", fifo, Error::Limit, 1);
    cases_of!(tally, "lifo", lifo, Error::Limit, 2);
    cases_of!(tally, "stack", stack, Error::Limit, 2);
    tally.about("queue");
    senders(tally);
}

/// Checks senders: only a queue makes them wait.
fn senders<S: SuiteBoard>(tally: &mut Tally<S>) {
    fn send<S: SuiteBoard>(item: u32, timeout: Timeout, name: char) {
        let result = S::objects().queue.send(&item, timeout);
        S::objects().log.add(name);
        log_result::<S>(result);
    }
    fn fill<S: SuiteBoard>(c: &mut Case<S>) {
        for item in 1..=ROOM as u32 {
            c.ok("put", c.objects().queue.put(item));
        }
    }
    tally.case(
        "senders wait for room, the most urgent first, and order is kept",
        |c| {
            fill(c);
            c.start(0, 9, || send::<S>(3, FOREVER, 'a'));
            c.start(1, 7, || send::<S>(4, FOREVER, 'b'));
            c.start(2, 9, || send::<S>(5, FOREVER, 'c'));
            for (got, log) in [(1, "b."), (2, "a."), (4, "c."), (3, ""), (5, "")] {
                c.expect("get", c.objects().queue.get(NONE), Ok(got));
                c.expect_log(log);
            }
            c.expect_error("get", c.objects().queue.get(NONE), Error::WouldBlock);
        },
    );
    tally.case("a sender's wait ends by time, request and deletion", |c| {
        fill(c);
        c.start(0, HIGH, || send::<S>(3, UNIT.into(), 'a'));
        c.start(1, HIGH, || send::<S>(4, FOREVER, 'b'));
        c.start(2, HIGH, || send::<S>(5, FOREVER, 'c'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().queue.delete());
        c.expect_log("bXaTcD");
        c.expect_state(2, State::Dormant);
    });
    tally.case("a deleted sender's message is not sent", |c| {
        fill(c);
        c.start(0, HIGH, || send::<S>(3, FOREVER, 'a'));
        c.ok("deletion", c.thread(0).delete());
        for got in [Ok(1), Ok(2), Err(Error::WouldBlock)] {
            c.expect("get", c.objects().queue.get(NONE), got);
        }
    });
    tally.case("a full one is refused to a handler", |c| {
        fill(c);
        S::trigger_interrupt(|| {
            log_result::<S>(S::objects().queue.send(&3, NONE));
        });
        c.expect_log("C");
    });
}
