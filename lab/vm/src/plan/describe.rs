//! Owns: what of a configuration goes into the description as it is.
//! Must never know: images.

use taktos_abi::vm::{
    self, Description, End, Linkage, Policy as Described, VcpuRecord, Window as DescribedWindow,
};

use super::Error;
use super::space::{PAGE, Space};
use crate::configuration::{Configuration, Partition, Policy, Pool, Window};
use crate::image::{Form, Image};

/// The machine, its pools and virtual processors, and of partitions what needs no image.
pub(super) fn machine(configuration: &Configuration) -> Description {
    let mut made = Description::EMPTY;
    made.cpus = configuration.machine.cpus as u8;
    made.timer_floor = configuration.machine.timer_floor.as_nanos();
    made.input = configuration.input as u8;
    for partition in &configuration.partitions {
        let number = usize::from(made.partition_count);
        made.partitions[number] = described(configuration, partition, made.vcpu_count);
        vcpus(configuration, partition, &mut made);
        made.partition_count += 1;
    }
    for pool in &configuration.pools {
        made.pools[usize::from(made.pool_count)] = vm::Pool {
            cpus: pool.cpus.bits(),
            policy: policy(configuration, pool),
        };
        made.pool_count += 1;
    }
    made
}

fn described(configuration: &Configuration, partition: &Partition, first: u8) -> vm::Partition {
    let mut made = vm::Partition {
        pool: partition.pool as u8,
        first_vcpu: first,
        vcpus: partition.vcpus.len() as u8,
        weight: partition.weight.unwrap_or(vm::Partition::WEIGHT),
        cap: partition.cap.unwrap_or(0),
        bytes: partition.memory,
        wait: configuration.wait(partition),
        on_fault: partition.on_fault,
        on_reset: partition.on_reset,
        console: partition.console,
        ..vm::Partition::EMPTY
    };
    let name = partition.name.bytes().take(made.name.len());
    for (place, byte) in name.enumerate() {
        made.name[place] = byte;
    }
    for (place, device) in partition
        .devices
        .iter()
        .take(made.devices.len())
        .enumerate()
    {
        made.devices[place] = vm::Device {
            at: device.address,
            bytes: device.size,
            interrupt: device.interrupt.unwrap_or(0),
        };
        made.device_count += 1;
    }
    made
}

fn vcpus(configuration: &Configuration, partition: &Partition, made: &mut Description) {
    let pool = &configuration.pools[partition.pool];
    for vcpu in &partition.vcpus {
        let hard = vcpu.allowed(pool);
        made.vcpus[usize::from(made.vcpu_count)] = VcpuRecord {
            partition: made.partition_count,
            hard: hard.bits(),
            soft: vcpu.soft_affinity.unwrap_or(hard).bits(),
            server: vcpu.server(&pool.policy),
        };
        made.vcpu_count += 1;
    }
}

fn policy(configuration: &Configuration, pool: &Pool) -> Described {
    match &pool.policy {
        Policy::Credit {
            slice,
            ratelimit,
            migration_delay,
            balance,
        } => Described::Credit {
            slice: slice.as_nanos(),
            ratelimit: ratelimit.as_nanos(),
            migration_delay: migration_delay.as_nanos(),
            balance: *balance,
        },
        Policy::Credit2 { ratelimit, balance } => Described::Credit2 {
            ratelimit: ratelimit.as_nanos(),
            balance: *balance,
        },
        Policy::Rtds => Described::Rtds,
        Policy::Sedf => Described::Sedf,
        Policy::Null => Described::Null,
        Policy::Arinc653 { frame, windows } => {
            let mut made = [DescribedWindow::EMPTY; 16];
            for (place, window) in made.iter_mut().zip(windows) {
                *place = DescribedWindow {
                    vcpu: number(configuration, window),
                    length: window.runtime.as_nanos(),
                };
            }
            Described::Arinc653 {
                frame: frame.as_nanos(),
                count: windows.len() as u8,
                windows: made,
            }
        }
    }
}

/// The number of a window's virtual processor in the machine.
fn number(configuration: &Configuration, window: &Window) -> u8 {
    let before = configuration.partitions.iter();
    let before = before.take_while(|partition| partition.name != window.partition);
    let first: usize = before.map(|partition| partition.vcpus.len()).sum();
    (first + window.vcpu) as u8
}

/// Places the channels, and adds them to the description: by default Linux has a UART, others the
/// memory.
pub(super) fn channels(
    configuration: &Configuration,
    images: &[Image],
    space: &mut Space,
    made: &mut Description,
) -> Result<(), Error> {
    let usual = |partition: usize| match images[partition].form {
        Form::Linux => Linkage::Uart,
        Form::Elf => Linkage::Memory,
    };
    for channel in &configuration.channels {
        let ends = channel.ends.unwrap_or(channel.between.map(usual));
        let end = |place: usize| End {
            partition: channel.between[place] as u8,
            linkage: ends[place],
        };
        let what = format!("channel {}", channel.name);
        made.channels[usize::from(made.channel_count)] = vm::Channel {
            memory: space.place(channel.size, PAGE, what)?,
            bytes: channel.size,
            ends: [end(0), end(1)],
        };
        made.channel_count += 1;
    }
    Ok(())
}
