//! Supervisors of partitions on the host, where a call of the kernel takes no time, but each stop
//! of these partitions does: the account that is charged for restarts, how often there are some, in
//! which order faults are reported.
#![expect(
    unsafe_code,
    reason = "a thread of a partition faults, on a machine that knows no such faults"
)]

use std::cell::Cell;
use std::ops::ControlFlow;
use std::rc::Rc;

use taktos_arch_host::{Handler, Host};
use taktos_host::{Board, leak, run};
use taktos_kernel::user::{
    Handle, Line, Memory, Partition, Policy, Supervisor, Usage, UserThread, faulted,
};
use taktos_kernel::{
    AnyThread, Duration, Error, Message, Priority, Span, State, System, Thread, Timeout,
};
use taktos_machine::{Cause, Machine, RaisedFault};
use taktos_tests::parts::{self, Part};

#[repr(C, align(4096))]
struct Block([u8; 4096]);

type Entry = extern "C" fn(&'static (), usize) -> !;

/// The time of each stop.
const STOP: Duration = Duration::from_micros(50);
const ONE_OF_TEN: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));

/// Returns a partition of one thread of that priority that runs `entry`. `supervisor` restarts it
/// at most `most` times in each `period`.
fn supervised(
    entry: Entry,
    priority: u8,
    (most, period): (u32, Duration),
    supervisor: &'static Supervisor<Board>,
) -> Partition<Board, ()> {
    let thread = UserThread::new("faulty", 512, entry).priority(priority);
    let threads: &'static [UserThread<Board, ()>; 1] = leak([thread]);
    let line = leak(Line::new(&threads[0], 1, || Host::spend(STOP), || ()));
    Partition::new("faulty", leak(Memory::<Block>::new()), threads)
        .handles(leak([Handle::interrupt(line)]))
        .supervised(Policy::Restart, supervisor)
        .restarts(most, period)
}

/// Without a limit of restarts.
const EVER: (u32, Duration) = (u32::MAX, Duration::ZERO);

/// Ends the calling thread of a partition as the handler of a fault does.
fn fault() -> ! {
    let fault = RaisedFault {
        cause: Cause::DataAccess,
        address: Some(0x100),
        registers: None,
    };
    Host::interrupt(move || {
        // SAFETY: in a handler, while a thread of a partition runs.
        let _ = unsafe { faulted::<Board>(&fault) };
        Host::pend_switch();
    });
    // The handler comes as soon as interrupts do.
    Host::spend(Duration::from_nanos(1));
    unreachable!("a thread that has faulted goes on")
}

/// Faults in its first instruction.
extern "C" fn evader(_: &'static (), _: usize) -> ! {
    fault()
}

/// Faults after a while, if an argument says which, and else lives for ever.
extern "C" fn once(_: &'static (), micros: usize) -> ! {
    if micros == 0 {
        let _ = AnyThread::<Board>::sleep(Timeout::FOREVER);
    }
    let _ = AnyThread::<Board>::sleep(Duration::from_micros(micros as u64));
    fault()
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

/// A thread of that priority, in no partition.
fn privileged(priority: u8, body: impl Fn() + 'static) -> &'static AnyThread<Board> {
    struct Here(Box<dyn Fn()>);
    // SAFETY: all threads are coroutines of one.
    unsafe impl Sync for Here {}
    let thread: &'static Thread<Board, 256> = leak(Thread::new("privileged").priority(priority));
    let body: &'static Here = leak(Here(Box::new(body)));
    thread
        .start_with(|body: &'static Here| (body.0)(), body)
        .unwrap();
    thread
}

/// The processor time of a thread less urgent than all others, in ten microseconds.
fn rest() -> Rc<Cell<u64>> {
    let rest = Rc::new(Cell::new(0));
    let counted = Rc::clone(&rest);
    privileged(30, move || {
        loop {
            Host::spend(10.micros());
            counted.set(counted.get() + 1);
        }
    });
    rest
}

fn usage(part: Part<Board>) -> Usage {
    parts::used(part)
}

fn now() -> Duration {
    parts::now::<Board>()
}

fn sleep_until(at: Duration) {
    parts::sleep_until::<Board>(at);
}

/// Starts a thread of that priority that serves faults of these for ever; it notes the time of each
/// report and its partition.
fn serve(
    supervisor: &'static Supervisor<Board>,
    priority: u8,
    parts: &[Part<Board>],
) -> Rc<Cell<Vec<(usize, Duration)>>> {
    let told = Rc::new(Cell::new(Vec::new()));
    let noted = Rc::clone(&told);
    let all: Vec<_> = parts.iter().map(|part| &***part).collect();
    privileged(priority, move || {
        let served = supervisor.serve(&all, Timeout::FOREVER, |part, incident| {
            assert_eq!(incident.fault.cause, Cause::DataAccess);
            let place = all.iter().position(|one| std::ptr::eq(*one, part));
            let mut all = noted.take();
            all.push((place.unwrap(), now()));
            noted.set(all);
            ControlFlow::<()>::Continue(())
        });
        unreachable!("it serves for ever: {served:?}")
    });
    told
}

#[test]
fn a_partition_that_faults_at_once_pays_for_its_restarts() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let part = leak(supervised(evader, 8, EVER, supervisor).budget(amount, period));
        let told = serve(supervisor, 4, &[part]);
        let rest = rest();
        part.start().unwrap();
        sleep_until(200.millis());
        let usage = usage(part);
        // A budget of 1 ms is twenty restarts, and the one that began with nothing left would be
        // one more.
        assert_eq!((usage.time, usage.owed), (20.millis(), Duration::ZERO));
        assert_eq!(told.take().len(), 400);
        // The last step ends in the same instant.
        assert!(rest.get() >= 17_999, "the rest is others'");
    });
}

