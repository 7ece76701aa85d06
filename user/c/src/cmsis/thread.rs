//! Owns: the standard's threads: how they come to be, what ends them, what is left of them then.
//! Must never know: what they do.

use super::status::{ERROR, ISR, OK, PARAMETER, RESOURCE, Status, Statuses, status};
use super::{get_name, interface, timer};
use crate::freertos::block::Task;
use crate::freertos::configuration::configuration;
use crate::last;
use crate::object::{self, Attributes, Head, Id, Memory, Object};
use crate::os::{Phase, TICK, in_handler, masked, os, surely_in_thread};
use crate::posix::thread::PosixThread;
#[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
use crate::start::Kept;
use core::cell::Cell;
use core::ffi::{CStr, c_char, c_void};
use core::hint::cold_path;
use core::mem::{MaybeUninit, offset_of};
use core::ptr::{self, NonNull};
use core::slice;
use taktos::board::Board;
use taktos::{
    AnyThread, Duration, Error, EventFlags, Kernel, Priority, RawThread, State, System, Thread,
    Timeout,
};
use taktos_machine::{Machine, slow_path};

/// Function that a thread calls.
pub type Entry = unsafe extern "C" fn(*mut c_void);

/// The bit of a thread's attributes that lets others join it.
pub(crate) const JOINABLE: u32 = 1;
/// The standard's priorities: a higher number is more urgent.
pub(crate) const NORMAL: i32 = 24;
pub(crate) const HIGHEST: i32 = 56;
/// The only processor.
const AFFINITY: u32 = 1;
/// Stack of a thread that requests none.
const USUAL_STACK: usize = 512 * size_of::<usize>();
/// Value that is not a class or a zone.
const NO_NUMBER: u32 = u32::MAX;

/// `osThreadAttr_t`.
#[repr(C)]
pub struct ThreadAttributes {
    pub(crate) base: Attributes,
    pub(crate) stack: *mut u8,
    pub(crate) stack_size: u32,
    pub(crate) priority: i32,
    pub(crate) trust_zone_module: u32,
    pub(crate) affinity: u32,
}

impl ThreadAttributes {
    pub(crate) const NONE: Self = Self {
        base: Attributes::NONE,
        stack: ptr::null_mut(),
        stack_size: 0,
        priority: 0,
        trust_zone_module: 0,
        affinity: 0,
    };
}

/// A thread. It is at the end of its memory, so that its stack may follow it, with a guard between
/// them.
#[repr(C)]
pub struct OsThread {
    head: Head,
    /// The next in one of two lists.
    next: Cell<Option<&'static OsThread>>,
    entry: Entry,
    argument: *mut c_void,
    priority: Cell<i32>,
    is_joinable: Cell<bool>,
    is_joined: Cell<bool>,
    stack: Memory,
    /// Stack size that was requested, and the size that there is.
    stack_asked: u32,
    stack_size: u32,
    flags: EventFlags<Board>,
    errno: Cell<i32>,
    /// Record of the thread as a thread of POSIX, if it is one.
    posix: Cell<Option<&'static PosixThread>>,
    /// Record of the thread as a task of FreeRTOS, once there is one.
    task: Cell<Option<&'static Task>>,
    /// The state of newlib's functions for it, once there is some.
    #[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
    kept: Cell<Option<&'static Kept>>,
    thread: RawThread<Board>,
}

// SAFETY: it begins with its head.
unsafe impl Object for OsThread {
    const KIND: u32 = object::kind(0xE2);
    /// One that has ended.
    const TURNED: u32 = object::kind(0xE8);
    /// Size that other kernels ask for; the guard makes a control block larger here.
    const LEAST: usize = 80;
}

/// A thread that has not ended.
#[repr(transparent)]
pub struct Living(pub OsThread);

// SAFETY: it is a thread, which begins with its head.
unsafe impl Object for Living {
    const KIND: u32 = OsThread::KIND;
}

get_name!(osThreadGetName, OsThread);

/// The kernel's level of one of the standard's priorities: the level 0 is above them all.
pub(crate) fn level(priority: i32) -> Priority {
    Priority::new((HIGHEST + 1 - priority) as u8).unwrap_or(Priority::LEAST_URGENT)
}

