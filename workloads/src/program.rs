//! The programs, each written once: a file of a board's `src/bin/` names one of them, in one line.
//!
//! Owns: the frame of a program, and the parts of each in addition to its workload: its statics,
//! its first thread, its handlers. Must never know: a board. The items that a program needs of one
//! are at the root of the board's crate: `Board`, `entry!`, `start`; `interrupt`, the one that
//! programs pend; on several processors `start_with`.

/// A program for a board: `program!(any::bench)` is the program `bench` of this crate for as many
/// processors as the board has, one or several by the feature `smp` of the board's crate; with
/// `one::` or `smp::` it is for one alone, or for several, and with `guest::` for a partition of
/// the hypervisor. `program! { ... }` contains the program itself. Compiled for another machine
/// than a board it says that it is for one. Which board it is, the crate's build script says
/// (`taktos_build::Board`): so a program is one file for all.
#[macro_export]
macro_rules! program {
    (any::$program:ident) => {
        #[cfg(not(feature = "smp"))]
        $crate::program!(@ one_processor, $program);
        #[cfg(feature = "smp")]
        $crate::program!(@ several_processors, $program);
    };
    (one::$program:ident) => {
        #[cfg(feature = "smp")]
        compile_error!("this program is for one processor");
        $crate::program!(@ one_processor, $program);
    };
    (smp::$program:ident) => {
        $crate::program!(@ several_processors, $program);
    };
    (guest::$program:ident) => {
        $crate::program!(@ partition, $program);
    };
    (@ $kind:ident, $program:ident) => {
        $crate::program! {
            include!(concat!(env!("OUT_DIR"), "/board.rs"));
            $crate::$kind!($program);
        }
    };
    ($($program:tt)*) => {
        #[cfg(target_os = "none")]
        mod target {
            $($program)*
        }

        #[cfg(not(target_os = "none"))]
        fn main() {
            println!(concat!(
                "this program is for a board: ./taktos trace --board ",
                env!("TAKTOS_BOARD"),
                " ",
                env!("CARGO_BIN_NAME")
            ));
        }
    };
}

