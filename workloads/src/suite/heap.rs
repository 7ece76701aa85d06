//! Owns: the cases of heaps.
#![expect(unsafe_code, reason = "a block is leaked and reclaimed")]

use super::case::Tally;
use super::{Case, FOREVER, HIGH, NONE, SuiteBoard, UNIT, log_result, units};
use core::alloc::Layout;
use core::ptr::{self, NonNull};
use core::sync::atomic::Ordering::Relaxed;
use taktos_kernel::{Error, HeapBlock, Timeout};

/// The allocator's unit: four words, and half of it is the header of a block.
const GRAIN: usize = 4 * size_of::<usize>();
/// The bytes of the suite's heap; the last unit is the mark at its end.
pub(super) const BYTES: usize = 16 * GRAIN;
/// Units of the one free block that it is at first.
const WHOLE: usize = 15;

/// A layout that takes `count` units.
fn layout(count: usize) -> Layout {
    Layout::from_size_align(count * GRAIN - GRAIN / 2, 8).unwrap_or(Layout::new::<u64>())
}

/// Allocates `count` units, notes letter and result, and frees the block when a permit comes.
fn hold<S: SuiteBoard>(count: usize, timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.heap.allocate(layout(count), timeout);
    o.log.add(name);
    if let Ok(block) = o.log.result(result) {
        let _ = o.semaphore.take(FOREVER);
        drop(block);
    }
}

/// Allocates in the main thread, which does not wait.
fn take<S: SuiteBoard>(c: &mut Case<S>, count: usize) -> Option<HeapBlock<S>> {
    let block = c.objects().heap.allocate(layout(count), NONE);
    c.expect_true("allocation", block.is_ok());
    block.ok()
}

/// Tries to allocate in the main thread: what the attempt ended with.
fn attempt<S: SuiteBoard>(count: usize, timeout: Timeout) -> Result<(), Error> {
    let heap = &S::objects().heap;
    heap.allocate(layout(count), timeout).map(drop)
}

/// Demands that `count` units are free, and in one piece.
fn expect_whole<S: SuiteBoard>(c: &mut Case<S>, count: usize) {
    c.expect("free", c.objects().heap.available(), count * GRAIN);
    c.ok("in one piece", attempt::<S>(count, NONE));
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("heap");
    blocks(tally);
    pieces(tally);
    deletion(tally);
    order(tally);
    ends_of_waits(tally);
    handlers(tally);
}

fn blocks<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("memory is given out until too little is free", |c| {
        let heap = &c.objects().heap;
        expect_whole(c, WHOLE);
        let first = take(c, 7);
        let second = take(c, 7);
        c.expect("free", heap.available(), GRAIN);
        c.expect("no wait", attempt::<S>(2, NONE), Err(Error::WouldBlock));
        let late = attempt::<S>(2, UNIT.into());
        c.expect("some time", late, Err(Error::Timeout));
        c.ok("the rest", attempt::<S>(1, NONE));
        drop(first);
        c.expect("free", heap.available(), 8 * GRAIN);
        drop(second);
        expect_whole(c, WHOLE);
    });
    tally.case("blocks do not overlap, and are aligned", |c| {
        let heap = &c.objects().heap;
        let mut blocks = [const { None }; 4];
        for (index, alignment) in [1, 8, 2 * GRAIN, GRAIN].into_iter().enumerate() {
            let size = 2 * index + 3;
            let Ok(layout) = Layout::from_size_align(size, alignment) else {
                continue;
            };
            let Ok(mut block) = heap.allocate(layout, NONE) else {
                return c.expect_true("allocation", false);
            };
            c.expect("alignment", block.as_ptr().addr() % alignment, 0);
            c.expect("size", block.len(), size);
            block.fill(index as u8);
            blocks[index] = Some(block);
        }
        for (index, block) in blocks.iter().flatten().enumerate() {
            c.expect_true("bytes", block.iter().all(|byte| *byte == index as u8));
        }
        drop(blocks);
        expect_whole(c, WHOLE);
    });
    tally.case(
        "a request that no heap of this size serves is refused",
        |c| {
            c.expect(
                "wait",
                attempt::<S>(WHOLE + 1, FOREVER),
                Err(Error::NoMemory),
            );
            let aligned = Layout::from_size_align(1, BYTES).unwrap_or(Layout::new::<u64>());
            let refused = c.objects().heap.allocate(aligned, FOREVER);
            c.expect_error("alignment", refused, Error::NoMemory);
            S::trigger_interrupt(|| log_result::<S>(attempt::<S>(WHOLE + 1, NONE)));
            c.expect_log("M");
            expect_whole(c, WHOLE);
        },
    );
}

