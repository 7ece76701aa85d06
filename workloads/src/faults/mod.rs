//! Faults on purpose, one a run; the command line names which. Each must be reported, and ends with
//! the status 70; a run that continues ends with 1. On several processors the victim runs on the
//! third, or on the one that another word names (`on-0` to `on-3`), started by the first.
//!
//! Owns: what faults, and in which thread. Must never know: an architecture's instructions; what is
//! reported.
#![expect(unsafe_code, reason = "does on purpose what faults")]

mod frames;
#[cfg(all(target_os = "none", target_has_atomic = "64"))]
mod paged;
#[cfg(all(target_os = "none", target_has_atomic = "64"))]
pub use paged::Paged;

use crate::command_line::{CommandLine, is_argument};
use crate::spare::SpareInterrupt;
use crate::suite::Trigger;
use core::hint::{black_box, spin_loop};
use core::ptr;
use taktos_kernel::{AnyThread, CpuSet, Error, Kernel, Span, System, Thread};

/// A case: its word, and what it does, in the thread that is the victim.
pub type Case<S> = (&'static str, fn(&'static Objects<S>));

/// Interface of a board to the program.
pub trait FaultBoard: CommandLine + SpareInterrupt {
    /// Operations that the language has no words for, in the architecture's instructions.
    type Instructions: Instructions<Self>;

    /// Says where a thread is to run that was created. On one processor there is nothing to say.
    ///
    /// # Errors
    /// The kernel's, where it refuses.
    fn place(_: &'static AnyThread<Self>) -> Result<(), Error> {
        Ok(())
    }
}

/// Operations in instructions of the architecture.
pub trait Instructions<S: FaultBoard> {
    /// The cases besides those that every board has.
    const CASES: &'static [Case<S>];
    /// How far the stack of an interrupt handler reaches down, with its guard; no overflow goes
    /// further.
    const DEEPEST: usize;
    /// So much room on a stack is too little for the frame of an interrupted thread.
    const SHORT: usize = 32;

    /// Does what `f` does with `room` bytes left on the caller's stack.
    fn with_a_short_stack(room: usize, f: extern "C" fn()) -> !;
    /// Executes the contents of `place`.
    fn jump(place: usize) -> !;
    /// Executes what is no instruction.
    fn undefined();
}

/// The threads.
pub struct Objects<S: System> {
    victim: Thread<S, { 256 * size_of::<usize>() }>,
    other: Thread<S, { 256 * size_of::<usize>() }>,
    /// One that is not the victim.
    pub neighbour: Thread<S, 4096>,
}

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self {
            victim: Thread::new("victim").priority(10),
            other: Thread::new("other").priority(10),
            neighbour: Thread::new("neighbour").priority(20),
        }
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Does what the command line says. Called by a thread more urgent than 10.
pub fn run<S: FaultBoard>(objects: &'static Objects<S>) -> ! {
    if is_argument::<S>("overflow-of-the-first-thread") {
        overflow::<S>();
    }
    let own = S::Instructions::CASES.iter().copied();
    let Some((_, act)) = common()
        .into_iter()
        .chain(frames::cases())
        .chain(own)
        .find(|(name, _)| is_argument::<S>(name))
    else {
        give_up::<S>("no such case\n");
    };
    S::enable_interrupt();
    start_there(&objects.victim, act, objects);
    let _ = AnyThread::<S>::sleep(20.millis());
    give_up::<S>("no fault\n")
}

fn give_up<S: System>(why: &str) -> ! {
    S::write(why);
    S::exit(1)
}

/// The cases that every board has.
fn common<S: FaultBoard>() -> [Case<S>; 10] {
    [
        ("overflow", |_| overflow::<S>()),
        ("overflow-at-a-call", overflow_at_a_call),
        ("overflow-at-an-interrupt", overflow_at_an_interrupt),
        ("overflow-of-a-handler", |_| in_handler::<S>(overflow::<S>)),
        ("null", |_| null()),
        ("unmapped", |_| unmapped()),
        ("jump-to-null", |_| S::Instructions::jump(0)),
        ("undefined", |_| S::Instructions::undefined()),
        ("panic", |_| panics()),
        ("panic-with-numbers", |_| panics_with_numbers::<S>()),
    ]
}

/// Action of the spare interrupt.
static HANDLER: Trigger = Trigger::new();

/// The handler of the board's spare interrupt.
pub fn interrupt() {
    HANDLER.serve();
}