/// The programs for one processor.
#[doc(hidden)]
#[macro_export]
macro_rules! one_processor {
    // A workload with its objects: the words of its first thread's stack, and its priority.
    (@ frame $workload:ident, $words:literal, $priority:literal $(, $exit:ident)?) => {
        use taktos_kernel::Thread;

        static MAIN: Thread<Board, { $words * size_of::<usize>() }> =
            Thread::new("main").priority($priority);
        static OBJECTS: $crate::$workload::Objects<Board> = $crate::$workload::Objects::new();

        board::entry!(board::start(&MAIN, main));

        fn main() {
            $crate::$workload::run(&OBJECTS);
            $(<Board as taktos_kernel::System>::$exit(0);)?
        }
    };
    (bench) => {
        use board::interrupt;
        use taktos_kernel::{System, Thread};

        static MAIN: Thread<Board, { 256 * size_of::<usize>() }> = Thread::new("main").priority(20);
        $crate::operations!();

        board::entry!(board::start(&MAIN, main));

        fn main() {
            interrupt::enable();
            $crate::measured!(Board, OPERATIONS);
            Board::exit(0);
        }
    };
    (thread_metric) => {
        use board::interrupt;
        use taktos_kernel::{Interrupt, System, Thread};
        use $crate::thread_metric;

        static MAIN: Thread<Board, { 256 * size_of::<usize>() }> = Thread::new("main").priority(20);
        static OBJECTS: thread_metric::Objects<Board> = thread_metric::Objects::new();

        board::entry!(board::start(&MAIN, main));

        fn main() {
            interrupt::enable();
            thread_metric::run(&OBJECTS);
            Board::exit(0);
        }

        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            // SAFETY: this is the handler of the board's spare interrupt, which has the kernel's
            // level.
            thread_metric::interrupt(&OBJECTS, &unsafe { Interrupt::assume() });
        }
    };
    (faults) => {
        $crate::one_processor!(@ frame faults, 1024, 5);

        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            $crate::faults::interrupt();
        }
    };
    (faults_with_urgent_interrupt) => {
        $crate::one_processor!(faults);

        #[unsafe(no_mangle)]
        extern "C" fn taktos_urgent_interrupt() {
            $crate::faults::interrupt_above();
        }
    };
    (suite_with_interrupt) => {
        $crate::one_processor!(suite);

        /// Each other board has an interrupt more to spare.
        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            board::suite::serve();
        }
    };
    (hello) => {
        $crate::one_processor!(@ frame hello, 256, 10);
    };
    (ipc) => {
        $crate::one_processor!(@ frame ipc, 1024, 2, exit);
    };
    (port) => {
        $crate::one_processor!(@ frame port, 512, 5);

        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            $crate::port::interrupt(&OBJECTS);
        }
    };
    (smallest) => {
        use taktos_kernel::Thread;
        use $crate::smallest::{Objects, run};

        static MAIN: Thread<Board, { 128 * size_of::<usize>() }> = Thread::new("main").priority(4);
        static OBJECTS: Objects<Board> = Objects::new();

        board::entry!(board::start_endless(&MAIN, main));

        fn main() -> ! {
            run(&OBJECTS)
        }
    };
    (suite) => {
        use taktos_kernel::Thread;
        use $crate::suite;

        static MAIN: Thread<Board, { 2048 * size_of::<usize>() }> =
            Thread::new("main").priority(suite::MAIN);

        board::entry!(board::start(&MAIN, main));

        fn main() {
            suite::run::<Board>();
        }
    };
    (user_attack) => {
        $crate::one_processor!(@ user_attack, board::start(&MAIN, main));
    };
    (@ user_attack, $start:expr) => {
        $crate::one_processor!(@ user_attack, $start, attack::run);
    };
    (@ user_attack, $start:expr, $run:path) => {
        use taktos_kernel::user::Supervisor;
        use taktos_kernel::{Condition, EventFlags, Mutex, OwnerEnd, System, Thread};
        use $crate::user_mode::attack::{self, Told, carried, left_behind, refused};

        static MAIN: Thread<Board, { 2048 * size_of::<usize>() }> = Thread::new("main").priority(2);
        static TICKER: Thread<Board, { 256 * size_of::<usize>() }> =
            Thread::new("ticker").priority(1);
        static SUPERVISOR: Supervisor<Board> = Supervisor::new();
        static OTHERS: Semaphore<Board> = Semaphore::new(3);
        static MUTEX: Mutex<Board> = Mutex::new();
        static FLAGS: EventFlags<Board> = EventFlags::new(0);
        static QUEUE: Queue<Board, carried::Letter, { carried::LETTERS }> = Queue::new();
        static POOL: Pool<Board> = Pool::new(&carried::BLOCK_MEMORY, carried::BLOCKS);
        static CONDITION: Condition<Board> = Condition::new();
        static ROBUST: Mutex<Board> = Mutex::new().when_owner_ends(OwnerEnd::Tell);
        static LINE: Line<Board> = Line::new(
            &FIRST_THREADS[0],
            left_behind::BITS,
            || (),
            left_behind::ask::<Board>,
        );
        static LEFT_BEHIND: left_behind::LeftBehind<Board> = left_behind::LeftBehind {
            mutex: &ROBUST,
            condition: &CONDITION,
            line: &LINE,
        };
        static CARRIED: carried::Carried<Board> = carried::Carried {
            queue: &QUEUE,
            pool: &POOL,
        };
        $crate::partitions!(
            Told,
            attack::left::<Board>,
            attack::right::<Board>,
            attack::other::<Board>,
            [
                Handle::mutex(&MUTEX),
                Handle::flags(&FLAGS, Rights::GIVE),
                Handle::member(&THIRD_THREADS[0], rights::PARTNER),
                Handle::queue(&QUEUE, Rights::SEND.and(Rights::RECEIVE)),
                Handle::pool(&POOL, Rights::GIVE.and(Rights::TAKE)),
                Handle::interrupt(&LINE),
                Handle::mutex(&ROBUST),
                Handle::condition(&CONDITION, Rights::GIVE.and(Rights::TAKE))
            ],
            [
                Handle::queue(&QUEUE, Rights::SEND.and(Rights::RECEIVE)),
                Handle::pool(&POOL, Rights::GIVE.and(Rights::TAKE))
            ],
            |first| first
                .most_urgent(attack::MOST_URGENT)
                .supervised(Policy::StopThread, &SUPERVISOR)
                .shared(&attack::COMMON, Access::Read)
                .shared(&carried::BLOCK_MEMORY, Access::Write),
            |second| attack::with_float(second)
                .shared(&attack::COMMON, Access::Write)
                .shared(&carried::BLOCK_MEMORY, Access::Write)
                .device(<Board as attack::AttackBoard>::DEVICE, MEMORY)
        );
        use taktos_kernel::user::{Access, Line, Policy, Pool, Queue, Rights};
        use $crate::user_mode::MEMORY;

        taktos_kernel::partition_memory!(static THIRD_MEMORY: 4096);
        static THIRD_THREADS: [UserThread<Board, Told>; 1] =
            [UserThread::new("plain", STACK, attack::other::<Board>).priority(8)];
        static THIRD: Partition<Board, Told> =
            Partition::new("third", &THIRD_MEMORY, &THIRD_THREADS);
        taktos_kernel::partition_memory!(static FOURTH_MEMORY: 4096);
        static FOURTH_THREADS: [UserThread<Board, Told>; 1] =
            [UserThread::new("float", STACK, attack::other::<Board>).priority(8)];
        static FOURTH: Partition<Board, Told> =
            attack::with_float(Partition::new("fourth", &FOURTH_MEMORY, &FOURTH_THREADS));
        static REFUSED: [Partition<Board, Told>; refused::COUNT] = [const {
            refused::without_map(Partition::new("refused", &THIRD_MEMORY, &THIRD_THREADS))
        };
            refused::COUNT];

        static OBJECTS: attack::Objects<Board> = attack::Objects {
            first: &FIRST,
            second: &SECOND,
            third: &THIRD,
            fourth: &FOURTH,
            refused: &REFUSED,
            threads: &FIRST_THREADS,
            supervisor: &SUPERVISOR,
            carried: &CARRIED,
            left_behind: &LEFT_BEHIND,
            permits: &PERMITS,
            others: &OTHERS,
            ticker: &TICKER,
        };

        board::entry!($start);

        fn main() {
            let passed = $run(&OBJECTS);
            Board::exit(i32::from(!passed));
        }

        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            attack::interrupt(&OBJECTS);
        }
    };
    (user_bench) => {
        $crate::one_processor!(@ user_bench, board::start(&MAIN, main), |any| any);
    };
    (budgets_bench) => {
        use $crate::user_mode::bench::BUDGET;
        $crate::one_processor!(
            @ user_bench,
            board::start(&MAIN, main),
            |any| any.budget(BUDGET, BUDGET)
        );
    };
    (@ user_bench, $start:expr, |$any:ident| $as_any:expr) => {
        use taktos_kernel::user::{Queue, Rights};
        use taktos_kernel::{System, Thread};
        use $crate::user_mode::bench;

        static MAIN: Thread<Board, { 512 * size_of::<usize>() }> = Thread::new("main").priority(2);
        static QUEUE: Queue<Board, bench::Letter, 4> = Queue::new();
        $crate::partitions!(
            (),
            bench::left,
            bench::right,
            bench::other,
            [Handle::queue(&QUEUE, Rights::SEND.and(Rights::RECEIVE))],
            [],
            |$any| $as_any,
            |$any| $as_any
        );

        board::entry!($start);

        fn main() {
            bench::run(&FIRST, &SECOND, &FIRST_THREADS[0], &DONE);
            Board::exit(0);
        }
    };
    (budgets) => {
        $crate::one_processor!(@ budgets, 1, board::start(&MAIN, main), 1);
    };
    (@ budgets, $most:expr, $start:expr, $processors:expr) => {
        use taktos_kernel::{Mutex, System, Thread};
        use $crate::user_mode::budgets::{self, evade};

        static MAIN: Thread<Board, { 1024 * size_of::<usize>() }> =
            Thread::new("main").priority(2);
        static SERVER: Thread<Board, { 256 * size_of::<usize>() }> =
            Thread::new("server").priority(6);
        static REST: [Thread<Board, { 256 * size_of::<usize>() }>; $most] =
            [const { Thread::new("rest").priority(30) }; $most];
        static MUTEX: Mutex<Board> = Mutex::new();
        $crate::partitions!(
            (),
            budgets::left,
            budgets::left,
            budgets::other,
            [
                Handle::thread(SERVER.any(), Rights::CALL),
                Handle::mutex(&MUTEX)
            ],
            [],
            |first| first.budget(budgets::FIRST[0], budgets::FIRST[1]),
            |second| second.budget(budgets::SECOND[0], budgets::SECOND[1])
        );
        use taktos_kernel::user::{Rights, Supervisor};

        taktos_kernel::partition_memory!(static SMALL_MEMORY: 4096);
        taktos_kernel::partition_memory!(static LARGE_MEMORY: 32768);
        static SUPERVISOR: Supervisor<Board> = Supervisor::new();
        static EVADERS: [[UserThread<Board, ()>; 1]; 2] =
            [const { [UserThread::new("evader", STACK, evade::evader).priority(8)] }; 2];
        static SMALL: Partition<Board, ()> = evade::evading(
            Partition::new("small", &SMALL_MEMORY, &EVADERS[0]),
            &SUPERVISOR,
        );
        static LARGE: Partition<Board, ()> = evade::evading(
            Partition::new("large", &LARGE_MEMORY, &EVADERS[1]),
            &SUPERVISOR,
        );

        static OBJECTS: budgets::Objects<Board> = budgets::Objects {
            first: &FIRST,
            second: &SECOND,
            own: &FIRST_THREADS,
            threads: &SECOND_THREADS,
            done: &DONE,
            mutex: &MUTEX,
            supervisor: &SUPERVISOR,
            evading: [&SMALL, &LARGE],
        };

        board::entry!($start);

        fn main() {
            let processors: usize = $processors;
            let mut rest = REST[..processors].iter();
            let started = SERVER.start(budgets::serve::<Board>).is_ok()
                && rest.all(|rest| rest.start(|| budgets::rest::<Board>()).is_ok());
            let passed = started && budgets::run(&OBJECTS, processors);
            Board::exit(i32::from(!passed));
        }
    };
    (switch) => {
        $crate::one_processor!(@ frame switch, 1024, 4, exit);
    };
}

