//! Measuring by the processor's own counter of cycles, on a board that has one: with the feature
//! `counted` the marks read it.
//!
//! Owns: the samples of the marks until they are printed, and the lines of a session. Must never
//! know: a board, as its counter and conditions come by [`Counted`]; how the lines are used, as
//! their form is in the book (`docs/laboratory.md`, "On a board").

use core::fmt::{self, Arguments, Write};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use taktos_kernel::{AnyThread, Kernel, Span, System};

/// The version of the form of a session.
const VERSION: u32 = 1;
/// The most samples of one mark.
const MOST: usize = 1001;
/// The most marks between two reports.
const MARKS: usize = 2;
/// The most samples that stand in a line.
const IN_A_LINE: usize = 16;
/// How often the counter is held against the clock, and for how long.
const RATES: u64 = 4;
const SPAN_MILLIS: u32 = 5;
/// The loads of [`Silicon::loads`].
const LOADS: u32 = 256;

/// The mark around nothing: what reading the counter costs.
const EMPTY: &str = "empty";

/// The names of the marks that are measured.
const NAMES: [&str; 21] = [
    EMPTY,
    "yield",
    "semaphore-give",
    "semaphore-take",
    "semaphore-wake",
    "semaphore-round-trip",
    "queue-wake-4",
    "queue-wake-16",
    "queue-round-trip-4",
    "mutex-lock",
    "mutex-unlock",
    "mutex-block-boost",
    "mutex-hand-over",
    "event-wake",
    "interrupt-wake",
    "notify-wake",
    "thread-start",
    "direct-send",
    "call-reply",
    "yield-in-slices",
    "preemption-in-slices",
];

/// Description of a board's counter.
pub struct Silicon {
    /// The board.
    pub board: &'static str,
    /// The counter.
    pub counter: &'static str,
    /// How often a second it counts.
    pub hertz: u32,
    /// Conditions of the counts, as words `name=value`: clocks, wait states. `machine=qemu` if the
    /// board is an emulator's.
    pub conditions: &'static str,
    /// Lets the counter run.
    pub start: fn(),
    /// The counter, which wraps.
    pub read: fn() -> u32,
    /// 256 loads, each of which waits for the one before it: more than a cycle each on every
    /// processor.
    pub loads: fn(),
    /// Switches the caches on or off, where the program can.
    pub caches: Option<fn(bool)>,
}

/// A system with a processor that counts its cycles.
pub trait Counted: System {
    /// How.
    const SILICON: Silicon;
}

/// The program's end of the marks: its board's counter.
#[macro_export]
macro_rules! counter {
    ($board:ty) => {
        #[unsafe(no_mangle)]
        fn taktos_cycles() -> u32 {
            (<$board as $crate::counted::Counted>::SILICON.read)()
        }
    };
}

#[expect(
    unsafe_code,
    reason = "a function that the program defines, by `counter!`"
)]
mod program {
    // SAFETY: `counter!` defines it with this type, and no other code has the name.
    unsafe extern "Rust" {
        pub(super) safe fn taktos_cycles() -> u32;
    }
}

use program::taktos_cycles;

/// The samples of one mark.
struct Log {
    mark: AtomicU32,
    length: AtomicUsize,
    values: [AtomicU32; MOST],
}

static LOGS: [Log; MARKS] = [const {
    Log {
        mark: AtomicU32::new(0),
        length: AtomicUsize::new(0),
        values: [const { AtomicU32::new(0) }; MOST],
    }
}; MARKS];

/// The mark that was begun last and has not ended, and what the counter said then.
static OPEN: AtomicU32 = AtomicU32::new(0);
static BEGAN: AtomicU32 = AtomicU32::new(0);

/// A mark's number: the 32-bit FNV-1a digest of its name, never zero for those that are known.
pub const fn number(name: &str) -> u32 {
    digest(FNV_BASIS, name.as_bytes())
}

const FNV_BASIS: u32 = 0x811c_9dc5;

const fn digest(mut digest: u32, bytes: &[u8]) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        digest = (digest ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    digest
}

/// An interval begins: the counter is read last.
#[inline(always)]
pub fn begin(mark: u32) {
    OPEN.store(mark, Relaxed);
    BEGAN.store(taktos_cycles(), Relaxed);
}

/// It ends, in whatever thread: the counter is read first. An end without a beginning is ignored.
#[inline(always)]
pub fn end(mark: u32) {
    let now = taktos_cycles();
    keep(mark, now.wrapping_sub(BEGAN.load(Relaxed)));
}

