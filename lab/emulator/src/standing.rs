//! States of threads at a switch of the processor, as the clock has read them from their control
//! blocks. Must never know: why a thread waits.

use taktos_abi::layout;

/// How a thread left the processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// It could have continued: it was preempted, or yielded.
    Runnable,
    /// It waits: for time, an object, another thread, or to be started.
    Waiting,
    /// It was suspended, and waits for nothing else.
    Suspended,
}

/// State of the threads at a switch; nothing if the image does not state where their words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    /// How the thread before left; at the first switch of a processor there was none.
    pub left: Option<Left>,
    /// The priority by which the next one is scheduled; 0 is the most urgent.
    pub priority: Option<u8>,
    /// Whether the next one only fills the time.
    pub is_idle: bool,
}

/// A thread could not run, and now it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wake {
    /// The processor that made it so.
    pub processor: usize,
    /// The address of the thread's control block.
    pub thread: u64,
    /// When, in nanoseconds of the emulator's virtual clock.
    pub at: u64,
    /// The last that it waited for, as [`taktos_abi::layout::wait`] says; 0: it was only
    /// suspended.
    pub waited: u64,
    /// Whether an interrupt handler made it so, and not a thread.
    pub by_handler: bool,
}

/// The two words of one thread, as they are in a record: its urgency and, above it, whether it is
/// known; the object that it waits for.
pub(crate) type Words = (u64, u64);

const KNOWN: u64 = 1 << 32;

impl Turn {
    /// From the words of the thread that leaves, and of the next one.
    pub(crate) fn of(left: Words, next: Words) -> Self {
        let known = |(urgency, _): Words| (urgency & KNOWN != 0).then_some(urgency as u32);
        Self {
            left: known(left).map(|urgency| match left.1 {
                0 if urgency & layout::HELD == 0 => Left::Runnable,
                0 => Left::Suspended,
                _ => Left::Waiting,
            }),
            priority: known(next).map(|urgency| (urgency & layout::EFFECTIVE) as u8),
            is_idle: known(next).is_some_and(|urgency| urgency & layout::IDLE != 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_tell_how_a_thread_left() {
        let left = |urgency: u32, wait| Turn::of((u64::from(urgency) | KNOWN, wait), (0, 0)).left;
        assert_eq!(left(5, 0), Some(Left::Runnable));
        assert_eq!(left(5, 0x2000_0100), Some(Left::Waiting));
        assert_eq!(left(5 | layout::SUSPENDED, 0), Some(Left::Suspended));
        // Suspended while it waits: it waits first.
        assert_eq!(left(5 | layout::SUSPENDED, 2), Some(Left::Waiting));
        assert_eq!(Turn::of((5, 0), (5, 0)), Turn::default());
        let next = Turn::of((0, 0), (0x8000_2020 | KNOWN, 0));
        assert_eq!((next.priority, next.is_idle), (Some(32), true));
    }
}
