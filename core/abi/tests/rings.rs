//! Rings against a queue, against an other end that breaks all rules, and in every order of events
//! that the memory model allows.

use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::VecDeque;
use taktos_abi::vm::ring::{Layout, Memory, Reader, Writer};

/// A channel's memory; accesses beyond it fail the test.
struct Plain(RefCell<Vec<u8>>);

impl Plain {
    fn new(bytes: usize) -> Self {
        Self(RefCell::new(vec![0; bytes]))
    }
}

impl Memory for Plain {
    fn word(&self, at: u32) -> u32 {
        assert!(at.is_multiple_of(64));
        let bytes = &self.0.borrow()[at as usize..][..4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }
    fn set_word(&self, at: u32, value: u32) {
        assert!(at.is_multiple_of(64));
        self.0.borrow_mut()[at as usize..][..4].copy_from_slice(&value.to_le_bytes());
    }
    fn read(&self, at: u32, to: &mut [u8]) {
        to.copy_from_slice(&self.0.borrow()[at as usize..][..to.len()]);
    }
    fn write(&self, at: u32, from: &[u8]) {
        self.0.borrow_mut()[at as usize..][..from.len()].copy_from_slice(from);
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::of(bytes as u64).expect("it is large enough")
}

#[test]
fn two_rings_fit_every_memory() {
    assert_eq!(Layout::of(513), None);
    assert_eq!(Layout::of((1 << 31) + 1), None);
    let capacity = |bytes| Layout::of(bytes).map(Layout::capacity);
    assert_eq!(capacity(514), Some(1));
    assert_eq!(capacity(4096), Some(1024));
    assert_eq!(capacity(0x1_0000), Some(16384));
    for bytes in 514..2000 {
        let memory = Plain::new(bytes);
        let layout = layout(bytes);
        // Both ways at once, to the last byte.
        let text = vec![7; layout.capacity() + 1];
        for end in 0..2 {
            let written = Writer::attach(layout, end, &memory).write(&memory, &text[..]);
            assert_eq!(written.bytes, layout.capacity());
        }
        for end in 0..2 {
            let mut got = vec![0; text.len()];
            let read = Reader::attach(layout, end, &memory).read(&memory, &mut got);
            assert_eq!(read.bytes, layout.capacity());
            assert!(got[..read.bytes].iter().all(|&byte| byte == 7), "{bytes}");
        }
    }
}

#[test]
fn rings_of_zeros_are_empty() {
    let memory = Plain(RefCell::new(vec![0; 4096]));
    for end in 0..2 {
        let mut writer = Writer::attach(layout(4096), end, &memory);
        assert_eq!(writer.room(&memory), 1024);
        assert!(!writer.write(&memory, b"x").ring);
        let mut reader = Reader::attach(layout(4096), 1 - end, &memory);
        let moved = reader.read(&memory, &mut [0; 9]);
        assert_eq!((moved.bytes, moved.ring), (1, false));
    }
}

#[test]
fn what_one_end_writes_the_other_reads() {
    let memory = Plain::new(4096);
    for (end, text) in [(0, b"ping"), (1, b"pong")] {
        let written = Writer::attach(layout(4096), end, &memory).write(&memory, text);
        assert_eq!((written.bytes, written.ring), (4, false));
    }
    for (end, text) in [(0, b"pong"), (1, b"ping")] {
        let mut got = [0; 8];
        let read = Reader::attach(layout(4096), end, &memory).read(&memory, &mut got);
        assert_eq!((read.bytes, read.ring), (4, false));
        assert_eq!(&got[..4], text);
    }
}

#[test]
fn a_reader_that_waits_is_rung_for_once() {
    let memory = Plain::new(514 + 14);
    let layout = layout(528);
    assert_eq!(layout.capacity(), 8);
    let mut writer = Writer::attach(layout, 0, &memory);
    let mut reader = Reader::attach(layout, 1, &memory);
    let mut got = [0; 8];
    assert_eq!(reader.read(&memory, &mut got).bytes, 0);
    assert!(writer.write(&memory, b"a").ring);
    assert!(!writer.write(&memory, b"bc").ring);
    let full = writer.write(&memory, b"defghij");
    assert_eq!((full.bytes, full.ring), (5, false));
    assert_eq!(writer.room_or_wait(&memory, 1), 0);
    // A reader that gets all bytes that it requested is not rung for.
    let some = reader.read(&memory, &mut got[..2]);
    assert_eq!((some.bytes, some.ring), (2, true));
    assert_eq!(writer.room_or_wait(&memory, 2), 2);
    assert!(!writer.write(&memory, b"ij").ring);
    assert!(!reader.read(&memory, &mut got).ring);
    assert_eq!(&got, b"cdefghij");
}

#[test]
fn a_reader_that_only_looks_is_not_rung_for() {
    let memory = Plain::new(4096);
    let mut writer = Writer::attach(layout(4096), 0, &memory);
    let mut reader = Reader::attach(layout(4096), 1, &memory);
    assert_eq!(reader.filled(&memory), 0);
    assert!(!writer.write(&memory, b"abc").ring);
    assert_eq!(reader.filled(&memory), 3);
    assert_eq!(reader.read(&memory, &mut [0; 2]).bytes, 2);
    assert_eq!(reader.filled(&memory), 1);
    // A count that cannot be true is something to read, so that the reader falls in step.
    memory.set_word(0, 1 << 20);
    assert_eq!(reader.filled(&memory), 1024);
    assert_eq!(reader.read(&memory, &mut [0; 2]).bytes, 0);
    assert_eq!(reader.filled(&memory), 0);
}

#[test]
fn counts_that_cannot_be_true_are_mended_by_whoever_is_honest() {
    let memory = Plain::new(4096);
    let layout = layout(4096);
    let mut writer = Writer::attach(layout, 0, &memory);
    let mut reader = Reader::attach(layout, 1, &memory);
    // The other end's count: more read than was written.
    memory.set_word(64, 5);
    let moved = writer.write(&memory, b"x");
    assert_eq!((moved.bytes, moved.ring), (0, true));
    let mut got = [0; 4];
    assert_eq!(reader.read(&memory, &mut got).bytes, 0);
    // And the writer's own: it writes it again, and the reader follows.
    memory.set_word(0, 1 << 20);
    let moved = reader.read(&memory, &mut got);
    assert_eq!((moved.bytes, moved.ring), (0, true));
    assert!(writer.write(&memory, b"x").ring);
    assert!(reader.read(&memory, &mut got).ring);
    assert_eq!(writer.write(&memory, b"x").bytes, 1);
    assert_eq!(reader.read(&memory, &mut got).bytes, 1);
}

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<u8>),
    Read(usize),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => proptest::collection::vec(any::<u8>(), 0..40).prop_map(Step::Write),
        4 => (0..40usize).prop_map(Step::Read),
        1 => Just(Step::Restart),
    ];
    proptest::collection::vec(step, 0..100)
}

