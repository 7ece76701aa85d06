//! Budgets of partitions on several simulated processors, where a kernel call takes no time: one
//! account for all of them, which drains once for each. The charged time is known to the
//! nanosecond. In stress tests it is compared with an account that is kept next to the kernel, from
//! nothing but the heirs of the processors while time passes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use taktos_abi::Error;
use taktos_arch_host::{HostSeveral, Order};
use taktos_kernel::user::Usage;
use taktos_kernel::{
    AnyThread, CpuSet, Duration, Kernel, Message, Mutex, PolicyKind, Priority, Span, State, System,
    Timeout,
};
use taktos_machine::Machine;
use taktos_random::seed;
use taktos_tests::leak;
use taktos_tests::parts::{self, Budget, Looks, draw_from, partition, start_other, used, word};
use taktos_tests::several::{
    LAYOUTS, NAMES, POLICIES, SeveralHost, SeveralThread, instances, run_on, start_on,
};

type Part = parts::Part<SeveralHost>;
type Any = &'static AnyThread<SeveralHost>;

fn ordered(order: Order, (policy, layout): (PolicyKind, &[u64]), test: impl FnOnce() + 'static) {
    let outcome = run_on::<4>(order, instances(policy, layout), || {
        // This thread observes the others, and is not to disturb them.
        (0..4).for_each(|cpu| HostSeveral::set_patience(cpu, u32::MAX));
        AnyThread::<SeveralHost>::current()
            .set_priority(Priority::new(0).unwrap())
            .unwrap();
        test();
        SeveralHost::exit(0)
    });
    assert_eq!(
        outcome.status(),
        Some(0),
        "{policy:?} {layout:?}: {}\n{}",
        outcome.end,
        outcome.console
    );
}

/// Runs a test on four processors of one instance, under each policy.
fn world(test: impl FnOnce() + Copy + 'static) {
    for policy in POLICIES {
        ordered(Order::Turns, (policy, LAYOUTS[0]), test);
    }
}

/// Runs a test on four processors with an instance each, under each policy.
fn apart(test: impl FnOnce() + Copy + 'static) {
    for policy in POLICIES {
        ordered(Order::Turns, (policy, LAYOUTS[2]), test);
    }
}

/// The argument with which a thread of a partition runs `body`; a panic in it is passed on.
fn body(body: impl Fn() + 'static) -> usize {
    word(move || HostSeveral::shielded(&body))
}

fn start(part: Part, work: impl Fn() + 'static) {
    part.start_with(body(work)).unwrap();
}

/// Starts `part`, at home in the instance of that place.
fn start_in(place: usize, part: Part, work: impl Fn() + 'static) {
    let word = body(work);
    in_instance(place, 1, move || part.start_with(word).unwrap());
    // On another processor it has not begun yet.
    HostSeveral::settle();
}

/// Makes a privileged thread run `work`: it has that priority, and its home is the instance of that
/// place.
fn in_instance(place: usize, priority: u8, work: impl Fn() + 'static) -> Any {
    struct Here<F>(F);
    #[expect(unsafe_code, reason = "all threads are coroutines of one")]
    // SAFETY: no two threads of the operating system have it.
    unsafe impl<F> Sync for Here<F> {}
    let thread = leak(SeveralThread::new("privileged"));
    thread.create().unwrap();
    let instance = Kernel::<SeveralHost>::instance_named(NAMES[place]).unwrap();
    thread
        .move_to(instance, Priority::new(priority).unwrap())
        .unwrap();
    let work = Here(work);
    start_on(thread, move || {
        let work = &work;
        (work.0)();
    });
    thread
}

fn spend(time: Duration) {
    HostSeveral::spend(time);
}

fn spin() {
    loop {
        spend(1.secs());
    }
}

fn now() -> Duration {
    parts::now::<SeveralHost>()
}

fn sleep_until(at: Duration) {
    parts::sleep_until::<SeveralHost>(at);
    // Other threads with an alarm at this instant run first.
    HostSeveral::settle();
}

fn time(part: Part) -> Duration {
    parts::time(part)
}

fn call(server: Any) -> Result<Message, Error> {
    server.call(Message::word(1), Timeout::FOREVER)
}

/// Serves calls for ever, each in so much time.
fn serve(time: Duration) {
    let receive = || AnyThread::<SeveralHost>::receive(Timeout::FOREVER).unwrap();
    let mut request = receive();
    loop {
        spend(time);
        let next = request
            .sender
            .reply_and_receive(request.message, Timeout::FOREVER);
        request = next.unwrap_or_else(|_| receive());
    }
}

