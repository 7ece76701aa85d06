//! Owns: the cases of processors that come and go, of clusters, and of threads that move between
//! them.

use super::case::{ALL, Case, Tally, at, cpu, spin};
use super::objects::{all_processors, hand_over, instance};
use super::{SIDE, SeveralBoard, WORK};
use taktos_kernel::{AnyThread, Cpu, CpuSet, Error, Kernel, State, Timeout};

pub fn cases<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.about("processors");
    questions(tally);
    removal(tally);
    clusters(tally);
    moves(tally);
}

/// Gives these processors to the other instance.
pub(super) fn give_to_side<S: SeveralBoard>(c: &mut Case<S>, processors: &[usize]) {
    for number in processors {
        c.ok(
            "hand-over of a processor",
            hand_over::<S>(cpu(*number), WORK, SIDE),
        );
    }
}

pub(super) fn take<S: SeveralBoard>(c: &mut Case<S>, processor: Cpu) {
    let taken = instance::<S>(WORK).and_then(|work| Kernel::<S>::remove_processor(work, processor));
    c.ok("removal of a processor", taken);
}

pub(super) fn give<S: SeveralBoard>(c: &mut Case<S>, processor: Cpu) {
    let given = instance::<S>(WORK).and_then(|work| Kernel::<S>::add_processor(work, processor));
    c.ok("return of a processor", given);
}

fn questions<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("instances are known by names and processors", |c| {
        let (work, side) = (instance::<S>(WORK), instance::<S>(SIDE));
        c.expect("two instances", work == side, false);
        c.expect_error("no other name", instance::<S>(*b"none"), Error::Parameter);
        for processor in all_processors() {
            c.expect("whose it is", Kernel::<S>::instance_with(processor), work);
        }
        c.expect("all", work.and_then(Kernel::<S>::processors), Ok(ALL));
        c.expect(
            "none",
            side.and_then(Kernel::<S>::processors),
            Ok(CpuSet::EMPTY),
        );
        c.create(0, 10);
        c.expect("home of a new thread", c.thread(0).instance(), work);
        give_to_side(c, &[3]);
        c.expect(
            "the one",
            side.and_then(Kernel::<S>::processors),
            Ok(CpuSet::of(cpu(3))),
        );
        c.expect("whose it is now", Kernel::<S>::instance_with(cpu(3)), side);
    });
    tally.case("what cannot be given or taken is refused", |c| {
        let (Ok(work), Ok(side)) = (instance::<S>(WORK), instance::<S>(SIDE)) else {
            return c.ok("instances", instance::<S>(SIDE));
        };
        let (add, remove) = (Kernel::<S>::add_processor, Kernel::<S>::remove_processor);
        c.expect_error("one that it has", add(work, cpu(1)), Error::InUse);
        c.expect_error("one that another has", add(side, cpu(1)), Error::InUse);
        c.expect_error(
            "one that it does not have",
            remove(side, cpu(1)),
            Error::Parameter,
        );
        let far = Cpu::new(63).map_or(Ok(()), |far| remove(work, far));
        c.expect_error("one that is not there", far, Error::Parameter);
    });
}

