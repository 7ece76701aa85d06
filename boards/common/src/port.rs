//! Test of a port to several processors: the contract of [`taktos_machine::Machine`], without a
//! kernel; see `taktos_workloads::port::smp`.
//!
//! Owns: the environment of the test. Must never know: the board.

/// The test, as a program: `port!(place, begin)`. Ends with status 0, or with 1 and the name of the
/// check that failed. The module has what a board's crate has, except for the kernel: `Machine`,
/// `Place` and `console`; the function prepares the machine.
#[macro_export]
macro_rules! port {
    ($place:ident, $begin:path) => {
        use core::fmt::Write;
        use $crate::workloads::port::smp::{Handlers, SmpPort, Threads, start};
        use $place::{Machine, Place};

        struct Port;

        static THREADS: Threads<Port> = Threads::new();

        impl SmpPort for Port {
            type Machine = Machine;

            fn threads() -> &'static Threads<Self> {
                &THREADS
            }

            fn write(text: &str) {
                $place::console::write(text);
            }

            fn exit(status: i32) -> ! {
                $crate::end(status)
            }
        }

        impl Write for Port {
            fn write_str(&mut self, text: &str) -> core::fmt::Result {
                $place::console::write(text);
                Ok(())
            }
        }

        $crate::arch::exceptions!(Handlers<Port>);
        $crate::arch::smp!(Handlers<Port>, Place);

        $crate::entry!({
            $begin();
            start::<Port>()
        });

        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
            // If the console cannot be written to, the failure cannot be reported.
            let _ = writeln!(Port, "{}", info.message());
            $crate::end(70)
        }
    };
}

/// Ends the program, by semihosting.
#[doc(hidden)]
pub fn end(status: i32) -> ! {
    semihosting::process::exit(status)
}
