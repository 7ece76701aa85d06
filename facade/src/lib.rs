//! A real-time kernel that states the bound of every operation. It runs on the board that a feature
//! names, and on the host.
//!
//! Nothing is allocated: threads and objects are `static`s, and a thread's stack is part of its
//! static. The most urgent ready thread runs (priority 0; the least urgent has 31), equals take
//! turns. Every call that can wait takes a [`Timeout`], every call that can fail gives a
//! [`Result`].
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
//! // On the host, as in a test: virtual time, exact to the nanosecond.
//! // A program for a board has `#[taktos::main(MAIN)]` before `first`.
//! let outcome = board::start(&MAIN, first);
//! assert_eq!(outcome.console, "the sum is 10\n");
//! assert_eq!(outcome.time.as_nanos(), 16_000_000);
//! ```
//!
//! # In a repository of one's own
//!
//! `taktos new NAME --board BOARD` writes one, with what follows in its place.
//!
//! The program begins with `#![cfg_attr(target_os = "none", no_std, no_main)]` and has a
//! [`main`](macro@main). `Cargo.toml` names this crate, by path or by git, with the board as its
//! only feature, and optimises a little when debugging, as stacks are small (`[profile.dev]
//! opt-level = 1`). `build.rs`, with `taktos-build` from the same place, hands the board's
//! arguments to the linker:
//!
//! ```text
//! fn main() {
//!     taktos_build::link();
//! }
//! ```
//!
//! `.cargo/config.toml` names the board's target, which `cargo run` builds for, and what runs the
//! image; `cargo test` stays on the host:
//!
//! ```toml
//! [env]
//! TAKTOS_TARGET = "thumbv7em-none-eabi"
//!
//! [target.thumbv7em-none-eabi]
//! runner = [
//!     "qemu-system-arm", "-M", "mps2-an386", "-nographic",
//!     "-semihosting-config", "enable=on,target=native", "-icount", "shift=0,sleep=off", "-kernel",
//! ]
//! ```
//!
//! The project's book says what each call costs (`docs/api`).
//!
//! Owns: the names by which programs outside the tree use the kernel and a board.
//! Must never know: the project's own programs.
#![cfg_attr(target_os = "none", no_std)]

pub mod interrupt;
#[cfg(not(target_os = "none"))]
mod launch;
#[doc(hidden)]
pub mod layout;
#[cfg(feature = "log")]
pub mod log;
mod messages;
mod objects;
#[cfg(feature = "defmt")]
mod records;
#[cfg(all(feature = "critical-section", target_os = "none"))]
mod section;
mod services;
mod system;
mod threads;
mod time;

/// Names for boards and ports, not for programs.
#[doc(hidden)]
pub use taktos_kernel::{
    INFO_OFFSET, NEXT_OFFSET, Plan, STACK_BASE_OFFSET, STACK_SIZE_OFFSET, Sight, Smp, SmpMemory,
    Status, URGENCY_OFFSET, Upcall, Violation, WAIT_OFFSET, partition_memory, run, run_endless,
    run_smp,
};

pub use messages::*;
pub use objects::*;
pub use services::*;
pub use system::*;
/// Makes a function the handler of an interrupt of the program's own device, without touching
/// the board: `#[taktos::interrupt(NUMBER)]`.
///
/// The number is any constant, as the board's interrupt controller counts: on a Cortex-M the
/// position in the chip's table of vectors, on an Arm GIC 0 to 15 for those that software
/// sends and `32 + n` for the shared interrupt n, on RISC-V 0 to 15 for those that
/// software sends and `16 + n` for the source n of the PLIC. A number that the board has not,
/// or has for itself, does not compile or link.
///
/// With the feature `pac` the table of vectors is the chip's crate's, and the interrupt has its
/// name there: `#[taktos::interrupt(pac::Interrupt::USART1)]`.
///
/// Under the function's name the program then has an [`interrupt::Line`], which lets the
/// interrupt through, keeps it back and pends it. The handler may call whatever does not wait
/// (what the book marks *handler*). It takes no arguments, or the proof
/// [`&Interrupt`](Interrupt), which makes some calls quicker:
///
/// ```
/// use taktos::board::{self, Board};
/// use taktos::{Interrupt, Semaphore, System, Timeout};
///
/// static RECEIVED: Semaphore<Board> = Semaphore::new(0);
///
/// /// The serial line has a byte.
/// #[taktos::interrupt(3)]
/// fn received(interrupt: &Interrupt<Board>) {
///     let _ = RECEIVED.give_in(interrupt);
/// }
///
/// # fn main() {
/// let outcome = board::run(|| {
///     received.enable();
///     received.pend(); // in the device's place
///     assert_eq!(RECEIVED.take(Timeout::NONE), Ok(()));
///     Board::exit(0);
/// });
/// assert_eq!(outcome.status(), Some(0));
/// # }
/// ```
///
/// All such handlers are at the kernel's level, where they do not interrupt each other. On a
/// Cortex-M there are two others. `#[taktos::interrupt(NUMBER, below = 0xC0)]`, 0x81 to 0xFF,
/// may call the same and is interrupted by more urgent ones; `#[taktos::interrupt(NUMBER,
/// above = 0x20)]`, 0 to 0x7F, is never delayed by the kernel and must not call it. Neither
/// has the proof.
pub use taktos_macros::interrupt;
/// The beginning of a program: `#[taktos::main(MAIN)]` starts the board with the thread
/// `MAIN`, a `static`, in which the function runs. Built for the host it makes a `main` that
/// builds the program for its board, and runs it there: [`launch`].
///
/// The function takes nothing and gives nothing back; one that never ends may say so (`-> !`),
/// and the image is smaller.
///
/// ```text
/// use taktos::board::Board;
/// use taktos::{System, Thread};
///
/// static MAIN: Thread<Board, 2048> = Thread::new("main").priority(20);
///
/// #[taktos::main(MAIN)]
/// fn first() {
///     taktos::println!("hello");
///     Board::exit(0);
/// }
/// ```
pub use taktos_macros::main;
/// Keeps the memory of a thread, a static, out of the image: on a chip (the feature `chip`) the
/// flash has twenty bytes for it, its name and its priority, and not its stack. The rest of the
/// static is zero until the start of the board. On other boards, and on the host, the static is as
/// without the attribute.
///
/// ```
/// # use taktos::board::{self, Board};
/// # use taktos::*;
/// # fn example() -> Result<(), Error> {
/// #[taktos::thread]
/// static WORKER: Thread<Board, 8192> = Thread::new("worker").priority(8);
///
/// WORKER.start(|| taktos::println!("a more urgent thread runs at once"))?;
/// # Ok(())
/// # }
/// # let outcome = board::run(|| Board::exit(i32::from(example().is_err())));
/// # assert_eq!(outcome.status(), Some(0), "{}", outcome.console);
/// ```
pub use taktos_macros::thread;
pub use threads::*;
pub use time::*;

