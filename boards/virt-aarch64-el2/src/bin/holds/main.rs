//! The hypervisor on four processors with one guest, which has as many VCPUs as there can be and
//! requests the longest exits that are known. The time that each exit holds the lock is seen from
//! outside, by points. The word on the command line names the scheduler: `credit`, `credit2` or
//! `rtds`.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, the emulator's, statics of the start-up code, and a guest in assembly"
    )
)]

#[cfg(target_os = "none")]
#[path = "../../argument.rs"]
mod argument;
#[cfg(target_os = "none")]
mod guest;
#[cfg(target_os = "none")]
#[path = "../../kept.rs"]
mod kept;

#[cfg(target_os = "none")]
mod target {
    use crate::argument::argument;
    use crate::guest;
    use crate::kept::{self, exit, start, waited};
    use taktos_abi::vm::{
        Description, OnStop, Partition, Policy, Pool, Segment, Server, VcpuRecord, Wait, layout,
    };
    use taktos_arch_aarch64_el2::{El2, fail};
    use virt_aarch64_el2 as _;

    const MILLISECOND: u64 = 1_000_000;
    const PROCESSORS: u8 = 4;
    const ALL: u64 = (1 << PROCESSORS) - 1;

    aarch64_rt::entry!(entry, 64);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        El2::set_up();
        // SAFETY: the start-up code, once.
        let description = unsafe { kept::description() };
        describe(description);
        El2::set_up_processors(description.cpus.into());
        // SAFETY: as above.
        if !unsafe { kept::make(description) } {
            fail("the guest is refused");
        }
        El2::run()
    }

    fn describe(made: &mut Description) {
        made.cpus = PROCESSORS;
        made.pool_count = 1;
        made.pools[0] = Pool {
            cpus: ALL,
            policy: policy(),
        };
        made.partition_count = 1;
        made.vcpu_count = guest::VCPUS;
        let at = guest::begin();
        made.partitions[0] = Partition {
            vcpus: guest::VCPUS,
            memory: layout::PARTITIONS,
            bytes: 0x40_0000,
            entry: at,
            wait: Wait::Trapped,
            on_reset: OnStop::Restart(1),
            weight: 256,
            console: true,
            segment_count: 1,
            ..Partition::EMPTY
        };
        made.partitions[0].name[0] = b'p';
        made.partitions[0].segments[0] = Segment {
            store: at,
            bytes: guest::end() - at,
            at,
        };
        for vcpu in &mut made.vcpus[..usize::from(guest::VCPUS)] {
            *vcpu = VcpuRecord {
                partition: 0,
                hard: ALL,
                soft: ALL,
                server: Server {
                    period: 10 * MILLISECOND,
                    budget: 4 * MILLISECOND,
                    extra: true,
                    weight: 0,
                },
            };
        }
    }

    fn policy() -> Policy {
        match argument(&mut [0; 64]) {
            b"credit" => Policy::Credit {
                slice: 30 * MILLISECOND,
                ratelimit: MILLISECOND,
                migration_delay: 0,
                balance: true,
            },
            b"credit2" => Policy::Credit2 {
                ratelimit: MILLISECOND,
                balance: true,
            },
            b"rtds" => Policy::Rtds,
            _ => fail("the word on the command line is none of credit, credit2, rtds"),
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
