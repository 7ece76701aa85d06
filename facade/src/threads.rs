//! Owns: threads as programs name them, each with an example. Must never know: how a thread is
//! switched.

/// A thread, with its stack in it.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static WORKER: Thread<Board, 8192> = Thread::new("worker").priority(8);
///
/// WORKER.start(|| taktos::println!("a more urgent thread runs at once"))?;
/// assert_eq!(WORKER.state(), State::Dormant);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Thread;

/// Any thread, whatever its stack: what calls take and give.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static HELPER: Thread<Board, 8192> = Thread::new("helper").priority(20);
///
/// let threads: [&'static AnyThread<Board>; 2] = [AnyThread::current(), &HELPER];
/// HELPER.start(|| AnyThread::<Board>::exit())?;
/// AnyThread::<Board>::sleep(1.millis())?;
/// assert_eq!(threads.map(AnyThread::state), [State::Executing, State::Dormant]);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::AnyThread;

/// The time in which no thread is ready: for a function by which the processor sleeps.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// On a chip: stops the clocks until an RTC's alarm or another interrupt, and reads the RTC.
/// fn stop(span: Duration) -> Duration {
///     span
/// }
///
/// fn sleep(idle: &Idle<Board>) {
///     match idle.left() {
///         Some(span) if span >= 2.millis() => drop(idle.slept(stop(span))),
///         _ => idle.wait(),
///     }
/// }
///
/// static IDLE: Thread<Board, 1024> = Thread::new("idle");
///
/// IDLE.start_idle(sleep)?;
/// AnyThread::<Board>::sleep(10.secs())?;
/// assert_eq!(Kernel::<Board>::now().as_nanos(), 10_000_000_000);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Idle;

/// A thread that gets its stack when it is created.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let thread = board::leak(RawThread::<Board>::new());
/// assert!(!thread.is_guarded(std::ptr::null()), "it has no stack yet");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::RawThread;

/// The error codes of an interface for C, for functions that end by a call of the kernel.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// struct Negative;
///
/// impl Told for Negative {
///     fn word(error: Error) -> i32 {
///         match error {
///             Error::Timeout => -2,
///             _ => -1,
///         }
///     }
/// }
///
/// extern "C" fn give_way() -> i32 {
///     AnyThread::<Board>::yield_last::<Negative>()
/// }
///
/// assert_eq!(Negative::word(Error::Timeout), -2);
/// # let outcome = board::run(|| Board::exit(give_way()));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Told;

/// The state of a thread.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// assert_eq!(AnyThread::<Board>::current().state(), State::Executing);
/// assert_eq!(State::Blocked.to_string(), "blocked");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::State;

/// How urgent a thread is.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let urgent = Priority::new(3).ok_or(Error::Parameter)?;
/// assert!(urgent.beats(Priority::LEAST_URGENT));
/// AnyThread::<Board>::current().set_priority(urgent)?;
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Priority;

/// The effect of a notification on the notification word of a thread.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let me = AnyThread::<Board>::current();
/// me.notify(Notify::SetBits(0b11))?;
/// assert_eq!(AnyThread::<Board>::notify_wait(0b01, Timeout::NONE)?, 0b11);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Notify;

/// All threads, at run time.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let names: Vec<_> = table::all::<Board>().map(|thread| thread.name()).collect();
/// assert_eq!(names, ["main", "idle"]);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::table;

/// Reports of faults and panics, and text on the console.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// fault::print::<Board>(format_args!("{} degrees\n", 21));
/// assert_eq!(fault::EXIT_STATUS, 70, "what a program ends with that panics");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::fault;
