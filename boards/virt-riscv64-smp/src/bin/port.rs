//! The test of this board's port: what [`taktos_machine::Machine`] promises of several processors, without a kernel; see
//! `taktos_workloads::port::smp`. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "the registers of the console")
)]

// The board's own crate brings a kernel.
#[cfg(target_os = "none")]
#[path = "../console.rs"]
mod console;
#[cfg(target_os = "none")]
#[path = "../virt.rs"]
mod virt;

taktos_workloads::program! {
    use crate::console;
    use crate::virt::Virt;
    use core::fmt::Write;
    use taktos_arch_riscv64::{RiscV64, enter_supervisor_mode};
    use taktos_workloads::port::smp::{Handlers, SmpPort, Threads, start};

    struct Port;

    static THREADS: Threads<Port> = Threads::new();

    impl SmpPort for Port {
        type Machine = RiscV64<Virt>;

        fn threads() -> &'static Threads<Self> {
            &THREADS
        }

        fn write(text: &str) {
            console::write(text);
        }

        fn exit(status: i32) -> ! {
            semihosting::process::exit(status)
        }
    }

    impl Write for Port {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            console::write(text);
            Ok(())
        }
    }

    taktos_arch_riscv64::exceptions!(Handlers<Port>);
    taktos_arch_riscv64::smp!(Handlers<Port>, Virt);

    #[riscv_rt::entry]
    fn entry() -> ! {
        console::start();
        enter_supervisor_mode();
        start::<Port>()
    }

    #[panic_handler]
    fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
        // A console that cannot be written to has nowhere to say so.
        let _ = writeln!(Port, "{}", info.message());
        semihosting::process::exit(70)
    }
}
