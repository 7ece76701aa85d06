//! Owns: a ring of messages in memory, first in first out or last in first out.
//! Must never know: the callers that put messages in or take them out.
#![expect(
    unsafe_code,
    reason = "places of the ring are known to be in range and to be written"
)]

use crate::Error;
use crate::critical_section::{CriticalSection, Guarded};
use crate::object::copy::copy;
use core::cell::Cell;
use core::mem::MaybeUninit;

/// The value of [`Ring::used`] of a ring that is closed: full for a caller that puts, empty for one
/// that takes.
const CLOSED: usize = usize::MAX;

/// At most `N` messages.
///
/// Invariants: `head < N`; `used <= N` or [`CLOSED`]; the places from `head` on, `used` of them,
/// have been written. A new one is all zeros: in a static it takes no space in the image.
#[repr(C)]
pub(crate) struct Ring<T, const N: usize> {
    used: Guarded<usize>,
    /// The place of the oldest message.
    head: Guarded<usize>,
    places: Guarded<[Cell<MaybeUninit<T>>; N]>,
}

/// `index`, below 2·N, brought round the ring.
#[inline(always)]
pub(crate) const fn wrap<const N: usize>(index: usize) -> usize {
    if N.is_power_of_two() {
        index & (N - 1)
    } else if index >= N {
        index - N
    } else {
        index
    }
}

impl<T: Copy, const N: usize> Ring<T, N> {
    /// A ring without messages.
    ///
    /// # Panics
    /// If `N` is 0 or does not fit half a word.
    pub const fn new() -> Self {
        assert!(
            N > 0 && N < 1 << 15,
            "there must be room for 1 to 32,767 messages"
        );
        Self {
            used: Guarded::new(0),
            head: Guarded::new(0),
            places: Guarded::new([const { Cell::new(MaybeUninit::uninit()) }; N]),
        }
    }

    /// The place `index` of the ring.
    #[inline(always)]
    fn place<'cs>(&'cs self, cs: CriticalSection<'cs>, index: usize) -> &'cs Cell<MaybeUninit<T>> {
        // SAFETY: callers give `head`, or what `wrap` made of two numbers up to N of which one
        // is below it: always below N.
        unsafe { self.places.borrow(cs).get_unchecked(index) }
    }

    /// The message at `index`.
    #[inline(always)]
    fn read(&self, cs: CriticalSection<'_>, index: usize) -> T {
        // SAFETY: callers give places of messages that are in the ring: they have been written.
        unsafe { self.place(cs, index).get().assume_init() }
    }

    /// Puts in `message` after the others. Returns whether there was space.
    #[inline(always)]
    pub fn put(&self, cs: CriticalSection<'_>, message: &T) -> bool {
        let used = self.used.get(cs);
        if used >= N {
            return false;
        }
        let place = self.place(cs, wrap::<N>(self.head.get(cs) + used));
        // SAFETY: the place is a cell of the ring; messages come from elsewhere.
        unsafe { copy(message, place.as_ptr().cast()) };
        self.used.set(cs, used + 1);
        true
    }

    /// Whether there is a message, and how many stay when one is taken.
    #[inline(always)]
    fn rest(&self, cs: CriticalSection<'_>) -> Option<usize> {
        // Neither 0 nor `CLOSED` leaves a number below N.
        Some(self.used.get(cs).wrapping_sub(1)).filter(|rest| *rest < N)
    }

    /// Takes out the oldest message.
    #[inline(always)]
    pub fn take_oldest(&self, cs: CriticalSection<'_>) -> Option<T> {
        let rest = self.rest(cs)?;
        let head = self.head.get(cs);
        let message = self.read(cs, head);
        self.head.set(cs, wrap::<N>(head + 1));
        self.used.set(cs, rest);
        Some(message)
    }

    /// Takes out the newest message.
    #[inline(always)]
    pub fn take_newest(&self, cs: CriticalSection<'_>) -> Option<T> {
        let rest = self.rest(cs)?;
        let message = self.read(cs, wrap::<N>(self.head.get(cs) + rest));
        self.used.set(cs, rest);
        Some(message)
    }

    /// Takes out the oldest of the messages that `accept` says yes to; those before it move up.
    /// Steps: the messages before it, twice.
    pub fn take_first(&self, cs: CriticalSection<'_>, accept: impl Fn(&T) -> bool) -> Option<T> {
        let head = self.head.get(cs);
        let place = |distance| wrap::<N>(head + distance);
        let mut distance = (0..self.len(cs)).find(|i| accept(&self.read(cs, place(*i))))?;
        let message = self.read(cs, place(distance));
        while distance > 0 {
            self.place(cs, place(distance))
                .set(self.place(cs, place(distance - 1)).get());
            distance -= 1;
        }
        self.head.set(cs, wrap::<N>(head + 1));
        self.used.set(cs, self.used.get(cs) - 1);
        Some(message)
    }

    /// The number of messages.
    #[inline(always)]
    pub fn len(&self, cs: CriticalSection<'_>) -> usize {
        let used = self.used.get(cs);
        if used == CLOSED { 0 } else { used }
    }

    /// Whether the ring is closed.
    #[inline(always)]
    pub fn is_closed(&self, cs: CriticalSection<'_>) -> bool {
        self.used.get(cs) == CLOSED
    }

    /// Throws away the messages, and lets none in or out.
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

    fn check_against_a_list<const N: usize>() {
        extern crate std;
        let cs = alone();
        let ring = Ring::<u32, N>::new();
        let mut list = std::collections::VecDeque::new();
        let mut random = 1u32;
        for message in 0..10_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match random >> 29 {
                0..4 => {
                    assert_eq!(ring.put(cs, &message), list.len() < N);
                    if list.len() < N {
                        list.push_back(message);
                    }
                }
                4 | 5 => assert_eq!(ring.take_oldest(cs), list.pop_front()),
                6 => assert_eq!(ring.take_newest(cs), list.pop_back()),
                _ => {
                    let position = list.iter().position(|m| m % 3 == 0);
                    let expected = position.and_then(|position| list.remove(position));
                    assert_eq!(ring.take_first(cs, |m| m % 3 == 0), expected);
                }
            }
            assert_eq!(ring.len(cs), list.len());
        }
    }

    #[test]
    fn a_ring_is_a_bounded_list() {
        check_against_a_list::<1>();
        check_against_a_list::<4>();
        check_against_a_list::<7>();
    }

    #[test]
    fn a_closed_ring_lets_nothing_in_or_out() {
        let cs = alone();
        let ring = Ring::<u8, 2>::new();
        assert!(ring.put(cs, &1));
        ring.close(cs);
        assert!(ring.is_closed(cs));
        assert_eq!(ring.len(cs), 0);
        assert!(!ring.put(cs, &2));
        assert_eq!(ring.take_oldest(cs), None);
        assert_eq!(ring.take_newest(cs), None);
        assert_eq!(ring.take_first(cs, |_| true), None);
        assert_eq!(ring.renew(cs), Ok(()));
        assert_eq!(ring.renew(cs), Err(Error::State));
        assert!(ring.put(cs, &3));
        assert_eq!(ring.take_oldest(cs), Some(3));
    }
}
