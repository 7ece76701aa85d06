//! The machine with several processors by itself: possible interleavings, time, calls, switches,
//! and that violated invariants are found.
#![expect(
    improper_ctypes_definitions,
    reason = "decisions are functions of the C convention for the boards' sake; here Rust calls them"
)]

mod board;
mod laws;

use board::{
    Board, Stay, SwitchInSlice, SwitchTo, at, at_upcalls, enter, idle, let_choose, locked, log,
    prepare, take_log, thread, world,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use taktos_arch_host::{End, HostSeveral, Order, each_order};
use taktos_machine::{Machine, Upcalls};
use taktos_time::Span;

/// A shared number that is read and written with a point of interleaving in between.
fn add_one(to: &Cell<u32>, is_locked: bool) {
    if is_locked {
        HostSeveral::mask();
    }
    let read = to.get();
    if is_locked {
        HostSeveral::spend(1u32.micros());
        to.set(read + 1);
        HostSeveral::unmask(());
    } else {
        HostSeveral::point();
        to.set(read + 1);
    }
}

/// All results of two processors that add one to the same number, twice each.
fn results(is_locked: bool) -> (BTreeSet<u32>, u64) {
    let results = Rc::new(std::cell::RefCell::new(BTreeSet::new()));
    let (runs, all) = each_order(3, 1_000_000, |order| {
        let number = Rc::new(Cell::new(0));
        let adder = |number: &Rc<Cell<u32>>| {
            let number = number.clone();
            let body = move || (0..2).for_each(|_| add_one(&number, is_locked));
            Box::new(body) as Box<dyn FnOnce()>
        };
        let outcome = world(order, vec![adder(&number), adder(&number)]);
        assert!(matches!(outcome.end, End::Deadlock));
        results.borrow_mut().insert(number.get());
    });
    assert!(all);
    (results.take(), runs)
}

#[test]
fn the_lock_excludes_in_all_orders() {
    assert_eq!(results(true).0, BTreeSet::from([4]));
}

#[test]
fn all_orders_find_the_lost_updates_of_who_does_not_lock() {
    let (results, runs) = results(false);
    assert_eq!(results, BTreeSet::from([2, 3, 4]));
    assert!(runs > 20, "{runs} orders");
}

#[test]
fn each_order_comes_once_and_few_changes_make_fewer_orders() {
    let runs = |changes| {
        let logs = std::cell::RefCell::new(BTreeSet::new());
        let (runs, all) = each_order(changes, 100_000, |order| {
            let body = |name: &'static str| -> Box<dyn FnOnce()> {
                Box::new(move || {
                    for _ in 0..3 {
                        log(name);
                        HostSeveral::point();
                    }
                })
            };
            world(order, vec![body("a"), body("b")]);
            logs.borrow_mut().insert(take_log());
        });
        assert!(all);
        (runs, logs.into_inner().len())
    };
    // Six notes, three of each: twenty orders of them.
    assert_eq!(runs(100).1, 20);
    // Without a change the first processor that continues does so to its end.
    assert_eq!(runs(0).1, 2);
    assert!(runs(1).0 < runs(2).0);
}

#[test]
fn the_lock_is_first_come_first_served() {
    let waiter = |after: u32| -> Box<dyn FnOnce()> {
        Box::new(move || {
            HostSeveral::spend(after.micros());
            locked(|| log("locked"));
        })
    };
    let holder = || {
        locked(|| HostSeveral::spend(100u32.micros()));
        locked(|| log("again"));
    };
    for seed in 0..8 {
        world(
            Order::Seed(seed),
            vec![Box::new(holder), waiter(30), waiter(10), waiter(20)],
        );
        assert_eq!(
            take_log(),
            "locked@2:100 locked@3:100 locked@1:100 again@0:100 "
        );
    }
}

#[test]
fn the_time_of_busy_processors_overlaps() {
    let busy = |span: u32| -> Box<dyn FnOnce()> {
        Box::new(move || {
            HostSeveral::spend(span.micros());
            log("done");
        })
    };
    let outcome = world(Order::Turns, vec![busy(30), busy(10), busy(20)]);
    assert_eq!(take_log(), "done@1:10 done@2:20 done@0:30 ");
    assert_eq!(outcome.time, at(30));
}

#[test]
fn alarms_and_interrupts_come_on_their_own_processor() {
    let with_alarm = |micros: u64| -> Box<dyn FnOnce()> {
        Box::new(move || locked(|| HostSeveral::set_alarm(Some(at(micros)))))
    };
    let main = || {
        HostSeveral::interrupt_at(2, at(4), || log("device"));
        HostSeveral::interrupt_at(0, at(6), || {
            assert!(HostSeveral::in_interrupt());
            HostSeveral::spend(2u32.micros());
            log("slow");
        });
        HostSeveral::spend(10u32.micros());
        log("main");
    };
    world(
        Order::Seed(3),
        vec![Box::new(main), with_alarm(7), with_alarm(5)],
    );
    // A handler's time is not the thread's: main is busy for ten microseconds of its own.
    assert_eq!(
        take_log(),
        "device@2:4 alarm@2:5 alarm@1:7 slow@0:8 main@0:12 "
    );
}

