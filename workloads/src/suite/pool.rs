//! Owns: the cases of pools of blocks.

use super::case::Tally;
use super::{FOREVER, HIGH, NONE, SuiteBoard, UNIT, log_result};
use taktos_kernel::{Error, PoolBlock, Timeout};

/// The bytes of a block, and how many blocks there are, in the suite's pool.
pub(super) const SIZE: usize = 12;
/// How many blocks.
pub(super) const BLOCKS: usize = 2;

type Block<S> = PoolBlock<S, SIZE, BLOCKS>;

/// Allocates, notes letter and result, and frees the block when a permit comes.
fn hold<S: SuiteBoard>(timeout: Timeout, name: char) {
    let o = S::objects();
    let result = o.pool.allocate(timeout);
    o.log.add(name);
    if let Ok(block) = o.log.result(result) {
        let _ = o.semaphore.take(FOREVER);
        drop(block);
    }
}

fn take<S: SuiteBoard>(c: &mut super::Case<S>) -> Option<Block<S>> {
    let block = S::objects().pool.allocate(NONE);
    c.expect_true("allocation", block.is_ok());
    block.ok()
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.about("pool");
    blocks(tally);
    waits(tally);
}

fn blocks<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("blocks are given out until none is free", |c| {
        let pool = &c.objects().pool;
        c.expect("free", pool.free_blocks(), BLOCKS);
        let first = take(c);
        let second = take(c);
        c.expect("free", pool.free_blocks(), 0);
        c.expect_error("no wait", pool.allocate(NONE), Error::WouldBlock);
        c.expect_error("some time", pool.allocate(UNIT.into()), Error::Timeout);
        drop(first);
        c.expect("free", pool.free_blocks(), 1);
        drop(second);
        c.expect("free", pool.free_blocks(), BLOCKS);
    });
    tally.case("blocks do not overlap, and are aligned", |c| {
        if let (Some(mut first), Some(mut second)) = (take(c), take(c)) {
            first.fill(1);
            second.fill(2);
            c.expect_true("first", first.iter().all(|byte| *byte == 1));
            c.expect_true("second", second.iter().all(|byte| *byte == 2));
            for block in [&first, &second] {
                c.expect("alignment", block.as_ptr().addr() % 8, 0);
            }
        }
    });
    tally.case("a block is given out again and again", |c| {
        for round in 0..100u8 {
            if let Some(mut block) = take(c) {
                block.fill(round);
                c.expect_true("content", block.iter().all(|byte| *byte == round));
            }
        }
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
    });
    tally.case(
        "a leaked block is in use until it is reclaimed, by its own pool",
        |c| {
            let pool = &c.objects().pool;
            let Some(block) = take(c) else { return };
            let memory = block.leak();
            memory[0] = 9;
            c.expect("free", pool.free_blocks(), BLOCKS - 1);
            match pool.reclaim(memory) {
                Ok(block) => c.expect("content", block[0], 9),
                Err(error) => c.expect("reclaimed", Err::<(), _>(error), Ok(())),
            }
            c.expect("free", pool.free_blocks(), BLOCKS);
        },
    );
    tally.case("deleted, it gives no blocks; those in use come back", |c| {
        let pool = &c.objects().pool;
        let block = take(c);
        c.expect_error("renewal", pool.renew(), Error::State);
        c.ok("deletion", pool.delete());
        c.expect("free", pool.free_blocks(), 0);
        c.expect_error("deletion", pool.delete(), Error::Deleted);
        c.expect_error("allocation", pool.allocate(FOREVER), Error::Deleted);
        c.expect_error("no wait", pool.allocate(NONE), Error::Deleted);
        c.ok("renewal", pool.renew());
        c.expect("free", pool.free_blocks(), BLOCKS - 1);
        drop(block);
        c.expect("free", pool.free_blocks(), BLOCKS);
    });
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("a freed block goes to the most urgent who waits", |c| {
        let (first, second) = (take(c), take(c));
        c.start(0, 9, || hold::<S>(FOREVER, 'a'));
        c.start(1, 7, || hold::<S>(FOREVER, 'b'));
        c.start(2, 9, || hold::<S>(FOREVER, 'c'));
        drop(first);
        c.expect_log("b.");
        drop(second);
        c.expect_log("a.");
        c.ok("give", c.objects().semaphore.give());
        c.expect_log("c.");
        for _ in 0..2 {
            c.ok("give", c.objects().semaphore.give());
        }
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
    });
    tally.case("a wait ends by time, request and deletion", |c| {
        let (first, second) = (take(c), take(c));
        c.start(0, HIGH, || hold::<S>(UNIT.into(), 'a'));
        c.start(1, HIGH, || hold::<S>(FOREVER, 'b'));
        c.start(2, HIGH, || hold::<S>(FOREVER, 'c'));
        c.ok("end of wait", c.thread(1).cancel_wait());
        c.let_time_outs_pass();
        c.ok("deletion", c.objects().pool.delete());
        c.expect_log("bXaTcD");
        drop((first, second));
        c.ok("renewal", c.objects().pool.renew());
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
    });
    tally.case("a handler takes and frees blocks, but does not wait", |c| {
        let first = take(c);
        S::trigger_interrupt(|| {
            let o = S::objects();
            let block = o.log.result(o.pool.allocate(NONE));
            log_result::<S>(o.pool.allocate(NONE).map(drop));
            drop(block);
        });
        c.expect_log(".C");
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS - 1);
        drop(first);
    });
}
