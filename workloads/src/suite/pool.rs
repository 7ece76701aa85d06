//! Owns: the cases of pools of blocks.

use super::case::Tally;
use super::{HIGH, SuiteBoard, UNIT};
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
        let _ = o.semaphore.take(Timeout::FOREVER);
        drop(block);
    }
}

fn take<S: SuiteBoard>(c: &mut super::Case<S>) -> Option<Block<S>> {
    let block = S::objects().pool.allocate(Timeout::NONE);
    c.expect_true("allocation", block.is_ok());
    block.ok()
}

pub fn cases<S: SuiteBoard>(tally: &mut Tally<S>) {
    blocks(tally);
    waits(tally);
}

fn blocks<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case("pool: blocks are given out until none is free", |c| {
        let pool = &c.objects().pool;
        c.expect("free", pool.free_blocks(), BLOCKS);
        let first = take(c);
        let second = take(c);
        c.expect("free", pool.free_blocks(), 0);
        c.expect(
            "no wait",
            pool.allocate(Timeout::NONE).err(),
            Some(Error::WouldBlock),
        );
        c.expect(
            "some time",
            pool.allocate(UNIT.into()).err(),
            Some(Error::Timeout),
        );
        drop(first);
        c.expect("free", pool.free_blocks(), 1);
        drop(second);
        c.expect("free", pool.free_blocks(), BLOCKS);
    });
    tally.case("pool: blocks do not overlap, and are aligned", |c| {
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
    tally.case("pool: a block is given out again and again", |c| {
        for round in 0..100u8 {
            if let Some(mut block) = take(c) {
                block.fill(round);
                c.expect_true("content", block.iter().all(|byte| *byte == round));
            }
        }
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
    });
    tally.case(
        "pool: a leaked block is in use until it is reclaimed, by its own pool",
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
    tally.case(
        "pool: deleted, it gives no blocks; those in use come back",
        |c| {
            let pool = &c.objects().pool;
            let block = take(c);
            c.expect("renewal", pool.renew(), Err(Error::State));
            c.expect("deletion", pool.delete(), Ok(()));
            c.expect("free", pool.free_blocks(), 0);
            c.expect("deletion", pool.delete(), Err(Error::Deleted));
            c.expect(
                "allocation",
                pool.allocate(Timeout::FOREVER).err(),
                Some(Error::Deleted),
            );
            c.expect(
                "no wait",
                pool.allocate(Timeout::NONE).err(),
                Some(Error::Deleted),
            );
            c.expect("renewal", pool.renew(), Ok(()));
            c.expect("free", pool.free_blocks(), BLOCKS - 1);
            drop(block);
            c.expect("free", pool.free_blocks(), BLOCKS);
        },
    );
}

fn waits<S: SuiteBoard>(tally: &mut Tally<S>) {
    tally.case(
        "pool: a freed block goes to the most urgent who waits",
        |c| {
            let (first, second) = (take(c), take(c));
            c.start(0, 9, || hold::<S>(Timeout::FOREVER, 'a'));
            c.start(1, 7, || hold::<S>(Timeout::FOREVER, 'b'));
            c.start(2, 9, || hold::<S>(Timeout::FOREVER, 'c'));
            drop(first);
            c.expect_log("b.");
            drop(second);
            c.expect_log("a.");
            c.expect("give", c.objects().semaphore.give(), Ok(()));
            c.expect_log("c.");
            for _ in 0..2 {
                c.expect("give", c.objects().semaphore.give(), Ok(()));
            }
            c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
        },
    );
    tally.case("pool: a wait ends by time, request and deletion", |c| {
        let (first, second) = (take(c), take(c));
        c.start(0, HIGH, || hold::<S>(UNIT.into(), 'a'));
        c.start(1, HIGH, || hold::<S>(Timeout::FOREVER, 'b'));
        c.start(2, HIGH, || hold::<S>(Timeout::FOREVER, 'c'));
        c.expect("end of wait", c.objects().thread(1).cancel_wait(), Ok(()));
        c.let_others_run();
        c.let_others_run();
        c.expect("deletion", c.objects().pool.delete(), Ok(()));
        c.expect_log("bXaTcD");
        drop((first, second));
        c.expect("renewal", c.objects().pool.renew(), Ok(()));
        c.expect("free", c.objects().pool.free_blocks(), BLOCKS);
    });
    tally.case(
        "pool: a handler takes and frees blocks, but does not wait",
        |c| {
            let first = take(c);
            S::trigger_interrupt(|| {
                let o = S::objects();
                let block = o.log.result(o.pool.allocate(Timeout::NONE));
                let _ = o.log.result(o.pool.allocate(Timeout::NONE).map(drop));
                drop(block);
            });
            c.expect_log(".C");
            c.expect("free", c.objects().pool.free_blocks(), BLOCKS - 1);
            drop(first);
        },
    );
}
