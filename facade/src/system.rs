//! Owns: the kernel and its system, scheduling on several processors, and partitions, as programs
//! name them, each with an example. Must never know: a board.

/// The kernel: time, sections, the list of threads.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let begin = Kernel::<Board>::now();
/// AnyThread::<Board>::sleep(2.millis())?;
/// assert_eq!(Kernel::<Board>::now().since(begin), 2.millis());
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Kernel;

/// The board, as the kernel sees it.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// Board::write("almost done\n");
/// let _kernel: &'static Kernel<Board> = Board::kernel();
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::System;

/// A processor.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// assert_eq!(Cpu::new(1).map(Cpu::index), Some(1));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Cpu;

/// Processors.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// let set = CpuSet::from_bits(0b0110);
/// assert!(Cpu::new(2).is_some_and(|cpu| set.contains(cpu)));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::CpuSet;

/// How an instance of the scheduler chooses.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// assert_ne!(PolicyKind::Edf.least_urgent(), PolicyKind::Priority.least_urgent());
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::PolicyKind;

/// An instance of the scheduler to be.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// // Two processors by fixed priorities, two by deadlines: an argument of
/// // `taktos::board::start_with` for a board with four.
/// let instances = [
///     InstanceConfig {
///         name: *b"fix ",
///         policy: PolicyKind::StrongAffinity,
///         cpus: CpuSet::from_bits(0b0011),
///     },
///     InstanceConfig { name: *b"edf ", policy: PolicyKind::Edf, cpus: CpuSet::from_bits(0b1100) },
/// ];
/// assert_eq!(instances[1].cpus, CpuSet::from_bits(0b1100));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::InstanceConfig;

/// An instance of the scheduler.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// The processors of the caller's instance, on a system with several.
/// fn neighbours<S: System>() -> Result<CpuSet, Error> {
///     let mine: Instance = AnyThread::<S>::current().instance()?;
///     Kernel::<S>::processors(mine)
/// }
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Instance;

/// A mutex for threads of several instances.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// Works with what threads of several instances share.
/// fn with<S: System>(shared: &'static ClusterMutex<S>, work: impl FnOnce()) -> Result<(), Error> {
///     shared.lock(Timeout::FOREVER)?;
///     work();
///     shared.unlock()
/// }
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::ClusterMutex;

/// The priority protocol of a cluster mutex.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// A mutex by OMIP, on a system with several processors.
/// fn made<S: System>() -> ClusterMutex<S> {
///     ClusterMutex::new(ClusterProtocol::Omip)
/// }
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::ClusterProtocol;

/// The use of the processors by each thread, from one sample to another.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// Reports how long each thread ran in five milliseconds, on a system with several processors.
/// fn look<S: System>() -> Result<(), Error> {
///     let before = Usage::<S, 16>::take();
///     AnyThread::<S>::sleep(5.millis())?;
///     Usage::<S, 16>::take().report_since(&before);
///     Ok(())
/// }
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Usage;

/// Types for reports of how the processors were used.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// /// How long the processors had nothing to do, on a system with several.
/// fn idle<S: System>(before: &Usage<S, 16>, after: &Usage<S, 16>) -> Duration {
///     let mut sum = Duration::ZERO;
///     after.since(before, |share, time| {
///         if let usage::Share::Idle(_) = share {
///             sum = sum.saturating_add(time);
///         }
///     });
///     sum
/// }
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::usage;

/// Threads without privilege, in partitions.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// // A board with user mode gives threads of a partition what a handle names, and says how.
/// let handle = user::Rights::GIVE;
/// assert_ne!(handle, user::Rights::TAKE);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::user;
