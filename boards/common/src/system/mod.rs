//! Owns: a board as a system of the kernel, and its end.

#[cfg_attr(feature = "smp", path = "several.rs")]
#[cfg_attr(not(feature = "smp"), path = "one.rs")]
mod processors;

#[cfg(feature = "smp")]
pub use processors::{Memory, PROCESSORS, all_processors};

use core::panic::PanicInfo;
use taktos_kernel::{System, fault};

/// Makes the crate that calls it, at its root, a board: `board!(begin, console::write)`. `begin`
/// prepares the machine before the kernel starts, the other function writes a text to the console.
/// A third one ends the program, if that is not by semihosting.
/// The crate has `Machine`, the machine; with 64 bits `Place`, the board as the machine sees it;
/// and, with its feature `panic-handler`, its panics are reported by the kernel.
#[macro_export]
macro_rules! board {
    ($begin:path, $write:path) => {
        $crate::board!($begin, $write, $crate::exit::<Board>);
    };
    ($begin:path, $write:path, $exit:path) => {
        /// The board, as the kernel sees it.
        pub struct Board;

        /// The kernel. The machine's switch, and the laboratory, find it by this name.
        #[unsafe(no_mangle)]
        static TAKTOS_PROCESSOR: $crate::kernel::Kernel<Board> = $crate::kernel::Kernel::new();

        $crate::name_fields!();

        impl $crate::kernel::System for Board {
            type Machine = Machine;
            const BRIEF_REPORTS: bool = $crate::BRIEF_REPORTS;

            #[inline(always)]
            fn kernel() -> &'static $crate::kernel::Kernel<Self> {
                &TAKTOS_PROCESSOR
            }

            $crate::smp_memory!();

            fn write(text: &str) {
                $write(text);
            }

            fn exit(status: i32) -> ! {
                $exit(status)
            }
        }

        $crate::start!($begin);
        $crate::own_interrupt!();

        // Boards of 32 bits have them next to their clocks.
        #[cfg(target_pointer_width = "64")]
        $crate::arch::exceptions!($crate::kernel::Upcall<Board>);

        #[cfg(feature = "panic-handler")]
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            $crate::panicked::<Board>(info)
        }
    };
}

/// Publishes where tools find a thread's name and its state, from its control block: symbols, and
/// no instruction. [`board!`] does it; a system of the kernel that is made without that calls it
/// once.
#[macro_export]
macro_rules! name_fields {
    () => {
        ::core::arch::global_asm!(
            ".globl \"taktos.layout.tcb_info\"",
            ".globl \"taktos.layout.tcb_urgency\", \"taktos.layout.tcb_wait\"",
            ".set \"taktos.layout.tcb_info\", {info}",
            ".set \"taktos.layout.tcb_urgency\", {urgency}",
            ".set \"taktos.layout.tcb_wait\", {wait}",
            info = const $crate::kernel::INFO_OFFSET,
            urgency = const $crate::kernel::URGENCY_OFFSET,
            wait = const $crate::kernel::WAIT_OFFSET,
        );
    };
}

/// The board's interrupt that programs may pend themselves. A Cortex-M has it by
/// `interrupts!`.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "cortex-m")]
macro_rules! own_interrupt {
    () => {};
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "cortex-m"))]
macro_rules! own_interrupt {
    () => {
        /// The interrupt that programs may pend themselves; its handler is the program's
        /// `taktos_spare_interrupt`.
        pub mod interrupt {
            use super::Place;

            /// Enables the interrupt, at the kernel's level.
            pub fn enable() {
                $crate::interrupt::enable::<Place>();
            }

            /// Makes the interrupt pending, on the processor that runs the caller.
            #[inline(always)]
            pub fn pend() {
                $crate::interrupt::pend::<Place>();
            }
        }
    };
}

/// Gives a program partitions: a board's `partitions!` calls it with `$crate::Board`.
#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "cortex-m"))]
macro_rules! partitions_of {
    ($board:ty, $interrupts:expr) => {
        $crate::arch::partitions!($board, $crate::kernel);
    };
}

#[doc(hidden)]
#[macro_export]
#[cfg(feature = "cortex-m")]
macro_rules! partitions_of {
    ($board:ty, $interrupts:expr) => {
        $crate::arch::partitions!($board, $interrupts, $crate::kernel);
    };
}

/// Ends the program, by semihosting.
#[cfg(not(feature = "guest"))]
pub fn exit<S: System>(status: i32) -> ! {
    semihosting::process::exit(status)
}

/// Ends the program. The status is printed: PSCI has none.
#[cfg(feature = "guest")]
pub fn exit<S: System>(status: i32) -> ! {
    fault::print::<S>(format_args!("@exit status={status}\n"));
    crate::power::off()
}

/// Reports a panic, and ends the program.
pub fn panicked<S: System>(info: &PanicInfo<'_>) -> ! {
    // The report of several processors has no message.
    #[cfg(feature = "smp")]
    fault::print::<S>(format_args!("{}\n", info.message()));
    fault::panicked::<S>(info)
}