/// Runs the operations that are measured: from outside, or by the board's own counter.
#[cfg(not(feature = "counted"))]
#[doc(hidden)]
#[macro_export]
macro_rules! measured {
    ($board:ty, $operations:expr) => {
        $crate::bench::run(&$operations)
    };
}

/// Runs the operations that are measured, by the board's own counter.
#[cfg(feature = "counted")]
#[doc(hidden)]
#[macro_export]
macro_rules! measured {
    ($board:ty, $operations:expr) => {
        $crate::counter!($board);
        $crate::counted::session::<$board>(|| $crate::bench::run(&$operations))
    };
}

/// The programs for several processors.
#[doc(hidden)]
#[macro_export]
macro_rules! several_processors {
    (bench) => {
        use board::interrupt;
        use taktos_kernel::{System, Thread};
        use $crate::command_line::last_argument;
        use $crate::several_bench::{self, LAYOUTS, Layout};

        static MAIN: Thread<Board, 16384> = Thread::new("main").priority(several_bench::MAIN);
        static OBJECTS: several_bench::Objects<Board> = several_bench::Objects::new();
        static PAIRS: several_bench::Pairs<Board> = several_bench::Pairs::new();
        $crate::operations!();

        board::entry!(board::start_with(&MAIN, wanted().instances, main));

        fn main() {
            interrupt::enable();
            several_bench::run(wanted(), (&OBJECTS, &PAIRS), &OPERATIONS);
            Board::exit(0);
        }

        fn wanted() -> &'static Layout {
            last_argument::<Board, _>(&LAYOUTS[0], "there is no such layout\n", Layout::named)
        }
    };
    (faults) => {
        $crate::one_processor!(faults);
    };
    (hello) => {
        use taktos_kernel::Thread;
        use $crate::hello::smp::{Objects, run};

        static MAIN: Thread<Board, 4096> = Thread::new("main").priority(10);
        static OBJECTS: Objects<Board> = Objects::new();

        board::entry!(board::start(&MAIN, main));

        fn main() {
            run(&OBJECTS);
        }
    };
    (latency) => {
        $crate::experiment_on_several!(latency, $crate::latency::configuration::<Board>());
    };
    (mechanisms) => {
        $crate::experiment_on_several!(mechanisms, $crate::mechanisms::configuration());
    };
    (spacecraft) => {
        $crate::experiment_on_several!(spacecraft, $crate::spacecraft::configuration::<Board>());
    };
    (orders) => {
        use taktos_kernel::{System, Thread};
        use $crate::orders;

        static MAIN: Thread<Board, { orders::STACK }> = Thread::new("main");

        board::entry!({
            let (count, instances) = orders::taken::<Board>();
            board::start_with(&MAIN, &instances[..count], main)
        });

        fn main() {
            orders::run::<Board>();
            Board::exit(0);
        }
    };
    (several) => {
        use taktos_kernel::{PolicyKind, Thread};
        use $crate::command_line::last_argument;
        use $crate::several;
        use $crate::storm::policy;

        static MAIN: Thread<Board, 16384> = Thread::new("main").priority(several::MAIN);

        board::entry!(board::start_with(
            &MAIN,
            &several::instances(wanted()),
            main
        ));

        fn main() {
            several::run::<Board>(wanted());
        }

        fn wanted() -> PolicyKind {
            let read = |word: &str| policy(word).ok();
            last_argument::<Board, _>(PolicyKind::Edf, "there is no such policy\n", read)
        }
    };
    (storm) => {
        use taktos_kernel::{System, Thread};
        use $crate::storm;

        static MAIN: Thread<Board, { storm::STACK }> = Thread::new("main");

        board::entry!({
            let (count, instances) = storm::told::<Board>().instances(board::PROCESSORS);
            board::start_with(&MAIN, &instances[..count], main)
        });

        fn main() {
            let passed = storm::run::<Board>(storm::told::<Board>().plan);
            Board::exit(i32::from(!passed));
        }
    };
    (suite) => {
        use taktos_kernel::Thread;
        use $crate::suite::{self, beside};

        static MAIN: Thread<Board, 16384> = Thread::new("main").priority(suite::MAIN);
        static OBJECTS: beside::Objects<Board> = beside::Objects::new();

        board::entry!(board::start_with(&MAIN, &beside::instances(), main));

        fn main() {
            beside::run(&OBJECTS);
        }
    };
    (budgets) => {
        $crate::one_processor!(
            @ budgets,
            board::PROCESSORS,
            {
                if $crate::command_line::is_argument::<Board>("all") {
                    board::start(&MAIN, main)
                }
                board::start_with(&MAIN, &$crate::suite::beside::instances(), main)
            },
            match $crate::command_line::is_argument::<Board>("all") {
                true => board::PROCESSORS,
                false => 1,
            }
        );
    };
    (budgets_bench) => {
        use $crate::user_mode::bench::BUDGET;
        $crate::one_processor!(
            @ user_bench,
            board::start_with(&MAIN, &$crate::suite::beside::instances(), main),
            |any| any.budget(BUDGET, BUDGET)
        );
    };
    (user_attack) => {
        $crate::one_processor!(@ user_attack, {
            if $crate::command_line::is_argument::<Board>("all") {
                board::start(&MAIN, main)
            }
            board::start_with(&MAIN, &$crate::suite::beside::instances(), main)
        });
    };
    (user_bench) => {
        $crate::one_processor!(
            @ user_bench,
            board::start_with(&MAIN, &$crate::suite::beside::instances(), main),
            |any| any
        );
    };
}

