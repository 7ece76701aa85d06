//! Owns: copies of bytes between the buffers of threads that are inside a call, and a ring in
//! memory. Must never know: the threads that wait for them.
#![expect(
    unsafe_code,
    reason = "buffers of other threads are reached by address"
)]

use crate::Error;
use crate::critical_section::{CriticalSection, Guarded};
use crate::object::copy::{FEW, copy_words};
use crate::object::ring::wrap;
use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr;

/// The state of a transfer between a buffer and a pipe: the rest of the buffer, and how much of it
/// must be moved before the call is complete.
pub(crate) struct Progress {
    place: Cell<*mut u8>,
    left: Cell<usize>,
    needed: Cell<usize>,
}

impl Progress {
    #[inline(always)]
    fn new(place: *mut u8, left: usize, needed: usize) -> Self {
        Self {
            place: Cell::new(place),
            left: Cell::new(left),
            needed: Cell::new(needed),
        }
    }

    /// The bytes that were not moved yet.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.left.get()
    }

    /// The bytes that must still be moved before the call is complete.
    #[inline(always)]
    pub fn needed(&self) -> usize {
        self.needed.get()
    }

    /// The place of the next `count` bytes, which are moved now.
    #[inline(always)]
    fn advance(&self, count: usize) -> *mut u8 {
        let place = self.place.get();
        self.place.set(place.wrapping_add(count));
        self.left.set(self.left.get() - count);
        self.needed.set(self.needed.get().saturating_sub(count));
        place
    }
}

/// A buffer from which bytes are moved. It exists only as long as the buffer is borrowed.
pub(crate) struct Outgoing(Progress);

/// A buffer to which bytes are moved. It exists only as long as the buffer is borrowed.
pub(crate) struct Incoming(Progress);

impl Outgoing {
    /// Calls `transfer` with all of `buffer`, of which at least `needed` bytes are to be moved.
    pub fn of<X>(buffer: &[u8], needed: usize, transfer: impl FnOnce(&Self) -> X) -> X {
        transfer(&Self(Progress::new(
            buffer.as_ptr().cast_mut(),
            buffer.len(),
            needed,
        )))
    }

    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.0
    }

    /// Moves as many bytes as there are and the other takes.
    #[inline(always)]
    pub fn move_to(&self, other: &Incoming) {
        let count = self.0.left().min(other.0.left());
        // SAFETY: both ranges are what is left of the borrowed buffers that the two were made of;
        // one is borrowed mutably, so they do not overlap.
        unsafe { copy(self.0.advance(count), other.0.advance(count), count) }
    }
}

impl Incoming {
    /// Calls `transfer` with all of `buffer`, to which at least `needed` bytes are to be moved.
    pub fn of<X>(buffer: &mut [u8], needed: usize, transfer: impl FnOnce(&Self) -> X) -> X {
        transfer(&Self(Progress::new(
            buffer.as_mut_ptr(),
            buffer.len(),
            needed,
        )))
    }

    /// How far it is.
    pub fn progress(&self) -> &Progress {
        &self.0
    }
}

/// A buffer, borrowed, of which at least one byte is to be filled: for transfers that begin again.
pub(crate) struct Room<'a> {
    incoming: Incoming,
    length: usize,
    buffer: PhantomData<&'a mut [u8]>,
}

impl<'a> Room<'a> {
    /// All of `buffer`.
    pub fn of(buffer: &'a mut [u8]) -> Self {
        Self {
            length: buffer.len(),
            incoming: Incoming(Progress::new(buffer.as_mut_ptr(), buffer.len(), 1)),
            buffer: PhantomData,
        }
    }

    /// The transfer.
    pub fn incoming(&self) -> &Incoming {
        &self.incoming
    }

    /// How many bytes the buffer has space for.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Begins the transfer again, and returns how many bytes it had moved.
    pub fn rewind(&self) -> usize {
        let Progress {
            place,
            left,
            needed,
        } = &self.incoming.0;
        let moved = self.length - left.get();
        place.set(place.get().wrapping_sub(moved));
        left.set(self.length);
        needed.set(1);
        moved
    }
}

/// Copies `count` bytes: a few whole words in line, anything else by the library's function.
///
/// # Safety
/// The two ranges of `count` bytes can be read and written, and do not overlap.
#[inline(always)]
unsafe fn copy(from: *const u8, to: *mut u8, count: usize) {
    const WORD: usize = size_of::<u32>();
    if (from.addr() | to.addr() | count).is_multiple_of(WORD) && count <= FEW * WORD {
        // SAFETY: the caller's contract, and both are aligned.
        unsafe { copy_words(from.cast(), to.cast(), count / WORD) }
    } else {
        // SAFETY: the caller's contract.
        unsafe { ptr::copy_nonoverlapping(from, to, count) }
    }
}

/// The value of [`ByteRing::used`] of a ring that is closed: empty for readers, and without space
/// for writers.
const CLOSED: usize = usize::MAX;

/// A ring of `N` bytes.
///
/// Invariants: `head < N`; `used <= N` or [`CLOSED`]. A new one is all zeros: in a static it takes
/// no space in the image.
#[repr(C)]
pub(crate) struct ByteRing<const N: usize> {
    used: Guarded<usize>,
    /// The place of the oldest byte.
    head: Guarded<usize>,
    bytes: Guarded<[Cell<u8>; N]>,
}