impl OsThread {
    /// The thread that a kernel's thread is, if it is one of the interface's.
    pub fn of(thread: &'static AnyThread<Board>) -> Option<&'static Self> {
        let is_there = |other: &&'static Self| ptr::eq(other.handle(), thread);
        if ptr::eq(thread, &*STARTER) || thread.priorities().0 == Priority::IDLE {
            return None;
        }
        // SAFETY: a thread that is neither the first nor an idle one is made by `make`.
        Some(unsafe { Self::around(thread) }).filter(is_there)
    }

    /// Returns the `OsThread` that contains `thread`.
    ///
    /// # Safety
    /// [`make`] made the thread.
    #[inline(always)]
    unsafe fn around(thread: &'static AnyThread<Board>) -> &'static Self {
        const OFFSET: usize = offset_of!(OsThread, thread) + RawThread::<Board>::HANDLE_OFFSET;
        let place = ptr::from_ref(thread).cast::<u8>().wrapping_sub(OFFSET);
        // SAFETY: the caller guarantees that `make` made the thread, as the field of an `OsThread`.
        unsafe { &*place.cast::<Self>() }
    }

    /// The calling thread.
    ///
    /// # Safety
    /// The caller is the program's code, in a thread that runs: not before the start, and in no
    /// handler.
    #[inline(always)]
    pub(super) unsafe fn caller() -> &'static Self {
        // On the only processor the running thread is the caller. No section is needed; it is
        // needed where threads move.
        let context = <Board as System>::Machine::processor().current.get();
        // SAFETY: a thread's handle is its control block, which its context begins; the first
        // thread and the idle one, which `make` did not make, call no code of the
        // program's.
        unsafe { Self::around(&*context.cast()) }
    }

    /// The calling thread; the one that was interrupted, in a handler.
    pub fn current() -> Option<&'static Self> {
        os().is_running().then(|| Self::of(AnyThread::current()))?
    }

    /// The thread's flags.
    pub fn flags(&'static self) -> &'static EventFlags<Board> {
        &self.flags
    }

    /// Whether it has ended, and is still to be joined.
    pub fn has_ended(&self) -> bool {
        self.head.has_turned::<Self>()
    }

    /// The number of the last error of a C library's call that failed.
    pub(crate) fn errno(&self) -> &Cell<i32> {
        &self.errno
    }

    /// Returns the record of the thread as a thread of POSIX.
    pub(crate) fn posix(&self) -> Option<&'static PosixThread> {
        self.posix.get()
    }

    /// It is a thread of POSIX from now on.
    pub(crate) fn set_posix(&self, posix: &'static PosixThread) {
        self.posix.set(Some(posix));
    }

    /// Returns the record of the thread as a task of FreeRTOS.
    pub(crate) fn task(&self) -> &Cell<Option<&'static Task>> {
        &self.task
    }

    #[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
    pub(crate) fn kept(&self) -> &Cell<Option<&'static Kept>> {
        &self.kept
    }

    /// Whether it is to be joined.
    pub(crate) fn is_joinable(&self) -> bool {
        self.is_joinable.get()
    }

    /// The memory of its stack: from the lowest address, and its size. The thread itself may lie in
    /// what was given.
    pub(crate) fn stack(&self) -> (*mut u8, usize) {
        let size = self.stack_size.max(self.stack_asked);
        let before = (size - self.stack_size) as usize;
        (
            self.stack.start.as_ptr().wrapping_sub(before),
            size as usize,
        )
    }

    /// The priority that it was given.
    pub(crate) fn priority(&self) -> i32 {
        self.priority.get()
    }

    /// Gives it another one, which is in range.
    pub(crate) fn set_priority(&'static self, priority: i32) -> Result<(), Error> {
        self.priority.set(priority);
        self.handle().set_priority(level(self.lent_priority()))
    }

    /// The priority that it was given, or the one that it inherits by FreeRTOS's mutexes, if that
    /// is higher.
    pub(crate) fn lent_priority(&self) -> i32 {
        let inherited = self.task.get().map_or(0, |task| task.inherited());
        self.priority.get().max(inherited)
    }

    /// The priority by which it is scheduled now.
    pub(crate) fn effective_priority(&'static self) -> i32 {
        match self.handle().priorities().1.level() {
            // That of the kernel's lock.
            0 => self.priority.get(),
            level => HIGHEST + 1 - i32::from(level),
        }
    }

    /// The kernel's thread.
    pub(crate) fn handle(&'static self) -> &'static AnyThread<Board> {
        &self.thread
    }

    fn id(&'static self) -> Id {
        Id::of(self)
    }

    /// Starts the kernel's thread, which was created.
    pub(crate) fn launch(&'static self) {
        let _ = self
            .thread
            .start(begin, ptr::from_ref(self).expose_provenance(), 0);
        if self.task.get().is_some_and(Task::starts_suspended) {
            let _ = self.handle().suspend();
        }
    }
}

