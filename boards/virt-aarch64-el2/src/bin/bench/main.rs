//! The hypervisor's operations that `taktos bench` measures, from outside: two guests are part of
//! this image, and the marks are places in them.
//!
//! The guests' code is copied into their memory as any image is. It is linked for the addresses at
//! which the guests see it there; these are also its addresses in this image.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, statics of the start-up code, and guests in assembly"
    )
)]

#[cfg(target_os = "none")]
#[path = "../../described.rs"]
mod described;
#[cfg(target_os = "none")]
mod guests;
#[cfg(target_os = "none")]
#[path = "../../kept.rs"]
mod kept;

#[cfg(target_os = "none")]
mod target {
    use crate::described;
    use crate::guests;
    use crate::kept::{self, exit, start, waited};
    use taktos_abi::vm::{Description, Policy, Pool, Server, VcpuRecord};
    use taktos_arch_aarch64_el2::El2;
    use virt_aarch64_el2 as _;

    const MILLISECOND: u64 = 1_000_000;
    aarch64_rt::entry!(entry, 64);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        El2::set_up();
        // SAFETY: the start-up code, once.
        let description = unsafe { kept::description() };
        describe(description);
        El2::set_up_processors(description.cpus.into());
        // SAFETY: as above.
        let accepted = unsafe { kept::make(description) };
        assert!(accepted, "the guests of the benchmark are refused");
        El2::run()
    }

    /// Two guests under RTDS. The second has the shorter period: when it wakes it goes first. Their
    /// budgets are more than they use, and their periods longer than the whole run.
    fn describe(made: &mut Description) {
        made.cpus = 1;
        made.pool_count = 1;
        made.pools[0] = Pool {
            cpus: 1,
            policy: Policy::Rtds,
        };
        made.partition_count = 2;
        made.vcpu_count = 2;
        for (index, entry) in guests::entries().into_iter().enumerate() {
            let code = guests::begin()..guests::end();
            made.partitions[index] = described::partition(index, entry, code);
            let period = [1_000, 500][index] * MILLISECOND;
            made.vcpus[index] = VcpuRecord {
                partition: index as u8,
                hard: 1,
                soft: 1,
                server: Server {
                    period,
                    budget: period / 2,
                    extra: false,
                    weight: 0,
                },
            };
        }
        made.channel_count = 1;
        made.channels[0] = described::channel();
    }

    taktos_arch_aarch64_el2::upcalls!(start, exit, waited);
}

#[cfg(not(target_os = "none"))]
fn main() {
    println!(
        "build this for the board: cargo build -p virt-aarch64-el2 --profile hypervisor --target aarch64-unknown-none-softfloat"
    );
}
