//! Owns: the thread control block: what the kernel keeps of a thread.
//! Must never know: what the operations on it are.
#![expect(
    unsafe_code,
    reason = "turns the machine's pointers back into control blocks"
)]

use crate::critical_section::{CriticalSection, Guarded};
use crate::object::mutex::MutexCore;
use crate::thread::info::Info;
use crate::thread::of_several::SmpOnly;
use crate::thread::urgency::Urgency;
use crate::wait::{Wait, WaitQueue};
use core::ptr;
use taktos_abi::{Error, Status};
use taktos_machine::{Answer, Context, Processor};
use taktos_schedule::smp::seats::{self, Cluster, Deadlines, Masked, Served, Solo};
use taktos_schedule::{Links, Priority, smp};
use taktos_time::Instant;

/// A thread control block: 72 bytes on a 32-bit processor.
///
/// The context comes first: the machine's pointers to contexts are pointers to control blocks.
#[repr(C, align(8))]
pub struct Tcb {
    /// Saved stack pointer, and the answer that the thread is resumed with.
    context: Guarded<Context>,
    /// The ring that the thread is in: ready equals, or equals in a wait queue.
    /// Null until the thread is created, and never again.
    next: Guarded<*const Tcb>,
    previous: Guarded<*const Tcb>,
    /// Priorities, rank in the tree of time-outs, flags.
    pub urgency: Guarded<Urgency>,
    /// The thread's `Seat`. It is stored where the layout would leave a hole.
    seat: SmpOnly<Seat>,
    /// The object and kind of the thread's wait.
    pub wait: Guarded<Wait>,
    /// A word that belongs to the object of the wait: an address, a mask; the second word of a
    /// message, of a blocked sender or of a receiver that has it.
    pub argument: Guarded<usize>,
    /// The first thread of the next less urgent group in the same wait queue; in a thread that has
    /// received, the sender.
    pub group: Guarded<Option<ThreadRef>>,
    /// The links in the tree of time-outs.
    pub left: Guarded<Option<ThreadRef>>,
    pub right: Guarded<Option<ThreadRef>>,
    pub parent: Guarded<Option<ThreadRef>>,
    /// Until when the thread waits: its place in that tree.
    pub deadline: Guarded<Instant>,
    /// The mutexes that the thread owns, linked through them.
    pub owned: Guarded<Option<&'static MutexCore>>,
    /// Threads that wait for this one: senders, joiners, callers.
    pub waiters: WaitQueue,
    /// The notification word.
    pub notification: Guarded<usize>,
    /// The data that do not change while the thread exists.
    pub info: Guarded<Option<&'static Info>>,
    /// The possible deciders of the instance in which the thread is at home.
    home: SmpOnly<Option<&'static Home>>,
    /// The processor time that the thread has had, as the machine counts ticks.
    ticks: SmpOnly<u64>,
    /// A word that the decider of an instance of several processors keeps in the thread.
    note: SmpOnly<u64>,
}

/// The possible deciders of an instance.
pub(crate) type Home = seats::Home<ThreadRef, &'static Processor>;
/// The queue of an instance of one processor, and its processor.
pub(crate) type OwnQueue = (
    &'static Solo<ThreadRef, &'static Processor>,
    &'static Processor,
);
/// The seats of an instance of several processors.
pub(crate) type Seats = &'static Cluster<ThreadRef>;
/// [`Seats`] if deadlines count.
pub(crate) type EdfSeats = &'static Cluster<ThreadRef, Deadlines<ThreadRef>>;
/// [`Seats`] if threads may have servers.
pub(crate) type ServedSeats = &'static Served<ThreadRef>;
/// [`Seats`] if threads have affinities.
pub(crate) type MaskedSeats = &'static Masked<ThreadRef>;
/// The decider of an instance.
pub(crate) type Decider = seats::Decider<'static, ThreadRef, &'static Processor>;

#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Tcb>() == 72);

/// The data that a kernel for several processors keeps of a thread.
#[derive(Clone, Copy)]
struct Seat {
    /// The row in the scheduling library's table, or [`NO_ROW`].
    row: u16,
    /// The processor with the alarm for the thread's time-out.
    clock: u8,
    /// Whether the thread was ended while a processor ran it, which is on its way from it.
    leaving: bool,
}

const NO_ROW: u16 = u16::MAX;

impl Seat {
    const NOWHERE: Self = Self {
        row: NO_ROW,
        clock: 0,
        leaving: false,
    };
}

impl Default for Seat {
    #[inline(always)]
    fn default() -> Self {
        Self::NOWHERE
    }
}