/// Where every thread begins.
extern "C" fn begin(thread: usize, _: usize) -> ! {
    // SAFETY: `launch` has the address from a `&'static OsThread`.
    let thread = unsafe { &*ptr::with_exposed_provenance::<OsThread>(thread) };
    // SAFETY: the program gave both to osThreadNew.
    unsafe { (thread.entry)(thread.argument) };
    exit()
}

/// Memory of a thread and of its stack.
struct Place {
    block: Memory,
    stack: Memory,
    stack_size: usize,
}

impl Place {
    /// Bytes that a thread takes of memory that contains its stack, too, after it.
    const OF_BLOCK: usize = size_of::<OsThread>();

    /// A thread in memory of its own, and directly after it the rest for its stack.
    fn together(memory: Memory, size: usize) -> Self {
        let skipped = memory
            .start
            .addr()
            .get()
            .next_multiple_of(align_of::<OsThread>())
            - memory.start.addr().get();
        // SAFETY: within the memory, by what callers ask for.
        let at = |offset| unsafe { memory.start.add(skipped + offset) };
        Self {
            block: Memory {
                start: at(0),
                in_heap: memory.in_heap,
            },
            stack: Memory {
                start: at(Self::OF_BLOCK),
                in_heap: false,
            },
            stack_size: size - skipped - Self::OF_BLOCK,
        }
    }

    /// Returns block and stack together in the heap, with a stack of this size.
    fn of_heap(stack_size: usize) -> Option<Self> {
        let size = Self::OF_BLOCK + stack_size;
        let memory = Memory::of_heap_at(size, align_of::<OsThread>())?;
        Some(Self::together(memory, size))
    }

    /// Returns block and stack together within the memory given for a stack, or in the heap if that
    /// memory is too small for both.
    fn within(stack: *mut u8, size: usize) -> Option<Self> {
        let start = NonNull::new(stack)?;
        let least = Self::OF_BLOCK + align_of::<OsThread>() + RawThread::<Board>::SMALLEST_STACK;
        let memory = Memory {
            start,
            in_heap: false,
        };
        match size < least {
            true => Self::of_heap(size.next_multiple_of(16)),
            false => Some(Self::together(memory, size)),
        }
    }

    /// Whether the machine can have it so.
    fn is_possible(&self) -> bool {
        let place = self.block.start.addr().get() + offset_of!(OsThread, thread);
        RawThread::<Board>::can_have_stack(place, self.stack.start.addr().get())
    }

    /// Gives it back.
    ///
    /// # Safety
    /// No code uses it.
    unsafe fn free(self) {
        // SAFETY: the caller guarantees that no code uses the memory.
        unsafe {
            self.stack.free();
            self.block.free_at(align_of::<OsThread>());
        }
    }
}

fn place_for(attributes: &ThreadAttributes) -> Option<Place> {
    let asked = match attributes.stack_size as usize {
        0 => USUAL_STACK,
        size => size,
    };
    let stack_size = asked
        .max(RawThread::<Board>::SMALLEST_STACK)
        .next_multiple_of(16);
    if attributes.stack.is_null()
        && attributes.base.block.is_null()
        && attributes.base.block_size == 0
    {
        return Place::of_heap(stack_size);
    }
    let stack = match NonNull::new(attributes.stack) {
        // Too small for the machine: the caller's is left alone.
        Some(_) if asked < RawThread::<Board>::SMALLEST_STACK => Memory::of_heap(stack_size)?,
        Some(start) => Memory {
            start,
            in_heap: false,
        },
        None => Memory::of_heap(stack_size)?,
    };
    let stack_size = if stack.in_heap { stack_size } else { asked };
    let Some(block) = object::block_for::<OsThread>(&attributes.base) else {
        // SAFETY: no other code has its address.
        unsafe { stack.free() };
        return None;
    };
    let place = Place {
        block,
        stack,
        stack_size,
    };
    if place.is_possible() {
        return Some(place);
    }
    // SAFETY: no other code has its address.
    unsafe { place.free() };
    match stack.in_heap {
        true => Place::of_heap(stack_size),
        false => Place::within(attributes.stack, asked),
    }
}

