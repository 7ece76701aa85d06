//! The parts of a board that the project's own programs need.
//!
//! Owns: those that every board has. Must never know: the programs' use of these parts.

#[cfg(not(feature = "cortex-m"))]
mod machine;
#[cfg(not(feature = "cortex-m"))]
pub use machine::controller_address;
#[cfg(feature = "smp")]
mod several;
#[cfg(feature = "smp")]
pub use several::count_down;

use semihosting::sys::arm_compat::sys_get_cmdline_uninit;
use taktos_workloads::command_line::Line;

/// Adds the parts to a board, next to [`board!`](crate::board): `programs!(SPARE)`, with the
/// address of a device that programs do not use; a Cortex-M says that elsewhere: `programs!()`.
/// With its feature `counted` the crate has `COUNTED` at its root: the processor's rate, 0 if it is
/// not known; other conditions of counts; and the function that switches its caches.
#[macro_export]
macro_rules! programs {
    ($($spare:expr)?) => {
        const _: () = {
            use $crate::workloads::command_line::{CommandLine, Line};
            use $crate::workloads::spare::SpareInterrupt;

            impl SpareInterrupt for Board {
                fn enable_interrupt() {
                    interrupt::enable();
                }

                fn pend_interrupt() {
                    interrupt::pend();
                }
            }

            impl CommandLine for Board {
                fn command_line(buffer: &mut Line) -> &str {
                    $crate::programs::command_line(buffer)
                }
            }
        };

        $crate::programs_of_machine!($($spare)?);
        $crate::counter!();
        $crate::several!();
    };
}

/// Returns the words of the emulator's command line.
pub fn command_line(buffer: &mut Line) -> &str {
    let line = sys_get_cmdline_uninit(buffer).unwrap_or_default();
    core::str::from_utf8(line).unwrap_or_default()
}

/// The board's counter of cycles, and the conditions of its counts.
#[doc(hidden)]
#[macro_export]
#[cfg(all(feature = "counted", not(feature = "smp")))]
macro_rules! counter {
    () => {
        impl $crate::workloads::counted::Counted for Board {
            const SILICON: $crate::workloads::counted::Silicon = {
                use $crate::arch::cycles;
                let (hertz, conditions, caches) = COUNTED;
                $crate::workloads::counted::Silicon {
                    board: env!("TAKTOS_BOARD"),
                    counter: cycles::COUNTER,
                    hertz,
                    conditions,
                    start: cycles::start,
                    read: cycles::read,
                    loads: cycles::loads,
                    caches,
                }
            };
        }
    };
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(all(feature = "counted", not(feature = "smp"))))]
macro_rules! counter {
    () => {};
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "smp"))]
macro_rules! several {
    () => {};
}