fn pieces<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("freed in any order, all is one block again", |c| {
        for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [1, 3, 0, 4, 2]] {
            let mut blocks = [(); 5].map(|()| take(c, 3));
            c.expect("free", c.objects().heap.available(), 0);
            for index in order {
                blocks[index] = None;
            }
            expect_whole(c, WHOLE);
        }
    });
    tally.case("free bytes in pieces are not a large block", |c| {
        let mut blocks = [(); 5].map(|()| take(c, 3));
        for index in [0, 2, 4] {
            blocks[index] = None;
        }
        c.expect("free", c.objects().heap.available(), 9 * GRAIN);
        c.expect("large", attempt::<S>(4, NONE), Err(Error::WouldBlock));
        c.ok("small", attempt::<S>(3, NONE));
        blocks[1] = None;
        c.ok("next to each other", attempt::<S>(9, NONE));
        drop(blocks);
        expect_whole(c, WHOLE);
    });
}

fn deletion<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "deleted, it gives no memory; blocks in use come back",
        |c| {
            let heap = &c.objects().heap;
            let block = take(c, 5);
            c.expect_error("renewal", heap.renew(), Error::State);
            c.ok("deletion", heap.delete());
            c.expect("free", heap.available(), 0);
            c.expect_error("deletion", heap.delete(), Error::Deleted);
            c.expect("wait", attempt::<S>(1, FOREVER), Err(Error::Deleted));
            c.expect("no wait", attempt::<S>(1, NONE), Err(Error::Deleted));
            c.ok("renewal", heap.renew());
            expect_whole(c, WHOLE - 5);
            drop(block);
            expect_whole(c, WHOLE);
        },
    );
    tally.case("a block is freed while the heap is deleted", |c| {
        let block = take(c, 5);
        c.ok("deletion", c.objects().heap.delete());
        drop(block);
        c.ok("renewal", c.objects().heap.renew());
        expect_whole(c, WHOLE);
    });
}

fn order<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("waiters get memory by priority, then by time", |c| {
        let all = take(c, WHOLE);
        c.start(0, 9, || hold::<S>(WHOLE, FOREVER, 'a'));
        c.start(1, 7, || hold::<S>(WHOLE, FOREVER, 'b'));
        c.start(2, 9, || hold::<S>(WHOLE, FOREVER, 'c'));
        c.expect_log("");
        drop(all);
        c.expect_log("b.");
        for next in ["a.", "c.", ""] {
            c.ok("give", c.objects().semaphore.give());
            c.expect_log(next);
        }
        expect_whole(c, WHOLE);
    });
    tally.case("one block that is freed serves all that fit in it", |c| {
        let all = take(c, WHOLE);
        c.start(0, 9, || hold::<S>(4, FOREVER, 'a'));
        c.start(1, 9, || hold::<S>(5, Timeout::until(units::<S>(100)), 'b'));
        c.start(2, 10, || hold::<S>(6, FOREVER, 'c'));
        c.start(3, 10, || hold::<S>(1, FOREVER, 'd'));
        drop(all);
        c.expect_log("a.b.c.");
        for _ in 0..4 {
            c.ok("give", c.objects().semaphore.give());
        }
        c.expect_log("d.");
        expect_whole(c, WHOLE);
    });
    tally.case("a small request does not overtake a large one", |c| {
        let block = take(c, 5);
        c.start(0, 9, || hold::<S>(WHOLE, FOREVER, 'a'));
        c.start(1, 10, || hold::<S>(1, FOREVER, 'b'));
        c.start(2, 9, || hold::<S>(1, NONE, 'c'));
        c.expect("main", attempt::<S>(1, NONE), Err(Error::WouldBlock));
        c.expect_log("cW");
        // Before the first: a thread that is more urgent, and a handler.
        c.start(3, 8, || hold::<S>(1, NONE, 'd'));
        S::trigger_interrupt(|| log_result::<S>(attempt::<S>(1, NONE)));
        c.expect_log("d..");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("");
        drop(block);
        c.expect_log("a.");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("b.");
        c.ok("give", c.objects().semaphore.give());
        expect_whole(c, WHOLE);
    });
}

