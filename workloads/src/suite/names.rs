//! Owns: the cases of the registry of names.

use super::case::Tally;
use super::{HIGH, LOW, SuiteBoard, UNIT};
use taktos_kernel::{Error, EventFlags, Semaphore, State, Timeout};

/// How many names there is room for.
pub(super) const ROOM: usize = 3;

const LONG: &str = "0123456789 0123456789 0123456789";

/// Looks for a semaphore, and notes the result.
fn look<S: SuiteBoard>(name: &str, timeout: Timeout) {
    let found = S::objects().names.find::<Semaphore<S>>(name, timeout);
    let _ = S::objects().log.result(found);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "names: what is registered is found, by name and type",
        |c| {
            let o = c.objects();
            let find = |name| o.names.find::<Semaphore<S>>(name, Timeout::NONE);
            c.expect("nothing", find("one").err(), Some(Error::WouldBlock));
            c.expect(
                "registration",
                o.names.register("one", &o.semaphore),
                Ok(()),
            );
            c.expect(
                "registration",
                o.names.register("two", &o.other_semaphore),
                Ok(()),
            );
            c.expect("registration", o.names.register("flags", &o.events), Ok(()));
            let is = |found: Result<&'static Semaphore<S>, Error>,
                      object: &'static Semaphore<S>| {
                found.is_ok_and(|found| core::ptr::eq(found, object))
            };
            c.expect_true("one", is(find("one"), &o.semaphore));
            c.expect_true("two", is(find("two"), &o.other_semaphore));
            let flags = o.names.find::<EventFlags<S>>("flags", Timeout::FOREVER);
            c.expect_true(
                "flags",
                flags.is_ok_and(|flags| core::ptr::eq(flags, &o.events)),
            );
            c.expect("other type", find("flags").err(), Some(Error::Parameter));
            c.expect("prefix", find("on").err(), Some(Error::WouldBlock));
            c.expect("count", o.names.len(), 3);
            c.expect("end of a name", o.names.unregister("one"), Ok(()));
            c.expect(
                "end of a name",
                o.names.unregister("one"),
                Err(Error::State),
            );
            c.expect("nothing", find("one").err(), Some(Error::WouldBlock));
            c.expect_true("two", is(find("two"), &o.other_semaphore));
        },
    );
    tally.case("names: what is refused", |c| {
        let o = c.objects();
        let register = |name| o.names.register(name, &o.semaphore);
        c.expect("empty", register(""), Err(Error::Parameter));
        c.expect("long", register(LONG), Err(Error::Parameter));
        c.expect("longest", register(&LONG[1..]), Ok(()));
        c.expect("twice", register(&LONG[1..]), Err(Error::InUse));
        c.expect("second", register("b"), Ok(()));
        c.expect("third", register("c"), Ok(()));
        c.expect("fourth", register("d"), Err(Error::Limit));
        c.expect("twice", register("c"), Err(Error::InUse));
        c.expect("place", o.names.unregister("b"), Ok(()));
        c.expect("fourth", register("d"), Ok(()));
        look::<S>("", Timeout::FOREVER);
        look::<S>(LONG, Timeout::FOREVER);
        look::<S>("e", UNIT.into());
        c.expect_log("PPT");
    });
    tally.case(
        "names: who waits for a name goes on when it is there",
        |c| {
            let o = c.objects();
            c.start(0, HIGH, || look::<S>("late", Timeout::FOREVER));
            c.start(1, HIGH, || look::<S>("later", Timeout::after(super::UNIT)));
            c.expect_state(0, State::Blocked);
            c.expect(
                "registration",
                o.names.register("other", &o.semaphore),
                Ok(()),
            );
            c.expect_state(0, State::Blocked);
            c.expect_state(1, State::Blocked);
            c.expect_log("");
            c.expect(
                "registration",
                o.names.register("late", &o.semaphore),
                Ok(()),
            );
            c.expect_log(".");
            c.expect_state(0, State::Dormant);
            S::busy_until(super::units::<S>(2));
            c.expect_log("T");
        },
    );
    tally.case(
        "names: the more urgent of those who wait goes on first",
        |c| {
            let o = c.objects();
            c.start(0, LOW, || {
                look::<S>("late", Timeout::FOREVER);
                S::objects().log.add('a');
            });
            c.start(1, LOW - 1, || {
                look::<S>("late", Timeout::FOREVER);
                S::objects().log.add('b');
            });
            c.let_others_run();
            S::trigger_interrupt(|| {
                let o = S::objects();
                let _ = o.log.result(o.names.register("late", &o.semaphore));
                look::<S>("late", Timeout::NONE);
                look::<S>("absent", Timeout::NONE);
                look::<S>("absent", Timeout::FOREVER);
                let _ = o.log.result(o.names.unregister("absent"));
            });
            c.expect_log("..WCS");
            c.let_others_run();
            c.expect_log(".b.a");
            c.expect("count", o.names.len(), 1);
        },
    );
    tally.case("names: a deleted registry", |c| {
        let o = c.objects();
        c.start(0, HIGH, || look::<S>("late", Timeout::FOREVER));
        c.expect(
            "registration",
            o.names.register("one", &o.semaphore),
            Ok(()),
        );
        c.expect("renewal", o.names.renew(), Err(Error::State));
        c.expect("deletion", o.names.delete(), Ok(()));
        c.expect_log("D");
        c.expect("deletion", o.names.delete(), Err(Error::Deleted));
        c.expect(
            "registration",
            o.names.register("two", &o.semaphore),
            Err(Error::Deleted),
        );
        c.expect(
            "end of a name",
            o.names.unregister("one"),
            Err(Error::Deleted),
        );
        look::<S>("one", Timeout::FOREVER);
        c.expect_log("D");
        c.expect("renewal", o.names.renew(), Ok(()));
        c.expect_true("empty", o.names.is_empty());
        look::<S>("one", Timeout::NONE);
        c.expect_log("W");
    });
}