/// Generates the writes of an end that breaks the rules, and the steps of the other end.
fn attacks() -> impl Strategy<Value = Vec<(Step, u32, u32)>> {
    let value = prop_oneof![any::<u32>(), 0..40u32, (u32::MAX - 40)..=u32::MAX];
    let step = (steps(), 0..8u32, value);
    let one = step.prop_map(|(steps, word, value)| {
        let step = steps.into_iter().next().unwrap_or(Step::Restart);
        (step, word * 64, value)
    });
    proptest::collection::vec(one, 0..60)
}

proptest! {
    /// Over the wrap of the counts too, and whatever restarts.
    #[test]
    fn a_ring_is_a_queue(steps in steps(), bytes in 514..600usize, first in prop_oneof![Just(0), (u32::MAX - 100)..=u32::MAX]) {
        let memory = Plain::new(bytes);
        let layout = layout(bytes);
        // Ring 1's counts.
        memory.set_word(256, first);
        memory.set_word(320, first);
        let mut writer = Writer::attach(layout, 1, &memory);
        let mut reader = Reader::attach(layout, 0, &memory);
        let mut queue = VecDeque::new();
        let (mut reader_waits, mut writer_waits) = (false, false);
        for step in steps {
            match step {
                Step::Write(bytes) => {
                    let room = layout.capacity() - queue.len();
                    prop_assert_eq!(writer.room(&memory), room);
                    let moved = writer.write(&memory, &bytes);
                    prop_assert_eq!(moved.bytes, bytes.len().min(room));
                    queue.extend(&bytes[..moved.bytes]);
                    prop_assert_eq!(moved.ring, reader_waits && moved.bytes > 0);
                    reader_waits &= !moved.ring;
                    writer_waits |= moved.bytes < bytes.len();
                }
                Step::Read(most) => {
                    let mut got = vec![0; most];
                    let moved = reader.read(&memory, &mut got);
                    let expected: Vec<u8> = queue.drain(..most.min(queue.len())).collect();
                    prop_assert_eq!(&got[..moved.bytes], &expected[..]);
                    prop_assert_eq!(moved.ring, writer_waits && moved.bytes > 0);
                    writer_waits &= !moved.ring;
                    reader_waits |= moved.bytes < most;
                }
                Step::Restart => {
                    writer = Writer::attach(layout, 1, &memory);
                    reader = Reader::attach(layout, 0, &memory);
                }
            }
        }
    }

    /// Calls end, and stay in the memory; once the attack is over, bytes come through again.
    #[test]
    fn no_words_harm(attacks in attacks(), bytes in 514..600usize) {
        let memory = Plain::new(bytes);
        let layout = layout(bytes);
        let mut writer = Writer::attach(layout, 0, &memory);
        let mut reader = Reader::attach(layout, 1, &memory);
        let mut got = vec![0; 40];
        for (step, at, value) in attacks {
            memory.set_word(at, value);
            match step {
                Step::Write(bytes) => prop_assert!(writer.write(&memory, &bytes).bytes <= bytes.len()),
                Step::Read(most) => prop_assert!(reader.read(&memory, &mut got[..most]).bytes <= most),
                Step::Restart => {
                    writer = Writer::attach(layout, 0, &memory);
                    reader = Reader::attach(layout, 1, &memory);
                }
            }
            prop_assert!(writer.room(&memory) <= layout.capacity());
        }
        // Each end that is rung looks again.
        let rung = writer.write(&memory, &[0; 40]).ring;
        while reader.read(&memory, &mut got).bytes > 0 {}
        prop_assert!(rung || writer.room(&memory) == layout.capacity());
        let _ = writer.write(&memory, b"");
        while reader.read(&memory, &mut got).bytes > 0 {}
        prop_assert_eq!(writer.write(&memory, b"x").bytes, 1);
        let moved = reader.read(&memory, &mut got);
        prop_assert_eq!((moved.bytes, got[0]), (1, b'x'));
    }
}