#[cfg(not(target_os = "none"))]
pub use launch::launch;
/// The host, on which the tests of a program run: `Board`, `start` and what comes of it.
#[cfg(not(target_os = "none"))]
pub use taktos_host as board;

/// The board that a feature names.
macro_rules! boards {
    ($($feature:literal: $name:ident,)*) => {
        $(
            #[cfg(all(target_os = "none", feature = $feature))]
            pub use $name as board;
        )*
    };
}

boards! {
    // boards: features
    "mps2-an386": mps2_an386,
    "stm32l475-iot01": stm32l475_iot01,
    "stm32f405": stm32f405,
    "mps3-an547": mps3_an547,
    "realview-pb-a8": realview_pb_a8,
    "virt-aarch64": virt_aarch64,
    "virt-aarch64-guest": virt_aarch64,
    "virt-aarch64-smp": virt_aarch64,
    "virt-riscv64": virt_riscv64,
    "virt-riscv64-smp": virt_riscv64,
    "imx8mp-evk": imx8mp_evk,
    "imx8mp-evk-smp": imx8mp_evk,
    "zcu102": zcu102,
    "zcu102-smp": zcu102,
    "raspberry-pi-4": raspberry_pi_4,
    "raspberry-pi-4-smp": raspberry_pi_4,
    "hifive-unleashed": hifive_unleashed,
    "hifive-unleashed-smp": hifive_unleashed,
    // boards: end
    "chip": chip,
}

/// The clock of a program for a chip: its function, which returns the rate.
#[cfg(all(target_os = "none", feature = "chip"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __clock {
    () => {
        ::core::compile_error!("the feature `chip` of `taktos` leaves the clock to the program: #[taktos::main(MAIN, clock = function)], where `fn function() -> u32` sets the processor's clock and returns its rate in hertz");
    };
    ($function:path) => {
        #[unsafe(no_mangle)]
        fn taktos_chip_clock() -> u32 {
            $function()
        }
    };
}

/// A board sets its clock itself.
#[cfg(all(target_os = "none", not(feature = "chip")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __clock {
    () => {};
    ($function:path) => {
        ::core::compile_error!("this board sets its clock itself: leave out `clock`, which is for the feature `chip` of `taktos`");
    };
}

/// A thread of a program for a chip: memory that is all zeros, and a line in the board's table.
#[cfg(all(target_os = "none", feature = "chip"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __thread {
    ([$($head:tt)*] $name:ident $type:ty = $model:expr) => {
        // SAFETY: a static, and the board settles the lines of its table before the kernel starts.
        $($head)* $name: $type = unsafe { <$type>::zeroed() };

        const _: () = {
            #[used]
            #[unsafe(link_section = ".taktos.plans")]
            static PLAN: $crate::Plan<$crate::board::Board> = $crate::Plan::new(&$name, &$model);
        };
    };
}

/// A thread elsewhere: the static as it was written.
#[cfg(not(all(target_os = "none", feature = "chip")))]
#[doc(hidden)]
#[macro_export]
macro_rules! __thread {
    ([$($head:tt)*] $name:ident $type:ty = $model:expr) => {
        $($head)* $name: $type = $model;
    };
}

/// The console of a program for a chip, with the feature `own-console`: `console!(function)`, where
/// `fn function(text: &str)` writes a text, from threads and handlers, also from those that report
/// a fault. Used once, in the program. On the host, and on boards with a console of their own,
/// nothing comes of it.
///
/// ```
/// # #[cfg(target_os = "none")]
/// fn write(text: &str) {
///     // uart().write_all(text.as_bytes())
/// }
///
/// taktos::console!(write);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! console {
    ($function:path) => {
        #[cfg(target_os = "none")]
        #[unsafe(no_mangle)]
        fn taktos_console(text: &str) {
            $function(text)
        }
    };
}

/// Writes a line to the board's console. On the host it is in what comes of the run:
///
/// ```
/// use taktos::System;
/// use taktos::board::{self, Board};
///
/// let outcome = board::run(|| {
///     taktos::println!("{} kernels", 2);
///     Board::exit(0);
/// });
/// assert_eq!(outcome.console, "2 kernels\n");
/// ```
#[macro_export]
macro_rules! println {
    ($($text:tt)*) => {
        $crate::fault::print::<$crate::board::Board>(format_args!("{}\n", format_args!($($text)*)))
    };
}
