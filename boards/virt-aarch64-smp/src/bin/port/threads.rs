//! Owns: as much of a kernel as the test of a port needs: threads that take turns, first come first served, each on a
//! processor of its own or on any.
//! Must never know: what the threads test.

use crate::console;
use crate::virt::Virt;
use core::cell::{Cell, UnsafeCell};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use taktos_abi::{Status, Timeout};
use taktos_arch_aarch64::{AArch64, Outcome64};
use taktos_machine::{
    Answer, Context, Decision, Fault, Machine, Outcome, Processor, StackRegion, Upcalls,
};

/// The machine under test.
pub type M = AArch64<Virt>;
/// How many processors it has.
pub const PROCESSORS: usize = <M as Machine>::PROCESSORS;
/// The threads that a check may start, behind the first one.
pub const WORKERS: usize = 8;
/// The word that a thread is given that goes on, and the status.
pub const ANSWER: usize = 0x0000_1234_5678_9ABC;

const THREADS: usize = PROCESSORS + 1 + WORKERS;
const ANY: usize = usize::MAX;
const STACK: usize = 8192;

/// A thread. The machine's part is at the beginning.
#[repr(C)]
pub struct Thread {
    context: Context,
    /// The processor that it must run on, or [`ANY`].
    home: Cell<usize>,
    is_ready: Cell<bool>,
    is_done: Cell<bool>,
    act: Cell<fn(usize)>,
    stack: Stack,
}

#[repr(C, align(4096))]
struct Stack {
    guard: UnsafeCell<<M as Machine>::Guard>,
    memory: UnsafeCell<[u8; STACK]>,
}

/// The threads that can run and do not, in the order in which they came.
struct Queue {
    threads: [Cell<usize>; THREADS],
    length: Cell<usize>,
}

/// All threads: first those that stand in when a processor has nothing to do.
pub struct Threads([Thread; THREADS]);

// SAFETY: everything in them is touched in sections alone, by whoever holds the one lock.
unsafe impl Sync for Threads {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

static ALL: Threads = Threads([const { Thread::new() }; THREADS]);
static QUEUE: Queue = Queue {
    threads: [const { Cell::new(0) }; THREADS],
    length: Cell::new(0),
};

/// How often what came to each processor.
pub struct Counts(pub [AtomicU32; PROCESSORS]);

impl Counts {
    const fn new() -> Self {
        Self([const { AtomicU32::new(0) }; PROCESSORS])
    }

    /// The count of one processor.
    pub fn of(&self, number: usize) -> u32 {
        self.0[number].load(Relaxed)
    }

    fn add(&self) {
        self.0[M::number()].fetch_add(1, Relaxed);
    }
}

/// The upcalls so far.
pub static ALARMS: Counts = Counts::new();
pub static SLICES: Counts = Counts::new();
pub static CALLS: Counts = Counts::new();
pub static CHOICES: Counts = Counts::new();
/// What the handlers do besides counting.
pub static AT_ALARM: Hook = Hook(Cell::new(nothing));
pub static AT_CALL: Hook = Hook(Cell::new(nothing));

/// A function that a handler calls.
pub struct Hook(Cell<fn()>);

// SAFETY: one word; changed while no handler runs that reads it.
unsafe impl Sync for Hook {}

impl Hook {
    pub fn set(&self, act: Option<fn()>) {
        self.0.set(act.unwrap_or(nothing));
    }
}

fn nothing() {}

impl Thread {
    const fn new() -> Self {
        Self {
            context: Context::EMPTY,
            home: Cell::new(ANY),
            is_ready: Cell::new(false),
            is_done: Cell::new(true),
            act: Cell::new(|_| ()),
            stack: Stack {
                guard: UnsafeCell::new(<M as Machine>::GUARD),
                memory: UnsafeCell::new([0; STACK]),
            },
        }
    }

    fn prepare(&self, act: fn(usize), argument: usize) {
        self.act.set(act);
        self.is_done.set(false);
        self.context.status.set(Status::OK.word());
        self.context.value.set(ANSWER);
        let region = StackRegion {
            guard: self.stack.guard.get().addr(),
            base: self.stack.memory.get().expose_provenance(),
            size: STACK,
        };
        M::prepare(&self.context, region, begin, self.index(), argument);
    }