/// The programs for a partition of the hypervisor.
#[doc(hidden)]
#[macro_export]
macro_rules! partition {
    (fifo) => {
        $crate::partition!(@ fifo, |objects| fifo::run(objects, || OBJECTS.connection.rung()));
    };
    (latency) => {
        $crate::partition!(@ latency, |objects| latency::run(objects));
    };
    (monitor) => {
        $crate::partition!(@ monitor, |objects| monitor::run(objects));
    };
    (spacecraft) => {
        $crate::partition!(@ spacecraft, |objects| spacecraft::run(objects));
    };
    (hello) => {
        $crate::partition!(@ hello, hello::run::<Board>());
    };
    (periodic) => {
        $crate::partition!(@ periodic, periodic::run::<Board>());
    };
    (suite) => {
        $crate::one_processor!(suite);
    };
    (@ $workload:ident, |$objects:ident| $run:expr) => {
        static OBJECTS: $workload::Objects<Board> = $workload::Objects::new();

        $crate::partition!(@ $workload, {
            let $objects = &OBJECTS;
            $run
        });
    };
    (@ $workload:ident, $run:expr) => {
        use $crate::guest::$workload;
        use taktos_kernel::Thread;

        static MAIN: Thread<Board, 16384> = Thread::new("main").priority($workload::MAIN);

        board::entry!(board::start(&MAIN, main));

        fn main() {
            $run
        }
    };
}

