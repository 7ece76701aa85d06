//! Cases: threads that own locks for which others wait.

use super::board::{THREADS, instance, row};
use super::common::{at, cpu};
use super::mood::Mood;
use super::pair::Pair;
use super::plans::{HELPFUL, WILD, beside_each_other};
use taktos_schedule::smp::seats::{Place, World};
use taktos_schedule::smp::{Lock, PolicyKind};
use taktos_schedule::{CpuSet, Priority};

impl Pair<'_> {
    /// `id` is ready and runs on the processor `number`, which acts.
    pub fn runs_on(&mut self, id: usize, number: usize) {
        self.acting = number;
        self.ready(id, Place::Last);
        self.dispatch(number);
        assert_eq!(self.board.heir(number), id, "thread {id} runs");
    }

    /// Both processors do what was decided, and nothing is left to be decided.
    pub fn quiet(&mut self, locks: &[Lock]) {
        for number in (0..self.cpus).cycle().take(4 * self.cpus) {
            self.dispatch(number);
        }
        self.compare();
        self.compare_owners(locks);
    }
}

/// Two instances of one processor each, and locks of those protocols that have ceilings, and of
/// OMIP.
fn with_sections(act: impl FnOnce(&mut Pair<'_>, &[Lock])) {
    let plan = [0, 1].map(|number| (PolicyKind::Priority, vec![number]));
    let mood = Mood {
        sections: true,
        ..WILD
    };
    beside_each_other(&plan, mood, |pair, locks| act(pair, locks));
}

/// Runs three instances of one processor each: their threads have locks under inheritance and OMIP.
fn with_owners(act: impl FnOnce(&mut Pair<'_>, &[Lock])) {
    let plan = [0, 1, 2].map(|number| (PolicyKind::Priority, vec![number]));
    beside_each_other(&plan, HELPFUL, |pair, locks| act(pair, locks));
}

#[test]
fn a_wait_for_an_owner_with_a_seat_lends_nothing_until_that_loses_it() {
    with_owners(|pair, locks| {
        let lend = |pair: &Pair<'_>| [0, 2, 4].map(|id| pair.lends(id));
        for lock in [locks[0], locks[1]] {
            pair.runs_on(0, 0);
            pair.obtain(lock, 0, true);
            for (id, number) in [(4, 2), (2, 1)] {
                pair.runs_on(id, number);
                pair.obtain(lock, id, true);
            }
            pair.quiet(locks);
            assert_eq!(lend(pair), [false; 3], "the owner has a seat");
            // Granted to the first: its home had nothing else to do.
            pair.acting = 0;
            pair.surrender(lock, 0);
            pair.quiet(locks);
            assert_eq!(lend(pair), [false; 3], "the next owner has one, too");
            // A more urgent one displaces it: it runs in the place of the thread that waits still.
            let urgent = pair.made;
            pair.create(2, Priority::new(0).unwrap(), None);
            pair.runs_on(urgent, 2);
            pair.quiet(locks);
            assert_eq!(lend(pair), [false, true, true], "two are concerned");
            assert_eq!(pair.runner(1), Some(4), "the owner is helped");
            pair.acting = 1;
            pair.surrender(lock, 4);
            pair.quiet(locks);
            pair.acting = 1;
            pair.surrender(lock, 2);
            pair.quiet(locks);
            pair.all_run_in_turn();
        }
    });
}

/// Thread 0, which has gone after its equal, could have the processor of the owner: not before an
/// arrival is it tried again.
#[test]
fn an_owner_that_gives_way_to_one_that_is_tried_again_is_helped() {
    let plan = [
        (PolicyKind::PriorityAffinity, vec![0, 1]),
        (PolicyKind::Priority, vec![2]),
    ];
    beside_each_other(&plan, HELPFUL, |pair, locks| {
        let (owner, arrival) = (pair.made, pair.made + 1);
        for (priority, number) in [(3, Some(1)), (4, None)] {
            let cpus = number.map(|number| CpuSet::of(cpu(number)));
            pair.create(0, Priority::new(priority).unwrap(), cpus);
        }
        pair.bind(1, CpuSet::of(cpu(0)));
        pair.runs_on(owner, 1);
        pair.obtain(locks[0], owner, true);
        pair.runs_on(0, 0);
        pair.ready(1, Place::Last);
        pair.goes(0, Place::Last);
        pair.runs_on(2, 2);
        pair.obtain(locks[0], 2, true);
        pair.quiet(locks);
        let runners = |pair: &Pair<'_>| [0, 1, 2].map(|number| pair.runner(number));
        assert_eq!(runners(pair), [Some(1), Some(owner), None]);
        assert!(!pair.lends(owner), "the owner has a seat");
        pair.ready(arrival, Place::Last);
        pair.quiet(locks);
        assert_eq!(runners(pair), [Some(1), Some(0), Some(owner)]);
        assert!(pair.lends(owner), "it is lent one");
    });
}

#[test]
fn an_owner_whose_own_priority_comes_to_what_it_inherits_keeps_its_place() {
    let plan = [(PolicyKind::Priority, vec![0, 1])];
    beside_each_other(&plan, HELPFUL, |pair, locks| {
        let [own, new] = [3, 2].map(|level| Priority::new(level).unwrap());
        let (owner, equal) = (pair.made, 1);
        pair.create(0, own, None);
        pair.runs_on(owner, 0);
        pair.obtain(locks[0], owner, true);
        pair.runs_on(0, 1);
        pair.obtain(locks[0], 0, true);
        pair.runs_on(equal, 1);
        assert!(pair.lends(owner), "the owner inherits");
        pair.set_priority(owner, new, Place::Last);
        let urgent = pair.made;
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.ready(urgent, Place::Last);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), Some(owner), "its equal is behind it");
    });
}

