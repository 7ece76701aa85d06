//! Owns: time, time-outs, errors and periods, as programs name them, each with an example. Must
//! never know: a clock.

/// A span of time, in nanoseconds.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let span = Duration::from_millis(2).saturating_add(500.micros());
/// assert_eq!(span.as_micros(), 2_500);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Duration;

/// A point in time, in nanoseconds since the start.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let begin: Instant = Kernel::<Board>::now();
/// AnyThread::<Board>::sleep(3.millis())?;
/// assert_eq!(Kernel::<Board>::now().since(begin), 3.millis());
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Instant;

/// Numbers with a unit of time: `2.millis()`.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// assert_eq!(2.millis(), Duration::from_micros(2_000));
/// assert_eq!(1.secs(), Duration::from_millis(1_000));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Span;

/// How long a call waits.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static EMPTY: Semaphore<Board> = Semaphore::new(0);
///
/// assert_eq!(EMPTY.take(Timeout::NONE), Err(Error::WouldBlock));
/// assert_eq!(EMPTY.take(Timeout::after(1.millis())), Err(Error::Timeout));
/// let now = Kernel::<Board>::now();
/// assert_eq!(EMPTY.take(Timeout::until(now)), Err(Error::Timeout));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Timeout;

/// Why a call failed.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static NOBODYS: Mutex<Board> = Mutex::new();
///
/// assert_eq!(NOBODYS.unlock(), Err(Error::NotOwner));
/// assert_eq!(Error::Timeout.to_string(), "the time given has passed");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Error;

/// A periodic job, with its statistics.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static ROUND: Period<Board> = Period::new("round");
///
/// ROUND.create()?;
/// ROUND.next(2.millis())?; // the grid begins
/// ROUND.next(2.millis())?; // sleeps until the next release
/// assert_eq!(ROUND.statistics()?.missed, 0);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Period;

/// States and statistics of periods.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static LATE: Period<Board> = Period::new("late");
///
/// LATE.create()?;
/// LATE.next(2.millis())?;
/// AnyThread::<Board>::sleep(5.millis())?; // longer than two periods
/// assert_eq!(LATE.status()?.state, period::State::Expired);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::period;
