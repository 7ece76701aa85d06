//! Owns: the cases of where threads may run: affinity and pins.

use super::case::{ALL, Tally, cpu, spin};
use super::{Helper, SeveralBoard};
use taktos_kernel::{AnyThread, CpuSet, Error, PolicyKind, State};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("places");
    refusals(tally);
    if tally.can_bind() {
        bound(tally);
        changes(tally);
    }
    if tally.policy().can_pin() {
        pins(tally);
    }
}

fn refusals<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("sets of processors that cannot be are refused", |c| {
        let thread = c.thread(0);
        c.expect_error(
            "one that does not exist",
            thread.set_affinity(ALL),
            Error::Deleted,
        );
        c.create(0, 10);
        c.expect_error(
            "no processor",
            thread.set_affinity(CpuSet::EMPTY),
            Error::Parameter,
        );
        c.ok("all", thread.set_affinity(ALL));
        c.expect(
            "all",
            thread.affinity().map(|set| set.covers(ALL)),
            Ok(true),
        );
        let two = CpuSet::first(2);
        let expected = match c.policy() {
            PolicyKind::StrongAffinity | PolicyKind::PriorityAffinity => Ok(()),
            _ => Err(Error::Parameter),
        };
        c.expect("two of four", thread.set_affinity(two), expected);
    });
}

fn bound<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a bound thread runs on its processor, whoever was there",
        |c| {
            for processor in 0..4 {
                c.start_on(0, 10, processor, spin);
                c.expect_running("it", &[0]);
                c.expect("there", c.helper(0).seen(), CpuSet::of(cpu(processor)));
                let affinity = c.thread(0).affinity();
                c.expect("its set", affinity, Ok(CpuSet::of(cpu(processor))));
                c.ok("deletion", c.thread(0).delete());
                super::busy::<S>(1);
                c.helper(0).reset();
            }
        },
    );
    tally.case(
        "bound threads wait for their processor, though others idle",
        |c| {
            for index in 0..3 {
                c.start_on(index, 10 + index as u8, 1, spin);
            }
            c.expect_running("the most urgent alone", &[0]);
            c.ok("deletion", c.thread(0).delete());
            c.expect_running("then the next", &[1]);
            c.expect("on the same", c.helper(1).seen(), CpuSet::of(cpu(1)));
        },
    );
    tally.case("bound and unbound threads share all processors", |c| {
        c.start(0, 12, spin);
        c.start(1, 13, spin);
        c.start(2, 14, spin);
        c.expect_running("those that are bound to none", &[0, 1, 2]);
        c.start_on(3, 10, 2, spin);
        c.expect_running("the least urgent gave way", &[0, 1, 3]);
        c.start_on(4, 11, 3, spin);
        c.expect_running("then the next", &[0, 3, 4]);
        c.expect("where it belongs", c.helper(3).seen(), CpuSet::of(cpu(2)));
        c.expect("where it belongs", c.helper(4).seen(), CpuSet::of(cpu(3)));
    });
    tally.case(
        "threads bound to each processor run with main in between",
        |c| {
            for index in 0..4 {
                c.start_on(index, 10 + index as u8, index, spin);
            }
            let ticks = |index: usize| S::objects().helper(index).ticks() > 2;
            c.soon("all but one", || {
                (0..4).filter(|index| ticks(*index)).count() >= 3
            });
            for index in 0..4 {
                let there = CpuSet::of(cpu(index)).covers(c.helper(index).seen());
                c.expect_true("nowhere else", there);
            }
        },
    );
}