/// Each of two processors is to run the thread that has its registers on the other one, in an
/// instance that lends: neither lets registers go without notifying the other.
#[test]
fn two_processors_that_wait_for_each_other_s_registers_hear_of_them() {
    let plan = [(PolicyKind::StrongAffinity, vec![0, 1])];
    beside_each_other(&plan, WILD, |pair, locks| {
        pair.create(0, Priority::new(1).unwrap(), None);
        pair.runs_on(0, 0);
        pair.obtain(locks[0], 0, true);
        pair.runs_on(1, 1);
        pair.runs_on(2, 1);
        pair.obtain(locks[0], 2, true);
        pair.quiet(locks);
        assert!(pair.lends(0), "the waiter is at home with the owner");
        assert_eq!([0, 1].map(|number| pair.runner(number)), [Some(0), Some(1)]);
        pair.bind(0, CpuSet::of(cpu(1)));
        for (number, heir) in [(0, None), (1, Some(0)), (0, Some(1))] {
            let runs = heir.unwrap_or(THREADS + number);
            assert_eq!(pair.router.dispatch_lent(pair.board, cpu(number)), runs);
            pair.board.current[number].set(runs);
            assert_eq!(pair.router.check_seats(pair.board), Ok(()));
        }
    });
}

/// Processor 0 leaves an instance that lends, with the registers of an owner that is to run on
/// processor 1, and comes to another instance, which lends nothing, before it looks.
#[test]
fn a_processor_that_leaves_asks_where_it_comes_to_before_it_lets_registers_go() {
    let plan = [vec![0, 1], vec![2]].map(|cpus| (PolicyKind::Priority, cpus));
    beside_each_other(&plan, WILD, |pair, locks| {
        pair.runs_on(0, 0);
        pair.obtain(locks[0], 0, true);
        pair.runs_on(1, 1);
        pair.obtain(locks[0], 1, true);
        pair.quiet(locks);
        assert_eq!([pair.lends(0), pair.lends(2)], [true, false]);
        pair.runs_on(2, 2);
        pair.ready(3, Place::Last);
        let (moved, now) = (cpu(0), at(pair.now));
        let (router, plain) = (&mut pair.router, &mut pair.plain);
        let left = router.remove_processor(pair.board, instance(0), moved, now);
        assert_eq!(left, Ok([None; 2]), "the owner goes on");
        plain
            .remove_processor(instance(0), moved, now, &mut pair.flags)
            .unwrap();
        assert_eq!(router.check_seats(pair.board), Ok(()));
        let came = router.add_processor(pair.board, instance(1), moved, now);
        assert_eq!(came, Ok(()));
        plain
            .add_processor(instance(1), moved, now, &mut pair.flags)
            .unwrap();
        assert_eq!(router.check_seats(pair.board), Ok(()));
        assert_eq!(pair.router.dispatch_lent(pair.board, moved), 3);
        pair.board.current[0].set(3);
        assert_eq!(pair.board.heir(1), 0, "it has let the registers go");
        pair.quiet(locks);
        assert_eq!(
            [0, 1, 2].map(|number| pair.runner(number)),
            [3, 0, 2].map(Some)
        );
        pair.acting = 2;
        pair.goes(2, Place::Last);
        assert!(!pair.lends(2), "that is over");
    });
}

