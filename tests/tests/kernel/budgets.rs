//! Budgets of partitions on the host, where a kernel call takes no time: the charge of each account
//! is known to the nanosecond.

use std::cell::Cell;
use std::rc::Rc;

use taktos_abi::Error;
use taktos_arch_host::Host;
use taktos_host::{Board, leak, run};
use taktos_kernel::{
    AnyThread, Duration, Instant, Message, Mutex, Priority, Received, Span, State, System, Thread,
    Timeout,
};
use taktos_random::seed;
use taktos_tests::parts::{self, Looks, draw_from, word};

type Part = parts::Part<Board>;
type Any = &'static AnyThread<Board>;

/// A partition with a budget, if one is given, and one thread of that priority.
fn partition(budget: Option<(Duration, Duration)>, priority: u8) -> (Part, Any) {
    let (part, threads) = parts::partition(budget, &[priority]);
    (part, &threads[0])
}

fn start(part: Part, body: impl Fn() + 'static) {
    part.start_with(word(body)).unwrap();
}

fn privileged(priority: u8, body: impl FnOnce() + 'static) -> Any {
    let thread: &'static Thread<Board, 256> = leak(Thread::new("privileged").priority(priority));
    let body = leak(Cell::new(Some(Box::new(body) as Box<dyn FnOnce()>)));
    thread
        .start_with(
            |body: &'static Once| (body.0.take().unwrap())(),
            leak(Once(body)),
        )
        .unwrap();
    thread
}

/// A closure that one thread takes; all threads are one of the operating system's.
struct Once(&'static Cell<Option<Box<dyn FnOnce()>>>);
#[expect(unsafe_code, reason = "all threads are coroutines of one")]
// SAFETY: no two threads of the operating system have it.
unsafe impl Sync for Once {}

/// Starts the thread that is handle 0 of the caller's partition, to compute for `time`.
fn start_second(part: Part, time: Duration) {
    let body = word(move || Host::spend(time));
    assert_eq!(parts::start_other(part, 0, body), 0);
}

/// Serves calls for ever, each in so much time.
fn serve(time: Duration) {
    let receive = || AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
    let mut request = receive();
    loop {
        Host::spend(time);
        let next = request
            .sender
            .reply_and_receive(request.message, Timeout::FOREVER);
        // The caller may not wait any more.
        request = next.unwrap_or_else(|_| receive());
    }
}

fn call(server: Any) -> Result<Message, Error> {
    server.call(Message::word(1), Timeout::FOREVER)
}

fn spin() {
    loop {
        Host::spend(1.secs());
    }
}

fn now() -> Duration {
    parts::now::<Board>()
}

fn sleep_until(at: Duration) {
    parts::sleep_until::<Board>(at);
}

fn time(part: Part) -> Duration {
    parts::time(part)
}

/// Runs a test in a world of its own, by a thread more urgent than all others.
fn world(test: impl FnOnce() + 'static) {
    let outcome = run(|| {
        AnyThread::<Board>::current()
            .set_priority(Priority::new(0).unwrap())
            .unwrap();
        test();
        Board::exit(0)
    });
    assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
}

const TWO_OF_TEN: Option<(Duration, Duration)> =
    Some((Duration::from_millis(2), Duration::from_millis(10)));
const FIVE_OF_TEN: Option<(Duration, Duration)> =
    Some((Duration::from_millis(5), Duration::from_millis(10)));

#[test]
fn a_partition_that_spins_gets_its_share_and_the_less_urgent_the_rest() {
    world(|| {
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, spin);
        let rest = Rc::new(Cell::new(0));
        let counted = Rc::clone(&rest);
        privileged(20, move || {
            loop {
                Host::spend(100.micros());
                counted.set(counted.get() + 1);
            }
        });
        sleep_until(100.millis());
        let usage = part.usage().unwrap();
        assert_eq!((usage.time, usage.most_owed), (20.millis(), Duration::ZERO));
        assert_eq!((usage.depletions, rest.get()), (10, 799));
    });
}

#[test]
fn a_partition_without_budget_is_charged_with_nothing() {
    world(|| {
        let (part, _) = partition(None, 4);
        start(part, spin);
        sleep_until(50.millis());
        assert_eq!(part.usage(), None);
    });
}

