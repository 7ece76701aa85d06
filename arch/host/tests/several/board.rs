//! Owns: the smallest kernel that the machine runs: hand-made decisions, one first thread a
//! processor.
#![expect(
    unsafe_code,
    reason = "what the machine calls asserts what only that knows"
)]

use std::cell::{Cell, RefCell};
use std::panic::AssertUnwindSafe;
use taktos_abi::{Status, Timeout};
use taktos_arch_host::{HostSeveral, Order, Outcome};
use taktos_machine::{
    Answer, Context, Decision, Fault, Machine, Outcome as _, StackRegion, Upcalls,
};
use taktos_time::Instant;

/// A thread's code, or an upcall's.
type Body = Box<dyn FnOnce()>;

/// Function that runs at upcalls, with the name of the upcall.
type AtUpcall = Box<dyn Fn(&str)>;

thread_local! {
    static BODIES: RefCell<Vec<Option<Body>>> = const { RefCell::new(Vec::new()) };
    static THREADS: RefCell<Vec<&'static Context>> = const { RefCell::new(Vec::new()) };
    static LOG: RefCell<String> = const { RefCell::new(String::new()) };
    /// Thread that a processor chooses if its heir is null, by its number.
    static CHOICE: [Cell<usize>; 32] = const { [const { Cell::new(0) }; 32] };
    static UPCALL: RefCell<Option<AtUpcall>> = const { RefCell::new(None) };
}

/// Notes what happens, with the processor and the time in microseconds.
pub fn log(text: &str) {
    let micros = HostSeveral::now().as_nanos() / 1_000;
    let line = format!("{text}@{}:{micros} ", HostSeveral::number());
    LOG.with_borrow_mut(|log| log.push_str(&line));
}

/// Returns the notes since the last time.
pub fn take_log() -> String {
    LOG.take()
}

/// The context of the thread `number`; those of the processors come first.
pub fn thread(number: usize) -> &'static Context {
    THREADS.with_borrow(|threads| threads[number])
}

/// Makes processor `number` choose this thread if its heir is null.
pub fn let_choose(number: usize, thread: usize) {
    CHOICE.with(|choice| choice[number].set(thread));
}

/// Sets the `body` that runs at each upcall that is not a choice, after it is noted.
pub fn at_upcalls(body: impl Fn(&str) + 'static) {
    UPCALL.set(Some(Box::new(body)));
}

/// Makes a thread that runs `body`, and then idles.
pub fn prepare(body: impl FnOnce() + 'static) -> usize {
    let context: &'static Context = Box::leak(Box::new(Context::EMPTY));
    let number = THREADS.with_borrow_mut(|threads| {
        threads.push(context);
        threads.len() - 1
    });
    BODIES.with_borrow_mut(|bodies| bodies.push(Some(Box::new(body))));
    prepare_anew(number, number);
    number
}

/// Makes the thread `number` begin again, with the body of `body`.
pub fn prepare_anew(number: usize, body: usize) {
    let no_stack = StackRegion {
        guard: 0,
        base: 0,
        size: 0,
    };
    HostSeveral::prepare(thread(number), no_stack, enter_body, body, 0);
}

extern "C" fn enter_body(number: usize, _: usize) -> ! {
    let body = BODIES.with_borrow_mut(|bodies| bodies[number].take());
    HostSeveral::shielded(body.expect("each body runs once"));
    idle()
}

/// Idles for ever.
pub fn idle() -> ! {
    loop {
        HostSeveral::idle();
    }
}

/// The board.
pub struct Board;

fn upcall(kind: &str) {
    log(kind);
    UPCALL.with_borrow(|upcall| {
        if let Some(upcall) = upcall {
            upcall(kind);
        }
    });
}

impl Upcalls for Board {
    unsafe fn alarm() {
        upcall("alarm");
    }

    unsafe fn slice_end() {
        upcall("slice");
        HostSeveral::begin_slice(0);
    }

    unsafe extern "C" fn switch_slice(_: *const Context, _: *const Context, _: *const Context) {
        HostSeveral::begin_slice(0);
    }

    unsafe fn called() {
        upcall("called");
    }

    unsafe fn choose() -> *const Context {
        let cells = HostSeveral::processor();
        if cells.heir.get().is_null() {
            let choice = CHOICE.with(|choice| choice[HostSeveral::number()].get());
            cells.heir.set(thread(choice));
        }
        cells.heir.get()
    }

    fn fault(fault: &Fault<'_>) -> ! {
        HostSeveral::write(fault.cause.text());
        HostSeveral::exit(2)
    }
}

/// Runs a world in which each processor begins with one of the bodies.
pub fn world(order: Order, bodies: Vec<Body>) -> Outcome {
    LOG.take();
    UPCALL.set(None);
    THREADS.take();
    BODIES.take();
    let processors = bodies.len();
    HostSeveral::run::<Board>(processors, order, move || {
        for (number, body) in bodies.into_iter().enumerate() {
            prepare(body);
            let cells = HostSeveral::processor_numbered(number);
            cells.current.set(thread(number));
            cells.heir.set(thread(number));
            let_choose(number, number);
        }
        HostSeveral::start()
    })
}

/// Returns the machine's report of a world that breaks one of its invariants.
pub fn broken(bodies: Vec<Body>) -> String {
    let run = AssertUnwindSafe(|| world(Order::Turns, bodies));
    match std::panic::catch_unwind(run) {
        Ok(outcome) => format!("no law was broken: {}", outcome.end),
        Err(panic) => match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(_) => "another panic".to_owned(),
        },
    }
}

/// Runs `body` with the lock.
pub fn locked<T>(body: impl FnOnce() -> T) -> T {
    HostSeveral::mask();
    let result = body();
    HostSeveral::unmask(());
    result
}

/// Enters a decision as the kernel does.
pub fn enter<D: Decision<HostSeveral, Object = Context>>(to: usize) -> Answer {
    HostSeveral::mask();
    HostSeveral::enter::<D>(thread(to), 0, Timeout::FOREVER)
}

/// A decision to resume the thread that is its object.
pub struct SwitchTo;

impl Decision<HostSeveral> for SwitchTo {
    type Object = Context;
    const BLOCKS: bool = false;

    extern "C" fn decide(to: &'static Context, _: usize, _: Timeout) -> DecidedBy {
        let cells = HostSeveral::processor();
        cells.heir.set(to);
        DecidedBy::switch(cells.current.get(), to)
    }
}

/// A decision as [`SwitchTo`], for the rest of the slice.
pub struct SwitchInSlice;

impl Decision<HostSeveral> for SwitchInSlice {
    type Object = Context;
    const KEEPS_SLICE: bool = true;
    const BLOCKS: bool = false;

    extern "C" fn decide(to: &'static Context, argument: usize, timeout: Timeout) -> DecidedBy {
        SwitchTo::decide(to, argument, timeout)
    }
}

/// Result of a decision for the machine.
pub type DecidedBy = <HostSeveral as Machine>::Outcome;

/// A decision that stays, and answers with the processor's number.
pub struct Stay;

impl Decision<HostSeveral> for Stay {
    type Object = Context;
    const BLOCKS: bool = false;

    extern "C" fn decide(_: &'static Context, _: usize, _: Timeout) -> DecidedBy {
        DecidedBy::stay(Answer {
            status: Status::OK,
            value: HostSeveral::number(),
        })
    }
}

/// Returns the instant `micros` microseconds after the start.
pub fn at(micros: u64) -> Instant {
    Instant::from_nanos(micros * 1_000)
}
