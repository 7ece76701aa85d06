//! The hypervisor: it reads the description of its partitions that `taktos vm` has put into memory,
//! starts them, and ends the machine when no partition is left.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, and statics that the lock guards"
    )
)]

#[cfg(target_os = "none")]
#[path = "../kept.rs"]
mod kept;

#[cfg(target_os = "none")]
mod target {
    use crate::kept::{self, exit, start, waited};
    use taktos_abi::vm::{Description, layout};
    use taktos_arch_aarch64_el2::{El2, fail};
    use virt_aarch64_el2 as _;

    aarch64_rt::entry!(entry, 64);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        El2::set_up();
        let description = read_description();
        El2::set_up_processors(description.cpus.into());
        // SAFETY: the start-up code, once.
        if !unsafe { kept::make(description) } {
            fail("the description of partitions is refused");
        }
        El2::run()
    }

    fn read_description() -> &'static Description {
        let place = core::ptr::with_exposed_provenance(layout::DESCRIPTION as usize);
        // SAFETY: memory of the machine that is mapped, and that no code writes.
        let bytes =
            unsafe { core::slice::from_raw_parts(place, layout::DESCRIPTION_BYTES as usize) };
        match Description::decode(bytes) {
            Ok(description) => {
                // SAFETY: the start-up code, once.
                let kept = unsafe { kept::description() };
                *kept = description;
                kept
            }
            Err(_) => fail("there is no description of partitions, or another version's"),
        }
    }

    taktos_arch_aarch64_el2::upcalls!(start, exit, waited);
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