fn removal<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("who runs on a processor that goes runs elsewhere", |c| {
        c.start_spinning(0, 10..13);
        for processor in all_processors() {
            c.expect_running("all", &[0, 1, 2]);
            take(c, processor);
            c.expect_running("all but the least urgent", &[0, 1]);
            for index in 0..2 {
                c.helper(index).forget();
            }
            c.expect_running("all but the least urgent", &[0, 1]);
            for index in 0..2 {
                let there = c.helper(index).seen().contains(processor);
                c.expect("nobody on it", there, false);
            }
            give(c, processor);
        }
        c.expect_running("all", &[0, 1, 2]);
    });
    tally.case(
        "a thread takes its own processor away, and runs on elsewhere",
        |c| {
            c.start(0, 10, |h| {
                let Ok(work) = instance::<S>(WORK) else {
                    return h.tell(99);
                };
                for _ in 0..40 {
                    let here = AnyThread::<S>::processor();
                    let taken = Kernel::<S>::remove_processor(work, here);
                    if taken.is_err() || AnyThread::<S>::processor() == here {
                        return h.tell(98);
                    }
                    if Kernel::<S>::add_processor(work, here).is_err() {
                        return h.tell(97);
                    }
                }
                h.tell(1);
            });
            c.expect_told("each time", 0, Ok(()));
        },
    );
    tally.case("who runs on one that goes is held and ended at once", |c| {
        c.create(0, 10);
        let thread = c.thread(0);
        for round in 0..24 {
            let processor = cpu(round / 6);
            c.go(0, spin);
            c.soon("it runs", || thread.state() == State::Executing);
            take(c, processor);
            if round % 2 == 0 {
                give(c, processor);
            }
            if round % 3 == 0 {
                c.ok("hold", thread.suspend());
                c.expect("held", thread.state(), State::Blocked);
                c.ok("let go", thread.resume());
            }
            if round % 4 != 0 {
                c.soon("it runs again", || thread.state() == State::Executing);
            }
            c.ok("end", thread.stop());
            if round % 2 != 0 {
                give(c, processor);
            }
        }
    });
    tally.case("all but one can go", |c| {
        c.start_spinning(0, 10..12);
        for number in [1, 3, 0] {
            take(c, cpu(number));
        }
        c.expect_running("nobody beside main", &[]);
        let before = c.helper(0).ticks();
        c.ok("main sleeps", AnyThread::<S>::sleep(super::UNIT));
        c.expect_true("the most urgent has run", c.helper(0).ticks() > before);
        c.expect("on the last one", AnyThread::<S>::processor(), cpu(2));
        for number in [3, 0] {
            give(c, cpu(number));
        }
        c.expect_running("both", &[0, 1]);
        give(c, cpu(1));
    });
    tally.case("idle ones go and come", |c| {
        for _ in 0..5 {
            for processor in all_processors() {
                take(c, processor);
                give(c, processor);
            }
        }
        c.start_spinning(0, [10; 3]);
        c.expect_running("all serve", &[0, 1, 2]);
    });
    tally.case("sleepers wake though their processor has gone", |c| {
        c.start_each(0..3, 10, |h| {
            h.tick();
            h.tell_result(AnyThread::<S>::sleep(super::UNIT));
        });
        let asleep = |index| S::objects().helper(index).thread().state() == State::Blocked;
        c.soon("all sleep", || (0..3).all(asleep));
        for number in [0, 1, 3] {
            take(c, cpu(number));
        }
        c.ok("main sleeps", AnyThread::<S>::sleep(super::UNIT));
        c.ok("main sleeps", AnyThread::<S>::sleep(super::UNIT));
        c.expect_all_told("it woke", 0..3);
    });
    if tally.can_bind() {
        tally.case("one that a thread is bound to stays", |c| {
            c.start_on(0, 10, 2, spin);
            let taken =
                instance::<S>(WORK).and_then(|work| Kernel::<S>::remove_processor(work, cpu(2)));
            c.expect_error("removal", taken, Error::InUse);
            c.ok("unbind", c.thread(0).set_affinity(ALL));
            take(c, cpu(2));
            c.expect_running("it runs elsewhere", &[0]);
        });
    }
}

fn clusters<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case("each cluster runs its own most urgent threads", |c| {
        give_to_side(c, &[3]);
        c.start_in(0, 20, SIDE, spin);
        c.start_in(1, 19, SIDE, spin);
        c.start_spinning(2, 10..13);
        c.expect_running("one there, two here", &[1, 2, 3]);
        c.expect("there", c.helper(1).seen(), CpuSet::of(cpu(3)));
        for index in 2..4 {
            let strayed = c.helper(index).seen().contains(cpu(3));
            c.expect("not there", strayed, false);
        }
        c.ok("deletion", c.thread(1).delete());
        c.expect_running("the next there", &[0, 2, 3]);
    });
    tally.case(
        "a thread that another creates is at home where that one is",
        |c| {
            give_to_side(c, &[3]);
            c.start_in(0, 10, SIDE, |h| {
                let other = S::objects().helper(1);
                h.tell_result(other.thread().start_with(spin::<S>, other));
                h.spin();
            });
            c.expect_told("start", 0, Ok(()));
            c.expect("its home", c.thread(1).instance(), instance::<S>(SIDE));
            c.ok("deletion", c.thread(0).delete());
            c.expect_running("it", &[1]);
            c.expect("there", c.helper(1).seen(), CpuSet::of(cpu(3)));
        },
    );
    tally.case(
        "a processor goes to and fro between clusters that are busy",
        |c| {
            give_to_side(c, &[3]);
            c.start_spinning(0, 10..13);
            c.start_in(3, 10, SIDE, spin);
            c.start_in(4, 11, SIDE, spin);
            for _ in 0..6 {
                c.expect_running("two here, one there", &[0, 1, 3]);
                c.ok("one more there", hand_over::<S>(cpu(1), WORK, SIDE));
                c.expect_running("one here, two there", &[0, 3, 4]);
                c.ok("one more here", hand_over::<S>(cpu(1), SIDE, WORK));
            }
        },
    );
}