/// The first thread of `part` starts all others, `others` in number, and all do the same.
fn all_do(part: Part, others: usize, work: impl Fn() + Copy + 'static) -> impl Fn() + 'static {
    let word = body(work);
    move || {
        for other in 0..others {
            assert_eq!(start_other(part, other, word), 0);
        }
        work();
    }
}

const TWO_OF_TEN: Option<Budget> = Some((Duration::from_millis(2), Duration::from_millis(10)));
const FIVE_OF_TEN: Option<Budget> = Some((Duration::from_millis(5), Duration::from_millis(10)));

/// Returns a partition with a budget of its own. Its thread serves calls in the second instance,
/// each in so much time.
fn server_in_second_instance(service: Duration) -> (Part, Any) {
    let (part, threads) = partition(FIVE_OF_TEN, &[3]);
    start_in(1, part, move || serve(service));
    (part, &threads[0])
}

#[test]
fn an_account_drains_once_for_each_processor() {
    world(|| {
        let (part, threads) = partition(TWO_OF_TEN, &[4; 4]);
        start(part, all_do(part, 3, spin));
        sleep_until(100.micros());
        // This thread has a processor of its own while it looks.
        assert_eq!(time(part), 400.micros());
        sleep_until(499.micros());
        let states = threads.iter().map(|one| one.state());
        let executing = states.filter(|state| *state == State::Executing);
        assert_eq!(executing.count(), 3);
        sleep_until(1.millis());
        for thread in threads {
            assert_eq!(thread.state(), State::Blocked);
        }
        sleep_until(100.millis());
        let Usage {
            time,
            most_owed,
            depletions,
            ..
        } = used(part);
        assert_eq!((time, most_owed), (20.millis(), Duration::ZERO));
        assert_eq!(depletions, 10);
    });
}

#[test]
fn a_thread_that_starts_and_stops_elsewhere_changes_the_end_of_the_budget() {
    world(|| {
        let (part, threads) = partition(Some((3.millis(), 10.millis())), &[4, 4]);
        let second = body(|| spend(500.micros()));
        let first = move || {
            spend(1.millis());
            assert_eq!(start_other(part, 0, second), 0);
            spin();
        };
        start(part, first);
        sleep_until(1250.micros());
        assert_eq!(time(part), 1500.micros());
        // The second one has ended: what is left lasts twice as long.
        sleep_until(2499.micros());
        assert_eq!(
            (time(part), threads[0].state()),
            (2999.micros(), State::Executing)
        );
        sleep_until(2501.micros());
        assert_eq!(
            (time(part), threads[0].state()),
            (3.millis(), State::Blocked)
        );
        sleep_until(9.millis());
        assert_eq!(used(part).most_owed, Duration::ZERO);
    });
}

#[test]
fn what_is_left_of_an_odd_budget_is_overrun_by_a_nanosecond_for_each_other_processor() {
    world(|| {
        let (part, _) = partition(Some((1000.nanos(), 10.micros())), &[4; 3]);
        start(part, all_do(part, 2, spin));
        sleep_until(9.micros());
        assert_eq!((time(part), used(part).owed), (1002.nanos(), 2.nanos()));
        sleep_until(1.millis());
        // A deficit is paid: over time it is the share.
        let total = time(part).as_nanos();
        assert!((100_000..=100_002).contains(&total), "{total}");
    });
}

#[test]
fn a_budget_may_be_longer_than_its_period() {
    world(|| {
        let (part, _) = partition(Some((15.millis(), 10.millis())), &[4; 2]);
        start(part, all_do(part, 1, spin));
        sleep_until(7.millis());
        assert_eq!(time(part), 14.millis());
        sleep_until(9.millis());
        assert_eq!(time(part), 15.millis());
        sleep_until(99.millis());
        assert_eq!(time(part), 150.millis());
    });
}

#[test]
fn a_server_elsewhere_works_on_its_callers_account_and_then_on_its_own() {
    apart(|| {
        let (server_part, server) = server_in_second_instance(3.millis());
        let (part, _) = partition(TWO_OF_TEN, &[4]);
        let end: &'static Cell<_> = leak(Cell::new(Duration::ZERO));
        let begin = now();
        start_in(2, part, move || {
            call(server).unwrap();
            end.set(now());
        });
        let at = |time: Duration| begin.saturating_add(time);
        sleep_until(at(1.millis()));
        assert_eq!(
            [time(part), time(server_part)],
            [1.millis(), Duration::ZERO]
        );
        // It executes on, and another one pays from then on.
        sleep_until(at(2500.micros()));
        assert_eq!([time(part), time(server_part)], [2.millis(), 500.micros()]);
        sleep_until(at(9.millis()));
        assert_eq!([time(part), time(server_part)], [2.millis(), 1.millis()]);
        sleep_until(at(15.millis()));
        assert_eq!(end.get(), at(10.millis()));
        assert_eq!(used(part).most_owed, Duration::ZERO);
    });
}

#[test]
fn a_caller_that_waits_no_more_pays_no_more_while_the_server_executes_on() {
    for ends in 0..3 {
        let test = move || {
            let (server_part, server) = server_in_second_instance(4.millis());
            let (part, threads) = partition(TWO_OF_TEN, &[4]);
            let timeout = match ends {
                0 => Timeout::after(1.millis()),
                _ => Timeout::FOREVER,
            };
            let begin = now();
            start_in(2, part, move || {
                let _ = server.call(Message::word(1), timeout);
            });
            sleep_until(begin.saturating_add(1.millis()));
            match ends {
                0 => {}
                1 => part.stop(),
                _ => threads[0].cancel_wait().unwrap(),
            }
            sleep_until(begin.saturating_add(5.millis()));
            assert_eq!([time(part), time(server_part)], [1.millis(), 3.millis()]);
        };
        apart(test);
    }
}

#[test]
fn an_account_drains_for_a_service_elsewhere_and_for_a_thread_of_its_own() {
    apart(|| {
        let (server_part, server) = server_in_second_instance(3.millis());
        let (part, threads) = partition(TWO_OF_TEN, &[4, 5]);
        let second = body(spin);
        let begin = now();
        start_in(2, part, move || {
            assert_eq!(start_other(part, 0, second), 0);
            call(server).unwrap();
        });
        let at = |time: Duration| begin.saturating_add(time);
        sleep_until(at(500.micros()));
        assert_eq!(
            [time(part), time(server_part)],
            [1.millis(), Duration::ZERO]
        );
        sleep_until(at(1500.micros()));
        // Empty after a millisecond: one is held, the other works for its own partition.
        assert_eq!([time(part), time(server_part)], [2.millis(), 500.micros()]);
        assert_eq!(threads[1].state(), State::Blocked);
        assert_eq!(server.state(), State::Executing);
        sleep_until(at(9.millis()));
        assert_eq!([time(part), time(server_part)], [2.millis(), 2.millis()]);
    });
}

#[test]
fn a_server_without_budget_elsewhere_lets_the_caller_owe() {
    apart(|| {
        let server = in_instance(1, 3, || serve(3.millis()));
        let (part, threads) = partition(TWO_OF_TEN, &[4, 5]);
        let second = body(spin);
        let begin = now();
        start_in(2, part, move || {
            assert_eq!(start_other(part, 0, second), 0);
            call(server).unwrap();
            spin();
        });
        sleep_until(begin.saturating_add(9.millis()));
        // A millisecond of both, then two of the service.
        let Usage { time, owed, .. } = used(part);
        assert_eq!((time, owed), (4.millis(), 2.millis()));
        // The first renewal pays that alone.
        sleep_until(begin.saturating_add(19.millis()));
        assert_eq!(parts::time(part), 4.millis());
        assert_eq!(threads[0].state(), State::Blocked);
        sleep_until(begin.saturating_add(29.millis()));
        assert_eq!(
            (parts::time(part), used(part).owed),
            (6.millis(), Duration::ZERO)
        );
    });
}

#[test]
fn a_mutex_stays_with_an_owner_that_is_held_elsewhere() {
    apart(|| {
        let mutex: &'static Mutex<SeveralHost> = leak(Mutex::new());
        let (part, threads) = partition(TWO_OF_TEN, &[8]);
        let begin = now();
        start_in(1, part, move || {
            mutex.lock(Timeout::FOREVER).unwrap();
            spend(3.millis());
            mutex.unlock().unwrap();
            spin();
        });
        let at = move |time: Duration| begin.saturating_add(time);
        sleep_until(at(3.millis()));
        assert_eq!(mutex.lock(Timeout::after(2.millis())), Err(Error::Timeout));
        assert_eq!(threads[0].state(), State::Blocked);
        mutex.lock(Timeout::FOREVER).unwrap();
        assert_eq!(now(), at(11.millis()));
        mutex.unlock().unwrap();
        sleep_until(at(19.millis()));
        assert_eq!(time(part), 4.millis());
    });
}

#[test]
fn restarts_of_threads_that_execute_elsewhere_renew_nothing() {
    world(|| {
        let (part, threads) = partition(TWO_OF_TEN, &[4; 2]);
        let both = move || all_do(part, 1, spin);
        start(part, both());
        sleep_until(500.micros());
        part.restart_with(body(both())).unwrap();
        sleep_until(5.millis());
        assert_eq!(time(part), 2.millis());
        for _ in 0..3 {
            part.restart_with(body(both())).unwrap();
            assert_eq!(threads[0].state(), State::Blocked);
        }
        sleep_until(19.millis());
        assert_eq!(time(part), 4.millis());
        part.stop();
        sleep_until(25.millis());
        assert_eq!(time(part), 4.millis());
    });
}

#[test]
fn a_thread_that_is_moved_from_processor_to_processor_gains_nothing() {
    ordered(
        Order::Turns,
        (PolicyKind::StrongAffinity, LAYOUTS[0]),
        || {
            let (part, threads) = partition(TWO_OF_TEN, &[4]);
            start(part, spin);
            for turn in 1..=450 {
                sleep_until(100.micros().saturating_mul(turn));
                let cpu = CpuSet::from_bits(1 << (turn % 4));
                threads[0].set_affinity(cpu).unwrap();
            }
            let Usage {
                time, most_owed, ..
            } = used(part);
            assert_eq!((time, most_owed), (10.millis(), Duration::ZERO));
        },
    );
    apart(|| {
        let (part, threads) = partition(TWO_OF_TEN, &[4]);
        start(part, spin);
        for turn in 1..=450 {
            sleep_until(100.micros().saturating_mul(turn));
            let instance = Kernel::<SeveralHost>::instance_named(NAMES[turn as usize % 4]);
            threads[0]
                .move_to(instance.unwrap(), Priority::new(4).unwrap())
                .unwrap();
        }
        let Usage {
            time, most_owed, ..
        } = used(part);
        assert_eq!((time, most_owed), (10.millis(), Duration::ZERO));
    });
}

#[test]
fn suspended_and_empty_are_two_things_elsewhere_too() {
    world(|| {
        let (part, threads) = partition(TWO_OF_TEN, &[4; 2]);
        start(part, all_do(part, 1, spin));
        sleep_until(5.millis());
        threads[1].suspend().unwrap();
        sleep_until(19.millis());
        assert_eq!(time(part), 4.millis(), "one alone has it all");
        threads[1].resume().unwrap();
        sleep_until(20_500.micros());
        assert_eq!(time(part), 5.millis());
        assert_eq!(
            [threads[0].state(), threads[1].state()],
            [State::Executing; 2]
        );
        threads[0].set_priority(Priority::new(9).unwrap()).unwrap();
        sleep_until(29.millis());
        assert_eq!(time(part), 6.millis());
    });
}

/// Account that is kept by the rules of a deferrable server, span by span, from the heir of each
/// processor.
struct Naive {
    amount: i64,
    period: u64,
    /// Negative: a deficit.
    balance: i64,
    least: i64,
    charged: u64,
    /// The end of the period that runs.
    renewal: Option<u64>,
    users: usize,
    /// The first instant at which it was charged though there was nothing.
    overrun: Option<u64>,
}

impl Naive {
    fn new((amount, period): Budget) -> Self {
        let amount = amount.as_nanos() as i64;
        Self {
            amount,
            period: period.as_nanos(),
            balance: amount,
            least: 0,
            charged: 0,
            renewal: None,
            users: 0,
            overrun: None,
        }
    }

    /// `users` processors were charged to it from `from` to `to`.
    fn pass(&mut self, from: u64, to: u64, users: usize) {
        if users > 0 && self.renewal.is_none() {
            self.renewal = Some(from + self.period);
        }
        if users > 0 && self.balance <= 0 && self.renewal != Some(from) {
            self.overrun = self.overrun.or(Some(from));
        }
        let mut from = from;
        loop {
            if self.renewal == Some(from) {
                let was_full = self.balance == self.amount;
                self.balance = self.amount.min(self.balance + self.amount);
                self.renewal = (!was_full || users > 0).then_some(from + self.period);
            }
            if from == to {
                break;
            }
            let next = self.renewal.map_or(to, |renewal| renewal.min(to));
            let used = (next - from) * users as u64;
            self.charged += used;
            self.balance -= used as i64;
            self.least = self.least.min(self.balance);
            from = next;
        }
        self.users = users;
    }
}

/// The accounts next to the kernel's, and the work of all processors for partitions.
struct Beside {
    accounts: Vec<Naive>,
    /// The partition of each thread, by its context.
    owners: Vec<(usize, usize)>,
    /// Partition of the thread that each processor had last.
    last: [Option<usize>; 4],
    all: u64,
}

impl Beside {
    fn pass(&mut self, from: u64, to: u64) {
        let mut users = vec![0; self.accounts.len()];
        for cpu in 0..4 {
            let heir = HostSeveral::processor_numbered(cpu).heir.get();
            if !heir.is_null() {
                let owner = |(context, _): &&(usize, usize)| *context == heir.addr();
                self.last[cpu] = self.owners.iter().find(owner).map(|(_, part)| *part);
            }
            if let Some(part) = self.last[cpu] {
                users[part] += 1;
                self.all += to - from;
            }
        }
        for (account, users) in self.accounts.iter_mut().zip(users) {
            account.pass(from, to, users);
        }
    }
}

/// Offset of a thread's context from its beginning.
fn context_place() -> usize {
    let thread: Any = AnyThread::current();
    let context = HostSeveral::processor().current.get().addr();
    context - std::ptr::from_ref(thread).addr()
}

/// A partition of the stress test.
struct Raging {
    part: Part,
    threads: Vec<Any>,
    budget: Budget,
    body: usize,
    looks: Looks<SeveralHost>,
}

/// Computes, sleeps, starts other threads of its partition, ends; with calls, serves some and makes
/// some.
fn live(
    draw: &'static dyn Fn(u32) -> u32,
    part: Part,
    own: &'static Cell<usize>,
    others: &'static [Cell<Option<Any>>],
) {
    let a_while = |most: u32| Duration::from_nanos(u64::from(1 + draw(most * 1_000)));
    loop {
        match draw(10) {
            0..3 => spend(a_while(900)),
            3 => drop(AnyThread::<SeveralHost>::sleep(a_while(900))),
            4 | 5 => drop(start_other(part, draw(2) as usize, own.get())),
            6 if draw(4) == 0 => return,
            7 if !others.is_empty() => {
                let request = AnyThread::<SeveralHost>::receive(Timeout::after(a_while(900)));
                let Ok(request) = request else { continue };
                spend(a_while(900));
                // Now and then it forgets one.
                if draw(4) > 0 {
                    let _ = request.sender.reply(request.message);
                }
            }
            8 | 9 if !others.is_empty() => {
                let other = others[draw(others.len() as u32) as usize].get();
                let timeout = Timeout::after(a_while(9_000));
                if let Some(other) = other {
                    let _ = other.call(Message::word(1), timeout);
                }
            }
            _ => AnyThread::<SeveralHost>::yield_now(),
        }
    }
}

/// Disturbs a partition from outside.
fn disturb(draw: &dyn Fn(u32) -> u32, one: &Raging, layout: usize) {
    let thread = one.threads[draw(one.threads.len() as u32) as usize];
    let level = Priority::new(3 + draw(6) as u8).unwrap();
    match draw(16) {
        0 => one.part.restart_with(one.body).unwrap(),
        1 => one.part.stop(),
        2 | 3 => drop(one.part.start_with(one.body)),
        4 => drop(thread.suspend()),
        5..8 => drop(thread.resume()),
        8 => drop(thread.cancel_wait()),
        9 => drop(thread.set_priority(level)),
        10 => drop(thread.stop()),
        11 | 12 => {
            let place = draw(layout as u32) as usize;
            let instance = Kernel::<SeveralHost>::instance_named(NAMES[place]).unwrap();
            let _ = thread.move_to(instance, level);
        }
        13 => drop(thread.set_affinity(CpuSet::from_bits(1 << draw(4)))),
        14 => drop(thread.set_affinity(CpuSet::first(4))),
        _ => {}
    }
}

fn storm(seed: u64, policy: PolicyKind, layout: usize, with_calls: bool) {
    let instances = LAYOUTS[layout].len();
    let told = format!("seed {seed} {policy:?} layout {layout} calls {with_calls}");
    ordered(Order::Seed(seed), (policy, LAYOUTS[layout]), move || {
        let state: &'static Cell<u64> = leak(Cell::new(seed));
        let draw: &'static dyn Fn(u32) -> u32 = leak(move |below| draw_from(state, below));
        let others: &'static [Cell<Option<Any>>] = match with_calls {
            true => leak([const { Cell::new(None) }; 12]),
            false => &[],
        };
        let place = context_place();
        let beside = Rc::new(RefCell::new(Beside {
            accounts: Vec::new(),
            owners: Vec::new(),
            last: [None; 4],
            all: 0,
        }));
        let mut all: Vec<Raging> = Vec::new();
        for number in 0..4 {
            let amount = Duration::from_nanos(u64::from(200_000 + draw(4_000_000)));
            // Now and then more than one processor has.
            let longer = Duration::from_nanos(u64::from(draw(12_000_000)));
            let period = match draw(5) {
                0 => Duration::from_nanos(amount.as_nanos().div_ceil(2)),
                _ => amount.saturating_add(longer),
            };
            let priorities = [(); 3].map(|()| 3 + draw(6) as u8);
            let (part, threads) = partition(Some((amount, period)), &priorities);
            let threads: Vec<Any> = threads.iter().map(|thread| -> Any { thread }).collect();
            for (index, thread) in threads.iter().enumerate() {
                let context = std::ptr::from_ref(*thread).addr() + place;
                beside.borrow_mut().owners.push((context, number));
                if let Some(cell) = others.get(3 * number + index) {
                    cell.set(Some(*thread));
                }
            }
            let budget = (amount, period);
            beside.borrow_mut().accounts.push(Naive::new(budget));
            let own: &'static Cell<usize> = leak(Cell::new(0));
            own.set(body(move || live(draw, part, own, others)));
            all.push(Raging {
                part,
                threads,
                budget,
                body: own.get(),
                looks: Looks::new(part, budget),
            });
        }
        let kept = Rc::clone(&beside);
        HostSeveral::as_time_passes(move |from, to| {
            kept.borrow_mut().pass(from.as_nanos(), to.as_nanos());
        });
        for _ in 0..400 {
            let _ =
                AnyThread::<SeveralHost>::sleep(Duration::from_nanos(u64::from(1 + draw(700_000))));
            HostSeveral::settle();
            disturb(draw, &all[draw(4) as usize], instances);
            HostSeveral::settle();
            all.iter_mut().for_each(|one| one.looks.look());
            let beside = beside.borrow();
            let charged: u64 = all.iter().map(|one| time(one.part).as_nanos()).sum();
            assert_eq!(charged, beside.all, "{told}: all together");
            for (one, account) in all.iter().zip(&beside.accounts) {
                let usage = used(one.part);
                // The alarm is never late here: a deficit is only what does not go by the number of
                // processors.
                assert!(usage.most_owed <= 3.nanos(), "{told}: {usage:?}");
                if with_calls {
                    continue;
                }
                assert_eq!(account.overrun, None, "{told}: {usage:?}");
                assert_eq!(usage.time.as_nanos(), account.charged, "{told}: {usage:?}");
                assert_eq!(
                    usage.most_owed.as_nanos(),
                    account.least.unsigned_abs(),
                    "{told}"
                );
                if account.users > 0 {
                    let balance = usage.left.as_nanos() as i64 - usage.owed.as_nanos() as i64;
                    assert_eq!(balance, account.balance, "{told}: {usage:?}");
                }
            }
        }
        all.iter().for_each(|one| one.part.stop());
        for one in &all {
            assert!(one.looks.are_within(4), "{told}: {:?}", one.budget);
            // Each partition that is not held still runs: none is forgotten.
            start(one.part, spin);
            let before = time(one.part);
            let _ = AnyThread::<SeveralHost>::sleep(60.millis());
            assert!(time(one.part) > before, "{told}: nobody runs any more");
            one.part.stop();
        }
        assert_eq!(Kernel::<SeveralHost>::check(), Ok(()), "{told}");
    });
}

#[test]
fn in_storms_without_calls_each_account_is_the_one_that_is_kept_beside() {
    let seed = seed();
    for round in 0..2 {
        for policy in POLICIES {
            for layout in 0..LAYOUTS.len() {
                storm(seed.wrapping_add(round), policy, layout, false);
            }
        }
    }
}

#[test]
fn in_storms_with_calls_nothing_is_lost_and_the_bound_holds_in_every_window() {
    let seed = seed();
    for round in 0..2 {
        for policy in POLICIES {
            for layout in 0..LAYOUTS.len() {
                storm(seed.wrapping_add(round), policy, layout, true);
            }
        }
    }
}
