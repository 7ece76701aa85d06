//! Owns: the table of interrupts, and those that programs may pend themselves.
//! Must never know: the board, but by their numbers.

/// Gives a board its table of interrupts, `INTERRUPTS` of them: `interrupts!(NUMBER)`; and those
/// that programs may pend: `interrupts!(NUMBER, spare = SPARE, urgent = URGENT)`. With its feature
/// `pac` the crate has the number alone: the table, and the names in it, are those of another
/// crate.
#[macro_export]
macro_rules! interrupts {
    ($number:expr) => {
        /// Number of interrupts that can have handlers.
        pub const INTERRUPTS: u32 = $number;

        #[cfg(not(feature = "pac"))]
        $crate::arch::vectors!(INTERRUPTS);
    };
    ($number:expr, spare = $spare:expr, urgent = $urgent:expr) => {
        $crate::interrupts!($number);

        /// The interrupt that programs may pend themselves; its handler is the program's
        /// `taktos_spare_interrupt`.
        #[cfg(not(feature = "pac"))]
        pub mod interrupt {
            use $crate::arch::{Level, enable_interrupt, pend_interrupt};

            /// Enables the interrupt, at the kernel's level.
            pub fn enable() {
                enable_interrupt($spare, Level::Kernel);
            }

            /// Makes the interrupt pending.
            #[inline(always)]
            pub fn pend() {
                pend_interrupt($spare);
            }
        }

        /// The interrupt above the kernel's level, which the kernel never delays. Its handler is
        /// the program's `taktos_urgent_interrupt`, which must not call the kernel. The board
        /// selects the interrupt, and leaves its device to the program.
        #[cfg(all(not(feature = "pac"), target_has_atomic = "32"))]
        pub mod urgent_interrupt {
            use $crate::arch::{Level, above, enable_interrupt, pend_interrupt};

            unsafe extern "C" {
                /// The program's handler; the default handler if the program has none (see
                /// `device.x` of `taktos-build`).
                fn taktos_urgent_interrupt();
            }

            above!(
                #[unsafe(no_mangle)]
                taktos_urgent_vector,
                taktos_urgent_interrupt
            );

            /// Enables the interrupt, at `level`: 0 (the most urgent) to 0x7F.
            pub fn enable(level: u8) {
                enable_interrupt($urgent, Level::Above(level));
            }

            /// Makes the interrupt pending.
            #[inline(always)]
            pub fn pend() {
                pend_interrupt($urgent);
            }
        }
    };
}