mod every_order {
    //! loom runs a model once for every order that the memory model allows, and finds accesses that
    //! race.

    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, Ordering, fence};
    use loom::sync::{Arc, Notify};
    use loom::thread;

    const BYTES: usize = 514;
    const BYTE_COUNT: u8 = 2;
    /// How often a thread loses its processor against its will, at most, in the orders that are
    /// tried: all of them take hours.
    const PREEMPTIONS: usize = 3;

    struct Shared {
        words: [AtomicU32; 8],
        /// The bytes of both rings, with loom's check that no thread writes while another
        /// accesses.
        bytes: [UnsafeCell<u8>; 2],
        /// Rung before a thread waits, they are heard all the same; and now and then without
        /// having been rung.
        doorbells: [Notify; 2],
    }

    impl Shared {
        fn new() -> Self {
            Self {
                words: std::array::from_fn(|_| AtomicU32::new(0)),
                bytes: std::array::from_fn(|_| UnsafeCell::new(0)),
                doorbells: std::array::from_fn(|_| Notify::new()),
            }
        }

        fn ring(&self, end: usize) {
            self.doorbells[end].notify();
        }

        fn wait(&self, end: usize) {
            self.doorbells[end].wait();
        }
    }

    /// loom's loads and stores are at most acquire and release: the fences make them sequentially
    /// consistent.
    impl Memory for Shared {
        fn word(&self, at: u32) -> u32 {
            fence(Ordering::SeqCst);
            self.words[at as usize / 64].load(Ordering::Acquire)
        }
        fn set_word(&self, at: u32, value: u32) {
            self.words[at as usize / 64].store(value, Ordering::Release);
            fence(Ordering::SeqCst);
        }
        fn read(&self, at: u32, to: &mut [u8]) {
            for (n, byte) in to.iter_mut().enumerate() {
                #[expect(unsafe_code, reason = "loom's cell, which checks the access")]
                // SAFETY: loom fails the test if another thread writes meanwhile.
                self.bytes[at as usize - 512 + n].with(|place| *byte = unsafe { *place });
            }
        }
        fn write(&self, at: u32, from: &[u8]) {
            for (n, &byte) in from.iter().enumerate() {
                #[expect(unsafe_code, reason = "loom's cell, which checks the access")]
                // SAFETY: loom fails the test if another access is going on.
                self.bytes[at as usize - 512 + n].with_mut(|place| unsafe { *place = byte });
            }
        }
    }

    /// A ring of one byte carries two: both ends wait, and no doorbell is missed.
    #[test]
    fn nobody_waits_for_ever() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(PREEMPTIONS);
        model.check(|| {
            let shared = Arc::new(Shared::new());
            let writer = shared.clone();
            let other = thread::spawn(move || {
                let mut ring = Writer::attach(layout(BYTES), 0, &*writer);
                for byte in 1..=BYTE_COUNT {
                    loop {
                        let moved = ring.write(&*writer, &[byte]);
                        if moved.ring {
                            writer.ring(1);
                        }
                        if moved.bytes == 1 {
                            break;
                        }
                        writer.wait(0);
                    }
                }
            });
            let mut ring = Reader::attach(layout(BYTES), 1, &*shared);
            let mut got: Vec<u8> = Vec::new();
            while got.len() < BYTE_COUNT.into() {
                let mut buffer = [0; 2];
                let moved = ring.read(&*shared, &mut buffer);
                if moved.ring {
                    shared.ring(0);
                }
                got.extend(&buffer[..moved.bytes]);
                if got.len() < BYTE_COUNT.into() && moved.bytes == 0 {
                    shared.wait(1);
                }
            }
            assert_eq!(got, [1, 2]);
            other.join().expect("the writer comes to its end");
        });
    }
}