fn moves<S: SeveralBoard>(tally: &mut Tally<S>) {
    tally.case(
        "a running thread is moved to another cluster and back",
        |c| {
            give_to_side(c, &[3]);
            let (Ok(work), Ok(side)) = (instance::<S>(WORK), instance::<S>(SIDE)) else {
                return c.ok("instances", instance::<S>(SIDE));
            };
            c.start(0, 10, spin);
            for _ in 0..8 {
                for (to, there) in [(side, true), (work, false)] {
                    let helper = c.helper(0);
                    c.ok("move", helper.thread().move_to(to, at(12)));
                    c.expect("its home", helper.thread().instance(), Ok(to));
                    c.soon("it runs there alone", || {
                        helper.forget();
                        let before = helper.ticks();
                        while helper.ticks() < before + 3 {
                            S::pause();
                        }
                        CpuSet::of(cpu(3)).covers(helper.seen()) == there
                            && helper.seen().contains(cpu(3)) == there
                    });
                }
            }
            let (base, _) = c.thread(0).priorities();
            c.expect("its priority there", base, at(12));
        },
    );
    tally.case(
        "a thread moves itself, and is there when the call returns",
        |c| {
            give_to_side(c, &[2, 3]);
            c.start(0, 10, |h| {
                let (Ok(work), Ok(side)) = (instance::<S>(WORK), instance::<S>(SIDE)) else {
                    return h.tell(99);
                };
                for _ in 0..40 {
                    for to in [side, work] {
                        let moved = AnyThread::<S>::current().move_to(to, at(9));
                        let there = Kernel::<S>::processors(to);
                        let here = AnyThread::<S>::processor();
                        if moved.is_err() || !there.is_ok_and(|set| set.contains(here)) {
                            return h.tell(98);
                        }
                    }
                }
                h.tell(1);
            });
            c.expect_told("each time", 0, Ok(()));
        },
    );
    tally.case("main itself goes to another cluster and comes back", |c| {
        give_to_side(c, &[3]);
        let (Ok(work), Ok(side)) = (instance::<S>(WORK), instance::<S>(SIDE)) else {
            return c.ok("instances", instance::<S>(SIDE));
        };
        c.start_spinning(0, 10..14);
        let main = AnyThread::<S>::current();
        c.ok("move", main.move_to(side, at(super::MAIN)));
        c.expect("there", AnyThread::<S>::processor(), cpu(3));
        c.expect_running("one more here", &[0, 1, 2]);
        c.ok("back", main.move_to(work, at(super::MAIN)));
        c.expect_running("one less", &[0, 1]);
    });
    tally.case(
        "a running thread is moved twice, held and ended at once",
        |c| {
            give_to_side(c, &[3]);
            let (Ok(work), Ok(side)) = (instance::<S>(WORK), instance::<S>(SIDE)) else {
                return c.ok("instances", instance::<S>(SIDE));
            };
            c.create(0, 10);
            let thread = c.thread(0);
            for round in 0..12 {
                c.go(0, spin);
                c.soon("it runs", || thread.state() == State::Executing);
                c.ok("move", thread.move_to(side, at(10)));
                c.expect_error("a wait to cancel", thread.cancel_wait(), Error::State);
                if round % 2 == 0 {
                    c.ok("back", thread.move_to(work, at(10)));
                }
                if round % 3 == 0 {
                    c.ok("hold", thread.suspend());
                    c.expect("held", thread.state(), State::Blocked);
                    c.ok("let go", thread.resume());
                }
                if round % 4 != 0 {
                    let there = if round % 2 == 0 { work } else { side };
                    c.soon("it runs there", || thread.state() == State::Executing);
                    c.expect("its home", thread.instance(), Ok(there));
                }
                c.ok("end", thread.stop());
                c.ok("to where it was", thread.move_to(work, at(10)));
            }
        },
    );
    tally.case("threads move while they wait", |c| {
        give_to_side(c, &[3]);
        let Ok(side) = instance::<S>(SIDE) else {
            return c.ok("instance", instance::<S>(SIDE));
        };
        c.start(0, 10, |h| {
            h.tick();
            let _ = AnyThread::<S>::sleep(Timeout::FOREVER);
            h.forget();
            h.tick();
            h.tell(1);
        });
        let helper = c.helper(0);
        c.soon("it sleeps", || {
            helper.ticks() == 1 && helper.thread().state() == State::Blocked
        });
        c.ok("move", helper.thread().move_to(side, at(10)));
        c.ok("wake", helper.thread().cancel_wait());
        c.expect_told("it woke", 0, Ok(()));
        c.expect("there", helper.seen(), CpuSet::of(cpu(3)));
    });
    tally.case("moves that cannot be are refused", |c| {
        let Ok(side) = instance::<S>(SIDE) else {
            return c.ok("instance", instance::<S>(SIDE));
        };
        let thread = c.thread(0);
        c.expect_error(
            "who does not exist",
            thread.move_to(side, at(10)),
            Error::Deleted,
        );
        c.start(0, 10, |h| {
            h.tell_result(S::objects().mutex.lock(Timeout::FOREVER));
            h.spin_until(1);
            let _ = S::objects().mutex.unlock();
            h.spin();
        });
        c.expect_told("lock", 0, Ok(()));
        c.expect_true(
            "where no processor is",
            thread.move_to(side, at(10)).is_err(),
        );
        give_to_side(c, &[3]);
        c.expect_error(
            "who owns a mutex",
            thread.move_to(side, at(10)),
            Error::InUse,
        );
        c.expect("its home", thread.instance(), instance::<S>(WORK));
        S::objects().set_number(1);
        c.soon("then it can", || thread.move_to(side, at(10)).is_ok());
    });
}