impl<const N: usize> ByteRing<N> {
    /// An empty ring.
    ///
    /// # Panics
    /// If `N` is 0 or does not fit half a word.
    pub const fn new() -> Self {
        assert!(
            N > 0 && N < 1 << 31,
            "there must be room for 1 byte to 2 GiB"
        );
        Self {
            used: Guarded::new(0),
            head: Guarded::new(0),
            bytes: Guarded::new([const { Cell::new(0) }; N]),
        }
    }

    /// The number of bytes in it.
    #[inline(always)]
    pub fn len(&self, cs: CriticalSection<'_>) -> usize {
        let used = self.used.get(cs);
        if used == CLOSED { 0 } else { used }
    }

    /// The number of bytes for which there is room.
    #[inline(always)]
    pub fn room(&self, cs: CriticalSection<'_>) -> usize {
        N.saturating_sub(self.used.get(cs))
    }

    /// Moves in as many bytes as there are and there is room for.
    pub fn put(&self, cs: CriticalSection<'_>, from: &Outgoing) {
        let count = from.0.left().min(self.room(cs));
        if count == 0 {
            return;
        }
        let used = self.used.get(cs);
        let start = wrap::<N>(self.head.get(cs) + used);
        let first = count.min(N - start);
        // SAFETY: `count` bytes are left in the borrowed buffer; `first` of them fit between
        // `start`, which is below N, and the end of the ring, the others before `start`.
        unsafe {
            copy(from.0.advance(first), self.place(cs, start), first);
            if first < count {
                copy(
                    from.0.advance(count - first),
                    self.place(cs, 0),
                    count - first,
                );
            }
        }
        self.used.set(cs, used + count);
    }

    /// Moves out as many bytes as there are and there is room for.
    pub fn take(&self, cs: CriticalSection<'_>, to: &Incoming) {
        let count = to.0.left().min(self.len(cs));
        if count == 0 {
            return;
        }
        let start = self.head.get(cs);
        let first = count.min(N - start);
        // SAFETY: `count` bytes are left in the borrowed buffer; `first` of them lie between
        // `start`, which is below N, and the end of the ring, the others at its beginning.
        unsafe {
            copy(self.place(cs, start), to.0.advance(first), first);
            if first < count {
                copy(
                    self.place(cs, 0),
                    to.0.advance(count - first),
                    count - first,
                );
            }
        }
        self.head.set(cs, wrap::<N>(start + count));
        self.used.set(cs, self.used.get(cs) - count);
    }

    #[inline(always)]
    fn place(&self, cs: CriticalSection<'_>, index: usize) -> *mut u8 {
        ptr::from_ref(self.bytes.borrow(cs))
            .cast::<u8>()
            .cast_mut()
            .wrapping_add(index)
    }

    /// Whether the ring is closed.
    pub fn is_closed(&self, cs: CriticalSection<'_>) -> bool {
        self.used.get(cs) == CLOSED
    }

    /// Throws away the bytes, and lets none in or out.
    pub fn close(&self, cs: CriticalSection<'_>) {
        self.used.set(cs, CLOSED);
    }

    /// Makes a closed ring an empty one. Errors: `State` if it is not closed.
    pub fn renew(&self, cs: CriticalSection<'_>) -> Result<(), Error> {
        if !self.is_closed(cs) {
            return Err(Error::State);
        }
        self.used.set(cs, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critical_section::alone;
    extern crate std;

    #[test]
    fn bytes_come_out_as_they_went_in() {
        let cs = alone();
        let ring = ByteRing::<7>::new();
        let mut list = std::collections::VecDeque::new();
        let mut random = 1u32;
        for _ in 0..10_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let length = (random >> 20) as usize % 12;
            if random >> 31 == 0 {
                let data: std::vec::Vec<u8> =
                    (0..length).map(|i| (random >> 8) as u8 ^ i as u8).collect();
                let moved = length.min(7 - list.len());
                Outgoing::of(&data, length, |from| {
                    ring.put(cs, from);
                    assert_eq!(from.progress().left(), length - moved);
                    assert_eq!(from.progress().needed(), length - moved);
                });
                list.extend(&data[..moved]);
            } else {
                let mut data = std::vec![0xEE; length];
                let moved = length.min(list.len());
                Incoming::of(&mut data, 1, |to| {
                    ring.take(cs, to);
                    assert_eq!(to.progress().left(), length - moved);
                    assert_eq!(to.progress().needed(), usize::from(moved == 0));
                });
                let expected: std::vec::Vec<u8> = list.drain(..moved).collect();
                assert_eq!(data[..moved], expected);
                assert!(data[moved..].iter().all(|byte| *byte == 0xEE));
            }
            assert_eq!((ring.len(cs), ring.room(cs)), (list.len(), 7 - list.len()));
        }
    }

    #[test]
    fn buffers_meet_in_the_shorter_one() {
        let mut target = [0; 3];
        Outgoing::of(&[1, 2, 3, 4, 5], 4, |from| {
            Incoming::of(&mut target, 1, |to| {
                from.move_to(to);
                assert_eq!((from.progress().left(), from.progress().needed()), (2, 1));
                assert_eq!((to.progress().left(), to.progress().needed()), (0, 0));
            });
        });
        assert_eq!(target, [1, 2, 3]);
    }
}
