//! Owns: a board's part of the kernel's test-suite, of the fault program and of attacks from
//! partitions, for boards with the machine's own vectors. Must never know: the cases.

/// The parts of the board that its machine gives, but for the device that programs do not use.
#[doc(hidden)]
#[macro_export]
macro_rules! programs_of_machine {
    ($spare:expr) => {
        const _: () = {
            use $crate::workloads::faults::{FaultBoard, Paged};
            use $crate::workloads::suite::{Objects, SuiteBoard, Trigger};
            use $crate::workloads::user_mode::attack::AttackBoard;

            /// An interrupt that software sends to its own processor; another one than the spare
            /// interrupt.
            const NUMBER: u32 = 2;

            static OBJECTS: Objects<Board> = Objects::new();
            static TRIGGER: Trigger = Trigger::new();

            impl SuiteBoard for Board {
                fn objects() -> &'static Objects<Self> {
                    &OBJECTS
                }

                fn trigger_interrupt(handler: fn()) {
                    Machine::set_handler(NUMBER, || TRIGGER.serve());
                    TRIGGER.run(handler, || Machine::pend_interrupt(NUMBER));
                }
            }

            impl FaultBoard for Board {
                type Instructions = Paged;

                $crate::place_of_victim!();
            }

            impl AttackBoard for Board {
                const DEVICE: usize = $spare;
                const CONSOLE: usize = Place::CONSOLE;
                const SYSTEM: usize = $crate::programs::controller_address::<Place>();
            }
        };
    };
}

/// Compiled for the fault program alone: kernel code that is compiled for it with the board would
/// not be compiled again for the programs that are measured.
#[doc(hidden)]
#[macro_export]
#[cfg(feature = "smp")]
macro_rules! place_of_victim {
    () => {
        #[inline]
        fn place(
            thread: &'static $crate::kernel::AnyThread<Self>,
        ) -> Result<(), $crate::kernel::Error> {
            $crate::workloads::faults::place_as_told(thread)
        }
    };
}

#[doc(hidden)]
#[macro_export]
#[cfg(not(feature = "smp"))]
macro_rules! place_of_victim {
    () => {};
}

/// Returns the address of the interrupt controller.
#[cfg(not(target_arch = "riscv64"))]
pub const fn controller_address<P: crate::arch::Board>() -> usize {
    P::DISTRIBUTOR
}

/// Returns the address of the interrupt controller, the same on all boards of this architecture.
#[cfg(target_arch = "riscv64")]
pub const fn controller_address<P: crate::arch::Board>() -> usize {
    0x0C00_0000
}
