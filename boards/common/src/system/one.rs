//! Owns: the start of a board with one processor.

/// Memory that the kernel needs for several processors: none.
#[doc(hidden)]
#[macro_export]
macro_rules! smp_memory {
    () => {};
}

/// The start of the board.
#[doc(hidden)]
#[macro_export]
macro_rules! start {
    ($begin:path) => {
        /// Starts the board and the kernel with one thread. Called by a program's entry.
        pub fn start<const N: usize>(
            main: &'static $crate::kernel::Thread<Board, N>,
            entry: fn(),
        ) -> ! {
            $begin();
            $crate::kernel::run(main, entry)
        }

        /// Like [`start`], with an entry that never returns.
        pub fn start_endless<const N: usize>(
            main: &'static $crate::kernel::Thread<Board, N>,
            entry: fn() -> !,
        ) -> ! {
            $begin();
            $crate::kernel::run_endless(main, entry)
        }
    };
}
