//! Owns: the objects by which threads work together, as programs name them, each with an example.
//! Must never know: the waiting threads.

/// Permits.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static READY: Semaphore<Board> = Semaphore::new(0);
///
/// READY.give()?;
/// READY.take(Timeout::FOREVER)?;
/// assert_eq!(READY.take(Timeout::after(1.millis())), Err(Error::Timeout));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Semaphore;

/// Mutual exclusion, with inheritance or a ceiling.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static BUS: Mutex<Board> = Mutex::new();
///
/// BUS.lock(Timeout::FOREVER)?;
/// assert_eq!(BUS.lock(Timeout::FOREVER), Err(Error::Deadlock));
/// BUS.unlock()?;
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Mutex;

/// The priority protocol of a mutex.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static LOW: Mutex<Board> = Mutex::with_protocol(Protocol::Ceiling(Priority::LEAST_URGENT));
///
/// assert_eq!(LOW.lock(Timeout::FOREVER), Err(Error::Ceiling));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Protocol;

/// The end of a mutex owner: its effect on the mutex.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static DATA: Mutex<Board> = Mutex::new().when_owner_ends(OwnerEnd::Tell);
/// static HASTY: Thread<Board, 8192> = Thread::new("hasty").priority(8);
///
/// HASTY.start(|| drop(DATA.lock(Timeout::FOREVER)))?; // and ends with it locked
/// assert_eq!(DATA.lock(Timeout::FOREVER), Err(Error::OwnerDied));
/// DATA.make_consistent()?;
/// DATA.unlock()?;
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::OwnerEnd;

/// A condition variable.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static GATE: Mutex<Board> = Mutex::new();
/// static OPENED: Condition<Board> = Condition::new();
///
/// GATE.lock(Timeout::FOREVER)?;
/// assert_eq!(OPENED.wait(&GATE, Timeout::after(1.millis())), Err(Error::Timeout));
/// GATE.unlock()?; // it was locked again
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Condition;

/// Up to 32 events that threads wait for.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static SERIAL: EventFlags<Board> = EventFlags::new(0);
///
/// SERIAL.set(0b01)?;
/// assert_eq!(SERIAL.take_any(0b11, Timeout::FOREVER)?, 0b01);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::EventFlags;

/// Messages of one type, copied, first come first served.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static SAMPLES: MessageQueue<Board, i16, 16> = MessageQueue::new();
///
/// SAMPLES.send(&-12, Timeout::FOREVER)?;
/// assert_eq!(SAMPLES.receive(Timeout::FOREVER)?, -12);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::MessageQueue;

/// Values in the order in which they came.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static JOBS: Fifo<Board, &str, 4> = Fifo::new();
///
/// JOBS.push("first")?;
/// JOBS.push("second")?;
/// assert_eq!(JOBS.pop(Timeout::NONE)?, "first");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Fifo;

/// Values, the last one first.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static RECENT: Lifo<Board, u8, 2> = Lifo::new();
///
/// RECENT.push(1)?;
/// RECENT.push(2)?;
/// assert_eq!(RECENT.push(3), Err(Error::Limit));
/// assert_eq!(RECENT.pop(Timeout::NONE)?, 2);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Lifo;

/// A LIFO of machine words.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static FREE_SLOTS: Stack<Board, 4> = Stack::new();
///
/// FREE_SLOTS.push(7)?;
/// assert_eq!(FREE_SLOTS.pop(Timeout::NONE)?, 7);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Stack;

/// The common part of a FIFO and a LIFO.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static ANY: Fifo<Board, u8, 2> = Fifo::new(); // a FIFO and a LIFO are stores, of either order
///
/// ANY.push(1)?;
/// assert_eq!((ANY.len(), ANY.is_empty()), (1, false));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Store;

