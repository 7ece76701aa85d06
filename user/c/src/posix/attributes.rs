//! Owns: the attributes of threads. Must never know: how a thread is made of them.

use super::code;
use super::errno::Errno;
use super::thread::{PosixThread, living};
use crate::cmsis::interface;
use crate::cmsis::thread::{HIGHEST, JOINABLE, NORMAL, OsThread, ThreadAttributes};
use crate::object::{self, Id};
use core::ffi::{c_int, c_void};
use core::ptr;
use taktos::RawThread;
use taktos::board::Board;

/// `SCHED_OTHER`, which is scheduled as `SCHED_RR` is; then `SCHED_FIFO`, and that.
pub const POLICY_OTHER: c_int = 0;
const POLICIES: core::ops::RangeInclusive<c_int> = 0..=2;
/// The priorities: a higher number is more urgent.
pub const PRIORITIES: core::ops::RangeInclusive<c_int> = 1..=HIGHEST;

const CREATE_JOINABLE: c_int = 0;
const CREATE_DETACHED: c_int = 1;
const INHERIT: c_int = 0;
const EXPLICIT: c_int = 1;
const SCOPE_SYSTEM: c_int = 0;
const SCOPE_PROCESS: c_int = 1;

/// `PTHREAD_STACK_MIN`: room for what a thread calls at its end.
pub(super) const LEAST_STACK: usize = if size_of::<usize>() == 4 { 1024 } else { 4096 };
const _: () = assert!(RawThread::<Board>::SMALLEST_STACK <= LEAST_STACK);
/// The alignment of stacks.
const STACK_ALIGNMENT: usize = 8;
/// Stack of a thread that requests none.
const USUAL_STACK: usize = 1024 * size_of::<usize>();

/// `struct sched_param`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Parameters {
    /// The priority: [`PRIORITIES`].
    pub priority: c_int,
}

/// `pthread_attr_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Attributes {
    state: u32,
    detach_state: c_int,
    inherits: c_int,
    policy: c_int,
    priority: c_int,
    stack: *mut u8,
    stack_size: usize,
    guard_size: usize,
}

const ALIVE: u32 = u32::from_be_bytes(*b"PATT");
const _: () = assert!(size_of::<Attributes>() <= 7 * 8 && align_of::<Attributes>() <= 8);

impl Attributes {
    /// Those that are usual.
    pub const NEW: Self = Self {
        state: ALIVE,
        detach_state: CREATE_JOINABLE,
        inherits: INHERIT,
        policy: POLICY_OTHER,
        priority: NORMAL,
        stack: ptr::null_mut(),
        stack_size: USUAL_STACK,
        guard_size: 0,
    };

    /// Whether they were made and not destroyed.
    pub fn is_alive(&self) -> bool {
        self.state == ALIVE
    }

    /// Sets the size of the stack.
    pub fn set_stack_size(&mut self, size: usize) {
        self.stack_size = size;
    }

    /// The policy and the priority of a thread that the caller makes.
    pub fn scheduling(&self) -> (c_int, c_int) {
        let current = OsThread::current().filter(|_| self.inherits == INHERIT);
        match current {
            None => (self.policy, self.priority),
            Some(thread) => {
                let policy = thread.posix().map(|posix| posix.policy.get());
                (policy.unwrap_or(POLICY_OTHER), thread.priority())
            }
        }
    }

    /// Returns the attributes of a thread that no thread joins and that is scheduled as a thread
    /// which the caller makes now, no matter which thread makes it.
    pub fn of_notifier(mut self) -> Self {
        (self.policy, self.priority) = self.scheduling();
        self.inherits = EXPLICIT;
        self.detach_state = CREATE_DETACHED;
        self
    }

    /// Returns the attributes of the interface's thread.
    pub fn of_thread(&self, priority: c_int) -> ThreadAttributes {
        ThreadAttributes {
            base: object::Attributes {
                bits: if self.detach_state == CREATE_JOINABLE {
                    JOINABLE
                } else {
                    0
                },
                ..object::Attributes::NONE
            },
            stack: self.stack,
            stack_size: self.stack_size as u32,
            priority,
            ..ThreadAttributes::NONE
        }
    }
}