#[test]
fn a_restart_beyond_the_budget_is_owed_and_the_next_one_waits() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let budget = (Duration::from_micros(70), Duration::from_millis(10));
        let part = leak(supervised(evader, 8, EVER, supervisor).budget(budget.0, budget.1));
        let told = serve(supervisor, 4, &[part]);
        part.start().unwrap();
        sleep_until(29.millis());
        // Two restarts are 30 us beyond. Of the next 70 us 40 are left, of those after them 60: a
        // restart each.
        let times = told.take().into_iter().map(|(_, at)| at.as_micros());
        assert_eq!(times.collect::<Vec<_>>(), [50, 100, 10_050, 20_050, 20_100]);
        let usage = usage(part);
        assert_eq!((usage.time, usage.most_owed), (250.micros(), 40.micros()));
    });
}

#[test]
fn restarts_of_a_partition_without_budget_are_ten_in_a_second_unless_it_says_more() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let thread = UserThread::new("faulty", 512, evader).priority(8);
        let threads: &'static [UserThread<Board, ()>; 1] = leak([thread]);
        let part: Part<Board> = leak(
            Partition::new("faulty", leak(Memory::<Block>::new()), threads)
                .supervised(Policy::Restart, supervisor),
        );
        let told = serve(supervisor, 4, &[part]);
        part.start().unwrap();
        sleep_until(2_500.millis());
        let times: Vec<u64> = told
            .take()
            .iter()
            .map(|(_, at)| at.as_micros() / 1_000_000)
            .collect();
        let expected: Vec<u64> = (0..3).flat_map(|second| [second; 10]).collect();
        assert_eq!(times, expected);
        assert_eq!(part.generation(), 31);
        assert_eq!(threads[0].state(), State::NonExistent, "it waits");
    });
}

#[test]
fn a_partition_that_always_faults_is_told_by_turns_with_others() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let [first, second, third] = [evader, once, evader]
            .map(|entry: Entry| -> Part<Board> { leak(supervised(entry, 8, EVER, supervisor)) });
        for part in [first, second, third] {
            part.start_with(1).unwrap();
        }
        // Less urgent than they are: they have faulted again when it looks again.
        let told = serve(supervisor, 12, &[first, second, third]);
        sleep_until(1.millis());
        let order: Vec<usize> = told.take().iter().map(|(place, _)| *place).collect();
        assert_eq!(order[..7], [0, 1, 2, 0, 2, 0, 2]);
    });
}

#[test]
fn a_partition_that_waits_for_its_restart_is_stopped_and_keeps_nobody_waiting() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let rate = (1, Duration::from_millis(10));
        let part: Part<Board> = leak(supervised(evader, 8, rate, supervisor));
        let other: Part<Board> = leak(supervised(once, 8, EVER, supervisor));
        let told = serve(supervisor, 4, &[part, other]);
        part.start().unwrap();
        other.start_with(5_000).unwrap();
        sleep_until(19.millis());
        let times: Vec<_> = told
            .take()
            .iter()
            .map(|(place, at)| (*place, at.as_micros()))
            .collect();
        // Each stop takes 50 us. The first partition's second restart is due 10 ms after the first.
        assert_eq!(times, [(0, 50), (1, 5_100), (0, 10_100)]);
    });
}

