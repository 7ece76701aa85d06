//! Owns: a Cortex-M board's part of the kernel's test-suite and of the fault program.
//! Must never know: the cases.

/// The parts of the board that are a Cortex-M's. The crate has `interrupt` and `urgent_interrupt`,
/// by `interrupts!`.
#[doc(hidden)]
#[macro_export]
macro_rules! programs_of_machine {
    () => {
        /// The board's part of the kernel's test-suite.
        pub mod suite {
            use super::{Board, interrupt};
            use $crate::workloads::suite::{Objects, SuiteBoard, Trigger};

            static OBJECTS: Objects<Board> = Objects::new();
            static TRIGGER: Trigger = Trigger::new();

            /// Serves the trigger. The program that runs the suite calls this in
            /// `taktos_spare_interrupt`.
            pub fn serve() {
                TRIGGER.serve();
            }

            impl SuiteBoard for Board {
                fn objects() -> &'static Objects<Self> {
                    &OBJECTS
                }

                fn trigger_interrupt(handler: fn()) {
                    interrupt::enable();
                    TRIGGER.run(handler, interrupt::pend);
                }
            }
        }

        const _: () = {
            impl $crate::workloads::faults::FaultBoard for Board {
                type Instructions = $crate::Faults;
            }
        };

        // Armv6-M has no interrupt above the kernel.
        #[cfg(target_has_atomic = "32")]
        const _: () = {
            use $crate::kernel::Semaphore;

            static PERMITS: Semaphore<Board> = Semaphore::new(0);

            impl $crate::FromAbove for Board {
                fn permits() -> &'static Semaphore<Self> {
                    &PERMITS
                }

                fn from_above(act: fn()) {
                    urgent_interrupt::enable(0x20);
                    $crate::workloads::faults::in_handler_above(act, urgent_interrupt::pend);
                }
            }
        };
    };
}
