//! Owns: the cases of the running threads: the most urgent ones, as many as there are processors.

use super::case::{Tally, at, spin};
use super::{HELPERS, Helper, MAIN, SeveralBoard, UNIT, busy};
use taktos_kernel::{AnyThread, Duration, Kernel, PolicyKind};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("order");
    urgency(tally);
    changes(tally);
    equals(tally);
}

fn urgency<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("the most urgent run, one on each processor", |c| {
        c.start_spinning(0, [9, 7, 12, 5, 10, 6]);
        c.expect_running("the three most urgent beside main", &[1, 3, 5]);
    });
    tally.case("a less urgent one is displaced, wherever it runs", |c| {
        c.start_spinning(0, [20, 19, 18]);
        c.expect_running("all three", &[0, 1, 2]);
        c.start(3, 10, spin);
        c.expect_running("the least urgent is displaced", &[1, 2, 3]);
        c.start(4, 10, spin);
        c.expect_running("then the next", &[2, 3, 4]);
        c.start(5, 19, spin);
        c.expect_running("one that is less urgent waits", &[2, 3, 4]);
    });
    tally.case("who ends lets the next one in", |c| {
        c.start_each(0..3, 5, |h| h.spin_until(h.index() as u32 + 1));
        c.start(3, 9, spin);
        c.start(4, 8, spin);
        c.expect_running("the urgent ones", &[0, 1, 2]);
        S::objects().set_number(1);
        c.expect_running("the first has ended", &[1, 2, 4]);
        S::objects().set_number(2);
        c.expect_running("the second, too", &[2, 3, 4]);
    });
    tally.case(
        "processors idle when nobody else is ready, and wake up",
        |c| {
            for round in 1..20 {
                c.start(0, 9, |h| h.tick());
                let helper = c.helper(0);
                c.soon("it runs on an idle processor", || helper.ticks() == round);
                c.ok(
                    "its end",
                    helper.thread().join(taktos_kernel::Timeout::FOREVER),
                );
                c.ok("deletion", helper.thread().delete());
            }
        },
    );
}

fn changes<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a running thread that becomes less urgent is displaced",
        |c| {
            c.start_spinning(0, 10..14);
            c.expect_running("the most urgent", &[0, 1, 2]);
            c.ok("lower", c.thread(0).set_priority(at(20)));
            c.expect_running("another one runs", &[1, 2, 3]);
            c.ok("raise", c.thread(0).set_priority(at(5)));
            c.expect_running("it is back", &[0, 1, 2]);
        },
    );
    tally.case("a waiting thread that becomes more urgent runs", |c| {
        c.start_spinning(0, 10..15);
        c.ok("raise", c.thread(4).set_priority(at(5)));
        c.expect_running("it runs", &[0, 1, 4]);
        c.ok("raise the other", c.thread(3).set_priority(at(4)));
        c.expect_running("both run", &[0, 3, 4]);
    });
    tally.case("a main thread that becomes less urgent gives way", |c| {
        c.start_each(0..4, 10, |h| {
            if h.index() == 3 {
                // It runs only because main does not.
                (0..50).for_each(|_| h.tick());
                h.tell(1);
                S::objects().set_number(1);
            }
            h.spin_until(1);
        });
        c.expect_running("the first ones", &[0, 1, 2]);
        let main = AnyThread::<S>::current();
        c.ok("lower", main.set_priority(at(25)));
        c.expect("the fourth has run", c.helper(3).value(), 1);
        c.ok("raise", main.set_priority(at(MAIN)));
    });
    tally.case("many changes from main, while all run", |c| {
        c.start_spinning(0, [10; 6]);
        for round in 0..60u32 {
            let helper = c.helper((round % 6) as usize);
            let level = 5 + (round * 7 % 13) as u8;
            c.ok("another priority", helper.thread().set_priority(at(level)));
        }
        for index in 0..6 {
            let level = 5 + 3 * index as u8;
            c.ok("its last", c.thread(index).set_priority(at(level)));
        }
        c.expect_running("the most urgent in the end", &[0, 1, 2]);
    });
}

fn equals<S: SeveralBoard>(tally: &mut Tally<S>) {
    // The matching of this policy has no order among equals.
    if tally.policy() != PolicyKind::StrongAffinity {
        tally.case("of equals those run that came first", |c| {
            c.start_spinning(0, [10; 5]);
            c.expect_running("the first three", &[0, 1, 2]);
        });
        tally.case("who yields goes behind its equals", |c| {
            c.start_each(0..3, 10, |h| {
                if h.index() == 1 {
                    h.spin_until(1);
                    AnyThread::<S>::yield_now();
                }
                h.spin();
            });
            c.start(3, 10, spin);
            c.expect_running("the first three", &[0, 1, 2]);
            S::objects().set_number(1);
            c.expect_running("its equal instead of who yielded", &[0, 2, 3]);
        });
    }
    tally.case("equals that yield all run", |c| {
        c.start_each(0..6, 10, |h| {
            loop {
                h.tick();
                AnyThread::<S>::yield_now();
            }
        });
        let enough = |index| S::objects().helper(index).ticks() > 20;
        c.soon("each has its turns", || (0..6).all(enough));
    });
    tally.case("equals take turns by slices on all processors", |c| {
        c.ok("slices", Kernel::<S>::set_time_slice(Some(UNIT)));
        c.start_spinning(0, [10; 6]);
        c.start(6, 11, spin);
        let enough = |index| S::objects().helper(index).ticks() > 20;
        c.soon("each has its turns", || (0..6).all(enough));
        c.expect("the less urgent one has none", c.helper(6).ticks(), 0);
    });
    if tally.policy() != PolicyKind::StrongAffinity {
        tally.case("equals share beside ones that preempt them", |c| {
            c.ok("slices", Kernel::<S>::set_time_slice(Some(UNIT)));
            // One for each processor except main's.
            c.start_each(0..3, 9, preempt);
            for index in 3..HELPERS {
                c.start(index, 10, spin);
            }
            busy::<S>(100);
            let ticks: [u32; HELPERS] = core::array::from_fn(|index| c.helper(index).ticks());
            let most = ticks[3..].iter().max().copied().unwrap_or(0);
            let fair = |ticks: &u32| *ticks >= most / 2;
            c.expect_true("all equals have about as much", ticks[3..].iter().all(fair));
        });
    }
}

/// Takes a quarter of a processor, at intervals of less than half a slice.
fn preempt<S: SeveralBoard>(_: &'static Helper<S>) {
    loop {
        let _ = AnyThread::<S>::sleep(Duration::from_micros(300));
        let end = Kernel::<S>::now().saturating_add(Duration::from_micros(100));
        while Kernel::<S>::now() < end {
            S::pause();
        }
    }
}