    fn index(&self) -> usize {
        (core::ptr::from_ref(self).addr() - ALL.0.as_ptr().addr()) / size_of::<Self>()
    }

    fn is_stand_in(&self) -> bool {
        self.index() < PROCESSORS
    }

    fn append(&self) {
        self.is_ready.set(true);
        QUEUE.threads[QUEUE.length.get()].set(self.index());
        QUEUE.length.set(QUEUE.length.get() + 1);
    }
}

/// Does something with interrupts masked and the one lock held.
pub fn section<T>(body: impl FnOnce() -> T) -> T {
    let mask = M::mask();
    let result = body();
    M::unmask(mask);
    result
}

fn thread_of(context: *const Context) -> &'static Thread {
    let index = (context.addr() - ALL.0.as_ptr().addr()) / size_of::<Thread>();
    &ALL.0[index]
}

/// The thread that runs on this processor. In a section.
fn current() -> &'static Thread {
    thread_of(M::processor().current.get())
}

/// Takes the first thread out of the queue that may run on this processor.
fn take() -> Option<&'static Thread> {
    let number = M::number();
    let length = QUEUE.length.get();
    let place = (0..length).find(|place| {
        let home = ALL.0[QUEUE.threads[*place].get()].home.get();
        home == ANY || home == number
    })?;
    let thread = &ALL.0[QUEUE.threads[place].get()];
    for place in place + 1..length {
        QUEUE.threads[place - 1].set(QUEUE.threads[place].get());
    }
    QUEUE.length.set(length - 1);
    thread.is_ready.set(false);
    Some(thread)
}

/// Makes a thread ready, and has a processor that may run it look for it. In a section.
fn make_ready(thread: &'static Thread) {
    thread.append();
    let own = M::number();
    let home = thread.home.get();
    let wanted = |number: &usize| {
        let processor = M::processor_numbered(*number);
        let runs = processor.current.get();
        // Not where one is chosen already.
        runs == processor.heir.get()
            && (home == *number || home == ANY && thread_of(runs).is_stand_in())
    };
    if let Some(number) = (0..PROCESSORS).find(wanted) {
        M::processor_numbered(number).heir.set(core::ptr::null());
        if number != own {
            M::call(number);
        }
    }
}

/// Goes on with the next thread, or with the one that stands in.
fn give_way() -> Outcome64 {
    let next = take().unwrap_or(&ALL.0[M::number()]);
    let processor: &Processor = M::processor();
    processor.heir.set(&next.context);
    Outcome64::switch(processor.current.get(), &next.context)
}

/// The current thread lets others run; `KEEP`: for the rest of its slice.
struct Yield<const KEEP: bool>;

impl<const KEEP: bool> Decision<M> for Yield<KEEP> {
    type Object = Threads;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = KEEP;

    extern "C" fn decide(_: &'static Threads, _: usize, _: Timeout) -> Outcome64 {
        current().append();
        give_way()
    }
}

/// The current thread goes on to the processor that is the argument.
struct Move;

impl Decision<M> for Move {
    type Object = Threads;
    const BLOCKS: bool = true;

    extern "C" fn decide(_: &'static Threads, home: usize, _: Timeout) -> Outcome64 {
        current().home.set(home);
        make_ready(current());
        give_way()
    }
}

/// The current thread waits until it is woken, or ends.
struct Wait;

impl Decision<M> for Wait {
    type Object = Threads;
    const BLOCKS: bool = true;
    const ALWAYS_SWITCHES: bool = true;

    extern "C" fn decide(_: &'static Threads, ends: usize, _: Timeout) -> Outcome64 {
        current().is_done.set(ends != 0);
        give_way()
    }
}

/// Wakes the thread whose number is the argument. On its own processor it runs at once.
struct Wake;

impl Decision<M> for Wake {
    type Object = Threads;
    const BLOCKS: bool = false;

    extern "C" fn decide(all: &'static Threads, index: usize, _: Timeout) -> Outcome64 {
        let (thread, processor) = (&all.0[index], M::processor());
        if thread.home.get() != M::number() || processor.heir.get() != processor.current.get() {
            make_ready(thread);
            return Outcome64::stay(Answer {
                status: Status::OK,
                value: 0,
            });
        }
        // In a handler the switch is put off, and until then nobody else may go on with the current thread.
        if !M::in_interrupt() && !current().is_stand_in() {
            current().append();
        }
        processor.heir.set(&thread.context);
        Outcome64::switch(processor.current.get(), &thread.context)
    }
}

