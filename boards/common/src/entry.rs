//! Owns: a program's entry, by the start-up crate of the architecture. Must never know: the board.

/// A program's entry: `entry!(start(&MAIN, main))`.
#[cfg(target_arch = "aarch64")]
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        $crate::rt::entry!(entry, 4);
        fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
            $start
        }
    };
}

/// A program's entry: `entry!(start(&MAIN, main))`.
#[cfg(not(target_arch = "aarch64"))]
#[macro_export]
macro_rules! entry {
    ($start:expr) => {
        #[$crate::rt::entry]
        fn entry() -> ! {
            $start
        }
    };
}