/// The offset of `Tcb::info`, for tools that read an image from outside.
pub const INFO_OFFSET: usize = core::mem::offset_of!(Tcb, info);
/// The offset of `Tcb::urgency`, for the same: [`taktos_abi::layout`] says what its bits mean.
pub const URGENCY_OFFSET: usize = core::mem::offset_of!(Tcb, urgency);
/// The offset of `Tcb::wait`, for the same: the word is 0 while the thread waits for nothing.
pub const WAIT_OFFSET: usize = core::mem::offset_of!(Tcb, wait);

impl Tcb {
    /// A thread that does not exist yet.
    pub const fn new() -> Self {
        Self {
            context: Guarded::new(Context::EMPTY),
            next: Guarded::new(ptr::null()),
            previous: Guarded::new(ptr::null()),
            urgency: Guarded::new(Urgency::IDLE),
            seat: SmpOnly::new(Seat::NOWHERE),
            wait: Guarded::new(Wait::NON_EXISTENT),
            argument: Guarded::new(0),
            group: Guarded::new(None),
            left: Guarded::new(None),
            right: Guarded::new(None),
            parent: Guarded::new(None),
            deadline: Guarded::new(Instant::START),
            owned: Guarded::new(None),
            waiters: WaitQueue::new(),
            notification: Guarded::new(0),
            info: Guarded::new(None),
            home: SmpOnly::new(None),
            ticks: SmpOnly::new(0),
            note: SmpOnly::new(0),
        }
    }
}

impl Tcb {
    /// Memory of a thread that is all zeros, until [`Tcb::settle`].
    pub const fn zeroed() -> Self {
        Self {
            urgency: Guarded::new(Urgency::new(Priority::MOST_URGENT)),
            seat: SmpOnly::new(Seat {
                row: 0,
                ..Seat::NOWHERE
            }),
            wait: Guarded::new(Wait::NOTHING),
            ..Self::new()
        }
    }

    /// Makes memory that is all zeros a thread that does not exist yet, as [`Tcb::new`] does.
    pub fn settle(&self, cs: CriticalSection<'_>) {
        self.urgency.set(cs, Urgency::IDLE);
        self.seat.set(cs, Seat::NOWHERE);
        self.wait.set(cs, Wait::NON_EXISTENT);
    }

    /// Returns what the thread is resumed with.
    pub fn answer(&self, cs: CriticalSection<'_>) -> Answer {
        let context = self.context.borrow(cs);
        Answer {
            status: Status::from_word(context.status.get()),
            value: context.value.get(),
        }
    }
}

/// Names a thread: a reference to its control block that compares by identity.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct ThreadRef(pub &'static Tcb);

impl PartialEq for ThreadRef {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.0, other.0)
    }
}

impl Eq for ThreadRef {}

impl core::ops::Deref for ThreadRef {
    type Target = Tcb;
    #[inline(always)]
    fn deref(&self) -> &'static Tcb {
        self.0
    }
}

impl ThreadRef {
    /// The thread of a processor's pointer, which is not null: of several processors one may not
    /// know its heir yet.
    #[inline(always)]
    pub fn from_context(context: *const Context) -> Self {
        debug_assert!(!context.is_null(), "it is not known who runs next");
        // SAFETY: `current` and `heir` are written only by `Running::set_heir`, by the machine from
        // what that wrote, and by `run` before the start: always pointers made by
        // `ThreadRef::context` from a `&'static Tcb`, which begins with the context (`repr(C)`).
        Self(unsafe { &*context.cast::<Tcb>() })
    }

    /// The machine's name of the thread: the address of its whole control block.
    #[inline(always)]
    pub fn context(self) -> *const Context {
        ptr::from_ref(self.0).cast()
    }

    /// Sets what is left of the time slice in which the thread was preempted, in ticks, and gives
    /// what was left before; 0: a whole slice.
    pub fn replace_slice_left(self, cs: CriticalSection<'_>, left: usize) -> usize {
        self.info.get(cs).map_or(0, |info| {
            let before = info.slice_left.get(cs);
            info.slice_left.set(cs, left);
            before
        })
    }

    /// Returns whether the thread continues at the end of a time slice.
    #[cfg(feature = "c-library")]
    pub fn keeps_turn(self, cs: CriticalSection<'_>) -> bool {
        self.info
            .get(cs)
            .is_some_and(|info| info.keeps_turn.get(cs))
    }

    /// Returns whether the thread continues at the end of a time slice: none does.
    #[cfg(not(feature = "c-library"))]
    pub fn keeps_turn(self, _: CriticalSection<'_>) -> bool {
        false
    }

    /// The machine's part of the control block.
    #[inline(always)]
    pub fn machine_part(self, cs: CriticalSection<'_>) -> &Context {
        self.0.context.borrow(cs)
    }