/// Letters for anyone or for a certain thread.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static BOX: Mailbox<Board, &str, 2> = Mailbox::new();
///
/// BOX.post(&"for anyone", Partner::Any, Timeout::NONE)?;
/// assert_eq!(BOX.receive(Partner::Any, Timeout::NONE)?.message, "for anyone");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Mailbox;

/// A letter received from a mailbox, and its sender.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static BOX: Mailbox<Board, u8, 2> = Mailbox::new();
///
/// BOX.post(&1, Partner::Any, Timeout::NONE)?;
/// let Letter { sender, message } = BOX.receive(Partner::Any, Timeout::NONE)?;
/// assert_eq!((sender.map(AnyThread::name), message), (Some("main"), 1));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Letter;

/// The receiver that a letter is for, or the sender that it is from.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static ALONE: Mailbox<Board, u8, 1> = Mailbox::new();
///
/// let me = AnyThread::<Board>::current();
/// assert_eq!(ALONE.send(&1, Partner::Only(me), Timeout::FOREVER), Err(Error::Deadlock));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Partner;

/// Bytes, as many as there are.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static LINE: Pipe<Board, 16> = Pipe::new();
///
/// LINE.write(b"hello", 5, Timeout::FOREVER)?;
/// let mut buffer = [0; 16];
/// let read = LINE.read(&mut buffer, 1, Timeout::FOREVER)?;
/// assert_eq!(&buffer[..read], b"hello");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Pipe;

/// An error of a pipe, and the number of bytes that were moved before it.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static NARROW: Pipe<Board, 4> = Pipe::new();
///
/// let mut buffer = [0; 8];
/// let late = NARROW.read(&mut buffer, 8, Timeout::NONE);
/// assert_eq!(late, Err(Partial { error: Error::WouldBlock, moved: 0 }));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Partial;

/// An operation of an object, as one of several things that a thread waits for.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static PULSE: Semaphore<Board> = Semaphore::new(0);
/// static ORDERS: MessageQueue<Board, u8, 4> = MessageQueue::new();
///
/// let mut pulse = PULSE.taking();
/// let mut order = ORDERS.receiving();
/// ORDERS.send(&3, Timeout::NONE)?;
/// assert_eq!(Kernel::<Board>::poll([&mut pulse, &mut order], Timeout::FOREVER)?, 1);
/// assert_eq!((pulse.outcome(), order.outcome()), (None, Some(Ok(3))));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Branch;

/// The operations of branches, for programs that keep branches in structures.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// use taktos::branches::{Receiving, Taking};
///
/// type Orders = MessageQueue<Board, u8, 4>;
///
/// struct Inputs {
///     pulse: Branch<Board, Taking<Board>>,
///     order: Branch<Board, Receiving<Orders, u8>>,
/// }
/// # fn example() -> Result<(), Error> {
/// static PULSE: Semaphore<Board> = Semaphore::new(1);
/// static ORDERS: Orders = MessageQueue::new();
///
/// let mut inputs = Inputs { pulse: PULSE.taking(), order: ORDERS.receiving() };
/// Kernel::<Board>::poll([&mut inputs.order, &mut inputs.pulse], Timeout::NONE)?;
/// assert_eq!(inputs.pulse.outcome(), Some(Ok(())));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::branches;

/// A branch of whatever object.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static LEFT: Semaphore<Board> = Semaphore::new(0);
/// static RIGHT: EventFlags<Board> = EventFlags::new(1);
///
/// let (mut left, mut right) = (LEFT.taking(), RIGHT.taking_any(1));
/// let all: [&mut dyn Pollable<Board>; 2] = [&mut left, &mut right];
/// assert_eq!(Kernel::<Board>::poll(all, Timeout::NONE)?, 1);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Pollable;

/// How many branches a poll has at most.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static SPARE: Semaphore<Board> = Semaphore::new(1);
///
/// let mut spare = SPARE.taking();
/// let mut places: [Option<&mut dyn Pollable<Board>>; MOST_POLLED] = Default::default();
/// let none = Kernel::<Board>::poll_among(&places, Timeout::NONE);
/// assert_eq!(none, Err(Error::Parameter));
/// places[5] = Some(&mut spare);
/// assert_eq!(Kernel::<Board>::poll_among(&places, Timeout::NONE)?, 5);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::MOST_POLLED;

