//! Owns: as much of a kernel as the test of a port needs: threads that take turns, first come first
//! served, each on a processor of its own or on any.
//! Must never know: what the threads test.

use super::{SmpPort, run};
use core::cell::{Cell, UnsafeCell};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use taktos_abi::{Status, Timeout};
use taktos_machine::{
    Answer, Cause, Context, Decision, Fault, Machine, Outcome, Processor, StackRegion, Upcalls,
};
use taktos_time::Duration;

/// How many processors there are.
pub const PROCESSORS: usize = 4;
/// The threads that a check may start, after the first one.
pub const WORKERS: usize = 8;
/// The word that a thread is given when it resumes, and the status.
pub const ANSWER: usize = 0x0000_1234_5678_9ABC;

const THREADS: usize = PROCESSORS + 1 + WORKERS;
const ANY: usize = usize::MAX;
const STACK: usize = 8192;

/// A thread. The machine's part is at the beginning.
#[repr(C)]
pub struct Thread<P: SmpPort> {
    context: Context,
    /// The processor that it must run on, or [`ANY`].
    home: Cell<usize>,
    is_ready: Cell<bool>,
    is_done: Cell<bool>,
    act: Cell<fn(usize)>,
    stack: Stack<P>,
}

#[repr(C, align(4096))]
struct Stack<P: SmpPort> {
    guard: UnsafeCell<<P::Machine as Machine>::Guard>,
    memory: UnsafeCell<[u8; STACK]>,
}

/// The threads that can run and do not, in the order in which they came.
struct Queue {
    threads: [Cell<usize>; THREADS],
    length: Cell<usize>,
}

/// All threads: first those that stand in when a processor has nothing to do.
pub struct Threads<P: SmpPort>([Thread<P>; THREADS]);

// SAFETY: everything in them is touched in sections alone, by the holder of the one lock.
unsafe impl<P: SmpPort> Sync for Threads<P> {}
// SAFETY: as above.
unsafe impl Sync for Queue {}

impl<P: SmpPort> Threads<P> {
    /// None of them runs.
    pub const fn new() -> Self {
        Self([const { Thread::new() }; THREADS])
    }
}

impl<P: SmpPort> Default for Threads<P> {
    fn default() -> Self {
        Self::new()
    }
}

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

    fn add<P: SmpPort>(&self) {
        self.0[P::Machine::number()].fetch_add(1, Relaxed);
    }
}

/// The alarms so far.
pub static ALARMS: Counts = Counts::new();
/// The ends of slices.
pub static SLICES: Counts = Counts::new();
/// The calls.
pub static CALLS: Counts = Counts::new();
/// The choices.
pub static CHOICES: Counts = Counts::new();
/// Action of the handler at an alarm in addition to counting.
pub static AT_ALARM: Hook = Hook(Cell::new(nothing));
/// Action of the handler at a call in addition to counting.
pub static AT_CALL: Hook = Hook(Cell::new(nothing));

/// A function that a handler calls.
pub struct Hook(Cell<fn()>);

// SAFETY: one word; changed while no handler runs that reads it.
unsafe impl Sync for Hook {}

impl Hook {
    /// Sets it; none: nothing.
    pub fn set(&self, act: Option<fn()>) {
        self.0.set(act.unwrap_or(nothing));
    }
}

fn nothing() {}

/// The address of the overflow with which the test ends well.
pub static WANTED_OVERFLOW: AtomicUsize = AtomicUsize::new(usize::MAX);

