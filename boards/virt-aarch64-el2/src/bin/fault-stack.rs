//! Uses up the stack at EL2, which ends the machine with a report.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod target {
    virt_aarch64_el2::faults!(deepen(1));

    /// Calls itself until the stack is used up.
    #[expect(unconditional_recursion, reason = "that is the fault")]
    fn deepen(depth: u64) -> u64 {
        deepen(core::hint::black_box(depth) + 1) + core::hint::black_box(1)
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