#[test]
fn a_call_carries_the_account_and_who_has_none_lets_the_caller_owe() {
    world(|| {
        let server = privileged(3, || serve(1500.micros()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        let ends = leak(Cell::new([Duration::ZERO; 2]));
        let told: &'static Cell<_> = ends;
        start(part, move || {
            call(server).unwrap();
            let first = now();
            call(server).unwrap();
            told.set([first, now()]);
        });
        sleep_until(1.millis());
        assert_eq!(time(part), 1.millis());
        sleep_until(4.millis());
        let usage = part.usage().unwrap();
        // The second service was not cut off, and its time beyond the budget is a deficit.
        assert_eq!((usage.time, usage.owed), (3.millis(), 1.millis()));
        sleep_until(15.millis());
        // The caller itself continues when its budget is renewed.
        assert_eq!(ends.get(), [1500.micros(), 10.millis()]);
        let usage = part.usage().unwrap();
        assert_eq!((usage.left, usage.owed), (1.millis(), Duration::ZERO));
    });
}

#[test]
fn a_server_goes_on_with_its_own_budget_when_the_callers_is_empty() {
    world(|| {
        let (server_part, server) = partition(FIVE_OF_TEN, 3);
        start(server_part, || serve(3.millis()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        let end = leak(Cell::new(Duration::ZERO));
        let told: &'static Cell<_> = end;
        start(part, move || {
            call(server).unwrap();
            told.set(now());
        });
        sleep_until(4.millis());
        assert_eq!([time(part), time(server_part)], [2.millis(), 1.millis()]);
        assert_eq!(
            server.state(),
            State::Blocked,
            "it has replied, and receives"
        );
        sleep_until(15.millis());
        assert_eq!(end.get(), 10.millis());
        assert_eq!(part.usage().unwrap().most_owed, Duration::ZERO);
    });
}

#[test]
fn where_both_are_empty_the_first_that_is_renewed_pays() {
    world(|| {
        let one_of_ten = Some((1.millis(), 10.millis()));
        let (server_part, server) = partition(one_of_ten, 3);
        start(server_part, || serve(3.millis()));
        let (part, _) = partition(one_of_ten, 4);
        let end = leak(Cell::new(Duration::ZERO));
        let told: &'static Cell<_> = end;
        start(part, move || {
            call(server).unwrap();
            told.set(now());
        });
        sleep_until(5.millis());
        assert_eq!([time(part), time(server_part)], [1.millis(); 2]);
        assert_eq!(server.state(), State::Blocked);
        // The caller's is renewed at 10 ms, and pays the last millisecond; then it waits for its
        // own time.
        sleep_until(19.millis());
        assert_eq!([time(part), time(server_part)], [2.millis(), 1.millis()]);
        assert_eq!(end.get(), Duration::ZERO);
        sleep_until(21.millis());
        assert_eq!(end.get(), 20.millis());
    });
}

#[test]
fn a_server_works_for_others_while_its_own_budget_is_empty() {
    world(|| {
        let (server_part, threads) = parts::partition(TWO_OF_TEN, &[3, 6]);
        start(server_part, move || {
            start_second(server_part, 1.secs());
            serve(1.millis());
        });
        sleep_until(3.millis());
        assert_eq!(time(server_part), 2.millis());
        let (part, _) = partition(FIVE_OF_TEN, 4);
        let end: &'static Cell<_> = leak(Cell::new(Duration::ZERO));
        let server: Any = &threads[0];
        start(part, move || {
            call(server).unwrap();
            end.set(now());
        });
        // A caller without a budget of its own waits for the server's budget.
        let other_end: &'static Cell<_> = leak(Cell::new(Duration::ZERO));
        privileged(5, move || {
            call(server).unwrap();
            other_end.set(now());
        });
        sleep_until(5.millis());
        assert_eq!(end.get(), 4.millis());
        assert_eq!([time(part), time(server_part)], [1.millis(), 2.millis()]);
        sleep_until(12.millis());
        assert_eq!(other_end.get(), 11.millis());
    });
}

#[test]
fn a_caller_without_budget_leaves_the_server_to_its_own() {
    world(|| {
        let (part, server) = partition(TWO_OF_TEN, 3);
        start(part, || serve(3.millis()));
        let end = leak(Cell::new(Duration::ZERO));
        let told: &'static Cell<_> = end;
        privileged(5, move || {
            call(server).unwrap();
            told.set(now());
        });
        sleep_until(30.millis());
        assert_eq!((end.get(), time(part)), (11.millis(), 3.millis()));
    });
}

#[test]
fn a_flood_of_calls_leaves_the_server_and_the_less_urgent_unharmed() {
    world(|| {
        let (server_part, server) = partition(FIVE_OF_TEN, 3);
        start(server_part, || serve(100.micros()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, move || {
            loop {
                call(server).unwrap();
            }
        });
        let done = Rc::new(Cell::new(0));
        let counted = Rc::clone(&done);
        privileged(20, move || {
            loop {
                Host::spend(100.micros());
                counted.set(counted.get() + 1);
            }
        });
        sleep_until(100.millis());
        assert_eq!(time(part), 20.millis());
        // The call that was taken with the last of the budget was charged to no account: it was
        // over just then.
        assert_eq!((time(server_part), done.get()), (Duration::ZERO, 799));
    });
}

#[test]
fn a_chain_of_calls_is_charged_to_its_first() {
    world(|| {
        let last = privileged(3, || serve(1.millis()));
        let (middle_part, middle) = partition(FIVE_OF_TEN, 5);
        start(middle_part, move || {
            let mut request = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            loop {
                call(last).unwrap();
                request = request
                    .sender
                    .reply_and_receive(request.message, Timeout::FOREVER)
                    .unwrap();
            }
        });
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, move || {
            for _ in 0..3 {
                call(middle).unwrap();
            }
        });
        sleep_until(1500.micros());
        assert_eq!(
            [time(part), time(middle_part)],
            [1500.micros(), Duration::ZERO]
        );
        sleep_until(9.millis());
        assert_eq!(
            [time(part), time(middle_part)],
            [2.millis(), Duration::ZERO]
        );
        sleep_until(15.millis());
        assert_eq!(
            [time(part), time(middle_part)],
            [3.millis(), Duration::ZERO]
        );
    });
}

#[test]
fn the_middle_of_a_chain_pays_when_its_caller_cannot() {
    world(|| {
        let last = privileged(3, || serve(3.millis()));
        let (middle_part, middle) = partition(FIVE_OF_TEN, 5);
        start(middle_part, move || {
            let request = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            call(last).unwrap();
            request.sender.reply(request.message).unwrap();
        });
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, move || {
            let _ = call(middle);
        });
        sleep_until(5.millis());
        assert_eq!([time(part), time(middle_part)], [2.millis(), 1.millis()]);
        assert_eq!(part.usage().unwrap().owed, Duration::ZERO);
    });
}

#[test]
fn a_restart_renews_nothing() {
    world(|| {
        let (part, thread) = partition(TWO_OF_TEN, 4);
        start(part, spin);
        sleep_until(5.millis());
        assert_eq!(time(part), 2.millis());
        for _ in 0..3 {
            part.restart_with(word(spin)).unwrap();
            assert_eq!(thread.state(), State::Blocked);
        }
        sleep_until(10.millis());
        assert_eq!(time(part), 2.millis());
        sleep_until(11.millis());
        assert_eq!(time(part), 3.millis());
        // Restarts in the middle of the budget are no gain either.
        part.restart_with(word(spin)).unwrap();
        sleep_until(19.millis());
        assert_eq!(time(part), 4.millis());
        part.stop();
        sleep_until(25.millis());
        assert_eq!(
            (thread.state(), time(part)),
            (State::NonExistent, 4.millis())
        );
    });
}

#[test]
fn suspended_and_empty_are_two_things() {
    world(|| {
        let (part, thread) = partition(TWO_OF_TEN, 4);
        start(part, spin);
        sleep_until(5.millis());
        assert_eq!(thread.resume(), Err(Error::State), "it is not suspended");
        thread.suspend().unwrap();
        sleep_until(15.millis());
        assert_eq!(time(part), 2.millis(), "renewed, and suspended");
        thread.resume().unwrap();
        sleep_until(18.millis());
        assert_eq!(time(part), 4.millis());
        thread.suspend().unwrap();
        thread.resume().unwrap();
        assert!(!thread.is_suspended());
        thread.set_priority(Priority::new(9).unwrap()).unwrap();
        sleep_until(20.millis());
        assert_eq!(time(part), 4.millis(), "a resumption renews nothing");
        sleep_until(21.millis());
        assert_eq!(time(part), 5.millis(), "the period began at 10 ms");
    });
}

#[test]
fn a_wait_ends_while_the_budget_is_empty_and_its_thread_goes_on_later() {
    world(|| {
        let server = privileged(3, || serve(5.millis()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        let end: &'static Cell<_> = leak(Cell::new((Ok(Message::word(0)), Duration::ZERO)));
        start(part, move || {
            let called = server.call(Message::word(1), Timeout::after(4.millis()));
            end.set((called, now()));
        });
        sleep_until(9.millis());
        let usage = part.usage().unwrap();
        assert_eq!((usage.time, usage.owed), (4.millis(), 2.millis()));
        assert_eq!(usage.most_owed, 2.millis(), "from then on nobody pays");
        sleep_until(30.millis());
        // The renewal at 10 ms pays the deficit, the next one lets it continue.
        assert_eq!(end.get(), (Err(Error::Timeout), 20.millis()));
    });
}

#[test]
fn a_call_ends_with_its_time_out_while_the_server_is_held() {
    world(|| {
        let (server_part, server) = partition(TWO_OF_TEN, 3);
        start(server_part, || serve(5.millis()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        let end: &'static Cell<_> = leak(Cell::new((Ok(Message::word(0)), Duration::ZERO)));
        start(part, move || {
            let called = server.call(Message::word(1), Timeout::after(5.millis()));
            end.set((called, now()));
        });
        // Both are empty at 4 ms; the call ends at 5 ms, but its caller does not learn it before 10
        // ms.
        sleep_until(9.millis());
        assert_eq!([time(part), time(server_part)], [2.millis(); 2]);
        assert_eq!(end.get().1, Duration::ZERO);
        // Both are renewed then. The server is the more urgent one, and works on for itself: no
        // thread waits for it any more.
        sleep_until(13.millis());
        assert_eq!([time(part), time(server_part)], [2.millis(), 3.millis()]);
        assert_eq!(end.get(), (Err(Error::Timeout), 11.millis()));
    });
}

#[test]
fn a_caller_that_is_ended_pays_no_more() {
    world(|| {
        let (server_part, server) = partition(FIVE_OF_TEN, 3);
        start(server_part, || serve(4.millis()));
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, move || {
            let _ = call(server);
        });
        sleep_until(1.millis());
        part.stop();
        sleep_until(5.millis());
        assert_eq!([time(part), time(server_part)], [1.millis(), 3.millis()]);
    });
}

/// Serves one call in a millisecond, replies as `reply` does, and computes for itself for another
/// one.
fn who_pays_behind_a_reply(reply: impl Fn(&Received<Board>) + Copy + 'static) {
    world(move || {
        let (server_part, server) = partition(FIVE_OF_TEN, 3);
        start(server_part, move || {
            let request = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            Host::spend(1.millis());
            reply(&request);
            Host::spend(1.millis());
        });
        let (part, _) = partition(FIVE_OF_TEN, 4);
        start(part, move || {
            call(server).unwrap();
        });
        sleep_until(9.millis());
        assert_eq!([time(part), time(server_part)], [1.millis(); 2]);
    });
}

#[test]
fn behind_a_reply_the_server_pays_for_itself() {
    who_pays_behind_a_reply(|request| request.sender.reply(request.message).unwrap());
    for timeout in [Timeout::NONE, Timeout::after(1.millis())] {
        who_pays_behind_a_reply(move |request| {
            let next = request.sender.reply_and_receive(request.message, timeout);
            assert!(next.is_err(), "nobody sends");
        });
    }
}

#[test]
fn of_several_callers_the_most_urgent_pays() {
    world(|| {
        let server = privileged(3, || {
            let first = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            let second = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            Host::spend(1.millis());
            first.sender.reply(first.message).unwrap();
            Host::spend(500.micros());
            second.sender.reply(second.message).unwrap();
        });
        let parts = [5, 6].map(|priority| partition(FIVE_OF_TEN, priority).0);
        for part in parts {
            start(part, move || {
                call(server).unwrap();
            });
        }
        sleep_until(9.millis());
        assert_eq!(parts.map(time), [1.millis(), 500.micros()]);
    });
}

#[test]
fn equals_of_a_thread_that_is_held_lose_nothing_by_what_is_done_to_it() {
    for number in 0..4 {
        world(move || {
            let (part, thread) = partition(TWO_OF_TEN, 8);
            start(part, spin);
            let (other, _) = partition(FIVE_OF_TEN, 8);
            sleep_until(3.millis());
            assert_eq!(time(part), 2.millis());
            start(other, spin);
            sleep_until(4.millis());
            match number {
                0 => thread.suspend().unwrap(),
                1 => thread.stop().unwrap(),
                2 => part.stop(),
                _ => thread.set_priority(Priority::new(9).unwrap()).unwrap(),
            }
            sleep_until(7.millis());
            assert_eq!([time(part), time(other)], [2.millis(), 4.millis()]);
        });
    }
}

#[test]
fn what_is_sent_to_a_thread_that_is_held_is_received_later() {
    world(|| {
        let (part, threads) = parts::partition(TWO_OF_TEN, &[3, 6]);
        let got: &'static Cell<_> = leak(Cell::new(Duration::ZERO));
        start(part, move || {
            start_second(part, 3.millis());
            AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            got.set(now());
        });
        // It waits when the budget is used up, and has its message then; its sender continues.
        sleep_until(5.millis());
        let receiver: Any = &threads[0];
        receiver.send(Message::word(1), Timeout::NONE).unwrap();
        let equal = privileged(3, move || {
            let sent = receiver.send(Message::word(1), Timeout::after(1.millis()));
            assert_eq!(sent, Err(Error::Timeout), "it receives no second time");
        });
        sleep_until(9.millis());
        assert_eq!((got.get(), equal.state()), (Duration::ZERO, State::Dormant));
        sleep_until(11.millis());
        assert_eq!(got.get(), 10.millis());
    });
}

#[test]
fn a_mutex_stays_with_an_owner_without_budget_until_it_is_renewed() {
    world(|| {
        let mutex: &'static Mutex<Board> = leak(Mutex::new());
        let (part, thread) = partition(TWO_OF_TEN, 8);
        start(part, move || {
            mutex.lock(Timeout::FOREVER).unwrap();
            Host::spend(3.millis());
            mutex.unlock().unwrap();
            spin();
        });
        let ends: &'static Cell<_> = leak(Cell::new([Duration::ZERO; 2]));
        sleep_until(1.millis());
        privileged(3, move || {
            assert_eq!(mutex.lock(Timeout::after(4.millis())), Err(Error::Timeout));
            ends.set([now(), Duration::ZERO]);
            mutex.lock(Timeout::FOREVER).unwrap();
            ends.set([ends.get()[0], now()]);
            mutex.unlock().unwrap();
        });
        sleep_until(9.millis());
        assert_eq!(
            thread.priorities().1.level(),
            3,
            "it inherits while it is held"
        );
        sleep_until(20.millis());
        assert_eq!(ends.get(), [5.millis(), 11.millis()]);
        assert_eq!(time(part), 4.millis());
    });
}

#[test]
fn a_stop_hands_on_what_a_held_thread_owns() {
    world(|| {
        let mutex: &'static Mutex<Board> = leak(Mutex::new());
        let (part, _) = partition(TWO_OF_TEN, 8);
        start(part, move || {
            mutex.lock(Timeout::FOREVER).unwrap();
            spin();
        });
        sleep_until(5.millis());
        part.stop();
        assert_eq!(mutex.lock(Timeout::NONE), Ok(()));
    });
}

#[test]
fn a_handler_is_charged_to_whom_it_interrupts() {
    world(|| {
        let (part, _) = partition(TWO_OF_TEN, 4);
        start(part, spin);
        Host::interrupt_at(Instant::START.saturating_add(1.millis()), || {
            Host::spend(500.micros());
        });
        Host::interrupt_at(Instant::START.saturating_add(5.millis()), || {
            Host::spend(500.micros());
        });
        sleep_until(9.millis());
        assert_eq!(time(part), 2.millis());
    });
}

/// A partition of the stress test, and its used time at each sample.
struct Watched {
    part: Part,
    thread: Any,
    budget: (Duration, Duration),
    body: usize,
    looks: Looks<Board>,
}

/// Serves some calls, of which it forgets one now and then, and has others serve it, then computes
/// for itself.
fn live(draw: &'static dyn Fn(u32) -> u32, others: &'static [Cell<Option<Any>>]) {
    let a_while = |draw: &dyn Fn(u32) -> u32| Duration::from_micros(u64::from(1 + draw(900)));
    loop {
        match draw(6) {
            0 | 1 => Host::spend(a_while(draw)),
            2 => {
                let _ = AnyThread::<Board>::sleep(a_while(draw));
            }
            3 => {
                let Ok(request) = AnyThread::<Board>::receive(Timeout::after(a_while(draw))) else {
                    continue;
                };
                Host::spend(a_while(draw));
                if draw(4) > 0 {
                    let _ = request.sender.reply(request.message);
                }
            }
            _ => {
                let other = others[draw(others.len() as u32) as usize].get();
                let timeout = Timeout::after(Duration::from_micros(u64::from(1 + draw(9_000))));
                if let Some(other) = other {
                    let _ = other.call(Message::word(1), timeout);
                }
            }
        }
    }
}

/// Threads of partitions with budgets call each other, and one without if that is wanted, and are
/// restarted, suspended, cancelled.
fn storm(seed: u64, with_others: bool) {
    world(move || {
        let state: &'static Cell<u64> = leak(Cell::new(seed));
        let draw: &'static dyn Fn(u32) -> u32 = leak(move |below| draw_from(state, below));
        let others: &'static [Cell<Option<Any>>] = leak([const { Cell::new(None) }; 5]);
        let mut all: Vec<Watched> = (0..4)
            .map(|number| {
                let amount = Duration::from_micros(u64::from(200 + draw(4_000)));
                let period = amount.saturating_add(Duration::from_micros(u64::from(draw(12_000))));
                let (part, thread) = partition(Some((amount, period)), 3 + draw(6) as u8);
                others[number].set(Some(thread));
                Watched {
                    part,
                    thread,
                    budget: (amount, period),
                    body: word(move || live(draw, others)),
                    looks: Looks::new(part, (amount, period)),
                }
            })
            .collect();
        if with_others {
            others[4].set(Some(privileged(5, move || live(draw, others))));
        }
        let rest = Rc::new(Cell::new(0_u64));
        let counted = Rc::clone(&rest);
        privileged(30, move || {
            loop {
                Host::spend(10.micros());
                counted.set(counted.get() + 1);
            }
        });
        for _ in 0..1_000 {
            let _ = AnyThread::<Board>::sleep(Duration::from_micros(u64::from(1 + draw(700))));
            let one = &all[draw(4) as usize];
            match draw(12) {
                0 => one.part.restart_with(one.body).unwrap(),
                1 => one.part.stop(),
                2 | 3 => drop(one.part.start_with(one.body)),
                4 => drop(one.thread.suspend()),
                5..8 => drop(one.thread.resume()),
                8 => drop(one.thread.cancel_wait()),
                9 => drop(
                    one.thread
                        .set_priority(Priority::new(3 + draw(6) as u8).unwrap()),
                ),
                _ => {}
            }
            all.iter_mut().for_each(|one| one.looks.look());
        }
        for one in &all {
            let usage = one.part.usage().unwrap();
            assert!(
                one.looks.are_within(1),
                "seed {seed}: {:?} {usage:?}",
                one.budget
            );
            // The alarm is never late here: a partition with a deficit had a server without budget
            // work for it.
            assert!(
                with_others || usage.most_owed == Duration::ZERO,
                "seed {seed}: {usage:?}"
            );
            // Each partition that is not held still runs: none is forgotten.
            one.part.restart_with(one.body).unwrap();
            let before = time(one.part);
            let _ = AnyThread::<Board>::sleep(60.millis());
            assert!(time(one.part) > before, "seed {seed}: nobody runs any more");
        }
        assert!(rest.get() > 0);
    });
}

#[test]
fn in_a_storm_the_bound_holds_in_every_window() {
    let seed = seed();
    for round in 0..20 {
        storm(seed.wrapping_add(round), round % 2 == 0);
    }
}
