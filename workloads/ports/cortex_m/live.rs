//! Owns: whether numbers that the compiler keeps in floating-point registers last across each kind
//! of kernel call and each kind of switch. It does so where the image is built for the hard-float
//! interface.

use super::{LEFT, RIGHT, URGENT, check, interrupts, slices};
use crate::Board;
use core::hint::black_box;
use core::sync::atomic::AtomicU32;
use taktos_kernel::{
    AnyThread, EventFlags, MessageQueue, Mutex, Notify, Semaphore, Span, System, Timeout,
};

/// So few that the compiler takes registers that a call may destroy, unless it knows that there is
/// one.
const NUMBERS: usize = 6;
const ROUNDS: u32 = 40;

static DONE: Semaphore<Board> = Semaphore::new(0);
static ASKED: Semaphore<Board> = Semaphore::new(0);
static FLAGS: EventFlags<Board> = EventFlags::new(0);
static LOCK: Mutex<Board> = Mutex::new();
static QUEUE: MessageQueue<Board, u32, 2> = MessageQueue::new();

/// Computes numbers, makes the call, and looks whether they are what they were.
#[inline(always)]
fn across(seed: u32, call: impl Fn()) {
    let numbers: [f32; NUMBERS] = core::array::from_fn(|n| black_box((seed + n as u32) as f32));
    call();
    let last = |(n, number): (usize, f32)| number == black_box((seed + n as u32) as f32);
    check(
        "a number in a register lasts",
        numbers.into_iter().enumerate().all(last),
    );
}

/// Every kind of call: in place, waking, waiting, switching.
fn calls(seed: u32) {
    across(seed, || check("give", DONE.give().is_ok()));
    across(seed, || check("take", DONE.take(Timeout::NONE).is_ok()));
    across(seed, AnyThread::<Board>::yield_now);
    across(seed, || {
        check("sleep", AnyThread::<Board>::sleep(2.micros()).is_ok());
    });
    across(seed, || check("wake", ASKED.give().is_ok()));
    across(seed, || check("set", FLAGS.set(1).is_ok()));
    across(seed, || {
        check(
            "take_any",
            FLAGS.take_any(2, Timeout::after(3.micros())).is_err(),
        );
    });
    across(seed, || {
        check("send", QUEUE.send(&seed, Timeout::FOREVER).is_ok())
    });
    across(seed, || {
        check("receive", QUEUE.receive(Timeout::FOREVER).is_ok())
    });
    across(seed, || check("lock", LOCK.lock(Timeout::FOREVER).is_ok()));
    across(seed, AnyThread::<Board>::yield_now);
    across(seed, || check("unlock", LOCK.unlock().is_ok()));
    across(seed, || {
        check("notify", URGENT.notify(Notify::Overwrite(seed)).is_ok());
    });
    across(seed, || {
        interrupts::in_handler(|| check("give", ASKED.give().is_ok()));
    });
}

/// Interrupts may come meanwhile, and other threads run.
fn computes(seed: u32) {
    across(seed, || {
        for _ in 0..20 {
            black_box(());
        }
    });
}

/// Wakes at each call of the others, and fills the registers with numbers of its own.
fn serve() {
    let served = AtomicU32::new(1);
    loop {
        let seed = super::add(&served, 3);
        across(seed, || {
            check("take", ASKED.take(Timeout::FOREVER).is_ok());
        });
    }
}

fn work(seed: u32) {
    for round in 0..ROUNDS {
        calls(seed + round);
        computes(seed + round);
    }
}

/// Two threads side by side in slices, and one that they wake.
pub fn numbers_last() {
    check("serve", URGENT.start(serve).is_ok());
    slices(true);
    check(
        "start",
        LEFT.start(|| work(0x1000)).is_ok() && RIGHT.start(|| work(0x2000)).is_ok(),
    );
    check(
        "join",
        LEFT.join(Timeout::FOREVER).is_ok() && RIGHT.join(Timeout::FOREVER).is_ok(),
    );
    slices(false);
    check("end", URGENT.delete().is_ok());
    Board::write("numbers in registers last\n");
}
