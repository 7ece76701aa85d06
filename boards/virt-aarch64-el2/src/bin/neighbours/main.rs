//! A guest that is measured from outside, and three beside it, each with a processor of its own.
//! The word on the command line says what these do: `alone`, they wait; `attacked`, they attack;
//! `across`, the second answers doorbells, and waits are the processor's own; `across-trapped`, the
//! same with waits that the hypervisor sees.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![cfg_attr(
    target_os = "none",
    expect(
        unsafe_code,
        reason = "the processor's upcalls, the emulator's, statics of the start-up code, and guests in assembly"
    )
)]

#[cfg(target_os = "none")]
#[path = "../../argument.rs"]
mod argument;
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
    use crate::argument::argument;
    use crate::described;
    use crate::guests::{self, Beside};
    use crate::kept::{self, exit, start, waited};
    use taktos_abi::vm::{Description, OnStop, Partition, Policy, Pool, Server, VcpuRecord, Wait};
    use taktos_arch_aarch64_el2::{El2, fail};
    use virt_aarch64_el2 as _;

    aarch64_rt::entry!(entry, 64);
    fn entry(_: u64, _: u64, _: u64, _: u64) -> ! {
        El2::set_up();
        // SAFETY: the start-up code, once.
        let description = unsafe { kept::description() };
        let (beside, wait) = match argument(&mut [0; 64]) {
            b"alone" => (Beside::Waiting, Wait::Trapped),
            b"attacked" => (Beside::Attacking, Wait::Trapped),
            b"across" => (Beside::Answering, Wait::Native),
            b"across-trapped" => (Beside::Answering, Wait::Trapped),
            _ => fail("the word on the command line names no case"),
        };
        describe(description, guests::entries(beside), wait);
        El2::set_up_processors(description.cpus.into());
        // SAFETY: as above.
        if !unsafe { kept::make(description) } {
            fail("the guests are refused");
        }
        El2::run()
    }

    /// Guests with these entries, each with a processor, and a channel from the first to the
    /// second.
    fn describe(made: &mut Description, entries: [u64; 4], wait: Wait) {
        let count = entries.len();
        made.cpus = count as u8;
        made.pool_count = 1;
        made.pools[0] = Pool {
            cpus: (1 << count) - 1,
            policy: Policy::Null,
        };
        (made.partition_count, made.vcpu_count) = (count as u8, count as u8);
        for (index, entry) in entries.into_iter().enumerate() {
            let code = guests::begin()..guests::end();
            made.partitions[index] = Partition {
                wait,
                on_reset: OnStop::Restart(u32::MAX),
                ..described::partition(index, entry, code)
            };
            made.vcpus[index] = VcpuRecord {
                partition: index as u8,
                hard: 1 << index,
                soft: 1 << index,
                server: Server {
                    period: 0,
                    budget: 0,
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
