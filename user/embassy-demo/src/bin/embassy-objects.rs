//! A task of embassy that awaits objects of the kernel beside a timer, by `select`: the futures
//! that lose are dropped, and nothing is lost with them.
//!
//! Owns: the task, and the thread that gives. Must never know: how an executor waits.
#![cfg_attr(target_os = "none", no_std, no_main)]

use core::pin::pin;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use embassy_futures::select::{Either, Either3, select, select_array, select3};
use embassy_time::Timer;
use taktos::board::Board;
use taktos::{AnyThread, Duration, Error, MessageQueue, Semaphore, System, Thread, Timeout};
use taktos_embassy::{Awaited, Executor};

/// The stack of a thread, in bytes.
const STACK: usize = 1024 * size_of::<usize>();
/// How many messages and permits are given.
const COUNT: u32 = 200;

taktos_embassy::runtime!(Async on Board);

static MAIN: Thread<Board, STACK> = Thread::new("main").priority(20);
static TASKS: Thread<Board, STACK> = Thread::new("tasks").priority(10);
static GIVER: Thread<Board, STACK> = Thread::new("giver").priority(8);
static EXECUTOR: Executor<Async> = Executor::new();
static ORDERS: MessageQueue<Board, u32, 4> = MessageQueue::new();
static TICKS: Semaphore<Board> = Semaphore::new(0);
static DONE: Semaphore<Board> = Semaphore::new(0);
/// Messages that came in order, permits, and how often the timer came first.
static CAME: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

/// Starts everything, and ends the program when the task is done.
#[taktos::main(MAIN)]
fn first() {
    let _ = TASKS.start(|| {
        EXECUTOR.run(|tasks| {
            if let Ok(task) = take_all() {
                tasks.spawn(task);
            }
        })
    });
    let ended = DONE.take(Timeout::after(Duration::from_millis(5_000)));
    let [orders, ticks, late] = [0, 1, 2].map(|number: usize| CAME[number].load(Relaxed));
    taktos::println!(
        "{orders} messages in order, {ticks} permits; the timer came first {late} times"
    );
    let is_all = ended.is_ok() && (orders, ticks) == (COUNT, COUNT) && late > 0;
    Board::exit(i32::from(!is_all));
}

/// Gives messages and permits at times that have nothing to do with those of the timer.
fn give_all() {
    for number in 0..COUNT {
        let _ = ORDERS.send(&number, Timeout::FOREVER);
        let _ = AnyThread::<Board>::sleep(Duration::from_micros(u64::from(number * 7 % 90)));
        let _ = TICKS.give();
        if number % 3 == 0 {
            let _ = AnyThread::<Board>::sleep(Duration::from_micros(u64::from(number * 11 % 70)));
        }
    }
    // The task has taken the rest by then.
    let _ = AnyThread::<Board>::sleep(Duration::from_millis(20));
    let _ = ORDERS.delete();
}

/// Takes messages and permits until the queue is deleted. The timer comes first: where it is due,
/// the future of an object that had something is dropped.
#[embassy_executor::task]
async fn take_all() {
    if !is_refused().await {
        return;
    }
    let _ = GIVER.start(give_all);
    let orders = pin!(Awaited::<Async, _>::new(ORDERS.receiving()));
    let ticks = pin!(Awaited::<Async, _>::new(TICKS.taking()));
    let (orders, ticks) = (orders.as_ref(), ticks.as_ref());
    loop {
        let timer = Timer::after_micros(13);
        let came = match select3(timer, orders.next(), ticks.next()).await {
            Either3::First(()) => 2,
            Either3::Second(Ok(number)) if number == CAME[0].load(Relaxed) => 0,
            Either3::Second(Ok(_)) => continue,
            Either3::Second(Err(_)) => break,
            Either3::Third(_) => 1,
        };
        CAME[came].fetch_add(1, Relaxed);
    }
    let _ = DONE.give();
}

/// Whether an eighth object that is awaited at once is refused, a second future of one, and a
/// second task's wait for one object.
async fn is_refused() -> bool {
    let eight = core::array::from_fn::<_, 8, _>(await_spare);
    let (outcome, number) = select_array(eight).await;
    let orders = pin!(Awaited::<Async, _>::new(ORDERS.receiving()));
    let orders = orders.as_ref();
    let twice = select(orders.next(), orders.next()).await;
    let by_two = select(await_spare(0), await_spare(0)).await;
    (outcome, number) == (Err(Error::Limit), 7)
        && matches!(twice, Either::Second(Err(Error::State)))
        && matches!(by_two, Either::Second(Err(Error::Parameter)))
}

/// Awaits a permit that nothing gives.
async fn await_spare(number: usize) -> Result<(), Error> {
    static SPARE: [Semaphore<Board>; 8] = [const { Semaphore::new(0) }; 8];
    let spare = pin!(Awaited::<Async, _>::new(SPARE[number].taking()));
    spare.as_ref().next().await
}