    /// Sets what the thread is resumed with.
    #[inline(always)]
    pub fn set_answer(self, cs: CriticalSection<'_>, status: Status, value: usize) {
        let context = self.machine_part(cs);
        context.status.set(status.word());
        context.value.set(value);
    }

    /// The status that the thread is resumed with is success again.
    ///
    /// # Safety
    /// The thread calls this: others reach its context only while it waits.
    #[inline(always)]
    pub unsafe fn set_own_ok(self) {
        // SAFETY: the caller's, as said above.
        let context = unsafe { self.0.context.borrow_own() };
        context.status.set(Status::OK.word());
    }

    /// Sets the status that the thread is resumed with to success.
    #[inline(always)]
    pub fn set_ok(self, cs: CriticalSection<'_>) {
        self.machine_part(cs).status.set(Status::OK.word());
    }

    /// Sets the status that the thread is resumed with to `error`.
    pub fn set_error(self, cs: CriticalSection<'_>, error: Error) {
        self.machine_part(cs)
            .status
            .set(Status::failed(error).word());
    }

    /// Sets the word that the thread is resumed with, and nothing else.
    #[inline(always)]
    pub fn set_value(self, cs: CriticalSection<'_>, value: usize) {
        self.machine_part(cs).value.set(value);
    }

    /// The word that the thread is resumed with.
    #[inline(always)]
    pub fn value(self, cs: CriticalSection<'_>) -> usize {
        self.machine_part(cs).value.get()
    }

    /// The thread's row in the scheduling library's table, on several processors; idle threads have
    /// none.
    pub fn row(self, cs: CriticalSection<'_>) -> Option<smp::Thread> {
        smp::Thread::new(self.seat.get(cs).row.into())
    }

    /// The thread's row; for idle threads one that no table has.
    #[inline(always)]
    pub fn row_or_none(self, cs: CriticalSection<'_>) -> smp::Thread {
        smp::Thread::of_row(self.seat.get(cs).row)
    }

    /// The number of that row; that of no table for idle threads.
    #[inline(always)]
    pub fn row_index(self, cs: CriticalSection<'_>) -> usize {
        self.seat.get(cs).row.into()
    }

    /// Sets [`ThreadRef::row`].
    pub fn set_row(self, cs: CriticalSection<'_>, row: Option<smp::Thread>) {
        let row = row.map_or(NO_ROW, |row| row.index() as u16);
        self.seat.set(
            cs,
            Seat {
                row,
                ..self.seat.get(cs)
            },
        );
    }

    /// The queue that decides about the thread, and its processor; none where the scheduling
    /// library does, and for idle threads.
    #[inline(always)]
    pub fn solo(self, cs: CriticalSection<'_>) -> Option<OwnQueue> {
        self.home.get(cs)?.solo()
    }

    /// The seats that decide about the thread; none where something else does.
    #[inline(always)]
    pub fn cluster(self, cs: CriticalSection<'_>) -> Option<Seats> {
        self.home.get(cs)?.cluster()
    }

    /// The seats that decide about the thread, where deadlines count; none where something else
    /// does.
    #[inline(always)]
    pub fn edf(self, cs: CriticalSection<'_>) -> Option<EdfSeats> {
        self.home.get(cs)?.edf()
    }

    /// The seats that decide about the thread, where threads may have servers; none where something
    /// else does.
    #[inline(always)]
    pub fn served(self, cs: CriticalSection<'_>) -> Option<ServedSeats> {
        self.home.get(cs)?.served()
    }

    /// The seats that decide about the thread, where threads have affinities; none where something
    /// else does.
    #[inline(always)]
    pub fn masked(self, cs: CriticalSection<'_>) -> Option<MaskedSeats> {
        self.home.get(cs)?.masked()
    }

    /// Returns the decider of the thread, unless its home is watched.
    #[inline(always)]
    pub fn decider(self, cs: CriticalSection<'_>) -> Option<Decider> {
        self.home.get(cs)?.direct()
    }

    /// Returns the word that the decider of an instance of several processors keeps in the thread.
    #[inline(always)]
    pub fn note(self, cs: CriticalSection<'_>) -> u64 {
        self.note.get(cs)
    }

    /// Sets [`ThreadRef::note`].
    #[inline(always)]
    pub fn set_note(self, cs: CriticalSection<'_>, note: u64) {
        self.note.set(cs, note);
    }

