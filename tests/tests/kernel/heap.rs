//! Heaps against a naive model, and blocks that are leaked and reclaimed.

#![expect(unsafe_code, reason = "leaked blocks are reclaimed")]

use proptest::prelude::*;
use std::alloc::Layout;
use std::ptr::NonNull;
use taktos_kernel::{Error, Heap, HeapBlock, System, Timeout};
use taktos_tests::{HostSystem, leak, run};

/// The allocator's unit on the host, and the bytes of the heap.
const UNIT: usize = 32;
const BYTES: usize = 4096;
/// The block that an empty heap is: all but the mark at the end.
const WHOLE: usize = BYTES - UNIT;

type Guard = HeapBlock<HostSystem>;

/// Runs `body` in a world that ends with it.
fn world(body: impl FnOnce(&'static Heap<HostSystem, BYTES>) + 'static) {
    let outcome = run(move || {
        body(leak(Heap::new()));
        HostSystem::exit(0)
    });
    assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

/// The largest layout that an empty heap serves.
fn largest() -> Layout {
    layout(Heap::<HostSystem, BYTES>::LARGEST, UNIT / 2)
}

/// A call: to allocate, or to free the block with the number, of those in use.
#[derive(Clone, Debug)]
enum Act {
    Allocate(Layout),
    Free(usize),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let size = prop_oneof![0usize..64, 0usize..600, 0usize..BYTES];
    let allocate =
        (size, 0u32..9).prop_map(|(size, shift)| Act::Allocate(layout(size, 1 << shift)));
    let act = prop_oneof![3 => allocate, 2 => any::<usize>().prop_map(Act::Free)];
    prop::collection::vec(act, 0..200)
}

/// A block in use, and the byte that all of it has.
struct Used {
    guard: Guard,
    layout: Layout,
    mark: u8,
}

impl Used {
    fn range(&self) -> std::ops::Range<usize> {
        let first = self.guard.as_ptr().addr();
        first..first + self.layout.size()
    }

    /// The room that the block takes at most.
    fn room(&self) -> usize {
        (self.layout.size() + self.layout.align().max(UNIT / 2)).next_multiple_of(UNIT)
    }

    fn check(&self) {
        assert!(
            self.guard.iter().all(|byte| *byte == self.mark),
            "written over"
        );
    }
}

/// Blocks in use: a list without any order.
#[derive(Default)]
struct Model(Vec<Used>);

impl Model {
    fn add(&mut self, guard: Guard, layout: Layout, mark: u8) {
        assert_eq!(guard.len(), layout.size());
        assert_eq!(guard.as_ptr().addr() % layout.align(), 0, "alignment");
        let mut new = Used {
            guard,
            layout,
            mark,
        };
        let range = new.range();
        for other in &self.0 {
            let other = other.range();
            assert!(
                range.end <= other.start || other.end <= range.start,
                "overlap"
            );
        }
        new.guard.fill(mark);
        self.0.push(new);
    }

    /// A heap with as little in use as this says serves `layout`, wherever its blocks lie.
    fn must_serve(&self, layout: Layout) -> bool {
        self.0.is_empty() && layout.size() + layout.align().max(UNIT / 2) <= WHOLE / 8 * 7
    }
}

fn follow(heap: &'static Heap<HostSystem, BYTES>, acts: &[Act]) {
    let mut model = Model::default();
    for (number, act) in acts.iter().enumerate() {
        match act {
            Act::Allocate(layout) => match heap.allocate(*layout, Timeout::NONE) {
                Ok(guard) => model.add(guard, *layout, number as u8),
                Err(Error::WouldBlock) => assert!(!model.0.is_empty(), "an empty heap serves it"),
                Err(error) => {
                    assert_eq!(error, Error::NoMemory);
                    assert!(!model.must_serve(*layout));
                }
            },
            Act::Free(index) if !model.0.is_empty() => {
                let used = model.0.swap_remove(index % model.0.len());
                used.check();
            }
            Act::Free(_) => (),
        }
        let room: usize = model.0.iter().map(Used::room).sum();
        assert_eq!(heap.available(), WHOLE.saturating_sub(room));
    }
    model.0.iter().for_each(Used::check);
    drop(model);
    assert_eq!(heap.available(), WHOLE);
    assert!(
        heap.allocate(largest(), Timeout::NONE).is_ok(),
        "one block again"
    );
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn a_heap_agrees_with_a_list(acts in acts()) {
        world(move |heap| follow(heap, &acts));
    }
}

#[test]
fn requests_beyond_the_heap_never_wait() {
    world(|heap| {
        for layout in [
            layout(largest().size() + 1, 1),
            layout(1, BYTES),
            layout(isize::MAX as usize, 1),
            layout(0, 1 << 62),
        ] {
            let refused = heap.allocate(layout, Timeout::FOREVER);
            assert_eq!(refused.err(), Some(Error::NoMemory));
        }
    });
}

#[test]
fn leaked_memory_is_reclaimed_by_its_heap() {
    world(|heap| {
        let other = leak(Heap::<HostSystem, BYTES>::new());
        let mut block = heap.allocate(largest(), Timeout::NONE).unwrap();
        block.fill(7);
        let memory = NonNull::from(block.leak()).cast();
        let rest = heap.available();
        assert!(rest < WHOLE / 8);
        // SAFETY: the other heap refuses the memory before it makes a guard of it.
        let refused = unsafe { other.reclaim(memory, largest()) };
        assert_eq!(refused.err(), Some(Error::Parameter));
        assert_eq!(heap.available(), rest);
        // SAFETY: the block was leaked above with this layout; its reference is gone.
        let block = unsafe { heap.reclaim(memory, largest()) }.unwrap();
        assert!(block.iter().all(|byte| *byte == 7));
        drop(block);
        assert_eq!(heap.available(), WHOLE);
    });
}
