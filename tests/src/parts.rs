//! Partitions with budgets of processor time, as tests on the host have them: threads that run
//! closures, and what each partition used.
//!
//! Owns: how such a partition is declared and its threads started; the bound of what it may use.
//! Must never know: how many processors there are.

use crate::leak;
use std::cell::Cell;
use std::ptr;
use taktos_abi::call::Number;
use taktos_kernel::user::{Handle, Memory, Partition, Registers, Rights, UserThread, call_as};
use taktos_kernel::{AnyThread, Duration, Instant, Kernel, System, Timeout};
use taktos_machine::Isolation;

#[repr(C, align(4096))]
struct Block([u8; 4096]);

type Body = Box<dyn Fn()>;

/// A partition without data.
pub type Part<S> = &'static Partition<S, ()>;
/// An amount, and the period in which it may be used.
pub type Budget = (Duration, Duration);

/// Runs the body that the argument is the address of: a thread of a partition reaches all memory
/// here.
extern "C" fn entry<S: System>(_: &'static (), body: usize) -> ! {
    if body != 0 {
        let body = ptr::with_exposed_provenance::<Body>(body);
        #[expect(unsafe_code, reason = "a body is passed as a word")]
        // SAFETY: `word` made it of a body that is leaked.
        unsafe {
            (*body)();
        }
    }
    AnyThread::<S>::exit()
}

/// The argument with which a thread of a partition runs `body`.
pub fn word(body: impl Fn() + 'static) -> usize {
    ptr::from_ref(leak(Box::new(body) as Body)).expose_provenance()
}

/// A partition with a budget, if one is given, and a thread of each of these priorities, at most
/// eight. The first is started with it; the others are its handles, from 0 on.
pub fn partition<S: System<Machine: Isolation>>(
    budget: Option<Budget>,
    priorities: &[u8],
) -> (Part<S>, &'static [UserThread<S, ()>]) {
    let thread = |level: &u8| UserThread::new("part", 512, entry::<S>).priority(*level);
    let threads = leak(priorities.iter().map(thread).collect::<Vec<_>>());
    let others = threads[1..].iter();
    let handles = leak(
        others
            .map(|thread| Handle::member(thread, Rights::CONTROL))
            .collect::<Vec<_>>(),
    );
    let partition =
        Partition::new("partition", leak(Memory::<Block>::new()), threads).handles(handles);
    let partition = match budget {
        Some((amount, period)) => partition.budget(amount, period),
        None => partition,
    };
    (leak(partition), threads)
}

/// Starts the thread of `part` that is its handle `handle`, with the argument `word`. The caller is
/// a thread of `part`. Returns the status.
pub fn start_other<S: System<Machine: Isolation>>(
    part: Part<S>,
    handle: usize,
    word: usize,
) -> usize {
    let start = Registers {
        number: Number::ThreadStart as usize,
        handle,
        words: [word, 0],
        timeout: Timeout::NONE,
    };
    let [status, ..] = call_as::<S>(part, &start);
    status
}

/// The present time, from the start on.
pub fn now<S: System>() -> Duration {
    Kernel::<S>::now().since(Instant::START)
}

/// Sleeps until then, from the start on.
pub fn sleep_until<S: System>(at: Duration) {
    let _ = AnyThread::<S>::sleep(Timeout::until(Instant::START.saturating_add(at)));
}

/// Returns the time that was charged to `part`, which has a budget.
pub fn time<S: System<Machine: Isolation>>(part: Part<S>) -> Duration {
    used(part).time
}

/// The account of `part`, which has a budget.
pub fn used<S: System<Machine: Isolation>>(part: Part<S>) -> taktos_kernel::user::Usage {
    part.usage().expect("it has a budget")
}

/// Usage of a partition at each look.
pub struct Looks<S: System<Machine: Isolation>> {
    part: Part<S>,
    budget: Budget,
    looks: Vec<(u64, u64)>,
}

impl<S: System<Machine: Isolation>> Looks<S> {
    /// Nothing was looked at yet.
    pub fn new(part: Part<S>, budget: Budget) -> Self {
        let looks = Vec::new();
        Self {
            part,
            budget,
            looks,
        }
    }

    /// Looks now.
    pub fn look(&mut self) {
        let used = time(self.part).as_nanos();
        self.looks.push((now::<S>().as_nanos(), used));
    }

    /// Returns whether the bound for `processors` processors holds between any two samples.
    pub fn are_within(&self, processors: u64) -> bool {
        let (amount, period) = (self.budget.0.as_nanos(), self.budget.1.as_nanos());
        let owed = used(self.part).most_owed.as_nanos();
        let bound = |length: u64| match processors * length <= amount {
            true => processors * length,
            // Times the processors, so that nothing is lost by rounding.
            false => {
                let behind = processors * length - amount;
                amount * (1 + behind.div_ceil(processors * period)) + owed
            }
        };
        self.looks.iter().enumerate().all(|(place, begin)| {
            let ends = self.looks[place..].iter();
            ends.into_iter()
                .all(|end| end.1 - begin.1 <= bound(end.0 - begin.0))
        })
    }
}

/// A number below `below`, by Knuth's generator (MMIX).
pub fn draw_from(state: &Cell<u64>, below: u32) -> u32 {
    let next = state
        .get()
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    state.set(next);
    (((next >> 32) * u64::from(below)) >> 32) as u32
}