#[test]
fn a_partition_that_was_started_anew_meanwhile_is_told_and_left_as_it_is() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let rate = (1, Duration::from_millis(10));
        let part: Part<Board> = leak(supervised(once, 8, rate, supervisor));
        let told = serve(supervisor, 4, &[part]);
        part.start_with(1).unwrap();
        sleep_until(1.millis());
        assert_eq!((told.take().len(), part.generation()), (1, 2));
        part.restart_with(1).unwrap();
        sleep_until(2.millis());
        assert_eq!((told.take().len(), part.generation()), (0, 3), "it waits");
        part.start().unwrap();
        sleep_until(15.millis());
        assert_eq!((told.take().len(), part.generation()), (1, 4));
        part.restart_with(1).unwrap();
        sleep_until(16.millis());
        assert_eq!((told.take().len(), part.generation()), (1, 6));
    });
}

#[test]
fn a_wait_for_a_fault_ends_at_its_own_time_though_a_restart_waits_longer() {
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let rate = (1, Duration::from_millis(10));
        let part: Part<Board> = leak(supervised(evader, 8, rate, supervisor));
        let serve = |timeout| {
            let told = supervisor.serve(&[part], timeout, |_, _| ControlFlow::Break(()));
            told.map_err(|error| (error, now().as_micros()))
        };
        assert_eq!(serve(Timeout::NONE), Err((Error::WouldBlock, 0)));
        assert_eq!(serve(1.millis().into()), Err((Error::Timeout, 1_000)));
        part.start().unwrap();
        assert_eq!(serve(1.millis().into()), Ok(()));
        // The second fault has to wait; a call without waiting stops the partition.
        assert_eq!(serve(1.millis().into()), Err((Error::Timeout, 2_050)));
        assert_eq!(serve(Timeout::NONE), Err((Error::WouldBlock, 2_050)));
        assert_eq!(serve(Timeout::FOREVER), Ok(()));
        assert_eq!((now().as_micros(), part.generation()), (11_050 + 50, 3));
    });
}

#[test]
fn what_is_done_of_a_fault_is_at_its_partitions_cost_and_what_follows_is_not() {
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let rate = (1, Duration::from_millis(5));
        let part: Part<Board> =
            leak(supervised(evader, 8, rate, supervisor).budget(amount, period));
        part.start().unwrap();
        let mut told = 0;
        let served = supervisor.serve(&[part], Timeout::FOREVER, |_, _| {
            Host::spend(30.micros());
            told += 1;
            match told {
                2 => ControlFlow::Break(told),
                _ => ControlFlow::Continue(()),
            }
        });
        assert_eq!(served, Ok(2));
        Host::spend(100.micros());
        // The stops of both restarts and the one before the second, which had to wait.
        assert_eq!(usage(part).time, (3 * 50 + 2 * 30).micros());
    });
}

/// Each section of the kernel takes a microsecond from now on.
fn have_sections_take_a_microsecond() {
    Host::at_each_unmask(|| Some(Box::new(|| Host::spend(1.micros())) as Handler));
}

#[test]
fn all_from_a_fault_to_the_next_wait_is_at_the_partitions_cost() {
    const RESTARTS: u64 = 8;
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let part: Part<Board> =
            leak(supervised(evader, 8, EVER, supervisor).budget(amount, period));
        part.start().unwrap();
        have_sections_take_a_microsecond();
        let (begin, before) = (now(), usage(part).time);
        let mut told = 0;
        let served = supervisor.serve(&[part], Timeout::FOREVER, |_, _| {
            told += 1;
            match told {
                RESTARTS => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        served.unwrap();
        let taken = now().saturating_sub(begin);
        let used = usage(part).time.saturating_sub(before);
        assert!(taken > STOP.saturating_mul(RESTARTS as u32), "{taken:?}");
        let lost = taken.saturating_sub(used).as_micros();
        assert!(
            lost < 2 * RESTARTS,
            "nobody has paid {lost} us of {taken:?}"
        );
    });
}

thread_local! {
    /// Whether a partition's thread has faulted, and no section of the kernel has ended since.
    static FAULTED: Cell<bool> = const { Cell::new(false) };
}

/// Faults in its first instruction, and says so before.
extern "C" fn telling(_: &'static (), _: usize) -> ! {
    FAULTED.set(true);
    fault()
}

#[test]
fn the_way_from_a_fault_to_its_supervisor_is_at_the_partitions_cost() {
    const WAY: Duration = Duration::from_micros(100);
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let part: Part<Board> =
            leak(supervised(telling, 8, EVER, supervisor).budget(amount, period));
        part.start().unwrap();
        // The first section that ends after the fault is the supervisor's, which waited for it.
        let way = || Box::new(|| Host::spend(WAY)) as Handler;
        Host::at_each_unmask(move || FAULTED.take().then(way));
        let before = usage(part).time;
        let served = supervisor.serve(&[part], Timeout::FOREVER, |_, _| ControlFlow::Break(()));
        served.unwrap();
        let used = usage(part).time.saturating_sub(before);
        assert_eq!(used, STOP.saturating_add(WAY));
    });
}