/// Returns the attributes at `place`. Errors: `EINVAL` if there are none.
///
/// # Safety
/// The address is null or leads to a variable of the type, which no other code uses meanwhile.
unsafe fn alive<'a>(place: *mut Attributes) -> Result<&'a mut Attributes, Errno> {
    // SAFETY: the caller guarantees that `place` is null or a variable that no other code uses
    // meanwhile.
    let attributes = unsafe { place.as_mut() };
    attributes
        .filter(|attributes| attributes.is_alive())
        .ok_or(Errno::INVAL)
}

/// Sets one of them if it is allowed, else the error.
unsafe fn set(
    place: *mut Attributes,
    allowed: Result<(), Errno>,
    set: impl FnOnce(&mut Attributes),
) -> c_int {
    // SAFETY: the caller guarantees that `place` is null or writable.
    code(unsafe { alive(place) }.and_then(|attributes| allowed.map(|()| set(attributes))))
}

/// Writes one of them to `to`.
unsafe fn get<T>(
    place: *const Attributes,
    to: *mut T,
    get: impl FnOnce(&Attributes) -> T,
) -> c_int {
    // SAFETY: the caller guarantees that `place` is null or writable.
    code(unsafe { alive(place.cast_mut()) }.and_then(|attributes| {
        // SAFETY: the caller guarantees that `to` is null or writable.
        *unsafe { to.as_mut() }.ok_or(Errno::INVAL)? = get(attributes);
        Ok(())
    }))
}

/// Nothing if it is so, else the error.
pub fn require(is_so: bool, error: Errno) -> Result<(), Errno> {
    match is_so {
        true => Ok(()),
        false => Err(error),
    }
}

/// `SCHED_SPORADIC`, which there is not.
const POLICY_SPORADIC: c_int = 4;

/// Whether these are a policy and a priority. Errors: `EINVAL`; `ENOTSUP` for sporadic servers.
pub fn check(policy: c_int, priority: c_int) -> Result<(), Errno> {
    require(policy != POLICY_SPORADIC, Errno::NOTSUP)?;
    require(
        POLICIES.contains(&policy) && PRIORITIES.contains(&priority),
        Errno::INVAL,
    )
}

interface! {
    /// Makes attributes: joinable, scheduled as the maker is, with a stack of 1,024 words.
    fn pthread_attr_init(place: *mut Attributes) -> c_int {
        if place.is_null() {
            return Errno::INVAL.0;
        }
        // SAFETY: the caller guarantees that `place` is writable.
        unsafe { place.write(Attributes::NEW) };
        0
    }