/// An experiment on several processors; its words say which instances there are.
#[doc(hidden)]
#[macro_export]
macro_rules! experiment_on_several {
    ($workload:ident, $configuration:expr) => {
        use taktos_kernel::Thread;

        static MAIN: Thread<Board, 16384> = Thread::new("main");
        static OBJECTS: $crate::$workload::Objects<Board> = $crate::$workload::Objects::new();

        board::entry!({
            let (instances, count) = $configuration;
            board::start_with(&MAIN, &instances[..count], main)
        });

        fn main() {
            $crate::$workload::run(&OBJECTS)
        }
    };
}

/// The partitions of the programs in user mode: their data, the entries of their three threads,
/// handles that the first one has besides, and what else the two are to be.
#[doc(hidden)]
#[macro_export]
macro_rules! partitions {
    ($data:ty, $left:path, $right:path, $other:path, [$($handle:expr),*], [$($of_second:expr),*], |$first:ident| $as_first:expr, |$second:ident| $as_second:expr) => {
        use taktos_kernel::Semaphore;
        use taktos_kernel::user::{Handle, Partition, UserThread};
        use $crate::user_mode::{STACK, rights};

        board::partitions!();

        taktos_kernel::partition_memory!(static FIRST_MEMORY: 4096);
        taktos_kernel::partition_memory!(static SECOND_MEMORY: 4096);
        static PERMITS: Semaphore<Board> = Semaphore::new(0);
        static DONE: Semaphore<Board> = Semaphore::new(0);
        static FIRST_THREADS: [UserThread<Board, $data>; 2] = [
            UserThread::new("left", STACK, $left).priority(8),
            UserThread::new("right", STACK, $right).priority(8),
        ];
        static SECOND_THREADS: [UserThread<Board, $data>; 1] =
            [UserThread::new("other", STACK, $other).priority(8)];
        static FIRST_HANDLES: &[Handle<Board>] = &[
            Handle::semaphore(&PERMITS, rights::SEMAPHORE),
            Handle::semaphore(&DONE, rights::SEMAPHORE),
            Handle::member(&FIRST_THREADS[0], rights::OWN),
            Handle::member(&FIRST_THREADS[1], rights::OWN),
            Handle::member(&SECOND_THREADS[0], rights::PARTNER),
            $($handle),*
        ];
        static SECOND_HANDLES: &[Handle<Board>] = &[
            Handle::semaphore(&PERMITS, rights::SEMAPHORE),
            Handle::semaphore(&DONE, rights::SEMAPHORE),
            Handle::member(&FIRST_THREADS[0], rights::PARTNER),
            Handle::member(&FIRST_THREADS[1], rights::PARTNER),
            Handle::member(&SECOND_THREADS[0], rights::OWN),
            $($of_second),*
        ];
        static FIRST: Partition<Board, $data> = {
            let $first =
                Partition::new("first", &FIRST_MEMORY, &FIRST_THREADS).handles(FIRST_HANDLES);
            $as_first
        };
        static SECOND: Partition<Board, $data> = {
            let $second =
                Partition::new("second", &SECOND_MEMORY, &SECOND_THREADS).handles(SECOND_HANDLES);
            $as_second
        };
    };
}

/// The operations that are measured, and the handler of the interrupt that one of them pends.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    () => {
        static OPERATIONS: $crate::bench::Objects<Board> =
            $crate::bench::Objects::new(interrupt::pend);

        core::arch::global_asm!(
            ".globl \"taktos.mark.interrupt-wake.begin\"",
            ".set \"taktos.mark.interrupt-wake.begin\", taktos_spare_interrupt",
        );

        #[unsafe(no_mangle)]
        extern "C" fn taktos_spare_interrupt() {
            // SAFETY: this is the handler of the board's spare interrupt, which has the kernel's
            // level.
            $crate::bench::interrupt(&OPERATIONS, &unsafe { taktos_kernel::Interrupt::assume() });
        }
    };
}