/// Thread 0 pins itself to a processor of another instance, where it is helped: its lender gets the
/// seat of that very processor.
#[test]
fn a_thread_that_pins_itself_where_it_is_helped_stays_there() {
    let plan = [
        (PolicyKind::Priority, vec![0]),
        (PolicyKind::Edf, vec![1, 2]),
    ];
    beside_each_other(&plan, HELPFUL, |pair, locks| {
        let lock = locks[0];
        pair.runs_on(0, 0);
        pair.obtain(lock, 0, true);
        pair.runs_on(2, 1);
        pair.obtain(lock, 2, true);
        pair.quiet(locks);
        let urgent = pair.made;
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.runs_on(urgent, 0);
        pair.quiet(locks);
        let runs = |pair: &Pair<'_>| [0, 1, 2].map(|number| pair.runner(number));
        let pinned = (1..3).find(|number| pair.runner(*number) == Some(0));
        let pinned = pinned.expect("it is helped");
        let other = 3 - pinned;
        pair.acting = pinned;
        pair.pin(0);
        pair.quiet(locks);
        assert_eq!(pair.router.system().pinned_to(row(0)), Some(cpu(pinned)));
        pair.change_processors(1, pinned, false);
        assert_eq!(pair.count.left, 0, "a pinned thread keeps its processor");
        pair.acting = pinned;
        pair.block(0);
        pair.quiet(locks);
        // A thread that may run anywhere has that processor, and makes way.
        pair.ready(3, Place::Last);
        pair.quiet(locks);
        assert_eq!(pair.runner(pinned), Some(3));
        pair.ready(0, Place::Last);
        pair.quiet(locks);
        assert_eq!([pair.runner(pinned), pair.runner(other)], [0, 3].map(Some));
        // Its lender may be bound elsewhere itself.
        pair.bind(2, CpuSet::of(cpu(other)));
        pair.quiet(locks);
        assert_eq!(pair.runner(pinned), Some(0));
        // Its home is free, and it does not go there.
        pair.acting = 0;
        pair.block(urgent);
        pair.quiet(locks);
        assert_eq!(runs(pair)[0], None);
        pair.acting = pinned;
        pair.surrender(lock, 0);
        pair.quiet(locks);
        assert_eq!(pair.runner(pinned), Some(3), "nobody helps it any more");
        pair.acting = pinned;
        pair.block(3);
        pair.quiet(locks);
        assert_eq!(pair.runner(pinned), Some(0), "the seat is free");
        assert_eq!([pair.lends(0), pair.lends(2)], [true; 2]);
        pair.unpin(0);
        pair.quiet(locks);
        assert_eq!([pair.runner(0), pair.runner(pinned)], [Some(0), None]);
        pair.acting = 0;
        pair.goes(0, Place::Last);
        pair.quiet(locks);
        assert_eq!([pair.lends(0), pair.lends(2)], [false; 2], "that is over");
        pair.all_run_in_turn();
    });
}

#[test]
fn a_spinner_for_an_owner_with_a_seat_is_lent_nothing() {
    with_owners(|pair, locks| {
        let lock = locks[4];
        let lend = |pair: &Pair<'_>| [0, 2].map(|id| pair.lends(id));
        let raised = |pair: &Pair<'_>| [0, 2].map(|id| pair.board.priority(id).level());
        pair.runs_on(0, 0);
        pair.obtain(lock, 0, true);
        pair.runs_on(2, 1);
        pair.obtain(lock, 2, true);
        pair.quiet(locks);
        assert_eq!((lend(pair), raised(pair)), ([false; 2], [1, 0]));
        pair.time_out(2);
        pair.quiet(locks);
        assert_eq!((lend(pair), raised(pair)), ([false; 2], [1, 2]));
        pair.acting = 1;
        pair.obtain(lock, 2, true);
        pair.acting = 0;
        pair.surrender(lock, 0);
        pair.quiet(locks);
        assert_eq!((lend(pair), raised(pair)), ([false; 2], [2, 0]));
        pair.acting = 1;
        pair.surrender(lock, 2);
        pair.quiet(locks);
        assert_eq!((lend(pair), raised(pair)), ([false; 2], [2, 2]));
        pair.all_run_in_turn();
    });
}