#[inline(never)]
fn keep(mark: u32, cycles: u32) {
    if OPEN.load(Relaxed) != mark {
        return;
    }
    OPEN.store(0, Relaxed);
    let of = |log: &&Log| [0, mark].contains(&log.mark.load(Relaxed));
    let Some(log) = LOGS.iter().find(of) else {
        return;
    };
    log.mark.store(mark, Relaxed);
    let length = log.length.load(Relaxed);
    if let Some(value) = log.values.get(length) {
        value.store(cycles, Relaxed);
        log.length.store(length + 1, Relaxed);
    }
}

/// How many lines the session has, and their digest.
static LINES: AtomicU32 = AtomicU32::new(0);
static CHECK: AtomicU32 = AtomicU32::new(FNV_BASIS);

/// The console, on which a line of the session is said.
struct Console<S>(PhantomData<S>);

impl<S: System> Write for Console<S> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        CHECK.store(digest(CHECK.load(Relaxed), text.as_bytes()), Relaxed);
        S::write(text);
        Ok(())
    }
}

/// Says a line.
fn say<S: System>(line: Arguments<'_>) {
    LINES.fetch_add(1, Relaxed);
    // A console that cannot be written to has nowhere to say so.
    let _ = Console::<S>(PhantomData).write_fmt(line);
    S::write("\n");
}

/// Values, in which equal ones that follow each other are printed once.
struct Runs<'a>(&'a [AtomicU32]);

impl fmt::Display for Runs<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, run) in runs(self.0).enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(formatter, "{comma}{}", run[0].load(Relaxed))?;
            if run.len() > 1 {
                write!(formatter, "x{}", run.len())?;
            }
        }
        Ok(())
    }
}

fn runs(values: &[AtomicU32]) -> impl Iterator<Item = &[AtomicU32]> {
    values.chunk_by(|left, right| left.load(Relaxed) == right.load(Relaxed))
}

/// Says all samples since the last time, in their order.
pub fn report<S: System>() {
    for log in &LOGS {
        let mark = log.mark.swap(0, Relaxed);
        let mut values = &log.values[..log.length.swap(0, Relaxed)];
        let Some(name) = NAMES.iter().find(|name| number(name) == mark) else {
            continue;
        };
        while !values.is_empty() {
            let length = runs(values).take(IN_A_LINE).map(<[_]>::len).sum();
            let (line, rest) = values.split_at(length);
            say::<S>(format_args!("@samples mark={name} cycles={}", Runs(line)));
            values = rest;
        }
    }
}

/// Measures all that `run` does, which reports after each scenario: with the caches on, and off if
/// the board can.
pub fn session<S: Counted>(run: impl Fn()) {
    let silicon = S::SILICON;
    (silicon.start)();
    let Silicon {
        board,
        counter,
        hertz,
        conditions,
        ..
    } = silicon;
    say::<S>(format_args!(
        "@session version={VERSION} board={board} counter={counter} hertz={hertz}"
    ));
    say::<S>(format_args!("@conditions {conditions}"));
    for _ in 0..RATES {
        let (cycles, nanos) = rate::<S>();
        say::<S>(format_args!("@rate cycles={cycles} ns={nanos}"));
    }
    let before = taktos_cycles();
    (silicon.loads)();
    let cycles = taktos_cycles().wrapping_sub(before);
    say::<S>(format_args!("@loads count={LOADS} cycles={cycles}"));
    match silicon.caches {
        None => round::<S>("as-started", run),
        Some(switch) => {
            switch(false);
            round::<S>("off", &run);
            switch(true);
            round::<S>("on", run);
        }
    }
    let (lines, check) = (LINES.load(Relaxed), CHECK.load(Relaxed));
    say::<S>(format_args!("@end lines={lines} check={check}"));
}

fn round<S: System>(caches: &str, run: impl Fn()) {
    say::<S>(format_args!("@round caches={caches}"));
    empty();
    report::<S>();
    run();
}

/// Measures the counts of the counter while the clock runs for a while.
fn rate<S: System>() -> (u32, u64) {
    // Not in the midst of a turn that ends soon.
    AnyThread::<S>::yield_now();
    let (begin, before) = (Kernel::<S>::now(), taktos_cycles());
    loop {
        let (now, cycles) = (Kernel::<S>::now(), taktos_cycles());
        let span = now.since(begin);
        if span >= SPAN_MILLIS.millis() {
            return (cycles.wrapping_sub(before), span.as_nanos());
        }
    }
}

/// The interval around nothing.
#[inline(never)]
fn empty() {
    const MARK: u32 = number(EMPTY);
    for _ in 0..MOST {
        begin(MARK);
        end(MARK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_has_a_number_of_its_own() {
        let mut numbers: std::vec::Vec<u32> = NAMES.iter().map(|name| number(name)).collect();
        numbers.push(0);
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), NAMES.len() + 1);
    }
}