/// Does what `act` does in an interrupt handler.
pub fn in_handler<S: FaultBoard>(act: fn()) {
    HANDLER.run(act, S::pend_interrupt);
}

/// The action of the interrupt above the kernel's level, where a board has one.
static ABOVE: Trigger = Trigger::new();

/// The handler of that interrupt.
pub fn interrupt_above() {
    ABOVE.serve();
}

/// Does what `act` does in the handler of the interrupt above the kernel's level, which `pend`
/// makes pending.
pub fn in_handler_above(act: fn(), pend: fn()) {
    ABOVE.run(act, pend);
}

/// Starts another thread next to the victim.
pub fn start_other<S: FaultBoard>(objects: &'static Objects<S>, act: fn(&'static Objects<S>)) {
    start_there(&objects.other, act, objects);
}

/// Starts a thread where the command line says.
fn start_there<S: FaultBoard, const N: usize>(
    thread: &'static Thread<S, N>,
    act: fn(&'static Objects<S>),
    objects: &'static Objects<S>,
) {
    let placed = thread.create().and_then(|()| S::place(thread));
    if placed
        .and_then(|()| thread.start_with(act, objects))
        .is_err()
    {
        give_up::<S>("the thread does not start\n");
    }
}

/// [`FaultBoard::place`] on several processors: the thread comes to the one that a word names;
/// without one not to the processor that starts the program.
///
/// # Errors
/// Those of [`AnyThread::set_affinity`].
pub fn place_as_told<S: FaultBoard>(thread: &'static AnyThread<S>) -> Result<(), Error> {
    const WORDS: [&str; 4] = ["on-0", "on-1", "on-2", "on-3"];
    const USUAL: usize = 2;
    let named = WORDS.iter().position(|word| is_argument::<S>(word));
    let place = named.unwrap_or(USUAL);
    let there = CpuSet::first(place + 1).minus(CpuSet::first(place));
    thread.set_affinity(there)
}

/// Goes down into the guard below the handlers' stack, and no further: below it may be the next
/// processor's stack, which ends with a guard, too. Below a thread's stack, which is smaller, the
/// guard comes earlier.
pub fn overflow<S: FaultBoard>() {
    let here = 0_u8;
    let top = ptr::from_ref(black_box(&here)).addr();
    black_box(descend(black_box(
        top.saturating_sub(S::Instructions::DEEPEST),
    )));
}

#[inline(never)]
fn descend(end: usize) -> usize {
    let room = black_box([end; 4]);
    if ptr::from_ref(&room).addr() < end {
        return room[2];
    }
    descend(end).wrapping_add(room[3])
}

/// Yields, which takes space on the stack.
pub extern "C" fn give_way<S: System>() {
    AnyThread::<S>::yield_now();
}

/// Is busy until it is interrupted.
pub extern "C" fn spin() {
    loop {
        spin_loop();
    }
}

/// Another thread, and slices that end soon.
pub fn slices<S: FaultBoard>(objects: &'static Objects<S>) {
    start_other(objects, |_| spin());
    let _ = Kernel::<S>::set_time_slice(Some(20.micros()));
}

/// The frame of a call that yields does not fit.
fn overflow_at_a_call<S: FaultBoard>(objects: &'static Objects<S>) {
    start_other(objects, |_| ());
    S::Instructions::with_a_short_stack(32, give_way::<S>);
}

/// The frame of an interrupted thread does not fit.
fn overflow_at_an_interrupt<S: FaultBoard>(objects: &'static Objects<S>) {
    slices(objects);
    S::Instructions::with_a_short_stack(S::Instructions::SHORT, spin);
}

fn null() {
    // SAFETY: nothing of it is: it faults.
    black_box(unsafe { ptr::read_volatile(black_box(ptr::null::<u32>())) });
}

fn unmapped() {
    let nowhere = ptr::without_provenance_mut::<u32>(0x5FFF_0000);
    // SAFETY: nothing of it is: it faults.
    unsafe { ptr::write_volatile(nowhere, 1) };
}

/// Panics.
///
/// # Panics
/// Always.
pub fn panics() {
    panic!("on purpose");
}

/// In a program that formats text.
fn panics_with_numbers<S: System>() {
    taktos_kernel::fault::print::<S>(format_args!("{}\n", black_box(41)));
    panic!("{} on purpose", black_box(42));
}