fn enter<D: Decision<M, Object = Threads>>(argument: usize) -> Answer {
    M::mask();
    M::enter::<D>(&ALL, argument, Timeout::NONE)
}

/// Lets others run. True where the answer was the one that a thread is given that goes on.
pub fn yield_now() -> bool {
    is_answer(enter::<Yield<false>>(0))
}

/// The same for the rest of the slice.
pub fn yield_in_slice() -> bool {
    is_answer(enter::<Yield<true>>(0))
}

/// Goes on to another processor.
pub fn move_to(number: usize) -> bool {
    is_answer(enter::<Move>(number))
}

/// Waits until the thread is woken.
pub fn wait() -> bool {
    is_answer(enter::<Wait>(0))
}

/// What a blocking call says in a handler.
pub fn refused_in_a_handler() -> bool {
    enter::<Wait>(0).status.result() == Err(taktos_abi::Error::Context)
}

/// Wakes a worker that waits. In handlers, too.
pub fn wake(worker: usize) -> bool {
    enter::<Wake>(PROCESSORS + 1 + worker)
        .status
        .result()
        .is_ok()
}

fn is_answer(answer: Answer) -> bool {
    answer.status.result().is_ok() && answer.value == ANSWER
}

/// Starts a worker, on one processor or on any.
pub fn start_worker(worker: usize, home: Option<usize>, act: fn(usize), argument: usize) {
    let thread = &ALL.0[PROCESSORS + 1 + worker];
    section(|| {
        thread.home.set(home.unwrap_or(ANY));
        thread.prepare(act, argument);
        make_ready(thread);
    });
}

/// Waits until all workers have ended; others run meanwhile.
pub fn join_workers() {
    let done = || ALL.0[PROCESSORS + 1..].iter().all(|t| t.is_done.get());
    while !section(done) {
        yield_now();
    }
}

/// Starts the machine with one thread, on the first processor.
pub fn start(main: fn(usize)) -> ! {
    M::begin();
    for number in 0..PROCESSORS {
        let thread = &ALL.0[if number == 0 { PROCESSORS } else { number }];
        thread.home.set(number);
        thread.prepare(if number == 0 { main } else { stand_in }, number);
        let processor = M::processor_numbered(number);
        processor.current.set(&thread.context);
        processor.heir.set(&thread.context);
    }
    ALL.0[0].home.set(0);
    ALL.0[0].prepare(stand_in, 0);
    M::start()
}

extern "C" fn begin(index: usize, argument: usize) -> ! {
    (ALL.0[index].act.get())(argument);
    enter::<Wait>(1);
    console::write("an ended thread goes on\n");
    semihosting::process::exit(1)
}

fn stand_in(_: usize) {
    loop {
        M::idle();
    }
}

struct Handlers;

impl Upcalls for Handlers {
    fn alarm() {
        ALARMS.add();
        (AT_ALARM.0.get())();
    }

    fn slice_end() {
        SLICES.add();
        section(|| {
            let processor = M::processor();
            if processor.heir.get() == processor.current.get() {
                processor.heir.set(core::ptr::null());
            }
        });
    }

    fn called() {
        CALLS.add();
        (AT_CALL.0.get())();
    }

    fn choose() -> *const Context {
        CHOICES.add();
        let processor = M::processor();
        let chosen = processor.heir.get();
        let next = if chosen.is_null() {
            take().map_or(processor.current.get(), |thread| &raw const thread.context)
        } else {
            chosen
        };
        if next != processor.current.get() && !current().is_stand_in() {
            current().append();
        }
        next
    }

    fn fault(fault: &Fault<'_>) -> ! {
        console::write("fault: ");
        console::write(fault.cause.text());
        console::write("\n");
        semihosting::process::exit(70)
    }
}

taktos_arch_aarch64::exceptions!(Handlers);
taktos_arch_aarch64::smp!(Handlers, Virt);

struct Console;

impl core::fmt::Write for Console {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        console::write(text);
        Ok(())
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    // A console that cannot be written to has nowhere to say so.
    let _ = core::fmt::Write::write_fmt(&mut Console, format_args!("{}\n", info.message()));
    semihosting::process::exit(70)
}