#[test]
fn an_owner_of_two_locks_for_which_others_spin_is_counted_once_for_each() {
    with_owners(|pair, locks| {
        pair.runs_on(0, 0);
        for (lock, waiter, number) in [(locks[4], 2, 1), (locks[5], 4, 2)] {
            pair.acting = 0;
            pair.obtain(lock, 0, true);
            pair.runs_on(waiter, number);
            pair.obtain(lock, waiter, true);
        }
        pair.quiet(locks);
        assert!(!pair.lends(0));
        // As urgent as the ceiling, and in front.
        let urgent = pair.made;
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.acting = 0;
        pair.ready(urgent, Place::First);
        pair.quiet(locks);
        assert!(pair.lends(0));
        let helper = (1..3).find(|number| pair.runner(*number) == Some(0));
        pair.acting = helper.expect("one of the spinners lends its processor");
        for (lock, next, number) in [(locks[4], 2, 1), (locks[5], 4, 2)] {
            pair.surrender(lock, 0);
            pair.quiet(locks);
            pair.acting = number;
            pair.surrender(lock, next);
            pair.quiet(locks);
            pair.acting = (0..3).find(|at| pair.runner(*at) == Some(0)).unwrap_or(2);
        }
        pair.quiet(locks);
        assert_eq!([0, 2, 4].map(|id| pair.lends(id)), [false; 3]);
        pair.all_run_in_turn();
    });
}

#[test]
fn a_spinner_that_is_suspended_lends_its_seat_and_has_none_for_itself() {
    with_owners(|pair, locks| {
        let lock = locks[4];
        let lend = |pair: &Pair<'_>| [0, 2].map(|id| pair.lends(id));
        pair.runs_on(0, 0);
        pair.obtain(lock, 0, true);
        pair.runs_on(2, 1);
        pair.obtain(lock, 2, true);
        pair.quiet(locks);
        assert_eq!(lend(pair), [false; 2]);
        pair.acting = 1;
        pair.block(2);
        pair.quiet(locks);
        assert_eq!(lend(pair), [true; 2]);
        let urgent = pair.made;
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.acting = 0;
        pair.ready(urgent, Place::First);
        pair.quiet(locks);
        assert_eq!([pair.runner(0), pair.runner(1)], [Some(urgent), Some(0)]);
        pair.acting = 0;
        pair.block(urgent);
        pair.dispatch(0);
        // By the tables it keeps its processor.
        pair.ready(3, Place::Last);
        pair.dispatch(1);
        assert_eq!(
            pair.heirs(1).0,
            Some(row(if pair.heirs(0).0 == Some(row(0)) {
                3
            } else {
                0
            }))
        );
        pair.check_loans();
    });
}

#[test]
fn a_spinner_without_a_seat_that_is_granted_its_lock_runs_in_the_place_of_the_next() {
    with_owners(|pair, locks| {
        let lock = locks[4];
        let lend = |pair: &Pair<'_>| [0, 2, 4].map(|id| pair.lends(id));
        pair.runs_on(0, 0);
        pair.obtain(lock, 0, true);
        for (id, number) in [(2, 1), (4, 2)] {
            pair.runs_on(id, number);
            pair.obtain(lock, id, true);
        }
        // As urgent as the ceiling there, and in front.
        let urgent = pair.made;
        pair.create(1, Priority::new(0).unwrap(), None);
        pair.acting = 1;
        pair.ready(urgent, Place::First);
        pair.quiet(locks);
        assert_eq!(pair.runner(1), Some(urgent));
        assert_eq!(lend(pair), [false; 3], "the owner has a seat still");
        pair.acting = 0;
        pair.surrender(lock, 0);
        pair.quiet(locks);
        assert_eq!(lend(pair), [false, true, true], "the next one has none");
        assert_eq!(pair.runner(2), Some(2));
        pair.acting = 2;
        pair.surrender(lock, 2);
        pair.quiet(locks);
        assert_eq!(pair.runner(2), Some(4));
        pair.acting = 2;
        pair.surrender(lock, 4);
        pair.quiet(locks);
        pair.all_run_in_turn();
    });
}

