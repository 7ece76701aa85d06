//! The test of this board's port: what [`taktos_machine::Machine`] promises of several processors, without a kernel.
//! Four processors start, hammer the one lock, call each other, are woken by their own timers, and hand threads with
//! full registers to each other. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(unsafe_code, reason = "a board, a kernel of one page, and registers")
)]

#[cfg(target_os = "none")]
mod checks;
#[cfg(target_os = "none")]
#[path = "../../console.rs"]
mod console;
#[cfg(target_os = "none")]
mod threads;
#[cfg(target_os = "none")]
#[path = "../../virt.rs"]
mod virt;

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64-smp --release --target riscv64imac-unknown-none-elf"
    );
}