#[test]
fn slices_end_on_each_busy_processor() {
    let busy = || HostSeveral::spend(25u32.micros());
    world(
        Order::Turns,
        vec![
            Box::new(move || {
                locked(|| HostSeveral::set_slice(Some(10u32.micros()), Board::switch_slice));
                busy();
            }),
            Box::new(busy),
        ],
    );
    assert_eq!(take_log(), "slice@0:10 slice@1:10 slice@1:20 slice@0:20 ");
}

#[test]
fn a_slice_begins_anew_at_a_switch_unless_the_decision_keeps_it() {
    let switched = |enter: fn(usize) -> taktos_machine::Answer| {
        world(
            Order::Turns,
            vec![Box::new(move || {
                locked(|| HostSeveral::set_slice(Some(10u32.micros()), Board::switch_slice));
                let other = prepare(|| HostSeveral::spend(11u32.micros()));
                HostSeveral::spend(4u32.micros());
                enter(other);
            })],
        );
        take_log()
    };
    assert_eq!(switched(enter::<SwitchTo>), "slice@0:14 ");
    assert_eq!(switched(enter::<SwitchInSlice>), "slice@0:10 ");
}

#[test]
fn a_switch_gives_the_lock_back_and_brings_the_answer() {
    let outcome = world(
        Order::Turns,
        vec![Box::new(|| {
            let other = prepare(|| {
                log("other");
                thread(0).value.set(7);
                enter::<SwitchTo>(0);
                unreachable!();
            });
            let answer = enter::<SwitchTo>(other);
            assert_eq!(answer.value, 7);
            locked(|| log("back"));
            assert_eq!(enter::<Stay>(0).value, 0);
            HostSeveral::exit(0)
        })],
    );
    assert_eq!(outcome.status(), Some(0));
    assert_eq!(outcome.switches, 2);
    assert_eq!(take_log(), "other@0:0 back@0:0 ");
}

/// A thread runs on processor 0, which gives it away; processor 1 is called and resumes it.
#[test]
fn a_thread_moves_to_another_processor_in_all_orders() {
    let logs = std::cell::RefCell::new(BTreeSet::new());
    let (runs, all) = each_order(2, 1_000_000, |order| {
        world(
            order,
            vec![
                Box::new(|| {
                    let rest = prepare(|| ());
                    let_choose(1, 0);
                    HostSeveral::mask();
                    HostSeveral::processor_numbered(1)
                        .heir
                        .set(std::ptr::null());
                    HostSeveral::call(1);
                    enter_locked_switch(rest);
                    log("moved");
                    HostSeveral::spend(3u32.micros());
                    log("end");
                }),
                Box::new(|| {
                    HostSeveral::spend(5u32.micros());
                    log("never");
                }),
            ],
        );
        logs.borrow_mut().insert(take_log());
    });
    assert!(all && runs > 10, "{runs} orders");
    assert_eq!(
        logs.into_inner(),
        BTreeSet::from(["called@1:0 moved@1:0 end@1:3 ".to_owned()])
    );
}

fn enter_locked_switch(to: usize) {
    HostSeveral::enter::<SwitchTo>(thread(to), 0, taktos_abi::Timeout::FOREVER);
}

#[test]
fn calls_come_late_or_early_but_not_while_masked_and_not_twice() {
    let logs = std::cell::RefCell::new(BTreeSet::new());
    each_order(3, 1_000_000, |order| {
        world(
            order,
            vec![
                Box::new(|| locked(|| (0..2).for_each(|_| HostSeveral::call(1)))),
                Box::new(|| {
                    log("before");
                    locked(|| {
                        log("in");
                        HostSeveral::spend(1u32.micros());
                        log("out");
                    });
                    log("after");
                }),
            ],
        );
        logs.borrow_mut().insert(take_log());
    });
    let logs = logs.into_inner();
    for log in &logs {
        let places: Vec<&str> = log
            .split_whitespace()
            .filter_map(|note| note.split('@').next())
            .collect();
        let calls = places.iter().filter(|note| **note == "called").count();
        assert!((1..=2).contains(&calls), "{log}");
        assert!(!log.contains("in@1:0 called"), "{log}");
        assert!(!log.contains("in@1:1 called"), "{log}");
    }
    let some = |wanted: &str| assert!(logs.iter().any(|log| log.starts_with(wanted)), "{logs:?}");
    some("called@1:0 before@1:0 in@1:0");
    some("before@1:0 called@1:0 in@1:0");
    some("before@1:0 in@1:0 out@1:1 called@1:1");
    // Two calls of which the second comes when the first has been handled are two interrupts.
    some("called@1:0 called@1:0");
}

