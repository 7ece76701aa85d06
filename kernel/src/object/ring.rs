//! Owns: a ring of messages in memory, first in first out or last in first out.
//! Must never know: who puts messages in or takes them out.
#![expect(
    unsafe_code,
    reason = "places of the ring are known to be in range and to be written"
)]

use crate::Error;
use crate::critical_section::{Guarded, Section};
use crate::object::copy::copy;
use core::cell::Cell;
use core::mem::MaybeUninit;

/// What is in [`Ring::used`] of a ring that is closed: full for those who put, empty for those who take.
const CLOSED: usize = usize::MAX;

/// At most `N` messages.
///
/// Laws: `head < N`; `used <= N` or [`CLOSED`]; the places from `head` on, `used` of them, have been written.
/// A new one is all zeros: in a static it takes no room in the image.
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
    fn place(&self, s: Section, index: usize) -> &Cell<MaybeUninit<T>> {
        // SAFETY: callers give `head`, or what `wrap` made of two numbers up to N of which one
        // is below it: always below N.
        unsafe { self.places.borrow(s).get_unchecked(index) }
    }

    /// The message at `index`.
    #[inline(always)]
    fn read(&self, s: Section, index: usize) -> T {
        // SAFETY: callers give places of messages that are in the ring: they have been written.
        unsafe { self.place(s, index).get().assume_init() }
    }

    /// Puts in `message` behind the others; says whether there was room.
    #[inline(always)]
    pub fn put(&self, s: Section, message: &T) -> bool {
        let used = self.used.get(s);
        if used >= N {
            return false;
        }
        let place = self.place(s, wrap::<N>(self.head.get(s) + used));
        // SAFETY: the place is a cell of the ring; messages come from elsewhere.
        unsafe { copy(message, place.as_ptr().cast()) };
        self.used.set(s, used + 1);
        true
    }

    /// Whether there is a message, and how many stay when one is taken.
    #[inline(always)]
    fn rest(&self, s: Section) -> Option<usize> {
        // Neither 0 nor `CLOSED` leaves a number below N.
        Some(self.used.get(s).wrapping_sub(1)).filter(|rest| *rest < N)
    }

    /// Takes out the oldest message.
    #[inline(always)]
    pub fn take_oldest(&self, s: Section) -> Option<T> {
        let rest = self.rest(s)?;
        let head = self.head.get(s);
        let message = self.read(s, head);
        self.head.set(s, wrap::<N>(head + 1));
        self.used.set(s, rest);
        Some(message)
    }

    /// Takes out the newest message.
    #[inline(always)]
    pub fn take_newest(&self, s: Section) -> Option<T> {
        let rest = self.rest(s)?;
        let message = self.read(s, wrap::<N>(self.head.get(s) + rest));
        self.used.set(s, rest);
        Some(message)
    }

    /// Takes out the oldest of the messages that `accept` says yes to; those before it move up.
    /// Steps: the messages before it, twice.
    pub fn take_first(&self, s: Section, accept: impl Fn(&T) -> bool) -> Option<T> {
        let head = self.head.get(s);
        let place = |distance| wrap::<N>(head + distance);
        let mut distance = (0..self.len(s)).find(|i| accept(&self.read(s, place(*i))))?;
        let message = self.read(s, place(distance));
        while distance > 0 {
            self.place(s, place(distance))
                .set(self.place(s, place(distance - 1)).get());
            distance -= 1;
        }
        self.head.set(s, wrap::<N>(head + 1));
        self.used.set(s, self.used.get(s) - 1);
        Some(message)
    }

    /// The number of messages.
    #[inline(always)]
    pub fn len(&self, s: Section) -> usize {
        let used = self.used.get(s);
        if used == CLOSED { 0 } else { used }
    }

    /// Whether the ring is closed.
    #[inline(always)]
    pub fn is_closed(&self, s: Section) -> bool {
        self.used.get(s) == CLOSED
    }

    /// Throws away the messages, and lets none in or out.
    pub fn close(&self, s: Section) {
        self.used.set(s, CLOSED);
    }

    /// Makes a closed ring an empty one. Errors: `State` if it is not closed.
    pub fn renew(&self, s: Section) -> Result<(), Error> {
        if !self.is_closed(s) {
            return Err(Error::State);
        }
        self.used.set(s, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        // SAFETY: each test has a ring of its own, in one thread.
        unsafe { Section::assume() }
    }

    fn check_against_a_list<const N: usize>() {
        extern crate std;
        let s = section();
        let ring = Ring::<u32, N>::new();
        let mut list = std::collections::VecDeque::new();
        let mut random = 1u32;
        for message in 0..10_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match random >> 29 {
                0..4 => {
                    assert_eq!(ring.put(s, &message), list.len() < N);
                    if list.len() < N {
                        list.push_back(message);
                    }
                }
                4 | 5 => assert_eq!(ring.take_oldest(s), list.pop_front()),
                6 => assert_eq!(ring.take_newest(s), list.pop_back()),
                _ => {
                    let position = list.iter().position(|m| m % 3 == 0);
                    let expected = position.and_then(|position| list.remove(position));
                    assert_eq!(ring.take_first(s, |m| m % 3 == 0), expected);
                }
            }
            assert_eq!(ring.len(s), list.len());
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
        let s = section();
        let ring = Ring::<u8, 2>::new();
        assert!(ring.put(s, &1));
        ring.close(s);
        assert!(ring.is_closed(s));
        assert_eq!(ring.len(s), 0);
        assert!(!ring.put(s, &2));
        assert_eq!(ring.take_oldest(s), None);
        assert_eq!(ring.take_newest(s), None);
        assert_eq!(ring.take_first(s, |_| true), None);
        assert_eq!(ring.renew(s), Ok(()));
        assert_eq!(ring.renew(s), Err(Error::State));
        assert!(ring.put(s, &3));
        assert_eq!(ring.take_oldest(s), Some(3));
    }
}
