//! Writes to code at EL2, which ends the machine with a report.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, and a fault on purpose"
    )
)]

#[cfg(target_os = "none")]
mod target {
    virt_aarch64_el2::faults!(write());

    fn write() {
        let code = write as *const () as *mut u32;
        // SAFETY: the map forbids it.
        unsafe { code.write_volatile(0) };
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
