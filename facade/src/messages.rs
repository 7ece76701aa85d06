//! Owns: messages from thread to thread, as programs name them, each with an example. Must never
//! know: the receiver.

/// Two words from thread to thread.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static SERVER: Thread<Board, 8192> = Thread::new("server").priority(20);
///
/// SERVER.start(|| {
///     while let Ok(request) = AnyThread::<Board>::receive(Timeout::FOREVER) {
///         let [a, b] = request.message.0;
///         let _ = request.sender.reply(Message::word(a + b));
///     }
/// })?;
/// assert_eq!(SERVER.call(Message([40, 2]), Timeout::FOREVER)?, Message::word(42));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Message;

/// A received message and its sender.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static ONCE: Thread<Board, 8192> = Thread::new("once").priority(20);
///
/// ONCE.start(|| {
///     let received = AnyThread::<Board>::receive(Timeout::FOREVER);
///     if let Ok(Received { sender, wants_reply: true, .. }) = received {
///         let _ = sender.reply(Message::word(7));
///     }
/// })?;
/// assert_eq!(ONCE.call(Message::default(), Timeout::FOREVER)?, Message::word(7));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Received;

/// The rule by which a send switches to the receiver.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// // The receiver runs at once, even if it is less urgent than the sender.
/// Kernel::<Board>::set_send_rule(Rule::Always);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Rule;

/// The most bytes of a message.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static READER: Thread<Board, 8192> = Thread::new("reader").priority(8);
///
/// READER.create()?;
/// let long = READER.send_bytes(&[0; LONGEST_MESSAGE + 1], Timeout::NONE);
/// assert_eq!(long, Err(Error::Parameter));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::LONGEST_MESSAGE;