#[test]
fn a_wait_along_a_chain_of_owners_counts_all_of_it() {
    with_owners(|pair, locks| {
        let (outer, inner) = (locks[0], locks[2]);
        pair.runs_on(0, 0);
        pair.obtain(inner, 0, true);
        pair.runs_on(2, 1);
        pair.obtain(outer, 2, true);
        pair.obtain(inner, 2, true);
        pair.quiet(locks);
        assert!(!pair.lends(0), "the owner has a seat");
        pair.runs_on(4, 2);
        pair.obtain(outer, 4, true);
        pair.quiet(locks);
        assert!(pair.lends(0), "it counts for who waits behind");
        // Both homes are busy with more urgent ones: the last owner runs where the last one waits.
        for (home, number) in [(1, 1), (0, 0)] {
            let urgent = pair.made;
            pair.create(home, Priority::new(0).unwrap(), None);
            pair.runs_on(urgent, number);
        }
        pair.quiet(locks);
        assert_eq!(pair.runner(2), Some(0), "it is helped along the chain");
        pair.acting = 2;
        pair.surrender(inner, 0);
        pair.quiet(locks);
        assert_eq!(pair.runner(2), Some(2), "so is the next owner");
        pair.surrender(inner, 2);
        pair.surrender(outer, 2);
        pair.quiet(locks);
        pair.acting = 2;
        pair.surrender(outer, 4);
        pair.all_run_in_turn();
    });
}

#[test]
fn an_owner_that_is_raised_and_displaced_runs_in_the_place_of_a_spinner() {
    with_sections(|pair, locks| {
        let lock = locks[0];
        pair.runs_on(0, 0);
        pair.obtain(lock, 0, true);
        assert!(!pair.lends(0), "nothing is lent");
        assert_eq!(pair.board.priority(0).level(), 1, "by the ceiling");
        // It blocks, and leaves its processor to a thread that is less urgent than the ceiling.
        pair.block(0);
        pair.runs_on(1, 0);
        pair.quiet(locks);
        assert!(!pair.lends(0), "an owner may block there");
        // A thread spins for it, and it continues at the ceiling.
        pair.runs_on(2, 1);
        pair.obtain(lock, 2, false);
        assert!(!pair.lends(0), "one that does not wait has nothing lent");
        pair.obtain(lock, 2, true);
        pair.acting = 0;
        pair.ready(0, Place::Last);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), Some(0));
        assert!(!pair.lends(0), "it has a seat");
        // A more urgent one displaces it: it runs in the place of the thread that spins.
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.ready(4, Place::Last);
        pair.quiet(locks);
        assert_eq!([pair.runner(0), pair.runner(1)], [Some(4), Some(0)]);
        assert!(pair.lends(0), "the lock spans both");
        pair.acting = 1;
        pair.surrender(lock, 0);
        pair.quiet(locks);
        assert_eq!(pair.board.priority(0).level(), 2, "its own again");
        assert_eq!(
            pair.board.priority(2).level(),
            0,
            "the next owner's ceiling"
        );
        pair.surrender(lock, 2);
        pair.quiet(locks);
        pair.all_run_in_turn();
    });
}

#[test]
fn an_owner_that_is_helped_for_another_lock_keeps_its_place_at_home() {
    with_sections(|pair, locks| {
        let (spun_for, donated) = (locks[0], locks[3]);
        pair.runs_on(0, 0);
        pair.obtain(donated, 0, true);
        pair.obtain(spun_for, 0, true);
        assert!(!pair.lends(0), "nothing is lent");
        pair.runs_on(2, 1);
        pair.obtain(donated, 2, true);
        pair.create(0, Priority::new(0).unwrap(), None);
        pair.acting = 0;
        pair.ready(4, Place::Last);
        pair.ready(1, Place::Last);
        pair.quiet(locks);
        assert_eq!([pair.runner(0), pair.runner(1)], [Some(4), Some(0)]);
        pair.acting = 0;
        pair.block(4);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), None, "thread 1 is kept off");
        pair.acting = 1;
        pair.surrender(spun_for, 0);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), Some(1), "no longer");
        pair.surrender(donated, 0);
        pair.quiet(locks);
        pair.all_run_in_turn();
    });
}