#[test]
fn a_handler_can_have_the_lock_and_switch_at_its_end() {
    for seed in 0..16 {
        world(
            Order::Seed(seed),
            vec![
                Box::new(|| {
                    let urgent = prepare(|| log("urgent"));
                    at_upcalls(move |kind| {
                        if kind == "alarm" {
                            locked(|| HostSeveral::processor().heir.set(thread(urgent)));
                        }
                    });
                    locked(|| HostSeveral::set_alarm(Some(at(4))));
                    HostSeveral::spend(9u32.micros());
                    unreachable!("nobody goes on with it");
                }),
                Box::new(|| (0..9).for_each(|_| locked(|| HostSeveral::spend(1u32.micros())))),
            ],
        );
        assert!(take_log().starts_with("alarm@0:4 urgent@0:"));
    }
}

#[test]
fn idle_processors_wait_for_their_next_event_and_a_world_without_any_is_a_deadlock() {
    let outcome = world(
        Order::Turns,
        vec![
            Box::new(|| {
                HostSeveral::interrupt_at(1, at(50), || log("late"));
                idle()
            }),
            Box::new(|| idle()),
        ],
    );
    assert!(matches!(outcome.end, End::Deadlock));
    assert_eq!(outcome.time, at(50));
    assert_eq!(take_log(), "late@1:50 ");
}

#[test]
fn a_thread_that_asks_again_and_again_does_not_stop_the_clock() {
    let ready = Rc::new(Cell::new(false));
    let set = ready.clone();
    let outcome = world(
        Order::Turns,
        vec![
            Box::new(move || {
                while !locked(|| ready.get()) {}
                HostSeveral::exit(0)
            }),
            Box::new(move || {
                HostSeveral::spend(5u32.micros());
                set.set(true);
            }),
        ],
    );
    assert_eq!(outcome.status(), Some(0));
    assert!(outcome.time >= at(5));
}

#[test]
fn the_same_seed_is_the_same_run() {
    let run = |seed| {
        let body = || -> Box<dyn FnOnce()> {
            Box::new(|| {
                for _ in 0..5 {
                    locked(|| log("a"));
                    HostSeveral::point();
                }
            })
        };
        world(Order::Seed(seed), (0..32).map(|_| body()).collect());
        take_log()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_hook_sees_each_unmask_and_injects_interrupts_where_it_happened() {
    world(
        Order::Turns,
        vec![
            Box::new(|| {
                let mut number = 0;
                HostSeveral::at_each_unmask(move || {
                    number += 1;
                    // The hook is not called at an unmask of the handler: interrupts are not
                    // nested.
                    let handler = || locked(|| log("hook"));
                    (number % 2 == 0).then(|| Box::new(handler) as _)
                });
                HostSeveral::spend(1u32.micros());
            }),
            Box::new(|| {
                HostSeveral::spend(2u32.micros());
                (0..4).for_each(|_| locked(|| ()));
            }),
        ],
    );
    assert_eq!(take_log(), "hook@1:2 hook@1:2 ");
}

#[test]
fn a_processor_that_settles_continues_when_no_other_can_act() {
    for seed in 0..8 {
        world(
            Order::Seed(seed),
            vec![
                Box::new(|| {
                    HostSeveral::settle();
                    log("settled");
                    locked(|| HostSeveral::call(1));
                    HostSeveral::settle();
                    log("again");
                }),
                Box::new(|| (0..9).for_each(|_| locked(|| log("other")))),
                Box::new(|| HostSeveral::spend(1u32.micros())),
            ],
        );
        let expected = "other@1:0 ".repeat(9) + "settled@0:0 called@1:0 again@0:0 ";
        assert_eq!(take_log(), expected);
    }
}

#[test]
fn calls_to_a_held_processor_stay_on_their_way() {
    world(
        Order::Turns,
        vec![
            Box::new(|| {
                HostSeveral::hold(1, true);
                locked(|| HostSeveral::call(1));
                HostSeveral::spend(3u32.micros());
                log("before");
                HostSeveral::hold(1, false);
                HostSeveral::settle();
                log("behind");
            }),
            Box::new(|| idle()),
        ],
    );
    assert_eq!(take_log(), "before@0:3 called@1:3 behind@0:3 ");
}

#[test]
fn a_processor_that_rests_continues_when_it_is_poked() {
    world(
        Order::Turns,
        vec![
            Box::new(|| {
                HostSeveral::spend(3u32.micros());
                log("poke");
                HostSeveral::poke(1);
                HostSeveral::settle();
                HostSeveral::poke(1);
            }),
            Box::new(|| {
                HostSeveral::rest();
                log("poked");
                locked(|| ());
            }),
        ],
    );
    assert_eq!(take_log(), "poke@0:3 poked@1:3 ");
}

#[test]
fn a_patient_processor_loses_no_time() {
    let asks = |points| {
        let outcome = world(
            Order::Turns,
            vec![Box::new(move || {
                HostSeveral::set_patience(0, points);
                (0..1_000).for_each(|_| HostSeveral::point());
                HostSeveral::exit(0)
            })],
        );
        outcome.time
    };
    assert_eq!(asks(u32::MAX), at(0));
    assert_eq!(asks(100), at(90));
}
