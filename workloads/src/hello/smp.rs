//! Owns: the same on several processors: a thread on each says hello, one after the other; then one
//! goes around.

use taktos_kernel::{AnyThread, Cpu, CpuSet, Semaphore, System, Thread, Timeout};

/// How many processors the program is for.
const PROCESSORS: usize = 4;
/// Text of each processor.
const HELLOS: [&str; PROCESSORS] = [
    "hello from processor 0\n",
    "hello from processor 1\n",
    "hello from processor 2\n",
    "hello from processor 3\n",
];

/// A thread that says hello when it is its turn.
struct Greeter<S: System> {
    thread: Thread<S, 4096>,
    turn: Semaphore<S>,
    said: Semaphore<S>,
}

/// Objects of the program. It has them in a static.
pub struct Objects<S: System>([Greeter<S>; PROCESSORS]);

impl<S: System> Objects<S> {
    /// Everything unused.
    pub const fn new() -> Self {
        Self(
            [const {
                Greeter {
                    thread: Thread::new("other").priority(5),
                    turn: Semaphore::new(0),
                    said: Semaphore::new(0),
                }
            }; PROCESSORS],
        )
    }
}

impl<S: System> Default for Objects<S> {
    fn default() -> Self {
        Self::new()
    }
}

/// Says hello everywhere, and ends the program. Called by a thread of priority 10 that may run on
/// all processors.
pub fn run<S: System>(objects: &'static Objects<S>) -> ! {
    for (number, greeter) in objects.0.iter().enumerate() {
        let thread = &greeter.thread;
        expect::<S>(thread.create().is_ok() && go_to(thread, number));
        expect::<S>(thread.start_with(greet, greeter).is_ok());
    }
    for greeter in &objects.0 {
        expect::<S>(greeter.turn.give().is_ok() && greeter.said.take(Timeout::FOREVER).is_ok());
    }
    for _ in 0..PROCESSORS {
        let number = AnyThread::<S>::processor().index();
        expect::<S>(go_to(AnyThread::<S>::current(), (number + 1) % PROCESSORS));
        S::write("main, going around: ");
        S::write(hello::<S>());
    }
    S::exit(0)
}

fn greet<S: System>(greeter: &'static Greeter<S>) {
    expect::<S>(greeter.turn.take(Timeout::FOREVER).is_ok());
    S::write(hello::<S>());
    expect::<S>(greeter.said.give().is_ok());
}

/// Returns the text of this processor.
fn hello<S: System>() -> &'static str {
    HELLOS[AnyThread::<S>::processor().index()]
}

fn go_to<S: System>(thread: &'static AnyThread<S>, number: usize) -> bool {
    Cpu::new(number).is_some_and(|cpu| thread.set_affinity(CpuSet::of(cpu)).is_ok())
}

fn expect<S: System>(holds: bool) {
    if !holds {
        S::write("??\n");
        S::exit(1);
    }
}