/// Blocks of memory.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static BUFFERS: Pool<Board, 64, 4> = Pool::new();
///
/// let mut block = BUFFERS.allocate(Timeout::FOREVER)?;
/// block[0] = 7;
/// drop(block); // free again
/// assert_eq!(BUFFERS.free_blocks(), 4);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Pool;

/// A block of a pool, which is free again when it is dropped.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// static BUFFERS: Pool<Board, 8, 1> = Pool::new();
///
/// let block: PoolBlock<Board, 8, 1> = BUFFERS.allocate(Timeout::NONE)?;
/// assert_eq!(block.len(), 8);
/// assert_eq!(BUFFERS.allocate(Timeout::NONE).err(), Some(Error::WouldBlock));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::PoolBlock;

/// Memory of any size.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// use core::alloc::Layout;
///
/// static HEAP: Heap<Board, 4096> = Heap::new();
///
/// let mut block = HEAP.allocate(Layout::new::<[u8; 100]>(), Timeout::FOREVER)?;
/// block[0] = 7;
/// let free = HEAP.available();
/// drop(block); // free again
/// assert!(HEAP.available() >= free + 100);
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::Heap;

/// Memory of a heap, which is free again when it is dropped.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// use core::alloc::Layout;
///
/// static HEAP: Heap<Board, 1024> = Heap::new();
///
/// let block: HeapBlock<Board> = HEAP.allocate(Layout::new::<[u8; 500]>(), Timeout::NONE)?;
/// assert_eq!(block.len(), 500);
/// let second = HEAP.allocate(Layout::new::<[u8; 500]>(), Timeout::NONE);
/// assert_eq!(second.err(), Some(Error::WouldBlock));
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::HeapBlock;

/// A message queue with sizes that are known at run time.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// // Four messages of six bytes: sizes that are known when the program runs.
/// let words = RawQueue::<Board>::words(6, 4).ok_or(Error::Parameter)?;
/// let memory = vec![std::mem::MaybeUninit::uninit(); words].leak();
/// let queue = board::leak(RawQueue::<Board>::new(memory, 6, 4)?);
///
/// queue.send(b"sample", 0, Timeout::NONE)?;
/// let mut message = [0; 6];
/// queue.receive(&mut message, Timeout::NONE)?;
/// assert_eq!(&message, b"sample");
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::RawQueue;

/// A pool with sizes that are known at run time.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// // Four blocks of six bytes: sizes that are known when the program runs.
/// let words = RawPool::<Board>::words(6, 4).ok_or(Error::Parameter)?;
/// let memory = vec![std::mem::MaybeUninit::uninit(); words].leak();
/// let pool = board::leak(RawPool::<Board>::new(memory, 6, 4)?);
///
/// let block = pool.allocate(Timeout::NONE)?;
/// assert_eq!(pool.used(), 1);
/// pool.free(block.as_ptr())?;
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_kernel::RawPool;

/// The proof that a handler at the kernel's level runs.
///
/// ```
/// use taktos::board::{self, Board};
/// use taktos::{Interrupt, Semaphore, System, Timeout};
///
/// static SEEN: Semaphore<Board> = Semaphore::new(0);
///
/// #[taktos::interrupt(5)]
/// fn due(interrupt: &Interrupt<Board>) {
///     let _ = SEEN.give_in(interrupt);
/// }
///
/// # fn main() {
/// let outcome = board::run(|| {
///     due.enable();
///     due.pend();
///     assert_eq!(SEEN.take(Timeout::NONE), Ok(()));
///     Board::exit(0);
/// });
/// assert_eq!(outcome.status(), Some(0));
/// # }
/// ```
pub use taktos_kernel::Interrupt;