/// The name as the kernel wants it.
///
/// # Safety
/// It is null or a C string that stays.
unsafe fn name_of(name: *const c_char) -> &'static str {
    if name.is_null() {
        return "";
    }
    // SAFETY: the caller guarantees that `name`, which is not null here, is a C string that stays.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("")
}

/// Makes a thread, which is still to be launched if threads run already.
pub(crate) fn make(
    entry: Entry,
    argument: *mut c_void,
    attributes: &ThreadAttributes,
) -> Option<&'static OsThread> {
    let priority = match attributes.priority {
        0 => NORMAL,
        priority => priority,
    };
    let stack_without_size = !attributes.stack.is_null() && attributes.stack_size == 0;
    if !(1..=HIGHEST).contains(&priority)
        || stack_without_size
        || attributes.affinity & !AFFINITY != 0
    {
        return None;
    }
    free_ended();
    let place = place_for(attributes)?;
    let thread = OsThread {
        head: object::head::<OsThread>(&attributes.base, place.block),
        next: Cell::new(None),
        entry,
        argument,
        priority: Cell::new(priority),
        is_joinable: Cell::new(attributes.base.bits & JOINABLE != 0),
        is_joined: Cell::new(false),
        stack: place.stack,
        stack_asked: match attributes.stack_size {
            0 => place.stack_size as u32,
            size => size,
        },
        stack_size: place.stack_size as u32,
        flags: EventFlags::new(0),
        errno: Cell::new(0),
        posix: Cell::new(None),
        task: Cell::new(None),
        #[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
        kept: Cell::new(None),
        thread: RawThread::new(),
    };
    // SAFETY: memory for one. The stack is the thread's alone, as the caller that gave the stack
    // guarantees.
    let (thread, stack) = unsafe {
        let id = object::put(place.block, thread);
        let stack = slice::from_raw_parts_mut(
            place.stack.start.as_ptr().cast::<MaybeUninit<u8>>(),
            place.stack_size,
        );
        (id.get::<OsThread>()?, stack)
    };
    // SAFETY: the program's name stays as long as the thread.
    let name = unsafe { name_of(attributes.base.name) };
    if thread.thread.create(name, level(priority), stack).is_err() {
        thread.head.revoke();
        // SAFETY: no other code has its address.
        unsafe { free(thread) };
        return None;
    }
    masked(|| push(&os().threads, thread));
    Some(thread)
}

/// Puts `thread` in front of a list. Masked.
fn push(list: &Cell<Option<&'static OsThread>>, thread: &'static OsThread) {
    thread.next.set(list.get());
    list.set(Some(thread));
}

/// Takes `thread` out of a list. Masked; steps: those before it.
fn take_out(list: &Cell<Option<&'static OsThread>>, thread: &'static OsThread) {
    let mut place = list;
    while let Some(other) = place.get() {
        if ptr::eq(other, thread) {
            return place.set(thread.next.take());
        }
        place = &other.next;
    }
}

/// Gives back the memory of a thread.
///
/// # Safety
/// No code uses it any more, not even the thread.
unsafe fn free(thread: &'static OsThread) {
    // SAFETY: the caller guarantees that no code uses the thread any more.
    unsafe {
        if let Some(posix) = thread.posix.take() {
            posix.free();
        }
        if let Some(task) = thread.task.take() {
            task.free();
        }
        #[cfg(any(target_arch = "arm", target_arch = "riscv64"))]
        if let Some(kept) = thread.kept.take() {
            Memory::let_go(kept);
        }
        thread.stack.free();
        object::release(thread);
    }
}

/// Gives back the memory of the threads that have ended, once they have left their stacks.
pub(super) fn free_ended() {
    let is_gone = |thread: &&'static OsThread| thread.handle().state() == State::NonExistent;
    while let Some(thread) = os().ended.get().filter(is_gone) {
        masked(|| take_out(&os().ended, thread));
        // SAFETY: it does not exist any more, and no call finds it by its id.
        unsafe { free(thread) };
    }
}

/// Revokes the thread's id, so that no call finds it any more. It is freed when it is gone.
fn bury(thread: &'static OsThread) {
    thread.head.revoke();
    masked(|| {
        take_out(&os().threads, thread);
        push(&os().ended, thread);
    });
}