impl<P: SmpPort> Thread<P> {
    const fn new() -> Self {
        Self {
            context: Context::EMPTY,
            home: Cell::new(ANY),
            is_ready: Cell::new(false),
            is_done: Cell::new(true),
            act: Cell::new(|_| ()),
            stack: Stack {
                guard: UnsafeCell::new(<P::Machine as Machine>::GUARD),
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
        P::Machine::prepare(&self.context, region, begin::<P>, self.index(), argument);
    }

    fn index(&self) -> usize {
        (core::ptr::from_ref(self).addr() - P::threads().0.as_ptr().addr()) / size_of::<Self>()
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
pub fn section<P: SmpPort, T>(body: impl FnOnce() -> T) -> T {
    let mask = P::Machine::mask();
    let result = body();
    P::Machine::unmask(mask);
    result
}

fn thread_of<P: SmpPort>(context: *const Context) -> &'static Thread<P> {
    let index = (context.addr() - P::threads().0.as_ptr().addr()) / size_of::<Thread<P>>();
    &P::threads().0[index]
}

/// The thread that runs on this processor. In a section.
fn current<P: SmpPort>() -> &'static Thread<P> {
    thread_of::<P>(P::Machine::processor().current.get())
}

/// Takes the first thread out of the queue that may run on this processor.
fn take<P: SmpPort>() -> Option<&'static Thread<P>> {
    let number = P::Machine::number();
    let length = QUEUE.length.get();
    let place = (0..length).find(|place| {
        let home = P::threads().0[QUEUE.threads[*place].get()].home.get();
        home == ANY || home == number
    })?;
    let thread = &P::threads().0[QUEUE.threads[place].get()];
    for place in place + 1..length {
        QUEUE.threads[place - 1].set(QUEUE.threads[place].get());
    }
    QUEUE.length.set(length - 1);
    thread.is_ready.set(false);
    Some(thread)
}

/// Makes a thread ready, and has a processor that may run it look for it. In a section.
fn make_ready<P: SmpPort>(thread: &'static Thread<P>) {
    thread.append();
    let own = P::Machine::number();
    let home = thread.home.get();
    let wanted = |number: &usize| {
        let processor = P::Machine::processor_numbered(*number);
        let runs = processor.current.get();
        // Not where one is chosen already.
        runs == processor.heir.get()
            && (home == *number || home == ANY && thread_of::<P>(runs).is_stand_in())
    };
    if let Some(number) = (0..PROCESSORS).find(wanted) {
        P::Machine::processor_numbered(number)
            .heir
            .set(core::ptr::null());
        if number != own {
            P::Machine::call(number);
        }
    }
}

/// Thread that a handler on each processor has chosen, for the end of its interrupt.
static PUT_OFF: [AtomicUsize; PROCESSORS] = [const { AtomicUsize::new(NOBODY) }; PROCESSORS];
const NOBODY: usize = usize::MAX;

/// Outcome that is returned to the machine.
type OutcomeOf<P> = <<P as SmpPort>::Machine as Machine>::Outcome;

/// Switches to the next thread, or to the stand-in.
fn give_way<P: SmpPort>() -> OutcomeOf<P> {
    let next = take::<P>().unwrap_or(&P::threads().0[P::Machine::number()]);
    let processor: &Processor = P::Machine::processor();
    processor.heir.set(&next.context);
    OutcomeOf::<P>::switch(processor.current.get(), &next.context)
}

/// The current thread lets others run; `KEEP`: for the rest of its slice.
struct Yield<P, const KEEP: bool>(PhantomData<P>);

impl<P: SmpPort, const KEEP: bool> Decision<P::Machine> for Yield<P, KEEP> {
    type Object = Threads<P>;
    const BLOCKS: bool = true;
    const KEEPS_SLICE: bool = KEEP;

    extern "C" fn decide(_: &'static Threads<P>, _: usize, _: Timeout) -> OutcomeOf<P> {
        current::<P>().append();
        give_way::<P>()
    }
}

/// The current thread moves to the processor that is the argument.
struct Move<P>(PhantomData<P>);

impl<P: SmpPort> Decision<P::Machine> for Move<P> {
    type Object = Threads<P>;
    const BLOCKS: bool = true;

    extern "C" fn decide(_: &'static Threads<P>, home: usize, _: Timeout) -> OutcomeOf<P> {
        current::<P>().home.set(home);
        make_ready::<P>(current::<P>());
        give_way::<P>()
    }
}

/// The current thread waits until it is woken, or ends.
struct Wait<P>(PhantomData<P>);

impl<P: SmpPort> Decision<P::Machine> for Wait<P> {
    type Object = Threads<P>;
    const BLOCKS: bool = true;
    const ALWAYS_SWITCHES: bool = true;

    extern "C" fn decide(_: &'static Threads<P>, ends: usize, _: Timeout) -> OutcomeOf<P> {
        current::<P>().is_done.set(ends != 0);
        give_way::<P>()
    }
}

/// Wakes the thread with the number in the argument. On its own processor it runs at once.
struct Wake<P>(PhantomData<P>);

impl<P: SmpPort> Decision<P::Machine> for Wake<P> {
    type Object = Threads<P>;
    const BLOCKS: bool = false;