#[test]
fn starts_are_at_their_partitions_cost_also_behind_a_wait_for_the_rate() {
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let rate = (1, Duration::from_millis(5));
        let part: Part<Board> =
            leak(supervised(evader, 8, rate, supervisor).budget(amount, period));
        have_sections_take_a_microsecond();
        let time = |work: &dyn Fn()| {
            let (begin, before) = (now(), usage(part).time);
            work();
            // Reads of the account are no work.
            let taken = now().saturating_sub(begin).saturating_sub(2.micros());
            (taken, usage(part).time.saturating_sub(before))
        };
        let (start, used) = time(&|| part.start().unwrap());
        assert!(start >= 10.micros(), "a start takes {start:?}");
        assert!(
            used.saturating_add(3.micros()) >= start,
            "{used:?}, {start:?}"
        );
        let serve = || supervisor.serve(&[part], Timeout::FOREVER, |_, _| ControlFlow::Break(()));
        serve().unwrap();
        sleep_until(3.millis());
        let (_, restart) = time(&|| serve().unwrap());
        assert!(now() >= 5.millis(), "it waits for the rate");
        // It exists still; then it does not.
        let [(stop, _), (none, _)] = [(); 2].map(|()| time(&|| part.stop()));
        let work = start.saturating_add(stop).saturating_add(none);
        assert!(
            restart.saturating_add(6.micros()) >= work,
            "{restart:?}, {start:?}, {stop:?}, {none:?}"
        );
    });
}

#[test]
fn a_supervisor_that_is_told_of_faults_without_end_ends_at_its_time() {
    world(|| {
        let supervisor: &'static Supervisor<Board> = leak(Supervisor::new());
        let part: Part<Board> = leak(supervised(evader, 8, EVER, supervisor));
        part.start().unwrap();
        let told = Rc::new(Cell::new(None));
        let noted = Rc::clone(&told);
        // Less urgent than the partition, which has faulted again when it looks again.
        privileged(12, move || {
            let mut count = 0;
            let served = supervisor.serve(&[part], 1.millis().into(), |_, _| {
                count += 1;
                ControlFlow::<()>::Continue(())
            });
            noted.set(Some((served, count, now().as_micros())));
        });
        sleep_until(2.millis());
        assert_eq!(told.take(), Some((Err(Error::Timeout), 20, 1_000)));
    });
}

#[test]
fn work_at_a_partitions_cost_is_charged_to_it_and_nobodys_else() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let [part, other] = [(); 2].map(|()| -> Part<Board> {
            leak(supervised(once, 8, EVER, supervisor).budget(amount, period))
        });
        part.start().unwrap();
        other.start().unwrap();
        let [of_part, of_other] = [part, other].map(|part| usage(part).time);
        Host::spend(100.micros());
        part.at_its_cost(|| {
            Host::spend(300.micros());
            other.at_its_cost(|| Host::spend(20.micros()));
            Host::spend(3.millis());
        });
        Host::spend(100.micros());
        let charged = |part, before| usage(part).time.saturating_sub(before);
        assert_eq!(charged(part, of_part), 3_300.micros());
        assert_eq!(charged(other, of_other), 20.micros());
        assert_eq!(usage(part).most_owed, 2_300.micros());
    });
}

#[test]
fn a_partition_with_a_call_at_its_supervisor_pays_for_no_restart() {
    world(|| {
        let supervisor = leak(Supervisor::new());
        let (amount, period) = ONE_OF_TEN;
        let part: Part<Board> = leak(supervised(once, 8, EVER, supervisor).budget(amount, period));
        let (caller, _) = parts::partition::<Board>(Some(ONE_OF_TEN), &[6]);
        let server = privileged(4, move || {
            let request = AnyThread::<Board>::receive(Timeout::FOREVER).unwrap();
            Host::spend(100.micros());
            part.restart().unwrap();
            part.restart().unwrap();
            let _ = request.sender.reply(request.message);
        });
        let body = parts::word(move || {
            let _ = server.call(Message::word(1), Timeout::FOREVER);
        });
        caller.start_with(body).unwrap();
        sleep_until(5.millis());
        assert_eq!(usage(caller).time, 100.micros());
        assert_eq!(usage(part).time, 100.micros(), "two stops");
    });
}