/// Ends a thread; one that is to be joined is found until then.
pub(crate) fn end(thread: &'static OsThread) {
    if let Some(task) = thread.task.get() {
        task.end();
    }
    let is_joinable = masked(|| {
        thread.head.turn::<OsThread>();
        thread.is_joinable.get()
    });
    if !is_joinable {
        bury(thread);
        // The timers' thread frees it. That thread is less urgent than most, but it runs in the
        // end.
        os().clock.wake();
    }
    let _ = thread.handle().delete();
}

pub(crate) fn exit() -> ! {
    if let Some(thread) = OsThread::current() {
        end(thread);
    }
    AnyThread::<Board>::exit()
}

/// Thread that starts the others. It is above them, so that the most urgent one runs first.
static STARTER: Thread<Board, { 256 * size_of::<usize>() }> = Thread::new("starter").priority(0);

/// Starts the board with all threads that were made.
#[cfg(target_os = "none")]
pub(crate) fn start_all() -> Status {
    taktos::board::start(&STARTER, start_threads)
}

/// On the host a kernel runs already.
#[cfg(not(target_os = "none"))]
pub(crate) fn start_all() -> Status {
    start_threads();
    OK
}

/// Starts the threads; the body of the first thread.
fn start_threads() {
    let attributes = ThreadAttributes {
        priority: HIGHEST.min(configuration().timer_priority as i32 + 1),
        stack_size: 2 * USUAL_STACK as u32,
        base: Attributes {
            name: c"timers".as_ptr(),
            ..Attributes::NONE
        },
        ..ThreadAttributes::NONE
    };
    make(timer::call_for_ever, ptr::null_mut(), &attributes);
    crate::freertos::start_hooks();
    if let Some(ticks) = os().slice.get() {
        let _ =
            Kernel::<Board>::set_time_slice(Some(Duration::from_nanos(u64::from(ticks) * TICK)));
    }
    os().phase.set(Phase::Running);
    // In the order in which they were made: the list has the last one first.
    let mut started = None;
    loop {
        let mut next = os().threads.get();
        while let Some(thread) = next
            && thread.next.get().map(ptr::from_ref) != started
        {
            next = thread.next.get();
        }
        let Some(thread) = next else { break };
        thread.launch();
        started = Some(ptr::from_ref(thread));
    }
}

/// The thread of an id that has not ended, and what to say where there is none.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn living(id: Id) -> Result<&'static OsThread, Status> {
    if in_handler() {
        return Err(ISR);
    }
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { id.get::<OsThread>() } {
        None => Err(PARAMETER),
        Some(thread) if thread.has_ended() => Err(RESOURCE),
        Some(thread) => Ok(thread),
    }
}