fn ends_of_waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a wait ends by time, request and deletion", |c| {
        let all = take(c, WHOLE);
        c.start(0, HIGH, || hold::<S>(1, UNIT.into(), 'a'));
        c.start(1, HIGH, || hold::<S>(1, FOREVER, 'b'));
        c.start(2, HIGH, || hold::<S>(1, FOREVER, 'c'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().heap.delete());
        c.expect_log("bXaTcD");
        drop(all);
        c.ok("renewal", c.objects().heap.renew());
        expect_whole(c, WHOLE);
    });
    tally.case("the end of the first's wait serves those behind it", |c| {
        let block = take(c, 5);
        c.start(0, 7, || hold::<S>(WHOLE, UNIT.into(), 'a'));
        c.start(1, 8, || hold::<S>(WHOLE, FOREVER, 'b'));
        c.start(2, 9, || hold::<S>(4, FOREVER, 'c'));
        c.start(3, 9, || hold::<S>(4, FOREVER, 'd'));
        c.let_time_outs_pass();
        c.expect_log("aT");
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.expect_log("bXc.d.");
        c.start(4, 7, || hold::<S>(WHOLE, UNIT.into(), 'e'));
        c.start(5, 9, || hold::<S>(1, FOREVER, 'f'));
        c.let_time_outs_pass();
        c.expect_log("eTf.");
        for _ in 0..3 {
            c.ok("give", c.objects().semaphore.give());
        }
        drop(block);
        expect_whole(c, WHOLE);
    });
    tally.case("behind a deleted thread others are served by a free", |c| {
        let (block, other) = (take(c, 5), take(c, 1));
        c.start(0, 9, || hold::<S>(WHOLE, FOREVER, 'a'));
        c.start(1, 10, || hold::<S>(1, FOREVER, 'b'));
        c.ok("deletion of a thread", c.thread(0).delete());
        c.expect_log("");
        drop(other);
        c.expect_log("b.");
        c.ok("give", c.objects().semaphore.give());
        drop(block);
        expect_whole(c, WHOLE);
    });
}

fn handlers<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a handler takes and frees memory, but does not wait", |c| {
        let block = take(c, 5);
        S::trigger_interrupt(|| {
            let o = S::objects();
            let taken = o.log.result(o.heap.allocate(layout(10), NONE));
            log_result::<S>(attempt::<S>(1, FOREVER));
            log_result::<S>(attempt::<S>(1, NONE));
            drop(taken);
        });
        c.expect_log(".CC");
        c.ok("deletion", c.objects().heap.delete());
        S::trigger_interrupt(|| log_result::<S>(attempt::<S>(1, NONE)));
        c.expect_log("C");
        c.ok("renewal", c.objects().heap.renew());
        drop(block);
        expect_whole(c, WHOLE);
    });
    tally.case("a handler that frees memory serves a thread", |c| {
        let all = take(c, WHOLE);
        c.start(0, HIGH, || hold::<S>(WHOLE, FOREVER, 'a'));
        let Some(block) = all else { return };
        c.objects().kept.store(block.leak().as_mut_ptr(), Relaxed);
        c.expect("free", c.objects().heap.available(), 0);
        S::trigger_interrupt(|| drop(reclaim::<S>()));
        c.expect_log("a.");
        c.ok("give", c.objects().semaphore.give());
        expect_whole(c, WHOLE);
    });
}

/// Makes a guard of the whole block that was leaked; none if it is not of the suite's heap.
fn reclaim<S: SuiteBoard>() -> Option<HeapBlock<S>> {
    let kept = &S::objects().kept;
    let memory = NonNull::new(kept.swap(ptr::null_mut(), Relaxed))?;
    // SAFETY: only the case above keeps an address: that of a leaked block of this layout. It does
    // not use the reference, and the swap lets no second guard be made.
    unsafe { S::objects().heap.reclaim(memory, layout(WHOLE)) }.ok()
}
