//! A real-time kernel whose every operation states its bound, on the board that a feature names, and on the host.
//!
//! Nothing is allocated: threads and objects are `static`s, and a thread's stack lies in it. The most urgent ready thread runs
//! (priority 0; the least urgent has 31), equals take turns. Every call that can wait takes a [`Timeout`], every call that can
//! fail gives a [`Result`].
//!
//! ```
//! use taktos::board::{self, Board};
//! use taktos::{MessageQueue, Span, System, Thread, Timeout};
//!
//! const STACK: usize = 1024 * size_of::<usize>();
//!
//! static MAIN: Thread<Board, STACK> = Thread::new("main").priority(20);
//! static SENSOR: Thread<Board, STACK> = Thread::new("sensor").priority(5);
//! static SAMPLES: MessageQueue<Board, u32, 8> = MessageQueue::new();
//!
//! fn first() {
//!     let _ = SENSOR.start(sense);
//!     let mut sum = 0;
//!     while let Ok(sample) = SAMPLES.receive(Timeout::after(10.millis())) {
//!         sum += sample;
//!     }
//!     taktos::println!("the sum is {sum}");
//!     Board::exit(0);
//! }
//!
//! fn sense() {
//!     for sample in 1..=4 {
//!         let _ = SAMPLES.send(&sample, Timeout::FOREVER);
//!         let _ = taktos::AnyThread::<Board>::sleep(2.millis());
//!     }
//! }
//!
//! // On the host, as a test does it: virtual time, exact to the nanosecond. A program for a board has `taktos::main!` instead.
//! let outcome = board::start(&MAIN, first);
//! assert_eq!(outcome.console, "the sum is 10\n");
//! assert_eq!(outcome.time.as_nanos(), 16_000_000);
//! ```
//!
//! # In a repository of one's own
//!
//! The program begins with `#![cfg_attr(target_os = "none", no_std, no_main)]` and has a [`main!`]. `Cargo.toml` names this crate, by path or
//! by git, with the board as its only feature, and optimises a little when debugging, as stacks are small
//! (`[profile.dev] opt-level = 1`). `build.rs` hands the board's arguments to the linker:
//!
//! ```text
//! fn main() {
//!     for arguments in std::env::var("DEP_TAKTOS_ARGUMENTS") {
//!         arguments.split(' ').for_each(|word| println!("cargo::rustc-link-arg-bins={word}"));
//!     }
//! }
//! ```
//!
//! `.cargo/config.toml` names the board's target, which `cargo run` builds for, and what runs the image; `cargo test` stays on the host:
//!
//! ```toml
//! [env]
//! TAKTOS_TARGET = "thumbv7em-none-eabi"
//!
//! [target.thumbv7em-none-eabi]
//! runner = "qemu-system-arm -M mps2-an386 -nographic -semihosting-config enable=on,target=native -icount shift=0,sleep=off -kernel"
//! ```
//!
//! The project's book says what each call costs (`docs/api`).
//!
//! Owns: the names by which programs outside the tree use the kernel and a board.
//! Must never know: the project's own programs.
#![cfg_attr(target_os = "none", no_std)]

#[cfg(not(target_os = "none"))]
mod launch;

pub use taktos_kernel::*;

#[cfg(not(target_os = "none"))]
pub use launch::launch;
/// The host, on which the tests of a program run: `Board`, `start` and what comes of it.
#[cfg(not(target_os = "none"))]
pub use taktos_host as board;

#[cfg(all(target_os = "none", feature = "mps2-an386"))]
pub use mps2_an386 as board;
#[cfg(all(target_os = "none", feature = "virt-aarch64"))]
pub use virt_aarch64 as board;
#[cfg(all(target_os = "none", feature = "virt-riscv64"))]
pub use virt_riscv64 as board;

/// How many boards were named.
#[cfg(target_os = "none")]
const BOARDS: usize = 0
    + cfg!(feature = "mps2-an386") as usize
    + cfg!(feature = "virt-aarch64") as usize
    + cfg!(feature = "virt-riscv64") as usize;
#[cfg(target_os = "none")]
const _: () = assert!(
    BOARDS == 1,
    "a program is for one board: name it as the only feature of `taktos` in Cargo.toml"
);

/// The beginning of a program: `taktos::main!(&MAIN, first)` starts the board with the thread `MAIN`, which runs `first`. Built for the
/// host it is a `main` that builds the program for its board, and runs it there: [`launch`].
#[macro_export]
macro_rules! main {
    ($thread:expr, $entry:expr) => {
        #[cfg(target_os = "none")]
        $crate::board::entry!($crate::board::start($thread, $entry));

        #[cfg(not(target_os = "none"))]
        fn main() -> ! {
            let _: (&$crate::AnyThread<$crate::board::Board>, fn()) = ($thread, $entry);
            $crate::launch(env!("CARGO_BIN_NAME"))
        }
    };
}

/// Writes a line to the board's console.
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => {
        $crate::fault::print::<$crate::board::Board>(format_args!("{}\n", format_args!($($text)*)))
    };
}