    extern "C" fn decide(all: &'static Threads<P>, index: usize, _: Timeout) -> OutcomeOf<P> {
        let (thread, processor) = (&all.0[index], P::Machine::processor());
        if thread.home.get() != P::Machine::number()
            || processor.heir.get() != processor.current.get()
        {
            make_ready::<P>(thread);
            return OutcomeOf::<P>::stay(Answer {
                status: Status::OK,
                value: 0,
            });
        }
        if P::Machine::in_interrupt() {
            // The switch is put off, and until then no other processor may resume the current
            // thread: that is for the choice.
            PUT_OFF[P::Machine::number()].store(index, Relaxed);
            processor.heir.set(core::ptr::null());
        } else {
            if !current::<P>().is_stand_in() {
                current::<P>().append();
            }
            processor.heir.set(&thread.context);
        }
        OutcomeOf::<P>::switch(processor.current.get(), &thread.context)
    }
}

fn enter<P: SmpPort, D: Decision<P::Machine, Object = Threads<P>>>(argument: usize) -> Answer {
    P::Machine::mask();
    P::Machine::enter::<D>(P::threads(), argument, Timeout::NONE)
}

/// Lets others run. True if the result is the word that a thread is given when it resumes.
pub fn yield_now<P: SmpPort>() -> bool {
    is_answer(enter::<P, Yield<P, false>>(0))
}

/// Lets others run for the rest of the slice. True if the result is as for [`yield_now`].
pub fn yield_in_slice<P: SmpPort>() -> bool {
    is_answer(enter::<P, Yield<P, true>>(0))
}

/// Moves to another processor.
pub fn move_to<P: SmpPort>(number: usize) -> bool {
    is_answer(enter::<P, Move<P>>(number))
}

/// Waits until the thread is woken.
pub fn wait<P: SmpPort>() -> bool {
    is_answer(enter::<P, Wait<P>>(0))
}

/// Returns whether a blocking call is refused in a handler.
pub fn refused_in_a_handler<P: SmpPort>() -> bool {
    enter::<P, Wait<P>>(0).status.result() == Err(taktos_abi::Error::Context)
}

/// Wakes a worker that waits. In handlers, too.
pub fn wake<P: SmpPort>(worker: usize) -> bool {
    enter::<P, Wake<P>>(PROCESSORS + 1 + worker)
        .status
        .result()
        .is_ok()
}

fn is_answer(answer: Answer) -> bool {
    answer.status.result().is_ok() && answer.value == ANSWER
}

/// Starts a worker, on one processor or on any.
pub fn start_worker<P: SmpPort>(
    worker: usize,
    home: Option<usize>,
    act: fn(usize),
    argument: usize,
) {
    let thread = &P::threads().0[PROCESSORS + 1 + worker];
    section::<P, _>(|| {
        thread.home.set(home.unwrap_or(ANY));
        thread.prepare(act, argument);
        make_ready::<P>(thread);
    });
}

/// Waits until all workers have ended; others run meanwhile.
pub fn join_workers<P: SmpPort>() {
    let done = || {
        P::threads().0[PROCESSORS + 1..]
            .iter()
            .all(|t| t.is_done.get())
    };
    while !section::<P, _>(done) {
        yield_now::<P>();
    }
}

/// Starts the machine with one thread, on the first processor, which tests.
pub fn start<P: SmpPort>() -> ! {
    for number in 0..PROCESSORS {
        let thread = &P::threads().0[if number == 0 { PROCESSORS } else { number }];
        thread.home.set(number);
        thread.prepare(if number == 0 { run::<P> } else { stand_in::<P> }, number);
        let processor = P::Machine::processor_numbered(number);
        processor.current.set(&thread.context);
        processor.heir.set(&thread.context);
    }
    P::threads().0[0].home.set(0);
    P::threads().0[0].prepare(stand_in::<P>, 0);
    P::Machine::start()
}

extern "C" fn begin<P: SmpPort>(index: usize, argument: usize) -> ! {
    (P::threads().0[index].act.get())(argument);
    enter::<P, Wait<P>>(1);
    P::write("an ended thread goes on\n");
    P::exit(1)
}

fn stand_in<P: SmpPort>(_: usize) {
    loop {
        P::Machine::idle();
    }
}

/// Handlers of the machine's notifications.
pub struct Handlers<P>(PhantomData<P>);

/// Sets the length of slices in nanoseconds; each switch begins a whole one.
pub fn set_slice<P: SmpPort>(length: Option<u64>) {
    let length = length.map(Duration::from_nanos);
    section::<P, _>(|| P::Machine::set_slice(length, Handlers::<P>::switch_slice));
}

impl<P: SmpPort> Upcalls for Handlers<P> {
    unsafe fn alarm() {
        ALARMS.add::<P>();
        (AT_ALARM.0.get())();
    }

    unsafe fn slice_end() {
        SLICES.add::<P>();
        section::<P, _>(|| {
            P::Machine::begin_slice(0);
            let processor = P::Machine::processor();
            if processor.heir.get() == processor.current.get() {
                processor.heir.set(core::ptr::null());
            }
        });
    }

    unsafe extern "C" fn switch_slice(_: *const Context, _: *const Context, _: *const Context) {
        P::Machine::begin_slice(0);
    }

    unsafe fn called() {
        CALLS.add::<P>();
        (AT_CALL.0.get())();
    }

    unsafe fn choose() -> *const Context {
        CHOICES.add::<P>();
        let processor = P::Machine::processor();
        let chosen = match PUT_OFF[P::Machine::number()].swap(NOBODY, Relaxed) {
            NOBODY => take::<P>(),
            index => Some(&P::threads().0[index]),
        };
        let next = chosen.map_or(processor.current.get(), |thread| &raw const thread.context);
        if next != processor.current.get() && !current::<P>().is_stand_in() {
            current::<P>().append();
        }
        next
    }

    fn fault(fault: &Fault<'_>) -> ! {
        let wanted = WANTED_OVERFLOW.load(Relaxed);
        if fault.cause == Cause::StackOverflow && fault.address == Some(wanted) {
            P::write("all passed\n");
            P::exit(0);
        }
        P::write("fault: ");
        P::write(fault.cause.text());
        P::write("\n");
        P::exit(70)
    }
}
