//! The test of a port to several processors, for the boards of 64 bits: what [`taktos_machine::Machine`] promises of them, without a
//! kernel; see `taktos_workloads::port::smp`. Ends with status 0, or with 1 and the name of what failed.
//!
//! Owns: what the test is given.
//! Must never know: which board. The program takes this as a module, and has at its root what a board's crate has, but for the kernel:
//! `Machine`, `Place`, `arch`, `begin`, `console` and `rt`, the start-up code.

use crate::{Machine, Place, arch, begin, console, rt};
use core::fmt::Write;
use taktos_workloads::port::smp::{Handlers, SmpPort, Threads, start};

struct Port;

static THREADS: Threads<Port> = Threads::new();

impl SmpPort for Port {
    type Machine = Machine;

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

arch::exceptions!(Handlers<Port>);
arch::smp!(Handlers<Port>, Place);

#[cfg(target_arch = "aarch64")]
rt::entry!(entry, 4);
#[cfg(target_arch = "aarch64")]
fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
    go()
}

#[cfg_attr(target_arch = "riscv64", rt::entry)]
fn go() -> ! {
    begin();
    start::<Port>()
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    // A console that cannot be written to has nowhere to say so.
    let _ = writeln!(Port, "{}", info.message());
    semihosting::process::exit(70)
}
