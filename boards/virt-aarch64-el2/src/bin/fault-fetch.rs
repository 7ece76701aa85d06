//! Executes data at EL2, which ends the machine with a report.
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
    use core::sync::atomic::AtomicU32;

    /// An instruction that returns, in memory that is not executable.
    static DATA: AtomicU32 = AtomicU32::new(0xD65F_03C0);

    virt_aarch64_el2::faults!(jump());

    fn jump() {
        // SAFETY: a function by its form; the map does not allow its execution.
        let data = unsafe { core::mem::transmute::<&AtomicU32, extern "C" fn()>(&DATA) };
        data();
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