#[test]
fn a_thread_that_is_granted_a_lock_that_others_wait_for_keeps_its_place_by_those_it_has() {
    with_sections(|pair, locks| {
        let (spun_for, donated) = (locks[0], locks[3]);
        pair.runs_on(2, 1);
        pair.obtain(donated, 2, true);
        for (id, home, priority) in [(4, 0, 1), (5, 1, 1), (6, 0, 0)] {
            pair.create(home, Priority::new(priority).unwrap(), None);
            assert_eq!(pair.made, id + 1);
        }
        pair.runs_on(4, 0);
        pair.obtain(spun_for, 4, true);
        pair.obtain(donated, 4, true);
        pair.quiet(locks);
        pair.runs_on(5, 1);
        pair.obtain(donated, 5, true);
        pair.quiet(locks);
        pair.acting = 1;
        pair.surrender(donated, 2);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), Some(4), "the next owner");
        pair.acting = 0;
        pair.ready(1, Place::Last);
        pair.ready(6, Place::Last);
        pair.quiet(locks);
        assert_eq!([pair.runner(0), pair.runner(1)], [Some(6), Some(4)]);
        pair.acting = 0;
        pair.block(6);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), None, "thread 1 is kept off");
    });
}

#[test]
fn a_ceiling_that_is_changed_counts_at_once() {
    with_sections(|pair, locks| {
        let lock = locks[1];
        pair.runs_on(0, 0);
        pair.ready(1, Place::Last);
        pair.obtain(lock, 0, true);
        pair.obtain(lock, 0, true);
        pair.set_ceiling(lock, 0, Priority::new(0).unwrap());
        pair.quiet(locks);
        assert_eq!(pair.board.priority(0).level(), 0);
        pair.set_ceiling(lock, 0, Priority::new(4).unwrap());
        pair.quiet(locks);
        assert_eq!(pair.board.priority(0).level(), 2, "its own is more urgent");
        pair.set_priority(0, Priority::new(3).unwrap(), Place::Last);
        pair.quiet(locks);
        assert_eq!(pair.runner(0), Some(1), "thread 0 is less urgent");
        assert!(!pair.lends(0), "nothing is lent");
        pair.all_run_in_turn();
    });
}

/// A ceiling is a priority, and a deadline is before each priority.
#[test]
fn a_free_lock_with_a_ceiling_lends_nothing_whatever_counts() {
    use PolicyKind::{Cbs, Edf, Priority, PriorityAffinity, Simple, StrongAffinity};
    let mood = Mood {
        sections: true,
        ..WILD
    };
    for policy in [Cbs, Edf, Priority, PriorityAffinity, Simple, StrongAffinity] {
        let plan = [(policy, vec![0, 1])];
        beside_each_other(&plan, mood, |pair, locks| {
            let urgency = |pair: &Pair<'_>| pair.board.priority(0).level();
            pair.ready(0, Place::Last);
            pair.acting = (0..2).find(|at| pair.board.heir(*at) == 0).unwrap();
            pair.dispatch(pair.acting);
            for lock in [locks[0], locks[1]] {
                pair.obtain(lock, 0, true);
                pair.quiet(locks);
                assert_eq!((pair.lends(0), urgency(pair)), (false, 1));
                pair.surrender(lock, 0);
                pair.quiet(locks);
                assert_eq!((pair.lends(0), urgency(pair)), (false, 2));
            }
            pair.job(0, Some(at(1_000)));
            for lock in [locks[0], locks[1]] {
                pair.obtain(lock, 0, true);
                assert_eq!(pair.is_free(lock), policy.knows_deadlines());
            }
            assert!(!pair.lends(0));
        });
    }
}

/// Thread 1 owns a mutex under MrsP, and the ceiling keeps its place, when it steps aside to be
/// pinned no more; meanwhile thread 2 shifts for one that is bound.
#[test]
fn an_owner_that_is_pinned_no_more_comes_in_where_its_registers_are() {
    let plan = [(PolicyKind::Edf, vec![0, 1])];
    let mood = Mood {
        sections: true,
        ..WILD
    };
    beside_each_other(&plan, mood, |pair, locks| {
        let place = |pair: &Pair<'_>, id| (0..2).find(|at| pair.board.heir(*at) == id).unwrap();
        for id in [0, 1] {
            pair.ready(id, Place::Last);
            pair.acting = place(pair, id);
            pair.dispatch(pair.acting);
        }
        let (bound, pinned) = (place(pair, 0), place(pair, 1));
        pair.obtain(locks[0], 1, true);
        pair.pin(1);
        pair.bind(0, CpuSet::of(cpu(bound)));
        pair.set_priority(0, Priority::new(4).unwrap(), Place::Last);
        pair.create(0, Priority::new(2).unwrap(), None);
        pair.ready(2, Place::Last);
        pair.quiet(locks);
        assert_eq!(pair.runner(bound), Some(2));
        pair.unpin(1);
        pair.compare();
        pair.quiet(locks);
        assert_eq!(pair.runner(pinned), Some(1));
    });
}
