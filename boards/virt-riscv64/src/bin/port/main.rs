//! The test of this board's port: switches between all kinds of frames, floating-point state, time
//! slices, alarms, interrupts. Ends with status 0, or with 1 and the name of what failed.
#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod checks;

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-riscv64 --release --target riscv64imac-unknown-none-elf"
    );
}