    /// They are none any more.
    fn pthread_attr_destroy(place: *mut Attributes) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, Ok(()), |attributes| attributes.state = 0) }
    }

    /// Whether the thread is to be joined or not.
    fn pthread_attr_setdetachstate(place: *mut Attributes, state: c_int) -> c_int {
        let allowed = require(matches!(state, CREATE_JOINABLE | CREATE_DETACHED), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, allowed, |attributes| attributes.detach_state = state) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getdetachstate(place: *const Attributes, state: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `state` is null or
        // writable.
        unsafe { get(place, state, |attributes| attributes.detach_state) }
    }

    /// Whether the thread is scheduled as its maker is, or as is said here.
    fn pthread_attr_setinheritsched(place: *mut Attributes, inherits: c_int) -> c_int {
        let allowed = require(matches!(inherits, INHERIT | EXPLICIT), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, allowed, |attributes| attributes.inherits = inherits) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getinheritsched(place: *const Attributes, inherits: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `inherits` is null or
        // writable.
        unsafe { get(place, inherits, |attributes| attributes.inherits) }
    }

    /// The policy.
    fn pthread_attr_setschedpolicy(place: *mut Attributes, policy: c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, check(policy, NORMAL), |attributes| attributes.policy = policy) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getschedpolicy(place: *const Attributes, policy: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `policy` is null or
        // writable.
        unsafe { get(place, policy, |attributes| attributes.policy) }
    }

    /// The priority.
    fn pthread_attr_setschedparam(place: *mut Attributes, parameters: *const Parameters) -> c_int {
        // SAFETY: the caller guarantees that `parameters` is null or valid.
        let priority = unsafe { parameters.as_ref() }.map_or(0, |parameters| parameters.priority);
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, check(POLICY_OTHER, priority), |attributes| attributes.priority = priority) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getschedparam(place: *const Attributes, parameters: *mut Parameters) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `parameters` is null or
        // writable.
        unsafe { get(place, parameters, |attributes| Parameters { priority: attributes.priority }) }
    }

    /// Sets the threads with which the thread contends: all of the system, there being no other
    /// kind (`ENOTSUP`).
    fn pthread_attr_setscope(place: *mut Attributes, scope: c_int) -> c_int {
        let allowed = match scope {
            SCOPE_SYSTEM => Ok(()),
            SCOPE_PROCESS => Err(Errno::NOTSUP),
            _ => Err(Errno::INVAL),
        };
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, allowed, |_| ()) }
    }

    /// Among all of the system.
    fn pthread_attr_getscope(place: *const Attributes, scope: *mut c_int) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `scope` is null or
        // writable.
        unsafe { get(place, scope, |_| SCOPE_SYSTEM) }
    }

    /// The size of the stack, in bytes.
    fn pthread_attr_setstacksize(place: *mut Attributes, size: usize) -> c_int {
        let allowed = require((LEAST_STACK..=u32::MAX as usize).contains(&size), Errno::INVAL);
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, allowed, |attributes| attributes.stack_size = size) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getstacksize(place: *const Attributes, size: *mut usize) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `size` is null or
        // writable.
        unsafe { get(place, size, |attributes| attributes.stack_size) }
    }

    /// The stack, from its lowest address, and its size in bytes. It begins and ends at a multiple
    /// of 8 within what is given.
    fn pthread_attr_setstack(place: *mut Attributes, stack: *mut c_void, size: usize) -> c_int {
        let skipped = stack.addr().wrapping_neg() % STACK_ALIGNMENT;
        let rounded = size.saturating_sub(skipped) / STACK_ALIGNMENT * STACK_ALIGNMENT;
        let allowed = !stack.is_null()
            && (LEAST_STACK..=u32::MAX as usize).contains(&size)
            && rounded >= RawThread::<Board>::SMALLEST_STACK;
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe {
            set(place, require(allowed, Errno::INVAL), |attributes| {
                attributes.stack = stack.cast::<u8>().wrapping_add(skipped);
                attributes.stack_size = rounded;
            })
        }
    }

    /// Reads that attribute back.
    fn pthread_attr_getstack(place: *const Attributes, stack: *mut *mut c_void, size: *mut usize) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `stack` is null or
        // writable.
        match unsafe { get(place, stack, |attributes| attributes.stack.cast()) } {
            // SAFETY: the caller guarantees that `size` is null or writable.
            0 => unsafe { pthread_attr_getstacksize(place, size) },
            error => error,
        }
    }

    /// Sets the size of a guard below the stack. The guard is the machine's, whatever size is
    /// requested.
    fn pthread_attr_setguardsize(place: *mut Attributes, size: usize) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or writable.
        unsafe { set(place, Ok(()), |attributes| attributes.guard_size = size) }
    }

    /// Reads that attribute back.
    fn pthread_attr_getguardsize(place: *const Attributes, size: *mut usize) -> c_int {
        // SAFETY: the caller guarantees that `place` is null or valid, and `size` is null or
        // writable.
        unsafe { get(place, size, |attributes| attributes.guard_size) }
    }
}

interface! {
    /// The attributes of a thread that runs, its stack among them. `ESRCH` where there is none.
    fn pthread_getattr_np(id: Id, place: *mut Attributes) -> c_int {
        // SAFETY: the caller guarantees that `id` is valid for `Id::get`.
        code(unsafe { living(id) }.and_then(|thread| {
            let (stack, stack_size) = thread.stack();
            // SAFETY: the caller guarantees that `place` is null or writable.
            *unsafe { place.as_mut() }.ok_or(Errno::INVAL)? = Attributes {
                detach_state: if thread.is_joinable() { CREATE_JOINABLE } else { CREATE_DETACHED },
                policy: policy_of(thread),
                priority: thread.priority(),
                stack,
                stack_size,
                ..Attributes::NEW
            };
            Ok(())
        }))
    }
}

/// The policy of a thread.
pub(super) fn policy_of(thread: &'static OsThread) -> c_int {
    PosixThread::of(thread).map_or(POLICY_OTHER, |posix| posix.policy.get())
}
