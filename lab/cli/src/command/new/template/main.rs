//! A sampler and a filter, and the queue between them.
#![cfg_attr(target_os = "none", no_std, no_main)]

use taktos::board::Board;
use taktos::{AnyThread, MessageQueue, Span, System, Thread, Timeout};

/// The stack of a thread, in bytes.
const STACK: usize = 256 * size_of::<usize>();

static MAIN: Thread<Board, STACK> = Thread::new("main").priority(20);
static SAMPLER: Thread<Board, STACK> = Thread::new("sampler").priority(5);
static FILTER: Thread<Board, STACK> = Thread::new("filter").priority(6);
static SAMPLES: MessageQueue<Board, u32, 8> = MessageQueue::new();

/// The first thread starts the others, which end by themselves.
#[taktos::main(MAIN)]
fn first() {
    // Stacks are painted, so that the table of threads says how much of each was used.
    for thread in [&MAIN, &SAMPLER, &FILTER] {
        let _ = thread.create();
        let _ = thread.paint_stack();
    }
    let _ = FILTER.start(filter);
    let _ = SAMPLER.start(sampler);
    let _ = SAMPLER.join(Timeout::FOREVER);
    let _ = FILTER.join(Timeout::FOREVER);
    Board::exit(0);
}

/// Takes four samples, one every two milliseconds, and ends them with a 0.
fn sampler() {
    for sample in [1, 2, 3, 4, 0] {
        let _ = SAMPLES.send(&sample, Timeout::FOREVER);
        let _ = AnyThread::<Board>::sleep(2.millis());
    }
}

/// Sums the samples up to the 0, or until none has come for a second.
fn filter() {
    let mut sum = 0;
    while let Ok(sample @ 1..) = SAMPLES.receive(Timeout::after(1.secs())) {
        sum += sample;
    }
    taktos::println!("the sum is {sum}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the host time is virtual, and a call of the kernel takes none of it.
    #[test]
    fn the_filter_ends_with_the_samples() {
        let outcome = taktos::board::start(&MAIN, first);
        assert_eq!(outcome.console, "the sum is 10\n");
        assert_eq!(outcome.time.as_nanos(), 10_000_000);
    }
}
