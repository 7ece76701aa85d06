//! Owns: the cases of the registry of names.

use super::case::Tally;
use super::{FOREVER, HIGH, LOW, NONE, SuiteBoard, UNIT, log_result};
use taktos_kernel::{Error, EventFlags, Semaphore, State, Timeout};

/// How many names there is room for.
pub(super) const ROOM: usize = 3;

const LONG: &str = "0123456789 0123456789 0123456789";

/// Looks for a semaphore, and notes the result.
fn look<S: SuiteBoard>(name: &str, timeout: Timeout) {
    let found = S::objects().names.find::<Semaphore<S>>(name, timeout);
    log_result::<S>(found);
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("names");
    tally.case("what is registered is found, by name and type", |c| {
        let o = c.objects();
        let find = |name| o.names.find::<Semaphore<S>>(name, NONE);
        c.expect_error("nothing", find("one"), Error::WouldBlock);
        c.ok("registration", o.names.register("one", &o.semaphore));
        c.ok("registration", o.names.register("two", &o.other_semaphore));
        c.ok("registration", o.names.register("flags", &o.events));
        let is = |found: Result<&'static Semaphore<S>, Error>, object: &'static Semaphore<S>| {
            found.is_ok_and(|found| core::ptr::eq(found, object))
        };
        c.expect_true("one", is(find("one"), &o.semaphore));
        c.expect_true("two", is(find("two"), &o.other_semaphore));
        let flags = o.names.find::<EventFlags<S>>("flags", FOREVER);
        c.expect_true(
            "flags",
            flags.is_ok_and(|flags| core::ptr::eq(flags, &o.events)),
        );
        c.expect_error("other type", find("flags"), Error::Parameter);
        c.expect_error("prefix", find("on"), Error::WouldBlock);
        c.expect("count", o.names.len(), 3);
        c.ok("end of a name", o.names.unregister("one"));
        c.expect_error("end of a name", o.names.unregister("one"), Error::State);
        c.expect_error("nothing", find("one"), Error::WouldBlock);
        c.expect_true("two", is(find("two"), &o.other_semaphore));
        let name = |place| o.names.at(place).map(|(name, _)| name);
        let places = [name(0), name(1), name(2), name(usize::MAX)];
        c.expect("places", places, [None, Some("two"), Some("flags"), None]);
    });
    tally.case("what is refused", |c| {
        let o = c.objects();
        let register = |name| o.names.register(name, &o.semaphore);
        c.expect_error("empty", register(""), Error::Parameter);
        c.expect_error("long", register(LONG), Error::Parameter);
        c.ok("longest", register(&LONG[1..]));
        c.expect_error("twice", register(&LONG[1..]), Error::InUse);
        c.ok("second", register("b"));
        c.ok("third", register("c"));
        c.expect_error("fourth", register("d"), Error::Limit);
        c.expect_error("twice", register("c"), Error::InUse);
        c.ok("place", o.names.unregister("b"));
        c.ok("fourth", register("d"));
        look::<S>("", FOREVER);
        look::<S>(LONG, FOREVER);
        look::<S>("e", UNIT.into());
        c.expect_log("PPT");
    });
    tally.case("who waits for a name goes on when it is there", |c| {
        let o = c.objects();
        c.start(0, HIGH, || look::<S>("late", FOREVER));
        c.start(1, HIGH, || look::<S>("later", Timeout::after(super::UNIT)));
        c.expect_state(0, State::Blocked);
        c.ok("registration", o.names.register("other", &o.semaphore));
        c.expect_state(0, State::Blocked);
        c.expect_state(1, State::Blocked);
        c.expect_log("");
        c.ok("registration", o.names.register("late", &o.semaphore));
        c.expect_log(".");
        c.expect_state(0, State::Dormant);
        S::busy_until(super::units::<S>(2));
        c.expect_log("T");
    });
    tally.case("the more urgent of those who wait goes on first", |c| {
        let o = c.objects();
        c.start(0, LOW, || {
            look::<S>("late", FOREVER);
            S::objects().log.add('a');
        });
        c.start(1, LOW - 1, || {
            look::<S>("late", FOREVER);
            S::objects().log.add('b');
        });
        c.let_others_run();
        S::trigger_interrupt(|| {
            let o = S::objects();
            log_result::<S>(o.names.register("late", &o.semaphore));
            look::<S>("late", NONE);
            look::<S>("absent", NONE);
            look::<S>("absent", FOREVER);
            log_result::<S>(o.names.unregister("absent"));
        });
        c.expect_log("..WCS");
        c.let_others_run();
        c.expect_log(".b.a");
        c.expect("count", o.names.len(), 1);
    });
    tally.case("a deleted registry", |c| {
        let o = c.objects();
        c.start(0, HIGH, || look::<S>("late", FOREVER));
        c.ok("registration", o.names.register("one", &o.semaphore));
        c.expect_error("renewal", o.names.renew(), Error::State);
        c.ok("deletion", o.names.delete());
        c.expect_log("D");
        c.expect_error("deletion", o.names.delete(), Error::Deleted);
        c.expect_error(
            "registration",
            o.names.register("two", &o.semaphore),
            Error::Deleted,
        );
        c.expect_error("end of a name", o.names.unregister("one"), Error::Deleted);
        look::<S>("one", FOREVER);
        c.expect_log("D");
        c.ok("renewal", o.names.renew());
        c.expect_true("empty", o.names.is_empty());
        look::<S>("one", NONE);
        c.expect_log("W");
    });
}