fn changes<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("a running thread moves where it is bound to", |c| {
        c.start(0, 10, spin);
        for round in 0..12 {
            let target = cpu(round * 3 % 4);
            let helper = c.helper(0);
            c.ok("bind", helper.thread().set_affinity(CpuSet::of(target)));
            c.soon("it runs there", || {
                helper.forget();
                let before = helper.ticks();
                while helper.thread().state() != State::Executing || helper.ticks() < before + 3 {
                    S::pause();
                }
                helper.seen() == CpuSet::of(target)
            });
        }
    });
    tally.case("a waiting thread runs where it is let go to", |c| {
        c.start_on(0, 10, 1, spin);
        c.start_on(1, 11, 1, spin);
        c.expect_running("one waits", &[0]);
        c.ok("unbind", c.thread(1).set_affinity(ALL));
        c.expect_running("both", &[0, 1]);
        c.ok("bind again", c.thread(1).set_affinity(CpuSet::of(cpu(1))));
        c.expect_running("one waits again", &[0]);
        c.ok("elsewhere", c.thread(0).set_affinity(CpuSet::of(cpu(2))));
        c.expect_running("both", &[0, 1]);
    });
    tally.case(
        "a thread binds itself, and is there when the call returns",
        |c| {
            c.start(0, 10, |h| {
                for round in 0..40 {
                    let target = cpu(round * 3 % 4);
                    let own = AnyThread::<S>::current();
                    let bound = own.set_affinity(CpuSet::of(target));
                    if bound.is_err() || AnyThread::<S>::processor() != target {
                        return h.tell(99);
                    }
                    h.tick();
                }
                h.tell(1);
            });
            c.expect_told("each time", 0, Ok(()));
            c.expect("everywhere", c.helper(0).seen(), ALL);
        },
    );
    tally.case(
        "two threads exchange their processors, again and again",
        |c| {
            for index in 0..2 {
                c.start_on(index, 10, 1 + index, spin);
            }
            c.expect_running("both", &[0, 1]);
            for round in 0..20 {
                for index in 0..2 {
                    let target = CpuSet::of(cpu(1 + (index + round + 1) % 2));
                    c.ok("bind", c.thread(index).set_affinity(target));
                }
                c.expect_running("both", &[0, 1]);
            }
        },
    );
}

/// Pins itself, ticks until the case's number is 1, unpins itself and continues.
fn pinned<S: SeveralBoard>(helper: &'static Helper<S>) {
    helper.tell_result(AnyThread::<S>::pin());
    helper.forget();
    helper.spin_until(1);
    helper.tell_result(AnyThread::<S>::unpin());
    helper.spin();
}

fn pins<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a pinned thread waits for its processor, though others idle",
        |c| {
            c.start(0, 10, pinned);
            c.expect_told("pin", 0, Ok(()));
            c.expect_running("it", &[0]);
            let place = c.helper(0).seen();
            c.expect("one processor", place.count(), 1);
            let there = place.lowest().map_or(0, |cpu| cpu.index());
            c.start_on(1, 5, there, spin);
            c.expect_running("the other there instead", &[1]);
            c.ok("deletion", c.thread(1).delete());
            c.expect_running("it again", &[0]);
            c.expect("where it was", c.helper(0).seen(), place);
            c.helper(0).tell(0);
            S::objects().set_number(1);
            c.expect_told("unpin", 0, Ok(()));
            c.start_on(1, 5, there, spin);
            c.expect_running("both, when it is not pinned", &[0, 1]);
        },
    );
    tally.case("pins nest, and more unpins than pins are refused", |c| {
        c.start(0, 10, |h| {
            type Current<S> = AnyThread<S>;
            let pinned = Current::<S>::pin().and_then(|()| Current::<S>::pin());
            let once = Current::<S>::unpin();
            h.forget();
            h.spin_until(1);
            let twice = Current::<S>::unpin();
            let thrice = Current::<S>::unpin();
            if pinned.and(once).and(twice).is_ok() && thrice == Err(Error::State) {
                h.tell(1);
            } else {
                h.tell(99);
            }
        });
        c.expect_running("it", &[0]);
        let place = c.helper(0).seen();
        let there = place.lowest().map_or(0, |cpu| cpu.index());
        c.start_on(1, 5, there, spin);
        c.expect_running("it is pinned still", &[1]);
        c.ok("deletion", c.thread(1).delete());
        S::objects().set_number(1);
        c.expect_told("all as they should be", 0, Ok(()));
    });
    tally.case("a pinned thread blocks and wakes on its processor", |c| {
        c.start(0, 10, |h| {
            h.tell_result(AnyThread::<S>::pin());
            h.forget();
            for _ in 0..40 {
                h.tick();
                let _ = AnyThread::<S>::sleep(taktos_kernel::Duration::from_micros(20));
            }
            h.take_place();
        });
        c.start_each(1..4, 9, |h| {
            for _ in 0..40 {
                h.tick();
                let _ = AnyThread::<S>::sleep(taktos_kernel::Duration::from_micros(15));
            }
        });
        let helper = c.helper(0);
        c.soon("it is done", || helper.place() != 0);
        c.expect("one processor", helper.seen().count(), 1);
    });
}