/// Joins a thread: waits by `wait` if it has not ended, and has `take` take its result before it is
/// gone. `osErrorResource` if it is not joinable, another thread joins it, or it is the caller;
/// `osError` if it has not ended when the wait is over.
pub(crate) fn join(
    thread: &'static OsThread,
    wait: impl FnOnce(&'static OsThread),
    take: impl FnOnce(&'static OsThread),
) -> Status {
    let is_caller = OsThread::current().is_some_and(|current| ptr::eq(current, thread));
    let may_join =
        masked(|| thread.is_joinable.get() && !is_caller && !thread.is_joined.replace(true));
    if !may_join {
        return RESOURCE;
    }
    if !thread.has_ended() {
        wait(thread);
        if !thread.has_ended() {
            thread.is_joined.set(false);
            return ERROR;
        }
    }
    take(thread);
    bury(thread);
    free_ended();
    OK
}

/// Applies `act` to a thread that has not ended.
///
/// # Safety
/// As for [`Id::get`].
unsafe fn with(id: Id, act: impl FnOnce(&'static OsThread) -> Status) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { living(id) } {
        Ok(thread) => act(thread),
        Err(status) => status,
    }
}

interface! {
    /// Makes a thread that calls `entry`. It is ready at once, where threads run. Null in a
    /// handler, without an entry, for attributes out of range, and without memory. Memory is the
    /// caller's where it is given: a control block or a stack that is too small for the machine
    /// comes from the heap, and the caller's is left alone.
    fn osThreadNew(entry: Option<Entry>, argument: *mut c_void, attributes: *const ThreadAttributes) -> Id {
        let Some(entry) = entry.filter(|_| !in_handler()) else {
            return Id::NONE;
        };
        // SAFETY: the caller guarantees that `attributes` is null or valid.
        let attributes = unsafe { attributes.as_ref() }.unwrap_or(&ThreadAttributes::NONE);
        let thread = make(entry, argument, attributes);
        if let Some(thread) = thread.filter(|_| os().is_running()) {
            thread.launch();
        }
        thread.map_or(Id::NONE, Id::of)
    }

    /// The calling thread; in a handler, the one that was interrupted. Null before there are
    /// threads.
    fn osThreadGetId() -> Id {
        OsThread::current().map_or(Id::NONE, Id::of)
    }

    /// Returns the state of a thread; `osThreadError` if the id is not a thread's, and in a
    /// handler.
    fn osThreadGetState(id: Id) -> i32 {
        const INACTIVE: i32 = 0;
        const READY: i32 = 1;
        const RUNNING: i32 = 2;
        const BLOCKED: i32 = 3;
        const TERMINATED: i32 = 4;
        if in_handler() {
            return ERROR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { id.get::<OsThread>() }) else {
            return ERROR;
        };
        if thread.has_ended() {
            return TERMINATED;
        }
        match thread.handle().state() {
            // It is to be started with the kernel.
            State::Dormant | State::Ready => READY,
            State::Executing => RUNNING,
            State::Blocked => BLOCKED,
            State::NonExistent => INACTIVE,
        }
    }

    /// Returns the requested size of a thread's stack in bytes; 0 in a handler.
    fn osThreadGetStackSize(id: Id) -> u32 {
        if in_handler() {
            return 0;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { id.get::<OsThread>() }.map_or(0, |thread| thread.stack_asked)
    }

    /// How much of its stack a thread has never used, in bytes; 0 in a handler.
    fn osThreadGetStackSpace(id: Id) -> u32 {
        if in_handler() {
            return 0;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { id.get::<OsThread>() }) else {
            return 0;
        };
        let used = thread.handle().stack_used().unwrap_or(thread.stack_size as usize);
        thread.stack_asked.min(thread.stack_size).saturating_sub(used as u32)
    }

    /// Gives a thread another priority.
    fn osThreadSetPriority(id: Id, priority: i32) -> Status {
        if !in_handler() && !(1..=HIGHEST).contains(&priority) {
            return PARAMETER;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe {
            with(id, |thread| status(thread.set_priority(priority)))
        }
    }

    /// The priority by which a thread is scheduled now: its own, or one that it inherits.
    /// `osPriorityError` in a handler.
    fn osThreadGetPriority(id: Id) -> i32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { living(id) }.map_or(ERROR, OsThread::effective_priority)
    }

    /// Lets the next thread of the same priority run.
    fn osThreadYield() -> Status {
        if os().phase.get() != Phase::Running || !surely_in_thread() {
            cold_path();
            return if in_handler() { ISR } else { ERROR };
        }
        last::yield_now::<Statuses>()
    }

    /// Suspends a thread, whatever it waits for. `osErrorResource` where it is suspended already,
    /// or is the caller with the kernel locked.
    fn osThreadSuspend(id: Id) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get_where::<Living>(surely_in_thread) } {
            Some(Living(thread)) if os().phase.get() == Phase::Running => {
                last::suspend::<Statuses>(thread.handle())
            }
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            _ => slow_path(unsafe { suspend(id) }),
        }
    }

    /// Lets a suspended thread continue; ends the wait of one that waits, as if its time were over.
    /// `osErrorResource` if neither is so.
    fn osThreadResume(id: Id) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        match unsafe { id.get_where::<Living>(surely_in_thread) } {
            Some(Living(thread)) => last::resume_or_cancel::<Statuses>(thread.handle()),
            // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
            _ => slow_path(unsafe { refused(id) }),
        }
    }

    /// Detaches a thread: no thread is to join it any more, and it is freed when it ends.
    /// `osErrorResource` if it is not joinable.
    fn osThreadDetach(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { id.get::<OsThread>() }) else {
            return PARAMETER;
        };
        if !masked(|| thread.is_joinable.replace(false)) {
            return RESOURCE;
        }
        if thread.has_ended() {
            bury(thread);
            free_ended();
        }
        OK
    }

    /// Waits for the end of a thread. `osErrorResource` if it is not joinable, another thread joins
    /// it, or it is the caller.
    fn osThreadJoin(id: Id) -> Status {
        if in_handler() {
            return ISR;
        }
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        let Some(thread) = (unsafe { id.get::<OsThread>() }) else {
            return PARAMETER;
        };
        let mut joined = Ok(());
        let time = if os().is_locked() { Timeout::NONE } else { Timeout::FOREVER };
        match join(thread, |thread| joined = thread.handle().join(time), |_| ()) {
            ERROR => status(joined),
            result => result,
        }
    }

    /// Ends the calling thread; does not come back.
    fn osThreadExit() -> ! {
        exit()
    }

    /// Ends a thread. `osMutexNew` says what becomes of the mutexes that it owns.
    fn osThreadTerminate(id: Id) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe {
            with(id, |thread| {
                end(thread);
                free_ended();
                OK
            })
        }
    }

    /// How many threads there are that have not ended; 0 in a handler.
    fn osThreadGetCount() -> u32 {
        if in_handler() {
            return 0;
        }
        let mut count = 0;
        masked(|| for_each_living(|_| count += 1));
        count
    }

    /// Writes the ids of as many threads as there is room for, and says how many; 0 in a handler.
    fn osThreadEnumerate(ids: *mut Id, room: u32) -> u32 {
        if in_handler() || ids.is_null() {
            return 0;
        }
        let mut count = 0;
        masked(|| {
            for_each_living(|thread| {
                if count < room {
                    // SAFETY: the caller guarantees that there is space for `room` ids at `ids`.
                    unsafe { ids.add(count as usize).write(Id::of(thread)) };
                    count += 1;
                }
            });
        });
        count
    }

    /// Lets a thread run on the processors of a mask, of which there is one.
    fn osThreadSetAffinityMask(id: Id, mask: u32) -> Status {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { with(id, |_| if mask == AFFINITY { OK } else { PARAMETER }) }
    }

    /// The processors that a thread may run on; 0 in a handler, and for what is no thread.
    fn osThreadGetAffinityMask(id: Id) -> u32 {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        unsafe { living(id) }.map_or(0, |_| AFFINITY)
    }

    /// Safety classes: there are none here, `osErrorId`.
    fn osThreadGetClass(_id: Id) -> u32 {
        NO_NUMBER
    }

    /// Zones: there are none here, `osErrorId`.
    fn osThreadGetZone(_id: Id) -> u32 {
        NO_NUMBER
    }

    /// Zones: there are none here, `osError`.
    fn osThreadTerminateZone(_zone: u32) -> Status {
        ERROR
    }

    /// Watchdogs of threads: there are none here, `osError`.
    fn osThreadFeedWatchdog(_ticks: u32) -> Status {
        ERROR
    }

    /// All threads are privileged: `osError`.
    fn osThreadProtectPrivileged() -> Status {
        ERROR
    }

    /// Safety classes: there are none here, `osError`.
    fn osThreadSuspendClass(_class: u32, _mode: u32) -> Status {
        ERROR
    }

    /// Safety classes: there are none here, `osError`.
    fn osThreadResumeClass(_class: u32, _mode: u32) -> Status {
        ERROR
    }
}

/// [`osThreadSuspend`] away from the usual case.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn suspend(id: Id) -> Status {
    let is_caller =
        |thread: &'static OsThread| Some(thread.id()) == OsThread::current().map(Id::of);
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { living(id) } {
        Ok(thread) if os().is_locked() && is_caller(thread) => RESOURCE,
        Ok(thread) => status(thread.handle().suspend()),
        Err(status) => status,
    }
}

/// [`osThreadResume`] for what is no living thread, and in handlers.
///
/// # Safety
/// As there.
#[cold]
#[inline(never)]
unsafe fn refused(id: Id) -> Status {
    // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
    match unsafe { living(id) } {
        // A machine that takes the start for a handler.
        Ok(thread) => thread.handle().resume_or_cancel_last::<Statuses>(),
        Err(status) => status,
    }
}

/// Visits the threads that have not ended. Masked.
pub(crate) fn for_each_living(mut visit: impl FnMut(&'static OsThread)) {
    let mut next = os().threads.get();
    while let Some(thread) = next {
        if !thread.has_ended() {
            visit(thread);
        }
        next = thread.next.get();
    }
}
