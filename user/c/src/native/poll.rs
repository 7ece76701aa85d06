//! Polls: a thread waits for the first of several objects.

use super::events::{ALL, BOTH, TAKE};
use super::{At, Code, OK, Time, failed, in_thread, native, number, room, timeout};
use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::slice;
use taktos::board::Board;
use taktos::{
    AnyThread, Branch, Error, EventFlags, Fifo, Kernel, MOST_POLLED, Pipe, Pollable, RawQueue,
    Semaphore,
};
use taktos_kernel::branches::{Awaiting, Notified, RawReceiving, Reading, Receiving, Taking};

/// The kinds of objects.
const SEMAPHORE: u32 = 0;
const QUEUE: u32 = 1;
const FIFO: u32 = 2;
const EVENTS: u32 = 3;
const PIPE: u32 = 4;
const NOTIFICATION: u32 = 5;

type Words = Fifo<Board, usize, 16>;
type Bytes = Pipe<Board, 256>;

/// A branch of a poll.
enum Polled {
    Semaphore(Branch<Board, Taking<Board>>),
    Queue(Branch<Board, RawReceiving<'static, Board>>),
    Fifo(Branch<Board, Receiving<Words, usize>>),
    Events(Branch<Board, Awaiting<Board>>),
    Pipe(Branch<Board, Reading<'static, Board, 256>>),
    Notification(Branch<Board, Notified<false>>),
}

/// `taktos_poll_t`.
#[repr(C)]
pub struct Event {
    kind: u32,
    flags: u32,
    options: u32,
    code: Code,
    object: *mut c_void,
    place: *mut c_void,
    length: usize,
    found: usize,
    branch: Memory,
}

/// The space for a branch that `taktos_poll_t` has.
#[repr(C, align(8))]
struct Memory(MaybeUninit<[usize; MEMORY]>);

const MEMORY: usize = 40;
const _: () = assert!(size_of::<Polled>() <= size_of::<Memory>() && align_of::<Polled>() <= 8);

impl Event {
    /// The branch that it describes. Errors: `Parameter` for an object or a kind that is none.
    ///
    /// # Safety
    /// The addresses are null or lead to what the header says, as long as the poll lasts.
    unsafe fn polled(&self) -> Result<Polled, Error> {
        let (object, place) = (self.object, self.place);
        // SAFETY: the caller guarantees space for `length` bytes at an address.
        let message = |length| unsafe { room(place, length) };
        // SAFETY: the caller guarantees that `object` is null or memory of the header's type.
        unsafe {
            Ok(match self.kind {
                SEMAPHORE => {
                    Polled::Semaphore(At::<Semaphore<Board>>(object.cast()).get()?.taking())
                }
                QUEUE => {
                    let queue = At::<RawQueue<Board>>(object.cast()).get()?;
                    Polled::Queue(queue.receiving(message(queue.size())?))
                }
                FIFO => Polled::Fifo(At::<Words>(object.cast()).get()?.popping()),
                EVENTS => Polled::Events(self.awaiting(At(object.cast()).get()?)?),
                PIPE => {
                    let pipe = At::<Bytes>(object.cast()).get()?;
                    Polled::Pipe(pipe.reading(message(self.length)?))
                }
                NOTIFICATION => Polled::Notification(AnyThread::<Board>::notified(self.flags)),
                _ => return Err(Error::Parameter),
            })
        }
    }

    fn awaiting(
        &self,
        group: &'static EventFlags<Board>,
    ) -> Result<Branch<Board, Awaiting<Board>>, Error> {
        match self.options {
            0 => Ok(group.awaiting_any(self.flags)),
            ALL => Ok(group.awaiting_all(self.flags)),
            TAKE => Ok(group.taking_any(self.flags)),
            BOTH => Ok(group.taking_all(self.flags)),
            _ => Err(Error::Parameter),
        }
    }

    /// Makes the branch in its place.
    ///
    /// # Safety
    /// As [`Event::polled`].
    unsafe fn make(&mut self) -> Result<&mut Polled, Error> {
        // SAFETY: the contract of this function is that of `Event::polled`; the place has space for
        // a branch, which needs no drop.
        unsafe {
            let branch = self.polled()?;
            let place = (&raw mut self.branch).cast::<Polled>();
            place.write(branch);
            Ok(&mut *place)
        }
    }

    /// Tells the outcome of the branch, if it ended the poll.
    ///
    /// # Safety
    /// [`Event::make`] has made it, and as there.
    unsafe fn tell(&mut self) {
        // SAFETY: the caller guarantees a branch in the place.
        let branch = unsafe { &mut *(&raw mut self.branch).cast::<Polled>() };
        let outcome = match branch {
            Polled::Semaphore(branch) => branch.outcome().map(|taken| taken.map(|()| 0)),
            Polled::Queue(branch) => branch.outcome().map(|got| got.map(usize::from)),
            Polled::Fifo(branch) => branch.outcome(),
            Polled::Events(branch) => branch.outcome().map(|got| got.map(|flags| flags as usize)),
            Polled::Pipe(branch) => branch.outcome(),
            Polled::Notification(branch) => {
                branch.outcome().map(|got| got.map(|word| word as usize))
            }
        };
        match outcome {
            Some(Ok(found)) => (self.code, self.found) = (OK, found),
            Some(Err(error)) => self.code = failed(error),
            None => {}
        }
    }
}

impl Polled {
    fn branch(&mut self) -> &mut dyn Pollable<Board> {
        match self {
            Self::Semaphore(branch) => branch,
            Self::Queue(branch) => branch,
            Self::Fifo(branch) => branch,
            Self::Events(branch) => branch,
            Self::Pipe(branch) => branch,
            Self::Notification(branch) => branch,
        }
    }
}

/// Polls `events`, of which there are 1 to [`MOST_POLLED`].
///
/// # Safety
/// As [`Event::polled`], for each.
unsafe fn poll(events: &mut [Event], time: Time) -> Result<usize, Error> {
    let mut branches: [Option<&mut dyn Pollable<Board>>; MOST_POLLED] = Default::default();
    for (event, branch) in events.iter_mut().zip(&mut branches) {
        // SAFETY: the contract of this function is that of `Event::make`.
        *branch = Some(unsafe { event.make() }?.branch());
    }
    let ended = Kernel::<Board>::poll_among(&branches, timeout(time))?;
    // SAFETY: `make` has made all branches; the references to them are not used any more.
    unsafe { events[ended].tell() };
    Ok(ended)
}

native! {
    /// Waits until the first of the operations that `events` describes ends, and does just this
    /// one: the number of its event, or an error. The event then has its code and what was found:
    /// the priority of a message, the word of a FIFO, all flags that were set, the number of bytes
    /// read, the word of a notification; the others are as before. Errors: Timeout, WouldBlock,
    /// Cancelled; Parameter unless there are 1 to 8 events, of different objects; Context in a
    /// handler.
    fn taktos_poll(events: *mut Event, count: usize, time: Time) -> isize {
        if let Err(error) = in_thread() {
            return failed(error) as isize;
        }
        if events.is_null() || count == 0 || count > MOST_POLLED {
            return failed(Error::Parameter) as isize;
        }
        // SAFETY: the caller guarantees `count` events of the header's type, with addresses that
        // are null or lead to what the header says.
        number(unsafe { poll(slice::from_raw_parts_mut(events, count), time) })
    }
}