    /// Returns the possible deciders of the thread's home instance; none for idle threads.
    #[inline(always)]
    pub fn home(self, cs: CriticalSection<'_>) -> Option<&'static Home> {
        self.home.get(cs)
    }

    /// Whether the thread is at home where `other` is, or neither is anywhere.
    #[inline(always)]
    pub fn shares_home(self, cs: CriticalSection<'_>, other: Self) -> bool {
        let address = |thread: Self| thread.home.get(cs).map(ptr::from_ref);
        address(self) == address(other)
    }

    /// Sets where the thread is at home.
    pub fn set_home(self, cs: CriticalSection<'_>, home: Option<&'static Home>) {
        self.home.set(cs, home);
    }

    /// The thread, which is new, had no processor time.
    pub fn forget_charges(self, cs: CriticalSection<'_>) {
        self.ticks.set(cs, 0);
    }

    /// Adds to the processor time that the thread has had.
    #[inline(always)]
    pub fn charge(self, cs: CriticalSection<'_>, ticks: u64) {
        self.ticks.set(cs, self.ticks.get(cs).wrapping_add(ticks));
    }

    /// Returns the processor time that was charged, in ticks.
    pub fn charged(self, cs: CriticalSection<'_>) -> u64 {
        self.ticks.get(cs)
    }

    /// Returns the processor with the alarm for the thread's time-out.
    pub fn clock(self, cs: CriticalSection<'_>) -> usize {
        self.seat.get(cs).clock.into()
    }

    /// Sets [`ThreadRef::clock`].
    pub fn set_clock(self, cs: CriticalSection<'_>, clock: usize) {
        let clock = clock as u8;
        self.seat.set(
            cs,
            Seat {
                clock,
                ..self.seat.get(cs)
            },
        );
    }

    /// Whether the thread was ended while a processor ran it, which may be on its way from it
    /// still.
    #[inline(always)]
    pub fn is_leaving(self, cs: CriticalSection<'_>) -> bool {
        self.seat.get(cs).leaving
    }

    /// Sets [`ThreadRef::is_leaving`].
    pub fn set_leaving(self, cs: CriticalSection<'_>, leaving: bool) {
        let seat = self.seat.get(cs);
        self.seat.set(cs, Seat { leaving, ..seat });
    }

    /// Returns the word that identifies the thread in waits.
    #[inline(always)]
    pub fn address(self) -> usize {
        ptr::from_ref(self.0).expose_provenance()
    }
}

/// Reads and writes a processor's pointers as threads.
#[derive(Clone, Copy)]
pub(crate) struct Running(pub &'static Processor);

impl Running {
    /// Returns the current thread: its registers are loaded.
    #[inline(always)]
    pub fn current(self, _: CriticalSection<'_>) -> ThreadRef {
        ThreadRef::from_context(self.0.current.get())
    }

    /// The calling thread, outside of a section. Meaningful as long as the caller stays on the
    /// processor: on the only one of a system, or with interrupts masked.
    #[inline(always)]
    pub fn caller(self) -> ThreadRef {
        ThreadRef::from_context(self.0.current.get())
    }

    /// The thread that should run.
    #[inline(always)]
    pub fn heir(self, _: CriticalSection<'_>) -> ThreadRef {
        ThreadRef::from_context(self.0.heir.get())
    }

    /// Returns whether the heir is another thread than the one that runs, or is still to be found.
    #[inline(always)]
    pub fn must_give_way(self, _: CriticalSection<'_>) -> bool {
        self.0.heir.get() != self.0.current.get()
    }

    /// Makes `thread` the heir.
    #[inline(always)]
    pub fn set_heir(self, cs: CriticalSection<'_>, thread: ThreadRef) {
        #[cfg(feature = "processor-time")]
        self.charge(cs, thread);
        let _ = cs;
        self.0.heir.set(thread.context());
    }
}

/// The thread at the top of the ready queue.
#[inline(always)]
pub(crate) fn certain(top: Option<ThreadRef>) -> ThreadRef {
    // SAFETY: `run` sets the idle thread before the first decision; the top of the queue is never
    // none from then on.
    unsafe { top.unwrap_unchecked() }
}

/// The thread that a link leads to.
#[inline(always)]
fn follow(link: *const Tcb) -> ThreadRef {
    // SAFETY: links are written only by `set_next` and `set_previous`, from `ThreadRef`s; they are
    // read only of threads that were created, which makes each a ring of its own first.
    ThreadRef(unsafe { &*link })
}

/// The links in the control blocks, in the form that the scheduling library requires.
impl Links for CriticalSection<'_> {
    type Id = ThreadRef;

    #[inline(always)]
    fn next(&self, id: ThreadRef) -> ThreadRef {
        follow(id.next.get(*self))
    }

    #[inline(always)]
    fn previous(&self, id: ThreadRef) -> ThreadRef {
        follow(id.previous.get(*self))
    }

    #[inline(always)]
    fn set_next(&self, id: ThreadRef, next: ThreadRef) {
        id.next.set(*self, next.0);
    }

    #[inline(always)]
    fn set_previous(&self, id: ThreadRef, previous: ThreadRef) {
        id.previous.set(*self, previous.0);
    }
}
