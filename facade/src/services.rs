//! Owns: what serves threads, alarms, deferred work, names, calls and devices, as programs name
//! them, each with an example. Must never know: which thread serves.

/// Alarms: calls of functions at their time, once, again and again, or if they are not fed.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static CLOCK: AlarmClock<Board> = AlarmClock::new();
/// static SERVER: Thread<Board, 16384> = Thread::new("alarms").priority(4);
/// static TICKS: Semaphore<Board> = Semaphore::new(0);
/// static EACH_MILLI: Alarm<Board> = Alarm::calling(&CLOCK, |_| drop(TICKS.give()), 0);
///
/// SERVER.start(|| drop(CLOCK.serve()))?;
/// EACH_MILLI.periodic(1.millis(), 1.millis())?;
/// for _ in 0..3 {
///     TICKS.take(Timeout::FOREVER)?;
/// }
/// assert_eq!(EACH_MILLI.counts(), AlarmCounts { expired: 3, skipped: 0 });
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{Alarm, AlarmClock, AlarmCounts};

/// Work that a thread does for others.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static QUEUE: WorkQueue<Board> = WorkQueue::new();
/// static WORKER: Thread<Board, 16384> = Thread::new("worker").priority(20);
/// static DONE: Fifo<Board, usize, 4> = Fifo::new();
/// static SAMPLE: Work<Board> = Work::new(&QUEUE, |word| drop(DONE.push(word)));
///
/// WORKER.start(|| drop(QUEUE.serve()))?;
/// assert!(SAMPLE.defer(7)?); // a handler may do the same
/// AnyThread::<Board>::sleep(1.millis())?;
/// assert_eq!(DONE.pop(Timeout::NONE)?, 7);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{Work, WorkQueue};

/// Objects by their names.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static NAMES: Names<Board, 8> = Names::new();
/// static SAMPLES: MessageQueue<Board, u32, 4> = MessageQueue::new();
///
/// assert!("samples".len() <= LONGEST_NAME);
/// NAMES.register("samples", &SAMPLES)?;
/// let samples = NAMES.find::<MessageQueue<Board, u32, 4>>("samples", Timeout::NONE)?;
/// samples.send(&5, Timeout::NONE)?;
/// assert_eq!(SAMPLES.len(), 1);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{LONGEST_NAME, Names};

/// Calls of functions by number, which another thread carries out.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// const SUM: RemoteFunction = |bytes, length| {
///     bytes[0] = bytes[..length].iter().sum();
///     Ok(1)
/// };
/// static ARITHMETIC: RemoteServer<Board> = RemoteServer::new(&[SUM]);
/// static SERVER: Thread<Board, 16384> = Thread::new("server").priority(8);
/// static CALL: RemoteCall<Board, 16> = RemoteCall::new(&ARITHMETIC);
///
/// SERVER.start(|| drop(ARITHMETIC.serve()))?;
/// let mut sum = [0];
/// assert_eq!(CALL.call(0, &[1, 2, 3], &mut sum, Timeout::FOREVER)?, 1);
/// assert_eq!(sum, [6]);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{RemoteCall, RemoteFunction, RemoteServer};

/// Devices with one common set of calls, and one device that is a timer.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static TIMER: TimerDevice<Board> = TimerDevice::new();
/// static DEVICE: Device<Board> = Device::new(&TIMER);
///
/// let timer: OpenDevice<Board> = DEVICE.open(Timeout::NONE)?;
/// timer.control(TimerDevice::<Board>::START, 1_000)?; // every millisecond
/// let mut passed = [0; 8];
/// timer.read(&mut passed, Timeout::FOREVER)?;
/// assert_eq!(u64::from_le_bytes(passed), 1);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{Device, OpenDevice, TimerDevice};

/// The operations of a device.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// A driver of nothing but a number.
/// struct Thermometer;
///
/// impl Driver<Board> for Thermometer {
///     fn read(&'static self, bytes: &mut [u8], _: Timeout) -> Result<usize, Error> {
///         *bytes.first_mut().ok_or(Error::Parameter)? = 21;
///         Ok(1)
///     }
/// }
///
/// static DEVICE: Device<Board> = Device::new(&Thermometer);
///
/// let mut degrees = [0];
/// DEVICE.open(Timeout::NONE)?.read(&mut degrees, Timeout::NONE)?;
/// assert_eq!(degrees, [21]);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Driver;

/// A serial line as a device, over any UART.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// A line that never receives a byte.
/// struct Silent;
///
/// impl UartPort for Silent {
///     fn start(&self) {}
///     fn stop(&self) {}
///     fn receive(&self) -> Option<u8> {
///         None
///     }
///     fn has_room(&self) -> bool {
///         true
///     }
///     fn send(&self, _: u8) {}
///     fn want_room(&self, _: bool) {}
/// }
///
/// static LINE: Uart<Board, Silent, 16, 16> = Uart::new(Silent);
/// static DEVICE: Device<Board> = Device::new(&LINE);
///
/// let mut bytes = [0; 4];
/// let nothing = DEVICE.open(Timeout::NONE)?.read(&mut bytes, Timeout::after(1.millis()));
/// assert_eq!(nothing, Err(Error::Timeout));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::{Uart, UartPort};

/// A watchdog that is fed while each part of a program feeds in time.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// Hardware that is not there; a board's is `taktos::board::HardwareWatchdog`.
/// struct Nothing;
///
/// impl WatchdogPort for Nothing {
///     fn start(&self, _: Duration) -> Result<(), Error> {
///         Ok(())
///     }
///     fn feed(&self) {}
/// }
///
/// static WATCHDOG: Watchdog<Board, Nothing, 2> = Watchdog::new(Nothing);
/// static SERVER: Thread<Board, 16384> = Thread::new("watchdog").priority(0);
///
/// SERVER.start(|| {
///     let _ = WATCHDOG.serve(100.millis());
/// })?;
/// let part: WatchdogPart<Board> = WATCHDOG.register("pump", 10.millis())?;
/// for _ in 0..3 {
///     AnyThread::<Board>::sleep(5.millis())?;
///     part.feed()?;
/// }
/// AnyThread::<Board>::sleep(10.millis())?;
/// assert_eq!(part.feed(), Err(Error::Timeout));
/// assert_eq!(SERVER.state(), State::Dormant); // and the hardware resets the chip
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// # assert_eq!(outcome.console, "watchdog: 'pump' was not fed in time\n");
/// ```
pub use taktos_kernel::{Watchdog, WatchdogPart, WatchdogPort};
