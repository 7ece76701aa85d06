//! Tests this board's port: the contract of [`taktos_hypervisor::hardware::Hardware`], without the
//! hypervisor. Four processors start, are called and are woken by their timers. Guests of a few
//! instructions trap, take their timer's interrupt, and keep their registers over changes and
//! moves. Prints what holds, and `all passed` at the end; or what failed. Ends the machine.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, and guests in assembly"
    )
)]

#[cfg(target_os = "none")]
mod check;
#[cfg(target_os = "none")]
mod guest;
#[cfg(target_os = "none")]
mod processors;
#[cfg(target_os = "none")]
mod script;
#[cfg(target_os = "none")]
mod stage;

#[cfg(target_os = "none")]
mod target {
    use crate::{processors, script};
    use taktos_arch_aarch64_el2::{El2, Vcpu, number};
    use taktos_hypervisor::hardware::{Exit, Next};
    use virt_aarch64_el2 as _;

    aarch64_rt::entry!(entry, 8);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        El2::set_up();
        El2::set_up_processors(processors::PROCESSORS);
        El2::run()
    }

    taktos_arch_aarch64_el2::upcalls!(processors::start, exit, processors::interrupt);

    /// Interrupts go to the processor's part, unless a guest is to have them; everything else is a
    /// step of the script.
    fn exit(_: &'static Vcpu, exit: Exit) -> Option<Next> {
        let cpu = number();
        Some(match exit {
            Exit::Interrupt => processors::interrupt(cpu),
            Exit::Exception { syndrome } => script::exception(cpu, syndrome),
            Exit::Error => script::unexpected("an asynchronous error"),
        })
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
