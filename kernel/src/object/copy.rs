//! Owns: the copying of a message. Must never know: its source, or its receiver.
#![expect(unsafe_code, reason = "copies words whose bytes may be padding")]

use crate::sched::compiler_barrier;
use core::mem::MaybeUninit;
use core::ptr;

/// The most words that are copied one by one.
pub(crate) const FEW: usize = 8;

type Word = MaybeUninit<u32>;

/// Copies `message` to `place`: a short one word by word, through one register, so that a decision
/// need not save any.
///
/// # Safety
/// `place` can be written, and does not overlap with `message`.
#[inline(always)]
pub(crate) unsafe fn copy<T: Copy>(message: &T, place: *mut T) {
    let words = size_of::<T>() / size_of::<Word>();
    if align_of::<T>() >= align_of::<Word>() && words <= FEW {
        // SAFETY: both are of the type `T`. Its alignment and size are multiples of a word's.
        unsafe { copy_words(ptr::from_ref(message).cast(), place.cast(), words) }
    } else {
        // SAFETY: the caller's contract.
        unsafe { place.write(*message) }
    }
}

/// Copies `words` words one by one.
///
/// # Safety
/// The two ranges can be read and written, are aligned to a word, and do not overlap.
#[inline(always)]
pub(crate) unsafe fn copy_words(from: *const Word, to: *mut Word, words: usize) {
    for word in 0..words {
        // The compiler would take more registers, or make a call of the loop.
        compiler_barrier();
        // SAFETY: inside the ranges, by the caller's contract.
        unsafe { to.add(word).write(from.add(word).read()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy + PartialEq + core::fmt::Debug>(message: T, other: T) {
        let mut places = [other; 3];
        // SAFETY: the place is another variable.
        unsafe { copy(&message, &raw mut places[1]) }
        assert_eq!(places, [other, message, other]);
    }

    #[test]
    fn a_copy_is_the_whole_message_and_nothing_else() {
        check((), ());
        check(0x12u8, 0);
        check([1u8, 2, 3, 4, 5], [9; 5]);
        check(0x1234_5678u32, 0);
        check([1u16, 2, 3], [9; 3]);
        check((1u32, 2u8, 3u64), (7, 8, 9));
        check([1u32, 2, 3, 4], [9; 4]);
        check([1u64; 4], [9; 4]);
        check([5u32; 9], [9; 9]);
        check([5u32; 100], [9; 100]);
        check(Some(core::num::NonZeroU32::MIN), None);
    }
}
